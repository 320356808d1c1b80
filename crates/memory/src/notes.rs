//! Notes of a space: as they stand, what they say, and how a new text of one comes into the log.
//!
//! What an event about a note carries is written down here and nowhere else: commands and files use
//! the same functions.

pub mod filter;
pub(crate) mod recalled;
pub mod reply;

use std::collections::HashMap;

use idetic_core::invalid::excerpt;
use idetic_core::views::{NOTE_DELETED, NOTE_EVENTS, NOTE_OUTCOME, NOTE_WRITTEN, NOTES, OUTCOMES, Value, note_version};
use idetic_core::{Event, Record, Time};
use idetic_formats::amem::note::{Confidence, Note};
use idetic_formats::amem::{names, tags};
use idetic_store::{Ack, Conflict, Filter, Row, Select};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use crate::{Cause, Error, Kind, Result, Space, Writer};

/// How often a note is written again because somebody else's events came between.
const WRITE_TRIES: usize = 1000;
/// What is stated counts as much as so many outcomes.
const STATED_OUTCOMES: f64 = 4.0;
/// The word for a note that should no longer be used.
pub const DEPRECATED: &str = "deprecated";

/// A note as it stands at some moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoteRow {
    /// Its id.
    pub note: String,
    /// Its title; its id where it has none.
    pub title: String,
    /// How far it has come: `draft`, `validated`, `deprecated`, or a word of one's own.
    pub status: Option<String>,
    /// How sure it says it is: `low`, `medium` or `high`.
    pub confidence: Option<String>,
    /// When it was made, as written.
    pub created: Option<String>,
    /// When it was last changed, as written.
    pub updated: Option<String>,
    /// Who wrote this version.
    pub author: Option<String>,
    /// Where it comes from.
    pub source: Option<String>,
    /// What sort of note it is.
    pub kind: Option<String>,
    /// Its tags in their one spelling.
    pub tags: Vec<String>,
    /// The notes it leads to.
    pub links: Vec<String>,
    /// The traces it came from.
    pub traces: Vec<String>,
    /// The note to use instead.
    pub replaced_by: Option<String>,
    /// Its file below `knowledge/`, where that is not `notes/<id>.md`.
    pub path: Option<String>,
    /// Whether it was taken away.
    pub deleted: bool,
    /// The event that says so: with its text, or that it was taken away.
    pub event: String,
    /// The seq of that event.
    pub seq: u64,
    /// How far this version is trusted.
    pub trust: String,
}

impl NoteRow {
    /// Reads a row of the view.
    pub fn of(values: &[Value]) -> Self {
        let text = |name: &str| -> Option<String> {
            let at = NOTES.columns.iter().position(|column| *column == name)?;
            values.get(at)?.text().map(str::to_owned)
        };
        let number = |name: &str| {
            let at = NOTES.columns.iter().position(|column| *column == name);
            at.and_then(|at| values.get(at)).map_or(0, Value::int)
        };
        let list = |name: &str| -> Vec<String> {
            text(name).and_then(|json| serde_json::from_str(&json).ok()).unwrap_or_default()
        };
        let note = text("note").unwrap_or_default();
        Self {
            title: text("title").unwrap_or_else(|| note.clone()),
            note,
            status: text("status"),
            confidence: text("confidence"),
            created: text("created"),
            updated: text("updated"),
            author: text("author"),
            source: text("source"),
            kind: text("type"),
            tags: list("tags"),
            links: list("links"),
            traces: list("traces"),
            replaced_by: text("replaced_by"),
            path: text("path"),
            deleted: number("deleted") != 0,
            event: text("event").unwrap_or_default(),
            seq: u64::try_from(number("seq")).unwrap_or(0),
            trust: text("trust").unwrap_or_default(),
        }
    }

    /// Whether it should no longer be used.
    pub fn is_deprecated(&self) -> bool {
        self.status.as_deref().is_some_and(|status| status.eq_ignore_ascii_case(DEPRECATED))
    }
}

/// How often what a note says was tried.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Tried {
    /// How often it worked.
    pub worked: u64,
    /// How often it did not.
    pub failed: u64,
}

impl Tried {
    /// How sure a note is after all: what it states (low 0.3, medium 0.6, high 0.85, nothing 0.5) counts like four
    /// outcomes, and every recorded one like itself.
    pub fn standing(self, stated: Option<&str>) -> f64 {
        let stated = match stated.and_then(Confidence::parse) {
            Some(Confidence::Low) => 0.3,
            Some(Confidence::Medium) => 0.6,
            Some(Confidence::High) => 0.85,
            None => 0.5,
        };
        let (worked, failed) = (self.worked as f64, self.failed as f64);
        (STATED_OUTCOMES * stated + worked) / (STATED_OUTCOMES + worked + failed)
    }
}

