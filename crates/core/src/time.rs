//! Moments in time: microseconds since 1970 in UTC, read tolerantly and written in one way.

mod spoken;

use std::fmt;

use jiff::civil;
use jiff::fmt::temporal::Pieces;
use jiff::{SignedDuration, Span, Timestamp};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::{Invalid, invalid};

/// A moment, to the microsecond.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(pub i64);

impl Time {
    /// Reads an ISO 8601 time. A time without a zone is UTC, a date without a time is its midnight in UTC: the same
    /// text means the same moment on every machine.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let text = text.trim();
        // In range it is read as a moment; the last day of the year 9999 is beyond that range and is read by hand.
        let moment = text.parse::<Timestamp>().ok().map(|stamp| stamp.as_microsecond()).or_else(|| {
            let said = Pieces::parse(text).ok()?;
            let civil = said.date().to_datetime(said.time().unwrap_or_default());
            let ahead = said.to_numeric_offset().map_or(0, |offset| i64::from(offset.seconds()));
            // A zone by name is refused, as it was: its rules change.
            let known = said.time_zone_annotation().is_none();
            known.then(|| micros(civil).saturating_sub(ahead * MICROS_A_SECOND))
        });
        moment
            .filter(|moment| (micros(civil::DateTime::MIN)..=micros(civil::DateTime::MAX)).contains(moment))
            .map(Self)
            .ok_or_else(|| {
                Invalid::new(format!("'{}' is not a time", invalid::excerpt(text))).hint(
                    "write an ISO 8601 time: 2025-01-17T12:00:00Z, 2025-01-17T12:00 (UTC) or 2025-01-17 (midnight UTC)",
                )
            })
    }

    /// Reads what `--since` and `--until` take: an ISO time, an age such as `30s`, `15min`, `2h`, `7d`, `4w`, or words such as
    /// `yesterday`, `last Thursday`, `3 days ago`.
    pub fn parse_or_age(text: &str, now: Self) -> Result<Self, Invalid> {
        let text = text.trim();
        if let Some(spoken) = spoken::parse(text, now) {
            return Ok(spoken);
        }
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        if digits == 0 || !text.as_bytes().get(digits).is_some_and(u8::is_ascii_alphabetic) {
            return Self::parse(text);
        }
        let micros = span_micros(text).ok_or_else(|| {
            Invalid::new(format!("'{}' is not an age", invalid::excerpt(text))).hint(
                "an age is a number and s, min, h, d or w: 30s, 15min, 2h, 7d, 4w (m alone could be minutes or months)",
            )
        })?;
        Ok(Self(now.0.saturating_sub(micros)))
    }

    /// Reads a time to come: an ISO time, or so much from now on, such as `12h` or `90d`.
    pub fn parse_or_span(text: &str, now: Self) -> Result<Self, Invalid> {
        let text = text.trim();
        match span_micros(text) {
            Some(micros) => Ok(Self(now.0.saturating_add(micros).min(self::micros(civil::DateTime::MAX)))),
            None => Self::parse(text).map_err(|invalid| {
                Invalid::new(format!("{}, nor a time from now", invalid.message))
                    .hint("write an ISO 8601 time such as 2027-01-17T12:00:00Z, or 30s, 15min, 2h, 7d, 4w")
            }),
        }
    }

    /// The same day and time of day so many months before, or the last of that month.
    #[must_use]
    pub fn months_earlier(self, months: u32) -> Self {
        let span = Span::new().try_months(i64::from(months));
        let earlier = span.ok().and_then(|span| self.civil().checked_sub(span).ok());
        Self(micros(earlier.unwrap_or(civil::DateTime::MIN)))
    }

    /// The day in UTC, as `2025-01-17`.
    pub fn day(self) -> String {
        self.civil().date().to_string()
    }

    /// Milliseconds from `earlier` to this moment; negative when it came before.
    pub fn millis_since(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0) / 1000
    }

    /// Whole milliseconds since 1970, never negative.
    pub fn unix_millis(self) -> u64 {
        u64::try_from(self.0.div_euclid(1000)).unwrap_or(0)
    }

    /// So many days later, or earlier, as far as there are dates.
    #[must_use]
    pub fn plus_days(self, days: i64) -> Self {
        let moment = self.0.saturating_add(days.saturating_mul(DAY_MICROS));
        Self(moment.clamp(micros(civil::DateTime::MIN), micros(civil::DateTime::MAX)))
    }

    /// The date and time of day in UTC.
    pub fn civil(self) -> civil::DateTime {
        let outermost = if self.0 < 0 { civil::DateTime::MIN } else { civil::DateTime::MAX };
        EPOCH.checked_add(SignedDuration::from_micros(self.0)).unwrap_or(outermost)
    }
}

/// So many microseconds as a number and s, min, h, d or w say.
fn span_micros(text: &str) -> Option<i64> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let seconds_each = match &text[digits..] {
        "s" => 1,
        "min" => 60,
        "h" => 3600,
        "d" => 86_400,
        "w" => 604_800,
        _ => return None,
    };
    text[..digits].parse::<i64>().ok()?.checked_mul(seconds_each * MICROS_A_SECOND)
}

