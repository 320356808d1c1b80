//! Reads a reply while it is written, and says what is thought and what is answer as soon as that is certain.

use serde_json::{Map, Value};

use super::labels::{Label, Start, start};
use super::{NO_TOOL, ParseTrouble, Parsed, REPLY_MAX_BYTES, Step, arguments};

/// What a piece of text belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The thought.
    Thought,
    /// The final answer.
    Answer,
}

/// Text that can be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// What it belongs to.
    pub part: Part,
    /// The next characters of it.
    pub text: String,
}

/// Where the reading stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// In the thought, or before the first label.
    Thought,
    /// In the line, or before it, in which the tool's name stands.
    Name,
    /// Behind the name, before the arguments.
    Named,
    /// In the arguments, and whatever follows them.
    Args,
    /// In the answer.
    Answer,
    /// Before any label in something that may be the reply as one object.
    Object,
    /// Nothing more counts.
    Over,
}

/// The text of one part so far: what was given out, and white space that comes out only if text follows it.
#[derive(Debug, Clone, Default)]
struct Flow {
    text: String,
    blank: String,
    /// A fence that may turn out to be nobody's.
    fence: Option<String>,
}

/// Reads a reply chunk by chunk. However it is cut, the pieces of a part make up the same text, and that is the text of
/// the parsed reply.
#[derive(Debug, Clone)]
pub struct Reader {
    state: State,
    /// How much was read.
    bytes: usize,
    /// The beginning of a line while it is not certain what it is; `None` inside of a line.
    line: Option<String>,
    thought: Flow,
    answer: Flow,
    labelled: bool,
    /// The reply is in a fence.
    outer: bool,
    /// A fence inside of that one is open.
    inner: bool,
    name: String,
    /// The arguments, or the object.
    raw: String,
    objects: bool,
    pieces: Vec<Piece>,
}

impl Default for Reader {
    fn default() -> Self {
        Self {
            state: State::Thought,
            bytes: 0,
            line: Some(String::new()),
            thought: Flow::default(),
            answer: Flow::default(),
            labelled: false,
            outer: false,
            inner: false,
            name: String::new(),
            raw: String::new(),
            objects: true,
            pieces: Vec::new(),
        }
    }
}

impl Reader {
    /// Reads the next chunk and gives what it made certain.
    pub fn feed(&mut self, chunk: &str) -> Vec<Piece> {
        for c in chunk.chars() {
            self.bytes += c.len_utf8();
            if self.bytes > REPLY_MAX_BYTES {
                break;
            }
            self.take(c);
        }
        std::mem::take(&mut self.pieces)
    }

    /// Ends the reply: the last pieces, and what it says.
    pub fn finish(mut self) -> (Vec<Piece>, Result<Parsed, ParseTrouble>) {
        self.settle(true);
        let step = self.step();
        let thought = Some(self.thought.text).filter(|text| !text.is_empty());
        let result = match step {
            Ok(step) => Ok(Parsed { thought, step }),
            Err(why) => Err(ParseTrouble { why, thought }),
        };
        (self.pieces, result)
    }

    fn take(&mut self, c: char) {
        match self.state {
            State::Over => return,
            State::Args | State::Object => {
                self.raw.push(c);
                return;
            }
            State::Thought | State::Name | State::Named | State::Answer => {}
        }
        let Some(line) = &mut self.line else {
            self.within_line(c);
            return;
        };
        if c == '\n' {
            self.settle(true);
            self.within_line(c);
        } else if line.is_empty() && c.is_whitespace() {
            self.text(c);
        } else {
            line.push(c);
            self.settle(false);
        }
    }

    /// A character of a line about which everything is known.
    fn within_line(&mut self, c: char) {
        match self.state {
            State::Name if c == '{' => {
                self.state = State::Args;
                self.raw.push(c);
            }
            State::Name if c == '\n' && !self.name.trim().is_empty() => self.state = State::Named,
            State::Name => self.name.push(c),
            State::Args | State::Object => self.raw.push(c),
            State::Thought | State::Answer => self.text(c),
            State::Named | State::Over => {}
        }
        if c == '\n' {
            self.line = Some(String::new());
        }
    }

