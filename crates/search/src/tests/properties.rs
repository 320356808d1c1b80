//! A prefix ranks as if the rest did not exist, lanes put together rank as one lane, and segments as one segment: to the
//! last bit.

use proptest::prelude::*;

use super::super::{dates, rewrite};
use super::{Blocks, Indexed};
use crate::{Builder, Changes, Document, Filters, Hit, Lanes, Mode, OutOfOrder, Query, Weights, id_hash, rank};
use idetic_core::Time;
use idetic_core::words::Trust;

const WORDS: [&str; 14] = [
    "kayak", "river", "boats", "boat", "Nora", "green", "bicycle", "pottery", "the", "is", "墨水", "ink", "slugs", "?",
];
const AUTHORS: [Option<&str>; 5] = [Some("Nora Berg"), Some("Pavel"), Some("user"), None, Some("Pavel Novak")];
const QUESTIONS: [&str; 7] = [
    "What did Nora do with the kayak?",
    "Which boats has Pavel bought?",
    "Nora and Pavel river",
    "slugs in March 2024",
    "green bicycle last week",
    "墨水 ink",
    "What happened yesterday?",
];

/// A document before it is indexed.
#[derive(Debug, Clone)]
struct Draft {
    words: Vec<usize>,
    author: usize,
    conversation: usize,
    hours: i64,
    vectors: Vec<Vec<f32>>,
    lane: usize,
}

fn drafts() -> impl Strategy<Value = Vec<Draft>> {
    let vector = prop::collection::vec(-1.0_f32..1.0, 4);
    let draft = (
        prop::collection::vec(0..WORDS.len(), 0..9),
        0..AUTHORS.len(),
        0..4_usize,
        0..3_000_i64,
        prop::collection::vec(vector, 0..3),
        0..3_usize,
    );
    prop::collection::vec(draft, 1..40).prop_map(|all| {
        all.into_iter()
            .map(|(words, author, conversation, hours, vectors, lane)| Draft {
                words,
                author,
                conversation,
                hours,
                vectors,
                lane,
            })
            .collect()
    })
}

/// Indexes the drafts that belong, each under its place among all as seq.
fn index(drafts: &[Draft], belongs: impl Fn(u64, &Draft) -> bool) -> Blocks {
    let conversations = [None, Some("a"), Some("b"), Some("c")];
    let mut indexed = Indexed::new(4);
    for (seq, draft) in (1..).zip(drafts).filter(|(seq, draft)| belongs(*seq, draft)) {
        let text = draft.words.iter().map(|word| WORDS[*word]).collect::<Vec<_>>().join(" ");
        let ts = Time(1_704_067_200_000_000 + draft.hours * 3_600_000_000);
        let (author, conversation) = (AUTHORS[draft.author], conversations[draft.conversation]);
        let kind = if draft.hours % 3 == 0 { "decision" } else { "user_input" };
        let document = Document { ts, author, conversation, kind, id: &seq.to_string(), ..Document::plain(seq, &text) };
        indexed.push(&document, &draft.vectors);
    }
    indexed.blocks()
}

/// Every answer to every question in every mode.
fn answers(lanes: &Lanes<'_>, k: usize, filtered: bool) -> Vec<Vec<Hit>> {
    let filters = Filters { kind: filtered.then(|| "decision".to_owned()), ..Filters::default() };
    let now = Time(1_711_000_000_000_000);
    let ask = |text| {
        [Mode::Hybrid, Mode::Lexical, Mode::Vector].map(|mode| {
            let query = Query { text, now, mode, k, filters: filters.clone(), weights: Weights::default() };
            rank(lanes, &query, Some(&[0.5, -0.5, 0.5, 0.5]))
        })
    };
    QUESTIONS.iter().flat_map(|text| ask(text)).collect()
}

/// Documents that ceased to count, and others graded anew, by the chance of their seq.
fn changes(all: u64, every: u64) -> Changes {
    let id = |seq: u64| id_hash(&seq.to_string());
    let retired = (1..=all).filter(|seq| seq % every == 0).map(|seq| (id(seq), (all + 1, 0))).collect();
    let importances = (1..=all).filter(|seq| seq % every == 1).map(|seq| (id(seq), (all + 1, 0.9))).collect();
    Changes { retired, importances }
}

/// What must be equal: seq, score and parts, bit by bit.
fn bare(answers: &[Vec<Hit>]) -> Vec<Vec<(u64, u64, String)>> {
    let hit = |hit: &Hit| (hit.seq, hit.score.to_bits(), format!("{:?}", hit.parts));
    answers.iter().map(|hits| hits.iter().map(hit).collect()).collect()
}

#[test]
fn what_a_tool_or_a_page_says_of_its_own_importance_raises_nothing() {
    let score = |trust: Trust, importance: f32| {
        let mut indexed = Indexed::new(4);
        indexed.push(&Document { trust, importance, ..Document::plain(1, "the kayak is green") }, &[]);
        let query = Query {
            text: "kayak",
            now: Time(0),
            mode: Mode::Lexical,
            k: 1,
            filters: Filters::default(),
            weights: Weights::default(),
        };
        rank(&indexed.blocks().lanes(u64::MAX), &query, None)[0].score
    };
    for trust in [Trust::Tool, Trust::External] {
        assert_eq!(score(trust, 1.0).to_bits(), score(trust, 0.5).to_bits());
        assert!(score(trust, 0.1) < score(trust, 0.5), "that it matters less is believed");
    }
    for trust in [Trust::User, Trust::Agent] {
        assert!(score(trust, 1.0) > score(trust, 0.5));
    }
}

