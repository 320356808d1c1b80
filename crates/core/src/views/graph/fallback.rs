//! An event that names nothing by its Details: its Scope, or the links in its text, say what it is about, and its Summary
//! what was decided or reached.

use super::details::{names, slug};
use super::rules::Rules;
use super::words::{NodeStatus, NodeType, Relation};

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
        let mut about: Vec<(String, NodeType)> = Vec::new();
        for name in &self.details.links {
            about.push((name.clone(), kind_of_link(name)));
        }
        // In the first layout Scope is a word for a kind of thing, not a thing.
        let is_thing = !self.details.is_first_layout && self.details.links.is_empty();
        let scope = names(self.fields.scope.as_deref().unwrap_or_default());
        let made = if is_thing { self.made_of(&scope) } else { Vec::new() };
        for said in scope {
            let is_made = made.contains(&said);
            let name = if self.draft.knows(&said) { Some(said) } else { area(&said) };
            let Some(name) = name.filter(|name| is_made || self.draft.knows(name)) else { continue };
            let kind = if name.ends_with(".md") { NodeType::Document } else { NodeType::Component };
            about.push((name, kind));
        }
        let mut seen = std::collections::HashSet::new();
        about.retain(|(name, _)| seen.insert(name.clone()));
        about
    }

    /// Those of a Scope that the event makes nodes of. What was created is what the Summary names too, where it names
    /// anything of the Scope. What was modified or reached is there already, unless the log began later: then it is new
    /// if it has the form of a name, and other words are areas.
    fn made_of(&self, scope: &[String]) -> Vec<String> {
        match self.kind {
            "create" => {
                let summary = words(self.fields.summary.as_deref().unwrap_or_default());
                let told = kept(scope, |said| is_named(said, &summary));
                if told.is_empty() { scope.to_vec() } else { told }
            }
            "decision" => scope.to_vec(),
            "modify" | "change" | "milestone" => kept(scope, |said| is_name(said, scope.len() == 1)),
            _ => Vec::new(),
        }
    }
}

fn kept(scope: &[String], is_kept: impl Fn(&str) -> bool) -> Vec<String> {
    scope.iter().filter(|said| is_kept(said)).cloned().collect()
}

/// Whether the words of a Summary name something, in any spelling.
fn is_named(said: &str, summary: &[String]) -> bool {
    let name = words(&area(said).unwrap_or_default());
    !name.is_empty() && summary.windows(name.len()).any(|part| part == name.as_slice())
}

fn words(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Whether what a Scope names is a thing: one word that stands alone, or one that is a path or joined of several words.
/// A file among others is only what was touched.
fn is_name(said: &str, is_alone: bool) -> bool {
    let bare = without_brackets(said);
    let is_file = area(said).is_some_and(|name| name.trim_start_matches('.').contains('.'));
    let mut pairs = bare.chars().zip(bare.chars().skip(1));
    let has_capital = pairs.any(|(one, next)| one.is_lowercase() && next.is_uppercase());
    let is_joined = bare.contains(['-', '_', '/', '\\']) || has_capital;
    !bare.contains(char::is_whitespace) && (is_alone || is_joined && !is_file)
}

fn without_brackets(said: &str) -> &str {
    said.split(" (").next().unwrap_or(said).trim()
}

/// The name of an area: the last part of a path, without what stands in brackets, words joined.
fn area(said: &str) -> Option<String> {
    let bare = without_brackets(said).trim_end_matches(['/', '\\']);
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
