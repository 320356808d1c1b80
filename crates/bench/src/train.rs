//! Makes the weights of the small models from what is labelled in the repository, and says how good they are on what was left
//! out: rules, decisions and tasks in prompts, requests that a prompt be not kept, and an embedding model.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;
use std::fs;
use std::path::Path;

use idetic_extract::{request_features, sentence_features};
use serde_json::Value;

use crate::python::{Python, target_folder};

/// The labelled prompts of a model, one file for each author, and its weights.
const SETS: &str = "crates/extract/training";
/// The conversations with questions that the embedding model learns from.
const CONVERSATIONS: &str = "crates/bench/training/embedder";
const WEIGHTS: &str = "crates/extract/data";
/// What labels are called in the files, in the order of the classes.
const LABELS: [&str; 3] = ["rules", "decisions", "todos"];
/// A feature that stands in fewer sentences teaches nothing.
const LEAST_SENTENCES: usize = 2;
/// How much large weights cost.
const L2: f64 = 0.1;
const STEPS: usize = 400;
const RATE: f64 = 0.1;
/// Weights that are smaller are left out.
const LEAST_WEIGHT: f64 = 0.04;
/// A label means a sentence if it covers this share of the shorter of the two.
const COVERS: f64 = 0.5;
/// Thresholds that figures are told for.
const THRESHOLDS: [f64; 6] = [0.1, 0.2, 0.3, 0.5, 0.7, 0.8];

/// A sentence and its class: 0 for none, else a kind.
struct Example {
    features: Vec<String>,
    class: usize,
}

type Weights<const CLASSES: usize> = HashMap<String, [f64; CLASSES]>;

/// Makes the model that is named.
pub fn run(root: &Path, model: &str) -> Result<(), String> {
    match model {
        "directives" => make::<3>(root, model, &labelled_sentences),
        "private" => make::<1>(root, model, &labelled_prompt),
        "embedder" => embedder(root),
        _ => Err("what to train: directives, private or embedder".to_owned()),
    }
}

/// Trains an embedding model on the conversations. It becomes the built-in one only by `cargo xtask model`.
fn embedder(root: &Path) -> Result<(), String> {
    let target = target_folder()?;
    let work = target.join("embedder");
    Python::for_training(&target)?.show(root, "train_embedder.py", &[&root.join(CONVERSATIONS), &work])?;
    println!("`cargo xtask model {}` makes the asset of it", work.join("model").display());
    Ok(())
}

/// Trains on all sets, after it told how good training on all but one is on that one.
fn make<const CLASSES: usize>(
    root: &Path,
    model: &str,
    examples: &dyn Fn(&Value) -> Vec<Example>,
) -> Result<(), String> {
    let sets = labelled::<CLASSES>(root, model, examples)?;
    let mut all: Vec<(f64, bool, usize)> = Vec::new();
    for (name, left_out) in &sets {
        let others = sets.iter().filter(|(other, _)| *other != name).flat_map(|(_, set)| set);
        let weights = train::<CLASSES>(&others.collect::<Vec<_>>());
        let told: Vec<_> = left_out.iter().map(|example| judged(&weights, example)).collect();
        println!("{name:<12} {}", figures(&told));
        all.extend(told);
    }
    println!("{:<12} {}", "all", figures(&all));
    let weights = train::<CLASSES>(&sets.values().flatten().collect::<Vec<_>>());
    let kept = kept(&weights);
    let mut text = String::new();
    for (feature, weights) in &kept {
        let weights = weights.map(|weight| format!("{weight:.2}")).join("\t");
        writeln!(text, "{feature}\t{weights}").map_err(|error| error.to_string())?;
    }
    let file = root.join(WEIGHTS).join(model).join("weights.tsv");
    fs::write(&file, &text).map_err(|error| format!("cannot write {}: {error}", file.display()))?;
    println!("weights of {model}: {} features, {} bytes", kept.len(), text.len());
    Ok(())
}

