//! Times as people say them: yesterday, last Thursday, 3 days ago.

use jiff::civil::Weekday;
use jiff::{Span, ToSpan};

use super::{Time, micros};

/// The moment that words mean, counted back from `now`; a day is its midnight in UTC.
pub(super) fn parse(text: &str, now: Time) -> Option<Time> {
    let text = text.to_lowercase();
    let words: Vec<&str> = text.split_whitespace().collect();
    let today = now.civil().date();
    match words.as_slice() {
        ["now"] => Some(now),
        ["today"] => midnight(today),
        ["yesterday"] => midnight(today.yesterday().ok()?),
        [number, unit, "ago"] => earlier(now, span(count(number)?, unit)?),
        ["last", unit] if span(1, unit).is_some() => earlier(now, span(1, unit)?),
        [day] | ["last" | "on", day] => {
            let wanted = weekday(day)?;
            midnight(today.nth_weekday(-1, wanted).ok()?)
        }
        _ => None,
    }
}

fn midnight(day: jiff::civil::Date) -> Option<Time> {
    Some(Time(micros(day.to_datetime(jiff::civil::Time::midnight()))))
}

fn earlier(now: Time, span: Span) -> Option<Time> {
    Some(Time(micros(now.civil().checked_sub(span).ok()?)))
}

fn count(word: &str) -> Option<i64> {
    match word {
        "a" | "an" | "one" => Some(1),
        "two" => Some(2),
        "three" => Some(3),
        digits => digits.parse().ok().filter(|number| (0..=100_000).contains(number)),
    }
}

fn span(number: i64, unit: &str) -> Option<Span> {
    Some(match unit.strip_suffix('s').unwrap_or(unit) {
        "second" => number.seconds(),
        "minute" => number.minutes(),
        "hour" => number.hours(),
        "day" => number.days(),
        "week" => number.weeks(),
        "month" => Span::new().try_months(number).ok()?,
        "year" => Span::new().try_years(number).ok()?,
        _ => return None,
    })
}

fn weekday(word: &str) -> Option<Weekday> {
    Some(match word {
        "monday" | "mon" => Weekday::Monday,
        "tuesday" | "tue" => Weekday::Tuesday,
        "wednesday" | "wed" => Weekday::Wednesday,
        "thursday" | "thu" => Weekday::Thursday,
        "friday" | "fri" => Weekday::Friday,
        "saturday" | "sat" => Weekday::Saturday,
        "sunday" | "sun" => Weekday::Sunday,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_understood_as_people_say_them() {
        // A Wednesday.
        let now = Time::parse("2025-01-08T12:30:00Z").expect("a time");
        for (said, meant) in [
            ("now", "2025-01-08T12:30:00Z"),
            ("today", "2025-01-08"),
            ("Yesterday", "2025-01-07"),
            ("3 days ago", "2025-01-05T12:30:00Z"),
            ("an hour ago", "2025-01-08T11:30:00Z"),
            ("2 weeks ago", "2024-12-25T12:30:00Z"),
            ("one month ago", "2024-12-08T12:30:00Z"),
            ("last week", "2025-01-01T12:30:00Z"),
            ("last Thursday", "2025-01-02"),
            ("monday", "2025-01-06"),
            ("Wednesday", "2025-01-01"),
        ] {
            assert_eq!(parse(said, now), Time::parse(meant).ok(), "{said}");
        }
        for other in ["", "tomorrow", "three", "-1 days ago", "last", "blue monday sky", "9999999999 days ago"] {
            assert_eq!(parse(other, now), None, "{other}");
        }
    }
}
