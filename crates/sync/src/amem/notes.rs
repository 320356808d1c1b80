//! The notes of a folder: what a person writes in an editor becomes a version in the log, what others write in the log
//! becomes the file; where both did, both texts are kept.

use std::collections::{BTreeMap, BTreeSet};

use idetic_core::Hash;
use idetic_core::event::is_private;
use idetic_core::views::note_version;
use idetic_formats::amem::names;
use idetic_formats::amem::note::{Change, Confidence, NOTE_MAX_BYTES, New, Note, Value as Said};
use idetic_memory::notes::{About, Base, NoteRow, level, note_deletion, note_record};
use idetic_memory::{Kind, Result};

use super::listing::{CONFLICT, Found, Sort, is_placeholder};
use super::report::{FileCount, TroubleKind};
use super::state::KnownNote;
use super::{Bound, stem};

const KNOWLEDGE: &str = "knowledge/";
const BECAME_PRIVATE: &str =
    "the note is private now: its file is removed, but its earlier text stays in the event files and in git's history";
/// How git marks both sides of a conflict.
const GIT_MARKS: [&str; 2] = ["<<<<<<< ", ">>>>>>> "];

impl Bound {
    /// Takes in the notes that were made, changed or removed in the folder.
    pub(super) fn take_notes(&mut self, files: &[Found]) -> Result<()> {
        let mut there: BTreeMap<String, String> = BTreeMap::new();
        for found in files.iter().filter(|found| found.sort == Sort::Note) {
            let known = self.state.known.notes.get(&found.path);
            if let Some(known) = known.filter(|known| (known.bytes, known.changed) == (found.bytes, found.changed)) {
                there.insert(known.note.clone(), found.path.clone());
                continue;
            }
            self.take_note(found, &mut there)?;
        }
        self.removed_notes(files)
    }

    fn take_note(&mut self, found: &Found, there: &mut BTreeMap<String, String>) -> Result<()> {
        let path = found.path.as_str();
        if !self.can_be_read(path) {
            return Ok(());
        }
        let mut count = FileCount { file: path.to_owned(), found: 1, ..FileCount::default() };
        let text = match self.folder.read_text(path, NOTE_MAX_BYTES as u64)? {
            Ok(text) => text,
            Err(why) => return self.unread(count, why),
        };
        let (note, problems) = Note::read(stem(path), &text);
        for problem in problems {
            self.report.trouble(TroubleKind::Remark, path, problem.line, problem.reason, &problem.raw);
        }
        if ["id", "title", "created"]
            .iter()
            .any(|key| matches!(note.get(key), Some(Said::Text(t) | Said::Other(t)) if is_placeholder(t)))
        {
            self.report.trouble(
                TroubleKind::Remark,
                path,
                0,
                "it is a template: its text is kept, but it is no note",
                "",
            );
            return self.keep_file(found, &text);
        }
        if let Err(wrong) = names::check_existing_id(&note.id) {
            return self.unread(count, wrong.message);
        }
        if let Some(other) = there.get(&note.id).filter(|other| *other != path) {
            return self.unread(count, format!("{other} has the same id '{}'", note.id));
        }
        there.insert(note.id.clone(), path.to_owned());
        if GIT_MARKS.iter().all(|mark| text.lines().any(|line| line.starts_with(mark))) {
            let reason = "git left both sides of a conflict in it: both are kept, merge them by hand";
            self.report.trouble(TroubleKind::Conflict, path, 0, reason, "");
        }
        let event = match self.version(path, &note, &text)? {
            Ok((event, is_new)) => {
                count.added = u64::from(is_new);
                event
            }
            Err(why) => return self.unread(count, why),
        };
        self.report.notes_added += count.added;
        self.report.files.push(count);
        let (note, sum) = (note.id, sum(&text));
        let known = KnownNote { note, sum, event, bytes: found.bytes, changed: found.changed };
        self.state.known.notes.insert(path.to_owned(), known);
        Ok(())
    }

