//! A graph read from tables, bullets and arrows.

use super::{Attributes, Count, Edge, Graph, GraphFile, Node};
use crate::markdown::Problem;
use crate::markdown::changelog::{Generation, event_numbers, is_none, split_key};
use crate::markdown::lines::{Lines, Quote, bullet, is_rule};
use crate::markdown::seal::is_mark;
use crate::markdown::table::{cells, is_ruler, said, says_something};

/// The part of the file a line stands in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Top,
    Nodes,
    Edges,
    Meta,
    Entities,
    Relations,
    Statistics,
    Other,
}

struct Reader<'a> {
    lines: Lines<'a>,
    file: GraphFile,
    part: Part,
    /// The heading of the third level: a kind of entity or a relation.
    heading: &'a str,
    /// The names of the columns of the table that is read.
    columns: Vec<String>,
    has_title: bool,
}

pub(super) fn read(text: &str) -> GraphFile {
    let file = GraphFile {
        generation: None,
        graph: Graph::default(),
        counts: (None, None),
        horizon_line: 1,
        aside: Vec::new(),
        problems: Vec::new(),
    };
    let lines = Lines::of(text);
    let mut reader = Reader { lines, file, part: Part::Top, heading: "", columns: Vec::new(), has_title: false };
    for at in 0..reader.lines.len() {
        reader.line(at);
    }
    reader.file
}

impl<'a> Reader<'a> {
    fn line(&mut self, at: usize) {
        let line = self.lines.text(at);
        if let Some((level, title)) = self.lines.heading(at) {
            return self.title(at, level, title);
        }
        let is_comment = self.lines.quote(at) == Quote::Comment || is_mark(line);
        if line.trim().is_empty() || is_comment || is_rule(line) {
            return;
        }
        if self.lines.quote(at) == Quote::Fence || !self.said(at, line) {
            self.file.aside.push((at as u64 + 1, line.to_owned()));
        }
    }

    fn title(&mut self, at: usize, level: usize, title: &'a str) {
        self.columns.clear();
        let generation = match (level, title.to_lowercase().as_str()) {
            (1, "knowledge graph") => {
                self.has_title = true;
                None
            }
            (2, "nodes") => self.enter(Part::Nodes, Some(Generation::Two)),
            (2, "edges") => self.enter(Part::Edges, Some(Generation::Two)),
            (2, "meta") => self.enter(Part::Meta, None),
            // Others use these words too: without the title it is not the protocol's.
            (2, "entities") => self.enter(Part::Entities, Some(Generation::One).filter(|_| self.has_title)),
            (2, "relations") => self.enter(Part::Relations, Some(Generation::One).filter(|_| self.has_title)),
            (2, "statistics") => self.enter(Part::Statistics, None),
            (3, _) if matches!(self.part, Part::Entities | Part::Relations) => {
                self.heading = title;
                None
            }
            (level, _) => {
                if level <= 2 {
                    self.part = Part::Other;
                }
                self.file.aside.push((at as u64 + 1, self.lines.text(at).to_owned()));
                None
            }
        };
        self.file.generation = self.file.generation.or(generation);
    }

    fn enter(&mut self, part: Part, generation: Option<Generation>) -> Option<Generation> {
        self.part = part;
        self.heading = "";
        generation
    }

    /// Reads a line where it stands; `false` when it says nothing there.
    fn said(&mut self, at: usize, line: &str) -> bool {
        let number = at as u64 + 1;
        match self.part {
            Part::Nodes | Part::Edges | Part::Entities => match cells(line) {
                Some(cells) => self.row(number, line, cells),
                None if self.part == Part::Entities => self.entity(number, line),
                None => false,
            },
            Part::Relations => self.arrow(number, line),
            Part::Top | Part::Meta => self.meta(number, line),
            Part::Statistics => true,
            Part::Other => false,
        }
    }

    fn row(&mut self, line: u64, raw: &str, cells: Vec<String>) -> bool {
        if is_ruler(&cells) {
            return true;
        }
        if self.columns.is_empty() {
            self.columns = cells.iter().map(|cell| cell.to_lowercase()).collect();
            return true;
        }
        if (0..cells.len()).all(|at| said(&cells, at).is_none()) {
            return true;
        }
        match self.part {
            Part::Nodes => self.node(line, raw, &cells),
            Part::Edges => self.edge(line, raw, &cells),
            _ => self.entity_row(line, &cells),
        }
    }

