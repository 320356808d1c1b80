//! A language model that says what a test tells it to.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{Chat, ChatAnswer, ChatError, ChatRequest, Finish, ToolCall, Usage, wire};
use crate::http::{Failure, Secrets};

/// How many characters come at a time when it streams.
const PIECE_CHARS: usize = 3;
/// As many as a small model has today.
const WINDOW_TOKENS: usize = 8_192;

/// What the model does when it is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Says this.
    Say(String),
    /// Calls these tools, and says this before.
    Call(String, Vec<ToolCall>),
    /// Begins to say this and is cut off after so many characters.
    CutOff(String, usize),
    /// Sends this instead of an answer.
    Garbage(String),
    /// Fails.
    Fail(ChatError),
}

impl Step {
    /// Says this.
    pub fn say(text: impl Into<String>) -> Self {
        Self::Say(text.into())
    }

    /// Calls one tool with these arguments.
    pub fn call(id: &str, name: &str, arguments: &serde_json::Value) -> Self {
        let [id, name] = [id, name].map(str::to_owned);
        Self::Call(String::new(), vec![ToolCall { id, name, arguments: arguments.to_string() }])
    }
}

type Script = dyn Fn(&ChatRequest) -> Step + Send + Sync;

/// A model that follows a script and remembers what it was asked.
pub struct Scripted {
    script: Box<Script>,
    seen: Mutex<Vec<ChatRequest>>,
    window_tokens: usize,
    native_tools: bool,
}

impl Scripted {
    /// Does these steps one after the other, and refuses to answer after the last.
    pub fn new(steps: impl IntoIterator<Item = Step>) -> Self {
        let steps: Mutex<VecDeque<Step>> = Mutex::new(steps.into_iter().collect());
        let over = || Step::Fail(ChatError::Refused("the script has no step for this request".to_owned()));
        Self::with(move |_| locked(&steps).pop_front().unwrap_or_else(over))
    }

    /// Does what the function makes of the request.
    pub fn with(script: impl Fn(&ChatRequest) -> Step + Send + Sync + 'static) -> Self {
        let script = Box::new(script);
        Self { script, seen: Mutex::default(), window_tokens: WINDOW_TOKENS, native_tools: true }
    }

    /// The same with another window.
    pub fn window(self, window_tokens: usize) -> Self {
        Self { window_tokens, ..self }
    }

    /// The same without an understanding of tools.
    pub fn without_tools(self) -> Self {
        Self { native_tools: false, ..self }
    }

    /// Every request so far.
    pub fn requests(&self) -> Vec<ChatRequest> {
        locked(&self.seen).clone()
    }

    fn answer(&self, request: &ChatRequest, text: String, tool_calls: Vec<ToolCall>) -> ChatAnswer {
        let finish = if tool_calls.is_empty() { Finish::Stop } else { Finish::ToolCalls };
        let usage = Usage::estimate(request, &text, &tool_calls);
        ChatAnswer { text, tool_calls, finish, usage, model: self.name().to_owned() }
    }
}

impl Chat for Scripted {
    fn name(&self) -> &str {
        "scripted"
    }

    fn window_tokens(&self) -> usize {
        self.window_tokens
    }

    fn native_tools(&self) -> bool {
        self.native_tools
    }

    fn ask(&self, request: &ChatRequest, hear: &mut dyn FnMut(&str)) -> Result<ChatAnswer, ChatError> {
        locked(&self.seen).push(request.clone());
        let (text, tool_calls, cut) = match (self.script)(request) {
            Step::Say(text) => (text, Vec::new(), false),
            Step::Call(text, tool_calls) => (text, tool_calls, false),
            Step::CutOff(text, chars) => (text.chars().take(chars).collect(), Vec::new(), true),
            Step::Garbage(text) => {
                let answer = wire::whole_answer(text.as_bytes(), request, self.name(), &Secrets::default());
                return answer.map_err(|failure| match failure {
                    Failure::Passing(error, _) | Failure::Final(error) => error,
                });
            }
            Step::Fail(error) => return Err(error),
        };
        let text = before_stop(text, &request.stop);
        if request.stream {
            let chars: Vec<char> = text.chars().collect();
            chars.chunks(PIECE_CHARS).for_each(|piece| hear(&String::from_iter(piece)));
        }
        if cut {
            return Err(ChatError::CutOff { text_so_far: text, why: "the script cuts it off here".to_owned() });
        }
        Ok(self.answer(request, text, tool_calls))
    }
}

/// As a server does: the answer ends before the first text that stops it.
fn before_stop(mut text: String, stop: &[String]) -> String {
    let first = stop.iter().filter(|stop| !stop.is_empty()).filter_map(|stop| text.find(stop.as_str())).min();
    text.truncate(first.unwrap_or(text.len()));
    text
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
