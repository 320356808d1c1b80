//! Taking what was purged out of a folder: lines of events, packed or archived, notes and copies of them; what is derived is
//! written anew. The files are looked at one by one, so that what the folder's state does not know is found as well.

use std::io::{BufReader, Read, Write};
use std::ops::Range;
use std::path::PathBuf;

use flate2::{Compression, GzBuilder};
use idetic_core::event::is_private;
use idetic_core::{Hash, Record};
use idetic_formats::amem::event::{self, Occurrences, SourcePosition};
use idetic_formats::amem::scan::{self, Found as Piece};
use idetic_memory::folder::{io, is_packed};
use idetic_memory::purge::PurgedItems;
use idetic_memory::{Result, Space};

use super::listing::every_file;
use super::state::State;
use super::{Bound, SyncOptions, bound_folder};

/// The longest note or profile that is looked into.
const TEXT_MAX_BYTES: u64 = 64 << 20;

/// The folders that a space was in sync with, or written to. Of those that are not there what was known is forgotten,
/// since nothing can be compared with it, and they are named.
pub fn known_folders(space: &Space) -> Result<(Vec<PathBuf>, Vec<PathBuf>)> {
    let (mut there, mut gone): (Vec<PathBuf>, Vec<PathBuf>) = bound_folder(space).into_iter().partition(|f| f.is_dir());
    for (folder, home) in State::folders(space.folder()) {
        if folder.is_dir() {
            there.push(folder);
        } else {
            std::fs::remove_dir_all(&home).map_err(io("remove", &home))?;
            gone.push(folder);
        }
    }
    gone.retain(|folder| !folder.as_os_str().is_empty());
    gone.sort();
    gone.dedup();
    Ok((there, gone))
}

impl Bound {
    /// Takes out what is gone; gives the files that were changed or removed.
    pub fn strip(mut self, gone: &PurgedItems) -> Result<Vec<String>> {
        let _alone = self.folder.lock()?;
        self.state.load()?;
        self.state.sweep()?;
        let mut changed = Vec::new();
        for path in every_file(&self.folder)? {
            let is_done = if path.contains(".jsonl") {
                self.strip_lines(&path, gone)?
            } else if path.contains(".md") || path.ends_with(".json") {
                self.strip_text(&path, gone)?
            } else {
                false
            };
            if is_done {
                changed.push(self.folder.root().join(&path).display().to_string());
            }
        }
        self.forget_derived(gone)?;
        self.state.save()?;
        Ok(changed)
    }

    /// Takes the lines of what is gone out of a file of events; says whether there were some.
    fn strip_lines(&mut self, path: &str, gone: &PurgedItems) -> Result<bool> {
        let Some((ranges, stays)) = self.lines_of(path, gone)? else { return Ok(false) };
        if stays {
            let folder = &self.folder;
            folder.put_with(path, &mut |file| {
                let mut reader = BufReader::new(folder.read(path)?);
                if is_packed(path) {
                    // Without a time in it the same file is packed the same everywhere.
                    let mut packer = GzBuilder::new().mtime(0).write(file, Compression::best());
                    copy_without(&mut reader, &mut packer, &ranges).map_err(io("write", path.as_ref()))?;
                    return packer.finish().map(|_| ()).map_err(io("write", path.as_ref()));
                }
                copy_without(&mut reader, file, &ranges).map_err(io("write", path.as_ref()))
            })?;
        } else {
            self.folder.remove(path)?;
        }
        // What is known of it is read anew: every line of it is known again by its id.
        self.state.known.files.remove(path);
        self.state.traces.remove(path);
        self.state.forget_lines(path)?;
        Ok(true)
    }

