//! `purge`: erases what some events say, and everything that was made of it, wherever this program keeps it.

use std::collections::HashSet;
use std::sync::Arc;

use clap::Args;
use idetic_core::views::FACT_STORED;
use idetic_core::{SpaceName, Time};
use idetic_memory::purge::{Plan, Selection, TextPattern};
use idetic_memory::{Error, Kind, Result, Space};
use idetic_search::filter::Condition;
use idetic_sync::purge::{planned, purge, resume};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::OwnerContext;
use crate::arguments::FilterArgument;
use crate::operation::operation;

operation! {
    name: "purge",
    about: "Permanently erase the content of events and everything derived from it; a receipt says how many",
    example: "idetic purge --matching \"Zoë Quill\" --dry-run",
    rights: Admin, reader: Owner, interfaces: [Cli, Json], destructive: true,
    answers: Many, args: Purge, run: run,
}

/// Longest reason in a receipt.
const REASON_MAX_BYTES: usize = 1024;
/// Longest answer that is read from a person.
const ANSWER_MAX_BYTES: usize = 100;

#[derive(Debug, Default, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Purge {
    /// Everything of a conversation
    #[arg(long, value_name = "ID")]
    pub conversation: Option<String>,
    /// Everything in every collection of a user
    #[arg(long, value_name = "USER", conflicts_with_all = ["conversation", "fact", "matching", "event"])]
    pub user: Option<String>,
    /// Everything in the space
    #[arg(long, conflicts_with_all = ["conversation", "user", "fact", "matching", "event", "filter"])]
    pub everything: bool,
    /// A fact: the event of that id, and those whose metadata says that they are about it
    #[arg(long, value_name = "ID")]
    pub fact: Option<String>,
    /// Everything in the space that contains this text, in any spelling (docs/purge.md)
    #[arg(long, value_name = "TEXT")]
    pub matching: Option<String>,
    /// One event, by its id or number
    #[arg(long, value_name = "ID")]
    pub event: Option<String>,
    /// Every event that this holds of, as JSON: {"metadata.customer": "acme"}; docs/filters.md
    #[arg(long, value_name = "JSON", conflicts_with = "user")]
    pub filter: Option<FilterArgument>,
    /// List each event that would go, with the reason
    #[arg(long)]
    pub dry_run: bool,
    /// Erase them
    #[arg(long, conflicts_with = "dry_run")]
    pub yes: bool,
    /// Why, for the receipt; it is kept, so it must not contain what is erased
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,
    /// Finish a purge that was stopped; every other purge of the space does so first
    #[arg(long)]
    pub resume: bool,
    /// Whether what is in quarantine is left alone: only an administrator touches that.
    #[arg(skip)]
    #[serde(skip)]
    pub spares_hidden: bool,
    /// Whether all versions of the event go.
    #[arg(skip)]
    #[serde(skip)]
    pub with_versions: bool,
}

pub(super) fn run(cx: &mut OwnerContext, args: Purge) -> Result<()> {
    let wanted = wanted(&args, cx.env.now())?;
    let (memory, spaces) = (cx.shared_memory()?, spaces(cx, &args)?);
    if !args.dry_run {
        let mut resumed = false;
        for space in &spaces {
            if let Some(purged) = resume(&memory, space)? {
                resumed = true;
                cx.answer(purged)?;
            }
        }
        if args.resume {
            return if resumed { Ok(()) } else { Err(nothing_waits()) };
        }
    }
    tell_of_other_spaces(cx, &args)?;
    let mut plans = Vec::with_capacity(spaces.len());
    for space in spaces {
        let mut plan = Plan::of(&space, &wanted, cx.progress)?;
        if args.spares_hidden {
            let hidden = space.hidden()?;
            plan.chosen.retain(|chosen| !hidden.contains(&chosen.seq));
        }
        plans.push((space, plan));
    }
    let count: usize = plans.iter().map(|(_, plan)| plan.chosen.len()).sum();
    if count == 0 && !(wanted.matching.is_some() && args.yes) {
        return Err(Error::not_found("there is nothing to purge: no event matches")
            .hint("`idetic log` lists events; what was purged already is not found again"));
    }
    if args.fact.is_some() {
        for (space, plan) in &plans {
            tell_of_sources(cx, space, plan)?;
        }
    }
    if args.dry_run {
        return plans.iter().filter(|(_, plan)| !plan.chosen.is_empty()).try_for_each(|(space, plan)| {
            let looked_at = planned(space, plan)?;
            cx.answer(looked_at)
        });
    }
    for (space, plan) in &plans {
        refuse_above(cx, space, plan)?;
    }
    let is_told = args.yes || cx.can_ask && is_agreed(cx, &plans, count)?;
    if !is_told {
        return Err(not_told(count));
    }
    carry_out(cx, plans, count, args.reason.as_deref())
}

