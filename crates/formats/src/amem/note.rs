//! A knowledge note: Markdown with frontmatter, read tolerantly, edited line by line so that a person's text stays theirs.

use idetic_core::Time;

use super::links::note_id;
use super::{Problem, names};

mod body;
mod edit;
mod front;
mod print;
mod values;

pub use body::parts;
pub use edit::Change;
pub use print::Draft;
pub use values::{New, Value};

use front::Front;

/// Longest note that is read: the longest content of an event.
pub const NOTE_MAX_BYTES: usize = idetic_core::limits::CONTENT_MAX_BYTES;
/// Most tags, links, traces or events of one note.
pub const LIST_MAX_ITEMS: usize = idetic_core::limits::LIST_MAX_ITEMS;

/// How sure a note is of what it says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confidence {
    /// To be checked before use.
    Low,
    /// It worked.
    Medium,
    /// It worked again and again.
    High,
}

impl Confidence {
    /// The document's word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }

    /// Reads a word, or a number between 0 and 1 as some write it: from 0.75 high, from 0.4 medium.
    pub fn parse(text: &str) -> Option<Self> {
        match text.trim().to_lowercase().as_str() {
            "low" => Some(Self::Low),
            "medium" => Some(Self::Medium),
            "high" => Some(Self::High),
            number => match number.parse::<f64>().ok()? {
                n if (0.75..=1.0).contains(&n) => Some(Self::High),
                n if (0.4..0.75).contains(&n) => Some(Self::Medium),
                n if (0.0..0.4).contains(&n) => Some(Self::Low),
                _ => None,
            },
        }
    }
}

/// A note as it was found. The text is kept whole; everything else is what could be read from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// Its id: as it says, or the name of its file.
    pub id: String,
    /// A second name (`note_id`), if it has one.
    pub alias: Option<String>,
    /// Its title: as it says, or its first heading.
    pub title: Option<String>,
    /// When it was made, as written.
    pub created: Option<String>,
    /// When it was last changed, as written.
    pub updated: Option<String>,
    /// Its tags, as written but without `#`.
    pub tags: Vec<String>,
    /// How sure it is.
    pub confidence: Option<Confidence>,
    /// Where it comes from.
    pub source: Option<String>,
    /// How far it has come: `draft`, `validated`, `deprecated`, or a word of one's own.
    pub status: Option<String>,
    /// Who wrote it.
    pub author: Option<String>,
    /// What sort of note it is (`type`).
    pub kind: Option<String>,
    /// The notes it leads to, from its frontmatter and its text, each once, never itself.
    pub links: Vec<String>,
    /// The traces it came from: `related_traces` and `trace_id`.
    pub traces: Vec<String>,
    /// The events it is about (`related_events`).
    pub events: Vec<String>,
    text: String,
    front: Option<Front>,
}

impl Note {
    /// Reads a note. Whatever the text is, there is a note; what is odd about it is told.
    pub fn read(file_stem: &str, text: &str) -> (Self, Vec<Problem>) {
        let mut problems = Vec::new();
        if text.len() > NOTE_MAX_BYTES {
            let reason = format!("the note is {} bytes long: at most {NOTE_MAX_BYTES}", text.len());
            problems.push(Problem::new(1, reason, text.as_bytes()));
        }
        let front = Front::read(text, &mut problems);
        let mut note = Self {
            id: file_stem.to_owned(),
            alias: None,
            title: None,
            created: None,
            updated: None,
            tags: Vec::new(),
            confidence: None,
            source: None,
            status: None,
            author: None,
            kind: None,
            links: Vec::new(),
            traces: Vec::new(),
            events: Vec::new(),
            text: text.to_owned(),
            front,
        };
        note.read_names(file_stem, &mut problems);
        note.read_words(&mut problems);
        note.read_lists();
        (note, problems)
    }

    fn read_names(&mut self, file_stem: &str, problems: &mut Vec<Problem>) {
        if let Some(id) = self.text_of("id") {
            match names::check_existing_id(&id) {
                Ok(()) if id != file_stem => {
                    let reason = format!("the id is '{id}' and the file is called '{file_stem}'");
                    problems.push(Problem::harmless(self.line_of("id"), reason, id.as_bytes()));
                    self.id = id;
                }
                Ok(()) => {}
                Err(e) => {
                    let reason = format!("{}: the name of the file is taken", e.message);
                    problems.push(Problem::harmless(self.line_of("id"), reason, id.as_bytes()));
                }
            }
        }
        self.alias = self.text_of("note_id").filter(|alias| *alias != self.id);
        self.title = self.text_of("title").or_else(|| body::title(self.body()));
    }