    fn unread(&mut self, mut count: FileCount, why: String) -> Result<()> {
        count.unread = 1;
        self.report.trouble(TroubleKind::Unread, &count.file, 0, why, "");
        self.report.files.push(count);
        Ok(())
    }

    /// The event that holds a file's text: one that is there, or a new one; with whether it is new.
    fn version(&mut self, path: &str, note: &Note, text: &str) -> Result<std::result::Result<(String, bool), String>> {
        let known = self.state.known.notes.get(path).filter(|known| known.note == note.id).cloned();
        let head = self.space.horizon(None)?;
        let row = self.space.note(&note.id, head)?;
        if known.as_ref().is_some_and(|known| known.sum == sum(text)) {
            return Ok(Ok((known.map(|known| known.event).unwrap_or_default(), false)));
        }
        if let Some(row) = &row {
            if !row.deleted && (self.space.note_text(row)? == text || self.file_text(row)? == text) {
                return Ok(Ok((row.event.clone(), false)));
            }
            if !row.deleted && is_private(&row.tags) {
                return Ok(Err(format!("note '{}' is private in the log: the file was not imported", row.note)));
            }
            let agreed = known.as_ref().is_some_and(|known| known.event == row.event);
            if !agreed && let Some(version) = self.version_since(row, known.as_ref(), text)? {
                return Ok(Ok((version, false)));
            }
            self.tell_both(path, row, known.is_some(), agreed)?;
        }
        let place = self.place_of(path, &note.id);
        let stem = stem(path).to_owned();
        // What was written before anybody here knew of it is as old as it says.
        let written = note.updated_at().or(note.created_at()).filter(|written| *written <= self.space.now());
        let make = |row: Option<&NoteRow>| {
            let before = row.map(|row| row.event.as_str());
            let mut record = note_record(text, place.as_deref(), &stem, None, before)?;
            if let (None, Some(written)) = (row, written) {
                record.set("ts", &written.to_string())?;
            }
            Ok(Some(record))
        };
        match self.space.write_note(&note.id, Base::Whatever, &self.writer, &mut { make }) {
            Ok(ack) => Ok(Ok((ack.map(|ack| ack.id).unwrap_or_default(), true))),
            Err(error) if error.kind == Kind::Invalid => Ok(Err(error.message)),
            Err(error) => Err(error),
        }
    }

    /// The version a file is behind at, where the log went on since both sides last agreed. What is older than that was put
    /// back by somebody, and so was what is there though its note was deleted.
    fn version_since(&self, row: &NoteRow, known: Option<&KnownNote>, text: &str) -> Result<Option<String>> {
        let versions = self.space.note_versions(&row.note, self.space.horizon(None)?)?;
        let since = known.map(|known| versions.iter().find(|v| v.event == known.event).map_or(0, |v| v.seq));
        if since.is_none() && row.deleted {
            return Ok(None);
        }
        for version in versions.iter().filter(|v| !v.deleted && since.is_none_or(|since| v.seq > since)) {
            if self.space.note_text(version)? == text {
                return Ok(Some(version.event.clone()));
            }
        }
        Ok(None)
    }

    /// A text that is about to become the newest version may have another before it that its writer did not see.
    fn tell_both(&mut self, path: &str, row: &NoteRow, was_known: bool, agreed: bool) -> Result<()> {
        if !agreed && !row.deleted {
            self.keep_beside(path, row)?;
        } else if !agreed && was_known {
            let reason = format!("note '{}' was deleted, but its file was changed: it was restored", row.note);
            self.report.trouble(TroubleKind::Conflict, path, 0, reason, "");
        } else if row.deleted {
            let reason = format!("note '{}' was deleted: it was restored", row.note);
            self.report.trouble(TroubleKind::Remark, path, 0, reason, "");
        }
        Ok(())
    }

