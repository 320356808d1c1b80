//! Retention in the folder: old months are packed, older ones archived or given up, notes that nobody should use any more
//! move out of the way. Nothing is ever half moved: what is new is whole on disk before what is old goes.

use std::io::{BufRead, BufReader, Read};

use flate2::{Compression, GzBuilder};
use idetic_core::Time;
use idetic_formats::amem::index::{STRIDE_LINES, month};
use idetic_memory::Result;
use idetic_memory::Writer;
use idetic_memory::config::Retention;
use idetic_memory::folder::{Folder, changed, io};
use idetic_memory::notes::{Base, NoteRow, note_record, note_text};
use serde::Serialize;

use super::listing::{Found, Sort, archived, list};
use super::report::{Trouble, TroubleKind};
use super::settled::MonthLines;
use super::write_out::month_in;
use super::{Bound, SyncOptions};
use crate::Progress;

/// Where old months go, if no other place is given.
pub(super) const ARCHIVE: &str = "archive/";
/// Where notes go that were deprecated long ago, below `knowledge/`.
const OLD_NOTES: &str = "archive/";

/// What was done in the A-MEM folder.
#[derive(Debug, Clone, Default, Serialize)]
pub struct FolderWork {
    /// Files of events that were compressed.
    pub compressed: u64,
    /// Months of events that were moved to the archive.
    pub archived_months: u64,
    /// Notes that were moved to the archive.
    pub archived_notes: u64,
    /// Files of the folder's own archive that were removed, because their content is given up.
    pub dropped_archives: u64,
    /// Files that are old and stay where they are, because they say something that is not in the log.
    pub stayed: Vec<Stayed>,
    /// What is not as it should be in the folder.
    pub troubles: Vec<Trouble>,
}

/// A file that stays though it is old.
#[derive(Debug, Clone, Serialize)]
pub struct Stayed {
    /// The file, from the folder.
    pub file: String,
    /// Why.
    pub reason: String,
}

impl FolderWork {
    /// Says that a file stays, and why.
    pub fn stay(&mut self, file: &str, reason: &str) {
        self.stayed.push(Stayed { file: file.to_owned(), reason: reason.to_owned() });
    }

    /// Whether there is nothing to look at.
    pub fn is_clean(&self) -> bool {
        self.stayed.is_empty() && self.troubles.is_empty()
    }
}

/// What is to be done.
#[derive(Debug, Clone, Copy)]
pub struct Age {
    /// The moment it is.
    pub now: Time,
    /// Months that ended before this moment are archived; none where nothing ever is old.
    pub older_than: Option<Time>,
    /// Whether it is done, or only looked at.
    pub apply: bool,
    /// Whether months that would be archived, and those that are, are given up.
    pub drop: bool,
}

impl Bound {
    /// Does what the policy says to the folder. A file that says anything that is not in the log stays where it is.
    pub fn retain(mut self, policy: &Retention, age: Age, progress: Progress) -> Result<FolderWork> {
        let _alone = self.folder.lock()?;
        self.state.load()?;
        self.wishes = SyncOptions { take_in: age.apply, write_out: age.apply, ..SyncOptions::default() };
        if age.apply {
            // What is not in the log yet is taken in first.
            self.take_in(progress)?;
        }
        let mut work = FolderWork::default();
        let mut lines = MonthLines::default();
        // Files that lie beside the months are as old as the last of their events.
        let mut index = self.index();
        self.files_that_changed(&mut index)?;
        let ends = |path: &str| index.files.get(path).and_then(|file| file.last).map(month);
        let packed_before = month_before(age.now, policy.compress_files_after_months);
        let archived_before = age.older_than.map(month);
        for found in list(&self.folder)?.files {
            let Some(month) = month_of(&found).map(str::to_owned).or_else(|| ends(&found.path)) else { continue };
            let is_archived = archived_before.as_deref().is_some_and(|cut| month.as_str() < cut);
            let is_packed = packed_before.as_deref().is_some_and(|cut| month.as_str() < cut) && !found.is_packed();
            if !is_archived && !is_packed {
                continue;
            }
            let stays = if age.apply { self.stays(&found, &mut lines)? } else { self.is_known_to_stay(&found) };
            if let Some(why) = stays {
                work.stay(&found.path, why);
            } else if is_archived {
                work.archived_months += u64::from(found.sort == Sort::Events);
                self.archive(&found, age, &mut work)?;
            } else {
                work.compressed += 1;
                if age.apply {
                    self.pack(&found, &format!("{}.gz", found.path), false, &mut work)?;
                }
            }
        }
        if let Some(cut) = archived_before.filter(|_| age.drop) {
            self.give_up_archive(&cut, age, &mut lines, &mut work)?;
        }
        work.archived_notes = self.archive_notes(policy, age)?;
        if age.apply {
            self.write_out(progress)?;
            self.state.save()?;
        }
        work.troubles = self.report.troubles;
        work.troubles.retain(|trouble| trouble.kind != TroubleKind::Remark);
        Ok(work)
    }

