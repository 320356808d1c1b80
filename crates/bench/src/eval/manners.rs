//! The manners of asking that are compared: everything, each part taken away, and the two plain ways.

use idetic_ops::RecallOptions;
use idetic_ops::evaluation::HITS;
use idetic_search::{Mode, Weights};

/// A part of the ranking and how it is taken away.
type Removal = (&'static str, fn(&mut Weights));

const REMOVALS: [Removal; 15] = [
    ("without words", |weights| weights.words = 0.0),
    ("without meaning", |weights| weights.meaning = 0.0),
    ("without names", |weights| weights.names = false),
    ("without the author", |weights| weights.author = 0.0),
    ("without the cost of questions", |weights| weights.question = 0.0),
    ("without recency", |weights| weights.recency = 0.0),
    ("without the cost of answers", |weights| weights.answer = 0.0),
    ("without what answers lend to their turns", |weights| weights.answered = 0.0),
    ("without the cost of crowding", |weights| weights.crowding = 0.0),
    ("without the conversation", |weights| weights.conversation = 0.0),
    ("without dates", |weights| (weights.date, weights.relative_date) = (0.0, 0.0)),
    ("without the neighbours' words", |weights| weights.neighbour_words = 0.0),
    ("without the neighbours' meaning", |weights| weights.neighbour_meaning = 0.0),
    ("rarity to the power of 1, as BM25 has it", |weights| weights.rarity = 1.0),
    ("without collapsing duplicates", |weights| weights.collapse = false),
];

/// Everything, as it ships.
pub fn everything() -> RecallOptions {
    RecallOptions { k: Some(HITS), ..RecallOptions::default() }
}

/// All manners with their names, everything first.
pub fn all() -> Vec<(&'static str, RecallOptions)> {
    let mut manners = vec![("everything", everything())];
    for (name, remove) in REMOVALS {
        let mut manner = everything();
        remove(&mut manner.weights);
        manners.push((name, manner));
    }
    manners.push(("BM25 alone", RecallOptions { mode: Mode::Lexical, weights: plain(), ..everything() }));
    manners.push(("vectors alone", RecallOptions { mode: Mode::Vector, weights: plain(), ..everything() }));
    manners
}

/// Words and meaning and nothing else, rare words counting as plain BM25 counts them.
fn plain() -> Weights {
    Weights { rarity: 1.0, ..Weights::of_the_text_alone() }
}
