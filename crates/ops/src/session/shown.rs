//! `shown`: what agents were told, when and where it came from.

use clap::Args;
use idetic_core::Event;
use idetic_core::quoting::{beginning, in_one_line};
use idetic_core::views::TIMELINE;
use idetic_memory::as_of::AsOf;
use idetic_memory::{Error, RECALLED, RequestedReader, Result, Viewpoint};
use idetic_store::{Filter, Select};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::operation::operation;
use crate::{Context, ShownEvent, ShownLine};

operation! {
    name: "shown",
    about: "Show what agents were told: at the start of a session, while they worked, and when they asked",
    example: "idetic shown --session 7f3a2c9d",
    rights: Read, reader: View, interfaces: [Cli, Json], destructive: false,
    answers: Many, args: Shown, run: run,
}

/// Answers when nothing is said, and at most.
const USUAL: usize = 50;
const MOST: usize = 1000;
/// Events among which a session is looked for, the latest.
const LOOKED_AT: usize = 20_000;
/// Most of one text.
const TEXT_CHARS: usize = 200;

#[derive(Debug, Default, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Shown {
    /// Only of this session: its id, or the beginning of that
    #[arg(long, value_name = "SESSION")]
    session: Option<String>,
    /// How many, the latest; at most 1000 [default: 50]
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// What they had been told when the memory was at a seq (a position, with a key of an agent) or a time
    #[arg(long, value_name = "SEQ|TIME")]
    #[schemars(with = "Option<String>")]
    as_of: Option<AsOf>,
}

fn run(cx: &mut Context, args: Shown) -> Result<()> {
    let (viewpoint, horizon) = cx.viewpoint(&RequestedReader::default())?.as_of(args.as_of.as_ref())?;
    let told = Select::from(&TIMELINE, horizon).filter(Filter::Is("kind", RECALLED.into()));
    let limit = args.limit.unwrap_or(USUAL).min(MOST);
    let most = if args.session.is_some() { LOOKED_AT } else { limit };
    let mut seqs = viewpoint.seqs(&Select { newest_first: true, limit: Some(most), ..told })?;
    seqs.sort_unstable();
    let mut events = viewpoint.events(&seqs)?;
    events.retain(|event| viewpoint.sees_event(event));
    if let Some(wanted) = &args.session {
        let session = |event: &Event| event.fields.as_ref().and_then(|fields| fields.conversation_id.clone());
        events.retain(|event| session(event).is_some_and(|session| session.starts_with(wanted)));
        if events.is_empty() {
            return Err(Error::not_found(format!("no session '{wanted}' was told anything"))
                .hint("`idetic shown` lists the latest sessions"));
        }
        events.drain(..events.len().saturating_sub(limit));
    }
    for event in events {
        let line = line(&viewpoint, event, horizon);
        // What was told and is gone leaves nothing to tell.
        if !line.events.is_empty() {
            cx.answer(line)?;
        }
    }
    Ok(())
}

fn line(viewpoint: &Viewpoint, event: Event, horizon: u64) -> ShownLine {
    let (id, ts, about) = (event.header.id.clone(), event.ts(), event.metadata());
    let fields = event.fields.unwrap_or_default();
    let ids = if fields.refs.is_empty() { fields.causes } else { fields.refs };
    let shown = |(at, id): (usize, &String)| {
        let event = viewpoint.get(id, horizon).ok()?;
        let text = beginning(&in_one_line(&event.whole_text()), TEXT_CHARS);
        let origin = event.origin().to_owned();
        (!text.is_empty()).then(|| ShownEvent { rank: at + 1, id: id.clone(), origin, text })
    };
    ShownLine {
        id,
        ts,
        session: fields.conversation_id,
        project: fields.source,
        moment: about["moment"].as_str().map(str::to_owned),
        tokens: about["tokens"].as_u64(),
        events: ids.iter().enumerate().filter_map(shown).collect(),
    }
}
