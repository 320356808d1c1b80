//! Turns with one word of each fact that whatever is stored must hold: by strangers who did not know the rules, and by the
//! author of the clause frames, written before the frames were. The held-out ones no rule has been adapted to.

use idetic_extract::statements;
use serde::Deserialize;

#[derive(Debug, Deserialize)]
struct Line {
    text: String,
    /// One word of each fact; none where nothing is to be kept.
    keys: Vec<String>,
}

#[test]
fn what_strangers_state_is_found_and_what_they_do_not_is_not() {
    measure(include_str!("../data/statements_strangers.jsonl"), 2157, 65);
}

#[test]
fn what_the_author_of_the_frames_states_is_found_and_what_is_no_fact_is_not() {
    measure(include_str!("../data/statements_author.jsonl"), 222, 70);
}

#[test]
fn what_strangers_state_that_no_rule_was_adapted_to_is_found_less_and_still_no_junk() {
    measure(include_str!("../data/statements_held_out.jsonl"), 450, 38);
}

/// At least this share of the facts is found, and at most one of a hundred that are kept is none.
#[expect(clippy::print_stdout, reason = "the figures are what the test is for")]
fn measure(data: &str, turns: usize, percent: usize) {
    let lines: Vec<Line> = data.lines().map(|line| serde_json::from_str(line).expect("a labelled turn")).collect();
    assert_eq!(lines.len(), turns);
    let (mut found, mut stated, mut kept, mut junk) = (0, 0, 0, 0);
    for line in &lines {
        let told: Vec<String> = statements(&line.text, None).into_iter().map(|it| it.text.to_lowercase()).collect();
        kept += told.len();
        if line.keys.is_empty() {
            junk += told.len();
            told.iter().for_each(|told| println!("JUNK {:?} gave {told}", line.text));
        }
        stated += line.keys.len();
        for key in &line.keys {
            let is_found = told.iter().any(|told| told.contains(&key.to_lowercase()));
            found += usize::from(is_found);
            if !is_found {
                println!("MISSED {:?}: {key}", line.text);
            }
        }
    }
    println!("{found} of {stated} stated found, {junk} of {kept} kept where nothing was to be");
    assert!(found * 100 >= stated * percent, "{found} of {stated}");
    assert!(junk * 100 <= kept, "{junk} of {kept}");
}
