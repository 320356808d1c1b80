//! Server-sent events, as servers really send them, put together to one answer.

#[cfg(test)]
mod tests;

use serde_json::Value;

use super::draft::{ANSWER_MAX_BYTES, Draft};
use super::wire::{self, Complaint};
use super::{ChatAnswer, ChatError, ChatRequest};
use crate::http::{Failure, Secrets};

/// No stream is longer: every few characters of an answer come in an event of some hundred bytes.
const STREAM_MAX_BYTES: usize = 64 * 1024 * 1024;
/// What is kept of the beginning, to be shown if it is no answer.
const OPENING_BYTES: usize = 4 * 1024;
/// What ends a stream.
const DONE: &str = "[DONE]";

/// Why an answer ends early.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trouble {
    /// The server said so.
    Complaint(Complaint),
    /// What came makes no sense.
    Nonsense(String),
    /// Nothing more came.
    Lost(String),
}

/// What kind of body it is: not every server streams when asked to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Unknown,
    Whole,
    Events,
}

/// Listens to the body of an answer.
pub struct Listener<'a> {
    secrets: &'a Secrets,
    shape: Shape,
    /// How many bytes came, and the first of them.
    total: usize,
    opening: Vec<u8>,
    /// The body so far if it is one piece, or the line that has not ended.
    open: Vec<u8>,
    /// A line that ended in CR may have ended in CRLF.
    after_cr: bool,
    /// The data lines of the event that has not ended.
    event: Option<String>,
    draft: Draft,
    /// Whether the server said that nothing more comes.
    pub done: bool,
}

impl<'a> Listener<'a> {
    pub fn new(secrets: &'a Secrets) -> Self {
        Self {
            secrets,
            shape: Shape::Unknown,
            total: 0,
            opening: Vec::new(),
            open: Vec::new(),
            after_cr: false,
            event: None,
            draft: Draft::default(),
            done: false,
        }
    }

