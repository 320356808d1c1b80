//! The Details of a changelog event: texts and lists of texts by key, in the order given, and the names that stand in them.

use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value as Json;

use super::words::key;
use crate::{Fields, limits};

/// What stands where nothing is meant.
const NOTHING: [&str; 7] = ["none", "(none)", "n/a", "null", "-", "—", "–"];

/// Details with their keys in one spelling.
#[derive(Default)]
pub struct Details {
    said: Vec<(String, Vec<String>)>,
    /// The number of the event in a CHANGELOG.md.
    pub number: Option<i64>,
    /// What it is known by there, whatever its number.
    pub identity: Option<String>,
    /// Whether it stands there.
    pub stands: bool,
    /// Whether a graph that was taken over shows already what it says.
    pub reflected: bool,
    /// Whether it is written in the layout of specification 003.
    pub is_first_layout: bool,
    /// What its text links to, as `[[name]]`.
    pub links: Vec<String>,
    /// How these hang together, where the text says so: from, relation, to.
    pub ties: Vec<(String, String, String)>,
}

impl Details {
    pub fn of(fields: &Fields) -> Self {
        let Some(metadata) = &fields.metadata else { return Self::default() };
        let Ok(Ordered(entries)) = serde_json::from_str(metadata.get()) else { return Self::default() };
        let mut details = Self::default();
        for (name, value) in entries {
            if name == "_md" {
                details.stands = true;
                details.number = value["number"].as_i64();
                details.reflected = value["reflected"] == true;
                details.is_first_layout = value["generation"] == 1;
                details.links = serde_json::from_value(value["links"].clone()).unwrap_or_default();
                details.ties = serde_json::from_value(value["ties"].clone()).unwrap_or_default();
                details.identity = value["identity"].as_str().map(str::to_owned);
            } else if !name.starts_with('_') {
                let texts: Vec<String> = match value {
                    Json::Array(items) => items.iter().filter_map(text).collect(),
                    value => text(&value).into_iter().collect(),
                };
                if !texts.is_empty() {
                    details.said.push((key(&name), texts));
                }
            }
        }
        details
    }

    /// Every key with what it says, as one line.
    pub fn lines(&self) -> impl Iterator<Item = (&str, String)> {
        self.said.iter().map(|(key, values)| (key.as_str(), line(&values.join(", "))))
    }

    /// What the first of some keys says, as one line.
    pub fn text(&self, keys: &[&str]) -> Option<String> {
        keys.iter().find_map(|key| Some(line(&self.values(key)?.join(", "))).filter(|text| !text.is_empty()))
    }

    /// The names under the first of some keys that has any.
    pub fn names(&self, keys: &[&str]) -> Vec<String> {
        let of_key = |key: &&str| Some(self.values(key)?.iter().flat_map(|value| names(value)).collect());
        let found: Vec<String> =
            keys.iter().filter_map(of_key).find(|names: &Vec<_>| !names.is_empty()).unwrap_or_default();
        without_repeats(found)
    }

    /// The one name under the first of some keys that has one: commas are part of it.
    pub fn name(&self, keys: &[&str]) -> Option<String> {
        keys.iter().find_map(|key| name(self.values(key)?.first()?))
    }

    fn values(&self, key: &str) -> Option<&[String]> {
        self.said.iter().find(|(own, _)| own == key).map(|(_, values)| values.as_slice())
    }
}

/// The names in a text, at commas that stand in no brackets.
pub fn names(text: &str) -> Vec<String> {
    let mut depth = 0_usize;
    let parts = text.split(|c: char| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    });
    without_repeats(parts.filter_map(name).collect())
}

fn without_repeats(names: Vec<String>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for name in names {
        if kept.len() < limits::GRAPH_NAMES_MAX_AT_ONCE && !kept.contains(&name) {
            kept.push(name);
        }
    }
    kept
}

/// A name without the marks that Markdown puts around it.
fn name(text: &str) -> Option<String> {
    let text = line(text);
    let bare = text.trim_matches(['*', '`', '"', '\'', ' ']);
    let bare = bare.strip_prefix("[[").and_then(|inner| inner.strip_suffix("]]")).unwrap_or(bare).trim();
    let is_name = !bare.is_empty()
        && !NOTHING.iter().any(|nothing| bare.eq_ignore_ascii_case(nothing))
        && bare.chars().nth(limits::GRAPH_NAME_MAX_CHARS).is_none();
    is_name.then(|| bare.to_owned())
}

/// A text on one line: runs of spaces and what cannot be printed become one space.
pub fn line(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

/// A name made of the first words of a text.
pub fn slug(text: &str) -> String {
    const WORDS: usize = 6;
    const CHARS: usize = 48;
    let lower = text.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).take(WORDS);
    let joined = words.collect::<Vec<_>>().join("-");
    joined.chars().take(CHARS).collect::<String>().trim_end_matches('-').to_owned()
}

fn text(value: &Json) -> Option<String> {
    match value {
        Json::String(text) => Some(text.clone()).filter(|text| !text.trim().is_empty()),
        Json::Number(number) => Some(number.to_string()),
        Json::Bool(truth) => Some(truth.to_string()),
        _ => None,
    }
}

/// The entries of an object in the order given.
struct Ordered(Vec<(String, Json)>);

impl<'de> Deserialize<'de> for Ordered {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Collect;
        impl<'de> Visitor<'de> for Collect {
            type Value = Ordered;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Ordered, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Ordered(entries))
            }
        }
        deserializer.deserialize_map(Collect)
    }
}