/// The labelled sets of a model, by their names.
fn labelled<const CLASSES: usize>(
    root: &Path,
    model: &str,
    examples: &dyn Fn(&Value) -> Vec<Example>,
) -> Result<BTreeMap<String, Vec<Example>>, String> {
    let mut sets = read(&root.join(SETS).join(model), examples)?;
    if CLASSES == 1 {
        // Ordinary prompts ask for no such thing.
        let ordinary = read(&root.join(SETS).join("directives"), examples)?;
        sets.insert("ordinary".to_owned(), ordinary.into_values().flatten().collect());
    }
    Ok(sets)
}

/// The weights that are large enough to be stored.
fn kept<const CLASSES: usize>(weights: &Weights<CLASSES>) -> BTreeMap<&String, [f64; CLASSES]> {
    let large = weights.iter().filter(|(_, weights)| weights.iter().any(|weight| weight.abs() >= LEAST_WEIGHT));
    large.map(|(feature, weights)| (feature, *weights)).collect()
}

fn read(folder: &Path, of_line: &dyn Fn(&Value) -> Vec<Example>) -> Result<BTreeMap<String, Vec<Example>>, String> {
    let failed = |error: std::io::Error| format!("cannot read {}: {error}", folder.display());
    let mut sets = BTreeMap::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let mut examples = Vec::new();
        for line in fs::read_to_string(&path).map_err(failed)?.lines() {
            let labelled: Value = serde_json::from_str(line).map_err(|error| format!("{name}: {error}: {line}"))?;
            examples.extend(of_line(&labelled));
        }
        sets.insert(name, examples);
    }
    Ok(sets)
}

/// A prompt, and whether its author asks that it be not kept.
fn labelled_prompt(labelled: &Value) -> Vec<Example> {
    let features = request_features(labelled["prompt"].as_str().unwrap_or_default());
    vec![Example { features, class: usize::from(labelled["label"] == "private") }]
}

fn labelled_sentences(labelled: &Value) -> Vec<Example> {
    let prompt = labelled["prompt"].as_str().unwrap_or_default();
    let mut spans = Vec::new();
    for (class, label) in (1..).zip(LABELS) {
        for words in labelled[label].as_array().into_iter().flatten().filter_map(Value::as_str) {
            spans.extend(prompt.find(words).map(|at| (class, at..at + words.len())));
        }
    }
    let class = |span: &std::ops::Range<usize>| {
        let meant = spans.iter().find(|(_, labelled)| {
            let common = span.end.min(labelled.end).saturating_sub(span.start.max(labelled.start));
            common as f64 > COVERS * span.len().min(labelled.len()) as f64
        });
        meant.map_or(0, |(class, _)| *class)
    };
    let example = |sentence: idetic_extract::SentenceFeatures| Example {
        class: class(&sentence.span),
        features: sentence.features,
    };
    sentence_features(prompt).into_iter().map(example).collect()
}

/// Logistic regression, the weights of "none" held at nought; the same steps every time.
fn train<const CLASSES: usize>(examples: &[&Example]) -> Weights<CLASSES> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    examples.iter().flat_map(|example| &example.features).for_each(|feature| *counts.entry(feature).or_default() += 1);
    let names: Vec<&str> =
        counts.into_iter().filter(|(_, count)| *count >= LEAST_SENTENCES).map(|(name, _)| name).collect();
    let numbers: HashMap<&str, usize> = names.iter().enumerate().map(|(number, name)| (*name, number)).collect();
    let known = |example: &&Example| -> Vec<usize> {
        example.features.iter().filter_map(|feature| numbers.get(feature.as_str()).copied()).collect()
    };
    let rows: Vec<(Vec<usize>, usize)> = examples.iter().map(|example| (known(example), example.class)).collect();
    let mut weights = vec![[0.0f64; CLASSES]; names.len()];
    let (mut first, mut second) = (weights.clone(), weights.clone());
    for step in 1..=STEPS {
        let mut slope: Vec<[f64; CLASSES]> = weights.iter().map(|weights| weights.map(|weight| L2 * weight)).collect();
        for (features, class) in &rows {
            let likely = likely(features.iter().map(|feature| weights[*feature]));
            let missed: [f64; CLASSES] =
                std::array::from_fn(|kind| likely[kind] - f64::from(u8::from(*class == kind + 1)));
            for feature in features {
                slope[*feature].iter_mut().zip(missed).for_each(|(slope, missed)| *slope += missed);
            }
        }
        // Adam: steps of like size for what is seen often and seldom.
        let (decay, decay_squares) = (0.9f64, 0.999f64);
        let exponent = i32::try_from(step).unwrap_or(i32::MAX);
        for (number, slope) in slope.iter().enumerate() {
            for kind in 0..CLASSES {
                first[number][kind] = decay * first[number][kind] + (1.0 - decay) * slope[kind];
                second[number][kind] =
                    decay_squares * second[number][kind] + (1.0 - decay_squares) * slope[kind].powi(2);
                let mean = first[number][kind] / (1.0 - decay.powi(exponent));
                let square = second[number][kind] / (1.0 - decay_squares.powi(exponent));
                weights[number][kind] -= RATE * mean / (square.sqrt() + 1e-8);
            }
        }
    }
    names.into_iter().map(str::to_owned).zip(weights).collect()
}