/// The word for how sure something is, with the limits of the A-MEM files: from 0.75 high, from 0.4 medium.
pub fn level(standing: f64) -> &'static str {
    match standing {
        s if s >= 0.75 => Confidence::High.word(),
        s if s >= 0.4 => Confidence::Medium.word(),
        _ => Confidence::Low.word(),
    }
}

/// Which version of a note a writer has before its eyes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Base<'a> {
    /// There is no such note, or no longer.
    Nothing,
    /// The one that this event holds.
    Version(&'a str),
    /// Whichever is there: the new text is made from it.
    Whatever,
}

/// What the metadata of an event about a note says of itself.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct About {
    /// The note it is about.
    pub note: Option<String>,
    /// The version it was written on.
    pub head: String,
    /// The version whose place it takes.
    pub supersedes: Option<String>,
    /// Whether the note worked, where it says so.
    pub worked: Option<bool>,
}

impl About {
    /// Of an event that is shared by the space: what an agent keeps to itself is no note.
    pub fn read(event: &Event) -> Self {
        let fields = event.fields.as_ref().filter(|fields| fields.agent_id.is_none());
        let metadata = fields.and_then(|fields| fields.metadata.as_ref());
        metadata.and_then(|metadata| serde_json::from_str(metadata.get()).ok()).unwrap_or_default()
    }
}

/// The whole text of a note, as its file has it, from the event that holds it.
pub fn note_text(event: &Event) -> String {
    let content = event.fields.as_ref().and_then(|fields| fields.content.as_deref()).unwrap_or_default();
    About::read(event).head + content
}

/// The record that writes a note: `text` is the whole file, `path` where it lies below `knowledge/` if that is not
/// `notes/<id>.md`, `stem` the name of the file without `.md`, `before` the event it takes the place of.
pub fn note_record(
    text: &str,
    path: Option<&str>,
    stem: &str,
    author: Option<&str>,
    before: Option<&str>,
) -> Result<Record> {
    let (note, _) = Note::read(stem, text);
    let mut about = Map::new();
    let mut put = |key: &str, value: Option<&str>| {
        if let Some(value) = value {
            about.insert(key.to_owned(), value.into());
        }
    };
    put("note", Some(&note.id));
    put("title", note.title.as_deref());
    put("status", note.status.as_deref());
    put("confidence", note.confidence.map(Confidence::word));
    put("created", note.created.as_deref());
    put("updated", note.updated.as_deref());
    put("source", note.source.as_deref());
    put("type", note.kind.as_deref());
    put("replaced_by", note.replaced_by().as_deref());
    put("path", path);
    put("head", Some(&text[..text.len() - note.body().len()]).filter(|head| !head.is_empty()));
    put("supersedes", before);
    let mut tags: Vec<String> = Vec::new();
    for tag in note.tags.iter().map(|tag| tags::normal(tag)) {
        if !tag.is_empty() && !tags.contains(&tag) {
            tags.push(tag);
        }
    }
    for (key, list) in [("tags", &tags), ("links", &note.links), ("traces", &note.traces)] {
        if !list.is_empty() {
            about.insert(key.to_owned(), list.clone().into());
        }
    }
    let mut body = Map::new();
    body.insert("kind".to_owned(), NOTE_WRITTEN.into());
    if let Some(author) = author.or(note.author.as_deref()) {
        body.insert("author".to_owned(), author.into());
    }
    if !note.body().is_empty() {
        body.insert("content".to_owned(), note.body().into());
    }
    if !tags.is_empty() {
        body.insert("tags".to_owned(), tags.into());
    }
    body.insert("metadata".to_owned(), about.into());
    Ok(Record::parse(Json::Object(body).to_string().as_bytes())?)
}

/// The record that takes a note away.
pub fn note_deletion(note: &str, author: Option<&str>, before: &str) -> Result<Record> {
    let mut body = serde_json::json!({
        "kind": NOTE_DELETED, "metadata": {"note": note, "supersedes": before},
    });
    if let (Some(author), Some(body)) = (author, body.as_object_mut()) {
        body.insert("author".to_owned(), author.into());
    }
    Ok(Record::parse(body.to_string().as_bytes())?)
}