    /// Decides what the line is, if that can be said.
    fn settle(&mut self, whole: bool) {
        let Some(line) = self.line.take() else { return };
        let found = match start(&line, whole) {
            // Inside of an answer only the fence round the whole reply matters.
            Start::Label(..) | Start::Brace if self.state == State::Answer => Start::Text,
            found => found,
        };
        match found {
            Start::Open => self.line = Some(line),
            Start::Label(label, used) => self.label(label, &line[..used], &line[used..]),
            Start::Fence(named) => self.fence(&line, named),
            Start::Brace => self.brace(&line),
            Start::Text => self.pass(&line),
        }
    }

    fn pass(&mut self, text: &str) {
        text.chars().for_each(|c| self.within_line(c));
    }

    fn label(&mut self, label: Label, written: &str, rest: &str) {
        let name = tool(&self.name);
        let none = is_no_tool(name);
        let idle = none || name.is_empty();
        match (self.state, label) {
            (State::Thought, Label::Args) => {
                self.pass(written);
                self.pass(rest);
                return;
            }
            (State::Name | State::Named, Label::Args) if none => return self.state = State::Named,
            (State::Name | State::Named, Label::Args) => self.state = State::Args,
            (State::Name | State::Named, _) if !idle => return self.state = State::Over,
            (_, Label::Observation) => return self.state = State::Over,
            (_, Label::Final) => self.state = State::Answer,
            (_, Label::Action) => {
                self.state = State::Name;
                self.name.clear();
            }
            (_, _) => self.state = State::Thought,
        }
        self.labelled = true;
        // What was held back belonged to nothing.
        self.thought.fence = None;
        self.thought.blank.clear();
        if self.state == State::Thought && !self.thought.text.is_empty() {
            self.thought.blank.push('\n');
        }
        self.pass(rest);
    }

    fn fence(&mut self, line: &str, named: bool) {
        let nothing_yet = !self.labelled && self.thought.text.is_empty() && self.thought.fence.is_none();
        self.release();
        match self.state {
            State::Thought if nothing_yet && !self.outer => self.outer = true,
            State::Thought => self.hold(line),
            State::Answer if self.outer && !self.inner && !named => self.hold(line),
            State::Answer => {
                self.inner = self.outer && named;
                self.pass(line);
            }
            State::Name | State::Named | State::Args | State::Object | State::Over => {}
        }
    }

    /// Keeps a fence back until text follows it.
    fn hold(&mut self, line: &str) {
        let flow = self.flow();
        flow.fence = Some(std::mem::take(&mut flow.blank) + line);
    }

    fn release(&mut self) {
        let in_answer = self.state == State::Answer;
        let flow = self.flow();
        if let Some(mut fence) = flow.fence.take() {
            fence.push_str(&flow.blank);
            flow.blank = fence;
            self.inner |= in_answer;
        }
    }

    fn brace(&mut self, line: &str) {
        match self.state {
            State::Thought if self.objects && !self.labelled => self.state = State::Object,
            State::Named => self.state = State::Args,
            _ => {}
        }
        self.pass(line);
    }

    fn flow(&mut self) -> &mut Flow {
        if self.state == State::Answer { &mut self.answer } else { &mut self.thought }
    }

    /// A character of the thought or the answer.
    fn text(&mut self, c: char) {
        let part = match self.state {
            State::Thought => Part::Thought,
            State::Answer => Part::Answer,
            _ => return,
        };
        if c.is_whitespace() {
            return self.flow().blank.push(c);
        }
        self.release();
        let flow = self.flow();
        let blank = std::mem::take(&mut flow.blank);
        let mut shown = if flow.text.is_empty() { blank.trim_start().to_owned() } else { blank };
        shown.push(c);
        flow.text.push_str(&shown);
        match self.pieces.last_mut() {
            Some(piece) if piece.part == part => piece.text.push_str(&shown),
            _ => self.pieces.push(Piece { part, text: shown }),
        }
    }

