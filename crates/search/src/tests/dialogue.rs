//! A person and an assistant: what the person said comes first, unless the assistant's words are asked for.

use super::Indexed;
use crate::{Document, Filters, Mode, Query, Weights, rank};
use idetic_core::Time;
use idetic_core::words::Trust;

/// The seqs that answer a question by words, best first, among turns of one conversation.
fn found(question: &str, turns: &[(&str, &str)]) -> Vec<u64> {
    let mut indexed = Indexed::new(4);
    for (seq, (kind, text)) in (1..).zip(turns) {
        let trust = if *kind == "user_input" { Trust::User } else { Trust::Agent };
        let document = Document { kind, trust, conversation: Some("c"), ..Document::plain(seq, text) };
        indexed.push(&document, &[]);
    }
    let query = Query {
        text: question,
        now: Time(0),
        mode: Mode::Lexical,
        k: 10,
        filters: Filters::default(),
        weights: Weights::default(),
    };
    rank(&indexed.blocks().lanes(u64::MAX), &query, None).iter().map(|hit| hit.seq).collect()
}

const CHAT: [(&str, &str); 6] = [
    ("user_input", "My sister paints boats."),
    ("actor_output", "That sounds lovely."),
    ("user_input", "I keep my bees behind the old mill, can you help me with them in winter?"),
    ("actor_output", "Your bees behind the old mill need food. Bees at a mill: wrap the hives, and keep the bees dry."),
    ("user_input", "Thanks."),
    ("actor_output", "You are welcome."),
];

#[test]
fn what_the_person_said_comes_before_the_answer_that_repeats_it() {
    assert_eq!(found("Where do I keep my bees, behind the mill?", &CHAT)[0], 3);
}

#[test]
fn what_the_assistant_said_comes_first_where_it_is_asked_for() {
    assert_eq!(found("What did you say about the bees at the mill?", &CHAT)[0], 4);
}

#[test]
fn a_turn_is_found_by_the_words_of_its_answer() {
    let chat = [
        ("user_input", "Where shall I put them?"),
        ("actor_output", "Put the beehives behind the mill."),
        ("user_input", "Something else now."),
        ("actor_output", "Of course."),
    ];
    assert_eq!(found("beehives mill", &chat)[0], 1);
}

#[test]
fn an_agent_that_works_alone_is_heard() {
    let mut log = vec![("user_input", "Repair the pump.")];
    log.extend([("actor_output", "The valve of the pump was stuck.")]);
    log.extend([("actor_output", "Looking further."); 40]);
    log.push(("tool_result", "valve"));
    assert_eq!(found("Why was the valve of the pump stuck?", &log)[0], 2);
}
