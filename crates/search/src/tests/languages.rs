//! What is found in languages other than English, and what later events say of earlier ones only.

use super::*;
use crate::{Mode, Query, Weights, id_hash, rank};
use idetic_core::Time;
use idetic_core::words::Trust;

/// What a question ranks among texts, of which each is by an author: its seq, and whether a word of it was found.
fn ranked(texts: &[(&str, &str)], question: &str, changes: &Changes) -> Vec<(u64, bool)> {
    let mut indexed = Indexed::new(4);
    for (seq, (author, text)) in (1..).zip(texts) {
        let document = Document {
            seq,
            id: "same",
            ts: Time(0),
            kind: "user_input",
            author: Some(author),
            conversation: None,
            text,
            importance: 0.5,
            trust: Trust::User,
        };
        indexed.push(&document, &[]);
    }
    let blocks = indexed.blocks();
    let query = Query {
        text: question,
        now: Time(0),
        mode: Mode::Lexical,
        k: 10,
        filters: Default::default(),
        weights: Weights::default(),
    };
    rank(&blocks.lanes_with(u64::MAX, changes), &query, None)
        .into_iter()
        .map(|hit| (hit.seq, hit.parts.lexical > 0.0))
        .collect()
}

#[test]
fn words_are_found_however_their_marks_and_neighbours_are_written() {
    let texts = [
        ("x", "家里有一只猫咪"),
        ("x", "我喜欢黑猫"),
        ("x", "MEET AT THE CAFÉ"),
        ("x", "كَتَبَ الرسالة"),
        ("x", "मुझे हिन्दी पसंद है"),
        ("x", "nothing of it"),
    ];
    for (question, seqs) in [
        ("猫", &[1, 2][..]),
        ("猫咪", &[1]),
        ("黑猫", &[2]),
        ("cafe", &[3]),
        ("كتب", &[4]),
        ("हिन्दी", &[5]),
        ("हि", &[]),
    ] {
        let ranked = ranked(&texts, question, &Changes::default());
        let mut ours: Vec<u64> = ranked.into_iter().filter(|(_, found)| *found).map(|(seq, _)| seq).collect();
        ours.sort_unstable();
        assert_eq!(ours, seqs, "{question}");
    }
}

#[test]
fn an_author_is_known_by_name_in_any_script_and_case() {
    let texts = [("Ann", "the boat is red"), ("bob", "the boat is red too"), ("李明", "船是红的")];
    for (question, first) in [("what did ann say of the boat", 1), ("what did bob say of the boat", 2), ("李明", 3)] {
        let ranked = ranked(&texts, question, &Changes::default());
        assert_eq!(ranked.first().map(|(seq, _)| *seq), Some(first), "{question}");
    }
}

#[test]
fn a_retirement_is_of_what_was_there_before_it() {
    let texts = [("x", "red boat"), ("x", "red boats here"), ("x", "one more red boat")];
    for (by, left) in [(1, &[1, 2, 3][..]), (2, &[2, 3]), (3, &[3]), (4, &[])] {
        let changes = Changes { retired: [(id_hash("same"), (by, 0))].into(), ..Changes::default() };
        let mut ours: Vec<u64> = ranked(&texts, "red", &changes).into_iter().map(|(seq, _)| seq).collect();
        ours.sort_unstable();
        assert_eq!(ours, left, "retired by {by}");
    }
}
