//! What becomes of each span: its messages, calls and results as events, in the order they happened.

use std::collections::HashSet;

use idetic_core::hash::hex;
use idetic_core::{Hash, Time};

use crate::attributes::{
    AGENT_ID, AGENT_NAME, About, CONVERSATION, ERROR_TYPE, INPUT_TOKENS, MODEL, OUTPUT_TOKENS, PROVIDER, RESPONSE_ID,
    TOOL_ARGUMENTS, TOOL_CALL_ID, TOOL_NAME, TOOL_RESULT, time,
};
use crate::export::{Export, Span};
use crate::message::{self, Message, Messages, Part, Role};
use crate::record::{Draft, Incoming, Taken};
use crate::text;

/// Longest name of an operation that becomes part of a kind.
const OPERATION_MAX_BYTES: usize = 64;

/// The events of an export. The same export gives the same events, and a span that is rejected gives none.
pub fn events(export: &Export) -> Taken {
    let mut rejected = Export { rejected: export.rejected, reason: export.reason.clone(), ..Export::default() };
    let mut spans: Vec<&Span> = export.spans.iter().collect();
    spans.sort_by_key(|span| (span.start_nanos, &span.span_id));
    let mut told = HashSet::new();
    let mut made = Vec::new();
    for span in spans {
        match read(span, &mut told) {
            Ok(events) => made.extend(events),
            Err(reason) => rejected.reject(format!("span {}: {reason}", span.span_id)),
        }
    }
    // Only now is it known what all spans tell.
    made.retain(|event| {
        let repeats = event.unless.iter().any(|other| told.contains(other));
        let first = event.unless.iter().filter(|other| matches!(other, Told::Said(_)));
        told.extend(first.filter(|_| !repeats).cloned());
        !repeats
    });
    made.sort_by_key(|event| event.ts);
    let mut ids = HashSet::new();
    let events = made.into_iter().map(|event| event.incoming).filter(|event| ids.insert(event.id.clone())).collect();
    let message = rejected.reason.map(|why| format!("{} spans were rejected; the first: {why}", rejected.rejected));
    Taken { events, ignored: export.ignored, rejected: rejected.rejected, message: message.unwrap_or_default() }
}

/// An event that is left out if something else in the export tells the same.
struct Event {
    ts: Option<Time>,
    incoming: Incoming,
    unless: Vec<Told>,
}

/// What a span of the export tells.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Told {
    /// A model asked for this call of this trace.
    Asked(String, String),
    /// The span of this call of this trace has its result.
    Ran(String, String),
    /// A message stands here and says this.
    Said(Hash),
}

/// All that one span says, and what others need not repeat.
fn read(span: &Span, told: &mut HashSet<Told>) -> Result<Vec<Event>, String> {
    let messages = message::read(span)?;
    let mut drafts = match span.about() {
        About::Tool => tool(span),
        About::Model => model(span, &messages),
        About::LocalAgent => Vec::new(),
    };
    // What the span measured stands with the first thing that came out of it, and only there: sums stay right.
    let place = drafts.iter().position(|(draft, _)| draft.status.is_some()).unwrap_or_else(|| {
        let status = if span.error().is_some() { "failure" } else { "success" };
        let kind = format!("otlp.{}", slug(&span.operation()));
        let draft =
            Draft { kind, status: Some(status), content: span.error(), ..said_by_agent(span, span.last_nanos()) };
        drafts.push((draft, Vec::new()));
        drafts.len() - 1
    });
    measure(span, &mut drafts[place].0);
    if !messages.unread.is_empty() {
        drafts[place].0.note("unread", Some(&messages.unread.join(", ")));
    }
    let events =
        drafts.into_iter().map(|(draft, unless)| Ok(Event { ts: draft.ts, incoming: draft.record()?, unless }));
    let events = events.collect::<Result<Vec<_>, String>>()?;
    note(span, &messages, told);
    Ok(events)
}

fn note(span: &Span, messages: &Messages, told: &mut HashSet<Told>) {
    match span.about() {
        About::Tool if span.value(TOOL_RESULT).is_some() => {
            told.extend(span.text(TOOL_CALL_ID).map(|id| Told::Ran(span.trace_id.clone(), id)));
        }
        About::Model => {
            let parts = messages.output.iter().flat_map(|message| &message.parts);
            told.extend(parts.filter_map(|part| match part {
                Part::Call { id: Some(id), arguments: Some(_), .. } => {
                    Some(Told::Asked(span.trace_id.clone(), id.clone()))
                }
                _ => None,
            }));
        }
        _ => {}
    }
}

