//! The files of traces: what stands in them stands in the month's file too, so the log can say what each should be.

use std::collections::BTreeSet;

use idetic_core::Event;
use idetic_core::views::TIMELINE;
use idetic_formats::amem::event::Occurrences;
use idetic_formats::amem::names;
use idetic_store::{Filter, Select};

use super::Bound;
use super::listing::Found;
use super::report::TroubleKind;
use super::state::KnownFile;
use super::summed::Summed;
use super::take_in::Reading;
use super::write_out::{line_of, trace_file};
use crate::Result;

impl Bound {
    /// Takes in what was added to the file of a trace.
    pub(super) fn take_trace(&mut self, found: &Found) -> Result<()> {
        let path = found.path.as_str();
        let known = self.state.traces.get(path).cloned();
        if known.as_ref().is_some_and(|k| k.unread == 0 && (k.bytes, k.changed) == (found.bytes, found.changed)) {
            return Ok(());
        }
        let is_tampered = match &known {
            Some(known) if !known.sum.is_empty() && !found.is_packed() => self.grown(found, known)?.is_none(),
            _ => false,
        };
        let mut reading = Reading::of(found, is_tampered || (known.is_some() && found.is_packed()));
        let summed = Summed::new(self.folder.read(path)?);
        let now = self.read_pieces(&mut reading, summed, 0, Occurrences::default(), None)?;
        let (added, unread) = (reading.count.added, reading.count.unread);
        self.report.events_added += added;
        if added > 0 || unread > 0 {
            self.report.files.push(reading.count);
        }
        if is_tampered && self.wishes.restore {
            return self.restore_trace(path);
        }
        if is_tampered {
            let reason = "old lines of this file were changed or are gone: the log has their events";
            self.report.trouble(TroubleKind::Violation, path, 0, reason, "");
            return Ok(());
        }
        self.state.traces.insert(path.to_owned(), KnownFile { unread, ..now });
        Ok(())
    }

    /// The file of a trace that is gone takes nothing from the log.
    pub(super) fn missing_traces(&mut self, found: &[Found]) -> Result<()> {
        let there: BTreeSet<&str> = found.iter().map(|found| found.path.as_str()).collect();
        let gone: Vec<String> =
            self.state.traces.keys().filter(|path| !there.contains(path.as_str())).cloned().collect();
        for path in gone {
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
        self.keep_before(path)?;
        let shown = self.shown()?;
        let mut text = String::new();
        for seq in self.seqs_of_trace(path)? {
            let event = self.space.event(seq)?;
            if shown(&event) && trace_file(&event).as_deref() == Some(path) {
                text.push_str(&line_of(&self.space, &event)?);
                text.push('\n');
                self.forget_waiting(&event);
            }
        }
        let now = self.written_anew(path, &text)?;
        self.state.traces.insert(path.to_owned(), now);
        Ok(())
    }

    /// An event that was written just now does not wait to be written any more.
    fn forget_waiting(&mut self, event: &Event) {
        if event.seq() > self.state.known.written {
            self.state.known.traced.insert(super::state::id_key(&event.header.id));
        }
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
