//! Times relative to the moment of asking: "yesterday", "two weeks ago", "last spring", "on Friday".

use super::super::scan::Scan;
use super::calendar::{DAY, Unit, date_of, midnight, month_number, months, shift_back};
use super::{DATES_MAX, Interval};
use idetic_core::Time;

/// Numbers in words, longest first where one begins another.
const NUMBERS: [(&str, i32); 19] = [
    ("a couple of", 2),
    ("couple of", 2),
    ("a few", 3),
    ("few", 3),
    ("several", 4),
    ("an", 1),
    ("a", 1),
    ("one", 1),
    ("two", 2),
    ("three", 3),
    ("four", 4),
    ("five", 5),
    ("six", 6),
    ("seven", 7),
    ("eight", 8),
    ("nine", 9),
    ("ten", 10),
    ("eleven", 11),
    ("twelve", 12),
];

/// Days of the week from Monday on.
const WEEKDAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/// Seasons and the month they begin in; each lasts three.
const SEASONS: [(&str, i32); 5] = [("spring", 3), ("summer", 6), ("autumn", 9), ("fall", 9), ("winter", 12)];

/// How many months a season has.
const SEASON_MONTHS: i32 = 3;

/// Most digits a count may have: "2000 years ago" is no time anyone's memory has.
const COUNT_DIGITS: usize = 3;

/// The moment of asking.
struct Asked {
    now: Time,
    /// The midnight before.
    today: Time,
    year: i32,
    month: i32,
    /// Days since Monday.
    weekday: i64,
}

impl Asked {
    fn at(now: Time) -> Self {
        let date = date_of(now);
        Self {
            now,
            today: midnight(date),
            year: i32::from(date.year()),
            month: i32::from(date.month()),
            weekday: i64::from(date.weekday().to_monday_zero_offset()),
        }
    }

    /// From one number of days after today's midnight to another.
    fn days(&self, from: i64, to: i64) -> Interval {
        Interval { start: Time(self.today.0 + from * DAY), end: Time(self.today.0 + to * DAY) }
    }
}

/// One way to name a time: where its text ends and the interval it means, if any.
type Pattern = fn(&Scan, usize, &Asked) -> Option<(usize, Option<Interval>)>;

/// The ways to name a time, tried in this order: a character serves one of them only.
const PATTERNS: [Pattern; 8] = [before_yesterday, yesterday, today, ago, last_several, calendar_unit, season, weekday];

/// Every relative time in a question in order of place.
pub fn find(scan: &Scan, now: Time) -> Vec<Interval> {
    let asked = Asked::at(now);
    let mut found: Vec<(usize, usize, Option<Interval>)> = Vec::new();
    for pattern in PATTERNS {
        let mut at = 0;
        while at < scan.end() && found.len() < DATES_MAX {
            let Some((end, interval)) = scan.is_boundary(at).then(|| pattern(scan, at, &asked)).flatten() else {
                at += 1;
                continue;
            };
            if found.iter().all(|&(from, to, _)| to <= at || end <= from) {
                found.push((at, end, interval));
            }
            at = end;
        }
    }
    found.sort_by_key(|&(from, to, _)| (from, to));
    found.into_iter().filter_map(|(_, _, interval)| interval).collect()
}

fn before_yesterday(scan: &Scan, at: usize, asked: &Asked) -> Option<(usize, Option<Interval>)> {
    Some((scan.whole_word(at, "day before yesterday")?, Some(asked.days(-2, -1))))
}

fn yesterday(scan: &Scan, at: usize, asked: &Asked) -> Option<(usize, Option<Interval>)> {
    let (_, end) = scan.one_of(at, &["yesterday", "last night"])?;
    Some((end, Some(asked.days(-1, 0))))
}

fn today(scan: &Scan, at: usize, asked: &Asked) -> Option<(usize, Option<Interval>)> {
    let (_, end) = scan.one_of(at, &["today", "tonight", "this morning", "this afternoon", "this evening"])?;
    Some((end, Some(asked.days(0, 1))))
}

/// "two weeks ago": around the day that many units back.
fn ago(scan: &Scan, at: usize, asked: &Asked) -> Option<(usize, Option<Interval>)> {
    counts(scan, at).find_map(|(count, number_end)| {
        let (unit, unit_end) = unit(scan, scan.gap(number_end)?)?;
        let end = scan.whole_word(scan.gap(unit_end)?, "ago")?;
        let around = shift_back(asked.today, count, unit).map(|midnight| {
            let noon = midnight.0 + DAY / 2;
            Interval { start: Time(noon - unit.half_width()), end: Time(noon + unit.half_width()) }
        });
        Some((end, around))
    })
}