    fn node(&mut self, line: u64, raw: &str, cells: &[String]) -> bool {
        let Some(name) = named(cells, 0) else {
            return false;
        };
        if cells.len() < 5 {
            let remedy = "a node has six cells: Node, Type, Status, Created (evt), Last Event, Attributes";
            self.problem(line, "node-cells", format!("the node '{name}' has {} cells", cells.len()), remedy, raw);
        }
        let node = Node {
            name,
            kind: named(cells, 1).unwrap_or_default(),
            status: named(cells, 2).unwrap_or_default(),
            created: self.event(line, cells, 3, raw),
            last: self.event(line, cells, 4, raw),
            attributes: said(cells, 5).map(attributes).unwrap_or_default(),
            line,
        };
        self.file.graph.nodes.push(node);
        true
    }

    fn edge(&mut self, line: u64, raw: &str, cells: &[String]) -> bool {
        let (Some(from), Some(to), Some(relation)) = (named(cells, 0), named(cells, 1), named(cells, 2)) else {
            let remedy = "an edge has five cells: From, To, Relation, Created (evt), Attributes";
            self.problem(
                line,
                "edge-cells",
                "an edge without a beginning, an end or a relation".to_owned(),
                remedy,
                raw,
            );
            return false;
        };
        let edge = Edge {
            from,
            to,
            relation,
            created: self.event(line, cells, 3, raw),
            attributes: said(cells, 4).map(attributes).unwrap_or_default(),
            line,
        };
        self.file.graph.edges.push(edge);
        true
    }

    fn event(&mut self, line: u64, cells: &[String], at: usize, raw: &str) -> Option<u64> {
        let cell = said(cells, at)?;
        let number = event_numbers(cell).next();
        if number.is_none() {
            let reason = format!("'{cell}' is not an event");
            self.problem(line, "graph-event", reason, "name the event by its id, such as evt-001, or write —", raw);
        }
        number
    }

    /// A row of a table of entities: `[[id]]`, and the rest by the names of the columns.
    fn entity_row(&mut self, line: u64, cells: &[String]) -> bool {
        let Some(id) = cells.first().and_then(|cell| links(cell).next()) else {
            return false;
        };
        let mut node = Node { name: id, kind: entity_kind(self.heading), line, ..Node::default() };
        for (at, column) in self.columns.iter().enumerate().skip(1) {
            match (column.as_str(), said(cells, at)) {
                (_, None) => {}
                ("status", Some(cell)) => node.status = bare(cell),
                (column, Some(cell)) => node.attributes.push((column.replace(' ', "_"), cell.to_owned())),
            }
        }
        self.file.graph.nodes.push(node);
        true
    }

    /// `- [[id]] — Name — Status — Pack`, in the order its kind has.
    fn entity(&mut self, line: u64, raw: &str) -> bool {
        let Some((_, text)) = bullet(raw) else { return false };
        let mut parts = text.split(['—', '–']).map(str::trim);
        let Some(id) = parts.next().and_then(|first| links(first).next()) else {
            return false;
        };
        let kind = entity_kind(self.heading);
        let keys: &[&str] = match kind.as_str() {
            "pack" => &["name", "completion", "skills"],
            "file" => &["type", "related"],
            _ => &["name", "status", "pack"],
        };
        let mut node = Node { name: id, kind, line, ..Node::default() };
        for (at, part) in parts.enumerate().filter(|(_, part)| !is_none(part)) {
            match keys.get(at).copied().unwrap_or_default() {
                "status" => node.status = bare(part),
                key => node.attributes.push((key.to_owned(), part.to_owned())),
            }
        }
        self.file.graph.nodes.push(node);
        true
    }

