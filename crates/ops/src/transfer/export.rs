//! `export`: every event, complete with its hashes, one a line.

use clap::Args;
use idetic_core::transfer;
use idetic_memory::as_of::AsOf;
use idetic_memory::{Error, Result};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::operation::operation;
use crate::{OwnerContext, RawLine};

operation! {
    name: "export",
    about: "Write every event with its hashes as JSONL to standard output",
    example: "idetic export > memory.jsonl",
    rights: Read, reader: Owner, interfaces: [Cli, Json], destructive: false,
    answers: Many, args: Export, run: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Export {
    /// Begin at this seq, to continue an earlier export
    #[arg(long, value_name = "SEQ", default_value_t = 1)]
    #[serde(default = "first")]
    from: u64,
    /// As the space was at a seq or a time
    #[arg(long, value_name = "SEQ|TIME")]
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    as_of: Option<AsOf>,
}

fn first() -> u64 {
    1
}

const PAGE_EVENTS: usize = 1000;

fn run(cx: &mut OwnerContext, args: Export) -> Result<()> {
    let space = cx.space()?;
    let horizon = space.horizon(args.as_of.as_ref())?;
    let mut next = args.from.max(1);
    while next <= horizon {
        let count = usize::try_from(horizon - next + 1).unwrap_or(PAGE_EVENTS).min(PAGE_EVENTS);
        for event in space.raw_page(next, count)? {
            let line = RawValue::from_string(transfer::to_line(&event)?);
            cx.answer(RawLine(line.map_err(|e| Error::unavailable(e.to_string()))?))?;
            next = event.header.seq + 1;
        }
    }
    Ok(())
}
