//! A graph or a narrative that somebody else made is taken over once: the log keeps its text, the graph starts from it, and
//! a copy stays in the project, so that every clone starts from the same.

use std::collections::HashMap;

use idetic_core::Record;
use idetic_core::limits::CONTENT_MAX_BYTES;
use idetic_core::views::TIMELINE;
use idetic_core::views::graph::ADOPTED;
use idetic_formats::markdown::changelog::event_id;
use idetic_formats::markdown::seal::{self, Seal};
use idetic_formats::markdown::{ContextFile, GraphFile};
use idetic_memory::Result;
use idetic_store::{Filter, Select};
use serde_json::{Value, json};

use super::Project;
use super::compare::Placed;
use super::files::{ADOPTED_CONTEXT, ADOPTED_GRAPH, CONTEXT, GRAPH, text};

/// Nodes and edges of a graph that is taken over, in one event.
const ADOPTED_ROWS: usize = 150;

/// The graph that everything begins with.
pub struct Base {
    pub text: String,
    pub file: GraphFile,
}

impl Base {
    /// The number up to which it shows what happened.
    pub fn horizon(&self) -> u64 {
        self.file.graph.horizon.unwrap_or(0)
    }

    /// Its rows as an event says them, in pieces; events are named by their ids.
    pub fn rows(&self, id_of: &dyn Fn(u64) -> String) -> Vec<Value> {
        let id = |number: Option<u64>| number.map(id_of);
        let graph = &self.file.graph;
        let nodes = graph.nodes.iter().map(|node| {
            let (created, last) = (id(node.created), id(node.last));
            json!({"name": node.name, "type": node.kind, "status": node.status, "created": created, "last": last,
                   "attributes": node.attributes})
        });
        let edges = graph.edges.iter().map(|edge| {
            json!({"from": edge.from, "to": edge.to, "relation": edge.relation, "created": id(edge.created),
                   "attributes": edge.attributes})
        });
        let (nodes, edges): (Vec<_>, Vec<_>) = (nodes.collect(), edges.collect());
        let nodes = nodes.chunks(ADOPTED_ROWS).map(|part| json!({"file": GRAPH, "nodes": part}));
        let edges = edges.chunks(ADOPTED_ROWS).map(|part| json!({"file": GRAPH, "edges": part}));
        nodes.chain(edges).collect()
    }
}

/// A text that an event can hold; a longer one is kept in the project alone.
fn fitting(text: &str) -> &str {
    if text.len() <= CONTENT_MAX_BYTES { text } else { "" }
}

/// Whether a text is a graph or a narrative that somebody else wrote.
pub fn is_graph_of_others(text: &str) -> bool {
    seal::check(text) == Seal::Foreign && GraphFile::read(text).generation.is_some()
}

/// The same for a narrative.
pub fn is_context_of_others(text: &str) -> bool {
    seal::check(text) == Seal::Foreign && ContextFile::read(text).generation.is_some()
}

impl Project {
    /// The graph that somebody else made, where there is one. What the log has of it counts.
    pub(super) fn base(&mut self) -> Result<Option<Base>> {
        let (said, kept) = (self.adopted_text()?, text(&self.folder, ADOPTED_GRAPH)?);
        if said.is_some() && kept.is_some() && said != kept {
            let message = "it was edited: the log keeps the original graph";
            self.wrong(ADOPTED_GRAPH, "edited", message, "undo the edit, e.g. with git checkout");
        }
        let found = match said.or(kept) {
            Some(text) => Some(text),
            None => text(&self.folder, GRAPH)?.filter(|text| is_graph_of_others(text)),
        };
        let base = found.map(|text| Base { file: GraphFile::read(&text), text });
        Ok(base.filter(|base| !base.file.graph.nodes.is_empty() || !base.file.graph.edges.is_empty()))
    }

    /// Puts the copy back that everything began with, where it is gone.
    pub(super) fn keep_base(&mut self, base: Option<&Base>) -> Result<()> {
        let Some(base) = base.filter(|_| !self.folder.has(ADOPTED_GRAPH)) else { return Ok(()) };
        if text(&self.folder, GRAPH)?.is_none_or(|graph| !is_graph_of_others(&graph)) {
            self.folder.put(ADOPTED_GRAPH, &base.text)?;
            self.note_file(ADOPTED_GRAPH);
        }
        Ok(())
    }

    /// The graph that was taken over, as the log has it.
    fn adopted_text(&self) -> Result<Option<String>> {
        let Some(space) = &self.space else { return Ok(None) };
        let adopted = Select::from(&TIMELINE, self.head()?).filter(Filter::Is("kind", ADOPTED.into()));
        for event in space.events_by_seq(&space.seqs(&adopted)?)? {
            let Some(fields) = event.fields else { continue };
            let said: Value =
                fields.metadata.as_ref().and_then(|m| serde_json::from_str(m.get()).ok()).unwrap_or_default();
            if said["file"] == GRAPH && fields.content.as_deref().is_some_and(|text| !text.is_empty()) {
                return Ok(fields.content);
            }
        }
        Ok(None)
    }

    /// Says in the log what is taken over, once.
    pub(super) fn adopt(&mut self, base: Option<&Base>, found: &[Placed]) -> Result<()> {
        let context = text(&self.folder, CONTEXT)?.filter(|text| is_context_of_others(text));
        if base.is_none() && context.is_none() || self.has_adopted()? {
            return Ok(());
        }
        let ids: HashMap<u64, &str> =
            found.iter().filter_map(|placed| Some((placed.entry.number?, placed.event.as_str()))).collect();
        let id_of = |number: u64| ids.get(&number).map_or_else(|| event_id(number), |id| (*id).to_owned());
        let mut records = Vec::new();
        if let Some(base) = base {
            for (at, mut said) in base.rows(&id_of).into_iter().enumerate() {
                let content = if at == 0 { fitting(&base.text) } else { "" };
                said["horizon"] = json!(base.file.graph.horizon.map(event_id));
                records.push(json!({"kind": ADOPTED, "content": content, "metadata": said}));
            }
        }
        if let Some(context) = context {
            records.push(json!({"kind": ADOPTED, "content": fitting(&context), "metadata": {"file": CONTEXT}}));
        }
        let parsed = records.iter().map(|record| Ok(Record::parse(record.to_string().as_bytes())?));
        let parsed: Vec<Record> = parsed.collect::<Result<_>>()?;
        self.append(parsed)?;
        self.report.adopted = true;
        Ok(())
    }

    /// Keeps a copy of what is about to be written over.
    pub(super) fn keep_adopted(&self, path: &str, old: &str) -> Result<()> {
        let kept = if path == GRAPH { ADOPTED_GRAPH } else { ADOPTED_CONTEXT };
        if !self.folder.has(kept) {
            self.folder.put(kept, old)?;
        } else if text(&self.folder, kept)?.as_deref() != Some(old) {
            self.keep_beside(path, old)?;
        }
        Ok(())
    }

    fn has_adopted(&self) -> Result<bool> {
        let head = self.head()?;
        let one = Select { limit: Some(1), ..Select::from(&TIMELINE, head).filter(Filter::Is("kind", ADOPTED.into())) };
        Ok(!self.log()?.seqs(&one)?.is_empty())
    }
}
