//! The values of one attribute in the order in which they were true: each ends where the next begins.

use super::{FactRow, Folding};

/// How many values one may be told out of order: those behind are left as they are.
const STEPS_MAX: usize = 10_000;

/// Puts a fact in its place among the values of its attribute.
pub(super) fn link(folding: &mut Folding<'_, '_>, row: &mut FactRow) {
    if !row.has_slot() {
        return;
    }
    let mut before = folding.latest(row).and_then(|fact| folding.row(&fact));
    let mut after: Option<FactRow> = None;
    for _ in 0..STEPS_MAX {
        match before {
            Some(mut other) if other.valid_from > row.valid_from => {
                before = other.previous.clone().and_then(|fact| folding.row(&fact));
                if other.trust().may_change(row.trust()) {
                    after = Some(other);
                } else {
                    // What is trusted less ends nothing, whenever it is said to be true: it leaves the row.
                    unlink(folding, &mut other);
                    folding.put(&other);
                    after = after.and_then(|after| folding.row(&after.fact));
                }
            }
            _ => break,
        }
    }
    // What is trusted less takes nobody's place: both are shown.
    if before.as_ref().is_some_and(|other| !row.trust().may_change(other.trust())) {
        return;
    }
    row.previous = before.as_ref().map(|other| other.fact.clone());
    row.superseded_by = after.as_ref().map(|other| other.fact.clone());
    row.valid_until = earliest(row.stated_until, after.as_ref().map(|other| other.valid_from));
    if let Some(mut other) = before {
        other.superseded_by = Some(row.fact.clone());
        other.valid_until = earliest(other.stated_until, Some(row.valid_from));
        folding.put(&other);
    }
    match after {
        Some(mut other) => {
            other.previous = Some(row.fact.clone());
            folding.put(&other);
        }
        None => folding.set_latest(row, &row.fact.clone()),
    }
    folding.put(row);
}

/// The fact of the same attribute and value that is true from the very same moment on.
pub(super) fn since(folding: &mut Folding<'_, '_>, row: &FactRow) -> Option<String> {
    let mut at = folding.latest(row).and_then(|fact| folding.row(&fact));
    for _ in 0..STEPS_MAX {
        let other = at.filter(|other| other.valid_from >= row.valid_from)?;
        if other.valid_from == row.valid_from && other.value.to_lowercase() == row.value.to_lowercase() {
            return Some(other.fact);
        }
        at = other.previous.and_then(|fact| folding.row(&fact));
    }
    None
}

/// Takes a fact out of its place; its neighbours meet.
pub(super) fn unlink(folding: &mut Folding<'_, '_>, row: &mut FactRow) {
    let before = row.previous.take().and_then(|fact| folding.row(&fact));
    let after = row.superseded_by.take().and_then(|fact| folding.row(&fact));
    if row.has_slot() && after.is_none() && folding.latest(row).as_deref() == Some(row.fact.as_str()) {
        let latest = before.as_ref().map(|other| other.fact.clone()).unwrap_or_default();
        folding.set_latest(row, &latest);
    }
    if let Some(mut other) = before.clone() {
        other.superseded_by = after.as_ref().map(|next| next.fact.clone());
        other.valid_until = earliest(other.stated_until, after.as_ref().map(|next| next.valid_from));
        folding.put(&other);
    }
    if let Some(mut other) = after {
        other.previous = before.map(|previous| previous.fact);
        folding.put(&other);
    }
    row.valid_until = row.stated_until;
}

/// The earlier of two ends.
pub(super) fn earliest(one: Option<i64>, other: Option<i64>) -> Option<i64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}
