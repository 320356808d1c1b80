//! Values that are times: dates, days, clocks, how often, how old, zones.

use super::super::super::vocabulary::{DAYS, MONTHS, NUMBERS};
use super::super::super::words::Words;
use super::super::{is_date_word, is_number};
use super::Seen;

impl Seen<'_> {
    pub(super) fn is_age(&self) -> bool {
        let number = self.all[0].trim_end_matches("yo");
        let years = number.parse::<u32>().map_or(NUMBERS.contains(number), |years| (1..=115).contains(&years));
        let rest = self.all[1..].join(" ");
        !self.article && years && Words("|years old|yrs old|year old|yo|y/o|years of age|years").contains(&rest)
    }

    pub(super) fn is_year(&self) -> bool {
        self.len() == 1
            && self.all[0].len() == 4
            && self.all[0].parse::<u32>().is_ok_and(|year| (1900..2100).contains(&year))
    }

    pub(super) fn is_zone(&self) -> bool {
        let raw = &self.text[self.bare[0].span.clone()];
        let short = Words("cet|cest|utc|gmt|est|edt|cst|pst|pdt|mst|ist|bst|jst|eet|wet|aest");
        let begins = |w: &str| {
            short.iter().any(|zone| w == zone || w.strip_prefix(zone).is_some_and(|rest| rest.starts_with(['+', '-'])))
        };
        let offset = begins(self.all[0]) && self.len() == 1;
        let named = self.len() <= 4
            && self.bare[0].capital
            && (self.joined.ends_with("time zone")
                || self.joined.ends_with("timezone")
                || self.joined.ends_with(" time"));
        offset || named || self.len() == 1 && raw.contains('/') && self.bare[0].capital
    }

    pub(super) fn is_hours(&self) -> bool {
        let alone = Words(
            "\
            part-time|full-time|part time|full time|nights|remotely|remote|freelance|weekends|shifts|night shifts|\
            day shifts|early shifts|late shifts|evenings|from home|flexitime|half-time|rotating shifts",
        );
        let counted = is_number(self.all[0])
            && Words("days a week|hours a week|days|day weeks|hours per week|days per week")
                .contains(self.all[1..].join(" ").as_str());
        alone.contains(self.joined) || counted
    }

    pub(super) fn is_day(&self) -> bool {
        self.all.iter().any(|w| DAYS.contains(w)) || self.len() == 1 && MONTHS.contains(self.all[0])
    }

    pub(super) fn is_date(&self) -> bool {
        let at = self.all.iter().all(|w| is_date_word(w));
        let says = self.all.iter().any(|w| DAYS.contains(w) || MONTHS.contains(w))
            || self
                .all
                .iter()
                .any(|w| w.len() >= 8 && w.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'-' | b'/' | b'.')))
            || self.len() <= 2
                && self
                    .all
                    .iter()
                    .any(|w| w.ends_with("th") || w.ends_with("st") || w.ends_with("nd") || w.ends_with("rd"));
        at && says && self.len() <= 6
    }

    /// How often something comes: behind "every", or with its number.
    pub(super) fn is_cadence(&self) -> bool {
        let units = Words(
            "\
            day|days|week|weeks|month|months|quarter|quarters|sprint|sprints|hour|hours|minutes|night|morning|evening|\
            fortnight|weekday|weekend|year|years|seconds|afternoon",
        );
        let before = |w: &&str| is_number(w) || Words("other|single|second|third|few|couple|of|business").contains(w);
        let (last, rest) = (self.all[self.len() - 1], &self.all[..self.len() - 1]);
        let monthly = self.all.contains(&"month") && self.all.iter().all(|w| is_date_word(w)) && self.len() <= 5;
        monthly || self.len() <= 3 && units.contains(last) && rest.iter().all(before)
    }

    pub(super) fn is_clock(&self) -> bool {
        let first = self.all[0];
        let digits =
            first.bytes().all(|b| b.is_ascii_digit() || matches!(b, b':' | b'.' | b'-') || b.is_ascii_alphabetic())
                && first.starts_with(|c: char| c.is_ascii_digit());
        let timed = first.contains(':')
            || first.ends_with("am")
            || first.ends_with("pm")
            || first.parse::<u32>().is_ok_and(|hour| hour <= 24);
        let rest =
            self.all[1..].iter().all(|w| Words("am|pm|utc|cet|o'clock|sharp|a.m|p.m|gmt|est|pst|daily").contains(w));
        (digits && timed && rest) || self.len() == 1 && matches!(first, "noon" | "midnight")
    }
}
