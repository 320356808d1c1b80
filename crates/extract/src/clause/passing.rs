//! What a pattern reads and does not mean: what holds only for now, and what is something else than it looks like.

use super::super::doubt::has;
use super::super::kind::Kind;
use super::super::patterns::{Pattern, Who};
use super::super::subject::{Class, Subject};
use super::super::vocabulary::DAYS;
use super::super::words::Words;
use super::{Reader, is_setting_name};

/// Words that say that something holds only for now.
pub(super) const MOMENTS: Words = Words(include_str!("../../data/clause/passing/moments.txt"));

impl Reader<'_> {
    /// Whether what a pattern reads holds only for now, or is something else than it looks like.
    pub(super) fn is_passing(&self, pattern: &Pattern, subject: &Subject, behind: usize) -> bool {
        // "I'm 25 plus shipping" is no age.
        let counts = pattern.kind == Kind::Age
            && self.words.get(behind).is_some_and(|t| Words("plus|going|in|percent|away|off").contains(&t.lower));
        let passing = pattern.who == Who::The && MOMENTS.iter().any(|moment| has(self.words, moment));
        let once = matches!(pattern.kind, Kind::Clock | Kind::Day | Kind::Date)
            && ["today", "tomorrow", "tonight"].iter().any(|day| has(self.words, day));
        // "The Monday after" is another one each time.
        let relative = (matches!(pattern.kind, Kind::Clock | Kind::Day | Kind::Date)
            || self.words.get(behind.wrapping_sub(1)).is_some_and(|t| DAYS.contains(&t.lower)))
            && self.words.get(behind).is_some_and(|t| Words("after|before|following|later").contains(&t.lower));
        // "4 pixels too low" is no setting.
        let off = matches!(pattern.kind, Kind::Setting | Kind::Counted | Kind::Measure)
            && self.words.get(behind).is_some_and(|t| {
                Words("too|off|short|away|apart|late|early|behind|ahead|higher|lower|longer|more|less")
                    .contains(&t.lower)
            });
        // What everybody knows the place of: "the Eiffel Tower".
        let named = |word: &str| {
            word.chars().next().is_some_and(char::is_uppercase) && word.chars().nth(1).is_some_and(char::is_lowercase)
        };
        let landmark = pattern.attribute == "is_in"
            && subject.key.strip_prefix("the ").is_some_and(|noun| noun.split(' ').all(named));
        let branch = pattern.attribute == "uses" && pattern.phrase == "be on" && has(self.words, "currently");
        // "The office is no longer there; we relocated": it was not whoever speaks who did.
        let firm = pattern.attribute == "lives_in"
            && subject.class == Class::We
            && ["office", "company", "headquarters", "hq", "firm"].iter().any(|noun| has(self.words, noun));
        let unnamed = pattern.kind == Kind::Word && !(subject.key.starts_with("the ") && is_setting_name(&subject.key));
        // "My kids are 5 and 8" is no age of one.
        let several = pattern.kind == Kind::Age && subject.plural;
        counts || several || passing || once || relative || unnamed || off || landmark || branch || firm
    }
}