    fn read_words(&mut self, problems: &mut Vec<Problem>) {
        for key in ["created", "updated"] {
            let said = self.text_of(key);
            if let Some(text) = &said
                && Time::parse(text).is_err()
            {
                let reason = format!("{key} is not a time");
                problems.push(Problem::harmless(self.line_of(key), reason, text.as_bytes()));
            }
            *(if key == "created" { &mut self.created } else { &mut self.updated }) = said;
        }
        if let Some(text) = self.text_of("confidence") {
            self.confidence = Confidence::parse(&text);
            if self.confidence.is_none() {
                let reason = "confidence is neither low, medium or high nor a number from 0 to 1";
                problems.push(Problem::harmless(self.line_of("confidence"), reason, text.as_bytes()));
            }
        }
        self.source = self.text_of("source");
        self.status = self.text_of("status");
        self.author = self.text_of("author");
        self.kind = self.text_of("type");
    }

    fn read_lists(&mut self) {
        let tags = self.list_of("tags").into_iter().map(|tag| tag.trim_start_matches('#').to_owned());
        self.tags = once_each(tags);
        let front = ["linked_to", "links", "related"].into_iter().flat_map(|key| self.list_of(key));
        let links = front.map(|link| note_id(&link)).chain(body::wikilinks(self.body()));
        self.links = once_each(links.filter(|link| *link != self.id));
        let traces = self.list_of("related_traces").into_iter().chain(self.list_of("trace_id"));
        self.traces = once_each(traces);
        self.events = once_each(self.list_of("related_events").into_iter());
    }

    /// The text as it was read, byte for byte.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Everything behind the frontmatter.
    pub fn body(&self) -> &str {
        let start = self.front.as_ref().map_or_else(|| front::mark_length(&self.text), |f| f.body);
        &self.text[start..]
    }

    /// What the frontmatter says under a key, whichever it is.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.front.as_ref().and_then(|f| f.entry(key)).map(|e| &e.value)
    }

    /// The keys of the frontmatter in their order.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.front.iter().flat_map(|f| f.entries.iter().map(|e| e.key.as_str()))
    }

    /// The note that takes its place: as its frontmatter says, or a line `**Replacement**: [[id]]` of its text.
    pub fn replaced_by(&self) -> Option<String> {
        let in_text = || self.body().lines().find_map(|line| line.trim().strip_prefix("**Replacement**:"));
        let said = self.text_of("replaced_by").or_else(|| in_text().map(|link| link.trim().to_owned()));
        said.map(|link| note_id(&link)).filter(|id| !id.is_empty())
    }

    /// When it was made.
    pub fn created_at(&self) -> Option<Time> {
        self.created.as_deref().and_then(|t| Time::parse(t).ok())
    }

    /// When it was last changed.
    pub fn updated_at(&self) -> Option<Time> {
        self.updated.as_deref().and_then(|t| Time::parse(t).ok())
    }

    fn line_of(&self, key: &str) -> u64 {
        self.front.as_ref().and_then(|f| f.entry(key)).map_or(1, |e| e.line)
    }

    fn text_of(&self, key: &str) -> Option<String> {
        match self.get(key)? {
            Value::Text(text) if !text.is_empty() => Some(text.clone()),
            Value::List(items) => items.first().cloned(),
            _ => None,
        }
    }

    fn list_of(&self, key: &str) -> Vec<String> {
        match self.get(key) {
            Some(Value::List(items)) => items.clone(),
            Some(Value::Text(text)) => text.split(',').map(|item| item.trim().to_owned()).collect(),
            _ => Vec::new(),
        }
    }
}

fn once_each(items: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen = std::collections::HashSet::new();
    items.filter(|item| !item.is_empty() && seen.insert(item.clone())).take(LIST_MAX_ITEMS).collect()
}

#[cfg(test)]
mod tests;
