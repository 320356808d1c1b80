//! What each type of event does to the graph. docs/graph.md states the rules as a table.

use super::details::{self, Details, slug};
use super::draft::Draft;
use super::keys::{ATTRIBUTES, ENTITY, OPEN, RELATIONS, TOLD, TYPE, TYPED};
use super::rows::Node;
use super::words::{NodeStatus, NodeType, Relation};
use crate::words::Status;
use crate::{Fields, Hash};

/// What an event is about: nodes by name, and what they are where the event says so.
struct Subjects {
    names: Vec<String>,
    kind: Option<NodeType>,
}

/// One event, while its rule is carried out.
pub struct Rules<'a, 'd> {
    pub draft: &'a mut Draft<'d>,
    pub kind: &'a str,
    pub fields: &'a Fields,
    pub details: &'a Details,
}

impl Rules<'_, '_> {
    /// Carries out the rule of the event's type. An event that names nothing is about what its Scope names.
    pub fn apply(&mut self) {
        let named = match self.kind {
            "create" => self.created(),
            "modify" | "change" => self.modified(),
            "delete" => self.deleted(),
            "test" | "result" => self.tested(),
            "decision" => self.decided(),
            "dependency" => self.depended(),
            "blocker" => self.blocked(),
            "fix" => self.fixed(),
            "milestone" => self.reached(),
            "handoff" => self.handed_over(),
            // An escalation is answered by an event that refers to it; the rest is about the log, not the project.
            _ => true,
        };
        if !named {
            self.fall_back();
        }
    }

    fn created(&mut self) -> bool {
        let subjects = self.subjects(&["target", "name"]);
        for name in &subjects.names {
            let node = self.draft.define(name, subjects.kind.unwrap_or(NodeType::Component), subjects.kind.is_some());
            // What was planned or given up is there now.
            if matches!(node.status, NodeStatus::Planned | NodeStatus::Deprecated) {
                node.become_status(NodeStatus::Active);
            }
        }
        self.update(&subjects.names)
    }

    fn modified(&mut self) -> bool {
        let subjects = self.subjects(&["target", "name"]);
        self.named(&subjects);
        self.update(&subjects.names)
    }

    fn deleted(&mut self) -> bool {
        let subjects = self.subjects(&["target", "name"]);
        self.named(&subjects);
        for name in &subjects.names {
            self.draft.concern(name, NodeType::Component).become_status(NodeStatus::Deprecated);
        }
        !subjects.names.is_empty()
    }

    fn tested(&mut self) -> bool {
        let (targets, subjects) = (self.details.names(&["target", "targets"]), self.subjects(&[]));
        // With a target, the entity is what tests it.
        let (targets, suites) = match (targets.is_empty(), subjects.names.clone()) {
            (true, names) => (names, Vec::new()),
            (false, names) => (targets, names.into_iter().collect()),
        };
        self.named(&subjects);
        let (result, coverage) = (self.result(), self.details.text(&["coverage"]));
        let is_test = self.kind == "test" || result.is_some() || coverage.is_some();
        for target in &targets {
            let event = self.draft.event();
            let node = self.draft.concern(target, NodeType::Component);
            for (name, value) in [("test_result", &result), ("coverage", &coverage)] {
                if let Some(value) = value {
                    node.set(name, value);
                }
            }
            if is_test {
                node.tested = Some(event.to_owned());
            }
            for suite in &suites {
                self.draft.edge(suite, target, Relation::Tests);
            }
        }
        let concerned = if suites.is_empty() { &targets } else { &suites };
        self.update(concerned) || !targets.is_empty()
    }

    /// How a test went, in the words of the specification where they mean one of those.
    fn result(&self) -> Option<String> {
        let by_status = || match self.fields.status.filter(|_| self.kind == "test")? {
            Status::Success => Some("pass".to_owned()),
            Status::Failure | Status::Timeout => Some("fail".to_owned()),
            Status::Pending => None,
        };
        let said = self.details.text(&["result", "test_result"]).or_else(by_status)?;
        Some(match said.to_lowercase().as_str() {
            "pass" | "passed" | "passing" | "success" | "ok" | "green" => "pass".to_owned(),
            "fail" | "failed" | "failing" | "failure" | "red" => "fail".to_owned(),
            "skip" | "skipped" => "skip".to_owned(),
            _ => said,
        })
    }