proptest! {
    #[test]
    fn a_prefix_is_an_index_that_stopped_there(all in drafts(), cut in 0..40_u64, k in 1..50_usize, only: bool) {
        let (long, short) = (index(&all, |_, _| true), index(&all, |seq, _| seq <= cut));
        prop_assert_eq!(answers(&long.lanes(cut), k, only), answers(&short.lanes(u64::MAX), k, only));
    }

    #[test]
    fn lanes_together_are_one_lane(all in drafts(), cut in 0..40_u64, k in 1..50_usize, only: bool, every in 2..9_u64) {
        let one = index(&all, |seq, _| seq <= cut);
        let several = (0..3).map(|lane| index(&all, |_, draft| draft.lane == lane)).fold(Blocks::default(), Blocks::and);
        let changes = changes(all.len() as u64, every);
        let (together, alone) = (several.lanes_with(cut, &changes), one.lanes_with(cut, &changes));
        prop_assert_eq!(bare(&answers(&together, k, only)), bare(&answers(&alone, k, only)));
    }

    #[test]
    fn segments_are_one_segment_and_joined_are_the_same_bytes(all in drafts(), at in 0..40_u64, k in 1..50_usize) {
        let whole = index(&all, |_, _| true);
        let halves = index(&all, |seq, _| seq <= at).and(index(&all, |seq, _| seq > at));
        prop_assert_eq!(answers(&halves.lanes(u64::MAX), k, false), answers(&whole.lanes(u64::MAX), k, false));
        let joined = halves.joined(4);
        prop_assert_eq!(joined.segments[0].bytes(), whole.segments[0].bytes());
        prop_assert_eq!(joined.codes[0].bytes(), whole.codes[0].bytes());
    }

    #[test]
    fn what_ceased_to_count_is_as_if_it_had_never_been(all in drafts(), every in 2..9_u64) {
        // Alone in their conversations: a document that ceased to count still parts its neighbours.
        let all: Vec<Draft> = all.into_iter().map(|draft| Draft { conversation: 0, ..draft }).collect();
        let retired = Changes { importances: Default::default(), ..changes(all.len() as u64, every) };
        let (with, without) = (index(&all, |_, _| true), index(&all, |seq, _| seq % every != 0));
        let with = with.lanes_with(u64::MAX, &retired);
        // Authors whose every document ceased to count are still known by name.
        prop_assume!(with.author_count() == without.lanes(u64::MAX).author_count());
        // Sums over places round otherwise where places are left out.
        let rounded = |all: &[Vec<Hit>]| -> Vec<Vec<(u64, i64)>> {
            let hit = |hit: &Hit| (hit.seq, (hit.score * 1e6).round() as i64);
            all.iter().map(|hits| hits.iter().map(hit).collect()).collect()
        };
        prop_assert_eq!(rounded(&answers(&with, 40, true)), rounded(&answers(&without.lanes(u64::MAX), 40, true)));
    }

    #[test]
    fn any_question_is_understood_without_a_panic(question in "\\PC{0,60}", day in -800_000_i64..2_900_000) {
        let nothing = Blocks::default();
        rewrite::rewrite(&question, nothing.lanes(0).names(), Time(day * 86_400_000_000));
    }

    #[test]
    fn any_question_made_of_time_words_is_understood(words in prop::collection::vec(0..24_usize, 0..9), day in -719_000_i64..2_900_000) {
        let pieces = ["the", "two", "weeks", "before", "999", "years", "ago", "last", "may", "May", ".", ",", "31", "2099",
            "1900", "in", "as of", "between", "and", "spring", " ", "until", "month", "s"];
        let question = words.iter().map(|word| pieces[*word]).collect::<Vec<_>>().join(" ");
        dates::read(&question, Time(day * 86_400_000_000));
    }
}

#[test]
fn disorder_is_refused() {
    let mut segment = Builder::new("lane");
    assert_eq!(segment.push(&Document::plain(5, "a kayak")), Ok(()));
    assert_eq!(segment.push(&Document::plain(5, "a kayak")), Err(OutOfOrder));
    assert_eq!(segment.push(&Document::plain(4, "a kayak")), Err(OutOfOrder));
}

#[test]
fn large_lanes_of_which_only_candidates_are_scored_keep_both_properties() {
    let mut state = 7_u64;
    let mut next = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let all: Vec<Draft> = (0..20_700)
        .map(|_| Draft {
            words: (0..next(9)).map(|_| next(WORDS.len() as u64) as usize).collect(),
            author: next(5) as usize,
            conversation: next(4) as usize,
            hours: next(3_000) as i64,
            vectors: vec![(0..4).map(|_| next(2_000) as f32 / 1_000.0 - 1.0).collect()],
            lane: next(3) as usize,
        })
        .collect();
    let cut = 20_400;
    let (long, short) = (index(&all, |_, _| true), index(&all, |seq, _| seq <= cut));
    let several = (0..3).map(|lane| index(&all, |_, draft| draft.lane == lane)).fold(Blocks::default(), Blocks::and);
    for only in [false, true] {
        let expected = answers(&short.lanes(u64::MAX), 20, only);
        assert_eq!(answers(&long.lanes(cut), 20, only), expected);
        assert_eq!(bare(&answers(&several.lanes(cut), 20, only)), bare(&expected));
        assert!(expected.iter().filter(|hits| hits.len() == 20).count() > 15, "most questions have answers");
    }
}
