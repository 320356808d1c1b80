//! What is derived in a folder (`links.json`, `tags.json`, `events/index.json`) and what is only kept there (guides, saved
//! queries, templates): what a person writes into such a file is an event, and never written over unsaid.

use idetic_core::Record;
use idetic_core::event::{INDEX_KEPT, is_private};
use idetic_formats::amem::graph::{Node, graph, words};
use idetic_formats::amem::index::Index;
use idetic_formats::amem::tags::Tags;
use idetic_memory::notes::NoteRow;
use idetic_memory::{Cause, Error, Kind, Result};
use idetic_store::Conflict;
use serde_json::json;

use super::listing::{Found, INDEX, Sort};
use super::notes::sum;
use super::report::{FileCount, TroubleKind};
use super::{BUILT_IN, Bound, GUIDES};

/// The longest file that is looked at.
const FILE_MAX_BYTES: u64 = 64 << 20;
/// The longest one that fits an event.
const KEPT_MAX_BYTES: usize = idetic_core::limits::CONTENT_MAX_BYTES;

const LINKS: &str = "knowledge/links.json";
const TAGS: &str = "knowledge/tags.json";

impl Bound {
    /// Takes in what others wrote into the indexes, and guides, queries and templates that are somebody's own.
    pub(super) fn take_indexes(&mut self, files: &[Found]) -> Result<()> {
        for found in files.iter().filter(|found| matches!(found.sort, Sort::Index | Sort::Kept)) {
            if !self.can_be_read(&found.path) {
                continue;
            }
            let text = match self.folder.read_text(&found.path, FILE_MAX_BYTES)? {
                Ok(text) => text,
                Err(why) => {
                    self.report.trouble(TroubleKind::Unread, &found.path, 0, why, "");
                    continue;
                }
            };
            if !self.is_known_index(&found.path, &text) && !self.is_ours(found, &text)? {
                self.keep_file(found, &text)?;
            }
        }
        Ok(())
    }

    /// Keeps what a file says as an event. An index that is none is kept beside when it is written.
    pub(super) fn keep_file(&mut self, found: &Found, text: &str) -> Result<()> {
        let path = found.path.as_str();
        let is_json = || serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
        let is_broken = found.sort == Sort::Index && !is_json();
        if text.trim().is_empty() || text.len() > KEPT_MAX_BYTES || is_broken {
            return Ok(());
        }
        let mut count = FileCount { file: path.to_owned(), found: 1, ..FileCount::default() };
        let id = format!("amem-file-{}", &sum(text)[..32]);
        let record = json!({"kind": INDEX_KEPT, "id": id, "content": text, "metadata": {"file": path}});
        let before = self.space.log().tip()?.seq;
        let record = self.writer.sign(Record::parse(record.to_string().as_bytes())?)?;
        match self.space.append(vec![record], None) {
            Ok(acks) => count.added = acks.iter().filter(|ack| ack.seq > before).count() as u64,
            // The same text was found elsewhere, or before.
            Err(Error { cause: Cause::Conflict(Conflict::IdTaken { .. }), .. }) => {}
            Err(error) if error.kind == Kind::Invalid => {
                self.report.trouble(TroubleKind::Unread, path, 0, error.message, "");
                return Ok(());
            }
            Err(error) => return Err(error),
        }
        if found.sort == Sort::Index && self.state.known.indexes.contains_key(path) {
            let reason = format!(
                "it follows from {} and is written anew: what was edited is kept as event {id}",
                if path == INDEX { "the event files" } else { "the notes" }
            );
            self.report.trouble(TroubleKind::Remark, path, 0, reason, "");
        }
        self.report.events_added += count.added;
        self.report.files.push(count);
        self.state.known.kept.insert(sum(text));
        Ok(())
    }

    /// Whether a text is one that we wrote last, or that the log has.
    fn is_known_index(&self, path: &str, text: &str) -> bool {
        let (known, sum) = (&self.state.known, sum(text));
        known.indexes.get(path) == Some(&sum) || known.kept.contains(&sum)
    }

