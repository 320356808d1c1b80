//! `graph`: what the events of the changelog say there is, and how it hangs together.

use std::sync::Arc;

use clap::Args;
use idetic_core::Time;
use idetic_core::views::graph::{NodeStatus, NodeType, Relation};
use idetic_memory::as_of::AsOf;
use idetic_memory::graph::NodeFilter;
use idetic_memory::graph::draw::Language;
use idetic_memory::graph::reply::GraphPart;
use idetic_memory::{Error, Result, Space};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::value::to_raw_value;

use crate::operation::operation;
use crate::{OwnerContext, RawLine};

operation! {
    name: "graph",
    about: "Show the graph of the project, or query it: what blocks, what depends, what is untested or unconnected",
    example: "idetic graph --depends-on auth_module --deep",
    rights: Read, reader: Owner, interfaces: [Cli, Json], destructive: false,
    answers: One, args: Graph, run: run,
}

const DEFAULT_DEPTH: usize = 1;
/// The formats, for a message.
const FORMATS: &str = "text, json, dot, mermaid, graphml";

#[derive(Debug, Default, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Graph {
    /// Only this node and what is around it
    #[arg(value_name = "NODE")]
    node: Option<String>,
    /// How many steps around the node [default: 1]
    #[arg(long, value_name = "N")]
    depth: Option<usize>,
    /// What blocks this node
    #[arg(long, value_name = "NODE")]
    blocks: Option<String>,
    /// What depends on this node
    #[arg(long, value_name = "NODE")]
    depends_on: Option<String>,
    /// With --blocks and --depends-on: by any number of steps
    #[arg(long)]
    deep: bool,
    /// A shortest path between two nodes, in either direction of the edges
    #[arg(long, value_names = ["NODE", "NODE"], num_args = 2)]
    path: Vec<String>,
    /// The nodes that were last changed, the latest first
    #[arg(long, value_name = "N")]
    recent: Option<usize>,
    /// The components that no test ever touched
    #[arg(long)]
    untested: bool,
    /// The nodes without edges
    #[arg(long)]
    orphans: bool,
    /// Only nodes with this status: active, blocked, completed, deprecated, planned
    #[arg(long, value_name = "STATUS")]
    status: Option<String>,
    /// Only nodes of this type: component, task, dependency, decision, document, milestone, skill, pack, file
    #[arg(long, value_name = "TYPE")]
    r#type: Option<String>,
    /// Output format: text, json, dot, mermaid, graphml [default: text]
    #[arg(long, value_name = "FORMAT")]
    format: Option<String>,
    /// As the space was at a seq or a time
    #[arg(long, value_name = "SEQ|TIME")]
    #[schemars(with = "Option<String>")]
    as_of: Option<AsOf>,
}

impl Graph {
    /// One question at a time, and nothing beside it that would not count.
    fn check(&self) -> Result<()> {
        let asked: Vec<&str> = [
            ("NODE", self.node.is_some()),
            ("--blocks", self.blocks.is_some()),
            ("--depends-on", self.depends_on.is_some()),
            ("--path", !self.path.is_empty()),
            ("--recent", self.recent.is_some()),
            ("--untested", self.untested),
            ("--orphans", self.orphans),
        ]
        .into_iter()
        .filter_map(|(name, given)| given.then_some(name))
        .collect();
        if let [one, other, ..] = asked[..] {
            return Err(Error::invalid(format!("{one} and {other} are two questions")).hint("ask one at a time"));
        }
        let of_a_node = ["NODE", "--blocks", "--depends-on", "--path"];
        let question = asked.first().copied().unwrap_or("the whole graph");
        let beside = [
            ("--depth", self.depth.is_some(), question != "NODE"),
            ("--deep", self.deep, !["--blocks", "--depends-on"].contains(&question)),
            ("--status", self.status.is_some(), of_a_node.contains(&question)),
            ("--type", self.r#type.is_some(), of_a_node.contains(&question)),
        ];
        match beside.into_iter().find(|(_, given, wrong)| *given && *wrong) {
            Some((name, ..)) => Err(Error::invalid(format!("{name} cannot be used with {question}"))
                .hint("`idetic graph --help` says what goes with what")),
            None => Ok(()),
        }
    }

    fn ask(&self, space: &Arc<Space>, now: Time) -> Result<GraphPart> {
        let wanted = NodeFilter {
            status: self.status.as_deref().map(NodeStatus::parse).transpose()?,
            kind: self.r#type.as_deref().map(NodeType::parse).transpose()?,
        };
        let (space, horizon) = space.as_of(self.as_of.as_ref())?;
        let moment = space.as_owner().moment_asked(None, self.as_of.as_ref(), horizon, now)?;
        let graph = space.graph(horizon, moment)?;
        let (part, nothing) = if let Some(node) = &self.node {
            (graph.around(node, self.depth.unwrap_or(DEFAULT_DEPTH))?, String::new())
        } else if let Some(node) = &self.blocks {
            let part = graph.leading_to(node, Relation::Blocks, self.deep)?;
            (part.unless_alone(), format!("nothing blocks {node}"))
        } else if let Some(node) = &self.depends_on {
            let part = graph.leading_to(node, Relation::DependsOn, self.deep)?;
            (part.unless_alone(), format!("nothing depends on {node}"))
        } else if let [from, to] = &self.path[..] {
            let none = GraphPart::empty(graph.at);
            (graph.path(from, to)?.unwrap_or(none), format!("no edges lead from {from} to {to}"))
        } else if let Some(count) = self.recent {
            (graph.recent(count, wanted), "no node was changed".to_owned())
        } else if self.untested {
            (graph.untested(wanted), "every component was tested".to_owned())
        } else if self.orphans {
            (graph.orphans(wanted), "every node has an edge".to_owned())
        } else {
            (graph.all(wanted), "there are no such nodes: `idetic append` an event with a scope".to_owned())
        };
        Ok(GraphPart { nothing, ..part })
    }
}

fn run(cx: &mut OwnerContext, args: Graph) -> Result<()> {
    args.check()?;
    if args.path.len() == 1 || args.path.len() > 2 {
        return Err(Error::invalid("a path needs two nodes").hint("name both"));
    }
    let language = match args.format.as_deref() {
        None | Some("text" | "json") => None,
        Some("dot") => Some(Language::Dot),
        Some("mermaid") => Some(Language::Mermaid),
        Some("graphml") => Some(Language::GraphMl),
        Some(other) => {
            return Err(Error::invalid(format!("format '{other}' is not known")).hint(format!("one of: {FORMATS}")));
        }
    };
    let part = args.ask(&cx.space()?, cx.env.now())?;
    match language {
        Some(language) => cx.answer(part.draw(language)),
        None if args.format.as_deref() == Some("json") => {
            cx.answer(RawLine(to_raw_value(&part).map_err(|e| Error::unavailable(e.to_string()))?))
        }
        None => cx.answer(part),
    }
}
