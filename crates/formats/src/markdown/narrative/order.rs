//! Tasks in the order that `precedes` wants, by age where it says nothing.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};

use crate::markdown::graph_file::{Edge, Node};

/// The tasks, which come by age, in an order in which none comes before one that precedes it, through others that are not
/// listed too. Where edges lead in a circle, age decides.
pub(super) fn ordered<'n>(tasks: &[&'n Node], edges: &[Edge]) -> Vec<&'n Node> {
    let mut next: HashMap<&str, Vec<&str>> = HashMap::new();
    for edge in edges.iter().filter(|edge| edge.relation == "precedes" && edge.from != edge.to) {
        next.entry(edge.from.as_str()).or_default().push(edge.to.as_str());
    }
    let mut waits: HashMap<&str, usize> = HashMap::new();
    next.values().flatten().for_each(|to| *waits.entry(to).or_insert(0) += 1);
    let age: HashMap<&str, usize> = tasks.iter().enumerate().map(|(at, node)| (node.name.as_str(), at)).collect();
    // What is not a listed task never waits longer than it must: it comes before all of them.
    let rank = |name: &str| age.get(name).map_or(0, |at| at + 1);
    let mut names: Vec<&str> = next.keys().copied().chain(age.keys().copied()).collect();
    names.sort_unstable();
    names.dedup();
    let free = names.iter().copied().filter(|name| !waits.contains_key(name));
    let mut ready: BinaryHeap<Reverse<(usize, &str)>> = free.map(|name| Reverse((rank(name), name))).collect();
    let mut left: BinaryHeap<Reverse<(usize, &str)>> = names.iter().map(|name| Reverse((rank(name), *name))).collect();
    let mut done: HashSet<&str> = HashSet::new();
    let mut order = Vec::with_capacity(tasks.len());
    // When nothing is ready and something is left, there is a circle: its oldest goes first.
    while let Some(Reverse((_, name))) = ready.pop().or_else(|| left.pop()) {
        if !done.insert(name) {
            continue;
        }
        order.extend(age.get(name).map(|at| tasks[*at]));
        for to in next.get(name).into_iter().flatten() {
            let wait = waits.entry(to).or_insert(0);
            *wait = wait.saturating_sub(1);
            if *wait == 0 && !done.contains(to) {
                ready.push(Reverse((rank(to), to)));
            }
        }
    }
    order
}
