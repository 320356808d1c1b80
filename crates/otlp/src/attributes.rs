//! What a span says in its attributes, under the names of the GenAI conventions, old and new, and of others' where they differ.

use idetic_core::Time;
use serde_json::Value;

use crate::export::{Span, SpanEvent};
use crate::text;

/// Names of one thing, the one to be preferred first.
type Names = &'static [&'static str];

pub(crate) const PROVIDER: Names = &["gen_ai.provider.name", "gen_ai.system", "llm.provider", "llm.system"];
pub(crate) const MODEL: Names =
    &["gen_ai.response.model", "gen_ai.request.model", "llm.model_name", "embedding.model_name"];
pub(crate) const INPUT_TOKENS: Names =
    &["gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.token_count.prompt"];
pub(crate) const OUTPUT_TOKENS: Names =
    &["gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "llm.token_count.completion"];
pub(crate) const RESPONSE_ID: Names = &["gen_ai.response.id"];
pub(crate) const CONVERSATION: Names = &["gen_ai.conversation.id", "session.id"];
pub(crate) const AGENT_ID: Names = &["gen_ai.agent.id", "gen_ai.agent.name", "agent.name"];
pub(crate) const AGENT_NAME: Names = &["gen_ai.agent.name", "agent.name"];
pub(crate) const TOOL_NAME: Names = &["gen_ai.tool.name", "tool.name", "traceloop.entity.name"];
pub(crate) const TOOL_CALL_ID: Names = &["gen_ai.tool.call.id", "tool_call.id"];
pub(crate) const TOOL_ARGUMENTS: Names =
    &["gen_ai.tool.call.arguments", "input.value", "tool.parameters", "traceloop.entity.input"];
pub(crate) const TOOL_RESULT: Names = &["gen_ai.tool.call.result", "output.value", "traceloop.entity.output"];
pub(crate) const ERROR_TYPE: Names = &["error.type"];

/// The span event that carries messages for those who keep them out of the attributes.
const DETAILS: &str = "gen_ai.client.inference.operation.details";

/// What OpenInference calls the operations; its other kinds of spans hold no call of their own.
const OPERATION_OF_KIND: [(&str, &str); 5] = [
    ("LLM", "chat"),
    ("TOOL", "execute_tool"),
    ("AGENT", "invoke_agent"),
    ("EMBEDDING", "embeddings"),
    ("RETRIEVER", "retrieval"),
];

/// The number that says of a span that what it tells of happened in the program itself.
const KIND_INTERNAL: u64 = 1;

/// What a span is about, as far as it matters here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum About {
    /// A model that was asked.
    Model,
    /// A tool that ran.
    Tool,
    /// An agent that ran in the program itself: the calls below it have spans with the same messages.
    LocalAgent,
}

impl Span {
    /// Whether it tells of a model, a tool or an agent.
    pub(crate) fn is_genai(&self) -> bool {
        let named = |start: &str| {
            let behind = self.attributes.range(start.to_owned()..).next();
            behind.is_some_and(|(key, _)| key.starts_with(start))
        };
        named("gen_ai.") || named("llm.") || self.operation_of_kind().is_some()
    }

    /// Its operation, such as `chat` or `execute_tool`.
    pub(crate) fn operation(&self) -> String {
        let said = self.text(&["gen_ai.operation.name"]);
        let named = |names| self.text(names).is_some();
        said.or_else(|| self.operation_of_kind().map(str::to_owned)).unwrap_or_else(|| {
            let guessed = if named(&["gen_ai.tool.name"]) { "execute_tool" } else { "chat" };
            guessed.to_owned()
        })
    }

    fn operation_of_kind(&self) -> Option<&'static str> {
        let said = text::plain(self.attributes.get("openinference.span.kind"));
        let known = said.and_then(|kind| OPERATION_OF_KIND.iter().find(|(name, _)| *name == kind));
        let tool = || text::plain(self.attributes.get("traceloop.span.kind")).is_some_and(|kind| kind == "tool");
        known.map(|(_, operation)| *operation).or_else(|| tool().then_some("execute_tool"))
    }

    /// What it is about.
    pub(crate) fn about(&self) -> About {
        match self.operation().as_str() {
            "execute_tool" => About::Tool,
            "invoke_agent" | "create_agent" | "invoke_workflow" if self.kind == KIND_INTERNAL => About::LocalAgent,
            _ => About::Model,
        }
    }

    /// Puts what the span event for messages says among the attributes, which say the same for others.
    pub(crate) fn gather(&mut self) {
        let (details, events) = std::mem::take(&mut self.events).into_iter().partition(|event| event.name == DETAILS);
        self.events = events;
        for (key, value) in Vec::into_iter(details).flat_map(|event: SpanEvent| event.attributes) {
            self.attributes.entry(key).or_insert(value);
        }
    }

    /// The first of these attributes that is there.
    pub(crate) fn value(&self, names: &[&str]) -> Option<&Value> {
        names.iter().find_map(|name| self.attributes.get(*name)).filter(|value| !value.is_null())
    }

    /// The first of these attributes that is a text.
    pub(crate) fn text(&self, names: &[&str]) -> Option<String> {
        names.iter().find_map(|name| text::plain(self.value(&[*name])))
    }

    /// The first of these attributes that is a whole number.
    pub(crate) fn number(&self, names: &[&str]) -> Option<i64> {
        names.iter().find_map(|name| self.value(&[*name])?.as_i64())
    }

    /// What went wrong, if something did: in words, or at least its type.
    pub(crate) fn error(&self) -> Option<String> {
        let kind = self.text(ERROR_TYPE);
        if !self.failed && kind.is_none() {
            return None;
        }
        let thrown = self.events.iter().rev().find(|event| event.name == "exception");
        let thrown = thrown.and_then(|event| {
            let said = |name| text::plain(event.attributes.get(name));
            said("exception.message").or_else(|| said("exception.type"))
        });
        let said = Some(self.status_message.clone()).filter(|message| !message.trim().is_empty());
        Some(said.or(thrown).or(kind).unwrap_or_else(|| "it failed without saying why".to_owned()))
    }

    /// How long it took; nothing when one of its ends is missing.
    pub(crate) fn millis(&self) -> Option<u64> {
        let both = self.start_nanos > 0 && self.end_nanos >= self.start_nanos;
        both.then(|| (self.end_nanos - self.start_nanos) / 1_000_000)
    }

    /// When it ended, or at least began.
    pub(crate) fn last_nanos(&self) -> u64 {
        self.end_nanos.max(self.start_nanos)
    }
}

/// A moment; none where the exporter said nothing.
pub(crate) fn time(nanos: u64) -> Option<Time> {
    i64::try_from(nanos / 1000).ok().filter(|micros| *micros > 0).map(Time)
}
