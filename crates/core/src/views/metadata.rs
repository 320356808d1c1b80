//! What metadata says, value by value, so that events can be filtered by it.

use std::collections::BTreeMap;

use serde_json::Value as Json;
use serde_json::value::RawValue;

use super::documents::{RECALLED, REGRADED, RETIRES};
use super::expiry::KEPT_UNTIL;
use super::schema::{Change, Live, Shape, Table, View};
use super::timeline::{PURGED, QUARANTINED, RELEASED};
use crate::{Event, limits};

/// Every value in the metadata of each event: where it stands, and the value in a form that sorts.
pub static METADATA: Table =
    Table { name: "metadata_values", shape: Shape::Set, columns: &["path", "value"], indexes: &[], places: &[] };

pub const VIEW: View = View { name: "metadata", version: 1, tables: &[&METADATA], apart: None, fold };

/// What the path of a list's elements ends with.
const ELEMENT: &str = "[]";

/// The path of the elements of a list.
pub fn element_path(path: &str) -> String {
    format!("{path}{ELEMENT}")
}

/// A value as text: equal values have equal texts, and numbers and texts each sort as they compare. The first letter tells
/// the types apart; lists, objects and long texts are compared whole, by their hash.
pub fn sortable(value: &Json) -> String {
    match value {
        Json::Null => "z".to_owned(),
        Json::Bool(is_true) => format!("b{}", u8::from(*is_true)),
        Json::Number(number) => sortable_number(number),
        Json::String(text) if text.len() <= limits::FILTER_TEXT_MAX_BYTES => format!("s{text}"),
        Json::String(_) => format!("t{}", hash(value)),
        Json::Array(_) => format!("a{}", hash(value)),
        Json::Object(_) => format!("o{}", hash(value)),
    }
}

/// The bits of a floating-point number, turned so that they sort as the numbers do. Of whole numbers that have no such number
/// of their own the digits follow, so that two of them are never taken for one.
fn sortable_number(number: &serde_json::Number) -> String {
    let nearest = number.as_f64().unwrap_or_default() + 0.0;
    let bits = nearest.to_bits();
    let turned = if bits >> 63 == 1 { !bits } else { bits | 1 << 63 };
    if nearest.abs() < EXACT_MAX {
        return format!("n{turned:016x}");
    }
    let whole = if number.is_i64() || number.is_u64() { number.to_string() } else { format!("{nearest:.0}") };
    let digits = format!("{:0>20}", whole.trim_start_matches('-'));
    // Of negative numbers the one with the larger digits is the smaller.
    let turn = |digit: char| char::from(b'9' - (digit as u8 - b'0'));
    let exact = if nearest < 0.0 { digits.chars().map(turn).collect() } else { digits };
    format!("n{turned:016x}:{exact}")
}

/// Up to here every whole number is a floating-point number, too.
const EXACT_MAX: f64 = 9_007_199_254_740_992.0;

fn hash(value: &Json) -> String {
    let mut hasher = blake3::Hasher::new();
    update(&mut hasher, value);
    hasher.finalize().to_hex().to_string()
}

fn update(hasher: &mut blake3::Hasher, value: &Json) {
    let text = |hasher: &mut blake3::Hasher, text: &str| {
        hasher.update(&(text.len() as u64).to_le_bytes()).update(text.as_bytes());
    };
    match value {
        Json::Array(list) => {
            hasher.update(b"a").update(&(list.len() as u64).to_le_bytes());
            list.iter().for_each(|element| update(hasher, element));
        }
        Json::Object(entries) => {
            hasher.update(b"o").update(&(entries.len() as u64).to_le_bytes());
            for (key, value) in entries {
                text(hasher, key);
                update(hasher, value);
            }
        }
        Json::String(said) => {
            hasher.update(b"s");
            text(hasher, said);
        }
        other => text(hasher, &sortable(other)),
    }
}

/// Kinds whose metadata is a list of other events, which nobody filters by.
const OF_OTHERS: [&str; 7] = [KEPT_UNTIL, RECALLED, REGRADED, RETIRES, PURGED, QUARANTINED, RELEASED];

