//! The headings of a changelog: those of events, those that only look like one, and those of sections.

use idetic_core::{Time, kind};

/// The highest number an event may have: there must always be a next one.
const NUMBER_MAX: u64 = 999_999_999;

/// What a heading of an event says.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Numbered<'a> {
    pub(super) id: &'a str,
    pub(super) number: u64,
    pub(super) time: Time,
    pub(super) only_day: bool,
    pub(super) agent: &'a str,
    pub(super) kind: String,
    pub(super) parts_too_many: bool,
}

/// A heading that means an event and is not written as one.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Wrong {
    pub(super) number: Option<u64>,
    pub(super) reason: String,
}

pub(super) const FORMAT: &str = "write it as: ### evt-NNN | YYYY-MM-DD HH:MM | agent-name | type";
pub(super) const DATED_FORMAT: &str = "write it as: ## YYYY-MM-DD HH:MM — Title";

/// What a heading is to the log.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Heading<'a> {
    Event(Numbered<'a>),
    Wrong(Wrong),
    /// A date and a title: an event of generation one when what stands below says so.
    Dated {
        when: Result<(Time, bool), String>,
        title: &'a str,
    },
    Archive {
        first: Option<u64>,
        last: Option<u64>,
    },
    /// The section of events.
    Events,
    /// The section that shows how events are written.
    Format,
    Other,
}

pub(super) fn classify<'a>(level: usize, title: &'a str) -> Heading<'a> {
    if looks_like_event(title) {
        return match numbered(level, title) {
            Ok(event) => Heading::Event(event),
            Err(wrong) => Heading::Wrong(wrong),
        };
    }
    if level != 2 {
        return Heading::Other;
    }
    if let Some((when, title)) = dated(title) {
        return Heading::Dated { when, title };
    }
    let lower = title.trim_end_matches(':').trim_matches(['*', '_', '`', ' ']).to_lowercase();
    match lower.as_str() {
        "event log" | "events" => Heading::Events,
        "event format" | "events format" | "event log format" | "format" => Heading::Format,
        _ if lower.starts_with("archive:") || lower.starts_with("archived:") => {
            let mut numbers = event_numbers(title);
            let first = numbers.next();
            Heading::Archive { first, last: numbers.next().or(first) }
        }
        _ => Heading::Other,
    }
}

/// Whether a text begins with `evt-`, in any case.
pub(super) fn starts_with_evt(text: &str) -> bool {
    text.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("evt-"))
}

/// Every number behind an `evt-` in a text.
pub(crate) fn event_numbers(text: &str) -> impl Iterator<Item = u64> + '_ {
    mentions(text).map(|(_, _, number)| number)
}

/// Every `evt-N` in a text: where it begins, where it ends, its number.
pub(crate) fn mentions(text: &str) -> impl Iterator<Item = (usize, usize, u64)> + '_ {
    let mut from = 0;
    std::iter::from_fn(move || {
        loop {
            let at = from + text.as_bytes().get(from..)?.windows(4).position(|w| w.eq_ignore_ascii_case(b"evt-"))?;
            let count = text.as_bytes()[at + 4..].iter().take_while(|b| b.is_ascii_digit()).count();
            from = at + 4 + count;
            let is_word = at > 0 && text.as_bytes()[at - 1].is_ascii_alphanumeric();
            if let (false, Some(number)) = (is_word, digits(&text[at + 4..from])) {
                return Some((at, from, number));
            }
        }
    })
}

/// `evt` with a number or with bars, or a date with bars: somebody meant an event.
fn looks_like_event(title: &str) -> bool {
    let bars = title.matches('|').count();
    match title.get(..3) {
        Some(start) if start.eq_ignore_ascii_case("evt") => {
            let rest = title[3..].trim_start_matches(['-', '_', ' ', '#']);
            let is_word = rest.len() == title.len() - 3 && !rest.starts_with(|c: char| c.is_ascii_digit() || c == '|');
            !is_word && (bars > 0 || rest.starts_with(|c: char| c.is_ascii_digit()))
        }
        _ => bars >= 2 && is_day(title),
    }
}