/// "the last three months": from then to the end of today.
fn last_several(scan: &Scan, at: usize, asked: &Asked) -> Option<(usize, Option<Interval>)> {
    let (_, lead_end) = scan.one_of(at, &["last", "past"])?;
    counts(scan, scan.gap(lead_end)?).find_map(|(count, number_end)| {
        let (unit, end) = unit(scan, scan.gap(number_end)?)?;
        let start = shift_back(asked.today, count, unit);
        scan.is_boundary(end).then(|| (end, start.map(|start| Interval { start, end: Time(asked.today.0 + DAY) })))
    })
}

/// "last week", "this month": the unit of the calendar, weeks from Monday on.
fn calendar_unit(scan: &Scan, at: usize, asked: &Asked) -> Option<(usize, Option<Interval>)> {
    let (lead, lead_end) = scan.one_of(at, &["last", "past", "this"])?;
    let (unit, end) = scan.one_of(scan.gap(lead_end)?, &["week", "weekend", "month", "year"])?;
    let back = i32::from(lead != "this");
    let monday = -asked.weekday - 7 * i64::from(back);
    let interval = match unit {
        "week" => Some(asked.days(monday, monday + 7)),
        "weekend" => Some(asked.days(monday + 5, monday + 7)),
        "month" => months(month_number(asked.year, asked.month) - back, 1),
        _ => months(month_number(asked.year - back, 1), 12),
    };
    Some((end, interval))
}

/// "last spring": the latest that has begun, or the one a year before when it is still going on.
fn season(scan: &Scan, at: usize, asked: &Asked) -> Option<(usize, Option<Interval>)> {
    let (lead, lead_end) = scan.one_of(at, &["last", "past", "this"])?;
    let name_at = scan.gap(lead_end)?;
    let (month, end) = SEASONS.iter().find_map(|(name, month)| Some((*month, scan.whole_word(name_at, name)?)))?;
    let in_year = |year: i32| months(month_number(year, month), SEASON_MONTHS);
    let latest = |year: i32| in_year(year).filter(|season| season.start <= asked.now);
    let year = if latest(asked.year).is_some() { asked.year } else { asked.year - 1 };
    let interval = in_year(year).and_then(|season| {
        let goes_on = season.start <= asked.now && asked.now < season.end;
        if lead != "this" && goes_on { in_year(year - 1) } else { Some(season) }
    });
    Some((end, interval))
}

/// "on Friday", "last Friday": the latest before today.
fn weekday(scan: &Scan, at: usize, asked: &Asked) -> Option<(usize, Option<Interval>)> {
    let (_, lead_end) = scan.one_of(at, &["last", "past", "this", "on"])?;
    let name_at = scan.gap(lead_end)?;
    let (number, end) = (0_i64..).zip(WEEKDAYS).find_map(|(i, name)| Some((i, scan.whole_word(name_at, name)?)))?;
    let since = (asked.weekday - number).rem_euclid(7);
    let back = if since == 0 { 7 } else { since };
    Some((end, Some(asked.days(-back, 1 - back))))
}

/// Every number that can be read at a position, and where it ends.
fn counts(scan: &Scan, at: usize) -> impl Iterator<Item = (i32, usize)> {
    let digits = value(scan, at, scan.digits(at)).map(|count| (count, scan.digits(at)));
    let words = NUMBERS.iter().filter_map(move |(word, count)| Some((*count, scan.word(at, word)?)));
    digits.into_iter().chain(words)
}

/// The number that ends at a position, the longest reading of it.
pub fn number_before(scan: &Scan, end: usize) -> Option<i32> {
    let digits_start = (0..end).rev().find(|&at| !scan.is_digit(at)).map_or(0, |at| at + 1);
    let in_words = || {
        let readings = NUMBERS.iter().filter_map(|(word, count)| Some((scan.word_before(end, word)?, *count)));
        readings.min().map(|(_, count)| count)
    };
    value(scan, digits_start, end).filter(|_| scan.is_boundary(digits_start)).or_else(in_words)
}

/// The count written in ASCII digits between two positions.
fn value(scan: &Scan, from: usize, to: usize) -> Option<i32> {
    if from >= to || to - from > COUNT_DIGITS {
        return None;
    }
    scan.text(from, to).parse().ok()
}

/// The unit at a position, singular or plural, and where it ends.
fn unit(scan: &Scan, at: usize) -> Option<(Unit, usize)> {
    Unit::ALL.iter().find_map(|unit| {
        let end = scan.word(at, unit.word())?;
        Some((*unit, scan.word(end, "s").unwrap_or(end)))
    })
}
