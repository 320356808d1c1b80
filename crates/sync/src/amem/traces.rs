//! The files of traces: what stands in them stands in the month's file too, so the log can say what each should be.

use std::collections::BTreeSet;

use idetic_core::views::TIMELINE;
use idetic_formats::amem::event::Occurrences;
use idetic_formats::amem::names;
use idetic_memory::Result;
use idetic_store::{Filter, Select};

use super::Bound;
use super::listing::Found;
use super::report::TroubleKind;
use super::retain::ARCHIVE;
use super::state::KnownFile;
use super::summed::Summed;
use super::take_in::{Mode, Reading};
use super::write_out::{is_of_trace_file, line_of};

impl Bound {
    /// Takes in what was added to the file of a trace.
    pub(super) fn take_trace(&mut self, found: &Found) -> Result<()> {
        let path = found.path.as_str();
        let known = self.state.traces.get(path).cloned();
        let same = |k: &KnownFile| k.unread == 0 && (k.bytes, k.changed) == (found.bytes, found.changed);
        if known.as_ref().is_some_and(same) || !self.can_be_read(path) {
            return Ok(());
        }
        let has_only_grown = match &known {
            Some(known) if !known.sum.is_empty() && !found.is_packed() => self.grown(found, known)?.is_some(),
            known => known.is_none(),
        };
        let mode = if has_only_grown { Mode::TakeIn } else { Mode::OnlyOurs };
        let (mut now, mut reading) = self.read_trace(found, mode)?;
        let mut is_tampered = false;
        if let Some(known) = known.filter(|_| !has_only_grown) {
            // As a merge of two branches leaves it: everything of ours is there, and no more lines are new than there are
            // more of them.
            let new = reading.held_back.len() as u64 + reading.count.added;
            is_tampered = self.misses_any(path, &reading)? || known.lines + new > now.lines.max(reading.count.found);
            if !is_tampered && !reading.held_back.is_empty() {
                let added = reading.count.added;
                (now, reading) = self.read_trace(found, Mode::TakeIn)?;
                reading.count.added += added;
            }
        }
        self.trace_was_read(reading, now, is_tampered)
    }

    fn read_trace<'f>(&mut self, found: &'f Found, mode: Mode) -> Result<(KnownFile, Reading<'f>)> {
        let mut reading = Reading::of(found, mode);
        let summed = Summed::new(self.folder.read(&found.path)?);
        let now = self.read_pieces(&mut reading, summed, 0, Occurrences::default(), None)?;
        Ok((now, reading))
    }

    /// Whether an event that was written into the file of a trace does not stand there.
    fn misses_any(&self, path: &str, reading: &Reading) -> Result<bool> {
        let shown = self.shown()?;
        for seq in self.seqs_of_trace(path)?.range(..=self.state.known.written) {
            let event = self.space.event(*seq)?;
            // Those of others came from files of others, and may never have stood here.
            let is_ours = !event.header.id.starts_with("amem-");
            if is_ours && !reading.ids.contains(seq) && shown(&event) && is_of_trace_file(&event, path) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn trace_was_read(&mut self, reading: Reading, now: KnownFile, is_tampered: bool) -> Result<()> {
        let (path, held_back) = (reading.count.file.clone(), reading.held_back);
        let mut count = reading.count;
        if is_tampered {
            let reason = "old lines of this file were changed, and this may be one of them: add it to the month's file";
            held_back.iter().for_each(|line| self.report.trouble(TroubleKind::Unread, &path, *line, reason, ""));
            count.unread += held_back.len() as u64;
        }
        let unread = count.unread;
        self.report.events_added += count.added;
        if count.added > 0 || unread > 0 {
            self.report.files.push(count);
        }
        if is_tampered && self.wishes.restore {
            return self.restore_trace(&path);
        }
        if is_tampered {
            let reason = "old lines of this file were changed or are gone: the log has their events";
            self.report.trouble(TroubleKind::Violation, &path, 0, reason, "");
            return Ok(());
        }
        self.state.traces.insert(path, KnownFile { unread, ..now });
        Ok(())
    }

    /// The file of a trace that is gone takes nothing from the log.
    pub(super) fn missing_traces(&mut self, there: &BTreeSet<&str>) -> Result<()> {
        let gone: Vec<String> =
            self.state.traces.keys().filter(|path| !there.contains(path.as_str())).cloned().collect();
        for path in gone {
            // Whoever archives a month gives up its traces.
            let month = path.split('/').nth(1).filter(|month| month.len() == 7);
            let archived = month.map(|month| format!("{ARCHIVE}events/{month}/"));
            if archived.is_some_and(|archived| there.iter().any(|path| path.starts_with(&archived))) {
                self.state.traces.remove(&path);
                continue;
            }
            if self.wishes.restore {
                self.restore_trace(&path)?;
            } else {
                self.report.trouble(TroubleKind::Violation, &path, 0, "the file is gone: the log has its events", "");
            }
        }
        Ok(())
    }

    /// Writes the file of a trace anew: every event of it in that month that others may see.
    fn restore_trace(&mut self, path: &str) -> Result<()> {
        let shown = self.shown()?;
        let mut seqs = Vec::new();
        for seq in self.seqs_of_trace(path)? {
            let event = self.space.event(seq)?;
            if shown(&event) && is_of_trace_file(&event, path) {
                seqs.push(seq);
            }
        }
        // What is written just now does not wait to be written any more.
        let written = self.state.known.written;
        self.state.known.traced.extend(seqs.iter().filter(|seq| **seq > written));
        let now = self.written_anew(path, &seqs, line_of)?;
        self.state.traces.insert(path.to_owned(), now);
        Ok(())
    }

    /// Events that may belong into the file of a trace, in the order of the log.
    fn seqs_of_trace(&self, path: &str) -> Result<BTreeSet<u64>> {
        let stem = path.rsplit('/').next().and_then(|file| file.strip_suffix(".jsonl"));
        let Some(trace) = stem.and_then(names::trace_id) else { return Ok(BTreeSet::new()) };
        let head = self.space.horizon(None)?;
        let mut seqs = BTreeSet::new();
        for column in ["trace", "loop", "conversation"] {
            let select = Select::from(&TIMELINE, head).filter(Filter::Is(column, trace.as_str().into()));
            seqs.extend(self.space.seqs(&select)?);
        }
        Ok(seqs)
    }
}
