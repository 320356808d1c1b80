//! Pairs of texts through our `token_set_ratio` and through RapidFuzz: how many are equal to the last bit.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use idetic_search::fuzzy::{
    FuzzyIndex, default_process, token_set_ratio, token_set_ratio_cutoff, token_set_ratio_processed,
};
use serde::Deserialize;

use super::setting::Setting;
use crate::options::Options;
use crate::python::{Python, target_folder};
use crate::report::{Report, Table, grouped};

const PAIRS: u64 = 100_000;
const SEED: &str = "1";
const CUTOFF: f64 = 60.0;

/// A pair with what RapidFuzz made of it.
#[derive(Deserialize)]
struct Pair {
    a: String,
    b: String,
    /// The bits of the ratio as they are, processed, and with a cutoff.
    ratios: [u64; 3],
    processed: String,
}

/// What was compared.
#[derive(Debug, Default, PartialEq, Eq)]
struct Counts {
    pairs: u64,
    equal: u64,
    between: u64,
    beyond_ascii: u64,
    long: u64,
}

/// `bench fuzzy-equal`: says how many are equal, and whether that is all.
pub fn fuzzy_equal(root: &Path, words: &[String]) -> Result<bool, String> {
    Options::parse(words)?;
    let target = target_folder()?;
    let counts = compare(root, &Python::prepare(&target)?, &target)?;
    println!("{}", counts.say());
    Ok(counts.equal == counts.pairs)
}

/// The same as a subject of the bench.
pub fn run(setting: &Setting, report: &mut Report) -> Result<(), String> {
    let counts = compare(&setting.root, &setting.python, &setting.target)?;
    let mut table = Table::new("The same as RapidFuzz", &["pairs", "equal to the last bit"]);
    table.note(counts.say());
    table.row([grouped(counts.pairs), grouped(counts.equal)]);
    report.tables.push(table);
    report.at_least("pairs equal to RapidFuzz to the last bit", counts.pairs as f64, counts.equal as f64, "");
    Ok(())
}

fn compare(root: &Path, python: &Python, target: &Path) -> Result<Counts, String> {
    let path = target.join("fuzzy-pairs.jsonl");
    python.run(root, "fuzzy_pairs.py", &[Path::new(&PAIRS.to_string()), Path::new(SEED), &path])?;
    let file = File::open(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let mut counts = Counts::default();
    for line in BufReader::new(file).lines() {
        let line = line.map_err(|e| format!("{}: {e}", path.display()))?;
        let pair: Pair = serde_json::from_str(&line).map_err(|e| format!("{}: {e}", path.display()))?;
        if !counts.count(&pair) && counts.pairs - counts.equal <= 5 {
            eprintln!("not equal: {:?} and {:?}", pair.a, pair.b);
        }
    }
    Ok(counts)
}

impl Counts {
    /// Counts a pair; says whether all is equal.
    fn count(&mut self, pair: &Pair) -> bool {
        let Pair { a, b, ratios, processed } = pair;
        let mut index = FuzzyIndex::new();
        index.insert(1, b);
        let indexed = index.search(a, CUTOFF).first().map_or(0.0, |(_, ratio)| *ratio);
        let wanted_indexed = Some(f64::from_bits(ratios[1])).filter(|ratio| *ratio >= CUTOFF).unwrap_or(0.0);
        let ours = [token_set_ratio(a, b), token_set_ratio_processed(a, b), token_set_ratio_cutoff(a, b, CUTOFF)];
        let equal = ours.map(f64::to_bits) == *ratios && default_process(a) == *processed && indexed == wanted_indexed;
        self.pairs += 1;
        self.equal += u64::from(equal);
        self.between += u64::from(ours[0] > 0.0 && ours[0] < 100.0);
        self.beyond_ascii += u64::from(!a.is_ascii() || !b.is_ascii());
        self.long += u64::from(a.chars().count().max(b.chars().count()) > 400);
        equal
    }

    fn say(&self) -> String {
        format!(
            "{} of {} random and adversarial pairs are equal to RapidFuzz 3.14.6 to the last bit: as they are, \
             processed, with a cutoff, through the index. {} lie strictly between 0 and 100, {} have letters beyond \
             ASCII, {} are longer than 400 characters.",
            grouped(self.equal),
            grouped(self.pairs),
            grouped(self.between),
            grouped(self.beyond_ascii),
            grouped(self.long)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_counts_as_equal_only_with_the_very_ratio() {
        let pair = |ratio: f64| Pair {
            a: "a b".to_owned(),
            b: "b a".to_owned(),
            ratios: [ratio.to_bits(); 3],
            processed: "a b".to_owned(),
        };
        let mut counts = Counts::default();
        assert!(counts.count(&pair(100.0)) && !counts.count(&pair(99.0)));
        assert_eq!((counts.pairs, counts.equal), (2, 1));
    }
}