    /// Packs a file, into the archive or beside where it was, and removes it.
    fn pack(&mut self, found: &Found, to: &str, in_archive: bool, work: &mut FolderWork) -> Result<()> {
        let path = found.path.as_str();
        let place = self.archive.as_ref().filter(|_| in_archive).unwrap_or(&self.folder);
        // Lines of an old month may come late: they are added to those that are packed. A run that was killed may have
        // packed them already.
        let old = if place.has(to) { Some(to) } else { None };
        let is_packed = old.map_or(Ok(false), |old| self.ends_with(place, old, path))?;
        if !is_packed {
            place.put_with(to, &mut |file| {
                // Without a time in it the same file is packed the same everywhere.
                let mut packer = GzBuilder::new().mtime(0).write(file, Compression::best());
                for (of, part) in old.map(|old| (place, old)).into_iter().chain([(&self.folder, path)]) {
                    std::io::copy(&mut of.read(part)?, &mut packer).map_err(io("pack", part.as_ref()))?;
                }
                packer.finish().map(|_| ()).map_err(io("pack", path.as_ref()))
            })?;
        }
        self.give_up(found, work)
    }

    /// Whether what a file says ends with all that another says; neither is held in memory.
    fn ends_with(&self, place: &Folder, long: &str, short: &str) -> Result<bool> {
        let length = |of: &Folder, path: &str| -> Result<u64> {
            std::io::copy(&mut of.read(path)?, &mut std::io::sink()).map_err(io("read", path.as_ref()))
        };
        let Some(before) = length(place, long)?.checked_sub(length(&self.folder, short)?) else { return Ok(false) };
        let (mut one, mut other) = (BufReader::new(place.read(long)?), BufReader::new(self.folder.read(short)?));
        let same = std::io::copy(&mut (&mut one).take(before), &mut std::io::sink())
            .and_then(|_| say_the_same(&mut one, &mut other));
        same.map_err(io("read", long.as_ref()))
    }

    fn archive(&mut self, found: &Found, age: Age, work: &mut FolderWork) -> Result<()> {
        if !age.apply {
            return Ok(());
        }
        // A trace's file says nothing that its month's does not.
        if age.drop || found.sort != Sort::Events {
            return self.give_up(found, work);
        }
        let ending = if found.is_packed() { "" } else { ".gz" };
        let below = if self.archive.is_some() { "" } else { ARCHIVE };
        self.pack(found, &format!("{below}{}{ending}", found.path), true, work)
    }

    /// Removes a file whose lines are all in the log, unless somebody added to it meanwhile.
    fn give_up(&mut self, found: &Found, work: &mut FolderWork) -> Result<()> {
        let path = found.path.as_str();
        let now = self.folder.open_file(path)?.metadata().map_err(io("read", path.as_ref()))?;
        if (now.len(), changed(&now)) != (found.bytes, found.changed) {
            work.stay(path, "somebody changed it meanwhile");
            return Ok(());
        }
        self.folder.remove(path)?;
        self.state.known.files.remove(path);
        self.state.traces.remove(path);
        self.state.save()
    }

