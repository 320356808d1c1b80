//! Communities of notes: each note takes the name most of its ties have, in a fixed order, until nothing changes.

use std::collections::{BTreeMap, BTreeSet};

use super::{Cluster, Node};

/// Most rounds: nearly always far fewer change anything.
const ROUNDS_MAX: usize = 30;
/// Ties weaker than this make no community.
const WEIGHT_MIN: u32 = 5;

/// The community of every note, as the place of one of its members.
pub(super) fn find(ties: &[Vec<(u32, u32)>]) -> Vec<u32> {
    let mut labels: Vec<u32> = (0..ties.len()).map(|at| u32::try_from(at).unwrap_or(u32::MAX)).collect();
    let mut sums: BTreeMap<u32, u64> = BTreeMap::new();
    for _ in 0..ROUNDS_MAX {
        let mut is_settled = true;
        for (at, ties) in ties.iter().enumerate() {
            sums.clear();
            for (other, weight) in ties.iter().filter(|(_, weight)| *weight >= WEIGHT_MIN) {
                *sums.entry(labels[*other as usize]).or_insert(0) += u64::from(*weight);
            }
            let Some(best) = sums.values().max().copied() else { continue };
            // A note stays where it is as long as that is among the best; else the lowest counts.
            if sums.get(&labels[at]) == Some(&best) {
                continue;
            }
            if let Some((label, _)) = sums.iter().find(|(_, sum)| **sum == best) {
                labels[at] = *label;
                is_settled = false;
            }
        }
        if is_settled {
            break;
        }
    }
    labels
}

/// The communities of two notes or more, each named by the tag that is most its own.
pub(super) fn name(nodes: &[&Node], labels: &[u32]) -> Vec<Cluster> {
    let mut members: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (at, label) in labels.iter().enumerate() {
        members.entry(*label).or_default().push(at);
    }
    let mut spread: BTreeMap<&str, u64> = BTreeMap::new();
    for tag in nodes.iter().flat_map(|n| n.tags.iter().collect::<BTreeSet<_>>()) {
        *spread.entry(tag).or_insert(0) += 1;
    }
    // The largest choose first; the order of the ids decides between equals.
    let mut groups: Vec<Vec<usize>> = members.into_values().filter(|group| group.len() > 1).collect();
    groups.sort_by(|a, b| b.len().cmp(&a.len()).then(a.cmp(b)));
    let mut used = BTreeSet::new();
    let mut clusters: Vec<Cluster> = Vec::with_capacity(groups.len());
    for group in groups {
        let ids: BTreeSet<String> = group.iter().map(|at| nodes[*at].id.clone()).collect();
        let telling = telling(nodes, &group, &spread).into_iter().find(|tag| !used.contains(*tag));
        let base = telling.map_or_else(|| ids.first().cloned().unwrap_or_default(), str::to_owned);
        let numbered = (2..).map(|n| format!("{base}-{n}"));
        let name = std::iter::once(base.clone()).chain(numbered).find(|name| !used.contains(name)).unwrap_or(base);
        used.insert(name.clone());
        clusters.push(Cluster { name, notes: ids });
    }
    clusters.sort();
    clusters
}

/// The tags that two members or more have, the most telling first: many members have it, and few others.
fn telling<'a>(nodes: &[&'a Node], group: &[usize], spread: &BTreeMap<&str, u64>) -> Vec<&'a str> {
    let mut inside: BTreeMap<&str, u64> = BTreeMap::new();
    for tag in group.iter().flat_map(|at| nodes[*at].tags.iter().collect::<BTreeSet<_>>()) {
        *inside.entry(tag).or_insert(0) += 1;
    }
    let mut tags: Vec<(&str, u64, u64)> = inside
        .into_iter()
        .filter(|(_, count)| *count > 1)
        .map(|(tag, count)| (tag, count, spread.get(tag).copied().unwrap_or(1)))
        .collect();
    // count² / spread, compared without dividing.
    tags.sort_by(|a, b| (b.1 * b.1 * a.2).cmp(&(a.1 * a.1 * b.2)).then(b.1.cmp(&a.1)).then(a.0.cmp(b.0)));
    tags.into_iter().map(|(tag, ..)| tag).collect()
}
