//! `pause`, `ignore` and `resume`: when and where the hooks of coding agents record nothing.

use clap::Args;
use idetic_core::Time;
use idetic_memory::{Error, Result};
use idetic_sync::pause::Paused;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::operation::operation;
use crate::{Done, OwnerContext};

pub mod pausing {
    //! For a while.

    use super::*;

    operation! {
        name: "pause",
        about: "Stop the hooks of coding agents for a while or until `resume`: they record and tell nothing",
        example: "idetic pause --for 2h",
        rights: Admin, reader: Owner, faces: [Cli], destructive: false,
        answers: One, args: Pause, run: pause,
    }
}

pub mod ignoring {
    //! In one project.

    use super::*;

    operation! {
        name: "ignore",
        about: "Stop the hooks of coding agents in this project until `resume`; what is known stays",
        example: "idetic ignore",
        rights: Admin, reader: Owner, faces: [Cli], destructive: false,
        answers: One, args: OfProject, run: ignore,
    }
}

pub mod resuming {
    //! No more.

    use super::*;

    operation! {
        name: "resume",
        about: "Let the hooks of coding agents record again, after `pause` or `ignore`",
        example: "idetic resume",
        rights: Admin, reader: Owner, faces: [Cli], destructive: false,
        answers: One, args: OfProject, run: resume,
    }
}

#[derive(Debug, Default, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Pause {
    /// How long: 30min, 2h, 1d [default: until `resume`]
    #[arg(long = "for", value_name = "TIME")]
    #[serde(rename = "for")]
    how_long: Option<String>,
}

#[derive(Debug, Default, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct OfProject {
    /// The project, by its whole name [default: the one that is worked in]
    #[arg(long, value_name = "PROJECT")]
    project: Option<String>,
}

fn pause(cx: &mut OwnerContext, args: Pause) -> Result<()> {
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

fn ignore(cx: &mut OwnerContext, args: OfProject) -> Result<()> {
    must_be_person(cx)?;
    let (now, names) = (cx.env.now(), names(cx, args));
    if names.is_empty() {
        return Err(Error::invalid("this folder is in no repository").hint("name the project with --project"));
    }
    let home = cx.memory()?.home().to_owned();
    Paused::of(&home)?.pause(&home, Some(&names[0]), None, now)?;
    cx.answer(Done {
        done: format!("nothing is recorded in {} until `idetic resume`", names[0]),
        events: 0,
        head: None,
    })
}

fn resume(cx: &mut OwnerContext, args: OfProject) -> Result<()> {
    must_be_person(cx)?;
    let (now, names) = (cx.env.now(), names(cx, args));
    let home = cx.memory()?.home().to_owned();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let was_paused = Paused::of(&home)?.resume(&home, &names, now)?;
    let done = if was_paused { "recording again" } else { "nothing was paused here" };
    cx.answer(Done { done: done.to_owned(), events: 0, head: None })
}

/// The names of the project that is meant; none where no project is worked in.
fn names(cx: &OwnerContext, args: OfProject) -> Vec<String> {
    args.project.map_or_else(|| cx.projects(), |project| vec![project])
}

/// Whether it is recorded is for the person to say, and not for the agent that is recorded.
fn must_be_person(cx: &OwnerContext) -> Result<()> {
    match cx.is_agents() {
        true => Err(Error::invalid("an agent may not say whether it is recorded").hint("its user can, at a terminal")),
        false => Ok(()),
    }
}
