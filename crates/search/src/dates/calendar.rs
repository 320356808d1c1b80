//! The calendar in UTC: midnights, months, and steps back by days, weeks, months and years.

use jiff::civil;

use super::Interval;
use idetic_core::Time;
use idetic_core::time::micros;

/// One day, in microseconds.
pub const DAY: i64 = 86_400_000_000;

/// The last day of the month that every month has: steps by months land on it or before.
const LAST_COMMON_DAY: i8 = 28;

/// A unit people count time in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// 24 hours.
    Day,
    /// Seven days.
    Week,
    /// A month of the calendar.
    Month,
    /// Twelve months.
    Year,
}

impl Unit {
    /// Every unit.
    pub const ALL: [Self; 4] = [Self::Day, Self::Week, Self::Month, Self::Year];

    /// The English word, singular.
    pub fn word(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
            Self::Year => "year",
        }
    }

    /// Half the stretch a person means by "N units ago", in microseconds: the count is rarely exact.
    pub fn half_width(self) -> i64 {
        match self {
            Self::Day => DAY / 2,
            Self::Week => 7 * DAY / 2,
            Self::Month => 15 * DAY,
            Self::Year => 183 * DAY,
        }
    }
}

/// The day of a moment.
pub fn date_of(time: Time) -> civil::Date {
    time.civil().date()
}

/// The first moment of a day.
pub fn midnight(date: civil::Date) -> Time {
    Time(micros(date.to_datetime(civil::Time::midnight())))
}

/// The number of a month, counted from January of the year 0.
pub fn month_number(year: i32, month: i32) -> i32 {
    year * 12 + month - 1
}

/// The first day of the month with a number.
fn first_of(month: i32) -> Option<civil::Date> {
    let year = i16::try_from(month.div_euclid(12)).ok()?;
    let month = i8::try_from(month.rem_euclid(12) + 1).ok()?;
    civil::Date::new(year, month, 1).ok()
}

/// A number of months from the month with a number on.
pub fn months(first: i32, count: i32) -> Option<Interval> {
    Some(Interval { start: midnight(first_of(first)?), end: midnight(first_of(first + count)?) })
}

/// One day.
pub fn day(year: i32, month: i32, day: i32) -> Option<Interval> {
    let date = civil::Date::new(year.try_into().ok()?, month.try_into().ok()?, day.try_into().ok()?).ok()?;
    let start = midnight(date);
    Some(Interval { start, end: Time(start.0 + DAY) })
}

/// The same midnight a number of units earlier.
pub fn shift_back(from: Time, count: i32, unit: Unit) -> Option<Time> {
    let months_back = match unit {
        Unit::Day => return Some(Time(from.0 - i64::from(count) * DAY)),
        Unit::Week => return Some(Time(from.0 - i64::from(count) * 7 * DAY)),
        Unit::Month => count,
        Unit::Year => count * 12,
    };
    let date = date_of(from);
    let first = first_of(month_number(i32::from(date.year()), i32::from(date.month())) - months_back)?;
    let landed = civil::Date::new(first.year(), first.month(), date.day().min(LAST_COMMON_DAY)).ok()?;
    Some(midnight(landed))
}