/// The record that tells how it went to do what a note says.
pub fn note_outcome(note: &str, worked: bool, trace: Option<&str>, author: Option<&str>) -> Result<Record> {
    let mut body = serde_json::json!({"kind": NOTE_OUTCOME, "metadata": {"note": note, "worked": worked}});
    if let Some(body) = body.as_object_mut() {
        body.extend(author.map(|author| ("author".to_owned(), author.into())));
        body.extend(trace.map(|trace| ("trace_id".to_owned(), trace.into())));
    }
    Ok(Record::parse(body.to_string().as_bytes())?)
}

/// A word for how sure a note is, or a number from 0 to 1, as the word that is written.
pub fn confidence(word: &str) -> Result<Confidence> {
    Confidence::parse(word).ok_or_else(|| {
        Error::invalid(format!("confidence '{}' is not known", excerpt(word)))
            .hint(format!("confidence is low, medium or high, or a number from 0 to 1 (0.8 is {})", level(0.8)))
    })
}

/// The name of a note's file without `.md`.
pub fn stem(row: &NoteRow) -> &str {
    let name = row.path.as_deref().map(|path| path.rsplit('/').next().unwrap_or(path));
    name.map_or(&row.note, |name| name.strip_suffix(".md").unwrap_or(name))
}

impl Space {
    /// Every note as of a seq, those that were taken away included, in the order they were last written.
    pub fn notes(&self, horizon: u64) -> Result<Vec<NoteRow>> {
        let rows = self.select(&Select::from(&NOTES, horizon))?;
        Ok(rows.iter().map(|row| NoteRow::of(&row.values)).collect())
    }

    /// Those that are there.
    pub fn living_notes(&self, horizon: u64) -> Result<Vec<NoteRow>> {
        let rows = self.select(&Select::from(&NOTES, horizon).filter(Filter::Is("deleted", Value::Int(0))))?;
        Ok(rows.iter().map(|row| NoteRow::of(&row.values)).collect())
    }

    /// Whether there is any note as of a seq.
    pub(crate) fn has_notes(&self, horizon: u64) -> Result<bool> {
        let one = Select { limit: Some(1), ..Select::from(&NOTES, horizon) };
        Ok(!self.select(&one)?.is_empty())
    }

    /// One note as of a seq; one that was taken away says so.
    pub fn note(&self, id: &str, horizon: u64) -> Result<Option<NoteRow>> {
        let rows = self.select(&Select::from(&NOTES, horizon).filter(Filter::Is("note", id.into())))?;
        Ok(rows.first().map(|row| NoteRow::of(&row.values)))
    }

    /// One note that is there, or an error that says what to do.
    pub fn living_note(&self, id: &str, horizon: u64) -> Result<NoteRow> {
        match self.note(id, horizon)? {
            Some(row) if !row.deleted => Ok(row),
            Some(_) => Err(Error::not_found(format!("note '{}' was deleted", excerpt(id)))
                .hint(format!("`idetic note history {id}` shows what it said"))),
            None => {
                names::check_note_id(id)?;
                Err(Error::not_found(format!("there is no note '{}'", excerpt(id)))
                    .hint("`idetic note list` lists them"))
            }
        }
    }

    /// Refuses an id that is no slug, unless there is or was a note of that name.
    pub fn check_note_id(&self, id: &str, horizon: u64) -> Result<()> {
        if self.note(id, horizon)?.is_none() {
            names::check_note_id(id)?;
        }
        Ok(())
    }

    /// The whole text of a note as it stands in a row.
    pub fn note_text(&self, row: &NoteRow) -> Result<String> {
        Ok(note_text(&self.event(row.seq)?))
    }

    /// Every version of a note up to a seq, the latest first; also those that stood back behind another.
    pub fn note_versions(&self, id: &str, horizon: u64) -> Result<Vec<NoteRow>> {
        let select = Select::from(&NOTE_EVENTS, horizon).filter(Filter::Is("note", id.into()));
        let mut versions = Vec::new();
        for seq in self.seqs(&select)?.into_iter().rev() {
            versions.extend(note_version(&self.event(seq)?).map(|row| NoteRow::of(&row)));
        }
        Ok(versions)
    }

    /// How often each of some notes was tried, as of a seq.
    pub fn tried(&self, id: &str, horizon: u64) -> Result<Tried> {
        let rows = self.select(&Select::from(&OUTCOMES, horizon).filter(Filter::Is("note", id.into())))?;
        let count = |at: usize| {
            rows.first().and_then(|row| row.values.get(at)).map_or(0, |n| u64::try_from(n.int()).unwrap_or(0))
        };
        Ok(Tried { worked: count(1), failed: count(2) })
    }

