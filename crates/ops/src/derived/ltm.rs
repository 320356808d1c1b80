//! `ltm`: long-term memory, entry by entry, and how far each has come.

use std::collections::HashMap;

use clap::Args;
use idetic_core::Event;
use idetic_core::views::TIMELINE;
use idetic_memory::as_of::AsOf;
use idetic_memory::{Error, LtmEntry, Result};
use idetic_search::{DEFAULT_IMPORTANCE, Lane, id_hash, importance_said, is_upkeep};
use idetic_store::{Made, Select};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::Context;
use crate::operation::operation;

operation! {
    name: "ltm",
    about: "List long-term memory: one entry for each event, with its importance and whether it is embedded",
    example: "idetic ltm --status pending",
    rights: Read, reader: View, interfaces: [Cli, Json], destructive: false,
    answers: Many, args: Ltm, run: run,
}

const STATUSES: [&str; 5] = ["pending", "embedded", "retry", "quiet", "off"];
const DEFAULT_LIMIT: usize = 50;
/// Events read at a time.
const PAGE_EVENTS: usize = 1000;

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[derive(Default)]
struct Ltm {
    /// Only with this status: pending, embedded, retry, quiet or off
    #[arg(long, value_name = "STATUS")]
    status: Option<String>,
    /// As this agent sees it: its own memory and what is shared
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
    /// Which side of the agent: actor or subconscious [default: actor]
    #[arg(long, value_name = "PERSONA")]
    persona: Option<String>,
    /// How many of the latest; 0 for all [default: 50]
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// As the space was at a seq (a position, with --agent) or a time
    #[arg(long, value_name = "SEQ|TIME")]
    #[schemars(with = "Option<String>")]
    as_of: Option<AsOf>,
}

fn run(cx: &mut Context, args: Ltm) -> Result<()> {
    if let Some(status) = args.status.as_deref().filter(|status| !STATUSES.contains(status)) {
        return Err(Error::invalid(format!("status '{status}' is not known"))
            .hint(format!("status is one of: {}", STATUSES.join(", "))));
    }
    let viewpoint = cx.viewpoint(&cx.who(args.agent.as_ref(), args.persona.as_ref())?)?;
    let (viewpoint, horizon) = viewpoint.as_of(args.as_of.as_ref())?;
    let model = cx.models_if_any().wanted.map(|model| model.id().to_string());
    let waiting: HashMap<u64, Option<Made>> = match &model {
        Some(model) => viewpoint.waiting(model, horizon)?.into_iter().map(|(d, made)| (d.seq, made)).collect(),
        None => HashMap::new(),
    };
    let changes = viewpoint.changes(horizon)?;
    let limit = match args.limit.unwrap_or(DEFAULT_LIMIT) {
        0 => usize::MAX,
        limit => limit,
    };
    let mut seqs = viewpoint.seqs(&Select { newest_first: true, ..Select::from(&TIMELINE, horizon) })?;
    let mut entries = Vec::new();
    for page in seqs.chunks_mut(PAGE_EVENTS) {
        page.reverse();
        let events = viewpoint.events(page)?;
        let places = viewpoint.places(page, horizon)?;
        for (event, place) in events.into_iter().zip(places).rev() {
            let (status, why) = status(&event, model.is_some(), &waiting);
            if args.status.as_deref().is_some_and(|wanted| wanted != status) {
                continue;
            }
            let Some(fields) = event.fields.as_ref().filter(|_| viewpoint.sees_event(&event)) else { continue };
            let collection = Lane::of(fields).name();
            let changes = changes.get(&collection);
            let graded = changes.and_then(|c| c.importance(id_hash(&event.header.id), event.seq()));
            entries.push(LtmEntry {
                place,
                ts: event.ts(),
                collection,
                kind: event.header.kind.clone(),
                loop_id: fields.loop_id.clone(),
                summary: event.text().to_owned(),
                importance: graded.or_else(|| importance_said(fields)).unwrap_or(DEFAULT_IMPORTANCE),
                id: event.header.id,
                status,
                why,
            });
            if entries.len() >= limit {
                break;
            }
        }
        if entries.len() >= limit {
            break;
        }
    }
    entries.into_iter().rev().try_for_each(|entry| cx.answer(entry))
}

fn status(event: &Event, model: bool, waiting: &HashMap<u64, Option<Made>>) -> (&'static str, Option<String>) {
    if is_upkeep(&event.header.kind) || event.whole_text().is_empty() {
        return ("quiet", None);
    }
    match waiting.get(&event.seq()) {
        _ if !model => ("off", None),
        None | Some(Some(Made::Vectors(_))) => ("embedded", None),
        Some(Some(Made::Failed { tries: 1.., why })) => ("retry", Some(why.clone())),
        Some(_) => ("pending", None),
    }
}
