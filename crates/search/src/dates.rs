//! Times named in a question, as intervals: dates ("on 8 May 2023", "between June and August") and times relative to
//! the moment of asking ("two weeks ago", "last spring"). Everything is in UTC.

mod absolute;
mod calendar;
mod relative;
#[cfg(test)]
mod tests;

use self::absolute::Date;
use self::calendar::{DAY, Unit, shift_back};
use super::scan::Scan;
use super::words::close_gaps;
use idetic_core::Time;

/// How far "before", "until" and "after" a date reach, in days: people say them of the weeks around it.
const AROUND_DAYS: i64 = 30;

/// Most times that one question names; each is held against every document, and what is beyond is read as words.
const DATES_MAX: usize = 64;

/// Words between two dates that make them the ends of one interval.
const RANGE_WORDS: [&str; 6] = ["and", "to", "-", "–", "until", "through"];

/// Words right before a date that move the interval away from it.
const SHIFTING_WORDS: [&str; 6] = ["before", "after", "prior to", "since", "until", "by"];

/// Words that lead to a date and mean nothing once it is cut out.
const LEADING_WORDS: [&str; 6] = ["on", "in", "during", "of", "by", "since"];

/// A stretch of time; the end is not part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interval {
    /// The first moment.
    pub start: Time,
    /// The first moment after it.
    pub end: Time,
}

/// The times a question names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Dates {
    /// Dates of the calendar.
    pub absolute: Vec<Interval>,
    /// Times relative to the moment of asking; only looked for when there is no date of the calendar.
    pub relative: Vec<Interval>,
    /// The question without its dates of the calendar.
    pub rest: String,
}

/// Finds the times a question names, asked at `now`.
pub fn read(question: &str, now: Time) -> Dates {
    let scan = Scan::new(question);
    let dates = absolute::find(&scan, now);
    if dates.is_empty() {
        return Dates { absolute: Vec::new(), relative: relative::find(&scan, now), rest: close_gaps(question) };
    }
    let rest = without(&scan, &dates);
    Dates { absolute: intervals(&scan, &dates, now), relative: Vec::new(), rest }
}

/// The intervals meant by dates and the words around them.
fn intervals(scan: &Scan, dates: &[Date], now: Time) -> Vec<Interval> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(date) = dates.get(at) {
        at += 1;
        if let Some(last) = dates.get(at).filter(|next| is_range(scan, date, next)) {
            at += 1;
            found.push(Interval { start: date.interval.start.min(last.interval.start), end: last.interval.end });
            continue;
        }
        found.push(shifted(scan, date, now));
    }
    found
}

/// Whether two dates read "between X and Y" or "from X to Y".
fn is_range(scan: &Scan, first: &Date, second: &Date) -> bool {
    let lead_end = scan.spaces_before(first.from);
    let leads = ["between", "from"].iter().any(|word| scan.word_before(lead_end, word).is_some());
    let between = scan.text(first.to, second.from.max(first.to));
    leads && RANGE_WORDS.contains(&between.trim_matches(super::words::is_space))
}

/// The interval of a date moved by words such as "two weeks before" to its left.
fn shifted(scan: &Scan, date: &Date, now: Time) -> Interval {
    let Interval { start, end } = date.interval;
    let Some((word, word_start)) = shifting_word(scan, date.from) else { return date.interval };
    let (before, after) = (matches!(word, "before" | "prior to"), word == "after");
    let moved = match amount_before(scan, word_start) {
        Some((count, unit)) if before => shift_back(start, count, unit).map(|earlier| {
            // "Two weeks before" is said loosely; "the week before" is meant exactly.
            let slack = if count == 1 { 0 } else { unit.half_width() };
            Interval { start: Time(earlier.0 - slack), end }
        }),
        Some((count, unit)) if after => {
            shift_back(end, count, unit).map(|earlier| Interval { start, end: Time(2 * end.0 - earlier.0) })
        }
        Some(_) => None,
        None if before || word == "until" => Some(Interval { start: Time(start.0 - AROUND_DAYS * DAY), end }),
        None if after => Some(Interval { start, end: Time(end.0 + AROUND_DAYS * DAY) }),
        None if word == "since" => Some(Interval { start, end: end.max(Time(now.0 + DAY)) }),
        None => None,
    };
    moved.unwrap_or(date.interval)
}

/// The word such as "before" that stands right before a date, an article between them allowed, and where it begins.
fn shifting_word(scan: &Scan, date_from: usize) -> Option<(&'static str, usize)> {
    let mut word_end = scan.spaces_before(date_from);
    if let Some(article) = word_end.checked_sub(3)
        && word_end < date_from
        && scan.word(article, "the").is_some()
    {
        word_end = scan.spaces_before(article);
    }
    SHIFTING_WORDS.iter().find_map(|word| Some((*word, scan.word_before(word_end, word)?)))
}

/// An amount such as "two weeks" or "the week" that ends right before a position.
fn amount_before(scan: &Scan, end: usize) -> Option<(i32, Unit)> {
    let unit_end = scan.gap_before(end)?;
    let (unit, unit_start) = Unit::ALL.iter().find_map(|unit| {
        let last = unit_end.checked_sub(1)?;
        let singular = if scan.at(last) == Some('s') { last } else { unit_end };
        let start = singular.checked_sub(unit.word().len())?;
        (scan.word(start, unit.word()) == Some(singular)).then_some((*unit, start))
    })?;
    let number_end = scan.gap_before(unit_start)?;
    if scan.word_before(number_end, "the").is_some() {
        return Some((1, unit));
    }
    relative::number_before(scan, number_end).map(|count| (count, unit))
}

/// The question without its dates and the words that only led to them.
fn without(scan: &Scan, dates: &[Date]) -> String {
    let mut kept = String::new();
    let mut from = 0;
    for date in dates {
        kept.extend(&scan.chars[from..lead_start(scan, date.from).max(from)]);
        kept.push(' ');
        from = date.to;
    }
    kept.extend(&scan.chars[from..]);
    close_gaps(&kept)
}

/// Where "as mentioned on the" and the like begin before a date.
fn lead_start(scan: &Scan, date_from: usize) -> usize {
    let word_before_gap =
        |end: usize, word: &str| scan.gap_before(end).and_then(|word_end| scan.word_before(word_end, word));
    let article = word_before_gap(date_from, "the").unwrap_or(date_from);
    let preposition = LEADING_WORDS.iter().find_map(|word| word_before_gap(article, word)).unwrap_or(article);
    // "as of" ends in a word that is itself a preposition, so both readings are tried and the longer one wins.
    [article, preposition]
        .into_iter()
        .flat_map(|end| ["as mentioned", "as of"].map(|words| word_before_gap(end, words).unwrap_or(end)))
        .fold(preposition, usize::min)
}