    /// Whether a text is what we would write: by us, or by somebody who does as we do.
    fn is_ours(&mut self, found: &Found, text: &str) -> Result<bool> {
        let name = found.path.rsplit('/').next().unwrap_or_default();
        if found.sort == Sort::Kept {
            let built_in = BUILT_IN.iter().any(|(query, own)| name == format!("{query}.sql") && *own == text);
            return Ok(built_in || GUIDES.contains(&(name, text)));
        }
        match found.path.as_str() {
            INDEX => self.is_true_index(text),
            LINKS | TAGS => {
                let rows = self.shown_notes()?;
                let derived = self.derived(&rows.iter().collect::<Vec<_>>())?;
                Ok(derived.iter().any(|(path, own)| *path == found.path && own == text))
            }
            _ => Ok(false),
        }
    }

    /// Whether an index of events is one that a program wrote: all it says of files that are as long as it says is true.
    fn is_true_index(&mut self, text: &str) -> Result<bool> {
        let Ok(index) = Index::read(text) else { return Ok(false) };
        if index.write() != text {
            return Ok(false);
        }
        let mut fresh = Index::default();
        self.files_that_changed(&mut fresh)?;
        Ok(index.is_of(&fresh))
    }

    /// The notes that stand in the folder.
    fn shown_notes(&self) -> Result<Vec<NoteRow>> {
        let mut rows = self.standing_notes()?;
        rows.retain(|row| !row.deleted && (self.wishes.all || !is_private(&row.tags)));
        Ok(rows)
    }

    /// Writes `links.json` and `tags.json` where they are not as the notes say.
    pub(super) fn write_indexes(&mut self, rows: &[&NoteRow], is_changed: bool) -> Result<()> {
        if !is_changed && self.is_as_written(LINKS) && self.is_as_written(TAGS) {
            return Ok(());
        }
        for (path, text) in self.derived(rows)? {
            self.put_index(path, &text)?;
        }
        Ok(())
    }

    /// `links.json` and `tags.json`, from the notes as they stand.
    fn derived(&self, rows: &[&NoteRow]) -> Result<[(&'static str, String); 2]> {
        let mut tags = Tags::default();
        let mut nodes = Vec::with_capacity(rows.len());
        for row in rows {
            row.tags.iter().for_each(|tag| tags.add(tag, &row.note));
            nodes.push(Node {
                id: row.note.clone(),
                links: row.links.clone(),
                tags: row.tags.clone(),
                traces: row.traces.clone(),
                alias: None,
                words: words(&self.space.note_text(row)?),
            });
        }
        Ok([(LINKS, graph(&nodes).with_missing().write()), (TAGS, tags.write())])
    }

    /// Writes an index. What others wrote there and the log has not is kept beside.
    pub(super) fn put_index(&mut self, path: &str, text: &str) -> Result<()> {
        let old = if self.folder.has(path) { self.folder.read_text(path, FILE_MAX_BYTES).ok() } else { None };
        if let Some(old) =
            old.and_then(std::result::Result::ok).filter(|old| old != text && !self.is_known_index(path, old))
            && !(path == INDEX && self.is_true_index(&old)?)
        {
            let beside = self.set_aside(path, &old)?;
            let reason = format!("it was written anew: what stood there is kept in {beside}");
            self.report.trouble(TroubleKind::Remark, path, 0, reason, "");
        }
        let written = self.folder.put(path, text);
        self.report.files_written += u64::from(self.unless_refused(path, written) == Some(true));
        self.state.known.indexes.insert(path.to_owned(), sum(text));
        Ok(())
    }

    /// Whether an index is as we left it.
    pub(super) fn is_as_written(&self, path: &str) -> bool {
        let text = self.folder.has(path).then(|| self.folder.read_text(path, FILE_MAX_BYTES));
        matches!(text, Some(Ok(Ok(text))) if self.state.known.indexes.get(path) == Some(&sum(&text)))
    }
}
