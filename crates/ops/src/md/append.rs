//! `md append`: one new event, into the log and to the end of CHANGELOG.md.

use clap::Args;
use idetic_memory::{Error, Result};
use idetic_sync::markdown::{MdSeverity, MdText};
use idetic_sync::markdown::{NewEvent, detail, draft_from_git};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::OwnerContext;
use crate::md::{In, agent};
use crate::operation::operation;

operation! {
    name: "md append",
    about: "Append an event to CHANGELOG.md and the log with the next number, its details checked by its type",
    example: "idetic md append fix --scope auth --summary \"Tokens expire again\" --detail entity=auth",
    rights: Admin, reader: Home, interfaces: [Cli], destructive: false,
    answers: One, args: MdAppend, run: run,
}

#[derive(Debug, Default, Args, Deserialize, JsonSchema)]
#[serde(default)]
struct MdAppend {
    /// What happened: decision, create, modify, delete, test, fix, dependency, blocker, milestone, escalation, handoff…
    #[arg(value_name = "TYPE", required_unless_present = "from_git")]
    r#type: Option<String>,
    /// The area that is affected; several with commas
    #[arg(long, value_name = "AREA")]
    scope: Option<String>,
    /// What happened, in one line that stands alone
    #[arg(long, value_name = "TEXT")]
    summary: Option<String>,
    /// A detail, e.g. entity=auth_module; may be repeated, and a key that comes again makes a list
    #[arg(long = "detail", value_name = "KEY=VALUE")]
    details: Vec<String>,
    /// An event that led to this one, e.g. evt-014; may be repeated
    #[arg(long = "ref", value_name = "EVT")]
    refs: Vec<String>,
    /// A label; `private` and `sensitive` hide the event from context, search and handoffs
    #[arg(long = "tag", value_name = "TAG")]
    tags: Vec<String>,
    /// Who did it [default: the author in config.toml, else "agent"]
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
    /// Stage it until `md shutdown`, which appends everything staged as one batch
    #[arg(long)]
    stage: bool,
    /// Draft what is not given from the changes in git, and print the draft; --yes appends it
    #[arg(long)]
    from_git: bool,
    /// With --from-git: append the draft
    #[arg(long, requires = "from_git")]
    yes: bool,
    #[command(flatten)]
    #[serde(flatten)]
    place: In,
}

fn run(cx: &mut OwnerContext, args: MdAppend) -> Result<()> {
    let mut new = NewEvent {
        kind: args.r#type.unwrap_or_default(),
        scope: args.scope.unwrap_or_default(),
        summary: args.summary.unwrap_or_default(),
        details: args.details.iter().map(|text| detail(text)).collect::<Result<_>>()?,
        refs: args.refs,
        tags: args.tags,
        agent: agent(cx, args.agent.as_deref())?,
    };
    if args.from_git {
        draft_from_git(args.place.folder(), &mut new)?;
    }
    if cx.can_ask {
        ask(cx, &mut new)?;
    }
    new.check()?;
    if args.from_git && !args.yes {
        return cx.answer(MdText { text: new.block(cx.env.now()) });
    }
    let missing = new.missing();
    if !missing.is_empty() {
        (cx.notice)(&format!("a {} usually also has: {}", new.kind, missing.join(", ")));
    }
    if let Some(why) = new.not_alone() {
        (cx.notice)(&format!("the summary does not stand alone: {why}"));
    }
    let mut project = args.place.open(cx)?;
    let _alone = project.lock()?;
    let appended = if args.stage { project.stage(&cx.env, &new)? } else { project.append_event(&cx.env, &new)? };
    for trouble in project.into_report().troubles.iter().filter(|trouble| trouble.severity == MdSeverity::Error) {
        (cx.notice)(&format!("{}: {}", trouble.file, trouble.message));
    }
    cx.answer(appended)
}

/// Asks a person for what is missing; an empty answer leaves it out.
fn ask(cx: &mut OwnerContext, new: &mut NewEvent) -> Result<()> {
    if new.scope.is_empty() {
        new.scope = line(cx, "scope")?;
    }
    if new.summary.is_empty() {
        new.summary = line(cx, "summary")?;
    }
    for key in new.missing() {
        let value = line(cx, key)?;
        if !value.is_empty() {
            new.details.push((key.to_owned(), value));
        }
    }
    Ok(())
}

fn line(cx: &mut OwnerContext, name: &str) -> Result<String> {
    (cx.notice)(&format!("{name}?"));
    let mut bytes = Vec::new();
    if let Some(input) = &mut cx.input {
        let mut byte = [0];
        while input.read(&mut byte).map_err(Error::io("cannot read an answer"))? == 1 && byte != *b"\n" {
            bytes.push(byte[0]);
        }
    }
    Ok(String::from_utf8_lossy(&bytes).trim().to_owned())
}
