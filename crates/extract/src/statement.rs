//! One thing that was plainly stated: what the rules yield.

use std::ops::Range;

use super::vocabulary::KIN;

/// One thing that was plainly stated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// A sentence of its own in the third person: "Ann lives in Brno."
    pub text: String,
    /// Bytes of the source text it was read from: the evidence.
    pub span: Range<usize>,
    /// Whom or what it is about: the speaker's name, or "user"; empty where only the sentence is known.
    pub subject: String,
    /// What is stated, in snake case; empty where only the sentence is known.
    pub attribute: String,
    /// The value as it stands in the source; a name that was written without capitals has them.
    pub value: String,
    /// Whether a new value takes the place of the old.
    pub single: bool,
    /// Whether it denies the value, or ends it ("no longer").
    pub negated: bool,
}

impl Statement {
    /// Whether it says that something ended, and not only that it is not so.
    pub fn is_over(&self) -> bool {
        self.negated && self.text.contains(" no longer ")
    }
}

/// Whether a statement only names someone close.
pub(crate) fn is_kin_name(statement: &Statement) -> bool {
    statement.attribute.rsplit('_').next().is_some_and(|noun| KIN.contains(noun))
}