/// Microseconds of a minute.
pub const MINUTE_MICROS: i64 = 60_000_000;
/// Microseconds of a day.
pub const DAY_MICROS: i64 = 86_400_000_000;
const MICROS_A_SECOND: i64 = 1_000_000;
const EPOCH: civil::DateTime = civil::datetime(1970, 1, 1, 0, 0, 0, 0);

/// Microseconds since 1970 of a date and time in UTC.
pub fn micros(civil: civil::DateTime) -> i64 {
    let micros = civil.duration_since(EPOCH).as_micros();
    i64::try_from(micros).unwrap_or(if micros < 0 { i64::MIN } else { i64::MAX })
}

/// Whole milliseconds as a person would say them: `40ms`, `1.2s`, `3m 20s`, `2h 5m`.
pub fn human_millis(millis: i64) -> String {
    let duration = SignedDuration::from_millis(millis.max(0));
    let seconds = duration.as_secs();
    match millis.max(0) {
        ms if ms < 1000 => format!("{ms}ms"),
        ms if ms < 60_000 => format!("{}.{}s", ms / 1000, ms % 1000 / 100),
        _ if seconds < 3600 => format!("{}m {}s", seconds / 60, seconds % 60),
        _ => format!("{}h {}m", seconds / 3600, seconds % 3600 / 60),
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.6}Z", self.civil())
    }
}

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        Self::parse(&text).map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_added_as_far_as_there_are_dates() {
        let day = |text: &str| Time::parse(text).expect(text);
        assert_eq!(day("2026-01-31").plus_days(1), day("2026-02-01"));
        assert_eq!(day("2026-01-31").plus_days(-31), day("2025-12-31"));
        for days in [i64::from(u32::MAX), i64::MAX] {
            assert!(day("2026-01-31").plus_days(days).to_string().starts_with("9999-12-31"));
            assert!(day("2026-01-31").plus_days(-days).to_string().starts_with('-'));
        }
    }

    #[test]
    fn every_published_spelling_of_a_time_is_read() {
        for (text, written) in [
            ("2025-01-17T12:00:00.123Z", "2025-01-17T12:00:00.123000Z"),
            ("2025-10-21T14:32:10.123456+00:00", "2025-10-21T14:32:10.123456Z"),
            ("2025-10-21T14:32:10+02:00", "2025-10-21T12:32:10.000000Z"),
            ("2025-11-04T21:14:10.911374", "2025-11-04T21:14:10.911374Z"),
            ("2026-02-26 12:00", "2026-02-26T12:00:00.000000Z"),
            ("2025-11-20", "2025-11-20T00:00:00.000000Z"),
            ("1969-12-31T23:59:59.5Z", "1969-12-31T23:59:59.500000Z"),
            ("9999-12-31T23:59:59Z", "9999-12-31T23:59:59.000000Z"),
            ("9999-12-31T23:59:59.999999", "9999-12-31T23:59:59.999999Z"),
            ("9999-12-31T01:00:00+02:00", "9999-12-30T23:00:00.000000Z"),
        ] {
            assert_eq!(Time::parse(text).map(|t| t.to_string()).as_deref(), Ok(written), "{text}");
        }
    }

    #[test]
    fn what_is_not_a_time_is_refused() {
        for bad in [
            "",
            "yesterday",
            "2025-13-01",
            "2025-02-30T00:00:00Z",
            "25-1-1",
            "2025-01-01T25:00:00Z",
            "1700000000",
            "9999-12-31T23:59:59-01:00",
            "2025-01-01T00:00[Europe/Prague]",
        ] {
            assert!(Time::parse(bad).is_err(), "{bad:?} was taken");
        }
    }

    #[test]
    fn an_age_counts_back_from_now() {
        let now = Time::parse("2025-01-08T00:00:00Z").expect("a time");
        assert_eq!(Time::parse_or_age("7d", now).map(|t| t.day()).as_deref(), Ok("2025-01-01"));
        assert_eq!(Time::parse_or_age("2h", now).map(|t| now.millis_since(t)), Ok(7_200_000));
        assert!(Time::parse_or_age("3m", now).is_err(), "m is ambiguous");
        assert!(Time::parse_or_age("99999999999999999d", now).is_err());
        assert_eq!(Time::parse_or_age("2025-01-01", now).map(|t| t.day()).as_deref(), Ok("2025-01-01"));
    }

    #[test]
    fn months_are_those_of_the_calendar() {
        let earlier = |text: &str, months| Time::parse(text).map(|t| t.months_earlier(months).to_string());
        assert_eq!(earlier("2025-08-31T12:00:00Z", 6).as_deref(), Ok("2025-02-28T12:00:00.000000Z"));
        assert_eq!(earlier("2025-01-15", 13).as_deref(), Ok("2023-12-15T00:00:00.000000Z"));
        assert_eq!(earlier("2025-01-15", u32::MAX).map(|t| t.starts_with('-')), Ok(true));
    }

    #[test]
    fn durations_read_like_durations() {
        let said: Vec<_> = [40, 1200, 200_000, 7_500_000].into_iter().map(human_millis).collect();
        assert_eq!(said, ["40ms", "1.2s", "3m 20s", "2h 5m"]);
    }
}
