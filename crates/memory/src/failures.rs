//! Failures: what they say, without what differs from run to run, and which of them resemble each other.

use std::collections::{BTreeSet, HashMap};

use idetic_core::failure::is_failing_kind;
use idetic_core::views::{COUNTERS, Dimension, TIMELINE};
use idetic_core::words::Status;
use idetic_core::{Event, Time};
use idetic_search::failure::without_particulars;
use idetic_search::fuzzy;
use idetic_search::is_upkeep;
use idetic_store::{Filter, Select};

use crate::viewpoint::Viewpoint;
use crate::{FailureGroup, Result};

/// Most failures that are looked at, the latest.
const FAILURES_MAX: usize = 10_000;
/// Failures read at a time.
const PAGE_EVENTS: usize = 500;
/// Most groups that a failure is compared with, those last added to first.
const COMPARED_MAX: usize = 500;
/// From this ratio on two failures are alike…
const ALIKE_RATIO: f64 = 85.0;
/// …if the shorter has at least this share of the words of the longer: one word alone is like everything.
const ALIKE_LENGTHS: f64 = 0.5;
/// Most traces that are named of a group.
const TRACES_SHOWN: usize = 10;

/// What a failure says in words, or its kind where it has none.
pub(crate) fn failure_text(event: &Event) -> String {
    let text = event.whole_text();
    if text.is_empty() { event.header.kind.clone() } else { text }
}

/// The failures and timeouts a reader can see that happened at or after a moment, in order of seq: by their status, or by
/// their kind where they have none.
pub(crate) fn failures(viewpoint: &Viewpoint, horizon: u64, since: Option<Time>) -> Result<Vec<u64>> {
    let mut selects: Vec<Vec<Filter>> =
        [Status::Failure, Status::Timeout].map(|status| vec![Filter::Is("status", status.word().into())]).into();
    for kind in failing_kinds(viewpoint, horizon)? {
        selects.push(vec![Filter::Is("kind", kind.as_str().into()), Filter::IsNull("status")]);
    }
    let mut seqs = Vec::new();
    for filters in selects {
        let mut select = Select { filters, ..Select::from(&TIMELINE, horizon) };
        if let Some(since) = since {
            select = select.filter(Filter::AtLeast("ts", since.0.into()));
        }
        seqs.extend(viewpoint.seqs(&select)?);
    }
    seqs.sort_unstable();
    Ok(seqs)
}

/// The kinds that tell of a failure by themselves, of all that ever occurred in the space.
fn failing_kinds(viewpoint: &Viewpoint, horizon: u64) -> Result<BTreeSet<String>> {
    let kinds = Select::from(&COUNTERS, horizon).filter(Filter::Is("dimension", (Dimension::Kind as i64).into()));
    let rows = viewpoint.space().select(&kinds)?;
    let kinds = rows.iter().filter_map(|row| row.values.get(1)?.text());
    Ok(kinds.filter(|kind| is_failing_kind(kind) && !is_upkeep(kind)).map(str::to_owned).collect())
}

/// Failures that resemble each other, while they are gone through.
struct Group {
    general: String,
    words: usize,
    count: usize,
    first: Time,
    last: (Time, u64),
    example: String,
    id: String,
    kinds: Vec<String>,
    traces: Vec<String>,
}

/// Groups the failures of a reader since a moment, the largest group first.
pub fn grouped(viewpoint: &Viewpoint, horizon: u64, since: Time) -> Result<(Vec<FailureGroup>, usize)> {
    let mut seqs = failures(viewpoint, horizon, Some(since))?;
    let left_out = seqs.len().saturating_sub(FAILURES_MAX);
    seqs.drain(..left_out);
    let mut groups: Vec<Group> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    for page in seqs.chunks(PAGE_EVENTS) {
        for event in viewpoint.space().events(page)? {
            let example = failure_text(&event);
            let general = without_particulars(&example);
            let at = known.get(&general).copied().or_else(|| nearest(&groups, &general)).unwrap_or(groups.len());
            known.insert(general.clone(), at);
            if at == groups.len() {
                groups.push(Group::new(general, &event));
            }
            groups[at].take(&event, example);
        }
    }
    groups.sort_by_key(|group| std::cmp::Reverse((group.count, group.last)));
    let places = viewpoint.places(&groups.iter().map(|group| group.last.1).collect::<Vec<_>>(), horizon)?;
    let shown = groups.into_iter().zip(places).map(|(group, place)| FailureGroup {
        count: group.count,
        first: group.first,
        last: group.last.0,
        example: group.example,
        place,
        id: group.id,
        kinds: group.kinds,
        traces: group.traces.into_iter().rev().take(TRACES_SHOWN).collect(),
    });
    Ok((shown.collect(), left_out))
}

fn nearest(groups: &[Group], general: &str) -> Option<usize> {
    let words = general.split_whitespace().count();
    let mut best: Option<(f64, usize)> = None;
    for (at, group) in groups.iter().enumerate().rev().take(COMPARED_MAX) {
        if (words.min(group.words) as f64) < ALIKE_LENGTHS * words.max(group.words) as f64 {
            continue;
        }
        let ratio = fuzzy::token_set_ratio_cutoff(general, &group.general, ALIKE_RATIO);
        if ratio >= ALIKE_RATIO && best.is_none_or(|(most, _)| ratio > most) {
            best = Some((ratio, at));
        }
    }
    best.map(|(_, at)| at)
}

impl Group {
    fn new(general: String, event: &Event) -> Self {
        Self {
            words: general.split_whitespace().count(),
            general,
            count: 0,
            first: event.ts(),
            last: (event.ts(), event.seq()),
            example: String::new(),
            id: String::new(),
            kinds: Vec::new(),
            traces: Vec::new(),
        }
    }

    fn take(&mut self, event: &Event, example: String) {
        self.count += 1;
        self.first = self.first.min(event.ts());
        if (event.ts(), event.seq()) >= self.last {
            self.last = (event.ts(), event.seq());
            self.example = example;
            self.id.clone_from(&event.header.id);
        }
        if !self.kinds.contains(&event.header.kind) {
            self.kinds.push(event.header.kind.clone());
        }
        if let Some(trace) = event.fields.as_ref().and_then(|fields| fields.trace_id.as_ref()) {
            self.traces.retain(|other| other != trace);
            self.traces.push(trace.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_from_run_to_run_has_one_name() {
        for (one, other) in [
            ("Timeout after 30s on port 8080", "timeout after 45s on port 9090!"),
            ("cannot open /tmp/a/b.txt: denied", "cannot open ~/x/y: denied"),
            ("object 3f2a9c1e77 is gone", "object 0xdeadbeef01 is gone"),
            ("run 0191f6a2-7a4e-7c3b-9f00-1234567890ab died", "run 0191f6a2-ffff-7c3b-9f00-aaaaaaaaaaa1 died"),
        ] {
            assert_eq!(without_particulars(one), without_particulars(other));
        }
        assert_ne!(without_particulars("the facade faded"), without_particulars("the facade fell"));
    }
}