/// Whoever is trusted less erases nothing of those who are trusted more.
fn refuse_above(cx: &OwnerContext, space: &Space, plan: &Plan) -> Result<()> {
    let Some(own) = cx.grant.trust else { return Ok(()) };
    for chosen in &plan.chosen {
        let trust = space.raw_event(chosen.seq)?.trust();
        if !own.may_change(trust) {
            let id = &chosen.id;
            return Err(Error::invalid(format!(
                "event {id} has trust '{}': trust '{}' may not erase it",
                trust.word(),
                own.word()
            ))
            .hint(format!("only its owner may: `idetic purge --event {id}`")));
        }
    }
    Ok(())
}

/// A fact goes; the words it was taken from are events of their own, and stay unless they are named.
fn tell_of_sources(cx: &mut OwnerContext, space: &Space, plan: &Plan) -> Result<()> {
    let gone: HashSet<&str> = plan.chosen.iter().map(|chosen| chosen.id.as_str()).collect();
    let mut told = HashSet::new();
    for chosen in plan.chosen.iter().filter(|chosen| chosen.kind == FACT_STORED) {
        let causes = space.event(chosen.seq)?.fields.map(|fields| fields.causes).unwrap_or_default();
        for source in causes.into_iter().filter(|cause| !gone.contains(cause.as_str())) {
            if told.insert(source.clone()) {
                (cx.notice)(&format!(
                    "event {source}, which it was taken from, stays: `idetic purge --event {source}`"
                ));
            }
        }
    }
    Ok(())
}

/// What is asked for, checked.
fn wanted(args: &Purge, now: Time) -> Result<Selection> {
    let said = [&args.conversation, &args.user, &args.fact, &args.matching, &args.event];
    let said = said.iter().filter(|said| said.is_some()).count() + usize::from(args.filter.is_some());
    if args.everything && said > 0 {
        return Err(Error::invalid("everything is purged").hint("leave the others out"));
    }
    if said == 0 && !args.resume && !args.everything {
        return Err(Error::invalid("specify what to purge").hint(
            "--conversation ID, --fact ID, --event ID, --matching TEXT, --filter JSON, --everything or --user USER",
        ));
    }
    if args.user.is_some() && said > 1 {
        return Err(Error::invalid("--user purges everything of a user").hint("leave the others out"));
    }
    if args.reason.as_ref().is_some_and(|reason| reason.len() > REASON_MAX_BYTES) {
        return Err(Error::invalid(format!("the reason is longer than {REASON_MAX_BYTES} bytes"))
            .hint("refer to a request by its number"));
    }
    let matching = args.matching.as_deref().map(TextPattern::new).transpose()?;
    if let (Some(words), Some(reason)) = (&matching, &args.reason)
        && words.matches(reason)
    {
        return Err(Error::invalid("the reason contains what is to be erased, and would be kept")
            .hint("give a reason without it, e.g. the number of a request"));
    }
    let Purge { conversation, fact, event, .. } = args;
    let (conversation, fact, event) = (conversation.clone(), fact.clone(), event.clone());
    let (all, with_versions) = (args.user.is_some() || args.everything, args.with_versions);
    let filter = FilterArgument::condition(args.filter.as_ref(), now)?;
    if filter.as_deref().and_then(Condition::constant) == Some(true) {
        return Err(Error::invalid("the filter names nothing, so every event matches it").hint("name what is to go"));
    }
    Ok(Selection { conversation, fact, event, filter, with_versions, matching, all, ..Selection::default() })
}