    /// Versions that came from the folder and were written without knowing of ours: one of the two stands, the other one's
    /// text is put beside.
    pub(super) fn concurrent_notes(&mut self, known_before: u64) -> Result<()> {
        for seq in std::mem::take(&mut self.notes_heard_of) {
            let event = self.space.event(seq)?;
            let about = About::read(&event);
            let (Some(note), Some(base)) = (about.note, about.supersedes) else { continue };
            let Some(before) = self.space.note(&note, seq - 1)? else { continue };
            let Some(after) = self.space.note(&note, seq)? else { continue };
            if before.seq > known_before || before.event == base || is_private(&before.tags) {
                continue;
            }
            let is_theirs = after.event == event.header.id;
            let other = if is_theirs { Some(before) } else { note_version(&event).map(|row| NoteRow::of(&row)) };
            let Some(other) = other else { continue };
            let known = self.state.known.notes.iter().find(|(_, known)| known.note == note);
            let path = known.map_or_else(|| format!("{KNOWLEDGE}notes/{note}.md"), |(path, _)| path.clone());
            if other.deleted {
                let reason = format!("one side deleted note '{note}', the other one changed it: it was restored");
                self.report.trouble(TroubleKind::Conflict, &path, 0, reason, "");
            } else if after.deleted || self.space.note_text(&other)? != self.space.note_text(&after)? {
                let beside = self.put_beside(&path, &other)?;
                let whose = if is_theirs { "theirs is current, ours" } else { "ours is current, theirs" };
                let reason = format!("both sides changed note '{note}': {whose} is kept in {beside}");
                self.report.trouble(TroubleKind::Conflict, &path, 0, reason, "");
            }
        }
        Ok(())
    }

    /// Where a note's file lies below `knowledge/`, if that is not the usual place.
    fn place_of(&self, path: &str, id: &str) -> Option<String> {
        let below = path.strip_prefix(KNOWLEDGE)?;
        (below != format!("notes/{id}.md")).then(|| below.to_owned())
    }

    /// Both sides changed a note: the file stays what the person wrote, the other text is put beside it, and the log has
    /// both.
    fn keep_beside(&mut self, path: &str, row: &NoteRow) -> Result<()> {
        let beside = self.put_beside(path, row)?;
        let reason = format!(
            "both sides changed note '{}': the file's text is the newest version now, event {} is kept in {beside}",
            row.note, row.event
        );
        self.report.trouble(TroubleKind::Conflict, path, 0, reason, "");
        Ok(())
    }

    fn put_beside(&mut self, path: &str, row: &NoteRow) -> Result<String> {
        let text = self.space.note_text(row)?;
        let short: String = row.event.chars().filter(char::is_ascii_alphanumeric).rev().take(8).collect();
        let beside = format!("{path}{CONFLICT}{short}");
        self.folder.put(&beside, &text)?;
        self.report.files_written += 1;
        Ok(beside)
    }

