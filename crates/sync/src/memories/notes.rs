//! A folder of notes of basic-memory: each becomes a note of ours. What was changed here since stays as it is.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use idetic_clients::memories::basic_memory::{Targets, note};
use idetic_core::{Hash, Record, Time};
use idetic_extract::without_secrets;
use idetic_formats::amem::note::{NOTE_MAX_BYTES, Note};
use idetic_memory::notes::{Base, NoteRow, note_record};
use idetic_memory::{Error, Kind, Result, Space};
use serde_json::{Value, json};

use super::{MemoryImport, MemorySource};

/// The key of metadata that says where a version of a note was imported from.
const IMPORT: &str = "import";
/// How much of a hash tells two texts of a note apart.
const HASH_CHARS: usize = 16;

impl MemoryImport<'_> {
    /// Takes in the notes of a folder. They are read twice: a link may lead to a note that comes later.
    pub(super) fn notes(
        &mut self,
        root: &Path,
        files: &[PathBuf],
        read: &mut dyn FnMut(u64),
        refused: &mut dyn FnMut(&str),
    ) -> Result<()> {
        let (mut targets, mut ids) = (Targets::default(), HashSet::new());
        let mut notes = Vec::new();
        for file in files {
            let path = path_below(root, file);
            match text_of(file) {
                Ok(_) if file.extension().is_none_or(|ending| !ending.eq_ignore_ascii_case("md")) => {
                    self.refuse(&path, &"it is no Markdown file (.md)", refused);
                }
                Ok(text) => {
                    let id = targets.add(&path, &text);
                    if ids.insert(id.clone()) {
                        notes.push((file, path, id));
                    } else {
                        self.refuse(&path, &format!("another note has the same permalink or path: '{id}'"), refused);
                    }
                }
                Err(why) => self.refuse(&path, &why, refused),
            }
        }
        let mut bytes = 0;
        for (file, path, id) in notes {
            let text = match text_of(file) {
                Ok(text) => text,
                Err(why) => {
                    self.refuse(&path, &why, refused);
                    continue;
                }
            };
            bytes += text.len() as u64;
            let text = note(&id, &text, &targets);
            self.count(&id, &text, file);
            if let Some(space) = self.space.clone().filter(|_| !self.options.dry_run) {
                match self.note(&space, &id, &path, &text, modified(file)) {
                    Err(error) if error.kind == Kind::Invalid || error.kind == Kind::Conflict => {
                        self.refuse(&path, &error, refused);
                    }
                    written => written?,
                }
            }
            read(bytes);
        }
        Ok(())
    }

    fn count(&mut self, id: &str, text: &str, file: &Path) {
        self.done.notes += 1;
        let (note, _) = Note::read(id, text);
        let made = note.created_at().or_else(|| modified(file));
        self.done.from = self.done.from.into_iter().chain(made).min();
        self.done.until = self.done.until.into_iter().chain(made).max();
    }

    /// Writes a note, unless this text of it was imported before.
    fn note(&mut self, space: &Space, id: &str, path: &str, text: &str, modified: Option<Time>) -> Result<()> {
        let sum = Hash::of(without_secrets(text).as_bytes()).to_string();
        let sum = sum.get(..HASH_CHARS).unwrap_or(&sum);
        let horizon = space.horizon(None)?;
        let versions = space.note_versions(id, horizon)?;
        let about = |row: &NoteRow| Ok::<_, Error>(space.event(row.seq)?.metadata()[IMPORT].clone());
        let imports = versions.iter().map(about).collect::<Result<Vec<Value>>>()?;
        let row = space.note(id, horizon)?;
        // What was taken away here is not put back.
        if imports.iter().any(|import| import["sum"] == sum) || row.as_ref().is_some_and(|row| row.deleted) {
            return Ok(());
        }
        let is_own = row.as_ref().map(about).transpose()?.is_some_and(|import| import.is_null());
        if is_own {
            return Err(Error::new(
                Kind::Conflict,
                format!("note '{id}' was written or changed here: it was left as it is"),
            ));
        }
        let (read, _) = Note::read(id, text);
        let made = read.updated_at().or(read.created_at()).or(modified).filter(|made| *made <= self.options.now);
        let base = row.as_ref().map_or(Base::Nothing, |row| Base::Version(&row.event));
        let writer = MemorySource::BasicMemory.writer(false);
        space.write_note(id, base, &writer, &mut |row| {
            let record = note_record(text, None, id, None, row.map(|row| row.event.as_str()))?;
            let mut body: Value =
                serde_json::from_str(&record.body).map_err(|error| Error::invalid(error.to_string()))?;
            body["metadata"][IMPORT] = json!({"from": MemorySource::BasicMemory.name(), "path": path, "sum": sum});
            if let Some(made) = made {
                body["ts"] = json!(made.to_string());
            }
            Ok(Some(Record::parse(body.to_string().as_bytes())?))
        })?;
        self.done.added += 1;
        self.done.changed += u64::from(row.is_some());
        Ok(())
    }
}

fn path_below(root: &Path, file: &Path) -> String {
    let below = file.strip_prefix(root).ok().filter(|below| !below.as_os_str().is_empty());
    let below = below.or_else(|| file.file_name().map(Path::new)).unwrap_or(file);
    below.to_string_lossy().replace('\\', "/")
}

fn modified(file: &Path) -> Option<Time> {
    let since = file.metadata().ok()?.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
    i64::try_from(since.as_micros()).ok().map(Time)
}

fn text_of(file: &Path) -> std::result::Result<String, String> {
    let length = file.metadata().map_err(|error| error.to_string())?.len();
    if length > NOTE_MAX_BYTES as u64 {
        return Err(format!("it is {length} bytes long: at most {NOTE_MAX_BYTES}"));
    }
    let bytes = std::fs::read(file).map_err(|error| error.to_string())?;
    String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())
}
