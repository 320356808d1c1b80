//! Bytes that nobody should send as an OpenTelemetry trace: refused or counted, never a panic, and the good spans are kept.

use std::collections::BTreeSet;

use idetic_otlp::{
    ATTRIBUTES_MAX, MESSAGES_MAX, SPANS_MAX, TEXT_MAX_BYTES, VALUE_MAX_DEPTH, VALUE_MAX_ITEMS, events, read_json,
    read_protobuf,
};
use serde_json::{Value, json};

use super::mapping::{data, export, taken};

/// How many broken versions of each file are tried.
const ROUNDS: u64 = 4000;

/// Numbers that look random and are the same each time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }

    fn broken(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut bytes = bytes.to_vec();
        for _ in 0..=self.below(4) {
            let at = self.below(bytes.len());
            match self.below(4) {
                0 => bytes[at] = self.below(256) as u8,
                1 => bytes[at] ^= 1 << self.below(8),
                2 => drop(bytes.drain(at..(at + self.below(40)).min(bytes.len()))),
                _ => bytes.truncate(at + 1),
            }
            if bytes.is_empty() {
                break;
            }
        }
        bytes
    }
}

#[test]
fn broken_bytes_are_refused_or_counted_and_never_panic() {
    let mut dice = Dice(0x1de7_1c00_0721);
    let (mut refused, mut read) = (0, 0);
    for name in ["shapes.json", "shapes.pb", "openai-agent.pb"] {
        let whole = data(name);
        for _ in 0..ROUNDS {
            let bytes = dice.broken(&whole);
            for export in [read_json(&bytes), read_protobuf(&bytes)] {
                match export {
                    Ok(export) => {
                        read += 1;
                        let taken = events(&export);
                        let ids: BTreeSet<_> = taken.events.iter().map(|event| &event.id).collect();
                        assert_eq!(ids.len(), taken.events.len());
                        assert_eq!(taken.rejected > 0, !taken.message.is_empty());
                    }
                    Err(invalid) => {
                        refused += 1;
                        assert!(invalid.message.starts_with("not an OTLP export") && !invalid.hint.is_empty());
                    }
                }
            }
        }
    }
    assert!(refused > 1000 && read > 1000, "both ways were tried: {refused} refused, {read} read");
}

#[test]
fn an_export_that_was_cut_off_is_refused() {
    let whole = data("openai-agent.pb");
    assert!((1..whole.len()).all(|end| read_protobuf(&whole[..end]).is_err()));
    let whole = data("shapes.json");
    assert!((0..whole.len()).step_by(97).all(|end| read_json(&whole[..end]).is_err()));
    assert!(read_protobuf(b"").is_ok_and(|export| export.ignored == 0), "an empty export is an export");
    assert!(read_json(b"{}").is_ok());
    for bad in [&b""[..], b"[]", b"null", b"{\"resourceSpans\":{}}", b"\xff", b"{\"resourceSpans\":[1]}"] {
        assert!(read_json(bad).is_err(), "{bad:?}");
    }
}

/// A GenAI span with one more attribute.
fn with(key: &str, value: Value) -> Value {
    json!({"attributes": [{"key": "gen_ai.operation.name", "value": {"stringValue": "chat"}}, {"key": key, "value": value}]})
}

fn nested(depth: usize) -> Value {
    (1..depth).fold(json!({"intValue": 1}), |inner, level| {
        if level % 2 == 0 {
            json!({"arrayValue": {"values": [inner]}})
        } else {
            json!({"kvlistValue": {"values": [{"key": "k", "value": inner}]}})
        }
    })
}

