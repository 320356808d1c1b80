//! Retention in the folder: old months are packed, older ones archived or given up, notes that nobody should use any more
//! move out of the way. Nothing is ever half moved: what is new is whole on disk before what is old goes.

use std::io::{Read, Write};

use flate2::{Compression, GzBuilder};
use idetic_core::Time;

use super::listing::{Found, Sort, list};
use super::{Bound, Wishes};
use crate::config::Retention;
use crate::folder::io;
use crate::notes::{Base, NoteRow, note_record, note_text};
use crate::{Context, FolderWork, Result};

/// Where old months go.
const ARCHIVE: &str = "archive/";
/// Where notes go that were deprecated long ago, below `knowledge/`.
const OLD_NOTES: &str = "archive/";
const DAY: i64 = 86_400_000_000;

/// What is to be done.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Age {
    /// The moment it is.
    pub now: Time,
    /// Whether it is done, or only looked at.
    pub apply: bool,
    /// Whether months that would be archived are given up: the log has them.
    pub drop: bool,
}

impl Bound {
    /// Does what the policy says to the folder.
    pub fn retain(mut self, cx: &mut Context, policy: &Retention, age: Age) -> Result<FolderWork> {
        let lock = self.state.lock()?;
        let _alone = lock.hold()?;
        self.state.load()?;
        if age.apply {
            // What is not in the log yet is taken in first.
            self.take_in(cx)?;
        }
        let mut work = FolderWork::default();
        let packed_before = month_before(age.now, policy.compress_files_after_months);
        let archived_before = month_before(age.now, policy.archive_after_months);
        for found in list(&self.folder)?.files {
            let Some(month) = month_of(&found) else { continue };
            if archived_before.as_deref().is_some_and(|cut| month < cut) {
                work.archived_months += u64::from(found.sort == Sort::Events);
                self.archive(&found, age)?;
            } else if packed_before.as_deref().is_some_and(|cut| month < cut) && !found.path.ends_with(".gz") {
                work.compressed += 1;
                if age.apply {
                    self.pack(&found.path, &format!("{}.gz", found.path))?;
                }
            }
        }
        work.archived_notes = self.archive_notes(policy, age)?;
        if age.apply {
            self.write_out(cx)?;
            self.state.save()?;
        }
        Ok(work)
    }

    /// Packs a file beside itself and removes it. One that was tampered with stays as it is, to be looked at.
    fn pack(&mut self, path: &str, to: &str) -> Result<bool> {
        if self.state.known.files.get(path).is_some_and(|known| known.sum.is_empty()) {
            return Ok(false);
        }
        let mut plain = Vec::new();
        if self.folder.has(to) {
            // Lines of an old month may come late: they are added to those that are packed.
            self.folder.read(to)?.read_to_end(&mut plain).map_err(io("read", to.as_ref()))?;
        }
        let mut new = Vec::new();
        self.folder.read(path)?.read_to_end(&mut new).map_err(io("read", path.as_ref()))?;
        // A run that was killed may have packed them already.
        if !plain.ends_with(&new) {
            plain.extend(new);
        }
        // Without a time in it the same file is packed the same everywhere.
        let mut packer = GzBuilder::new().mtime(0).write(Vec::new(), Compression::best());
        let packed = packer.write_all(&plain).and_then(|()| packer.finish()).map_err(io("pack", path.as_ref()))?;
        self.folder.put_bytes(to, &packed)?;
        self.folder.remove(path)?;
        self.state.known.files.remove(path);
        self.state.traces.remove(path);
        self.state.save()?;
        Ok(true)
    }

    fn archive(&mut self, found: &Found, age: Age) -> Result<()> {
        if !age.apply {
            return Ok(());
        }
        let path = found.path.as_str();
        if self.state.known.files.get(path).is_some_and(|known| known.sum.is_empty()) {
            return Ok(());
        }
        // A trace's file says nothing that its month's does not.
        if !age.drop && found.sort == Sort::Events {
            let to = format!("{ARCHIVE}{path}");
            if path.ends_with(".gz") {
                self.pack(path, &to)?;
            } else {
                self.pack(path, &format!("{to}.gz"))?;
            }
        }
        self.folder.remove(path)?;
        self.state.known.files.remove(path);
        self.state.traces.remove(path);
        self.state.save()
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
            let event = self.space.event(row.seq)?;
            if event.ts().0 > age.now.0 - days * DAY {
                continue;
            }
            moved += 1;
            if age.apply {
                let (text, path) = (note_text(&event), format!("{OLD_NOTES}{}.md", row.note));
                let make = |now: Option<&NoteRow>| {
                    let before = now.map(|now| now.event.as_str());
                    note_record(&text, Some(&path), &row.note, row.author.as_deref(), before).map(Some)
                };
                self.space.write_note(&row.note, Base::Version(&row.event), &mut { make })?;
            }
        }
        Ok(moved)
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

/// Keeps the folder that the configuration names in step with what was just appended. Whatever goes wrong here, the
/// appends are safe and the next sync does it.
pub(crate) fn follow(cx: &mut Context) {
    let Ok(config) = cx.config() else { return };
    if config.amem.folder.is_empty() {
        return;
    }
    let folder = std::path::PathBuf::from(&config.amem.folder);
    let followed = cx
        .space()
        .and_then(|space| Bound::open(space, &folder))
        .and_then(|bound| bound.run(cx, Wishes { write_out: true, ..Wishes::default() }));
    if let Err(error) = followed {
        (cx.notice)(&format!("the A-MEM folder could not follow: {error}"));
    }
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