    fn decided(&mut self) -> bool {
        let (name, affected) = (self.details.name(&["name", "decision"]), self.subjects(&["affects"]));
        if name.is_none() && affected.names.is_empty() {
            return false;
        }
        let name = name.unwrap_or_else(|| self.name_of_summary());
        self.draft.define(&name, NodeType::Decision, false);
        self.named(&affected);
        for entity in &affected.names {
            self.draft.edge(&name, entity, Relation::Implements);
            if let Some((attribute, value)) = self.told_attribute() {
                set_told(self.draft.concern(entity, NodeType::Component), &attribute, &value);
            }
        }
        if let Some(status) = self.told_status() {
            self.draft.concern(&name, NodeType::Decision).become_status(status);
        }
        self.relate(&[name]);
        true
    }

    /// The first words of the summary. Where they are taken, the event's own hash makes them unique: it is the same
    /// wherever and in whatever order the event is read.
    pub(super) fn name_of_summary(&mut self) -> String {
        let words = slug(self.fields.summary.as_deref().unwrap_or_default());
        let words = if words.is_empty() { self.kind.to_owned() } else { words };
        if words != self.kind && !self.draft.knows(&words) {
            return words;
        }
        let hash = Hash::of(self.draft.event().as_bytes()).to_string();
        let digits = (6..hash.len()).find(|n| !self.draft.knows(&format!("{words}-{}", &hash[..*n])));
        format!("{words}-{}", &hash[..digits.unwrap_or(hash.len())])
    }

    fn depended(&mut self) -> bool {
        let keys = ["entity", "entities", "dependency", "dependencies", "package", "packages", "name"];
        let names = self.details.names(&keys);
        let told = self.details.names(&["required_by", "used_by", "needed_by"]);
        let users = if told.is_empty() { self.in_scope() } else { told };
        for name in &names {
            self.draft.define(name, NodeType::Dependency, false);
            for user in users.iter().filter(|user| !names.contains(user)) {
                self.draft.concern(user, NodeType::Component);
                self.draft.edge(user, name, Relation::DependsOn);
            }
        }
        self.update(&names)
    }

    fn blocked(&mut self) -> bool {
        let blocked = self.details.names(&["blocked_entity", "blocked", "blocks", "entity"]);
        let blocking = self.details.names(&["blocking_entity", "blocking", "blocked_by", "blocker"]);
        for name in blocked.iter().chain(&blocking) {
            self.draft.concern(name, NodeType::Component);
        }
        let mut pairs = Vec::new();
        for (from, to) in blocking.iter().flat_map(|from| blocked.iter().map(move |to| (from, to))) {
            let Some(edge) = self.draft.block(from, to) else { continue };
            if let Some(way) = self.details.text(&["resolution_path"]) {
                edge.attributes = vec![("resolution_path".to_owned(), way)];
            }
            pairs.push((from.clone(), to.clone()));
        }
        let event = self.draft.event();
        if let Some(entry) = self.draft.entry(event) {
            entry.blocks = pairs;
        }
        !blocked.is_empty() || !blocking.is_empty()
    }

    /// A fix takes away what its entity stood in the way of, and what the blockers it refers to told of.
    fn fixed(&mut self) -> bool {
        let subjects = self.subjects(&["target", "name"]);
        self.named(&subjects);
        let mut resolved = Vec::new();
        for name in &subjects.names {
            let blocks = self.draft.find(name).map(|node| node.blocks.clone()).unwrap_or_default();
            resolved.extend(blocks.into_iter().map(|to| (name.clone(), to)));
        }
        for id in &self.fields.refs {
            resolved.extend(self.draft.entry(id).map(|entry| entry.blocks.clone()).unwrap_or_default());
        }
        for (from, to) in &resolved {
            self.draft.unblock(from, to);
        }
        self.update(&subjects.names)
    }

    fn reached(&mut self) -> bool {
        let named = self.details.name(&["name", "milestone"]).map_or_else(|| self.details.names(&ENTITY), |n| vec![n]);
        for name in &named {
            let node = self.draft.define(name, NodeType::Milestone, false);
            if self.details.text(&["status"]).and_then(|said| NodeStatus::of(&said)).is_none() {
                node.become_status(NodeStatus::Completed);
            }
        }
        self.update(&named)
    }

    fn handed_over(&mut self) -> bool {
        let mut tasks = self.details.names(&["task", "tasks", "entity", "entities"]);
        let named = !tasks.is_empty();
        if !named {
            tasks = self.in_scope();
            tasks.retain(|name| self.draft.find(name).is_some_and(|node| node.kind == NodeType::Task));
        }
        for name in &tasks {
            let node = self.draft.concern(name, NodeType::Task);
            if let Some(agent) = self.details.text(&["to_agent", "to"]) {
                node.set("assignee", &agent);
            }
        }
        // A handoff that names no task still concerns whatever its Scope names.
        self.update(&tasks) && named
    }

