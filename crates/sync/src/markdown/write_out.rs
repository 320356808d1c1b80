//! Writing out: events of the log that belong into the changelog and are not there yet are added to its end.

use std::collections::HashMap;

use idetic_formats::markdown::changelog::event_id;
use idetic_formats::markdown::merge::without_repeats;
use idetic_formats::markdown::{Changelog, Draft, append, archive, identities};
use idetic_memory::{Error, Result};

use super::Project;
use super::compare::Known;
use super::files::{LOG, Logs, text};
use super::records::{draft, key};
use super::state::Appending;
use super::take_in::numbering;

/// How often a file is tried to be replaced that others write to meanwhile.
const TRIES: usize = 100;

impl Project {
    /// Writes what the log has that the changelog has not, with the next numbers; says whether there was something.
    pub(super) fn write_out(&mut self, logs: &Logs) -> Result<bool> {
        let (waiting, drafts) = self.waiting(logs)?;
        if drafts.is_empty() {
            return Ok(false);
        }
        let after = self.add_to_log(&drafts, &waiting)?;
        self.report.written += drafts.len() as u64;
        let log = Changelog::read(&after);
        let mut files = logs.all();
        files.pop();
        files.push(&log);
        let ids = identities(&files).pop().unwrap_or_default();
        let mut keys: HashMap<u64, String> =
            log.entries().iter().zip(&ids).filter_map(|(entry, id)| Some((entry.number?, key(id)))).collect();
        if log.is_first_layout() {
            // Without numbers they are known by their places: on top, or at the end.
            let mut new: Vec<String> = ids.iter().map(key).collect();
            if logs.log.is_newest_first() {
                new.reverse();
            }
            let first = new.len().saturating_sub(drafts.len());
            keys = drafts.iter().map(|draft| draft.number).zip(new.split_off(first)).collect();
        }
        let told = drafts.iter().zip(&waiting).map(|(draft, event)| {
            let number = Some(draft.number).filter(|_| !log.is_first_layout());
            numbering(event, None, number, keys.get(&draft.number).map(String::as_str))
        });
        self.append(told.collect::<Result<_>>()?)?;
        Ok(true)
    }

    /// The events that are not in the changelog yet, by their ids, and how they will stand there.
    fn waiting(&self, logs: &Logs) -> Result<(Vec<String>, Vec<Draft>)> {
        let mut rows = self.rows()?;
        rows.sort_by_key(|row| row.seq);
        let known: Vec<Known> = rows.iter().map(Known::from).collect();
        let highest = known.iter().filter_map(|known| known.number).max().unwrap_or(0).max(logs.highest());
        let mut numbers: HashMap<String, u64> = known.into_iter().filter_map(|k| Some((k.event, k.number?))).collect();
        let (mut waiting, mut drafts) = (Vec::new(), Vec::new());
        let last = logs.log.last().map(|entry| entry.time);
        for (number, row) in (highest + 1..).zip(self.unwritten(rows)?) {
            let event = self.log()?.event(u64::try_from(row.seq).unwrap_or(0))?;
            drafts.push(draft(&event, number, &|id| numbers.get(id).copied()).not_before(last));
            numbers.insert(row.event.clone(), number);
            waiting.push(row.event);
        }
        Ok((waiting, drafts))
    }

    /// Adds events to the file and gives what it says then. Where they stand at its end they are only added, so that
    /// whoever writes there at the same time loses nothing; what comes in between is found by the next run.
    fn add_to_log(&mut self, drafts: &[Draft], events: &[String]) -> Result<String> {
        for _ in 0..TRIES {
            let before = text(&self.folder, LOG)?;
            let is_there = before.is_some();
            let before = before.unwrap_or_default();
            let after = append(&before, drafts).map_err(|problem| {
                Error::invalid(format!("{LOG}:{}: {}", problem.line, problem.reason)).hint(problem.remedy)
            })?;
            self.note_file(LOG);
            match after.strip_prefix(before.as_str()).filter(|_| is_there) {
                Some(added) => {
                    self.begin_adding(before.len(), added, events)?;
                    self.folder.append_as_it_is(LOG, added)?;
                    return Ok(after);
                }
                None if self.folder.replace(LOG, &after, &|bytes| bytes == before.as_bytes())? => return Ok(after),
                None => {}
            }
        }
        Err(busy())
    }

    /// Finishes what an earlier run could not: a block that was cut off at the end of the file, or a move to the archive
    /// of which only the first half was done; and gives every event a number of its own.
    pub(super) fn mend_log(&mut self) -> Result<Logs> {
        self.finish_adding()?;
        for _ in 0..TRIES {
            let logs = Logs::read(&self.folder)?;
            logs.check_joined()?;
            let old = logs.log.text();
            let moved = logs.archives.iter().find_map(|(_, old)| archive::without_archived(&logs.log, old));
            let archived = logs.archives.iter().flat_map(|(_, archive)| archive.entries()).filter_map(|e| e.number);
            let (new, renumbered) = match moved {
                Some(moved) => (moved, Vec::new()),
                None => match without_repeats(&logs.log, &archived.collect()) {
                    Some(unique) => (unique.text, unique.renumbered),
                    None => return Ok(logs),
                },
            };
            if self.folder.replace(LOG, &new, &|bytes| bytes == old.as_bytes())? {
                self.note_file(LOG);
                self.tell_renumbered(&renumbered);
            }
        }
        Err(busy())
    }

    fn tell_renumbered(&mut self, renumbered: &[(u64, u64)]) {
        for (old, new) in renumbered {
            let (old, new) = (event_id(*old), event_id(*new));
            let message = format!("{old} was there twice: one of them is {new} now");
            self.tell_about(LOG, "renumbered", &message, "refer to it by its new number");
        }
    }

    /// Writes down what is about to be added, so that it can be finished and is known again.
    pub(super) fn begin_adding(&mut self, at: usize, text: &str, events: &[String]) -> Result<()> {
        self.state.appending = Some(Appending { at: at as u64, text: text.to_owned(), events: events.to_vec() });
        self.save()
    }

    fn finish_adding(&mut self) -> Result<()> {
        let Some(appending) = &self.state.appending else { return Ok(()) };
        let now = text(&self.folder, LOG)?.unwrap_or_default();
        let there = usize::try_from(appending.at).ok().and_then(|at| now.get(at..)).unwrap_or_default();
        // What stands there is the beginning of what should.
        if let Some(rest) = appending.text.strip_prefix(there).filter(|rest| !rest.is_empty() && !there.is_empty()) {
            self.folder.append_as_it_is(LOG, rest)?;
        }
        Ok(())
    }

    /// A file was written.
    pub(super) fn note_file(&mut self, name: &str) {
        if !self.report.files.iter().any(|own| own == name) {
            self.report.files.push(name.to_owned());
        }
    }
}

fn busy() -> Error {
    Error::unavailable(format!("other programs keep writing {LOG}")).hint("try again later")
}
