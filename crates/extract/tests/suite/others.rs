//! Precision and recall on sentences that someone else wrote and labelled, in words the rules were not made for.

use idetic_extract::{Statement, statements};
use serde::Deserialize;

#[derive(Debug, Deserialize)]
struct Line {
    text: String,
    speaker: Option<String>,
    class: String,
    facts: Vec<Fact>,
}

#[derive(Debug, Deserialize)]
struct Fact {
    attribute: String,
    value: String,
}

fn lines() -> Vec<Line> {
    let data = include_str!("../data/statements_others.jsonl");
    data.lines().map(|line| serde_json::from_str(line).expect("a labelled sentence")).collect()
}

/// In lower case, without marks around it and without the words that only point at it.
fn plain(value: &str) -> String {
    let lower = value.to_lowercase();
    let trimmed = lower.trim_matches([' ', '.', '!', ',']);
    let bare = ["the ", "a ", "an ", "our ", "my "].iter().find_map(|word| trimmed.strip_prefix(word));
    bare.unwrap_or(trimmed).to_owned()
}

/// Whether a statement is the one that a label asks for: the labels name attributes in their own words, so values decide.
fn says(statement: &Statement, fact: &Fact, exactly: bool) -> bool {
    let (value, wanted) = (plain(&statement.value), plain(&fact.value));
    if exactly {
        return value == wanted;
    }
    value.contains(&wanted) || wanted.contains(&value) || plain(&statement.text).contains(&wanted)
}

/// Which facts were found, and which statements are of no fact: each is of one at most, those that fit exactly first.
fn matched(read: &[Statement], facts: &[Fact]) -> (Vec<bool>, Vec<bool>) {
    let (mut found, mut right) = (vec![false; facts.len()], vec![false; read.len()]);
    for exactly in [true, false] {
        for (at, statement) in read.iter().enumerate().filter(|(_, it)| !it.value.is_empty()) {
            let fact = (0..facts.len()).find(|&fact| !found[fact] && says(statement, &facts[fact], exactly));
            if let Some(fact) = fact.filter(|_| !right[at]) {
                (found[fact], right[at]) = (true, true);
            }
        }
    }
    (found, right)
}

#[test]
#[expect(clippy::print_stdout, reason = "the figures are what the test is for")]
fn sentences_of_others_are_read() {
    let all = lines();
    assert_eq!(all.len(), 320);
    let (mut right, mut read_all, mut found, mut stated) = (0, 0, 0, 0);
    for line in &all {
        let mut read = statements(&line.text, line.speaker.as_deref());
        // The labels do not say what ended.
        read.retain(|statement| !statement.text.contains(" no longer "));
        let (known, fits) = matched(&read, &line.facts);
        read_all += read.len();
        right += fits.iter().filter(|fits| **fits).count();
        for (statement, _) in read.iter().zip(&fits).filter(|(_, fits)| !**fits) {
            println!("WRONG {}: {:?} gave {}", line.class, line.text, statement.text);
        }
        for (fact, _) in line.facts.iter().zip(&known).filter(|(_, known)| !**known) {
            println!("MISSED {}: {:?} {};{}", line.class, line.text, fact.attribute, fact.value);
        }
        if line.class == "plain" {
            stated += line.facts.len();
            found += known.iter().filter(|known| **known).count();
        }
    }
    let share = |part: usize, whole: usize| part as f64 / whole.max(1) as f64;
    let (precision, recall) = (share(right, read_all), share(found, stated));
    println!("{right} of {read_all} right ({precision:.3}), of {stated} plainly stated {found} found ({recall:.3})");
    assert!(precision >= 0.95, "precision {precision}");
    assert!(recall >= 0.5, "recall {recall}");
}
