//! `fact history`: what became of a fact, event by event, and what came before and after it.

use clap::Args;
use idetic_core::views::{FACT_DELETED, FACT_ENDED, FactRow, NEVER};
use idetic_core::{Fields, Time};
use idetic_memory::as_of::AsOf;
use idetic_memory::viewpoint::Viewpoint;
use idetic_memory::{Error, FactVersion, Result};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::Context;
use crate::arguments::MemoryArgs;
use crate::operation::operation;

operation! {
    name: "fact history",
    about: "Show the history of a fact: its sources and wordings, and the values before and after it",
    example: "idetic fact history 0199…",
    rights: Read, reader: View, interfaces: [Cli, Json], destructive: false,
    answers: Many, args: History, run: run,
}

/// Most values before and after it that are followed.
const VALUES_MAX: usize = 1000;

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct History {
    /// The fact's id
    #[arg(value_name = "FACT")]
    #[serde(alias = "id", alias = "fact_id")]
    fact: String,
    /// As the memory was at a seq (a position, with --agent) or a time
    #[arg(long, value_name = "SEQ|TIME")]
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    as_of: Option<AsOf>,
    #[command(flatten)]
    #[serde(flatten)]
    whose: MemoryArgs,
}

fn run(cx: &mut Context, args: History) -> Result<()> {
    let viewpoint = args.whose.reading(cx)?;
    let (viewpoint, horizon) = viewpoint.as_of(args.as_of.as_ref())?;
    let row = viewpoint.fact_row(&args.fact, horizon)?.ok_or_else(|| {
        Error::not_found(format!("there is no fact '{}'", idetic_core::invalid::excerpt(&args.fact)))
            .hint("`idetic fact list --all` lists them")
    })?;
    for row in chain(&viewpoint, row, horizon)? {
        for version in versions(&viewpoint, &row, horizon)? {
            cx.answer(version)?;
        }
    }
    Ok(())
}

/// The values of the same attribute in the order in which they were true.
fn chain(viewpoint: &Viewpoint, row: FactRow, horizon: u64) -> Result<Vec<FactRow>> {
    let mut rows = std::collections::VecDeque::from([row]);
    for _ in 0..VALUES_MAX {
        let Some(previous) = rows.front().and_then(|row| row.previous.clone()) else { break };
        let Some(row) = viewpoint.fact_row(&previous, horizon)? else { break };
        rows.push_front(row);
    }
    for _ in 0..VALUES_MAX {
        let Some(next) = rows.back().and_then(|row| row.superseded_by.clone()) else { break };
        let Some(row) = viewpoint.fact_row(&next, horizon)? else { break };
        rows.push_back(row);
    }
    Ok(rows.into())
}

fn versions(viewpoint: &Viewpoint, row: &FactRow, horizon: u64) -> Result<Vec<FactVersion>> {
    let events = viewpoint.fact_events(&row.fact, horizon)?;
    let seqs: Vec<u64> = events.iter().map(idetic_core::Event::seq).collect();
    let places = viewpoint.places(&seqs, horizon)?;
    let mut versions = Vec::with_capacity(events.len());
    for (event, place) in events.into_iter().zip(places) {
        let timestamp = event.ts();
        let fields = event.fields.unwrap_or_default();
        let is_wording = fields.metadata.as_ref().is_some_and(|metadata| metadata.get().contains("\"fact\""));
        let said = Said::of(&fields);
        let done = match event.header.kind.as_str() {
            FACT_DELETED => "deleted",
            FACT_ENDED if said.until.as_deref() == Some(NEVER) => "reopened",
            FACT_ENDED => "ended",
            _ if is_wording => "updated",
            _ if event.header.id == row.fact => "stored",
            _ => "joined",
        };
        versions.push(FactVersion {
            fact_id: row.fact.clone(),
            done,
            content: fields.content,
            timestamp,
            valid_from: moment(said.from.as_ref()).or((done == "stored").then_some(timestamp)),
            valid_until: match done {
                "ended" => moment(said.until.as_ref()).or(Some(timestamp)),
                "stored" => row.valid_until.map(Time),
                _ => None,
            },
            reason: said.reason,
            event: event.header.id,
            place,
            causes: viewpoint.visible_ids(fields.causes, horizon)?,
        });
    }
    Ok(versions)
}

/// What the metadata of an event about a fact says of when it was true, and why it went.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Said {
    from: Option<String>,
    until: Option<String>,
    reason: Option<String>,
}

impl Said {
    fn of(fields: &Fields) -> Self {
        let metadata = fields.metadata.as_ref().map_or("{}", |metadata| metadata.get());
        serde_json::from_str(metadata).unwrap_or_default()
    }
}

fn moment(text: Option<&String>) -> Option<Time> {
    Time::parse(text?).ok()
}