fn fold(event: &Event, _: Live) -> Vec<Change> {
    if OF_OTHERS.contains(&event.header.kind.as_str()) {
        return Vec::new();
    }
    let Some(metadata) = event.fields.as_ref().and_then(|fields| fields.metadata.as_ref()) else { return Vec::new() };
    let mut found = Rows::default();
    // One by one: a number that is no number here, such as 1e400, hides nothing else.
    let entries: BTreeMap<String, &RawValue> = serde_json::from_str(metadata.get()).unwrap_or_default();
    for (key, value) in entries {
        if let Ok(value) = serde_json::from_str(value.get()) {
            found.collect(&key, &value);
        }
    }
    let mut rows = found.rows;
    // A key with a dot in it may name the same place as an object's entry.
    rows.sort_unstable();
    rows.dedup();
    rows.into_iter()
        .map(|(path, value)| Change::Insert(&METADATA, vec![path.as_str().into(), value.as_str().into()]))
        .collect()
}

/// The values of one event, up to the limits: what is said with few words must not take much room.
#[derive(Default)]
struct Rows {
    rows: Vec<(String, String)>,
    bytes: usize,
}

impl Rows {
    fn add(&mut self, path: &str, value: &Json) -> bool {
        let value = sortable(value);
        let bytes = self.bytes + path.len() + value.len();
        let fits = self.rows.len() < limits::FILTER_VALUES_MAX
            && bytes <= limits::FILTER_VALUES_MAX_BYTES
            && path.len() <= limits::FILTER_PATH_MAX_BYTES;
        if fits {
            self.bytes = bytes;
            self.rows.push((path.to_owned(), value));
        }
        fits
    }

    /// Every value below a place; of what stands in a list only the elements themselves can be asked for.
    fn collect(&mut self, path: &str, value: &Json) {
        if !self.add(path, value) {
            return;
        }
        match value {
            Json::Array(list) => {
                let path = element_path(path);
                let _ = list.iter().all(|element| self.add(&path, element));
            }
            Json::Object(entries) => {
                entries.iter().for_each(|(key, value)| self.collect(&format!("{path}.{key}"), value));
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_and_texts_sort_as_they_compare() {
        let numbers = [-1e300, -7.5, -7.0, -0.5, 0.0, 1e-9, 0.5, 1.0, 2.0, 10.0, 1e18, 1e300];
        let sorted: Vec<String> = numbers.iter().map(|number| sortable(&json!(number))).collect();
        assert!(sorted.is_sorted_by(|a, b| a < b), "{sorted:?}");
        let large =
            [-9_007_199_254_740_994, -9_007_199_254_740_993, -9_007_199_254_740_992_i64, 0, 9_007_199_254_740_993];
        let sorted: Vec<String> = large.iter().map(|number| sortable(&json!(number))).collect();
        assert!(sorted.is_sorted_by(|a, b| a < b), "{sorted:?}");
        assert!(sortable(&json!("Ann")) < sortable(&json!("Bob")));
    }

    #[test]
    fn equal_values_are_equal_texts_and_others_are_not() {
        let same = [(json!(1), json!(1.0)), (json!(0), json!(-0.0)), (json!([1, "a"]), json!([1.0, "a"]))];
        for (a, b) in same {
            assert_eq!(sortable(&a), sortable(&b));
        }
        let different = [
            json!(null),
            json!(true),
            json!(1),
            json!("1"),
            json!("true"),
            json!(["1"]),
            json!([1]),
            json!({"1": 1}),
            json!(9_007_199_254_740_993_u64),
            json!(9_007_199_254_740_992_u64),
            json!(-9_007_199_254_740_993_i64),
            json!("x".repeat(5000)),
            json!(["ab", "c"]),
            json!(["a", "bc"]),
        ];
        for (at, a) in different.iter().enumerate() {
            assert!(different[at + 1..].iter().all(|b| sortable(a) != sortable(b)), "{a}");
        }
    }
}
