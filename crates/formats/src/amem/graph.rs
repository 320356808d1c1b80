//! How notes hang together: links both ways, links that lead nowhere, how strongly each note is tied in, and communities.
//!
//! Whole numbers in a fixed order throughout: the same notes give the same file on every machine.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::links::{Cluster, Linked, Links};

mod communities;

/// A tag or trace that more notes share than this says little about any two of them, and ties none.
pub const SHARED_MAX_NOTES: usize = 64;
/// Most words of a note that are compared.
pub const WORDS_MAX: usize = 128;
/// How many of a note's ties count for its strength: the strongest.
const TIES_MAX: usize = 8;

/// A note as the graph sees it.
#[derive(Debug, Clone, Default)]
pub struct Node {
    /// Its id.
    pub id: String,
    /// Another name it is linked by.
    pub alias: Option<String>,
    /// The ids it leads to, as written.
    pub links: Vec<String>,
    /// Its tags.
    pub tags: Vec<String>,
    /// The traces it came from.
    pub traces: Vec<String>,
    /// Its words, as [`words`] gives them.
    pub words: Vec<u32>,
}

/// What hangs together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Graph {
    /// Links both ways, strengths and clusters, ready to be written.
    pub links: Links,
    /// Links to notes that do not exist: from, to.
    pub dangling: Vec<(String, String)>,
}

impl Graph {
    /// The links with those among them that lead to notes which do not exist yet, marked as such.
    pub fn with_missing(self) -> Links {
        let mut links = self.links;
        for (from, to) in self.dangling {
            let note = links.notes.entry(from).or_default();
            note.outgoing.insert(to.clone());
            note.missing.insert(to);
        }
        links
    }
}

/// What ties two notes, in hundredths. docs/format.md explains each part.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tie {
    /// 50 for a link one way, 70 for links both ways.
    pub links: u32,
    /// Up to 15 for the tags they share among all they have.
    pub tags: u32,
    /// 5 for a trace they share.
    pub traces: u32,
    /// Up to 10 for the words they share among those of the shorter.
    pub words: u32,
}

impl Tie {
    /// All of it.
    pub fn weight(self) -> u32 {
        self.links + self.tags + self.traces + self.words
    }
}

/// Works out the graph of some notes. Of two notes with one id the first counts.
pub fn graph(nodes: &[Node]) -> Graph {
    let mut nodes: Vec<&Node> = nodes.iter().collect();
    nodes.sort_by(|a, b| a.id.cmp(&b.id));
    nodes.dedup_by(|later, first| later.id == first.id);
    let known = Known::new(&nodes);
    let mut graph = Graph::default();
    for node in &nodes {
        graph.links.notes.insert(node.id.clone(), Linked::default());
    }
    let mut linked: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    for (at, node) in nodes.iter().enumerate() {
        for target in node.links.iter().collect::<BTreeSet<_>>() {
            match known.place.get(target.as_str()) {
                Some(to) if *to == at => {}
                Some(to) => add_link(&mut graph.links, &mut linked, (at, &node.id), (*to, &nodes[*to].id)),
                None => graph.dangling.push((node.id.clone(), target.clone())),
            }
        }
    }
    let ties = known.ties(&nodes, &linked);
    for (node, ties) in nodes.iter().zip(&ties) {
        if let Some(note) = graph.links.notes.get_mut(&node.id) {
            note.strength = Some(strength(ties));
        }
    }
    graph.links.clusters = communities::name(&nodes, &communities::find(&ties));
    graph
}

type Pairs = BTreeMap<(u32, u32), u32>;

fn add_link(links: &mut Links, pairs: &mut Pairs, from: (usize, &str), to: (usize, &str)) {
    let mut is_new = false;
    if let Some(note) = links.notes.get_mut(from.1) {
        is_new = note.outgoing.insert(to.1.to_owned());
    }
    if let Some(note) = links.notes.get_mut(to.1) {
        note.incoming.insert(from.1.to_owned());
    }
    let ways = pairs.entry(pair(from.0, to.0)).or_insert(0);
    *ways += u32::from(is_new);
}

fn pair(a: usize, b: usize) -> (u32, u32) {
    let (a, b) = (u32::try_from(a).unwrap_or(u32::MAX), u32::try_from(b).unwrap_or(u32::MAX));
    (a.min(b), a.max(b))
}

/// How strongly a note is tied in: each tie takes away up to half of what is missing to 1.
fn strength(ties: &[(u32, u32)]) -> u8 {
    let mut weights: Vec<u64> = ties.iter().map(|(_, weight)| u64::from(*weight)).collect();
    weights.sort_unstable_by(|a, b| b.cmp(a));
    let missing =
        weights.iter().take(TIES_MAX).fold(1_000_000, |missing, weight| missing * (200 - weight.min(&100)) / 200);
    u8::try_from((1_000_000 - missing + 5_000) / 10_000).unwrap_or(100)
}

/// What is known of all notes together.
struct Known<'a> {
    place: HashMap<&'a str, usize>,
    /// In how many notes a word stands.
    spread: HashMap<u32, usize>,
    tags: BTreeMap<&'a str, Vec<usize>>,
    traces: BTreeMap<&'a str, Vec<usize>>,
}

