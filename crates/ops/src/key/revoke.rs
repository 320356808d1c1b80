//! `key revoke`: from now on a key is refused.

use clap::Args;
use idetic_memory::Result;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::store::Keys;
use crate::operation::operation;
use crate::{Done, OwnerContext};

operation! {
    name: "key revoke",
    about: "Revoke an API key of the server: it is refused from now on",
    example: "idetic key revoke laptop",
    rights: Admin, reader: Home, interfaces: [Cli, Http], destructive: false,
    answers: One, args: KeyRevoke, run: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct KeyRevoke {
    /// Its id or its name
    #[arg(value_name = "KEY")]
    key: String,
}

fn run(cx: &mut OwnerContext, args: KeyRevoke) -> Result<()> {
    let now = cx.env.now();
    let memory = cx.memory()?;
    let key = Keys::of(memory)?.revoke(&args.key, now)?;
    memory.audit("key.revoked", &cx.caller, &json!({"key": key.id, "name": key.name}))?;
    cx.answer(Done { done: format!("revoked the key '{}' ({})", key.name, key.id), events: 0, head: None })
}
