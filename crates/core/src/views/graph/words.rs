//! The closed vocabularies of the graph, and how the words of real files are read as one of theirs.

use crate::words::words;

words! {
    /// What a node is: the six of specification 004, the three of 003, and what facts are about.
    NodeType as "type" {
        /// A part of what is built.
        Component = "component",
        /// Something to do.
        Task = "task",
        /// Something of others that is used.
        Dependency = "dependency",
        /// A choice that was made.
        Decision = "decision",
        /// A text.
        Document = "document",
        /// A threshold.
        Milestone = "milestone",
        /// A skill of an agent.
        Skill = "skill",
        /// Skills that belong together.
        Pack = "pack",
        /// A file.
        File = "file",
        /// Whom or what a fact is about, or what it says of it.
        Entity = "entity",
    }
}

words! {
    /// How a node stands.
    NodeStatus as "status" {
        /// In use or at work.
        Active = "active",
        /// Something stands in its way.
        Blocked = "blocked",
        /// Done.
        Completed = "completed",
        /// No longer to be used.
        Deprecated = "deprecated",
        /// To come.
        Planned = "planned",
    }
}

words! {
    /// What an edge says: the eight of specification 004, the two of 003, and what facts say.
    Relation as "relation" {
        /// The first needs the second.
        DependsOn = "depends_on",
        /// The first stands in the second's way.
        Blocks = "blocks",
        /// The first is carried out in the second, or carries it out.
        Implements = "implements",
        /// The first checks the second.
        Tests = "tests",
        /// The first describes the second.
        Documents = "documents",
        /// The first is inside the second: child to parent, as every real file has it.
        Contains = "contains",
        /// The first comes before the second.
        Precedes = "precedes",
        /// They have to do with each other.
        RelatedTo = "related_to",
        /// The first belongs to the second.
        PartOf = "part_of",
        /// The first names the second.
        References = "references",
        /// A fact: the first has the second as the value of an attribute.
        States = "states",
    }
}

/// A word in the one spelling of keys: small letters, with `_` for spaces and hyphens.
pub fn key(text: &str) -> String {
    let text = text.trim().trim_matches(['*', '`', ':']).trim();
    text.chars().map(|c| if c.is_whitespace() || c == '-' { '_' } else { c }).flat_map(char::to_lowercase).collect()
}

impl NodeType {
    /// The type a word of any spelling means.
    pub fn of(text: &str) -> Option<Self> {
        Self::parse(&key(text)).ok()
    }
}

impl NodeStatus {
    /// The status a word of any spelling means; files have more words than the specification.
    pub fn of(text: &str) -> Option<Self> {
        Some(match key(text).as_str() {
            "active" | "in_progress" | "started" | "open" | "unblocked" => Self::Active,
            "blocked" => Self::Blocked,
            "completed" | "complete" | "done" | "achieved" | "resolved" | "finished" | "closed" => Self::Completed,
            "deprecated" | "removed" | "deleted" | "obsolete" | "cancelled" | "canceled" => Self::Deprecated,
            "planned" | "pending" | "todo" | "not_started" | "backlog" | "proposed" => Self::Planned,
            _ => return None,
        })
    }
}

impl Relation {
    /// The relation a word of any spelling means.
    pub fn of(text: &str) -> Option<Self> {
        Self::parse(&key(text)).ok()
    }
}