impl<'a> Known<'a> {
    fn new(nodes: &[&'a Node]) -> Self {
        let mut place = HashMap::new();
        for (at, node) in nodes.iter().enumerate() {
            place.insert(node.id.as_str(), at);
        }
        for (at, node) in nodes.iter().enumerate() {
            if let Some(alias) = &node.alias {
                place.entry(alias).or_insert(at);
            }
        }
        let mut known = Self { place, spread: HashMap::new(), tags: BTreeMap::new(), traces: BTreeMap::new() };
        for (at, node) in nodes.iter().enumerate() {
            node.words.iter().for_each(|word| *known.spread.entry(*word).or_insert(0) += 1);
            for (table, keys) in [(&mut known.tags, &node.tags), (&mut known.traces, &node.traces)] {
                for key in keys.iter().collect::<BTreeSet<_>>() {
                    table.entry(key.as_str()).or_default().push(at);
                }
            }
        }
        known
    }

    /// The ties of every note: the other note, and the weight. Only notes that are linked or share a tag or trace that
    /// few share are compared, so the work grows with the notes and not with their square.
    fn ties(&self, nodes: &[&Node], linked: &Pairs) -> Vec<Vec<(u32, u32)>> {
        let mut pairs: Vec<(u32, u32)> = linked.keys().copied().collect();
        for sharing in self.tags.values().chain(self.traces.values()).filter(|s| s.len() <= SHARED_MAX_NOTES) {
            for (at, a) in sharing.iter().enumerate() {
                pairs.extend(sharing[at + 1..].iter().map(|b| pair(*a, *b)));
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        let marks: Vec<Marks> = nodes.iter().map(|node| self.marks(node, nodes.len())).collect();
        let mut ties = vec![Vec::new(); nodes.len()];
        for (a, b) in pairs {
            let (at, to) = (a as usize, b as usize);
            let ways = linked.get(&(a, b)).copied().unwrap_or(0);
            let weight = tie(&marks[at], &marks[to], ways).weight();
            if weight > 0 {
                ties[at].push((b, weight));
                ties[to].push((a, weight));
            }
        }
        ties
    }

    /// A note in numbers; words that stand in more than every eighth note are left out.
    fn marks(&self, node: &Node, notes: usize) -> Marks {
        let most = (notes / 8).max(2);
        let words = node.words.iter().copied().filter(|word| self.spread.get(word).is_some_and(|n| *n <= most));
        Marks { tags: numbers(&node.tags), traces: numbers(&node.traces), words: words.collect() }
    }
}

/// What is compared of a note: sorted numbers.
struct Marks {
    tags: Vec<u32>,
    traces: Vec<u32>,
    words: Vec<u32>,
}

/// Some names as numbers, sorted, each once.
fn numbers(names: &[String]) -> Vec<u32> {
    names.iter().map(|name| number(name)).collect::<BTreeSet<_>>().into_iter().collect()
}

fn tie(a: &Marks, b: &Marks, ways: u32) -> Tie {
    let part = |most: u32, shared: usize, of: usize| match u32::try_from(of) {
        Ok(of @ 1..) => most * u32::try_from(shared).unwrap_or(0) / of,
        _ => 0,
    };
    let tags = common(&a.tags, &b.tags);
    Tie {
        links: [0, 50, 70][ways.min(2) as usize],
        tags: part(15, tags, a.tags.len() + b.tags.len() - tags),
        traces: if common(&a.traces, &b.traces) > 0 { 5 } else { 0 },
        words: part(10, common(&a.words, &b.words), a.words.len().min(b.words.len())),
    }
}

/// How many numbers two sorted lists share.
fn common(one: &[u32], other: &[u32]) -> usize {
    let (mut a, mut b, mut count) = (0, 0, 0);
    while a < one.len() && b < other.len() {
        match one[a].cmp(&other[b]) {
            std::cmp::Ordering::Less => a += 1,
            std::cmp::Ordering::Greater => b += 1,
            std::cmp::Ordering::Equal => {
                (a, b, count) = (a + 1, b + 1, count + 1);
            }
        }
    }
    count
}

/// The first different words of a text, of four letters or more, each as a number, sorted.
pub fn words(text: &str) -> Vec<u32> {
    let mut found = BTreeSet::new();
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|w| w.chars().nth(3).is_some()) {
        found.insert(number(word));
        if found.len() == WORDS_MAX {
            break;
        }
    }
    found.into_iter().collect()
}

/// A word as a number, whatever its case. FNV-1a: the same everywhere, and cheap.
fn number(word: &str) -> u32 {
    let letters = word.chars().flat_map(char::to_lowercase);
    letters.fold(0x811c_9dc5, |sum: u32, c| (sum ^ u32::from(c)).wrapping_mul(0x0100_0193))
}

/// What ties two notes, for explaining a strength. `notes` are all of them.
pub fn explain(nodes: &[Node], a: &str, b: &str) -> Option<Tie> {
    let refs: Vec<&Node> = nodes.iter().collect();
    let known = Known::new(&refs);
    let (at, to) = (*known.place.get(a)?, *known.place.get(b)?);
    let leads = |from: usize, to: usize| {
        refs[from].links.iter().any(|link| known.place.get(link.as_str()) == Some(&to) && from != to)
    };
    let ways = u32::from(leads(at, to)) + u32::from(leads(to, at));
    let marks = |at: usize| known.marks(refs[at], refs.len());
    Some(tie(&marks(at), &marks(to), ways))
}

#[cfg(test)]
mod tests;