/// The space in question, or all of a user's.
fn spaces(cx: &OwnerContext, args: &Purge) -> Result<Vec<Arc<Space>>> {
    if args.everything {
        cx.must_be_owner("purge everything in a space")?;
    }
    let Some(user) = &args.user else {
        let space = cx.space()?;
        cx.must_keep_audit(space.name())?;
        return Ok(vec![space]);
    };
    cx.must_be_owner("purge everything of a user")?;
    let memory = cx.memory()?;
    let of_user = |name: &SpaceName| name.to_string().split_once('/').is_some_and(|(own, _)| own == user);
    let names: Vec<SpaceName> =
        memory.spaces()?.into_iter().filter(of_user).filter(|name| cx.grant.holds(name)).collect();
    if names.is_empty() {
        return Err(
            Error::not_found(format!("there is no space of a user '{user}'")).hint("`idetic spaces` lists them")
        );
    }
    names.iter().try_for_each(|name| cx.must_keep_audit(name))?;
    names.iter().map(|name| memory.space(name)).collect()
}

/// Whoever looks for a text may think that it is looked for everywhere.
fn tell_of_other_spaces(cx: &mut OwnerContext, args: &Purge) -> Result<()> {
    if args.matching.is_none() {
        return Ok(());
    }
    let (memory, own) = (cx.memory()?, cx.space()?);
    let is_other = |name: &SpaceName| name != own.name() && cx.grant.holds(name);
    let others = memory.spaces()?.into_iter().filter(is_other).count();
    if others > 0 {
        let spaces =
            if others == 1 { "1 other space: name it".to_owned() } else { format!("{others} other spaces: name each") };
        (cx.notice)(&format!("only {} is searched, and not {spaces} with --space", own.name()));
    }
    Ok(())
}

/// Whether a person who was shown the list agrees.
fn is_agreed(cx: &mut OwnerContext, plans: &[(Arc<Space>, Plan)], count: usize) -> Result<bool> {
    for (space, plan) in plans.iter().filter(|(_, plan)| !plan.chosen.is_empty()) {
        let looked_at = planned(space, plan)?;
        cx.answer(looked_at)?;
    }
    (cx.notice)(&format!("erase the content of {count} events for good? Type yes"));
    let mut answer = Vec::new();
    if let Some(input) = &mut cx.input {
        let mut byte = [0];
        while answer.len() < ANSWER_MAX_BYTES
            && input.read(&mut byte).map_err(Error::io("cannot read an answer"))? == 1
            && byte != *b"\n"
        {
            answer.push(byte[0]);
        }
    }
    Ok(String::from_utf8_lossy(&answer).trim().eq_ignore_ascii_case("yes"))
}

fn carry_out(cx: &mut OwnerContext, plans: Vec<(Arc<Space>, Plan)>, count: usize, reason: Option<&str>) -> Result<()> {
    let (memory, mut left, mut files) = (cx.shared_memory()?, 0, 0);
    for (space, plan) in plans.into_iter().filter(|(_, plan)| count == 0 || !plan.chosen.is_empty()) {
        let purged = purge(&memory, &space, plan, reason)?;
        (left, files) = (left + purged.left.len(), files + purged.files.len());
        cx.answer(purged)?;
    }
    if count == 0 && files == 0 {
        return Err(Error::not_found("there is nothing to purge: no event or file matches")
            .hint("`idetic log` lists events; what was purged already is not found again"));
    }
    (cx.notice)("copies elsewhere keep what was purged: backups, exports, other people's folders, git");
    if left == 0 {
        return Ok(());
    }
    let what = if left == 1 { "1 file still has it".to_owned() } else { format!("{left} files still have it") };
    Err(Error::new(Kind::CheckFailed, what).hint("each is named above with the reason"))
}

fn nothing_waits() -> Error {
    Error::not_found("no purge is unfinished").hint("`idetic purge --matching TEXT --dry-run` looks for what to purge")
}

/// Refuses to go on without being told to.
fn not_told(count: usize) -> Error {
    let what = if count == 1 { "1 event".to_owned() } else { format!("{count} events") };
    Error::invalid(format!("the content of {what} would be erased for good, and that cannot be undone"))
        .hint("check with --dry-run, then use --yes")
}