    /// A note whose file was removed is taken away; its history stays.
    fn removed_notes(&mut self, files: &[Found]) -> Result<()> {
        let there: BTreeSet<&str> = files.iter().map(|found| found.path.as_str()).collect();
        let gone: Vec<(String, KnownNote)> = self
            .state
            .known
            .notes
            .iter()
            .filter(|(path, _)| !there.contains(path.as_str()))
            .map(|(p, n)| (p.clone(), n.clone()))
            .collect();
        if gone.is_empty() {
            return Ok(());
        }
        if !files.iter().any(|found| found.sort == Sort::Note) {
            // Not one is left: that is a folder that was moved, not notes that somebody wanted gone.
            let reason = "every note is gone from the folder: they were written again; delete notes one at a time";
            self.report.trouble(TroubleKind::Remark, KNOWLEDGE, 0, reason, "");
            self.state.known.notes.clear();
            return Ok(());
        }
        for (path, known) in gone {
            self.state.known.notes.remove(&path);
            let row = self.space.note(&known.note, self.space.horizon(None)?)?;
            let Some(row) = row.filter(|row| !row.deleted) else { continue };
            let moved = self.state.known.notes.values().any(|other| other.note == known.note);
            if moved {
                continue;
            }
            if row.event != known.event {
                let reason =
                    format!("the file is gone, but note '{}' was changed meanwhile: it was written again", row.note);
                self.report.trouble(TroubleKind::Conflict, &path, 0, reason, "");
                continue;
            }
            let make = |row: Option<&NoteRow>| {
                let before = row.map(|row| row.event.as_str()).unwrap_or_default();
                note_deletion(&known.note, None, before).map(Some)
            };
            match self.space.write_note(&known.note, Base::Version(&known.event), &self.writer, &mut { make }) {
                Err(error) if error.kind == Kind::Invalid => {
                    let reason = format!("{}: the file was written again", error.message);
                    self.report.trouble(TroubleKind::Conflict, &path, 0, reason, "");
                }
                written => {
                    written?;
                    self.report.notes_added += 1;
                }
            }
        }
        Ok(())
    }

    /// Writes the notes that were changed in the log, and what is derived from all of them.
    pub(super) fn write_notes(&mut self) -> Result<()> {
        let rows = self.standing_notes()?;
        let all = self.wishes.all;
        let is_shown = |row: &NoteRow| all || !is_private(&row.tags);
        let mut by_note: BTreeMap<String, String> =
            self.state.known.notes.iter().map(|(path, known)| (known.note.clone(), path.clone())).collect();
        let mut owners: BTreeMap<String, String> =
            self.state.known.notes.iter().map(|(path, known)| (path.clone(), known.note.clone())).collect();
        let mut changed = false;
        for row in rows.iter().filter(|row| !is_shown(row)) {
            // It became private: its file goes, unless somebody has written something else into it.
            if let Some(path) = by_note.remove(&row.note) {
                self.remove_note_file(&path)?;
                self.report.trouble(TroubleKind::Remark, &path, 0, BECAME_PRIVATE, "");
                changed = true;
            }
        }
        for row in rows.iter().filter(|row| is_shown(row)) {
            let before = by_note.remove(&row.note);
            let known = before.as_ref().and_then(|path| self.state.known.notes.get(path));
            let is_same = match known.filter(|known| known.event == row.event) {
                Some(known) => row.deleted || !self.is_tried(row)? || known.sum == sum(&self.file_text(row)?),
                None => row.deleted && before.is_none(),
            };
            if is_same {
                continue;
            }
            changed = true;
            // Where it was, unless the log moved it, e.g. to the archive.
            let path = match &before {
                Some(before) if row.path.is_none() => before.clone(),
                _ => place_of(row, &owners),
            };
            owners.insert(path.clone(), row.note.clone());
            let written = self.write_note_file(&path, row);
            if self.unless_refused(&path, written).is_none() {
                continue;
            }
            if let Some(before) = before.filter(|before| *before != path) {
                self.remove_note_file(&before)?;
            }
        }
        let living: Vec<&NoteRow> = rows.iter().filter(|row| !row.deleted && is_shown(row)).collect();
        self.write_indexes(&living, changed || self.report.notes_added > 0)
    }

    /// The notes as they stand in the folder, or are to. A version that has expired stays where it was written, for an erasure to
    /// take out; where it was not, what stands without it does.
    pub(super) fn standing_notes(&self) -> Result<Vec<NoteRow>> {
        let head = self.space.horizon(None)?;
        let (present, rows) = (self.space.at_present(), self.space.notes(head)?);
        let expired = present.expired(head)?;
        if expired.is_empty() {
            return Ok(rows);
        }
        let written: BTreeSet<&str> = self.state.known.notes.values().map(|known| known.event.as_str()).collect();
        let mut now: BTreeMap<String, NoteRow> =
            present.notes(head)?.into_iter().map(|row| (row.note.clone(), row)).collect();
        let is_too_late = |row: &NoteRow| expired.contains(&row.seq) && !written.contains(row.event.as_str());
        let stands = |row: NoteRow| if is_too_late(&row) { now.remove(&row.note) } else { Some(row) };
        Ok(rows.into_iter().filter_map(stands).collect())
    }

