//! What the operations that ask an agent have in common: who is asked, with what, and what is shown meanwhile.

use std::sync::Arc;

use idetic_ops::model::Chat;
use idetic_ops::{AgentAnswer, AgentPart, Context, Error, OwnerContext, Result};

use crate::agent::Agent;
use crate::invocation::Asked;
use crate::wire::Happening;

/// The agent that does tasks and learns, where none is named (specification 001).
pub const DEFAULT_AGENT: &str = "default";

pub fn default_agent() -> String {
    DEFAULT_AGENT.to_owned()
}

/// The model that is configured, or an error that says how to configure one.
pub fn chat(cx: &Context) -> Result<Arc<dyn Chat>> {
    (cx.chat)(cx.config()?)?.ok_or_else(|| {
        Error::invalid("no language model is configured").hint(
            "set [model] base_url and name in config.toml, e.g. \"http://localhost:11434/v1\" and \"llama3.2\"; facts, \
             episodes and recall work without one",
        )
    })
}

/// Asks an agent, and answers with what it says.
pub fn ask(cx: &mut OwnerContext, agent: Option<String>, asked: &Asked, verbose: bool) -> Result<AgentAnswer> {
    let chat = chat(cx)?;
    let (memory, space) = (cx.shared_memory()?, cx.space_name()?);
    let models = cx.models_if_any();
    let variable = cx.variable;
    let (agent, grant) = (cx.agent(agent)?, cx.grant.clone());
    let agent = Agent { memory, space, agent, models, chat, variable, grant };
    let for_person = cx.for_person;
    let reply = &mut *cx.reply;
    let mut failed: Option<Error> = None;
    let answered = agent.ask(asked, &mut |happening| {
        if let Some(part) = part(happening, verbose, for_person)
            && let Err(error) = reply(part.into())
        {
            failed.get_or_insert(error);
        }
    })?;
    match failed {
        Some(error) => Err(error),
        None => Ok(answered),
    }
}

/// The answer, and with it the error that it may be.
pub fn finish(cx: &mut OwnerContext, mut answered: AgentAnswer) -> Result<()> {
    answered.error = answered.error.map(|error| cx.redact(error));
    for notice in &answered.notices {
        (cx.notice)(notice);
    }
    let error = answered.error.clone();
    cx.answer(answered)?;
    error.map_or(Ok(()), Err)
}

/// What is shown of something that happens: to a person the answer as it comes, and with `verbose` everything.
fn part(happening: Happening, verbose: bool, for_person: bool) -> Option<AgentPart> {
    let (part, text, more, shown) = match happening {
        Happening::AnswerPart(text) => ("answer", text, true, for_person),
        Happening::Thought(text) => ("thought", text, false, verbose),
        Happening::Action { tool, arguments } => {
            ("action", format!("{tool} {}", serde_json::Value::Object(arguments)), false, verbose)
        }
        Happening::Observation(text) => ("observation", text, false, verbose),
        _ => return None,
    };
    shown.then_some(AgentPart { part, text, more })
}
