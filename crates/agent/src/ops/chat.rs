//! `chat`: a conversation, question by question, until the input ends.

use std::io::{BufRead, BufReader, Read};

use clap::Args;
use idetic_ops::{AgentPart, ConversationChanged, Error, Kind, OwnerContext, Result, operation};
use schemars::JsonSchema;
use serde::Deserialize;

use super::asking::{ask, chat};
use crate::invocation::Asked;

operation! {
    name: "chat",
    about: "Talk with an agent that remembers: one question per line, until the input ends",
    example: "idetic chat --agent coder --verbose",
    rights: Write, reader: View, interfaces: [Cli], destructive: false,
    answers: One, args: Talk, runtime: run,
}

/// Longest question.
const QUESTION_MAX_BYTES: u64 = 64 << 10;

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[derive(Default)]
struct Talk {
    /// The conversation to continue [default: a new one]
    #[arg(long, short, value_name = "CONVERSATION")]
    conversation: Option<String>,
    /// The agent that is asked; without one it uses what the space shares
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
    /// Neither look anything up nor keep anything
    #[arg(long)]
    no_memory: bool,
    /// Leave the conversation open at the end
    #[arg(long)]
    keep_open: bool,
    /// Show each thought, action and observation, and what was remembered and why
    #[arg(long, short)]
    verbose: bool,
}

fn run(cx: &mut OwnerContext, args: Talk) -> Result<()> {
    chat(cx)?;
    let input = cx.input.take().ok_or_else(|| Error::invalid("there is no input to read"))?;
    let mut input = BufReader::new(input);
    let mut conversation = args.conversation.clone();
    loop {
        if cx.can_ask {
            cx.answer(AgentPart { part: "prompt", text: "> ".to_owned(), more: true })?;
        }
        let mut line = Vec::new();
        let read = (&mut input).take(QUESTION_MAX_BYTES).read_until(b'\n', &mut line);
        if read.map_err(Error::io("cannot read the question"))? == 0 {
            break;
        }
        let question = String::from_utf8_lossy(&line).trim().to_owned();
        if question.is_empty() {
            continue;
        }
        let asked = Asked {
            conversation: conversation.clone(),
            enable_memory: args.no_memory.then_some(false),
            author: cx.author(None)?,
            ..Asked::new(question)
        };
        let mut answered = ask(cx, args.agent.clone(), &asked, args.verbose)?;
        conversation = Some(answered.conversation_id.clone());
        if !args.verbose {
            answered.remembered.clear();
        }
        // What went wrong with one question is told; the next may be asked.
        answered.error = answered.error.map(|error| cx.redact(error));
        let error = answered.error.clone();
        cx.answer(answered)?;
        if let Some(error) = error {
            (cx.notice)(&format!("{error}. {}", error.hint));
            if !cx.can_ask {
                return Err(error);
            }
        }
    }
    end(cx, conversation, &args)
}

/// The end of the input ends the conversation, unless it is to stay open.
fn end(cx: &mut OwnerContext, conversation: Option<String>, args: &Talk) -> Result<()> {
    let Some(id) = conversation.filter(|_| !args.keep_open && !args.no_memory) else { return Ok(()) };
    let viewpoint = cx.actor_or_shared(args.agent.clone())?;
    let models = cx.models_if_any();
    match viewpoint.end_conversation(&models, &id, "signal", None) {
        Ok(ended) => {
            let done = if ended.was_open { "ended" } else { "was ended" };
            let episode = ended.episode;
            cx.answer(ConversationChanged { success: true, conversation_id: id, done, episode, error: () })
        }
        Err(error) if error.kind == Kind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}
