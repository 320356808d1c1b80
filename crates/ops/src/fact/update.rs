//! `fact update`: a new wording of a fact, or until when it was true.

use clap::Args;
use idetic_core::views::NEVER;
use idetic_memory::facts::FactDraft;
use idetic_memory::{Error, Result};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::Context;
use crate::arguments::{MemoryArgs, moment, pairs};
use crate::operation::operation;

operation! {
    name: "fact update",
    about: "Correct a fact, or say from when and until when it is true; the old wording stays in its history",
    example: "idetic fact update 0199… --until 2025-03-01",
    rights: Write, reader: View, interfaces: [Cli, Json], destructive: false,
    answers: One, args: Update, run: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Update {
    /// The fact's id
    #[arg(value_name = "FACT")]
    #[serde(alias = "id", alias = "fact_id")]
    fact: String,
    /// What it should say
    #[arg(long, value_name = "TEXT")]
    #[serde(default, alias = "content")]
    text: Option<String>,
    /// Who or what it is about
    #[arg(long, value_name = "SUBJECT")]
    #[serde(default)]
    subject: Option<String>,
    /// The attribute
    #[arg(long, value_name = "ATTRIBUTE")]
    #[serde(default)]
    attribute: Option<String>,
    /// The value of the attribute
    #[arg(long, value_name = "VALUE")]
    #[serde(default)]
    value: Option<String>,
    /// From when it is true: an ISO time, or an age such as 2h
    #[arg(long, value_name = "TIME")]
    #[serde(default)]
    at: Option<String>,
    /// Until when it is true; `never` if it has no end
    #[arg(long, value_name = "TIME")]
    #[serde(default)]
    until: Option<String>,
    /// Additional metadata, as key=value; may be repeated
    #[arg(long = "meta", value_name = "KEY=VALUE")]
    #[serde(default)]
    meta: Vec<String>,
    #[command(flatten)]
    #[serde(flatten)]
    whose: MemoryArgs,
}

fn run(cx: &mut Context, args: Update) -> Result<()> {
    let now = cx.env.now();
    let viewpoint = args.whose.changing(cx)?;
    let goes_on = args.until.as_deref() == Some(NEVER);
    let from = moment(args.at.as_ref(), now)?;
    let until = moment(args.until.as_ref().filter(|_| !goes_on), now)?;
    if args.text.as_ref().is_some_and(|text| text.trim().is_empty()) {
        return Err(
            Error::invalid("the new text is empty").hint("say what is true, or delete the fact with `fact delete`")
        );
    }
    let says_more = [&args.text, &args.subject, &args.attribute, &args.value].iter().any(|part| part.is_some());
    let says_more = says_more || from.is_some() || !args.meta.is_empty();
    let stored = match (says_more, until) {
        (false, None) if goes_on => viewpoint.end_fact(&args.fact, None, &[])?,
        (true, _) if goes_on => {
            return Err(Error::invalid("`--until never` cannot be combined with other changes")
                .hint("make the other changes in a second step"));
        }
        (false, None) => {
            return Err(Error::invalid("there is nothing to change").hint("give --text, --value, --at or --until"));
        }
        (false, Some(until)) => viewpoint.end_fact(&args.fact, Some(until), &[])?,
        (true, until) => {
            let draft = FactDraft {
                text: args.text.unwrap_or_default(),
                subject: args.subject,
                attribute: args.attribute,
                value: args.value,
                from,
                until,
                given: pairs(&args.meta)?,
                author: cx.author(None)?,
                ..FactDraft::default()
            };
            viewpoint.update_fact(&args.fact, draft)?
        }
    };
    cx.answer(stored)?;
    cx.embed_opportunistically(&viewpoint, &viewpoint.lane());
    Ok(())
}
