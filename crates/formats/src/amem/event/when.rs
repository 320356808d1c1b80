//! The time an event gives, however it is written, and what had to be assumed about it.

use idetic_core::Time;
use serde_json::value::RawValue;

use crate::json;

/// What was wrong or left out in a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flaw {
    Naive,
    DateOnly,
    Number,
    Unreadable,
    Missing,
}

impl Flaw {
    /// Its name in `metadata._amem.time`.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Naive => "naive",
            Self::DateOnly => "date",
            Self::Number => "number",
            Self::Unreadable => "unreadable",
            Self::Missing => "missing",
        }
    }

    /// What it means for the reader.
    pub(super) fn remark(self) -> &'static str {
        match self {
            Self::Naive => "the time has no zone: taken as UTC",
            Self::DateOnly => "the time is a date: taken as its midnight in UTC",
            Self::Number => "the time is a number: taken as seconds or milliseconds since 1970",
            Self::Unreadable => "the time cannot be read: the event has the time of its import",
            Self::Missing => "there is no time: the event has the time of its import",
        }
    }
}

/// The moment a value names, and what is to be said about it.
pub(super) fn read(value: Option<&RawValue>) -> (Option<Time>, Option<Flaw>) {
    let Some(value) = value else { return (None, Some(Flaw::Missing)) };
    match json::text(value) {
        Some(text) => match Time::parse(&text) {
            Ok(time) => (Some(time), flaw(&text)),
            Err(_) => (None, Some(Flaw::Unreadable)),
        },
        None => match number(value.get()) {
            Some(time) => (Some(time), Some(Flaw::Number)),
            None => (None, Some(Flaw::Unreadable)),
        },
    }
}

/// What is left open by a text that is a time.
pub(super) fn flaw(text: &str) -> Option<Flaw> {
    let text = text.trim();
    match text.get(10..) {
        None | Some("") => Some(Flaw::DateOnly),
        Some(rest) if rest.ends_with(['Z', 'z']) || rest.contains(['+', '-', '[']) => None,
        Some(_) => Some(Flaw::Naive),
    }
}

/// Seconds or milliseconds since 1970, told apart by their size: years 2001 to 2286 either way.
fn number(json: &str) -> Option<Time> {
    let number: f64 = json.parse().ok()?;
    let micros = match number {
        n if (1e9..1e10).contains(&n) => n * 1e6,
        n if (1e12..1e13).contains(&n) => n * 1e3,
        _ => return None,
    };
    #[expect(clippy::cast_possible_truncation, reason = "bounded just above")]
    Some(Time(micros.round() as i64))
}
