//! Dates of the calendar in a question: "2023-05-08", "8th of May, 2023", "May 8", "May 2023", "in May", "in 2023".

use super::super::scan::Scan;
use super::calendar::{date_of, day, month_number, months};
use super::{DATES_MAX, Interval};
use idetic_core::Time;

/// The months in order, each with its longest spelling; three letters are enough, and "sept".
const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// Words after which a month alone is a date: without one, "may" and "march" are mostly verbs.
const BEFORE_MONTH: [&str; 18] = [
    "in", "during", "of", "since", "by", "until", "before", "after", "last", "this", "next", "early", "mid", "late",
    "from", "to", "and", "between",
];

/// Words after which four digits are a year and not a quantity.
const BEFORE_YEAR: [&str; 13] =
    ["in", "during", "of", "since", "by", "until", "before", "after", "early", "mid", "late", "from", "year"];

/// Endings of a day's number.
const DAY_ENDINGS: [&str; 4] = ["st", "nd", "rd", "th"];

/// A date found in a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Date {
    /// Where its text begins.
    pub from: usize,
    /// Where its text ends.
    pub to: usize,
    /// The day, month or year it names.
    pub interval: Interval,
}

/// What one pattern matched.
#[derive(Debug, Clone, Copy, Default)]
struct Match {
    /// Where the pattern's text begins, leading words included.
    lead: usize,
    /// Where the date's own text begins.
    from: usize,
    /// Where it ends.
    to: usize,
    year: Option<i32>,
    month: Option<i32>,
    day: Option<i32>,
    /// Where the month's name stands, if it is written as a name.
    name: Option<usize>,
}

/// One way to write a date.
type Pattern = fn(&Scan, usize) -> Option<Match>;

/// The ways to write a date, the most exact first: a character serves one date only.
const PATTERNS: [Pattern; 6] =
    [year_month_day, day_month_year, month_day_year, month_year, month_after_word, year_after_word];

/// Every date in a question in order of place.
pub fn find(scan: &Scan, now: Time) -> Vec<Date> {
    let mut found: Vec<Date> = Vec::new();
    for pattern in PATTERNS {
        let mut at = 0;
        while at < scan.end() && found.len() < DATES_MAX {
            let Some(matched) = scan.is_boundary(at).then(|| pattern(scan, at)).flatten() else {
                at += 1;
                continue;
            };
            at = matched.to;
            let is_free = found.iter().all(|date| date.to <= matched.lead || matched.to <= date.from);
            if let Some(interval) = is_free.then(|| meaning(scan, &matched, now)).flatten() {
                found.push(Date { from: matched.from, to: matched.to, interval });
            }
        }
    }
    found.sort_by_key(|date| (date.from, date.to));
    found
}

/// The day, month or year a match names, unless it is impossible or not meant as a date.
fn meaning(scan: &Scan, matched: &Match, now: Time) -> Option<Interval> {
    if let Some(name) = matched.name
        && matched.year.is_none()
        && !scan.chars[name].is_uppercase()
    {
        // "8 june" is a date even in lower case; "may", "march" and "mar" are words too, and a lone month needs its
        // capital letter.
        let is_verb = matches!(matched.month, Some(3 | 5));
        if matched.day.is_none() || is_verb {
            return None;
        }
    }
    let today = date_of(now);
    let (this_year, this_month) = (i32::from(today.year()), i32::from(today.month()));
    // Without a year, the latest such month that has begun is meant.
    let year = |month: i32| matched.year.unwrap_or(if month <= this_month { this_year } else { this_year - 1 });
    match (matched.month, matched.day) {
        (Some(month), Some(number)) => day(year(month), month, number),
        (Some(month), None) => months(month_number(year(month), month), 1),
        (None, _) => months(month_number(matched.year?, 1), 12),
    }
}

/// `2023-05-08` or `2023/5/8`.
fn year_month_day(scan: &Scan, at: usize) -> Option<Match> {
    let (year, year_end) = year(scan, at)?;
    let (month, month_end) = short_number(scan, separator(scan, year_end)?, '1')?;
    let (day, to) = short_number(scan, separator(scan, month_end)?, '3')?;
    let matched = Match { lead: at, from: at, to, year: Some(year), month: Some(month), day: Some(day), name: None };
    scan.is_boundary(to).then_some(matched)
}

/// `8 May`, `8th of May, 2023`.
fn day_month_year(scan: &Scan, at: usize) -> Option<Match> {
    let (day, digits_end) = short_number(scan, at, '3')?;
    let mut month_at = scan.gap(day_ending(scan, digits_end).unwrap_or(digits_end))?;
    if let Some(after) = scan.word(month_at, "of").and_then(|end| scan.gap(end)) {
        month_at = after;
    }
    let (month, name_end) = month_name(scan, month_at)?;
    let matched = Match {
        lead: at,
        from: at,
        to: name_end,
        year: None,
        month: Some(month),
        day: Some(day),
        name: Some(month_at),
    };
    for end in dotted(scan, name_end) {
        if let Some((year, to)) = later_year(scan, end)
            && scan.is_boundary(to)
        {
            return Some(Match { year: Some(year), to, ..matched });
        }
        if scan.is_boundary(end) {
            return Some(Match { to: end, ..matched });
        }
    }
    None
}