/// The new messages a model was given, and what it answered.
fn model(span: &Span, messages: &Messages) -> Vec<(Draft, Vec<Told>)> {
    let always = |draft: Draft| (draft, Vec::new());
    let system = messages.input.iter().filter_map(|message| instructions(span, message));
    let mut drafts: Vec<_> = system.map(always).collect();
    let dialogue: Vec<&Message> = messages.input.iter().filter(|message| message.role != Role::System).collect();
    // An answer that stands last was begun for the model, and does not end what was said before.
    let ends = dialogue.iter().rposition(|message| message.role != Role::Assistant).map_or(0, |last| last + 1);
    let begins =
        dialogue[..ends].iter().rposition(|message| message.role == Role::Assistant).map_or(0, |last| last + 1);
    for (place, message) in dialogue.iter().enumerate().take(ends).skip(begins) {
        for draft in of_message(span, message, message.nanos.unwrap_or(span.start_nanos)) {
            let call = draft.tool_call_id.clone().filter(|_| draft.kind == "tool_result");
            let ran = call.map(|id| Told::Ran(span.trace_id.clone(), id));
            let unless = [Told::Said(standing(place, &draft))].into_iter().chain(ran).collect();
            drafts.push((Draft { status: None, ..draft }, unless));
        }
    }
    for message in &messages.output {
        let mut said = of_message(span, message, message.nanos.unwrap_or(span.last_nanos()));
        if let Some(last) = said.last_mut() {
            last.note("finish_reason", message.finish_reason.as_deref());
        }
        drafts.extend(said.into_iter().map(always));
    }
    if let Some(error) = span.error() {
        let mut draft =
            Draft { kind: "error".to_owned(), status: Some("failure"), ..said_by_agent(span, span.last_nanos()) };
        draft.content = Some(error);
        drafts.push(always(draft));
    }
    drafts
}

/// What a program told its model to be: the same in every span, so it has no time and no trace.
fn instructions(span: &Span, message: &Message) -> Option<Draft> {
    let content = Some(message).filter(|message| message.role == Role::System).and_then(texts)?;
    let frame = frame(span, 0);
    Some(Draft {
        kind: "system_event".to_owned(),
        agent_id: frame.agent_id,
        source: frame.source,
        content: Some(content),
        metadata: vec![("role", "\"system\"".to_owned())],
        ..Draft::default()
    })
}

/// The texts of a message as one.
fn texts(message: &Message) -> Option<String> {
    let texts = message.parts.iter().filter_map(|part| match part {
        Part::Text(text) => Some(text.as_str()),
        _ => None,
    });
    Some(texts.collect::<Vec<_>>().join("\n")).filter(|text| !text.is_empty())
}

/// The events of one message: thoughts, its text, calls and results.
fn of_message(span: &Span, message: &Message, nanos: u64) -> Vec<Draft> {
    let by_agent = |kind: &str, content: String| Draft {
        kind: kind.to_owned(),
        content: Some(content),
        status: Some("success"),
        ..said_by_agent(span, nanos)
    };
    let mut drafts = Vec::new();
    let thoughts = message.parts.iter().filter_map(|part| match part {
        Part::Thought(text) => Some(by_agent("agent.thought", text.clone())),
        _ => None,
    });
    drafts.extend(thoughts);
    if let Some(content) = texts(message) {
        drafts.push(match message.role {
            Role::Assistant => by_agent("actor_output", content),
            Role::User => Draft { kind: "user_input".to_owned(), content: Some(content), ..frame(span, nanos) },
            // Nobody knows who speaks in a role of somebody's own: it is not given the trust of a person.
            _ => Draft { kind: "otlp.message".to_owned(), content: Some(content), ..frame(span, nanos) },
        });
    }
    for part in &message.parts {
        match part {
            Part::Call { id, tool, arguments } => {
                drafts.push(call(said_by_agent(span, nanos), tool, id.as_deref(), arguments.as_deref()));
            }
            Part::Result { id, text } => {
                let status = Some("success");
                let draft =
                    Draft { kind: "tool_result".to_owned(), status, content: text.clone(), ..frame(span, nanos) };
                drafts.push(of_tool(draft, None, id.as_deref()));
            }
            Part::Text(_) | Part::Thought(_) => {}
        }
    }
    drafts
}

