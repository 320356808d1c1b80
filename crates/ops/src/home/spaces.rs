//! `spaces`: every space of the home.

use clap::Args;
use idetic_memory::{Kind, Result};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::operation::operation;
use crate::{OwnerContext, SpaceLine};

operation! {
    name: "spaces",
    about: "List the spaces of the home",
    example: "idetic spaces",
    rights: Admin, reader: Home, interfaces: [Cli, Json], destructive: false,
    answers: Many, args: Spaces, run: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Spaces {}

fn run(cx: &mut OwnerContext, _: Spaces) -> Result<()> {
    for name in cx.memory()?.spaces()?.into_iter().filter(|name| cx.grant.holds(name)).collect::<Vec<_>>() {
        let events = match cx.memory()?.space(&name).and_then(|s| Ok(s.log().tip()?.seq)) {
            // A folder is made before what it will hold.
            Err(error) if error.kind == Kind::NotFound => continue,
            events => events.ok(),
        };
        cx.answer(SpaceLine { space: name.to_string(), events })?;
    }
    Ok(())
}
