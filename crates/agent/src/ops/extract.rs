//! `extract`: facts from what was said, by rules or by a model; shown first, made again, compared.

use std::collections::HashSet;

use clap::Args;
use idetic_ops::core::Time;
use idetic_ops::extract::sameness::gist;
use idetic_ops::model::chat::Chat;
use idetic_ops::{Context, Error, Extracted, ExtractionFilter, Result, Viewpoint, operation};
use schemars::JsonSchema;
use serde::Deserialize;

use super::asking::chat;
use crate::extraction::{self, ANSWERED, Source, from_answer};
use crate::journal::{Journal, new_name};

operation! {
    name: "extract",
    about: "Take facts from what was said, by rules or with a model; each quotes the words it comes from",
    example: "idetic extract --conversation c1 --dry-run",
    rights: Write, reader: View, interfaces: [Cli, Json], destructive: false,
    answers: Many, args: Extract, run: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[derive(Default)]
struct Extract {
    /// Only from this conversation [default: everything people said, by rules]
    #[arg(long, value_name = "CONVERSATION")]
    conversation: Option<String>,
    /// Show what would be stored, and store nothing
    #[arg(long)]
    dry_run: bool,
    /// Ask the configured model as well
    #[arg(long, requires = "conversation")]
    model: bool,
    /// Make the facts again from the models' recorded answers, without asking any
    #[arg(long, requires = "conversation", conflicts_with = "model")]
    replay: bool,
    /// Compare with the facts that were stored from the same words, and store nothing
    #[arg(long)]
    compare: bool,
    /// The agent whose memory it is; without one what the space shares
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
}

fn run(cx: &mut Context, args: Extract) -> Result<()> {
    let viewpoint = cx.actor_or_shared(args.agent.clone())?;
    let dry_run = args.dry_run || args.compare;
    if let Some(conversation) = &args.conversation
        && viewpoint.events_of_conversation(conversation)?.is_empty()
    {
        return Err(Error::not_found(format!("there is no conversation '{conversation}'"))
            .hint("`idetic conversation list` lists those there are"));
    }
    let found = match (&args.conversation, args.model, args.replay) {
        (Some(conversation), true, _) => {
            let asked = chat(cx)?;
            with_model(cx, &viewpoint, &*asked, conversation, dry_run)?
        }
        (Some(conversation), _, true) => replay(cx, &viewpoint, conversation, dry_run)?,
        (None, true, _) | (None, _, true) => {
            return Err(Error::invalid("a model reads one conversation at a time").hint("name it with --conversation"));
        }
        (conversation, ..) => {
            let words = ExtractionFilter { conversation: conversation.clone(), loop_id: None };
            if args.compare {
                viewpoint.statements_by_rules(&words)?
            } else {
                viewpoint.extract_by_rules(&words, dry_run)?
            }
        }
    };
    if args.compare {
        return compare(cx, &viewpoint, found);
    }
    if found.is_empty() {
        (cx.notice)("nothing new: what was said states nothing plainly, or is known already");
    }
    found.into_iter().try_for_each(|found| cx.answer(found))
}

fn with_model(
    cx: &mut Context,
    viewpoint: &Viewpoint,
    chat: &dyn Chat,
    conversation: &str,
    dry_run: bool,
) -> Result<Vec<Extracted>> {
    let sources = Source::of_conversation(viewpoint, conversation)?;
    let loop_id = new_name("extract", cx.env.random());
    let mut journal = Journal {
        viewpoint: Some(viewpoint),
        trace: loop_id.clone(),
        loop_id,
        conversation: conversation.to_owned(),
        author: None,
        basis: Vec::new(),
        written: Vec::new(),
    };
    let kept = if dry_run { None } else { Some(&mut journal) };
    extraction::by_model(viewpoint, chat, &sources, kept, cx.notice)
}

/// The facts that follow from what models answered about a conversation, without asking any.
fn replay(cx: &mut Context, viewpoint: &Viewpoint, conversation: &str, dry_run: bool) -> Result<Vec<Extracted>> {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Said {
        model: String,
        sources: Vec<String>,
    }
    let horizon = viewpoint.horizon(None)?;
    let mut found = Vec::new();
    for answer in viewpoint.events_of_kind(ANSWERED, Time(i64::MIN))? {
        let Some(fields) = answer.fields.as_ref().filter(|f| f.conversation_id.as_deref() == Some(conversation)) else {
            continue;
        };
        let metadata = fields.metadata.as_ref().map_or("{}", |metadata| metadata.get());
        let said: Said = serde_json::from_str(metadata).unwrap_or_default();
        let mut sources = Vec::new();
        for id in &said.sources {
            let event = viewpoint.get(id, horizon)?;
            let text = event.fields.as_ref().and_then(|fields| fields.content.clone()).unwrap_or_default();
            sources.push(Source { event, text });
        }
        let text = fields.content.as_deref().unwrap_or_default();
        let recorded = Some(answer.header.id.as_str()).filter(|_| !dry_run);
        found.extend(from_answer(viewpoint, &said.model, &sources, text, recorded, cx.notice)?);
    }
    Ok(found)
}

/// Tells of each fact whether it is in the one result, in the other, or in both.
fn compare(cx: &mut Context, viewpoint: &Viewpoint, found: Vec<Extracted>) -> Result<()> {
    let events: HashSet<String> = found.iter().map(|found| found.event.clone()).collect();
    let stored = viewpoint.facts_from(&events)?;
    let key = |text: &str| gist(text).key();
    let known: HashSet<String> = stored.iter().map(|stored| key(&stored.content)).collect();
    let new: HashSet<String> = found.iter().map(|found| key(&found.content)).collect();
    for found in found {
        let done = if known.contains(&key(&found.content)) { "in both" } else { "only now" };
        cx.answer(Extracted { done: Some(done), ..found })?;
    }
    for stored in stored.into_iter().filter(|stored| !new.contains(&key(&stored.content))) {
        cx.answer(Extracted { done: Some("only stored"), ..stored })?;
    }
    Ok(())
}