    /// `- [[a]] → depends on → [[b]], [[c]] (note)` or, under the heading of a relation, `- [[a]] → [[b]]`.
    fn arrow(&mut self, line: u64, raw: &str) -> bool {
        let text = bullet(raw).map_or(raw, |(_, text)| text).replace("->", "→");
        let mut parts = text.split('→').map(str::trim);
        let Some(from) = parts.next().and_then(|first| links(first).next()) else {
            return false;
        };
        let (relation, targets) = match (parts.next(), parts.next()) {
            (Some(relation), Some(targets)) => (slug(relation), targets),
            (Some(targets), None) => (slug(self.heading), targets),
            _ => return false,
        };
        // An edge that says nothing would be lost when it is written as a row.
        let relation = if relation.is_empty() { "related_to".to_owned() } else { relation };
        let note = targets.rfind("]]").map_or("", |end| targets[end + 2..].trim());
        let note = note.strip_prefix('(').and_then(|n| n.strip_suffix(')')).unwrap_or(note);
        let attributes: Attributes = (!note.is_empty()).then(|| (String::new(), note.to_owned())).into_iter().collect();
        let before = self.file.graph.edges.len();
        for to in links(targets) {
            let (from, relation, attributes) = (from.clone(), relation.clone(), attributes.clone());
            self.file.graph.edges.push(Edge { from, to, relation, created: None, attributes, line });
        }
        self.file.graph.edges.len() > before
    }

    fn meta(&mut self, line: u64, raw: &str) -> bool {
        let text = bullet(raw).map_or(raw, |(_, text)| text);
        let Some((key, value)) = split_key(text) else { return false };
        let key = key.replace('*', "").to_lowercase();
        let number = || {
            let digits = value.bytes().take_while(u8::is_ascii_digit).count();
            value[..digits].parse().ok().map(|number| Count { number, line })
        };
        match key.as_str() {
            "last updated" => {
                self.file.graph.updated = Some(bare(value)).filter(|value| !is_none(value) && says_something(value));
            }
            "event horizon" => {
                self.file.graph.horizon = event_numbers(value).next();
                self.file.horizon_line = line;
            }
            "nodes" if self.part == Part::Meta => self.file.counts.0 = number(),
            "edges" if self.part == Part::Meta => self.file.counts.1 = number(),
            "source" => {}
            _ => return false,
        }
        true
    }

    fn problem(&mut self, line: u64, rule: &'static str, reason: String, remedy: &str, raw: &str) {
        self.file.problems.push(Problem::new(line, rule, reason, remedy, raw).harmless());
    }
}

/// The names in double brackets.
fn links(text: &str) -> impl Iterator<Item = String> + '_ {
    let inner = text.split("[[").skip(1).filter_map(|part| part.split_once("]]"));
    inner.map(|(name, _)| bare(name)).filter(|name| says_something(name))
}

/// What a cell names, if it names anything.
fn named(cells: &[String], at: usize) -> Option<String> {
    said(cells, at).map(bare).filter(|name| says_something(name))
}

/// A name without its marks, and without what no file shows: it would not be there when it is printed.
fn bare(text: &str) -> String {
    let visible: String = text.chars().filter(|c| !c.is_control()).collect();
    visible.trim_matches(|c: char| matches!(c, '`' | '*') || c.is_whitespace()).to_owned()
}

fn slug(text: &str) -> String {
    text.to_lowercase().split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).collect::<Vec<_>>().join("_")
}

/// `skill`, `pack` or `file` for the headings that mean them, and the heading's own words for another.
fn entity_kind(heading: &str) -> String {
    let words = heading.split('(').next().unwrap_or_default().to_lowercase();
    let last = words.split_whitespace().last().unwrap_or_default();
    match last {
        "packs" | "pack" => "pack".to_owned(),
        "skills" | "skill" => "skill".to_owned(),
        "files" | "file" => "file".to_owned(),
        _ => slug(words.trim_end_matches('s')),
    }
}

/// `key: value, key: value`, free text between them.
fn attributes(text: &str) -> Attributes {
    let part = |part: &str| match part.split_once(": ") {
        Some((key, value)) if is_key(key) => (key.to_owned(), value.to_owned()),
        _ => (String::new(), part.to_owned()),
    };
    text.split(", ").map(part).collect()
}

/// Whether a word can be the key of an attribute.
pub(super) fn is_key(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
}
