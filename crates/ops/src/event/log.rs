//! `log`: the events in order, filtered by anything they are indexed by.

use std::time::Duration;

use clap::Args;
use idetic_core::views::{REFS, TAGS, TIMELINE, Value};
use idetic_core::words::{Persona, Status};
use idetic_core::{Time, kind};
use idetic_memory::RequestedReader;
use idetic_memory::as_of::AsOf;
use idetic_memory::{Error, Result};
use idetic_memory::{Scope, Viewpoint};
use idetic_store::{Filter, Select};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::Context;
use crate::arguments::FilterArgument;
use crate::operation::operation;

operation! {
    name: "log",
    about: "Show the events in order, filtered",
    example: "idetic log --kind tool_call --status failure --since 7d --limit 20",
    rights: Read, reader: View, interfaces: [Cli, Json], destructive: false,
    answers: Many, args: Log, run: run, new_space: |_| Ok(()),
}

/// Events read at a time.
const PAGE_EVENTS: usize = 1000;
/// What a person is shown when they do not say how much.
const PERSON_LIMIT: usize = 50;
const FOLLOW_EVERY: Duration = Duration::from_millis(100);

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[derive(Default)]
struct Log {
    /// Only this kind
    #[arg(long, value_name = "KIND")]
    kind: Option<String>,
    /// Only this status: success, failure, pending or timeout
    #[arg(long, value_name = "STATUS")]
    status: Option<String>,
    /// Only this agent's
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
    /// Only this side of the agent: actor or subconscious
    #[arg(long, value_name = "PERSONA")]
    persona: Option<String>,
    /// As that side of the agent sees the log: its own events and what is shared, under its own numbers
    #[arg(long, requires = "agent")]
    view: bool,
    /// Only by this author
    #[arg(long, value_name = "WHO")]
    author: Option<String>,
    /// Only from this source
    #[arg(long, value_name = "SOURCE")]
    source: Option<String>,
    /// Only of this workflow
    #[arg(long, value_name = "TRACE")]
    trace: Option<String>,
    /// Only of this loop
    #[arg(long = "loop", value_name = "LOOP")]
    #[serde(rename = "loop")]
    loop_id: Option<String>,
    /// Only of this conversation
    #[arg(long, value_name = "CONVERSATION")]
    conversation: Option<String>,
    /// Only with this tag; if repeated, with all of them
    #[arg(long = "tag", value_name = "TAG")]
    tags: Vec<String>,
    /// Only referring to this; if repeated, to all of them
    #[arg(long = "ref", value_name = "REF")]
    refs: Vec<String>,
    /// Only what this holds of, as JSON: {"metadata.vip": true, "tags": "billing"}; docs/filters.md
    #[arg(long, value_name = "JSON")]
    filter: Option<FilterArgument>,
    /// Only with this id
    #[arg(long, value_name = "ID")]
    id: Option<String>,
    /// Only what happened at or after a time: ISO, or an age such as 2h or 7d
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Only what happened at or before a time
    #[arg(long, value_name = "TIME")]
    until: Option<String>,
    /// As the space was at a seq or a time
    #[arg(long, value_name = "SEQ|TIME")]
    #[schemars(with = "Option<String>")]
    as_of: Option<AsOf>,
    /// How many of the latest matches; 0 for all [default: all, in a terminal 50]
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Only after this seq (a position, with --view), the oldest first: to continue where a page ended
    #[arg(long, value_name = "SEQ", conflicts_with = "reverse")]
    after: Option<u64>,
    /// The newest first
    #[arg(long)]
    reverse: bool,
    /// Keep showing events as they are appended
    #[arg(long, conflicts_with_all = ["reverse", "as_of"])]
    #[serde(skip)]
    follow: bool,
}

fn run(cx: &mut Context, args: Log) -> Result<()> {
    let filter = FilterArgument::condition(args.filter.as_ref(), cx.env.now())?;
    // Whoever is held to an agent reads as it, and names no other.
    let is_view = args.view || cx.grant.agent.is_some();
    let who = if is_view { cx.who(args.agent.as_ref(), args.persona.as_ref())? } else { RequestedReader::default() };
    let viewpoint = cx.viewpoint(&who)?;
    let (viewpoint, horizon) = viewpoint.as_of(args.as_of.as_ref())?;
    let mut filters = filters(&args, &viewpoint.scope, cx.env.now())?;
    filters.extend(filter.map(|held| Filter::Matches("born", held)));
    let select = |at| Select { filters: filters.clone(), ..Select::from(&TIMELINE, at) };
    let limit = args.limit.or(cx.for_person.then_some(PERSON_LIMIT)).filter(|n| *n > 0);
    match (args.after, limit, args.reverse) {
        (Some(after), limit, _) => {
            let after = viewpoint.place_of(after, horizon)?;
            oldest_first(cx, &viewpoint, select(horizon), after, limit.unwrap_or(usize::MAX))?;
        }
        (None, Some(limit), reverse) => last(cx, &viewpoint, select(horizon), limit, reverse)?,
        (None, None, true) => newest_first(cx, &viewpoint, select(horizon))?,
        (None, None, false) => oldest_first(cx, &viewpoint, select(horizon), 0, usize::MAX)?,
    }
    if !args.follow {
        return Ok(());
    }
    let mut shown = horizon;
    loop {
        std::thread::sleep(FOLLOW_EVERY);
        let head = viewpoint.horizon(None)?;
        if head > shown {
            oldest_first(cx, &viewpoint, select(head), shown, usize::MAX)?;
            shown = head;
        }
    }
}

