//! `ops`: the table of operations itself, with the schema of each one's arguments.

use clap::Args;
use idetic_memory::{Error, Result};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::operation::operation;
use crate::{Interface, Operation, OperationLine, OwnerContext};

operation! {
    name: "ops",
    about: "List the operations, or show one with the JSON schema of its arguments",
    example: "idetic ops remember --json",
    rights: Read, reader: Home, interfaces: [Cli, Json], destructive: false,
    answers: Many, args: Ops, run: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Ops {
    /// The operation to show
    #[arg(value_name = "NAME")]
    #[serde(default)]
    name: Option<String>,
}

fn run(cx: &mut OwnerContext, args: Ops) -> Result<()> {
    let line = |o: &Operation, arguments| OperationLine {
        name: o.name,
        about: o.about,
        rights: format!("{:?}", o.rights).to_lowercase(),
        destructive: o.destructive,
        arguments,
    };
    match args.name {
        None => (cx.table)().into_iter().try_for_each(|o| cx.answer(line(o, None))),
        Some(name) => {
            let operation = (cx.table)().into_iter().find(|o| o.name == name).ok_or_else(|| {
                Error::not_found(format!("there is no operation '{name}'")).hint("`idetic ops` lists them")
            })?;
            let schema = operation.interfaces.iter().any(|face| *face != Interface::Cli).then(operation.schema);
            cx.answer(line(operation, schema))
        }
    }
}
