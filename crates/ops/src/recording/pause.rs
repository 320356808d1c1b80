//! `pause`: the hooks of coding agents record and tell nothing for a while.

use clap::Args;
use idetic_core::Time;
use idetic_memory::{Error, Result};
use idetic_sync::pause::Paused;
use schemars::JsonSchema;
use serde::Deserialize;

use super::must_be_person;
use crate::operation::operation;
use crate::{Done, OwnerContext};

operation! {
    name: "pause",
    about: "Stop the hooks of coding agents for a while or until `resume`: they record and tell nothing",
    example: "idetic pause --for 2h",
    rights: Admin, reader: Owner, interfaces: [Cli], destructive: false,
    answers: One, args: Pause, run: run,
}

#[derive(Debug, Default, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Pause {
    /// How long: 30min, 2h, 1d [default: until `resume`]
    #[arg(long = "for", value_name = "TIME")]
    #[serde(rename = "for")]
    how_long: Option<String>,
}

fn run(cx: &mut OwnerContext, args: Pause) -> Result<()> {
    must_be_person(cx)?;
    let now = cx.env.now();
    let until = args.how_long.as_deref().map(|text| end(text, now)).transpose()?;
    let home = cx.memory()?.home().to_owned();
    Paused::of(&home)?.pause(&home, None, until, now)?;
    let until = until.map_or("`idetic resume`".to_owned(), |until| until.to_string());
    cx.answer(Done { done: format!("paused until {until}"), events: 0, head: None })
}

/// The moment that lies as far ahead as an age lies back.
fn end(text: &str, now: Time) -> Result<Time> {
    let wrong = || Error::invalid(format!("'{text}' is not a length of time")).hint("30min, 2h or 1d");
    let back = Time::parse_or_age(text, now).map_err(|_| wrong())?;
    let length = now.0.checked_sub(back.0).filter(|length| *length > 0).ok_or_else(wrong)?;
    if !text.trim_start().starts_with(|first: char| first.is_ascii_digit()) || Time::parse(text).is_ok() {
        return Err(wrong());
    }
    Ok(Time(now.0.saturating_add(length)))
}
