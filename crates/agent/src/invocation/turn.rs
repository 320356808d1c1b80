//! One turn: the model is asked, what it decided is read, and a tool is called.

use idetic_ops::Result;
use idetic_ops::core::{Time, tokens};
use idetic_ops::model::chat::{Chat, ToolCall, ToolSpec};
use idetic_ops::model::{ChatMessage, ChatRequest};
use serde_json::{Map, Value, json};

use super::Invocation;
use crate::journal::Journal;
use crate::protocol::{self, PARSE_ERROR_ACTION, Part, Reader, Step};
use crate::template::Prompt;
use crate::toolbox::{Hands, Observation};
use crate::unanswered::no_answer;
use crate::wire::{Happening, Past};
use crate::working::{Item, WorkingMemory};
use idetic_core::quoting::cut;

/// What the examples of the protocol cost at most, and the last call and its result behind the question.
pub const EXAMPLE_TOKENS: usize = 220 + 2 * LAST_TOKENS;
const LAST_TOKENS: usize = 150;
/// Tools that are called in one turn at most.
const CALLS_MAX: usize = 8;
/// What the operation is called in the ledger.
const OPERATION: &str = "agent";

/// What a turn came to.
pub enum Turn {
    /// The answer.
    Answer(String),
    /// Something was done; there is more to come.
    Acted,
}

/// A tool that is to be called.
struct Call {
    tool: String,
    /// What it is given, or why that cannot be read.
    arguments: std::result::Result<Map<String, Value>, String>,
    id: String,
}

/// What the model decided.
struct Decision {
    thought: Option<String>,
    /// Whether the whole thought was told already: it is before the answer's first part.
    told: bool,
    step: Decided,
}

enum Decided {
    Answer(String),
    Calls(Vec<Call>),
    /// It could not be read; the text tells the model what to write instead.
    Nonsense(String),
}

impl Invocation<'_, '_> {
    pub(super) fn turn(
        &mut self,
        journal: &mut Journal<'_>,
        happen: &mut dyn FnMut(Happening),
        prompt: &Prompt,
        specs: Vec<ToolSpec>,
        memory: &mut WorkingMemory,
    ) -> Result<Turn> {
        let decision = self.decide(happen, prompt, specs)?;
        if let Some(thought) = decision.thought.as_deref().filter(|thought| !thought.trim().is_empty()) {
            let id = journal.thought(thought)?;
            if !decision.told {
                happen(Happening::Thought(thought.to_owned()));
            }
            memory.push(with_event(Item::thought(thought, self.now()), id));
        }
        match decision.step {
            Decided::Answer(text) => Ok(Turn::Answer(text)),
            Decided::Nonsense(text) => {
                let id = journal.failed(&text, json!({"action": PARSE_ERROR_ACTION}))?;
                happen(Happening::Observation(text.clone()));
                memory.push(with_event(Item::observation(text, self.now()).critical(false), id));
                Ok(Turn::Acted)
            }
            Decided::Calls(calls) => {
                for call in calls {
                    self.act(journal, happen, memory, call)?;
                }
                Ok(Turn::Acted)
            }
        }
    }

