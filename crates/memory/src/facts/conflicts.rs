//! Facts that possibly contradict each other: listed, never decided by us.

use idetic_core::views::{FACTS, FactRow};
use idetic_store::{Filter, Select};

use crate::viewpoint::Viewpoint;
use crate::{FactConflict, FactsAtOdds, Result};

/// Attributes that exclude each other for the same value.
const OPPOSED: [(&str, &str); 6] = [
    ("likes", "dislikes"),
    ("loves", "hates"),
    ("likes", "hates"),
    ("loves", "dislikes"),
    ("enjoys", "dislikes"),
    ("prefers", "dislikes"),
];
/// Most facts of one subject or topic that one is compared with.
const COMPARED_MAX: usize = 200;

impl Viewpoint {
    /// The facts that possibly contradict one, as of a seq.
    pub fn conflicts_of(&self, row: &FactRow, horizon: u64) -> Result<Vec<FactConflict>> {
        let mut near = Vec::new();
        for (column, value) in [("topic", &row.topic), ("about", &row.about)] {
            if !value.is_empty() {
                let same = Select::from(&FACTS, horizon).filter(Filter::Is(column, value.as_str().into()));
                near.extend(self.facts(Select { limit: Some(COMPARED_MAX), newest_first: true, ..same })?);
            }
        }
        let mut conflicts: Vec<FactConflict> = Vec::new();
        for other in near {
            let Some(why) = at_odds(row, &other) else { continue };
            if conflicts.iter().all(|known| known.fact != other.fact) {
                conflicts.push(FactConflict { fact: other.fact, content: other.text, why });
            }
        }
        Ok(conflicts)
    }

    /// Every pair of facts that possibly contradict each other, each once.
    pub fn all_conflicts(&self, horizon: u64) -> Result<Vec<FactsAtOdds>> {
        let rows = self.facts(Select::from(&FACTS, horizon).filter(Filter::Is("deleted", 0_i64.into())))?;
        let mut pairs = Vec::new();
        for row in rows {
            for other in self.conflicts_of(&row, horizon)?.into_iter().filter(|other| row.fact < other.fact) {
                let FactConflict { fact, content, why } = other;
                let text = row.text.clone();
                pairs.push(FactsAtOdds {
                    fact: row.fact.clone(),
                    content: text,
                    other: fact,
                    other_content: content,
                    why,
                });
            }
        }
        Ok(pairs)
    }
}

/// Why two facts may not both be true: both stand, at the same time, and neither took the other's place.
fn at_odds(one: &FactRow, other: &FactRow) -> Option<&'static str> {
    let begins_before_end =
        |one: &FactRow, other: &FactRow| one.valid_until.is_none_or(|until| other.valid_from < until);
    let together = begins_before_end(one, other) && begins_before_end(other, one);
    let linked = one.superseded_by.as_deref() == Some(&other.fact) || other.superseded_by.as_deref() == Some(&one.fact);
    if one.fact == other.fact || one.deleted || other.deleted || !together || linked {
        return None;
    }
    let same = |one: &str, other: &str| !one.is_empty() && one.to_lowercase() == other.to_lowercase();
    let same_subject = same(&one.about, &other.about);
    if same_subject
        && same(&one.attribute, &other.attribute)
        && (one.single || other.single)
        && !same(&one.value, &other.value)
    {
        return Some("another value of a single-valued attribute");
    }
    let opposed = OPPOSED.iter().any(|(good, bad)| {
        let pair = (one.attribute.as_str(), other.attribute.as_str());
        pair == (*good, *bad) || pair == (*bad, *good)
    });
    let denies = |one: &FactRow, other: &FactRow| one.attribute.strip_prefix("not_") == Some(&other.attribute);
    let opposed = opposed || denies(one, other) || denies(other, one);
    if same_subject && opposed && same(&one.value, &other.value) {
        return Some("the opposite of the same statement");
    }
    // What is said of two things is two facts, even if a number is all that tells the things apart.
    let apart = !one.about.is_empty() && !other.about.is_empty() && !same_subject;
    let same_topic = !apart && !one.topic.is_empty() && one.topic == other.topic && one.gist != other.gist;
    same_topic.then_some("the same statement with another number or the opposite sense")
}
