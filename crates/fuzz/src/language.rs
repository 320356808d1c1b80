//! What is read from plain words: statements, comparisons, times and names, and questions.

use std::sync::LazyLock;

use idetic_core::identity::Identity;
use idetic_core::words::{Persona, Status, Trust, Visibility};
use idetic_core::{Hash, SpaceId, SpaceName, Time, json, kind, tokens};
use idetic_extract::sameness::gist;
use idetic_extract::{
    STATEMENTS_MAX, holds_secret, is_doubtful, is_marked_private, normal_attribute, normal_subject, statements as read,
    without_secrets,
};
use idetic_search::fuzzy;
use idetic_search::{
    Block, Builder, Changes, Document, Filters, Lanes, Mode, Query, Segment, Weights, rank, vector_query_text,
};

use crate::text::first_line;

/// The moment at which questions are asked: a day of which every part can be named.
const NOW: Time = Time(1_700_000_000_000_000);
/// Hits that a question may have here.
const HITS: usize = 5;

/// Statements stand in the text they were read from, are told in words that say the same, and are few. The first line is
/// the name of whoever speaks.
pub fn statements(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let (speaker, text) = first_line(&text);
    let found = read(text, Some(speaker).filter(|name| !name.is_empty()));
    assert!(found.len() <= STATEMENTS_MAX);
    for statement in &found {
        let evidence = text.get(statement.span.clone());
        assert!(evidence.is_some_and(|evidence| !evidence.trim().is_empty()), "{statement:?}");
        assert!(!statement.text.is_empty(), "{statement:?}");
        let _ = (statement.is_over(), normal_attribute(&statement.attribute), normal_subject(&statement.subject));
    }
    assert_eq!(read(text, Some(speaker).filter(|name| !name.is_empty())), found);
    let hidden = without_secrets(text);
    assert_eq!(without_secrets(&hidden), hidden, "what was hidden stays hidden");
    let _ = (is_doubtful(text), holds_secret(text), is_marked_private(text));
    let meaning = gist(text);
    assert_eq!(meaning.key(), gist(text).key());
    let _ = (meaning.topic(), meaning.is_negated());
    let ratio = fuzzy::token_set_ratio(speaker, text);
    assert!((0.0..=100.0).contains(&ratio), "{ratio}");
    assert!((ratio - fuzzy::token_set_ratio(text, speaker)).abs() < 1e-9, "the order does not matter");
    assert!(tokens::estimate(text) <= text.len() + 1);
}

/// Times, names, words and numbers that are read are written and read as the same.
pub fn values(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let text = text.as_ref();
    if let Ok(time) = Time::parse(text) {
        assert_eq!(Time::parse(&time.to_string()), Ok(time));
        let _ = (time.day(), time.unix_millis(), time.months_earlier(7), time.millis_since(NOW));
    }
    let _ = Time::parse_or_age(text, NOW);
    if let Ok(space) = SpaceName::parse(text) {
        let [user, collection] = space.folders();
        for folder in [&user, &collection] {
            assert!(!folder.contains('/') && !folder.starts_with('.') && !folder.is_empty(), "{folder:?}");
        }
        assert_eq!(SpaceName::from_folders(&user, &collection), Some(space));
    }
    if let Some(id) = SpaceId::parse(text) {
        assert_eq!(SpaceId::parse(&id.to_string()), Some(id));
    }
    if let Ok(hash) = Hash::parse(text) {
        assert_eq!(Hash::parse(&hash.to_string()), Ok(hash));
    }
    if let Ok(known) = kind::parse(text) {
        assert_eq!(kind::parse(&known).as_deref(), Ok(known.as_ref()));
    }
    let _ = (Persona::parse(text), Trust::parse(text), Visibility::parse(text), Status::parse(text));
    let _ = (json::depth(text), json::string(text), Identity::parse(text, "ann"));
    if serde_json::from_str::<serde_json::Value>(text).is_ok() {
        assert!(json::same(text, &format!(" {text} ")), "blanks around it change nothing");
    }
}

/// A conversation that questions are asked about.
static BLOCK: LazyLock<Block> = LazyLock::new(|| {
    let said = [
        ("Ann", "I moved to Brno last Tuesday and I live at the river now."),
        ("Bob", "Did you find a job? My sister Clara works at the bakery."),
        ("Ann", "Not yet; on 3 May 2023 I begin at the library."),
        ("Bob", "We went hiking in the Tatra mountains two weeks ago."),
        ("Clara", "東京に住んでいます。明日は雨です。"),
        ("Ann", "The password of the printer hangs on the wall."),
    ];
    let mut builder = Builder::new("shared");
    for (number, (author, text)) in (1_u64..).zip(said) {
        let ts = Time(NOW.0 - i64::try_from(number).expect("small") * 86_400_000_000);
        let conversation = Some(if number % 2 == 0 { "one" } else { "two" });
        let document = Document { ts, author: Some(author), conversation, id: author, ..Document::plain(number, text) };
        builder.push(&document).expect("in order");
    }
    Block::new(&builder.finish())
});

/// Any question is answered: with finite scores, the best first, no more than was asked for.
pub fn question(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let changes = Changes::default();
    let segment = Segment::read(BLOCK.bytes()).expect("a segment that was written");
    let lanes = Lanes::new([(segment, &changes)], [], u64::MAX);
    let weights = Weights::default();
    let _ = vector_query_text(&lanes, &text, NOW, &weights);
    let query = Query { text: &text, now: NOW, mode: Mode::Lexical, k: HITS, filters: Filters::default(), weights };
    let hits = rank(&lanes, &query, None);
    assert!(hits.len() <= HITS);
    assert!(hits.iter().all(|hit| hit.score.is_finite() && hit.place < lanes.len()), "{hits:?}");
    assert!(hits.is_sorted_by(|one, next| one.score >= next.score), "{hits:?}");
}