fn filters(args: &Log, scope: &Scope, now: Time) -> Result<Vec<Filter>> {
    let mut filters = Vec::new();
    let mut is = |column: &'static str, value: &Option<String>| {
        filters.extend(value.as_deref().map(|v| Filter::Is(column, v.into())));
    };
    is("id", &args.id);
    if *scope == Scope::Owner {
        is("agent", &args.agent);
        is("persona", &args.persona.as_deref().map(Persona::parse).transpose()?.map(|p| p.word().to_owned()));
    }
    is("author", &args.author);
    is("source", &args.source);
    is("trace", &args.trace);
    is("loop", &args.loop_id);
    is("conversation", &args.conversation);
    // A word that no event can have is a mistake, not an empty answer.
    is("kind", &args.kind.as_deref().map(kind::parse).transpose()?.map(|k| k.into_owned()));
    is("status", &args.status.as_deref().map(Status::parse).transpose()?.map(|s| s.word().to_owned()));
    let moment = |text: &String| Time::parse_or_age(text, now).map(|t| Value::Int(t.0));
    filters.extend(args.since.as_ref().map(moment).transpose()?.map(|t| Filter::AtLeast("ts", t)));
    filters.extend(args.until.as_ref().map(moment).transpose()?.map(|t| Filter::AtMost("ts", t)));
    filters.extend(args.tags.iter().map(|t| Filter::Has(&TAGS, t.as_str().into())));
    filters.extend(args.refs.iter().map(|r| Filter::Has(&REFS, r.as_str().into())));
    Ok(filters)
}

/// The last so many, oldest first unless reversed.
fn last(cx: &mut Context, viewpoint: &Viewpoint, select: Select, limit: usize, reverse: bool) -> Result<()> {
    // One more than is shown tells whether there is more. No space has more events than its head says.
    let at = select.at;
    let limit = limit.min(usize::try_from(at).unwrap_or(usize::MAX - 1));
    let mut seqs = viewpoint.seqs(&Select { newest_first: true, limit: Some(limit + 1), ..select })?;
    if seqs.len() > limit {
        seqs.truncate(limit);
        if cx.for_person {
            (cx.notice)(&format!("there are earlier events than these {limit}: --limit 0 shows all"));
        }
    }
    if !reverse {
        seqs.reverse();
    }
    seqs.chunks(PAGE_EVENTS).try_for_each(|page| show(cx, viewpoint, page, at))
}

fn oldest_first(
    cx: &mut Context,
    viewpoint: &Viewpoint,
    select: Select,
    mut after: u64,
    mut most: usize,
) -> Result<()> {
    loop {
        let page = Select { limit: Some(PAGE_EVENTS.min(most)), ..select.clone() }.filter(Filter::BornAfter(after));
        let seqs = viewpoint.seqs(&page)?;
        let Some(last) = seqs.last() else { return Ok(()) };
        after = *last;
        show(cx, viewpoint, &seqs, select.at)?;
        most -= seqs.len();
        if most == 0 {
            return Ok(());
        }
    }
}

fn newest_first(cx: &mut Context, viewpoint: &Viewpoint, select: Select) -> Result<()> {
    let mut before = select.at + 1;
    loop {
        let page = Select { limit: Some(PAGE_EVENTS), newest_first: true, ..select.clone() };
        let seqs = viewpoint.seqs(&page.filter(Filter::BornBefore(before)))?;
        let Some(last) = seqs.last() else { return Ok(()) };
        before = *last;
        show(cx, viewpoint, &seqs, select.at)?;
    }
}

fn show(cx: &mut Context, viewpoint: &Viewpoint, seqs: &[u64], horizon: u64) -> Result<()> {
    let events = viewpoint.events(seqs)?;
    if events.len() != seqs.len() {
        return Err(Error::unavailable("events went missing while they were read").hint("run `idetic verify`"));
    }
    viewpoint.show(events, horizon)?.into_iter().try_for_each(|shown| cx.answer(shown))
}
