//! `conversation list`: the conversations, the latest first.

use clap::Args;
use idetic_core::views::CONVERSATIONS;
use idetic_memory::as_of::AsOf;
use idetic_memory::{ConversationLine, Result};
use idetic_store::{Filter, Select};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::Context;
use crate::arguments::{MemoryArgs, listed};
use crate::operation::operation;

operation! {
    name: "conversation list",
    about: "List the conversations, the latest first",
    example: "idetic conversation list --open",
    rights: Read, reader: View, interfaces: [Cli, Json], destructive: false,
    answers: Many, args: List, run: run, new_space: |_| Ok(()),
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[derive(Default)]
struct List {
    /// Only those that have not ended
    #[arg(long)]
    open: bool,
    /// How many, at most 10000 [default: 100]
    #[arg(long, short = 'n', value_name = "N")]
    limit: Option<usize>,
    /// As the memory was at a seq (a position, with --agent) or a time
    #[arg(long, value_name = "SEQ|TIME")]
    #[schemars(with = "Option<String>")]
    as_of: Option<AsOf>,
    #[command(flatten)]
    #[serde(flatten)]
    whose: MemoryArgs,
}

fn run(cx: &mut Context, args: List) -> Result<()> {
    let viewpoint = args.whose.reading(cx)?;
    let (viewpoint, horizon) = viewpoint.as_of(args.as_of.as_ref())?;
    let mut select = Select::from(&CONVERSATIONS, horizon);
    if args.open {
        select = select.filter(Filter::IsNull("ended"));
    }
    let mut rows = viewpoint.conversation_rows(select)?;
    rows.sort_by_key(|row| std::cmp::Reverse(row.last));
    for row in rows.into_iter().take(listed(args.limit)) {
        cx.answer(ConversationLine {
            conversation_id: row.conversation,
            goal: row.goal,
            invocations: row.invocations,
            started: row.started,
            last: row.last,
            ended: row.ended.map(|(when, _)| when),
        })?;
    }
    Ok(())
}
