//! `key create`: a key for the server, shown once.

use clap::Args;
use idetic_core::words::{Persona, Trust};
use idetic_core::{SpaceName, Time};
use idetic_memory::audit::is_audit;
use idetic_memory::{Error, Grant, Result, Rights};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::store::{Draft, Keys};
use crate::operation::operation;
use crate::{KeyMade, OwnerContext};

operation! {
    name: "key create",
    about: "Create an API key for the server; it is shown once and only its hash is stored",
    example: "idetic key create --name laptop --scope write --user ann --expires 90d",
    rights: Admin, reader: Home, interfaces: [Cli, Http], destructive: false,
    answers: One, args: KeyCreate, run: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct KeyCreate {
    /// What it is for
    #[arg(long, value_name = "NAME")]
    name: String,
    /// Allow everything, including keys for others
    #[arg(long, conflicts_with = "scope")]
    #[serde(default)]
    admin: bool,
    /// What it allows: read, write or admin [default: write]
    #[arg(long, value_name = "SCOPE")]
    #[serde(default)]
    scope: Option<String>,
    /// Only this user's spaces
    #[arg(long, value_name = "USER")]
    #[serde(default)]
    user: Option<String>,
    /// Only this collection
    #[arg(long, value_name = "COLLECTION")]
    #[serde(default)]
    collection: Option<String>,
    /// Only as this agent sees it: its own memory and what is shared
    #[arg(long, value_name = "AGENT")]
    #[serde(default)]
    agent: Option<String>,
    /// Which side of the agent: actor or subconscious [default: actor]
    #[arg(long, value_name = "PERSONA", requires = "agent")]
    #[serde(default)]
    persona: Option<String>,
    /// Trust what it writes no more than this: user, agent, tool or external [default: user]
    #[arg(long, value_name = "TRUST")]
    #[serde(default)]
    trust: Option<String>,
    /// When it expires: an ISO time, or a time from now such as 12h or 90d [default: never]
    #[arg(long, value_name = "TIME")]
    #[serde(default)]
    expires: Option<String>,
}

impl KeyCreate {
    /// What excludes or needs each other, for those who do not ask at the command line.
    fn check(&self) -> Result<()> {
        if self.admin && self.scope.is_some() {
            return Err(Error::invalid("admin and scope exclude each other").hint("leave one of them out"));
        }
        if self.persona.is_some() && self.agent.is_none() {
            return Err(
                Error::invalid("a persona is a side of an agent").hint("name the agent too, or leave persona out")
            );
        }
        Ok(())
    }
}

fn run(cx: &mut OwnerContext, args: KeyCreate) -> Result<()> {
    args.check()?;
    let now = cx.env.now();
    let draft = Draft {
        rights: rights(&args)?,
        grant: grant(&args)?,
        expires: args.expires.as_deref().map(|text| later(text, now)).transpose()?,
        name: args.name,
    };
    let sources = cx.env.clone();
    let memory = cx.memory()?;
    let keys = Keys::of(memory)?;
    let (key, text) = keys.create(draft, &sources)?;
    let said = json!({"key": key.id, "name": key.name, "rights": key.rights});
    if let Err(error) = memory.audit("key.created", &cx.caller, &said) {
        // No key works that the audit log knows nothing of.
        keys.revoke(&key.id, now)?;
        return Err(error);
    }
    cx.answer(KeyMade { key: text, line: key.into() })
}

fn rights(args: &KeyCreate) -> Result<Rights> {
    match (args.admin, args.scope.as_deref()) {
        (true, _) | (_, Some("admin")) => Ok(Rights::Admin),
        (_, None | Some("write")) => Ok(Rights::Write),
        (_, Some("read")) => Ok(Rights::Read),
        (_, Some(other)) => {
            Err(Error::invalid(format!("scope '{other}' is not known")).hint("scope is one of: read, write, admin"))
        }
    }
}

fn grant(args: &KeyCreate) -> Result<Grant> {
    // Names that no space could have would make a key that never works.
    let (user, collection) = (args.user.as_deref().unwrap_or("local"), args.collection.as_deref().unwrap_or("default"));
    let space = SpaceName::parse(&format!("{user}/{collection}"))?;
    if is_audit(&space) {
        return Err(Error::invalid("the audit log is for administrators only")
            .hint("create a key with --admin and without --user and --collection"));
    }
    if args.agent.as_deref().is_some_and(|agent| agent.trim().is_empty()) {
        return Err(Error::invalid("the agent has no name").hint("name it, or leave --agent out"));
    }
    if rights(args)? == Rights::Admin && (args.agent.is_some() || args.trust.is_some()) {
        return Err(Error::invalid("an admin key cannot be restricted to an agent or a trust")
            .hint("use --scope write, or leave --agent and --trust out"));
    }
    Ok(Grant {
        user: args.user.clone(),
        collection: args.collection.clone(),
        agent: args.agent.clone(),
        persona: args.persona.as_deref().map(Persona::parse).transpose()?,
        trust: args.trust.as_deref().map(Trust::parse).transpose()?,
        ..Grant::default()
    })
}

/// A time to come: a moment, or so much from now on.
fn later(text: &str, now: Time) -> Result<Time> {
    let named = Time::parse_or_age(text, now)?;
    // An age counts back; here it counts on.
    let at = if Time::parse(text).is_ok() { named } else { Time(now.0.saturating_mul(2).saturating_sub(named.0)) };
    if at <= now {
        return Err(Error::invalid(format!("'{text}' is in the past")).hint("use a time in the future, e.g. 90d"));
    }
    Ok(at)
}