    /// How often every note that was tried was, as of a seq.
    pub fn all_tried(&self, horizon: u64) -> Result<HashMap<String, Tried>> {
        let rows = self.select(&Select::from(&OUTCOMES, horizon))?;
        let one = |row: Row| {
            let count = |at: usize| row.values.get(at).map_or(0, |n| u64::try_from(n.int()).unwrap_or(0));
            Some((row.values.first()?.text()?.to_owned(), Tried { worked: count(1), failed: count(2) }))
        };
        Ok(rows.into_iter().filter_map(one).collect())
    }

    /// Appends what is made of a note as it stands. Nobody's text is lost: what is appended takes the place of the very
    /// version it was made from, and a version other than the writer's base is a conflict. `None` appends nothing.
    pub fn write_note(
        &self,
        id: &str,
        base: Base,
        writer: &Writer,
        make: &mut dyn FnMut(Option<&NoteRow>) -> Result<Option<Record>>,
    ) -> Result<Option<Ack>> {
        for _ in 0..WRITE_TRIES {
            let head = self.horizon(None)?;
            let row = self.note(id, head)?;
            check_base(id, base, row.as_ref())?;
            let Some(record) = make(row.as_ref())? else { return Ok(None) };
            match self.append(vec![writer.sign(record)?], Some(head)) {
                // Somebody's event came between; whether it is about this note is for the next round to see.
                Err(Error { cause: Cause::Conflict(Conflict::Moved { .. }), .. }) => {}
                acks => return Ok(acks?.pop()),
            }
        }
        Err(Error::unavailable("other writers keep appending").hint("try again"))
    }
}

/// Refuses a writer who has another version before its eyes than the one there is.
fn check_base(id: &str, base: Base, row: Option<&NoteRow>) -> Result<()> {
    let id = excerpt(id);
    let now = |row: &NoteRow| {
        let by = row.author.as_deref().map_or(String::new(), |who| format!(" by {}", excerpt(who)));
        format!("event {} (seq {}{by})", row.event, row.seq)
    };
    match (base, row.filter(|row| !row.deleted)) {
        (Base::Whatever, _) | (Base::Nothing, None) => Ok(()),
        (Base::Version(seen), Some(row)) if row.event == seen => Ok(()),
        (Base::Nothing, Some(row)) => {
            Err(Error::new(Kind::Conflict, format!("note '{id}' already exists: {}", now(row)))
                .hint(format!("change it with `idetic note edit {id}`, or give the new one another --id")))
        }
        (Base::Version(seen), Some(row)) => {
            let message =
                format!("note '{id}' was changed meanwhile: you saw event {}, it is now {}", excerpt(seen), now(row));
            Err(Error::new(Kind::Conflict, message)
                .hint(format!("see what it says now with `idetic note show {id}` and change that")))
        }
        (Base::Version(seen), None) => {
            let message = format!("note '{id}' is gone: you saw event {}", excerpt(seen));
            Err(Error::new(Kind::Conflict, message).hint(format!("`idetic note history {id}` shows what happened")))
        }
    }
}

/// A moment as the frontmatter of a note has it: to the second.
pub fn moment(time: Time) -> String {
    let whole = time.to_string();
    whole.split_once('.').map_or(whole.clone(), |(seconds, _)| format!("{seconds}Z"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stated_counts_like_four_outcomes() {
        let after = |worked, failed, stated| level(Tried { worked, failed }.standing(stated));
        assert_eq!(
            (after(0, 0, Some("high")), after(0, 0, Some("medium")), after(0, 0, Some("low"))),
            ("high", "medium", "low")
        );
        assert_eq!((after(2, 0, Some("medium")), after(3, 0, Some("medium"))), ("medium", "high"), "it rises");
        assert_eq!((after(0, 1, Some("high")), after(0, 5, Some("high"))), ("medium", "low"), "it falls");
        assert_eq!(after(0, 0, None), "medium");
    }

    #[test]
    fn a_note_comes_back_byte_for_byte() {
        for text in
            ["", "plain", "---\r\nid: x\r\n---\r\n\r\n# X\r\n", "\u{feff}---\ntags: [A, a]\n---\n# T\n", "---\nbroken"]
        {
            let record = note_record(text, None, "x", None, None).expect("a record");
            let body: Json = serde_json::from_str(&record.body).expect("JSON");
            let head = body["metadata"]["head"].as_str().unwrap_or_default();
            assert_eq!(format!("{head}{}", body["content"].as_str().unwrap_or_default()), text);
        }
    }
}
