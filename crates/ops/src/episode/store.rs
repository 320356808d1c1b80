//! `episode store`: what was attempted, how, with what outcome, and what is to be learned from it.

use clap::Args;
use idetic_memory::episodes::EpisodeDraft;
use idetic_memory::{Error, Result};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::Context;
use crate::arguments::{MemoryArgs, expiry_or_days, moment, pairs};
use crate::operation::operation;

operation! {
    name: "episode store",
    about: "Store an episode: a goal, the steps taken, the outcome, the lessons",
    example: "idetic episode store \"Deploy the site\" --step build --step upload --outcome live --status success",
    rights: Write, reader: View, interfaces: [Cli, Json], destructive: false,
    answers: One, args: Store, run: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Store {
    /// What was attempted
    #[arg(value_name = "GOAL")]
    goal: String,
    /// A key action; may be repeated, in order
    #[arg(long = "step", value_name = "TEXT")]
    #[serde(default)]
    steps: Vec<String>,
    /// How it ended
    #[arg(long, value_name = "TEXT")]
    #[serde(default)]
    outcome: Option<String>,
    /// What was learned from it
    #[arg(long, value_name = "TEXT")]
    #[serde(default)]
    lessons: Option<String>,
    /// Whether it worked: success or failure
    #[arg(long, value_name = "STATUS")]
    #[serde(default)]
    status: Option<String>,
    /// The conversation it happened in
    #[arg(long, value_name = "CONVERSATION")]
    #[serde(default)]
    conversation: Option<String>,
    /// When it happened: an ISO time, or an age such as 2h
    #[arg(long, value_name = "TIME")]
    #[serde(default)]
    at: Option<String>,
    /// The id of an event it was derived from; may be repeated
    #[arg(long = "cause", value_name = "ID")]
    #[serde(default)]
    causes: Vec<String>,
    /// A label; may be repeated
    #[arg(long = "tag", value_name = "TAG")]
    #[serde(default)]
    tags: Vec<String>,
    /// From when on it is as if it had never been: an ISO time, or 12h, 30d, 4w from now
    #[arg(long, value_name = "TIME")]
    #[serde(default)]
    expires_at: Option<String>,
    /// Forget it automatically after this many days [default: agent-mem.episode-expiry-days]
    #[arg(long, value_name = "DAYS")]
    #[serde(default)]
    ttl_days: Option<u32>,
    /// Additional metadata, as key=value; may be repeated
    #[arg(long = "meta", value_name = "KEY=VALUE")]
    #[serde(default)]
    meta: Vec<String>,
    /// Additional metadata as an object
    #[arg(skip)]
    #[serde(default)]
    metadata: Option<Map<String, Value>>,
    #[command(flatten)]
    #[serde(flatten)]
    whose: MemoryArgs,
}

fn run(cx: &mut Context, args: Store) -> Result<()> {
    let now = cx.env.now();
    let viewpoint = args.whose.writing(cx)?;
    let success = match args.status.as_deref() {
        None => None,
        Some("success") => Some(true),
        Some("failure") => Some(false),
        Some(other) => {
            return Err(Error::invalid(format!("status '{other}' is not known")).hint("one of: success, failure"));
        }
    };
    let days = args.ttl_days.unwrap_or(cx.config()?.agent.episode_expiry_days);
    let draft = EpisodeDraft {
        goal: args.goal,
        steps: args.steps,
        outcome: args.outcome.unwrap_or_default(),
        lessons: args.lessons.unwrap_or_default(),
        success,
        conversation: args.conversation,
        ts: moment(args.at.as_ref(), now)?,
        expires: expiry_or_days(args.expires_at.as_ref(), days, now)?,
        author: cx.author(None)?,
        tags: args.tags,
        is_persons: cx.grant.writer.is_person,
        causes: args.causes,
        given: args.metadata.or(pairs(&args.meta)?),
        ..EpisodeDraft::default()
    };
    let stored = viewpoint.store_episode(&draft)?;
    cx.answer(stored)?;
    cx.embed_opportunistically(&viewpoint, &viewpoint.lane());
    Ok(())
}
