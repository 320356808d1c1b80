//! An event that names nothing by its Details: its Scope, or the links in its text, say what it is about, and its Summary
//! what was decided or reached.

use super::details::{names, slug};
use super::rules::Rules;
use super::words::{NodeStatus, NodeType, Relation};

/// The types that make a node of what they are about.
const MAKES: [&str; 5] = ["create", "modify", "change", "decision", "milestone"];

impl Rules<'_, '_> {
    /// Carries out what can be told without a name. Where nothing new may be made, it concerns the nodes that are there.
    pub(super) fn fall_back(&mut self) {
        let about = self.about();
        for (name, kind) in &about {
            self.draft.concern(name, *kind);
        }
        match self.kind {
            "create" => {
                for (name, kind) in &about {
                    let node = self.draft.define(name, *kind, false);
                    if matches!(node.status, NodeStatus::Planned | NodeStatus::Deprecated) {
                        node.become_status(NodeStatus::Active);
                    }
                }
            }
            "decision" => self.summed_up(NodeType::Decision, Relation::Implements, &about),
            "milestone" => self.summed_up(NodeType::Milestone, Relation::RelatedTo, &about),
            _ => {}
        }
        for (from, relation, to) in &self.details.ties {
            if let Some(relation) = Relation::of(relation) {
                self.draft.edge(from, to, relation);
            }
        }
    }

    /// A node that the summary names, with an edge to each of those it is about.
    fn summed_up(&mut self, kind: NodeType, relation: Relation, about: &[(String, NodeType)]) {
        if slug(self.fields.summary.as_deref().unwrap_or_default()).is_empty() {
            return;
        }
        let name = self.name_of_summary();
        let node = self.draft.define(&name, kind, false);
        if kind == NodeType::Milestone {
            node.become_status(NodeStatus::Completed);
        }
        for (other, _) in about.iter().filter(|(other, _)| *other != name) {
            self.draft.edge(&name, other, relation);
        }
    }

    /// The nodes it is about, with what they are.
    fn about(&mut self) -> Vec<(String, NodeType)> {
        let makes = MAKES.contains(&self.kind);
        let mut about: Vec<(String, NodeType)> = Vec::new();
        for name in &self.details.links {
            about.push((name.clone(), kind_of_link(name)));
        }
        // In the first layout Scope is a word for a kind of thing, not a thing.
        let is_thing = makes && !self.details.is_first_layout && self.details.links.is_empty();
        for said in names(self.fields.scope.as_deref().unwrap_or_default()) {
            let name = if self.draft.knows(&said) { Some(said) } else { area(&said) };
            let Some(name) = name.filter(|name| is_thing || self.draft.knows(name)) else { continue };
            let kind = if name.ends_with(".md") { NodeType::Document } else { NodeType::Component };
            about.push((name, kind));
        }
        let mut seen = std::collections::HashSet::new();
        about.retain(|(name, _)| seen.insert(name.clone()));
        about
    }
}

/// The name of an area: the last part of a path, without what stands in brackets, words joined.
fn area(said: &str) -> Option<String> {
    let bare = said.split(" (").next().unwrap_or(said).trim().trim_end_matches(['/', '\\']);
    let last = bare.rsplit(['/', '\\']).next().unwrap_or(bare);
    let words: Vec<&str> = last.split_whitespace().collect();
    let name: String =
        words.join("-").chars().filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.')).collect();
    Some(name).filter(|name| name.chars().any(char::is_alphanumeric))
}

fn kind_of_link(name: &str) -> NodeType {
    match name {
        _ if name.starts_with("skill-") => NodeType::Skill,
        _ if name.starts_with("pack-") => NodeType::Pack,
        _ if name.contains(['/', '.']) => NodeType::File,
        _ => NodeType::Component,
    }
}
