//! Turns that strangers wrote and labelled without knowing the rules: each fact by one word that whatever is stored must hold.

use idetic_extract::statements;
use serde::Deserialize;

#[derive(Debug, Deserialize)]
struct Line {
    text: String,
    /// One word of each fact; none where nothing is to be kept.
    keys: Vec<String>,
}

#[test]
#[expect(clippy::print_stdout, reason = "the figures are what the test is for")]
fn what_strangers_state_is_found_and_what_they_do_not_is_not() {
    let data = include_str!("../data/statements_strangers.jsonl");
    let lines: Vec<Line> = data.lines().map(|line| serde_json::from_str(line).expect("a labelled turn")).collect();
    assert_eq!(lines.len(), 2157);
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
    assert!(found * 100 >= stated * 60, "{found} of {stated}");
    assert!(junk * 100 <= kept, "{junk} of {kept}");
}
