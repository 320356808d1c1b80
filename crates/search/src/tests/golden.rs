//! The reference's answers, to the last digits: tokens, dates, rewriting, every part of every score, and the order.

use serde_json::Value;

use super::super::dates::{self, Interval};
use super::super::rewrite::rewrite;
use super::super::words::{fold, question_share, tokens};
use super::Indexed;
use crate::{Document, Filters, Hit, Lanes, Mode, Query, Weights, rank, vector_query_text};
use idetic_core::Time;

/// How far a number may lie from the reference's.
const TOLERANCE: f64 = 1e-6;

/// The weights the reference was run with.
fn reference_weights() -> Weights {
    Weights { neighbour_meaning: 0.15, recency_asked: 1.0, ..Weights::default() }
}

fn golden() -> Value {
    serde_json::from_str(include_str!("golden.json")).expect("golden.json is JSON")
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn vector(value: &Value) -> Vec<f32> {
    list(value).iter().map(|x| x.as_f64().expect("a number") as f32).collect()
}

fn seconds(intervals: &[Interval]) -> Vec<Vec<f64>> {
    intervals.iter().map(|i| vec![i.start.0 as f64 / 1e6, i.end.0 as f64 / 1e6]).collect()
}

fn pairs(value: &Value) -> Vec<Vec<f64>> {
    list(value).iter().map(|pair| list(pair).iter().map(|x| x.as_f64().expect("a number")).collect()).collect()
}

fn lane_of(lane: &Value) -> Indexed {
    let mut indexed = Indexed::new(8);
    for event in list(&lane["events"]) {
        let document = Document {
            ts: Time::parse(text(&event["ts"])).expect("a time"),
            author: event["author"].as_str(),
            conversation: event["conversation_id"].as_str(),
            ..Document::plain(event["seq"].as_u64().expect("a seq"), text(&event["content"]))
        };
        indexed.push(&document, &list(&event["vectors"]).iter().map(vector).collect::<Vec<_>>());
    }
    indexed
}

fn close(what: &str, ours: f64, reference: &Value) {
    let reference = reference.as_f64().expect("a number");
    assert!((ours - reference).abs() < TOLERANCE, "{what}: {ours} instead of {reference}");
}

#[test]
fn texts_have_the_reference_tokens_and_share_of_questions() {
    for lane in list(&golden()["lanes"]) {
        for event in list(&lane["events"]) {
            let content = text(&event["content"]);
            // The reference keeps accents; we fold them.
            let reference: Vec<String> = list(&event["tokens"]).iter().map(|token| fold(text(token))).collect();
            assert_eq!(tokens(content), reference, "{content}");
            close(content, question_share(content), &event["question"]);
        }
    }
}

#[test]
fn dates_are_the_reference_dates() {
    for case in list(&golden()["date_cases"]) {
        let found = dates::read(text(&case["query"]), Time::parse(text(&case["now"])).expect("a time"));
        assert_eq!(seconds(&found.absolute), pairs(&case["absolute"]), "{case}");
        assert_eq!(seconds(&found.relative), pairs(&case["relative"]), "{case}");
        assert_eq!(found.rest, text(&case["rest"]));
    }
}

#[test]
fn rankings_are_the_reference_rankings_in_every_part() {
    let mut compared = 0;
    for lane in list(&golden()["lanes"]) {
        let blocks = lane_of(lane).blocks();
        for case in list(&lane["queries"]) {
            let lanes = blocks.lanes(case["as_of"].as_u64().unwrap_or(u64::MAX));
            let asked = case["at"].as_str().map(|at| Time::parse(at).expect("a time"));
            let now = asked.or(lanes.last().map(|(_, time)| time)).expect("documents");
            check_rewriting(&lanes, case, now);
            for (name, mode) in [("hybrid", Mode::Hybrid), ("lexical", Mode::Lexical), ("vector", Mode::Vector)] {
                let query = Query {
                    text: text(&case["query"]),
                    now,
                    mode,
                    k: 50,
                    filters: Filters::default(),
                    weights: reference_weights(),
                };
                let hits = rank(&lanes, &query, Some(&vector(&case["query_vector"])));
                check_hits(&hits, &case["modes"][name], &format!("{} {name}", query.text));
                compared += hits.len();
            }
        }
    }
    assert!(compared > 1000, "only {compared} hits compared");
}

fn check_rewriting(lanes: &Lanes<'_>, case: &Value, now: Time) {
    let question = text(&case["query"]);
    let ours = rewrite(question, lanes.names(), now);
    assert_eq!(ours.lexical, text(&case["rewritten_lexical"]));
    assert_eq!(ours.vector, text(&case["rewritten_vector"]));
    assert_eq!(ours.vector, vector_query_text(lanes, question, now, &reference_weights()));
    assert_eq!(ours.names, list(&case["names"]).iter().map(text).collect::<Vec<_>>());
    assert_eq!(Some(ours.wants_list), case["list"].as_bool(), "{question}");
    assert_eq!(seconds(&ours.absolute), pairs(&case["absolute"]));
    assert_eq!(seconds(&ours.relative), pairs(&case["relative"]));
}

fn check_hits(hits: &[Hit], reference: &Value, what: &str) {
    let ours: Vec<u64> = hits.iter().map(|hit| hit.seq).collect();
    assert_eq!(ours, list(&reference["ranking"]).iter().filter_map(Value::as_u64).collect::<Vec<_>>(), "{what}");
    for hit in hits {
        let at = hit.place;
        close(what, hit.score, &reference["score"][at]);
        let together: f64 = hit.parts.contributions(&reference_weights()).iter().map(|(_, value)| value).sum();
        assert!((together - hit.score).abs() < TOLERANCE, "{what}: the parts do not add up");
        if reference["lex"].is_null() {
            continue;
        }
        for (name, value) in [
            ("lex", hit.parts.lexical),
            ("cos", hit.parts.cosine.expect("a cosine")),
            ("vec", hit.parts.vector),
            ("author", hit.parts.author),
            ("question", hit.parts.question),
            ("recency", hit.parts.recency),
            ("base", hit.parts.base),
            ("conv", hit.parts.conversation),
            ("date", hit.parts.date),
        ] {
            close(&format!("{what} {name}"), value, &reference[name][at]);
        }
    }
}
