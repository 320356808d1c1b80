//! `remember`: one event from a text and flags.

use clap::Args;
use idetic_core::words::{Persona, Trust};
use idetic_core::{Record, Time};
use idetic_memory::RequestedReader;
use idetic_memory::{Ack, Error, Result};
use idetic_search::Lane;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::Context;
use crate::arguments::{Object, expiry, pairs};
use crate::operation::operation;

operation! {
    name: "remember",
    about: "Remember a text as one event",
    example: "idetic remember \"The build needs Node 20\" --tag build --author ann",
    rights: Write, reader: View, interfaces: [Cli, Json], destructive: false,
    answers: One, args: Remember, run: run,
}

/// What a text is when nothing else is said of it.
const KIND: &str = "memory.remembered";

/// Kinds of what is not the speaker's own word.
const OTHERS: [&str; 6] =
    ["actor_output", "tool_call", "tool_result", "system_event", "subconscious_output", "subconscious_prompt"];

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Remember {
    /// The text
    #[arg(value_name = "TEXT")]
    text: String,
    /// What kind of thing it is [default: memory.remembered]
    #[arg(long, value_name = "KIND")]
    #[serde(default)]
    kind: Option<String>,
    /// The agent whose memory it is; without one it is shared in the space
    #[arg(long, value_name = "AGENT")]
    #[serde(default)]
    agent: Option<String>,
    /// Which side of the agent: actor or subconscious
    #[arg(long, value_name = "PERSONA")]
    #[serde(default)]
    persona: Option<String>,
    /// Who said or did it
    #[arg(long, value_name = "WHO")]
    #[serde(default)]
    author: Option<String>,
    /// The project or component it came from
    #[arg(long, value_name = "SOURCE")]
    #[serde(default)]
    source: Option<String>,
    /// The workflow it is part of [default: CHORA_TRACE_ID]
    #[arg(long, value_name = "TRACE")]
    #[serde(default)]
    trace: Option<String>,
    /// The loop it is part of
    #[arg(long = "loop", value_name = "LOOP")]
    #[serde(default, rename = "loop")]
    loop_id: Option<String>,
    /// The conversation it is part of
    #[arg(long, value_name = "CONVERSATION")]
    #[serde(default)]
    conversation: Option<String>,
    /// The area it affects
    #[arg(long, value_name = "SCOPE")]
    #[serde(default)]
    scope: Option<String>,
    /// What happened, in one line
    #[arg(long, value_name = "TEXT")]
    #[serde(default)]
    summary: Option<String>,
    /// A label; may be repeated
    #[arg(long = "tag", value_name = "TAG")]
    #[serde(default)]
    tags: Vec<String>,
    /// Something it refers to; may be repeated
    #[arg(long = "ref", value_name = "REF")]
    #[serde(default)]
    refs: Vec<String>,
    /// The id of an event it was derived from; may be repeated
    #[arg(long = "cause", value_name = "ID")]
    #[serde(default)]
    causes: Vec<String>,
    /// When it happened: an ISO time, or an age such as 2h
    #[arg(long, value_name = "TIME")]
    #[serde(default)]
    at: Option<String>,
    /// Anything else, as key=value; a value that is JSON is kept as such; may be repeated
    #[arg(long = "meta", value_name = "KEY=VALUE")]
    #[serde(default)]
    meta: Vec<String>,
    /// The same as one JSON object
    #[arg(long, value_name = "JSON")]
    #[serde(default)]
    metadata: Option<Object>,
    /// The outcome: success, failure, pending or timeout
    #[arg(long, value_name = "STATUS")]
    #[serde(default)]
    status: Option<String>,
    /// Who may be shown it: external or internal
    #[arg(long, value_name = "VISIBILITY")]
    #[serde(default)]
    visibility: Option<String>,
    /// Where it comes from: user, agent, tool or external
    #[arg(long, value_name = "TRUST")]
    #[serde(default)]
    trust: Option<String>,
    /// An id of your own: the same id with the same content is remembered once
    #[arg(long, value_name = "ID")]
    #[serde(default)]
    id: Option<String>,
    /// From when on it is as if it had never been: an ISO time, or 12h, 30d, 4w from now [default: never]
    #[arg(long, value_name = "TIME")]
    #[serde(default)]
    expires_at: Option<String>,
    /// Refuse when the head is no longer at this seq
    #[arg(long, value_name = "SEQ")]
    #[serde(default)]
    expect: Option<u64>,
}

