//! `md todo`: the tasks, as the graph and TODO.md know them.

use clap::Args;
use idetic_memory::{Error, Result};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::OwnerContext;
use crate::md::In;
use crate::operation::operation;

operation! {
    name: "md todo",
    about: "List the tasks of the graph and TODO.md",
    example: "idetic md todo --status active",
    rights: Read, reader: Home, interfaces: [Cli], destructive: false,
    answers: One, args: MdTodo, run: run,
}

#[derive(Debug, Default, Args, Deserialize, JsonSchema)]
#[serde(default)]
struct MdTodo {
    /// Only these: active, blocked, planned, completed, deprecated, backlog
    #[arg(long, value_name = "STATUS")]
    status: Option<String>,
    #[command(flatten)]
    #[serde(flatten)]
    place: In,
}

fn run(cx: &mut OwnerContext, args: MdTodo) -> Result<()> {
    const WORDS: [&str; 7] = ["active", "blocked", "planned", "completed", "deprecated", "backlog", "other"];
    if let Some(status) = args.status.as_deref().filter(|status| !WORDS.contains(status)) {
        return Err(Error::invalid(format!("'{status}' is not a status")).hint(format!("one of: {}", WORDS.join(", "))));
    }
    let tasks = args.place.open_to_read(cx)?.tasks()?;
    let mut wanted = tasks.into_iter().filter(|task| args.status.as_deref().is_none_or(|status| task.status == status));
    wanted.try_for_each(|task| cx.answer(task))
}
