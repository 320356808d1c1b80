//! The keys of Details that mean something to the graph.

use super::words::{NodeType, Relation};

/// The keys under which an event names what it is about, whatever its type.
pub const ENTITY: [&str; 4] = ["entity", "entities", "node", "nodes"];
/// The keys that name it and say what it is.
pub const TYPED: [(&str, NodeType); 8] = [
    ("task", NodeType::Task),
    ("tasks", NodeType::Task),
    ("component", NodeType::Component),
    ("components", NodeType::Component),
    ("document", NodeType::Document),
    ("skill", NodeType::Skill),
    ("pack", NodeType::Pack),
    ("file", NodeType::File),
];
/// The keys that say what it is.
pub const TYPE: [&str; 3] = ["type", "kind", "node_type"];
/// The keys that tie what an event is about to other nodes.
pub const RELATIONS: [(&str, Relation); 8] = [
    ("depends_on", Relation::DependsOn),
    ("implements", Relation::Implements),
    ("tests", Relation::Tests),
    ("documents", Relation::Documents),
    ("precedes", Relation::Precedes),
    ("related_to", Relation::RelatedTo),
    ("part_of", Relation::PartOf),
    ("references", Relation::References),
];
/// The keys that are attributes whatever the type of the event.
pub const ATTRIBUTES: [&str; 8] = ["path", "purpose", "version", "phase", "assignee", "priority", "owner", "tier"];
/// The types of which every other detail is an attribute too…
pub const OPEN: [&str; 5] = ["create", "modify", "change", "dependency", "milestone"];
/// …but these, which say what happened and not how a thing is.
pub const TOLD: &[&str] = &[
    "entity",
    "entities",
    "node",
    "nodes",
    "target",
    "targets",
    "name",
    "type",
    "kind",
    "node_type",
    "status",
    "attribute",
    "from",
    "to",
    "rationale",
    "reason",
    "changes",
    "change",
    "symptom",
    "root_cause",
    "resolution",
    "resolution_path",
    "result",
    "blocked_entity",
    "blocking_entity",
    "blocked",
    "blocking",
    "blocks",
    "blocked_by",
    "contains",
    "required_by",
    "used_by",
    "needed_by",
    "context",
    "requested_action",
    "from_agent",
    "to_agent",
    "payload",
    "payload_summary",
    "what",
    "why",
    "impact",
    "next_steps",
    "title",
    "summary",
    "description",
    "notes",
    "note",
    "duration_ms",
    "duration_seconds",
    "duration_minutes",
    "importance",
    "supersedes",
    "grades",
];