fn run(cx: &mut Context, mut args: Remember) -> Result<()> {
    if args.text.trim().is_empty() && args.kind.is_none() && args.summary.is_none() {
        return Err(
            Error::invalid("the text is empty").hint("say what is to be remembered, or which --kind of thing happened")
        );
    }
    args.trace = args.trace.or_else(|| cx.trace_id.clone());
    args.source = args.source.or_else(|| cx.project_name());
    if cx.is_agents() && args.tags.iter().any(|tag| ["rule", "decision", "todo"].contains(&tag.as_str())) {
        (cx.notice)("an agent says so: it is kept as the agent's word, and not among the user's rules");
    }
    let now = cx.env.now();
    let expect = args.expect;
    let author = Some(cx.config()?.author.clone()).filter(|a| !a.is_empty());
    let who = cx.who(args.agent.as_ref(), args.persona.as_ref())?;
    let side = who.persona()?;
    (args.agent, args.persona) = (who.agent.clone(), who.persona.clone());
    // What a person says at the keyboard is theirs; what an agent or a tool said, or what is derived, is trusted as such.
    let is_others = args.kind.as_deref().is_some_and(|kind| OTHERS.contains(&kind));
    let is_own = args.agent.is_none() && !is_others && args.causes.is_empty();
    if cx.grant.writer.is_person && is_own {
        args.trust.get_or_insert_with(|| Trust::User.word().to_owned());
    }
    let record = record(args, author, now)?;
    let lane = who.agent.clone().map_or(Lane::Shared, |agent| Lane::Of(agent, side.unwrap_or(Persona::Actor)));
    // Naming the agent says whose memory it is; naming its side as well makes the writer that side.
    let viewpoint = cx.viewpoint_or_new(&if side.is_some() { who } else { RequestedReader::default() })?;
    let acks = viewpoint.submit(vec![record], expect)?;
    acks.into_iter().try_for_each(|ack| cx.answer(Ack::from(ack)))?;
    cx.embed_opportunistically(&viewpoint, &lane.name());
    Ok(())
}

fn record(args: Remember, default_author: Option<String>, now: Time) -> Result<Record> {
    let mut body = Map::new();
    let mut put = |key: &str, value: Option<String>| {
        if let Some(value) = value {
            body.insert(key.to_owned(), value.into());
        }
    };
    // An age means something else every time it is read: what is stored is the moment.
    put("ts", args.at.map(|at| Time::parse_or_age(&at, now).map(|t| t.to_string())).transpose()?);
    // Who remembers something again under its id means the moment of the first time: the log counts it.
    let moment = expiry(args.expires_at.as_ref(), now)?.map(|time| time.to_string());
    put("expires_at", if args.id.is_some() { args.expires_at } else { moment });
    put("id", args.id);
    put("kind", Some(args.kind.unwrap_or_else(|| KIND.to_owned())));
    put("status", args.status);
    put("agent_id", args.agent);
    put("persona", args.persona);
    put("visibility", args.visibility);
    put("author", args.author.or(default_author));
    put("source", args.source);
    put("trace_id", args.trace);
    put("loop_id", args.loop_id);
    put("conversation_id", args.conversation);
    put("scope", args.scope);
    put("summary", args.summary);
    put("content", Some(args.text));
    put("trust", args.trust);
    for (key, list) in [("refs", args.refs), ("tags", args.tags), ("causes", args.causes)] {
        if !list.is_empty() {
            body.insert(key.to_owned(), list.into());
        }
    }
    let mut metadata = args.metadata.map_or_else(Map::new, |Object(metadata)| metadata);
    for (key, value) in pairs(&args.meta)?.unwrap_or_default() {
        if metadata.contains_key(&key) {
            return Err(Error::invalid(format!("{key} is given in metadata and in meta")).hint("keep one of the two"));
        }
        metadata.insert(key, value);
    }
    if !metadata.is_empty() {
        body.insert("metadata".to_owned(), Value::Object(metadata));
    }
    Record::parse(Value::Object(body).to_string().as_bytes()).map_err(Error::from)
}