/// A call and its result, from the span of the tool itself.
fn tool(span: &Span) -> Vec<(Draft, Vec<Told>)> {
    let tool = span.text(TOOL_NAME).unwrap_or_else(|| "tool".to_owned());
    let id = span.text(TOOL_CALL_ID);
    let arguments = span.value(TOOL_ARGUMENTS).and_then(text::compact);
    let (result, error) = (span.value(TOOL_RESULT).and_then(text::any), span.error());
    let mut drafts = Vec::new();
    // A call with an id was asked for by a model, whose span tells of it if this one has no more to say.
    if arguments.is_some() || id.is_none() {
        let frame = said_by_agent(span, span.start_nanos);
        let draft = Draft { status: None, ..call(frame, &tool, id.as_deref(), arguments.as_deref()) };
        let asked = id.clone().map(|id| Told::Asked(span.trace_id.clone(), id));
        drafts.push((draft, asked.into_iter().collect()));
    }
    let answered = result.is_some() || error.is_some() || id.is_none();
    let kind = if answered { "tool_result" } else { "otlp.execute_tool" };
    let status = Some(if error.is_some() { "failure" } else { "success" });
    let draft = Draft { kind: kind.to_owned(), status, ..frame(span, span.last_nanos()) };
    let mut draft = of_tool(draft, Some(&tool), id.as_deref());
    draft.note("error", error.as_deref().filter(|_| result.is_some()));
    draft.content = result.or(error);
    drafts.push((draft, Vec::new()));
    drafts
}

fn call(frame: Draft, tool: &str, id: Option<&str>, arguments: Option<&str>) -> Draft {
    let content = arguments.map_or_else(|| tool.to_owned(), |arguments| format!("{tool} {arguments}"));
    let draft = Draft { kind: "tool_call".to_owned(), status: Some("success"), content: Some(content), ..frame };
    of_tool(draft, Some(tool), id)
}

fn of_tool(mut draft: Draft, tool: Option<&str>, id: Option<&str>) -> Draft {
    draft.note("tool_name", tool);
    draft.note("tool_call_id", id);
    draft.tool_call_id = id.map(str::to_owned);
    draft
}

/// What every event of a span says.
fn frame(span: &Span, nanos: u64) -> Draft {
    let mut draft = Draft {
        ts: time(nanos),
        agent_id: span.text(AGENT_ID),
        source: span.service.clone(),
        trace_id: Some(span.trace_id.clone()),
        conversation_id: span.text(CONVERSATION),
        ..Draft::default()
    };
    draft.note("span_id", Some(&span.span_id));
    draft.note("parent_span_id", span.parent_id.as_deref());
    draft
}

/// What the agent or its model said or did.
fn said_by_agent(span: &Span, nanos: u64) -> Draft {
    let mut draft = Draft { author: span.text(AGENT_NAME), ..frame(span, nanos) };
    draft.note("provider", span.text(PROVIDER).as_deref());
    draft.note("model", span.text(MODEL).as_deref());
    draft
}

fn measure(span: &Span, draft: &mut Draft) {
    draft.note("operation", Some(&span.operation()));
    draft.note("response_id", span.text(RESPONSE_ID).as_deref());
    draft.note("error_type", span.text(ERROR_TYPE).as_deref());
    // An agent's time and tokens are those of the calls below it: under the same names they would count twice.
    let names = match span.about() {
        About::LocalAgent => ["run_input_tokens", "run_output_tokens", "run_ms"],
        _ => ["input_tokens", "output_tokens", "duration_ms"],
    };
    draft.count(names[0], span.number(INPUT_TOKENS));
    draft.count(names[1], span.number(OUTPUT_TOKENS));
    draft.count(names[2], span.millis());
}

/// Where a message stands and what it says, whichever span reports it.
fn standing(place: usize, draft: &Draft) -> Hash {
    let within = draft.conversation_id.as_deref().or(draft.trace_id.as_deref()).unwrap_or_default();
    let call = draft.tool_call_id.as_deref().unwrap_or_default();
    let content = draft.content.as_deref().map_or(String::new(), |content| hex(&Hash::of(content.as_bytes()).0));
    let parts =
        [within, draft.agent_id.as_deref().unwrap_or_default(), &draft.kind, call, &content, &place.to_string()];
    Hash::of(parts.join("\0").as_bytes())
}

/// An operation as part of a kind.
fn slug(operation: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
    let slug: String = operation.chars().take(OPERATION_MAX_BYTES).map(plain).collect();
    if slug.starts_with(|c: char| c.is_ascii_lowercase()) { slug } else { format!("x{slug}") }
}
