//! `profile prefer`: what an agent prefers, set or taken away.

use std::collections::BTreeMap;

use clap::Args;
use idetic_core::json;
use idetic_core::words::Trust;
use idetic_memory::profiles::preferences_record;
use idetic_memory::{Error, Result};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::operation::operation;
use crate::{Done, OwnerContext};

operation! {
    name: "profile prefer",
    about: "Set or remove a preference of an agent; it applies to every later session",
    example: "idetic profile prefer claude-code verbose_logging true",
    rights: Write, reader: Owner, interfaces: [Cli, Json], destructive: false,
    answers: One, args: Prefer, run: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Prefer {
    /// The agent
    #[arg(value_name = "AGENT")]
    agent: String,
    /// The name of the preference
    #[arg(value_name = "KEY")]
    key: String,
    /// Its value: JSON, or else text
    #[arg(value_name = "VALUE", allow_hyphen_values = true)]
    #[serde(default)]
    value: Option<String>,
    /// Remove it
    #[arg(long)]
    #[serde(default)]
    unset: bool,
}

fn run(cx: &mut OwnerContext, args: Prefer) -> Result<()> {
    let Prefer { agent, key, value, unset } = args;
    if agent.trim().is_empty() || key.trim().is_empty() {
        return Err(Error::invalid("the agent or the preference has no name").hint("name both: AGENT KEY VALUE"));
    }
    let value = match (value, unset) {
        (Some(value), false) => Some(as_json(&value)),
        (None, true) => None,
        (None, false) => return Err(Error::invalid(format!("no value for '{key}'")).hint("add one, or --unset")),
        (Some(_), true) => {
            return Err(Error::invalid("a value and --unset exclude each other").hint("leave one of them out"));
        }
    };
    let space = cx.space_or_new()?;
    let known = space.profile(&agent, space.horizon(None)?)?.unwrap_or_default();
    let before = known.preferences.iter().find(|(name, _)| *name == key).map(|(_, value)| value);
    let done = match (&value, before) {
        (None, None) => {
            return Err(Error::not_found(format!("agent '{agent}' has no preference '{key}'"))
                .hint(format!("`idetic profile show {agent}` shows those it has")));
        }
        (Some(value), Some(before)) if json::same(value, before) => {
            return cx.answer(Done { done: format!("{agent} has {key} = {value} already"), events: 0, head: None });
        }
        (Some(value), _) => format!("{agent} prefers {key} = {value}"),
        (None, _) => format!("{agent} no longer prefers {key}"),
    };
    let mut record = preferences_record(&agent, &BTreeMap::from([(key, value)]))?;
    // What a person prefers at the keyboard is theirs: no file and no agent changes it.
    if cx.grant.writer.is_person {
        record.set("trust", Trust::User.word())?;
    }
    space.append(vec![cx.sign(record)?], None)?;
    cx.answer(Done { done, events: 1, head: None })
}

/// A value that is JSON is kept as such; anything else is a text.
pub fn as_json(value: &str) -> String {
    match serde_json::from_str::<&RawValue>(value) {
        Ok(_) => value.trim().to_owned(),
        Err(_) => serde_json::Value::from(value).to_string(),
    }
}