    fn write_note_file(&mut self, path: &str, row: &NoteRow) -> Result<()> {
        if row.deleted {
            return self.remove_note_file(path);
        }
        let text = self.file_text(row)?;
        // A file that says something else than when it was last read is somebody's, whether or not it can be read.
        let says = |sum_of: &str, bytes: &[u8]| Hash::of(bytes).to_string() == sum_of;
        let before = self.state.known.notes.get(path).map(|known| known.sum.clone());
        let now = sum(&text);
        if !self.folder.has(path) || !self.folder.says(path, &text)? {
            let is_expected = |bytes: &[u8]| says(&now, bytes) || before.as_ref().is_some_and(|sum| says(sum, bytes));
            if !self.folder.replace(path, &text, &is_expected)? {
                return self.keep_beside_unread(path, row, &text);
            }
            self.report.files_written += 1;
        }
        let (bytes, changed) = (text.len() as u64, self.folder.changed(path)?);
        let known = KnownNote { note: row.note.clone(), sum: sum(&text), event: row.event.clone(), bytes, changed };
        self.state.known.notes.insert(path.to_owned(), known);
        Ok(())
    }

    fn is_tried(&self, row: &NoteRow) -> Result<bool> {
        let tried = self.space.tried(&row.note, self.space.horizon(None)?)?;
        Ok(tried.worked + tried.failed > 0)
    }

    /// What a note's file says: its text, with the confidence that it has after what was tried.
    fn file_text(&self, row: &NoteRow) -> Result<String> {
        let text = self.space.note_text(row)?;
        if row.deleted || !self.is_tried(row)? {
            return Ok(text);
        }
        let tried = self.space.tried(&row.note, self.space.horizon(None)?)?;
        let (note, sure) = (Note::read(&row.note, &text).0, level(tried.standing(row.confidence.as_deref())));
        if note.confidence.map(Confidence::word) == Some(sure) {
            return Ok(text);
        }
        Ok(note.edit(&[Change::Set("confidence".to_owned(), New::Text(sure.to_owned()))]))
    }

    /// Removes a note's file, unless somebody has written something else into it.
    fn remove_note_file(&mut self, path: &str) -> Result<()> {
        let Some(known) = self.state.known.notes.remove(path) else { return Ok(()) };
        if self.folder.has(path) && self.folder.take_away(path, &|bytes| Hash::of(bytes).to_string() == known.sum)? {
            self.report.files_written += 1;
        }
        Ok(())
    }

    fn keep_beside_unread(&mut self, path: &str, row: &NoteRow, text: &str) -> Result<()> {
        let beside = format!("{path}{CONFLICT}log");
        self.folder.put(&beside, text)?;
        let reason = format!("the file differs from note '{}' in the log, which was put in {beside}", row.note);
        self.report.trouble(TroubleKind::Conflict, path, 0, reason, "");
        Ok(())
    }
}

/// Where a note's file goes. Of two notes with one place the second is put beside.
fn place_of(row: &NoteRow, owners: &BTreeMap<String, String>) -> String {
    let mut path = format!("{KNOWLEDGE}{}", row.path.clone().unwrap_or_else(|| format!("notes/{}.md", row.note)));
    while owners.get(&path).is_some_and(|owner| *owner != row.note) {
        path = format!("{}~.md", path.trim_end_matches(".md"));
    }
    path
}

pub(super) fn sum(text: &str) -> String {
    Hash::of(text.as_bytes()).to_string()
}
