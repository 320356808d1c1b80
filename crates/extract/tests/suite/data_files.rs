//! Every row of the tables that say what the rules know; that a list has each entry once is checked by tidy.

use std::collections::BTreeSet;

use idetic_extract::statements;

fn rows(table: &str) -> Vec<&str> {
    table.lines().filter(|line| !line.starts_with('#')).collect()
}

#[test]
fn a_row_names_what_there_is_and_stands_there_once() {
    let nouns = rows(include_str!("../../data/nouns.tsv"));
    assert_eq!(nouns.iter().collect::<BTreeSet<_>>().len(), nouns.len());
    let frames = rows(include_str!("../../data/plain/frames.tsv"));
    assert_eq!(frames.iter().collect::<BTreeSet<_>>().len(), frames.len());
    let patterns = rows(include_str!("../../data/patterns.tsv"));
    assert_eq!(patterns.iter().collect::<BTreeSet<_>>().len(), patterns.len());
    for row in patterns {
        let columns: Vec<&str> = row.split('\t').collect();
        assert!(matches!(columns.len(), 5 | 6), "{row}");
        let is_name = |c: char| c.is_ascii_lowercase() || c == '_';
        assert!(columns[1].chars().all(is_name), "the attribute of {row}");
        assert_eq!(columns[0].to_lowercase(), columns[0], "the phrase of {row}");
    }
    // Both tables are read whole with the first sentence; a kind or a form that there is not stops that.
    assert_eq!(statements("I live in Brno.", Some("Ann")).len(), 1);
    assert_eq!(statements("My birthday is 3 May.", Some("Ann")).len(), 1);
}