fn numbered<'a>(level: usize, title: &'a str) -> Result<Numbered<'a>, Wrong> {
    let parts: Vec<&str> = title.split('|').map(str::trim).collect();
    let id = parts[0];
    let number = if starts_with_evt(id) { digits(&id[4..]) } else { None };
    let wrong = |reason: String| Wrong { number, reason };
    let Some(number) = number else {
        let claimed = event_numbers(title).next();
        return Err(Wrong { number: claimed, reason: format!("'{id}' is not the id of an event: evt- and a number") });
    };
    if level != 3 {
        return Err(wrong(format!("the heading of an event has three #, not {level}")));
    }
    let [_, when, agent, word, ..] = parts[..] else {
        let missing = ["date", "agent", "type"].get(parts.len() - 1..).unwrap_or_default().join(", ");
        return Err(wrong(format!("the heading has no {missing}")));
    };
    let (time, only_day) = moment(when).ok_or_else(|| wrong(format!("'{when}' is not a date")))?;
    if agent.is_empty() {
        return Err(wrong("the heading has no agent".to_owned()));
    }
    let word = word.trim_matches(['`', '*', '_', '[', ']']).to_lowercase();
    if word.is_empty() || word.contains(char::is_whitespace) {
        return Err(wrong(format!("'{word}' is not a type")));
    }
    let parts_too_many = parts.len() > 4;
    Ok(Numbered { id, number, time, only_day, agent, kind: word, parts_too_many })
}

pub(super) fn digits(text: &str) -> Option<u64> {
    let is_number = text.bytes().all(|b| b.is_ascii_digit());
    text.parse().ok().filter(|number| is_number && *number <= NUMBER_MAX)
}

/// Whether a text begins with something in the shape of a day.
fn is_day(text: &str) -> bool {
    let shape = |(at, byte): (usize, u8)| if at == 4 || at == 7 { byte == b'-' } else { byte.is_ascii_digit() };
    text.len() >= 10 && text.bytes().take(10).enumerate().all(shape)
}

/// A day, or a day and a time of day.
pub(crate) fn moment(text: &str) -> Option<(Time, bool)> {
    let text = text.trim();
    let text = text.strip_suffix("UTC").map_or(text, str::trim_end);
    if !is_day(text) {
        return None;
    }
    Some((Time::parse(text).ok()?, text.len() == 10))
}

/// The moment, or what is in its place, and the title of `2026-02-23 02:00 — Title`.
type Dated<'a> = (Result<(Time, bool), String>, &'a str);

fn dated(title: &str) -> Option<Dated<'_>> {
    if !is_day(title) {
        return None;
    }
    let rest = title[10..].trim_start_matches(['T', ' ', '\t']);
    let is_clock = |b: &u8| b.is_ascii_digit() || matches!(b, b':' | b'.' | b'Z' | b'+');
    let clock = rest.bytes().take_while(|b| is_clock(b)).count();
    let has_clock = rest.starts_with(|c: char| c.is_ascii_digit());
    let (clock, rest) = if has_clock { rest.split_at(clock) } else { ("", rest) };
    let rest = rest.trim_start();
    let rest = rest.strip_prefix("UTC").map_or(rest, str::trim_start);
    let title_text = match rest.strip_prefix(['—', '–', '-', ':', '|']) {
        Some(text) => text.trim_start_matches(['—', '–', '-']).trim(),
        None if rest.is_empty() => "",
        None => return None,
    };
    let when = format!("{} {clock}", &title[..10]);
    let when = moment(&when).ok_or_else(|| when.trim().to_owned());
    Some((when, title_text))
}

/// Whether a type is one of the published ones.
pub(super) fn is_known(word: &str) -> bool {
    kind::CHANGELOG_KINDS.contains(&word)
}
