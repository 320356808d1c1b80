//! `config show`: every setting with where it came from.

use clap::Args;
use idetic_memory::Result;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::operation::operation;
use crate::{OwnerContext, Settings};

operation! {
    name: "config show",
    about: "Show every setting and where it came from",
    example: "idetic config show",
    rights: Read, reader: Home, interfaces: [Cli], destructive: false,
    answers: One, args: ConfigShow, run: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ConfigShow {}

fn run(cx: &mut OwnerContext, _: ConfigShow) -> Result<()> {
    let settings = cx.config()?.settings().to_vec();
    let home = cx.home().folder.display().to_string();
    cx.answer(Settings { home, home_found_by: cx.home().found_by.clone(), settings })
}
