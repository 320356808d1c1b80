//! `migrate`: makes or upgrades the tables of a log in PostgreSQL.

use clap::Args;
use idetic_memory::{Error, Result};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::operation::operation;
use crate::{Done, OwnerContext};

operation! {
    name: "migrate",
    about: "Create or upgrade the tables of a log in PostgreSQL",
    example: "idetic migrate",
    rights: Admin, reader: Home, interfaces: [Cli], destructive: false,
    answers: One, args: Migrate, run: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Migrate {}

fn run(cx: &mut OwnerContext, _: Migrate) -> Result<()> {
    let Some(database) = cx.memory()?.logs()?.database() else {
        return Err(Error::invalid("the log is in the folder of each space: there is nothing to migrate")
            .hint("set log.url in config.toml to the address of a PostgreSQL database"));
    };
    let (made, place) = (database.migrate()?, database.address());
    let done = match (made.from, made.to) {
        (0, to) => format!("created the tables in {place}, version {to}"),
        (from, to) if from == to => format!("the tables in {place} have version {to} already"),
        (from, to) => format!("upgraded the tables in {place} from version {from} to {to}"),
    };
    cx.answer(Done { done, events: 0, head: None })
}
