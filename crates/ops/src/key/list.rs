//! `key list`: the keys of the server, without the keys.

use clap::Args;
use idetic_memory::Result;
use schemars::JsonSchema;
use serde::Deserialize;

use super::store::Keys;
use crate::operation::operation;
use crate::{KeyLine, OwnerContext};

operation! {
    name: "key list",
    about: "List the server's API keys: what each allows, and whether it is valid",
    example: "idetic key list",
    rights: Admin, reader: Home, interfaces: [Cli, Http], destructive: false,
    answers: Many, args: KeyList, run: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct KeyList {
    /// Include those that were revoked or have expired
    #[arg(long)]
    #[serde(default)]
    all: bool,
}

fn run(cx: &mut OwnerContext, args: KeyList) -> Result<()> {
    let (now, keys) = (cx.env.now(), Keys::of(cx.memory()?)?.all()?);
    let shown = keys.iter().filter(|key| args.all || key.is_good(now));
    shown.cloned().try_for_each(|key| cx.answer(KeyLine::from(key)))
}
