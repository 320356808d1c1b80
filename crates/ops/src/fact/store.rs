//! `fact store`: a fact, or another source of one that is there.

use clap::Args;
use idetic_core::words::Trust;
use idetic_memory::Result;
use idetic_memory::facts::FactDraft;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::Context;
use crate::arguments::{MemoryArgs, expiry_or_days, moment, pairs};
use crate::operation::operation;

operation! {
    name: "fact store",
    about: "Store a fact; duplicates are merged, and a new value of an attribute supersedes the old one",
    example: "idetic fact store \"Ann lives in Brno\" --subject Ann --attribute lives_in --value Brno",
    rights: Write, reader: View, interfaces: [Cli, Json], destructive: false,
    answers: One, args: Store, run: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Store {
    /// What is true, in one sentence
    #[arg(value_name = "TEXT")]
    #[serde(alias = "content")]
    text: String,
    /// Who or what it is about [default: taken from the sentence, where it is plain]
    #[arg(long, value_name = "SUBJECT")]
    #[serde(default)]
    subject: Option<String>,
    /// The attribute, e.g. lives_in
    #[arg(long, value_name = "ATTRIBUTE")]
    #[serde(default)]
    attribute: Option<String>,
    /// The value of the attribute
    #[arg(long, value_name = "VALUE")]
    #[serde(default)]
    value: Option<String>,
    /// The attribute can have many values at a time: none supersedes another
    #[arg(long)]
    #[serde(default)]
    many: bool,
    /// From when it is true: an ISO time, or an age such as 2h [default: now]
    #[arg(long, value_name = "TIME")]
    #[serde(default)]
    at: Option<String>,
    /// Until when it is true
    #[arg(long, value_name = "TIME")]
    #[serde(default)]
    until: Option<String>,
    /// The conversation where it was learned
    #[arg(long, value_name = "CONVERSATION")]
    #[serde(default)]
    source: Option<String>,
    /// How certain it is, from 0 to 1 [default: by its origin]
    #[arg(long, value_name = "CONFIDENCE")]
    #[serde(default)]
    confidence: Option<f64>,
    /// The id of an event it was derived from; may be repeated
    #[arg(long = "cause", value_name = "ID")]
    #[serde(default)]
    causes: Vec<String>,
    /// Who said it
    #[arg(long, value_name = "WHO")]
    #[serde(default)]
    author: Option<String>,
    /// A label; may be repeated
    #[arg(long = "tag", value_name = "TAG")]
    #[serde(default)]
    tags: Vec<String>,
    /// From when on it is as if it had never been: an ISO time, or 12h, 30d, 4w from now
    #[arg(long, value_name = "TIME")]
    #[serde(default)]
    expires_at: Option<String>,
    /// Forget it automatically after this many days [default: agent-mem.fact-expiry-days]
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
    let usual = cx.config()?.agent.fact_expiry_days;
    let days = args.ttl_days.unwrap_or(usual);
    let draft = FactDraft {
        text: args.text,
        subject: args.subject,
        attribute: args.attribute,
        value: args.value,
        many: args.many.then_some(true),
        from: moment(args.at.as_ref(), now)?,
        until: moment(args.until.as_ref(), now)?,
        expires: expiry_or_days(args.expires_at.as_ref(), days, now)?,
        conversation: args.source,
        confidence: args.confidence,
        author: cx.author(args.author)?,
        source: cx.project_name(),
        tags: args.tags,
        // What a person states at the keyboard is theirs; what is derived is trusted as its causes are.
        trust: (cx.grant.writer.is_person && args.causes.is_empty()).then(|| Trust::User.word().to_owned()),
        causes: args.causes,
        given: args.metadata.or(pairs(&args.meta)?),
        ..FactDraft::default()
    };
    let stored = viewpoint.store_fact(draft)?;
    cx.answer(stored)?;
    cx.embed_opportunistically(&viewpoint, &viewpoint.lane());
    Ok(())
}
