//! `identity show`: an agent's identity, with every default filled in.

use clap::Args;
use idetic_core::identity::collection;
use idetic_core::words::Persona;
use idetic_memory::{Error, Result};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::operation::operation;
use crate::{OwnerContext, RawLine};

operation! {
    name: "identity show",
    about: "Show an agent's identity with every default filled in, ready to be saved as its file",
    example: "idetic identity show coder",
    rights: Read, reader: Home, interfaces: [Cli], destructive: false,
    answers: One, args: ShowIdentity, run: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ShowIdentity {
    /// The agent
    #[arg(value_name = "AGENT")]
    agent: String,
}

fn run(cx: &mut OwnerContext, args: ShowIdentity) -> Result<()> {
    let memory = cx.memory()?;
    let mut identity = memory.identity(&args.agent)?;
    identity.memory.actor.ltm_collection = Some(collection(&args.agent, Persona::Actor));
    identity.memory.subconscious.ltm_collection = Some(collection(&args.agent, Persona::Subconscious));
    if let Some(file) = memory.identity_file(&args.agent).filter(|file| !file.exists()) {
        (cx.notice)(&format!("these are the defaults: save them as {} to change them", file.display()));
    }
    let text = if cx.for_person { serde_json::to_string_pretty(&identity) } else { serde_json::to_string(&identity) };
    let raw = text.and_then(serde_json::value::RawValue::from_string);
    cx.answer(RawLine(raw.map_err(|e| Error::unavailable(e.to_string()))?))
}
