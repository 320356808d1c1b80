//! The agent service of specification 002: a request in, messages out; over HTTP the last of them.

use std::sync::Arc;

use axum::Extension;
use axum::body::Bytes;
use axum::extract::State;
use axum::extract::rejection::BytesRejection;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use idetic_agent::wire::{AgentRequest, AgentResponse, Happening, Responses, Usage};
use idetic_agent::{Agent, Asked};
use idetic_ops::core::SpaceName;
use idetic_ops::model::Chat;
use idetic_ops::{Error, Models};
use serde_json::Value;

use super::call::stream::too_many;
use super::{App, reply};
use crate::background;
use crate::turn::{LongRunningPermit, PermitReleasingChat};
use crate::{Principal, Refusal, Service};

/// Whether somebody may ask the agent.
pub fn may_ask(who: &Principal) -> bool {
    Service::operation("ask").is_some_and(|ask| who.may(ask))
}

/// Asks, and answers with the last message.
pub async fn agent(
    State(app): State<Arc<App>>,
    Extension(who): Extension<Arc<Principal>>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    if !may_ask(&who) {
        return reply::forbidden();
    }
    let body = match body {
        Ok(body) => body,
        Err(wrong) => return reply::unread(&wrong),
    };
    let mut request: Value = match serde_json::from_slice(&body) {
        Ok(request) => request,
        Err(error) => {
            let error = Error::invalid(format!("the body is not JSON: {error}")).hint("send {\"question\": \"…\"}");
            return Refusal::from(error).into_response();
        }
    };
    if let Some(space) = headers.get("idetic-space").and_then(|space| space.to_str().ok()) {
        match SpaceName::parse(space) {
            Ok(space) => name_space(&mut request, &space),
            Err(wrong) => return Refusal::from(Error::from(wrong)).into_response(),
        }
    }
    let Some(permit) = app.service.limiter.stream(&who.id) else { return too_many() };
    let asked = background::block(move || {
        let mut last = None;
        // Only the last message is sent, so it must be whole.
        let done = talk(&app, &who, &request, false, &mut |message, _| last = Some(message));
        drop(permit);
        done.map(|()| last)
    });
    match asked.await {
        Ok(Ok(Some(message))) => reply::json(StatusCode::OK, serde_json::json!(message).to_string()),
        Ok(Ok(None)) => Refusal::from(Error::unavailable("the agent said nothing")).into_response(),
        Ok(Err(refusal)) => refusal.into_response(),
        Err(fault) => std::panic::resume_unwind(fault),
    }
}

/// Asks the agent; hears each message, and the permit that is to be given back where that waits. Blocks.
pub fn talk(
    app: &App,
    who: &Principal,
    request: &Value,
    may_stream: bool,
    hear: &mut dyn FnMut(AgentResponse, &LongRunningPermit),
) -> Result<(), Refusal> {
    let asked = AgentRequest::read(request).map_err(Error::from)?;
    let space = space(app, who, request, &asked)?;
    let settings = app.service.settings();
    let chat = settings.chat.clone().ok_or_else(|| {
        Error::invalid("no language model is configured")
            .hint("set [model] base_url and name in the server's config.toml")
    })?;
    let operation = Service::operation("ask").ok_or(Refusal::Forbidden)?;
    let turn = LongRunningPermit::begin(&app.service.limiter, operation, &who.id)?;
    let chat: Arc<dyn Chat> = Arc::new(PermitReleasingChat { chat, turn: Arc::clone(&turn) });
    let says = |key: &str| request.get(key).is_some() || request.get(key.replace('_', "-")).is_some();
    let agent = Agent {
        memory: Arc::clone(&app.service.memory),
        space,
        agent: who.grant().agent.clone(),
        models: Models::clone(&settings.models),
        chat,
        variable: &settings.variable,
        grant: who.grant().clone(),
    };
    let session = asked.session_id.clone().unwrap_or_else(|| app.service.memory.env().event_id());
    let mut responses = Responses::new(&session, asked.streaming && may_stream);
    let question = Asked {
        conversation: asked.conversation_id.clone(),
        history: asked.history.clone(),
        state: asked.state.clone(),
        group: asked.group.clone(),
        enable_memory: says("enable_memory").then_some(asked.enable_memory),
        ..Asked::new(asked.question.clone())
    };
    // The last message says what the whole answer took, so it waits for the rest.
    let mut last = None;
    let answered = agent.ask(&question, &mut |happening| match happening {
        Happening::AnswerWhole(_) | Happening::Failed(_) => last = Some(happening),
        other => responses.on(other).into_iter().for_each(|response| hear(response, &turn)),
    });
    let answered = answered.map_err(|error| who.grant().redact(error))?;
    let count = |tokens: u64| usize::try_from(tokens).unwrap_or(usize::MAX);
    responses.usage(Usage {
        in_token: count(answered.prompt_tokens),
        out_token: count(answered.answer_tokens),
        model: answered.model,
    });
    last.into_iter().flat_map(|last| responses.on(last)).for_each(|response| hear(response, &turn));
    Ok(())
}

/// A space that stands beside the request, where the request itself names none.
fn name_space(request: &mut Value, space: &SpaceName) {
    let Some(object) = request.as_object_mut() else { return };
    for (key, part) in ["user", "collection"].into_iter().zip(space.parts()) {
        object.entry(key).or_insert_with(|| part.into());
    }
}

/// The space the request names, or the caller's own. One the caller may not see is one that does not exist.
fn space(app: &App, who: &Principal, request: &Value, asked: &AgentRequest) -> Result<SpaceName, Error> {
    let usual = who.grant().usual(&app.service.memory.config().space)?;
    let [own_user, own_collection] = usual.parts();
    let user = if request.get("user").is_some() { asked.user.as_str() } else { own_user };
    let collection = if request.get("collection").is_some() { asked.collection.as_str() } else { own_collection };
    let space = SpaceName::parse(&format!("{user}/{collection}"))?;
    if who.sees(&space) { Ok(space) } else { Err(Error::not_found(format!("there is no space {space}"))) }
}