    /// Removes the archived files of the months before one.
    fn give_up_archive(&self, cut: &str, age: Age, lines: &mut MonthLines, work: &mut FolderWork) -> Result<()> {
        let (place, below) = self.archive.as_ref().map_or((&self.folder, ARCHIVE), |place| (place, ""));
        for found in archived(place, below)? {
            let path = found.path.as_str();
            let of_month = path.trim_start_matches(below).split('/').nth(1).filter(|month| month.len() == 7);
            let ended = match of_month {
                Some(of_month) => Some(of_month.to_owned()),
                None => month_in(place, &found, path, STRIDE_LINES)?.0.last.map(month),
            };
            if ended.is_none_or(|month| month.as_str() >= cut) {
                continue;
            }
            if let (true, Err(why)) = (age.apply, self.says_more_in(place, path, lines)?) {
                work.stay(path, why);
                continue;
            }
            work.dropped_archives += 1;
            if age.apply {
                place.remove(path)?;
            }
        }
        Ok(())
    }

    /// Notes that were deprecated long ago keep their text and move to the archive.
    fn archive_notes(&mut self, policy: &Retention, age: Age) -> Result<u64> {
        let days = i64::from(policy.archive_deprecated_notes_after_days);
        if days == 0 {
            return Ok(0);
        }
        let mut moved = 0;
        for row in self.space.notes(self.space.horizon(None)?)? {
            let is_there = row.path.as_deref().is_some_and(|path| path.starts_with(OLD_NOTES));
            if row.deleted || !row.is_deprecated() || is_there {
                continue;
            }
            if self.deprecated_since(&row)? > age.now.plus_days(-days) {
                continue;
            }
            moved += 1;
            if age.apply {
                let event = self.space.event(row.seq)?;
                let (text, path) = (note_text(&event), format!("{OLD_NOTES}{}.md", row.note));
                let make = |now: Option<&NoteRow>| {
                    let before = now.map(|now| now.event.as_str());
                    note_record(&text, Some(&path), &row.note, row.author.as_deref(), before).map(Some)
                };
                // It is moved, not vouched for, and stays as the file has it.
                let origin = event.fields.as_ref().and_then(|fields| fields.origin.clone());
                let writer = Writer { highest: Some(event.trust()), origin, is_verbatim: true, ..Writer::default() };
                self.space.write_note(&row.note, Base::Version(&row.event), &writer, &mut { make })?;
            }
        }
        Ok(moved)
    }

    /// When a note was deprecated: an edit since then does not make it younger.
    fn deprecated_since(&self, row: &NoteRow) -> Result<Time> {
        let versions = self.space.note_versions(&row.note, row.seq)?;
        let first = versions.iter().take_while(|version| version.is_deprecated()).last().unwrap_or(row);
        Ok(self.space.event(first.seq)?.ts())
    }
}

/// Whether two files say the same from where they stand.
fn say_the_same(one: &mut impl BufRead, other: &mut impl BufRead) -> std::io::Result<bool> {
    loop {
        let (a, b) = (one.fill_buf()?, other.fill_buf()?);
        let common = a.len().min(b.len());
        if common == 0 || a[..common] != b[..common] {
            return Ok(a.is_empty() && b.is_empty());
        }
        one.consume(common);
        other.consume(common);
    }
}

/// The month of a file of events that lies in a month's folder.
fn month_of(found: &Found) -> Option<&str> {
    let mut parts = found.path.split('/');
    let is_of_events = matches!(found.sort, Sort::Events | Sort::Trace) && parts.next() == Some("events");
    parts.next().filter(|month| is_of_events && month.len() == 7 && parts.next().is_some())
}

/// The first month that is not old yet, where months are old after so many: whole months only. 0 is never.
fn month_before(now: Time, months: u32) -> Option<String> {
    if months == 0 {
        return None;
    }
    let day = now.day();
    let (year, month) = (day.get(..4)?.parse::<i64>().ok()?, day.get(5..7)?.parse::<i64>().ok()?);
    let number = year * 12 + (month - 1) - i64::from(months);
    Some(format!("{:04}-{:02}", number.div_euclid(12), number.rem_euclid(12) + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_months_are_old() {
        let now = Time::parse("2025-03-15T00:00:00Z").expect("a time");
        assert_eq!(month_before(now, 1).as_deref(), Some("2025-02"));
        assert_eq!(month_before(now, 6).as_deref(), Some("2024-09"));
        assert_eq!(month_before(now, 0), None);
    }
}
