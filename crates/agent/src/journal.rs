//! The events of one invocation: every step is one, with its trace, loop and conversation.

use idetic_ops::core::Record;
use idetic_ops::{Error, RECALLED, Result, Viewpoint};
use serde_json::{Map, Value, json};

/// Most causes that one event names: those behind are reached through the others.
const CAUSES_MAX: usize = 256;

/// Writes down what happens. Without a memory nothing is written.
pub(crate) struct Journal<'a> {
    /// Whose memory; none where nothing is remembered.
    pub viewpoint: Option<&'a Viewpoint>,
    pub trace: String,
    pub loop_id: String,
    pub conversation: String,
    pub author: Option<String>,
    /// What the present step derives from: the question, and what was recalled for it.
    pub basis: Vec<String>,
    /// Every event so far, in order.
    pub written: Vec<String>,
}

impl Journal<'_> {
    /// One of a loop that nothing is known of, and that writes nothing.
    pub fn blank(loop_id: &str) -> Self {
        let (conversation, author, basis, written) = Default::default();
        let (trace, loop_id) = (loop_id.to_owned(), loop_id.to_owned());
        Self { viewpoint: None, trace, loop_id, conversation, author, basis, written }
    }

    /// What was asked.
    pub fn asked(&mut self, question: &str) -> Result<Option<String>> {
        let author = self.author.clone();
        let id = self.write("user_input", Some(question), None, json!({}), &[], author)?;
        self.basis.extend(id.clone());
        Ok(id)
    }

    /// What was put before the model from memory: by id alone.
    pub fn recalled(
        &mut self,
        facts: &[String],
        episodes: &[String],
        conversation: &[String],
        events: &[String],
    ) -> Result<()> {
        if facts.len() + episodes.len() + conversation.len() + events.len() == 0 {
            return Ok(());
        }
        let mut causes: Vec<String> = [events, facts, episodes, conversation].concat();
        let mut seen = std::collections::HashSet::new();
        causes.retain(|cause| seen.insert(cause.clone()));
        causes.truncate(CAUSES_MAX);
        let about = json!({"events": causes, "facts": facts, "episodes": episodes, "conversation": conversation});
        let id = self.write(RECALLED, None, None, about, &causes, None)?;
        self.basis.extend(id);
        Ok(())
    }

    /// What the model thought.
    pub fn thought(&mut self, text: &str) -> Result<Option<String>> {
        self.step("agent.thought", Some(text), None, json!({}))
    }

    /// A tool that is called.
    pub fn called(&mut self, tool: &str, arguments: &Map<String, Value>, call: &str) -> Result<Option<String>> {
        // Keys are sorted in a map: the same call is the same text.
        let sorted: std::collections::BTreeMap<&String, &Value> = arguments.iter().collect();
        let content = format!("{tool} {}", json!(sorted));
        let about = json!({"tool_name": tool, "tool_args": sorted, "tool_call_id": call});
        self.step("tool_call", Some(&content), None, about)
    }

    /// What it answered.
    pub fn observed(&mut self, tool: &str, call: &str, text: &str, worked: bool) -> Result<Option<String>> {
        let about = json!({"tool_name": tool, "tool_call_id": call});
        let status = if worked { "success" } else { "failure" };
        let id = self.step("tool_result", Some(text), Some(status), about)?;
        self.basis.extend(id.clone());
        Ok(id)
    }

    /// Something went wrong.
    pub fn failed(&mut self, text: &str, about: Value) -> Result<Option<String>> {
        self.step("error", Some(text), Some("failure"), about)
    }

    /// The answer.
    pub fn answered(&mut self, text: &str) -> Result<Option<String>> {
        self.step("actor_output", Some(text), Some("success"), json!({}))
    }

    /// A step that derives from the question, what was recalled and what tools said.
    pub fn step(
        &mut self,
        kind: &str,
        text: Option<&str>,
        status: Option<&str>,
        about: Value,
    ) -> Result<Option<String>> {
        let from = self.basis.len().saturating_sub(CAUSES_MAX);
        let causes = self.basis[from..].to_vec();
        self.write(kind, text, status, about, &causes, None)
    }

    /// Appends one event and gives its id.
    pub fn write(
        &mut self,
        kind: &str,
        text: Option<&str>,
        status: Option<&str>,
        about: Value,
        causes: &[String],
        author: Option<String>,
    ) -> Result<Option<String>> {
        let Some(viewpoint) = self.viewpoint else { return Ok(None) };
        let mut body = Map::new();
        let texts = [
            ("kind", Some(kind.to_owned())),
            ("content", text.filter(|text| !text.is_empty()).map(within_limits)),
            ("status", status.map(str::to_owned)),
            ("author", author),
            ("trace_id", Some(self.trace.clone())),
            ("loop_id", Some(self.loop_id.clone())),
            ("conversation_id", Some(self.conversation.clone()).filter(|id| !id.is_empty())),
        ];
        body.extend(texts.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?.into()))));
        if about.as_object().is_some_and(|about| !about.is_empty()) {
            body.insert("metadata".to_owned(), about);
        }
        if !causes.is_empty() {
            body.insert("causes".to_owned(), causes.into());
        }
        let record = Record::parse(Value::Object(body).to_string().as_bytes())?;
        let acks = viewpoint.append(vec![record], None)?;
        let id = acks.into_iter().next().map(|(_, id)| id);
        let id = id.ok_or_else(|| Error::unavailable("nothing was appended"))?;
        self.written.push(id.clone());
        Ok(Some(id))
    }
}

/// A text that an event can hold; what is longer is cut, and says so.
fn within_limits(text: &str) -> String {
    const MOST: usize = idetic_ops::core::limits::CONTENT_MAX_BYTES;
    const NOTE: &str = "\n[cut: it was longer than an event can hold]";
    if text.len() <= MOST {
        return text.to_owned();
    }
    let end = (0..=MOST - NOTE.len()).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    format!("{}{NOTE}", &text[..end])
}

/// A new name for a loop or a conversation.
pub(crate) fn new_name(prefix: &str, random: [u8; 8]) -> String {
    format!("{prefix}-{:016x}", u64::from_le_bytes(random))
}
