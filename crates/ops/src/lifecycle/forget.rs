//! `forget`: erases one memory, a conversation, what contains a text or what a filter selects, by whoever may write in the space.

use clap::Args;
use idetic_memory::{Error, Result};
use schemars::JsonSchema;
use serde::Deserialize;

use super::purge::{self, Purge};
use crate::OwnerContext;
use crate::arguments::FilterArgument;
use crate::operation::operation;

operation! {
    name: "forget",
    about: "Permanently erase one memory, its versions and everything derived from it; a receipt says how many events it was",
    example: "idetic forget 018f3a2e",
    rights: Write, reader: Owner, interfaces: [Cli, Json], destructive: true,
    answers: One, args: Forget, run: run,
}

#[derive(Debug, Default, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Forget {
    /// The memory, by its id or number
    #[arg(value_name = "ID")]
    #[serde(alias = "event")]
    id: Option<String>,
    /// Everything of a conversation
    #[arg(long, value_name = "ID", conflicts_with = "id")]
    conversation: Option<String>,
    /// Everything in the space that contains this text, in any spelling (docs/purge.md)
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["id", "conversation"])]
    matching: Option<String>,
    /// Every memory that this holds of, as JSON: {"metadata.customer": "acme"}; docs/filters.md
    #[arg(long, value_name = "JSON", conflicts_with_all = ["id", "conversation", "matching"])]
    filter: Option<FilterArgument>,
    /// List each event that would go, with the reason
    #[arg(long)]
    dry_run: bool,
    /// Erase without asking; needed for more than one memory, and by agents
    #[arg(long, conflicts_with = "dry_run")]
    yes: bool,
    /// Why, for the receipt; it is kept, so it must not contain what is erased
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

fn run(cx: &mut OwnerContext, args: Forget) -> Result<()> {
    let Forget { id, conversation, matching, filter, dry_run, yes, reason } = args;
    let named = [&id, &conversation, &matching].into_iter().filter(|named| named.is_some()).count();
    let named = named + usize::from(filter.is_some());
    if named != 1 {
        return Err(
            Error::invalid("name one thing to forget").hint("an id, a conversation, the text it contains, or a filter")
        );
    }
    // One memory that a person's program names is meant; how much more it would be is known only afterwards.
    let is_meant = id.is_some() && !cx.can_ask && !cx.is_agents() && !dry_run;
    let yes = yes || is_meant;
    let (spares_hidden, with_versions) = (true, true);
    let named = Purge { event: id, conversation, matching, filter, spares_hidden, with_versions, ..Purge::default() };
    purge::run(cx, Purge { dry_run, yes, reason, ..named })
}
