//! The tables of the graph, and their rows as things.

use serde::Serialize;

use super::super::schema::{Shape, Table, Value};
use super::words::{NodeStatus, NodeType, Relation};

/// Rows made by one event have places of their own behind its seq.
pub const PLACES_AN_EVENT: i64 = 1 << 16;

/// One row for each event of a changelog: its number there, and what later events need to know of it.
pub static ENTRIES: Table = Table {
    name: "entries",
    shape: Shape::Entity { key: 1 },
    columns: &["event", "number", "seq", "type", "ts", "scope", "identity", "blocks", "answered"],
    indexes: &[&["number"]],
    places: &[("seq", 1)],
};

/// One row for each node. What stands behind `place` is for the rules alone.
pub static NODES: Table = Table {
    name: "nodes",
    shape: Shape::Entity { key: 1 },
    columns: &[
        "node",
        "type",
        "status",
        "created",
        "last",
        "attributes",
        "place",
        "implied",
        "tested",
        "blocks",
        "blocked_by",
        "before",
    ],
    indexes: &[],
    places: &[("place", PLACES_AN_EVENT)],
};

/// One row for each edge there ever was; `gone` is 1 for one that a fix took away.
pub static EDGES: Table = Table {
    name: "edges",
    shape: Shape::Entity { key: 3 },
    columns: &["from", "to", "relation", "created", "attributes", "gone", "removed", "place"],
    indexes: &[],
    places: &[("place", PLACES_AN_EVENT)],
};

/// Names with their values, in the order they were given; a free text has no name.
pub type Attributes = Vec<(String, String)>;

/// A node of the graph.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Node {
    /// Its name.
    pub node: String,
    /// What it is.
    #[serde(rename = "type", serialize_with = "type_word")]
    pub kind: NodeType,
    /// How it stands.
    #[serde(serialize_with = "status_word")]
    pub status: NodeStatus,
    /// The event that made it; none where a graph that was taken over does not say.
    pub created: Option<String>,
    /// The event that last concerned it.
    pub last: Option<String>,
    /// What else is known of it.
    pub attributes: Attributes,
    /// Where it stands among all nodes by when it was made.
    #[serde(skip)]
    pub place: i64,
    /// Whether it was only ever named by others, so that what it is may still be said.
    #[serde(skip)]
    pub implied: bool,
    /// The last event that tested it.
    pub tested: Option<String>,
    /// What it stands in the way of.
    #[serde(skip)]
    pub blocks: Vec<String>,
    /// What stands in its way.
    #[serde(skip)]
    pub blocked_by: Vec<String>,
    /// How it stood before it was blocked.
    #[serde(skip)]
    pub before: Option<NodeStatus>,
}

/// An edge of the graph.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Edge {
    /// Where it begins.
    pub from: String,
    /// Where it ends.
    pub to: String,
    /// What it says.
    #[serde(serialize_with = "relation_word")]
    pub relation: Relation,
    /// The event that made it.
    pub created: Option<String>,
    /// What else is known of it.
    pub attributes: Attributes,
    /// Whether it was taken away.
    #[serde(skip)]
    pub gone: bool,
    /// The event that took it away.
    #[serde(skip)]
    pub removed: Option<String>,
    /// Where it stands among all edges by when it was made.
    #[serde(skip)]
    pub place: i64,
}

/// An event of a changelog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraphEvent {
    /// Its id.
    pub event: String,
    /// Its number in a CHANGELOG.md, where it stands in one.
    pub number: Option<i64>,
    /// Its seq.
    pub seq: i64,
    /// Its kind.
    pub kind: String,
    /// When it happened, in microseconds.
    pub ts: i64,
    /// The areas it affects, as written.
    pub scope: String,
    /// What it is known by in a CHANGELOG.md, whatever its number.
    pub identity: Option<String>,
    /// The `blocks` edges it told of, from and to.
    pub blocks: Vec<(String, String)>,
    /// For an escalation, the first event that refers to it.
    pub answered: Option<String>,
}

fn type_word<S: serde::Serializer>(kind: &NodeType, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(kind.word())
}

fn status_word<S: serde::Serializer>(status: &NodeStatus, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(status.word())
}