    /// Takes the next bytes. After trouble nothing more may be fed.
    pub fn feed(&mut self, mut bytes: &[u8], hear: &mut dyn FnMut(&str)) -> Result<(), Trouble> {
        self.total += bytes.len();
        if self.total > STREAM_MAX_BYTES {
            return Err(Trouble::Nonsense(format!("the stream is longer than {STREAM_MAX_BYTES} bytes")));
        }
        let room = OPENING_BYTES - self.opening.len();
        self.opening.extend_from_slice(&bytes[..bytes.len().min(room)]);
        if self.shape == Shape::Unknown {
            let Some(start) = bytes.iter().position(|byte| !is_blank(*byte)) else { return Ok(()) };
            bytes = &bytes[start..];
            self.shape = if matches!(bytes[0], b'{' | b'[') { Shape::Whole } else { Shape::Events };
        }
        if self.shape == Shape::Whole {
            return self.keep(bytes);
        }
        while !bytes.is_empty() && !self.done {
            let Some(end) = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r')) else {
                return self.keep(bytes);
            };
            self.keep(&bytes[..end])?;
            let second_half = self.after_cr && end == 0 && self.open.is_empty() && bytes[0] == b'\n';
            self.after_cr = bytes[end] == b'\r';
            bytes = &bytes[end + 1..];
            if !second_half {
                let line = std::mem::take(&mut self.open);
                self.line(&line, hear)?;
            }
        }
        Ok(())
    }

    /// The answer, or why there is none; `trouble` if the body did not just end.
    pub fn end(
        mut self,
        mut trouble: Option<Trouble>,
        request: &ChatRequest,
        model: &str,
        hear: &mut dyn FnMut(&str),
    ) -> Result<ChatAnswer, Failure<ChatError>> {
        if self.shape == Shape::Whole && trouble.is_none() {
            let answer = wire::whole_answer(&self.open, request, model, self.secrets)?;
            if !answer.text.is_empty() {
                hear(&answer.text);
            }
            return Ok(answer);
        }
        if matches!(trouble, None | Some(Trouble::Lost(_))) {
            trouble = self.flush(hear).err().or(trouble);
        }
        let ended = self.done || self.draft.finished;
        match trouble {
            None | Some(Trouble::Lost(_)) if ended && self.draft.begun => Ok(self.draft.answer(request, model)),
            trouble => Err(self.failure(trouble)),
        }
    }

    fn failure(self, trouble: Option<Trouble>) -> Failure<ChatError> {
        let text_so_far = self.draft.text;
        let cut = |why| ChatError::CutOff { text_so_far: text_so_far.clone(), why };
        let unended = || "the server ended it before it was complete".to_owned();
        // Who has heard something does not want to hear it again.
        if !text_so_far.is_empty() {
            let why = match trouble {
                None => unended(),
                Some(Trouble::Complaint(complaint)) => complaint.why(self.secrets),
                Some(Trouble::Nonsense(why) | Trouble::Lost(why)) => why,
            };
            return Failure::Final(cut(why));
        }
        match trouble {
            Some(Trouble::Complaint(complaint)) => complaint.failure(self.secrets),
            Some(Trouble::Nonsense(why)) => Failure::Final(ChatError::Wrong(why)),
            Some(Trouble::Lost(why)) if self.draft.begun => Failure::Passing(cut(why), None),
            Some(Trouble::Lost(why)) => Failure::Passing(ChatError::Unavailable(why), None),
            None if self.draft.begun => Failure::Passing(cut(unended()), None),
            None if self.shape == Shape::Unknown => {
                Failure::Passing(ChatError::Unavailable("the answer is empty".to_owned()), None)
            }
            None => {
                let shown = self.secrets.excerpt(&self.opening);
                Failure::Final(ChatError::Wrong(format!("not a chat answer: {shown}")))
            }
        }
    }

    fn keep(&mut self, bytes: &[u8]) -> Result<(), Trouble> {
        if self.open.len() + bytes.len() > ANSWER_MAX_BYTES {
            return Err(too_long());
        }
        self.open.extend_from_slice(bytes);
        Ok(())
    }

    /// What stands at the end without the marks that end it. Half an event is no event.
    fn flush(&mut self, hear: &mut dyn FnMut(&str)) -> Result<(), Trouble> {
        if self.shape != Shape::Events || self.done {
            return Ok(());
        }
        let line = std::mem::take(&mut self.open);
        if !line.is_empty() {
            self.line(&line, hear)?;
        }
        match self.event.take().and_then(|event| serde_json::from_str(&event).ok()) {
            Some(piece) => self.piece(&piece, hear),
            None => Ok(()),
        }
    }

    fn line(&mut self, line: &[u8], hear: &mut dyn FnMut(&str)) -> Result<(), Trouble> {
        if line.is_empty() {
            return self.event.take().map_or(Ok(()), |event| self.dispatch(&event, hear));
        }
        let line = String::from_utf8_lossy(line);
        // Comments have no name before the colon; names other than `data` say nothing we need.
        let (name, value) = line.split_once(':').unwrap_or((&line, ""));
        if name != "data" {
            return Ok(());
        }
        let value = value.strip_prefix(' ').unwrap_or(value);
        match &mut self.event {
            Some(event) if event.len() + value.len() >= ANSWER_MAX_BYTES => Err(too_long()),
            Some(event) => {
                event.push('\n');
                event.push_str(value);
                Ok(())
            }
            None if value.trim().is_empty() => Ok(()),
            None if value.trim() == DONE => {
                self.done = true;
                Ok(())
            }
            // Not every server puts an empty line between its events, and whoever listens should not wait for it.
            None => match serde_json::from_str(value) {
                Ok(piece) => self.piece(&piece, hear),
                Err(_) => {
                    self.event = Some(value.to_owned());
                    Ok(())
                }
            },
        }
    }

    fn dispatch(&mut self, event: &str, hear: &mut dyn FnMut(&str)) -> Result<(), Trouble> {
        let piece: Value = serde_json::from_str(event).map_err(|error| {
            let shown = self.secrets.excerpt(event.as_bytes());
            Trouble::Nonsense(format!("not a piece of a chat answer ({error}): {shown}"))
        })?;
        self.piece(&piece, hear)
    }

    fn piece(&mut self, piece: &Value, hear: &mut dyn FnMut(&str)) -> Result<(), Trouble> {
        if let Some(complaint) = Complaint::in_answer(piece) {
            return Err(Trouble::Complaint(complaint));
        }
        let new = self.draft.add(piece).map_err(Trouble::Nonsense)?;
        if !new.is_empty() {
            hear(&new);
        }
        Ok(())
    }
}

fn too_long() -> Trouble {
    Trouble::Nonsense(format!("the answer is longer than {ANSWER_MAX_BYTES} bytes"))
}

/// Spaces and byte order marks, which may stand before anything.
fn is_blank(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, 0xEF | 0xBB | 0xBF)
}
