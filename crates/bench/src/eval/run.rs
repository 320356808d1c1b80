//! One run of `cargo xtask eval`: every conversation is appended and embedded once, then asked in every manner.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use idetic_model::MiniLm;
use idetic_ops::evaluation::{Conversation, Sums, conversations, pooled};
use idetic_ops::{Models, RecallOptions, Scores};

use super::cached::Cached;
use super::manners;
use crate::document::write_section;
use crate::model::asset_bytes;
use crate::report::{Report, Table};
use crate::run::today;
use crate::tasks::home::env;

/// How to read the command line.
const USAGE: &str = "usage: cargo xtask eval [DIR]... [--ablate]";
/// The sets beside the repository.
const SETS: [&str; 3] = ["../shared/bench/locomo-dev", "../shared/bench/realmem-dev", "../shared/bench/beam-dev"];
/// The category whose evidence lies in several places.
const MULTI_HOP: &str = "multi-hop";

/// What one manner reached in one set: the categories, with all of them as "all".
type Reached = BTreeMap<String, Scores>;

/// Asks, prints, and with `--ablate` writes the table.
pub fn run(root: &Path, words: &[String]) -> Result<(), String> {
    let (flags, folders): (Vec<&String>, Vec<&String>) = words.iter().partition(|word| word.starts_with("--"));
    if let Some(unknown) = flags.iter().find(|flag| **flag != "--ablate") {
        return Err(format!("'{unknown}' is not known: {USAGE}"));
    }
    let ablate = !flags.is_empty();
    let folders: Vec<PathBuf> = if folders.is_empty() {
        SETS.iter().map(|set| root.join(set)).collect()
    } else {
        folders.iter().map(PathBuf::from).collect()
    };
    let (there, absent): (Vec<PathBuf>, Vec<PathBuf>) = folders.into_iter().partition(|folder| folder.is_dir());
    absent.iter().for_each(|folder| eprintln!("eval: {} is not there and is left out", folder.display()));
    if there.is_empty() {
        return Err(format!("there is nothing to evaluate on; name folders with conversations. {USAGE}"));
    }
    let model = MiniLm::from_bytes(asset_bytes(root)?).map_err(|error| error.to_string())?;
    let models = Models { wanted: Some(Arc::new(Cached::new(model))), local: true, ..Models::default() };
    let manners = if ablate { manners::all() } else { vec![("everything", manners::everything())] };
    let mut sets = Vec::new();
    for folder in &there {
        let reached = evaluate(folder, &models, &manners)?;
        reached[0].values().for_each(print);
        sets.push((name(folder), reached));
    }
    if ablate {
        let section = section(&sets, &manners);
        println!("\n{section}");
        write_section(root, "eval", &section)?;
    }
    Ok(())
}

/// What each manner reaches in one set.
fn evaluate(folder: &Path, models: &Models, manners: &[(&str, RecallOptions)]) -> Result<Vec<Reached>, String> {
    let mut sums: Vec<BTreeMap<String, Sums>> = manners.iter().map(|_| BTreeMap::new()).collect();
    let scratch = std::env::temp_dir();
    for conversation in conversations(folder).map_err(|error| error.to_string())? {
        eprintln!("eval: {}", conversation.display());
        let conversation = Conversation::prepare(&conversation, &scratch, &env(), models);
        let conversation = conversation.map_err(|error| error.to_string())?;
        for ((_, manner), sums) in manners.iter().zip(&mut sums) {
            let mut notice = |text: &str| eprintln!("eval: {text}");
            conversation.ask(models, manner, sums, &mut notice).map_err(|error| error.to_string())?;
        }
    }
    let set = name(folder);
    let scores = |categories: &BTreeMap<String, Sums>| {
        let each = categories.iter().map(|(category, sums)| (category.clone(), sums.scores(&set, category)));
        each.chain([("all".to_owned(), pooled(categories).scores(&set, "all"))]).collect()
    };
    Ok(sums.iter().map(scores).collect())
}

fn name(folder: &Path) -> String {
    folder.file_name().map_or_else(|| folder.display().to_string(), |name| name.to_string_lossy().into_owned())
}

fn print(scores: &Scores) {
    println!(
        "{} {}: {} questions, R@5 {} R@10 {} R@20 {} R@50 {} hit@10 {} all@10 {} MRR {} nDCG@10 {}",
        scores.set,
        scores.category,
        scores.questions,
        scores.r5,
        scores.r10,
        scores.r20,
        scores.r50,
        scores.hit10,
        scores.all10,
        scores.mrr,
        scores.ndcg10
    );
}

/// The section of the document: categories as it ships, then one row for each manner.
fn section(sets: &[(String, Vec<Reached>)], manners: &[(&str, RecallOptions)]) -> String {
    let mut report = Report::default();
    let columns = ["set", "category", "questions", "R@5", "R@10", "R@20", "hit@10", "all@10", "MRR", "nDCG@10"];
    let mut categories = Table::new("By category", &columns);
    categories
        .note("Everything, as it ships. R@k: the share of a question's evidence among the first k hits, in percent.");
    for scores in sets.iter().flat_map(|(_, reached)| reached[0].values()) {
        let figures = [scores.r5, scores.r10, scores.r20, scores.hit10, scores.all10, scores.mrr, scores.ndcg10];
        let names = [scores.set.clone(), scores.category.clone(), scores.questions.to_string()];
        categories.row(names.into_iter().chain(figures.map(one_decimal)));
    }
    report.tables.push(categories);
    let mut parts = Table::new("What each part adds", &["manner"]);
    parts.note("Each row takes one part away from everything; the last two have words or vectors and nothing else.");
    for (set, reached) in sets {
        let heads = ["R@5", "R@10", "R@20", "MRR"].iter().map(|head| format!("{set}: {head}"));
        parts.columns.extend(heads);
        if reached[0].contains_key(MULTI_HOP) {
            parts.columns.push(format!("{set}: {MULTI_HOP} R@10"));
        }
    }
    for (at, (manner, _)) in manners.iter().enumerate() {
        let mut row = vec![(*manner).to_owned()];
        for reached in sets.iter().map(|(_, reached)| &reached[at]) {
            let all = &reached["all"];
            row.extend([all.r5, all.r10, all.r20, all.mrr].map(one_decimal));
            row.extend(reached.get(MULTI_HOP).map(|scores| one_decimal(scores.r10)));
        }
        parts.row(row);
    }
    report.tables.push(parts);
    let about = "The questions of the development sets whose evidence is known, through the library with the built-in \
                 model; those without an answer are not among \"all\".";
    format!(
        "## Finding\n\n- Date: {}. Command: `cargo xtask eval --ablate`.\n- {about}\n{}",
        today(),
        report.markdown()
    )
}

fn one_decimal(figure: f64) -> String {
    format!("{figure:.1}")
}
