//! Precision and recall of the statements on labelled sentences, half of which the rules were not written on.

use idetic_extract::{Statement, normal_attribute, normal_subject, statements};
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
    subject: String,
    attribute: String,
    value: String,
    #[serde(default)]
    negated: bool,
}

fn lines() -> Vec<Line> {
    let data = include_str!("../data/statements.jsonl");
    data.lines().map(|line| serde_json::from_str(line).expect("a labelled sentence")).collect()
}

fn plain(value: &str) -> String {
    let lower = value.to_lowercase();
    let bare = ["a ", "an ", "the "].iter().find_map(|article| lower.strip_prefix(article)).unwrap_or(&lower);
    bare.trim_end_matches('.').to_owned()
}

fn is_right(statement: &Statement, fact: &Fact) -> bool {
    normal_subject(&statement.subject) == normal_subject(&fact.subject)
        && statement.attribute == normal_attribute(&fact.attribute)
        && plain(&statement.value) == plain(&fact.value)
        && statement.negated == fact.negated
}

/// Facts found that are right, facts found, facts there are; and what went wrong.
fn measure(half: &[&Line]) -> (usize, usize, usize, Vec<String>) {
    let (mut right, mut found, mut there) = (0, 0, 0);
    let mut wrong = Vec::new();
    for line in half {
        let read = statements(&line.text, line.speaker.as_deref());
        found += read.len();
        there += line.facts.len();
        for statement in &read {
            if line.facts.iter().any(|fact| is_right(statement, fact)) {
                right += 1;
            } else {
                let Statement { subject, attribute, value, text, .. } = statement;
                wrong
                    .push(format!("WRONG {}: {:?} gave {subject};{attribute};{value} ({text})", line.class, line.text));
            }
        }
        for fact in line.facts.iter().filter(|fact| !read.iter().any(|statement| is_right(statement, fact))) {
            wrong.push(format!(
                "MISSED {}: {:?} {};{};{}",
                line.class, line.text, fact.subject, fact.attribute, fact.value
            ));
        }
    }
    (right, found, there, wrong)
}

#[test]
#[expect(clippy::print_stdout, reason = "the figures are what the test is for")]
fn what_is_found_is_right_and_much_is_found() {
    let all = lines();
    assert!(all.len() >= 400);
    let mut figures = Vec::new();
    for (name, parity) in [("written on", 0), ("held out", 1)] {
        let half: Vec<&Line> =
            all.iter().enumerate().filter(|(at, _)| at % 2 == parity).map(|(_, line)| line).collect();
        let (right, found, there, wrong) = measure(&half);
        let share = |part: usize, whole: usize| part as f64 / whole.max(1) as f64;
        println!(
            "{name}: {right} of {found} right ({:.3}), of {there} stated {:.3} found",
            share(right, found),
            share(right, there)
        );
        wrong.iter().for_each(|line| println!("  {name}: {line}"));
        figures.push((name, share(right, found), share(right, there)));
    }
    for (name, precision, recall) in figures {
        assert!(precision >= 0.95, "{name}: precision {precision}");
        assert!(recall >= 0.5, "{name}: recall {recall}");
    }
}