    /// Asks the model.
    fn decide(&self, happen: &mut dyn FnMut(Happening), prompt: &Prompt, specs: Vec<ToolSpec>) -> Result<Decision> {
        let chat = self.ledger.meter(&*self.agent.chat, OPERATION);
        let limit = Some(self.agent.memory.config().model.answer_tokens);
        if chat.native_tools() {
            let messages = vec![ChatMessage::User(prompt.text.clone())];
            let request =
                ChatRequest { messages, tools: specs, max_tokens: limit, stream: true, ..ChatRequest::default() };
            // Where a call may follow, it may be a thought: what was told as the answer cannot be taken back.
            let may_call = !request.tools.is_empty();
            let mut heard = false;
            let mut hear = |text: &str| {
                if !may_call {
                    heard = true;
                    happen(Happening::AnswerPart(text.to_owned()));
                }
            };
            let answer = chat.ask(&request, &mut hear).map_err(|error| no_answer(&error))?;
            if !answer.tool_calls.is_empty() {
                let calls = answer.tool_calls.into_iter().take(CALLS_MAX).map(native).collect();
                return Ok(Decision { thought: Some(answer.text), told: false, step: Decided::Calls(calls) });
            }
            // Some write the protocol all the same.
            if let Ok(parsed) = protocol::parse(&answer.text)
                && matches!(parsed.step, Step::Act { .. })
            {
                return Ok(decision(parsed));
            }
            let text = answer_alone(&answer.text);
            if text.trim().is_empty() {
                let nonsense = "Error: the reply was empty. Call a tool, or answer.".to_owned();
                return Ok(Decision { thought: None, told: false, step: Decided::Nonsense(nonsense) });
            }
            if !heard {
                happen(Happening::AnswerPart(text.clone()));
            }
            return Ok(Decision { thought: None, told: false, step: Decided::Answer(text) });
        }
        // Small models follow the examples only where what is asked has their form.
        let mut messages = vec![ChatMessage::System(prompt.text.clone())];
        messages.extend(examples(&specs));
        messages.push(ChatMessage::User(format!("Question: {}", self.question())));
        if let Some((call, observation)) = &self.last {
            messages.push(said(call));
            messages.push(ChatMessage::User(format!("Observation: {observation}")));
        }
        let stop = vec!["\nObservation:".to_owned()];
        let request = ChatRequest { messages, max_tokens: limit, stop, stream: true, ..ChatRequest::default() };
        let mut reader = Reader::default();
        // A thought is whole before the answer begins: a client may join the parts of each as they come.
        let (mut thought, mut told) = (String::new(), false);
        let mut tell = |pieces: Vec<protocol::Piece>| {
            for piece in pieces {
                match piece.part {
                    Part::Thought => {
                        thought.push_str(&piece.text);
                        happen(Happening::ThoughtPart(piece.text));
                    }
                    Part::Answer => {
                        if !std::mem::replace(&mut told, true) && !thought.trim().is_empty() {
                            happen(Happening::Thought(thought.clone()));
                        }
                        happen(Happening::AnswerPart(piece.text));
                    }
                }
            }
        };
        let mut heard = 0;
        let answer = chat.ask(&request, &mut |text| {
            heard += text.len();
            tell(reader.feed(text));
        });
        let answer = answer.map_err(|error| no_answer(&error))?;
        if heard == 0 {
            tell(reader.feed(&answer.text));
        }
        let (pieces, parsed) = reader.finish();
        tell(pieces);
        Ok(match parsed {
            Ok(parsed) => Decision { told, ..decision(parsed) },
            Err(trouble) => Decision { told, step: Decided::Nonsense(trouble.observation()), thought: trouble.thought },
        })
    }

    /// Calls a tool and writes down what it answered.
    fn act(
        &mut self,
        journal: &mut Journal<'_>,
        happen: &mut dyn FnMut(Happening),
        memory: &mut WorkingMemory,
        call: Call,
    ) -> Result<()> {
        let Call { tool, arguments, id: call } = call;
        let (tool, call) = (tool.as_str(), call.as_str());
        let given = arguments.clone().unwrap_or_default();
        let id = journal.called(tool, &given, call)?;
        happen(Happening::Action { tool: tool.to_owned(), arguments: given.clone() });
        memory.push(with_event(Item::action(tool, &given, self.now()), id));
        let (observation, next) = match arguments {
            Err(why) => (Observation { text: format!("Error: {why}"), worked: false }, self.state.clone()),
            Ok(given) => {
                let chat = self.ledger.meter(&*self.agent.chat, tool);
                let fetch = |reference: &str| memory.fetch(reference).map(|item| item.content.clone());
                let hands = Hands { chat: &chat, basis: &journal.basis, fetch: &fetch };
                self.toolbox.call(tool, given, &self.asked.group, &self.state, &hands)
            }
        };
        let id = journal.observed(tool, call, &observation.text, observation.worked)?;
        let step = Step::Act { tool: tool.to_owned(), arguments: given };
        let told = protocol::print(&protocol::Parsed { thought: None, step });
        self.last = Some((cut(&told, LAST_TOKENS), cut(&observation.text, LAST_TOKENS)));
        let shown = cut(&observation.text, self.policy.observation_max_tokens);
        happen(Happening::Observation(shown.clone()));
        memory.push(with_event(Item::observation(shown, self.now()), id));
        self.state = next;
        Ok(())
    }
}