    /// Where the lines stand that are to go, and whether anything else does; none where there are none.
    fn lines_of(&self, path: &str, gone: &PurgedItems) -> Result<Option<(Vec<Range<u64>>, bool)>> {
        let (mut ranges, mut stays, mut occurrences) = (Vec::new(), false, Occurrences::default());
        for piece in scan::scan(BufReader::new(self.folder.read(path)?), scan::OBJECT_MAX_BYTES) {
            // A packed file that is damaged inside: what can be read of it is looked at.
            let Ok(piece) = piece else { break };
            let is_gone = match &piece.found {
                Piece::Object(raw) => {
                    let place = SourcePosition { line: piece.first_line, occurrence: occurrences.next(raw) };
                    gone.says_record(raw) || is_of(raw, &place, gone)
                }
                Piece::Problem(problem) => gone.says(&problem.raw),
            };
            if is_gone {
                ranges.push(piece.offset..piece.offset + piece.length);
            } else {
                stays = true;
            }
        }
        Ok((!ranges.is_empty()).then_some((ranges, stays)))
    }

    /// Removes a note's file, or a copy of one, that says what is gone; says whether it did.
    fn strip_text(&mut self, path: &str, gone: &PurgedItems) -> Result<bool> {
        let Ok(text) = self.folder.read_text(path, TEXT_MAX_BYTES)? else { return Ok(false) };
        let known = self.state.known.notes.get(path);
        let is_gone = gone.says(&text)
            || gone.notes.contains(&Hash::of(text.as_bytes()))
            || known.is_some_and(|known| gone.has_id(&known.event));
        let is_guide = !path.contains('/') && path.ends_with(".md") && known.is_none();
        if !is_gone || is_guide {
            return Ok(false);
        }
        self.folder.remove(path)?;
        self.state.known.notes.remove(path);
        self.state.known.profiles.remove(path);
        Ok(true)
    }

    /// What follows from the log goes, unless somebody has changed it: it is written anew afterwards.
    fn forget_derived(&mut self, gone: &PurgedItems) -> Result<()> {
        let profiles = std::mem::take(&mut self.state.known.profiles);
        for (path, known) in profiles {
            if self.folder.has(&path) && self.folder.says(&path, &known.text)? {
                self.folder.remove(&path)?;
            } else if self.folder.has(&path) && !gone.says(&known.text) {
                self.state.known.profiles.insert(path, known);
            }
        }
        for (path, sum) in std::mem::take(&mut self.state.known.indexes) {
            self.folder.take_away(&path, &|bytes| Hash::of(bytes).to_string() == sum)?;
        }
        Ok(())
    }

    /// Writes what is derived anew; new events are for the next sync to write.
    pub fn refresh(mut self) -> Result<()> {
        let _alone = self.folder.lock()?;
        self.state.load()?;
        // Private notes are in a folder that was written with everything, and stay there.
        let notes = self.space.notes(self.space.horizon(None)?)?;
        let has = |note: &str| self.state.known.notes.values().any(|known| known.note == note);
        let all = notes.iter().any(|row| is_private(&row.tags) && has(&row.note));
        self.wishes = SyncOptions { write_out: true, all, ..SyncOptions::default() };
        let index = self.index();
        self.write_derived(index)?;
        self.write_profiles()?;
        self.state.save()
    }
}

/// Whether a line is that of an event that is gone.
fn is_of(raw: &str, place: &SourcePosition, gone: &PurgedItems) -> bool {
    let Ok(incoming) = event::read(raw, place) else { return false };
    let Ok(record) = Record::parse(incoming.record.as_bytes()) else { return false };
    let claim = record.claim;
    gone.ids.contains(&(claim.agent_id, claim.persona, incoming.id))
}

/// Copies all bytes but some, and the line breaks behind those.
fn copy_without(from: &mut impl Read, to: &mut (impl Write + ?Sized), ranges: &[Range<u64>]) -> std::io::Result<()> {
    let mut at = 0;
    for range in ranges {
        std::io::copy(&mut from.by_ref().take(range.start.saturating_sub(at)), to)?;
        std::io::copy(&mut from.by_ref().take(range.end - range.start), &mut std::io::sink())?;
        at = range.end;
        let mut byte = [0];
        // What follows a line is its break; anything else stays.
        while from.read(&mut byte)? == 1 {
            at += 1;
            if byte == *b"\n" {
                break;
            }
            if byte != *b"\r" && byte != *b" " {
                to.write_all(&byte)?;
                break;
            }
        }
    }
    std::io::copy(from, to).map(|_| ())
}