/// How likely each kind is.
fn likely<const CLASSES: usize>(weights: impl Iterator<Item = [f64; CLASSES]>) -> [f64; CLASSES] {
    let mut sums = [0.0f64; CLASSES];
    weights.for_each(|weights| sums.iter_mut().zip(weights).for_each(|(sum, weight)| *sum += weight));
    let odds = sums.map(f64::exp);
    let whole = 1.0 + odds.iter().sum::<f64>();
    odds.map(|odds| odds / whole)
}

/// How likely it is that a sentence stands, whether the kind is right, and its class.
fn judged<const CLASSES: usize>(weights: &Weights<CLASSES>, example: &Example) -> (f64, bool, usize) {
    let likely = likely(example.features.iter().filter_map(|feature| weights.get(feature).copied()));
    let best = (0..CLASSES).max_by(|a, b| likely[*a].total_cmp(&likely[*b])).unwrap_or(0);
    (likely.iter().sum(), best + 1 == example.class, example.class)
}

/// Precision, recall, and how often the kind is right, at each threshold.
fn figures(told: &[(f64, bool, usize)]) -> String {
    let positive = told.iter().filter(|(_, _, class)| *class > 0).count();
    let at = |threshold: f64| {
        let taken: Vec<_> = told.iter().filter(|(likely, _, _)| *likely >= threshold).collect();
        let right = taken.iter().filter(|(_, _, class)| *class > 0).count();
        let kind = taken.iter().filter(|(_, kind, _)| *kind).count();
        let share = |part: usize, whole: usize| 100.0 * part as f64 / whole.max(1) as f64;
        format!(
            "{threshold}: precision {:.1} recall {:.1} kind {:.1}",
            share(right, taken.len()),
            share(right, positive),
            share(kind, right)
        )
    };
    format!("{} examples, {positive} positive | {}", told.len(), THRESHOLDS.map(at).join(" | "))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Weights are stored with two digits, and `exp` differs a little between machines.
    const TOLERANCE: f64 = 0.02;

    fn stored_are_made<const CLASSES: usize>(model: &str, examples: &dyn Fn(&Value) -> Vec<Example>) {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let sets = labelled::<CLASSES>(&root, model, examples).expect("labelled prompts");
        let made = train::<CLASSES>(&sets.values().flatten().collect::<Vec<_>>());
        let text = fs::read_to_string(root.join(WEIGHTS).join(model).join("weights.tsv")).expect("weights");
        let number = |cell: &str| cell.parse::<f64>().expect("a number");
        for line in text.lines() {
            let mut cells = line.split('\t');
            let feature = cells.next().expect("a feature");
            let made = made.get(feature).unwrap_or_else(|| panic!("{model}: training gives no weight for {feature}"));
            for (stored, made) in cells.map(number).zip(made) {
                assert!((stored - made).abs() < TOLERANCE, "{model}: {feature} is {stored}, training gives {made}");
            }
        }
        let (stored, large) = (text.lines().count(), kept(&made).len());
        assert!(stored.abs_diff(large) <= large / 100, "{model}: {stored} weights are stored, training gives {large}");
    }

    #[test]
    fn the_weights_that_ship_are_those_the_training_makes() {
        stored_are_made::<3>("directives", &labelled_sentences);
        stored_are_made::<1>("private", &labelled_prompt);
    }
}