    fn say(&mut self, text: &str) {
        text.chars().for_each(|c| self.text(c));
    }

    /// What the reply as a whole asks for.
    fn step(&mut self) -> Result<Step, String> {
        if self.bytes > REPLY_MAX_BYTES {
            return Err(format!("The reply is longer than {REPLY_MAX_BYTES} bytes"));
        }
        match self.state {
            State::Object => self.object(),
            State::Answer if self.answer.text.is_empty() => Err("The final answer is empty".to_owned()),
            State::Answer => Ok(Step::Final(self.answer.text.clone())),
            State::Thought | State::Over if self.name.is_empty() => Err(self.without_step()),
            State::Thought | State::Name | State::Named | State::Args | State::Over => self.action(),
        }
    }

    fn without_step(&self) -> String {
        let why = match (self.state, self.labelled) {
            (State::Over, _) => "You wrote an observation yourself; only a tool's result is one",
            (_, true) => "There is a thought, but neither an action nor a final answer",
            (_, false) if self.thought.text.is_empty() => "The reply is empty",
            (_, false) => "There is no label in the reply",
        };
        why.to_owned()
    }

    fn action(&self) -> Result<Step, String> {
        let tool = tool(&self.name);
        if tool.is_empty() || is_no_tool(tool) {
            return Err("The action names no tool".to_owned());
        }
        let arguments = arguments::read(&self.raw).map_err(|why| format!("You called {tool}, but {why}"))?;
        Ok(Step::Act { tool: tool.to_owned(), arguments })
    }

    /// The reply as one object; if it is none of that form, as lines after all.
    fn object(&mut self) -> Result<Step, String> {
        self.state = State::Thought;
        let raw = std::mem::take(&mut self.raw);
        let Ok(Value::Object(map)) = arguments::any(&raw) else { return self.as_lines(&raw) };
        let mut map: Map<String, Value> =
            map.into_iter().map(|(key, value)| (key.to_lowercase().replace(['-', ' '], "_"), value)).collect();
        let answer = map.remove("final_answer").filter(|answer| !answer.is_null());
        let action = map.remove("action").and_then(|action| action.as_str().map(str::to_owned));
        if answer.is_none() && action.is_none() {
            return self.as_lines(&raw);
        }
        if let Some(Value::String(thought)) = map.remove("thought") {
            if !self.thought.text.is_empty() {
                self.thought.blank = "\n".to_owned();
            }
            self.thought.fence = None;
            self.say(&thought);
        }
        if let Some(answer) = answer {
            self.state = State::Answer;
            match answer {
                Value::String(text) => self.say(&text),
                other => self.say(&other.to_string()),
            }
            return self.step();
        }
        let given = ["arguments", "args", "action_input"].iter().find_map(|key| map.remove(*key));
        self.name = action.unwrap_or_default();
        self.raw = given.map_or(String::new(), |given| given.to_string());
        self.action()
    }

    fn as_lines(&mut self, raw: &str) -> Result<Step, String> {
        self.objects = false;
        self.line = Some(String::new());
        raw.chars().for_each(|c| self.take(c));
        self.settle(true);
        self.step()
    }
}

fn is_no_tool(name: &str) -> bool {
    NO_TOOL.iter().any(|none| name.eq_ignore_ascii_case(none))
}

/// The tool's name without what stands round it.
fn tool(written: &str) -> &str {
    let round = |c: char| c.is_whitespace() || matches!(c, '*' | '`' | '"' | '\'' | '(' | ')' | ':');
    let name = written.trim_matches(round);
    // The label of the arguments in the same line.
    for label in ["action input", "arguments", "args"] {
        let cut = name.len().wrapping_sub(label.len());
        if let Some(end) = name.get(cut..)
            && end.eq_ignore_ascii_case(label)
            && name[..cut].ends_with(char::is_whitespace)
        {
            return name[..cut].trim_matches(round);
        }
    }
    name
}
