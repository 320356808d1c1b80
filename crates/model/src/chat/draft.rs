//! An answer as it comes together, whole or from the pieces of a stream.

use serde_json::Value;

use super::{ChatAnswer, ChatRequest, Finish, ToolCall, Usage};

/// No answer is longer, its tool calls included.
pub const ANSWER_MAX_BYTES: usize = 8 * 1024 * 1024;
/// No answer calls more tools.
const MAX_TOOL_CALLS: usize = 128;
/// How an answer ends in which the model says that it will not.
const REFUSAL: &str = "refusal";

/// What has come of an answer.
#[derive(Debug, Default)]
pub struct Draft {
    /// Its words so far.
    pub text: String,
    /// Whether anything came that looks like an answer.
    pub begun: bool,
    /// Whether the server said why it ends.
    pub finished: bool,
    calls: Vec<ToolCall>,
    /// Which call a server's number stands for; the last one counts.
    places: Vec<(u64, usize)>,
    finish: Option<String>,
    usage: Option<Usage>,
    model: Option<String>,
    bytes: usize,
}

impl Draft {
    /// Adds a piece, or a whole answer, and gives the words that are new; or says what is wrong with it.
    pub fn add(&mut self, piece: &Value) -> Result<String, String> {
        if let Some(model) = piece["model"].as_str().filter(|model| !model.is_empty()) {
            self.model = Some(model.to_owned());
        }
        // Some servers send it with every piece, and the last one is right.
        self.usage = usage(&piece["usage"]).or(self.usage);
        let choices = piece["choices"].as_array().map(Vec::as_slice).unwrap_or_default();
        let Some(choice) = choices.iter().find(|choice| choice["index"].as_u64().unwrap_or(0) == 0) else {
            return Ok(String::new());
        };
        self.begun = true;
        let message = if choice["delta"].is_object() { &choice["delta"] } else { &choice["message"] };
        let mut new = words(&message["content"]);
        if let Some(refusal) = message[REFUSAL].as_str().filter(|refusal| !refusal.is_empty()) {
            new.push_str(refusal);
            self.finish = Some(REFUSAL.to_owned());
        }
        self.grow(new.len())?;
        self.text.push_str(&new);
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            self.call(call)?;
        }
        if let Some(finish) = choice["finish_reason"].as_str().filter(|finish| !finish.is_empty()) {
            self.finished = true;
            self.finish.get_or_insert_with(|| finish.to_owned());
        }
        Ok(new)
    }

    /// The answer, once nothing more comes.
    pub fn answer(self, request: &ChatRequest, model: &str) -> ChatAnswer {
        let usage = self.usage.unwrap_or_else(|| Usage::estimate(request, &self.text, &self.calls));
        let mut tool_calls = self.calls;
        for (at, call) in tool_calls.iter_mut().enumerate().filter(|(_, call)| call.id.is_empty()) {
            call.id = format!("call_{at}");
        }
        let finish = match self.finish.as_deref() {
            // Some servers call that a stop.
            None | Some("stop") if !tool_calls.is_empty() => Finish::ToolCalls,
            None | Some("stop") => Finish::Stop,
            Some("length") => Finish::Length,
            Some("tool_calls") => Finish::ToolCalls,
            Some(other) => Finish::Other(other.to_owned()),
        };
        ChatAnswer { text: self.text, tool_calls, finish, usage, model: self.model.unwrap_or_else(|| model.to_owned()) }
    }

    /// A call, or a piece of one.
    fn call(&mut self, piece: &Value) -> Result<(), String> {
        let function = &piece["function"];
        let [id, name] = [&piece["id"], &function["name"]].map(|value| value.as_str().unwrap_or_default());
        let arguments = match &function["arguments"] {
            Value::String(text) => text.clone(),
            Value::Null => String::new(),
            // Not what was agreed, but clear.
            other => other.to_string(),
        };
        let place = self.place(piece["index"].as_u64(), id, name)?;
        let mut grown = arguments.len();
        let call = &mut self.calls[place];
        call.arguments.push_str(&arguments);
        for (slot, value) in [(&mut call.id, id), (&mut call.name, name)] {
            if slot.is_empty() {
                slot.push_str(value);
                grown += value.len();
            }
        }
        self.grow(grown)
    }

    /// Which call a piece belongs to. Servers number them, or give only the ids, or number all of them 0.
    fn place(&mut self, index: Option<u64>, id: &str, name: &str) -> Result<usize, String> {
        let last = self.calls.len().checked_sub(1);
        let known = match index {
            Some(index) => self.places.iter().rev().find(|(known, _)| *known == index).map(|(_, place)| *place),
            None => last.filter(|last| name.is_empty() || (!id.is_empty() && self.calls[*last].id == id)),
        };
        let another = |place: &usize| {
            let old = &self.calls[*place].id;
            !id.is_empty() && !name.is_empty() && !old.is_empty() && old != id
        };
        if let Some(place) = known.filter(|place| !another(place)) {
            return Ok(place);
        }
        if self.calls.len() == MAX_TOOL_CALLS {
            return Err(format!("more than {MAX_TOOL_CALLS} tool calls"));
        }
        self.calls.push(ToolCall::default());
        let place = self.calls.len() - 1;
        self.places.extend(index.map(|index| (index, place)));
        Ok(place)
    }

    fn grow(&mut self, by: usize) -> Result<(), String> {
        self.bytes += by;
        let fits = self.bytes <= ANSWER_MAX_BYTES;
        fits.then_some(()).ok_or_else(|| format!("the answer is longer than {ANSWER_MAX_BYTES} bytes"))
    }
}

/// The words of a content: a text, or a list of parts some of which are texts.
fn words(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        _ => String::new(),
    }
}

/// A server that counts no question has not counted.
fn usage(value: &Value) -> Option<Usage> {
    let prompt_tokens = value["prompt_tokens"].as_u64().filter(|tokens| *tokens > 0)?;
    let answer_tokens = value["completion_tokens"].as_u64().unwrap_or(0);
    Some(Usage { prompt_tokens, answer_tokens, estimated: false })
}