#[test]
fn what_is_above_a_limit_is_rejected_and_its_neighbours_are_not() {
    let many = |count: usize| json!({"arrayValue": {"values": vec![json!({"intValue": "1"}); count]}});
    let text = |size: usize| json!({"stringValue": "x".repeat(size)});
    let messages =
        |count: usize| json!({"stringValue": json!(vec![json!({"role": "user", "content": "x"}); count]).to_string()});
    let attribute = json!({"key": "gen_ai.x", "value": {"intValue": 1}});
    for (fits, too_much, why) in [
        (with("x", nested(VALUE_MAX_DEPTH)), with("x", nested(VALUE_MAX_DEPTH + 1)), "deep"),
        (with("x", many(VALUE_MAX_ITEMS)), with("x", many(VALUE_MAX_ITEMS + 1)), "entries in a list"),
        (with("x", text(TEXT_MAX_BYTES)), with("x", text(TEXT_MAX_BYTES + 1)), "bytes long"),
        (
            with("gen_ai.input.messages", messages(MESSAGES_MAX)),
            with("gen_ai.input.messages", messages(MESSAGES_MAX + 1)),
            "messages in a span",
        ),
        (
            json!({"attributes": vec![attribute.clone(); ATTRIBUTES_MAX]}),
            json!({"attributes": vec![attribute; ATTRIBUTES_MAX + 1]}),
            "attributes in one place",
        ),
    ] {
        assert_eq!(taken(&export(std::slice::from_ref(&fits))).rejected, 0, "{why}");
        let taken = taken(&export(&[too_much, fits]));
        assert_eq!(taken.rejected, 1, "{why}");
        assert!(taken.message.contains(why), "{}", taken.message);
        assert!(!taken.events.is_empty());
    }
}

#[test]
fn more_spans_than_fit_are_counted() {
    let taken = taken(&export(&vec![with("x", json!({"intValue": 1})); SPANS_MAX + 3]));
    assert_eq!((taken.rejected, taken.events.len()), (3, SPANS_MAX));
}

#[test]
fn nesting_without_end_is_a_span_rejected() {
    let levels = 200_000;
    let open = r#"{"arrayValue":{"values":["#.repeat(levels);
    let value = format!("{open}{}", "]}}".repeat(levels));
    let span = with("x", json!("HERE")).to_string().replace("\"HERE\"", &value);
    let whole = format!(r#"{{"resourceSpans":[{{"scopeSpans":[{{"spans":[{span}]}}]}}]}}"#);
    let export = read_json(whole.as_bytes()).expect("an export");
    assert_eq!(export.rejected, 1);

    // The same in protobuf: each value wraps the one before as the only entry of a list.
    let wrapped = |tag: u8, inner: &[u8]| {
        let mut length = inner.len();
        let mut out = vec![tag << 3 | 2];
        while length > 0x7f {
            out.push((length & 0x7f) as u8 | 0x80);
            length >>= 7;
        }
        out.push(length as u8);
        out.extend_from_slice(inner);
        out
    };
    let value = (0..2000).fold(vec![0x18, 1], |inner, _| wrapped(5, &wrapped(1, &inner)));
    let attribute = [wrapped(1, b"gen_ai.x"), wrapped(2, &value)].concat();
    let whole = [9, 2, 2, 1].iter().fold(attribute, |inner, tag| wrapped(*tag, &inner));
    let export = read_protobuf(&whole).expect("an export");
    assert_eq!(export.rejected, 1);
    assert!(events(&export).message.contains("deep"));
}

#[test]
fn a_span_without_its_ids_is_rejected_alone() {
    for (key, bad) in [
        ("traceId", json!("")),
        ("traceId", json!("0".repeat(32))),
        ("traceId", json!("CvdlGRbNQ92ESOshHIAxnA==")),
        ("spanId", json!("12")),
        ("spanId", json!(7)),
        ("parentSpanId", json!("zz")),
        ("startTimeUnixNano", json!("yesterday")),
        ("attributes", json!({})),
    ] {
        let good = with("x", json!({"intValue": 1}));
        let mut broken = good.clone();
        broken[key] = bad.clone();
        let taken = taken(&export(&[broken, good]));
        assert_eq!((taken.rejected, taken.events.len()), (1, 1), "{key} {bad}");
    }
}
