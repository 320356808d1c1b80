//! `quarantine`: hides events and everything made of them from every answer, until they are released.

use clap::Args;
use idetic_core::Time;
use idetic_memory::purge::{ProvenanceFilter, Selection, TextPattern};
use idetic_memory::quarantine::{hide, list, preview, release};
use idetic_memory::{Error, Result};
use idetic_sync::amem;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::OwnerContext;
use crate::operation::operation;

operation! {
    name: "quarantine",
    about: "Hide matching events, and everything derived from them, from every answer until they are released",
    example: "idetic quarantine --origin tool:WebFetch --since 2d",
    rights: Admin, reader: Owner, interfaces: [Cli, Json], destructive: false,
    answers: Many, args: Quarantine, run: run,
}

/// Longest reason.
const REASON_MAX_BYTES: usize = 1024;

#[derive(Debug, Default, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Quarantine {
    /// What has this origin: user, agent, tool, file, web or import, or a more specific one such as tool:WebFetch
    #[arg(long, value_name = "ORIGIN")]
    origin: Option<String>,
    /// What an agent said, did or wrote
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
    /// Everything of a conversation
    #[arg(long, value_name = "ID")]
    conversation: Option<String>,
    /// What was written at or after a moment: an ISO time, or an age such as 2h
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// What was written before a moment
    #[arg(long, value_name = "TIME")]
    until: Option<String>,
    /// What contains this text, in any spelling (docs/purge.md)
    #[arg(long, value_name = "TEXT")]
    matching: Option<String>,
    /// One event, by its id or number
    #[arg(long, value_name = "ID")]
    event: Option<String>,
    /// Hide it; without this the events are only shown
    #[arg(long)]
    yes: bool,
    /// Why, for the record
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    /// Release the events of a quarantine
    #[arg(long, value_name = "ID", conflicts_with_all = ["yes", "reason", "list", "origin", "agent", "conversation", "since", "until", "matching", "event"])]
    release: Option<String>,
    /// List every quarantine in force
    #[arg(long, conflicts_with_all = ["yes", "reason", "origin", "agent", "conversation", "since", "until", "matching", "event"])]
    list: bool,
}

fn run(cx: &mut OwnerContext, args: Quarantine) -> Result<()> {
    let chooses =
        [&args.origin, &args.agent, &args.conversation, &args.since, &args.until, &args.matching, &args.event];
    let chooses = args.yes || args.reason.is_some() || chooses.iter().any(|chosen| chosen.is_some());
    if (args.list || args.release.is_some()) && (chooses || args.list == args.release.is_some()) {
        return Err(Error::invalid("--list and --release stand alone").hint("leave the other options out"));
    }
    let space = cx.space()?;
    if args.list {
        return list(&space)?.into_iter().try_for_each(|quarantined| cx.answer(quarantined));
    }
    // Hiding is changing: whoever is trusted less than the owner looks, and does not decide.
    if args.yes || args.release.is_some() {
        cx.must_be_owner("change what is in quarantine")?;
    }
    let author = cx.author(None)?;
    if let Some(id) = &args.release {
        let released = release(&space, id, author.as_deref())?;
        return cx.answer(released);
    }
    if args.reason.as_ref().is_some_and(|reason| reason.len() > REASON_MAX_BYTES) {
        return Err(Error::invalid(format!("the reason is longer than {REASON_MAX_BYTES} bytes")).hint("shorten it"));
    }
    let wanted = wanted(&args, cx.env.now())?;
    let done = match args.yes {
        true => hide(&space, &wanted, args.reason.as_deref(), author.as_deref(), cx.progress)?,
        false => Some(preview(&space, &wanted, cx.progress)?).filter(|plan| plan.count > 0),
    };
    if let Some(folder) = amem::bound_folder(&space).filter(|folder| args.yes && folder.is_dir()) {
        (cx.notice)(&format!("the files in {} are not changed: their readers still find it", folder.display()));
    }
    match done {
        Some(done) => cx.answer(done),
        None => Err(Error::not_found("no event matches, or all that do are hidden already")
            .hint("`idetic quarantine --list` lists what is hidden")),
    }
}

fn wanted(args: &Quarantine, now: Time) -> Result<Selection> {
    let moment = |text: &Option<String>| text.as_deref().map(|text| Time::parse_or_age(text, now)).transpose();
    let among = ProvenanceFilter {
        origin: args.origin.clone(),
        agent: args.agent.clone(),
        since: moment(&args.since)?,
        until: moment(&args.until)?,
    };
    let matching = args.matching.as_deref().map(TextPattern::new).transpose()?;
    let wanted = Selection {
        conversation: args.conversation.clone(),
        event: args.event.clone(),
        matching,
        among: Some(among).filter(|among| *among != ProvenanceFilter::default()),
        every: true,
        ..Selection::default()
    };
    if wanted.conversation.is_none() && wanted.event.is_none() && wanted.matching.is_none() && wanted.among.is_none() {
        return Err(Error::invalid("specify what to hide")
            .hint("--origin, --agent, --conversation, --since, --until, --matching or --event; or --list"));
    }
    Ok(wanted)
}