fn with_event(item: Item, id: Option<String>) -> Item {
    match id {
        Some(id) => item.event(id),
        None => item,
    }
}

fn decision(parsed: protocol::Parsed) -> Decision {
    let step = match parsed.step {
        Step::Final(text) => Decided::Answer(text),
        Step::Act { tool, arguments } => {
            Decided::Calls(vec![Call { tool, arguments: Ok(arguments), id: "call-1".to_owned() }])
        }
    };
    Decision { thought: parsed.thought, told: false, step }
}

/// A native call; arguments that are no JSON object are told to the model.
fn native(call: ToolCall) -> Call {
    let text = if call.arguments.trim().is_empty() { "{}" } else { call.arguments.as_str() };
    let arguments = serde_json::from_str::<Map<String, Value>>(text)
        .map_err(|error| format!("the arguments are not a JSON object: {error}"));
    Call { tool: call.name, arguments, id: call.id }
}

/// An answer without the label of the protocol.
fn answer_alone(text: &str) -> String {
    match protocol::parse(text) {
        Ok(protocol::Parsed { step: Step::Final(answer), .. }) if text.to_lowercase().contains("final answer") => {
            answer
        }
        _ => text.trim().to_owned(),
    }
}

/// The tools as a prompt lists them.
pub fn listing(specs: &[ToolSpec]) -> String {
    if specs.is_empty() {
        return "(none: give the final answer)".to_owned();
    }
    let line = |spec: &ToolSpec| {
        let arguments = spec.parameters["properties"].as_object().cloned().unwrap_or_default();
        let named = arguments.iter().map(|(name, about)| {
            let kind = about["type"].as_str().unwrap_or("string");
            format!("\"{name}\": {kind}")
        });
        let about: String = spec.description.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        format!("- {} {{{}}}: {about}", spec.name, named.collect::<Vec<_>>().join(", "))
    };
    specs.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn said(text: &str) -> ChatMessage {
    ChatMessage::Assistant { text: text.to_owned(), tool_calls: Vec::new() }
}

/// Turns that show the form: small models follow an example where they follow no rule.
fn examples(specs: &[ToolSpec]) -> Vec<ChatMessage> {
    let mut messages = Vec::new();
    if let Some(spec) = specs.first() {
        let name = spec.parameters["properties"].as_object().and_then(|all| all.keys().next().cloned());
        let arguments = name.map_or(json!({}), |name| json!({name: "X"}));
        let text = format!("Thought: I do not know it yet, so I look it up.\nAction: {}\nArgs: {arguments}", spec.name);
        if tokens::estimate(&text) < LAST_TOKENS {
            messages.push(ChatMessage::User("Question: What is X?".to_owned()));
            messages.push(said(&text));
            messages.push(ChatMessage::User("Observation: X is Y.".to_owned()));
            messages.push(said("Thought: Now I know it.\nFinal Answer: X is Y."));
        }
    }
    messages.push(ChatMessage::User("Question: How many sides does a square have?".to_owned()));
    messages.push(said("Thought: I know this.\nFinal Answer: A square has four sides."));
    messages
}

/// What the caller remembers of earlier turns.
pub fn push_past(memory: &mut WorkingMemory, past: &Past, now: Time) {
    match past {
        Past::Step(step) => {
            if !step.thought.is_empty() {
                memory.push(Item::thought(step.thought.clone(), now));
            }
            if !step.action.is_empty() {
                memory.push(Item::action(&step.action, &step.arguments, now));
            }
            if !step.observation.is_empty() {
                memory.push(Item::observation(step.observation.clone(), now));
            }
        }
        Past::Message(message) => {
            memory.push(Item::thought(format!("{} said: {}", message.role, message.content), now));
        }
    }
}