fn relation_word<S: serde::Serializer>(relation: &Relation, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(relation.word())
}

/// The cells of a row by the names of their columns.
struct Cells<'a>(&'static Table, &'a [Value]);

impl Cells<'_> {
    fn cell(&self, name: &str) -> Option<&Value> {
        self.1.get(self.0.columns.iter().position(|column| *column == name)?)
    }

    fn text(&self, name: &str) -> Option<String> {
        self.cell(name)?.text().map(str::to_owned)
    }

    fn int(&self, name: &str) -> i64 {
        self.cell(name).map_or(0, Value::int)
    }

    fn json<T: serde::de::DeserializeOwned + Default>(&self, name: &str) -> T {
        self.cell(name).and_then(Value::text).and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
    }
}

fn json<T: Serialize>(list: &[T]) -> Value {
    Value::Text(serde_json::to_string(list).unwrap_or_default())
}

impl Node {
    /// Reads a row of the table.
    pub fn of(row: &[Value]) -> Self {
        let cells = Cells(&NODES, row);
        let word = |name: &str| cells.text(name).unwrap_or_default();
        Self {
            node: word("node"),
            kind: NodeType::of(&word("type")).unwrap_or(NodeType::Component),
            status: NodeStatus::of(&word("status")).unwrap_or(NodeStatus::Active),
            created: cells.text("created"),
            last: cells.text("last"),
            attributes: cells.json("attributes"),
            place: cells.int("place"),
            implied: cells.int("implied") != 0,
            tested: cells.text("tested"),
            blocks: cells.json("blocks"),
            blocked_by: cells.json("blocked_by"),
            before: NodeStatus::of(&word("before")),
        }
    }

    /// The row of the table.
    pub(super) fn row(&self) -> Vec<Value> {
        vec![
            self.node.as_str().into(),
            self.kind.word().into(),
            self.status.word().into(),
            self.created.as_deref().into(),
            self.last.as_deref().into(),
            json(&self.attributes),
            self.place.into(),
            i64::from(self.implied).into(),
            self.tested.as_deref().into(),
            json(&self.blocks),
            json(&self.blocked_by),
            self.before.map(NodeStatus::word).into(),
        ]
    }
}

impl Edge {
    /// Reads a row of the table.
    pub fn of(row: &[Value]) -> Self {
        let cells = Cells(&EDGES, row);
        let word = |name: &str| cells.text(name).unwrap_or_default();
        Self {
            from: word("from"),
            to: word("to"),
            relation: Relation::of(&word("relation")).unwrap_or(Relation::RelatedTo),
            created: cells.text("created"),
            attributes: cells.json("attributes"),
            gone: cells.int("gone") != 0,
            removed: cells.text("removed"),
            place: cells.int("place"),
        }
    }

    /// The row of the table.
    pub(super) fn row(&self) -> Vec<Value> {
        vec![
            self.from.as_str().into(),
            self.to.as_str().into(),
            self.relation.word().into(),
            self.created.as_deref().into(),
            json(&self.attributes),
            i64::from(self.gone).into(),
            self.removed.as_deref().into(),
            self.place.into(),
        ]
    }
}

impl GraphEvent {
    /// Reads a row of the table.
    pub fn of(row: &[Value]) -> Self {
        let cells = Cells(&ENTRIES, row);
        let word = |name: &str| cells.text(name).unwrap_or_default();
        let number = match cells.cell("number") {
            Some(Value::Int(number)) => Some(*number),
            _ => None,
        };
        Self {
            event: word("event"),
            number,
            seq: cells.int("seq"),
            kind: word("type"),
            ts: cells.int("ts"),
            scope: word("scope"),
            identity: cells.text("identity"),
            blocks: cells.json("blocks"),
            answered: cells.text("answered"),
        }
    }

    /// The row of the table.
    pub(super) fn row(&self) -> Vec<Value> {
        vec![
            self.event.as_str().into(),
            self.number.into(),
            self.seq.into(),
            self.kind.as_str().into(),
            self.ts.into(),
            self.scope.as_str().into(),
            self.identity.as_deref().into(),
            json(&self.blocks),
            self.answered.as_deref().into(),
        ]
    }
}