/// `May 8`, `May 8th, 2023`.
fn month_day_year(scan: &Scan, at: usize) -> Option<Match> {
    let (month, name_end) = month_name(scan, at)?;
    let day_at = dotted(scan, name_end).into_iter().find_map(|end| scan.gap(end))?;
    let (day, digits_end) = short_number(scan, day_at, '3')?;
    let matched =
        Match { lead: at, from: at, to: digits_end, year: None, month: Some(month), day: Some(day), name: Some(at) };
    for end in day_ending(scan, digits_end).into_iter().chain([digits_end]) {
        if let Some((year, to)) = later_year(scan, end)
            && !scan.is_digit(to)
            && !scan.is_digit(end)
        {
            return Some(Match { year: Some(year), to, ..matched });
        }
        if !scan.is_digit(end) {
            return Some(Match { to: end, ..matched });
        }
    }
    None
}

/// `May 2023`, `May of 2023`, `May, 2023`.
fn month_year(scan: &Scan, at: usize) -> Option<Match> {
    let (month, name_end) = month_name(scan, at)?;
    let mut year_at = dotted(scan, name_end).into_iter().find_map(|end| {
        let comma = scan.spaces(end);
        if scan.at(comma) == Some(',') { scan.gap(comma + 1) } else { scan.gap(end) }
    })?;
    if let Some(after) = scan.word(year_at, "of").and_then(|end| scan.gap(end)) {
        year_at = after;
    }
    let (year, to) = year(scan, year_at)?;
    let matched = Match { lead: at, from: at, to, year: Some(year), month: Some(month), day: None, name: Some(at) };
    scan.is_boundary(to).then_some(matched)
}

/// `in May`, `since late March`, `in mid-June`.
fn month_after_word(scan: &Scan, at: usize) -> Option<Match> {
    let month_at = |lead_end: usize| {
        let next = scan.gap(lead_end)?;
        let part_of_month = ["early", "late"].iter().find_map(|word| scan.gap(scan.word(next, word)?));
        let middle = scan.word(next, "mid").map(|end| scan.spaces(scan.word(end, "-").unwrap_or(end)));
        part_of_month.or(middle).into_iter().chain([next]).find_map(|from| {
            let (month, end) = month_name(scan, from)?;
            let to = dotted(scan, end).into_iter().find(|&to| !scan.is_word(to))?;
            Some(Match { lead: at, from, to, year: None, month: Some(month), day: None, name: Some(from) })
        })
    };
    let lead_end = scan.one_of(at, &BEFORE_MONTH).map(|(_, end)| end)?;
    month_at(lead_end).or_else(|| month_at(scan.word(at, "mid-")?))
}

/// `in 2023`, `the year 2023`.
fn year_after_word(scan: &Scan, at: usize) -> Option<Match> {
    let (_, lead_end) = scan.one_of(at, &BEFORE_YEAR)?;
    let from = scan.gap(lead_end)?;
    let (year, to) = year(scan, from)?;
    scan.is_boundary(to).then_some(Match { lead: at, from, to, year: Some(year), ..Match::default() })
}

/// Four digits from 1900 to 2099 at a position.
fn year(scan: &Scan, at: usize) -> Option<(i32, usize)> {
    let century = scan.word(at, "19").map(|_| 1900).or_else(|| scan.word(at, "20").map(|_| 2000))?;
    let rest = number(scan, at + 2, at + 4)?;
    Some((century + rest, at + 4))
}

/// A year after a date: spaces and a comma may stand between.
fn later_year(scan: &Scan, at: usize) -> Option<(i32, usize)> {
    let comma = scan.spaces(at);
    year(scan, scan.word(comma, ",").map_or(comma, |end| scan.spaces(end)))
}

/// A number of one or two digits that no digit follows; of two, the first is at most `largest_first`.
fn short_number(scan: &Scan, at: usize, largest_first: char) -> Option<(i32, usize)> {
    let end = scan.digits(at);
    let fits = match end - at {
        1 => true,
        2 => scan.at(at).is_some_and(|first| first <= largest_first),
        _ => false,
    };
    fits.then(|| number(scan, at, end)).flatten().map(|value| (value, end))
}

/// The number written in ASCII digits between two positions.
fn number(scan: &Scan, from: usize, to: usize) -> Option<i32> {
    (from..to).try_fold(0, |value, at| Some(value * 10 + i32::try_from(scan.at(at)?.to_digit(10)?).ok()?))
}

/// The position after `-` or `/`.
fn separator(scan: &Scan, at: usize) -> Option<usize> {
    scan.word(at, "-").or_else(|| scan.word(at, "/"))
}

/// The end of "st", "nd", "rd" or "th" at a position.
fn day_ending(scan: &Scan, at: usize) -> Option<usize> {
    DAY_ENDINGS.iter().find_map(|ending| scan.word(at, ending))
}

/// The month whose name or abbreviation stands at a position, and where it ends.
fn month_name(scan: &Scan, at: usize) -> Option<(i32, usize)> {
    (1..).zip(MONTHS).find_map(|(number, name)| {
        let full = scan.word(at, name);
        let sept = || scan.word(at, "sept").filter(|_| name == "september");
        let end = full.or_else(sept).or_else(|| scan.word(at, &name[..3]))?;
        Some((number, end))
    })
}

/// The ends a month's name may have: after its point, or before it.
fn dotted(scan: &Scan, name_end: usize) -> Vec<usize> {
    scan.word(name_end, ".").into_iter().chain([name_end]).collect()
}
