//! `md summarize`: a range of events in a line each.

use std::collections::BTreeMap;

use clap::Args;
use idetic_memory::Result;
use idetic_sync::markdown::MdText;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::OwnerContext;
use crate::md::In;
use crate::operation::operation;

operation! {
    name: "md summarize",
    about: "Summarize the last events, or those from one to another: how many of each type, and one line for each",
    example: "idetic md summarize --last 10",
    rights: Read, reader: Home, interfaces: [Cli], destructive: false,
    answers: One, args: MdSummarize, run: run,
}

#[derive(Debug, Default, Args, Deserialize, JsonSchema)]
#[serde(default)]
struct MdSummarize {
    /// How many of the latest
    #[arg(long, value_name = "N")]
    last: Option<usize>,
    /// From this event on
    #[arg(long, value_name = "EVT")]
    from: Option<String>,
    /// Up to this event
    #[arg(long, value_name = "EVT")]
    to: Option<String>,
    #[command(flatten)]
    #[serde(flatten)]
    place: In,
}

fn run(cx: &mut OwnerContext, args: MdSummarize) -> Result<()> {
    let project = args.place.open_to_read(cx)?;
    let events = project.span(args.last, args.from.as_deref(), args.to.as_deref())?;
    let mut types: BTreeMap<&str, usize> = BTreeMap::new();
    for event in &events {
        *types.entry(event.kind.as_str()).or_default() += 1;
    }
    let counts: Vec<String> = types.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    let mut text = match (events.first(), events.last()) {
        (Some(first), Some(last)) => {
            format!("{} events, {} to {}: {}\n\n", events.len(), first.event, last.event, counts.join(", "))
        }
        _ => "no events\n".to_owned(),
    };
    for event in &events {
        let scope = event.scope.join(", ");
        text.push_str(&format!("- **{}** ({}) {scope}: {}\n", event.event, event.kind, event.summary));
    }
    cx.answer(MdText { text })
}