    /// What the event is about: the names under the first key that has any.
    fn subjects(&mut self, more: &[&str]) -> Subjects {
        let told = self.details.text(&TYPE).and_then(|word| NodeType::of(&word));
        let names = self.details.names(&[&ENTITY[..], more].concat());
        if !names.is_empty() {
            return Subjects { names, kind: told };
        }
        for (key, kind) in TYPED {
            let mut names = self.details.names(&[key]);
            // Such words are prose as often as keys: several of them are a name only where there is such a node.
            names.retain(|name| kind == NodeType::Task || self.is_name(name));
            if !names.is_empty() {
                return Subjects { names, kind: Some(told.unwrap_or(kind)) };
            }
        }
        Subjects { names: Vec::new(), kind: None }
    }

    fn is_name(&mut self, text: &str) -> bool {
        !text.contains(' ') || self.draft.knows(text)
    }

    /// Makes what an event names a node. What it is may be said here as well as where it is created.
    fn named(&mut self, subjects: &Subjects) {
        for name in &subjects.names {
            match subjects.kind {
                Some(kind) => self.draft.define(name, kind, false),
                None => self.draft.concern(name, NodeType::Component),
            };
        }
    }

    /// The nodes that Scope names.
    fn in_scope(&mut self) -> Vec<String> {
        let mut names = details::names(self.fields.scope.as_deref().unwrap_or_default());
        names.retain(|name| self.draft.knows(name));
        names
    }

    /// The status the event tells. What a test says of its own is none of its target's.
    fn told_status(&self) -> Option<NodeStatus> {
        let said = self.details.text(&["status"]).filter(|_| self.kind != "test")?;
        NodeStatus::of(&said)
    }

    fn told_attribute(&self) -> Option<(String, String)> {
        Some((self.details.text(&["attribute"])?, self.details.text(&["to"])?))
    }

    /// What every rule has in common: status, attributes and ties. Tells whether there is anything it concerns.
    fn update(&mut self, names: &[String]) -> bool {
        let (status, attribute) = (self.told_status(), self.told_attribute());
        let (open, details, kind) = (OPEN.contains(&self.kind), self.details, self.kind);
        for name in names {
            let node = self.draft.concern(name, NodeType::Component);
            for (key, value) in details.lines() {
                let is_tie = RELATIONS.iter().any(|(tie, _)| *tie == key);
                let counts = ATTRIBUTES.contains(&key) || open && !TOLD.contains(&key) && !is_tie;
                if counts && value != *name {
                    node.set(key, &value);
                }
            }
            if let Some(word) = details.text(&TYPE).filter(|word| kind == "create" && NodeType::of(word).is_none()) {
                node.set("type", &word);
            }
            if let Some((attribute, value)) = &attribute {
                set_told(node, attribute, value);
            }
            if let Some(status) = status {
                node.become_status(status);
            }
        }
        self.relate(names);
        !names.is_empty()
    }

    /// Ties nodes to those that the event names under the words of relations.
    fn relate(&mut self, names: &[String]) {
        for (key, relation) in RELATIONS {
            for other in self.others(key) {
                for name in names {
                    self.draft.edge(name, &other, relation);
                }
            }
        }
        // Whoever says what it contains is the parent; the edge goes from child to parent.
        for child in self.others("contains") {
            for name in names {
                self.draft.edge(&child, name, Relation::Contains);
            }
        }
        if matches!(self.kind, "fix" | "blocker") {
            return;
        }
        for other in self.others("blocks") {
            for name in names {
                self.draft.block(name, &other);
            }
        }
        for other in self.others("blocked_by") {
            for name in names {
                self.draft.block(&other, name);
            }
        }
    }

    fn others(&mut self, key: &str) -> Vec<String> {
        let mut names = self.details.names(&[key]);
        names.retain(|name| self.is_name(name));
        names
    }
}

/// Gives an attribute the value that was told; a status is one of its own.
fn set_told(node: &mut Node, attribute: &str, value: &str) {
    match NodeStatus::of(value).filter(|_| attribute.eq_ignore_ascii_case("status")) {
        Some(status) => node.become_status(status),
        None => node.set(attribute, value),
    }
}
