//! Writing out: every event of the log that may be seen by others becomes a line of its month's file and of its trace's,
//! in the order of the log; lines that exist are never touched.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::io::{BufRead, BufReader};
use std::path::Path;

use idetic_core::event::is_for_files;
use idetic_core::event::is_private;
use idetic_core::{Event, Record, Stored};
use idetic_formats::amem::event::{self, Exported, SourcePosition, fingerprint, write};
use idetic_formats::amem::index::{Index, IndexedEvent, Month, month};
use idetic_formats::amem::names::{self, Names};
use idetic_memory::folder::{Folder, io};
use idetic_memory::notes::About;
use idetic_memory::writer::is_of_file;
use idetic_memory::{Result, Space};
use serde::Deserialize;

use super::Bound;
use super::listing::{Found, INDEX, Sort, list};
use super::report::TroubleKind;
use super::state::{KnownFile, KnownLine};
use super::summed::Summed;
use crate::Progress;

/// Events read at a time.
const PAGE_EVENTS: usize = 1000;
/// Bytes gathered before they are written.
const GATHERED_BYTES: usize = 8 << 20;
/// The longest index that is read; a longer one is rebuilt.
const INDEX_MAX_BYTES: u64 = 64 << 20;

/// Lines that wait to be written.
#[derive(Default)]
struct Gathered {
    bytes: usize,
    months: BTreeMap<String, Lines>,
    traces: BTreeMap<String, Lines>,
}

#[derive(Default)]
struct Lines {
    text: String,
    known: Vec<KnownLine>,
}

impl Lines {
    fn add(&mut self, line: &str, seq: u64) {
        self.text.push_str(line);
        self.text.push('\n');
        self.known.push(KnownLine { print: fingerprint(line), seq });
    }

    fn seqs(&self) -> impl Iterator<Item = u64> {
        self.known.iter().map(|line| line.seq)
    }
}

impl Bound {
    /// Writes what the log has that the folder has not.
    pub(super) fn write_out(&mut self, progress: Progress) -> Result<()> {
        // Files that were written and are all gone: the folder is another one, and begins anew.
        let known = &mut self.state.known;
        if !known.files.is_empty() && known.files.keys().all(|file| !self.folder.has(file)) {
            (known.written, known.files) = Default::default();
            known.present.clear();
            known.traced.clear();
            known.notes.clear();
            self.state.traces.clear();
        }
        let head = self.space.horizon(None)?;
        let mut index = self.index();
        if !self.wishes.take_in {
            self.recognise()?;
        }
        let shown = self.shown()?;
        let mut gathered = Gathered::default();
        let mut next = self.state.known.written + 1;
        while next <= head {
            let count = usize::try_from(head - next + 1).unwrap_or(PAGE_EVENTS).min(PAGE_EVENTS);
            for stored in self.space.page(next, count)? {
                let event = Event::read(&stored)?;
                let known = &self.state.known;
                let (stands, is_traced) = (known.present.contains(&event.seq()), known.traced.contains(&event.seq()));
                if !(stands && is_traced) && shown(&event) {
                    let trace = if is_traced { None } else { self.trace_file(&event) };
                    gathered.add(&stored, &event, &self.source, !stands, trace)?;
                }
            }
            next += count as u64;
            if gathered.bytes >= GATHERED_BYTES {
                self.put_lines(std::mem::take(&mut gathered), next - 1, &mut index)?;
            }
            progress(next - 1, head);
        }
        self.put_lines(gathered, head, &mut index)?;
        self.write_derived(index)
    }

    /// The index of the files of events as it was written; an empty one where it is not ours.
    pub(super) fn index(&self) -> Index {
        if !self.is_as_written(INDEX) {
            return Index::default();
        }
        let text = self.folder.read_text(INDEX, INDEX_MAX_BYTES).ok().and_then(std::result::Result::ok);
        text.and_then(|text| Index::read(&text).ok()).unwrap_or_default()
    }

    /// Writes the notes, and what follows from them and from the event files.
    pub(super) fn write_derived(&mut self, mut index: Index) -> Result<()> {
        self.write_notes()?;
        self.files_that_changed(&mut index)?;
        self.put_index(INDEX, &index.write())
    }

    /// The file of an event's trace, where it belongs to one: by the trace's own name, unless another's differs in case alone.
    fn trace_file(&mut self, event: &Event) -> Option<String> {
        let (trace, folder) = (trace_of(event)?, format!("events/{}/traces", month(event.ts())));
        let root = self.folder.root().join(&folder);
        let names = self.trace_names.entry(folder.clone()).or_insert_with(|| names_in(&root));
        Some(format!("{folder}/{}.jsonl", names.of(trace)))
    }

    /// Which events stand in the files.
    pub(super) fn shown(&self) -> Result<impl Fn(&Event) -> bool + use<>> {
        // A note that is private now was so all along: its earlier texts and what came of it stay out as well.
        let head = self.space.horizon(None)?;
        let notes = self.space.notes(head)?;
        let private = notes.iter().filter(|row| is_private(&row.tags)).map(|row| Some(row.note.clone()));
        let hidden: HashSet<Option<String>> = private.collect();
        // What has expired is not written for the first time. Where it stands already it is there for an erasure to take out.
        let expired = self.space.at_present().expired(head)?;
        let all = self.wishes.all;
        Ok(move |event: &Event| {
            let may_stand = all || (is_for_files(event) && !hidden.contains(&About::read(event).note));
            may_stand && !expired.contains(&event.seq())
        })
    }

    /// Appends the lines of each file. What is written down afterwards may be lost in a crash: the lines are then found in
    /// the files and known by their ids. A file that cannot be written holds nobody up but itself.
    fn put_lines(&mut self, gathered: Gathered, up_to: u64, index: &mut Index) -> Result<()> {
        let (mut present, mut traced, mut is_stuck) = (BTreeSet::new(), BTreeSet::new(), false);
        for (path, lines) in gathered.months {
            let put = self.put_months_lines(&path, &lines);
            match self.unless_refused(&path, put) {
                Some(()) => present.extend(lines.seqs()),
                None => is_stuck = true,
            }
            index.months.remove(month_of(&path));
        }
        for (path, lines) in gathered.traces {
            let put = self.put_traces_lines(&path, &lines);
            match self.unless_refused(&path, put) {
                Some(()) => traced.extend(lines.seqs()),
                None => is_stuck = true,
            }
        }
        let known = &mut self.state.known;
        // Behind a file that could not be written everything is remembered one by one, and tried again the next time.
        self.is_stuck |= is_stuck;
        if self.is_stuck {
            known.present.extend(present);
            known.traced.extend(traced);
        } else {
            known.written = up_to;
            known.present.retain(|seq| *seq > up_to);
            known.traced.retain(|seq| *seq > up_to);
        }
        self.state.save()
    }

    fn put_months_lines(&mut self, path: &str, lines: &Lines) -> Result<()> {
        let (was_known, was_there) = (self.state.known.files.contains_key(path), self.folder.has(path));
        // What somebody wrote there and nobody has read yet must still be read: then nothing is known of the file but what
        // was, and our own lines are known again by their ids.
        let is_read = !was_there || self.is_as_known(self.state.known.files.get(path), path)?;
        self.folder.append(path, &lines.text)?;
        self.report.lines_written += lines.known.len() as u64;
        if is_read {
            if was_known {
                self.state.add_lines(path, &lines.known)?;
            } else {
                self.state.keep_lines(path, &lines.known)?;
            }
            let known = self.known_now(path)?;
            let tampered = self.state.known.files.get(path).is_some_and(|file| file.sum.is_empty());
            let sum = if tampered { String::new() } else { known.sum.clone() };
            let unread = self.state.known.files.get(path).map_or(0, |file| file.unread);
            self.state.known.files.insert(path.to_owned(), KnownFile { sum, unread, ..known });
        }
        Ok(())
    }

    fn put_traces_lines(&mut self, path: &str, lines: &Lines) -> Result<()> {
        let is_read = !self.folder.has(path) || self.is_as_known(self.state.traces.get(path), path)?;
        self.folder.append(path, &lines.text)?;
        if is_read {
            let now = self.known_now(path)?;
            self.state.traces.insert(path.to_owned(), now);
        }
        Ok(())
    }

    /// What was done to a file, or none where the folder does not let it be done: that is told, and the rest goes on.
    pub(super) fn unless_refused<T>(&mut self, path: &str, done: Result<T>) -> Option<T> {
        done.map_err(|error| self.report.trouble(TroubleKind::Unread, path, 0, error.to_string(), "")).ok()
    }

    /// Whether a file is as it was when it was last read or written.
    fn is_as_known(&self, known: Option<&KnownFile>, path: &str) -> Result<bool> {
        let Some(known) = known else { return Ok(false) };
        let bytes = self.folder.open_file(path)?.metadata().map_err(io("read", path.as_ref()))?.len();
        let is_so = || Ok(known.changed == self.folder.changed(path)? || known.sum == self.known_now(path)?.sum);
        if known.bytes == bytes { is_so() } else { Ok(false) }
    }

    /// A file as it stands.
    pub(super) fn known_now(&self, path: &str) -> Result<KnownFile> {
        let mut summed = Summed::new(self.folder.open_file(path)?);
        std::io::copy(&mut summed, &mut std::io::sink()).map_err(io("read", path.as_ref()))?;
        Ok(summed.known(self.folder.changed(path)?))
    }

    /// Brings the index up to the files of events: those that are as long as it says are taken as they are.
    pub(super) fn files_that_changed(&mut self, index: &mut Index) -> Result<()> {
        let mut files: BTreeMap<String, Vec<Found>> = BTreeMap::new();
        let mut traces: BTreeMap<String, BTreeMap<String, u64>> = BTreeMap::new();
        let mut beside = BTreeMap::new();
        for found in list(&self.folder)?.files {
            match found.sort {
                Sort::Events if is_a_months(&found.path) => {
                    files.entry(month_of(&found.path).to_owned()).or_default().push(found);
                }
                Sort::Events => {
                    let known = index.files.remove(&found.path).filter(|known| known.is_of(&found.path, found.bytes));
                    let entry = known.map_or_else(|| self.month(&found, &found.path, index.stride_lines), Ok)?;
                    beside.insert(found.path, entry);
                }
                Sort::Trace => {
                    let name = found.path.rsplit('/').next().unwrap_or_default().to_owned();
                    traces.entry(month_of(&found.path).to_owned()).or_default().insert(name, found.bytes);
                }
                _ => {}
            }
        }
        index.files = beside;
        index.months.retain(|month, _| files.contains_key(month) || traces.contains_key(month));
        for month in traces.keys() {
            files.entry(month.clone()).or_default();
        }
        for (month, mut files) in files {
            // The packed one is the month's, the other holds what came late.
            files.sort_by_key(|found| !found.is_packed());
            let known = index.months.remove(&month).map(|mut known| (known.late.take(), known));
            let known: Vec<Month> =
                known.into_iter().flat_map(|(late, known)| [Some(known), late.map(|l| *l)]).flatten().collect();
            let mut entries = Vec::new();
            for found in files {
                let file = found.path.trim_start_matches("events/");
                let same = known.iter().find(|known| known.is_of(file, found.bytes)).cloned();
                entries.push(same.map_or_else(|| self.month(&found, file, index.stride_lines), Ok)?);
            }
            let mut entries = entries.into_iter();
            let mut entry = entries.next().unwrap_or_default();
            entry.late = entries.next().map(|late| Box::new(Month { trace_files: BTreeMap::new(), ..late }));
            entry.trace_files = traces.remove(&month).unwrap_or_default();
            index.months.insert(month, entry);
        }
        Ok(())
    }

    /// What a file of events holds and where.
    fn month(&mut self, found: &Found, name: &str, stride: u64) -> Result<Month> {
        let (entry, read) = month_in(&self.folder, found, name, stride)?;
        if let Err(error) = read {
            self.report.trouble(TroubleKind::Unread, &found.path, 0, format!("cannot be read further: {error}"), "");
        }
        Ok(entry)
    }
}

/// What a file of events in some folder holds, and whether it could be read to its end.
pub(super) fn month_in(
    folder: &Folder,
    found: &Found,
    name: &str,
    stride: u64,
) -> Result<(Month, std::io::Result<()>)> {
    let mut entry = Month::new(name);
    entry.stored_bytes = found.bytes;
    let read = for_lines(BufReader::new(folder.read(&found.path)?), |length, line| {
        let seen = line.and_then(Seen::read);
        entry.add(length, stride, seen.as_ref().map(Seen::entry).as_ref());
    });
    Ok((entry, read))
}

/// The longest line that the index looks into; longer ones are counted as no events.
const LINE_MAX_BYTES: usize = 16 << 20;

/// Gives every line with its length in bytes, its break included; a line that is too long or no text has no words.
fn for_lines(mut reader: impl BufRead, mut each: impl FnMut(u64, Option<&str>)) -> std::io::Result<()> {
    let (mut line, mut length) = (Vec::new(), 0_u64);
    loop {
        let chunk = reader.fill_buf()?;
        let end = chunk.iter().position(|byte| *byte == b'\n');
        let used = end.map_or(chunk.len(), |end| end + 1);
        let is_over = chunk.is_empty();
        if line.len() <= LINE_MAX_BYTES {
            line.extend_from_slice(&chunk[..used]);
        }
        length += used as u64;
        reader.consume(used);
        if (end.is_some() || is_over) && length > 0 {
            let text = std::str::from_utf8(&line).ok().filter(|_| line.len() <= LINE_MAX_BYTES);
            each(length, text);
            line.clear();
            length = 0;
        }
        if is_over {
            return Ok(());
        }
    }
}

/// What the index wants of a line that is an event.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Seen {
    event_type: String,
    status: Option<String>,
    timestamp: Option<String>,
    trace_id: Option<String>,
}

impl Seen {
    fn read(line: &str) -> Option<Self> {
        #[derive(Deserialize)]
        struct Recorded {
            kind: String,
            status: Option<String>,
            ts: Option<String>,
            trace_id: Option<String>,
        }
        let line = line.trim();
        let incoming = event::read(line, &SourcePosition { line: 1, occurrence: 1 }).ok()?;
        // As it is written; one in a shape of its own as it is read.
        if let Some(seen) = serde_json::from_str::<Self>(line).ok().filter(|seen| !seen.event_type.is_empty()) {
            return Some(seen);
        }
        let Recorded { kind, status, ts, trace_id } = serde_json::from_str(&incoming.record).ok()?;
        Some(Self { event_type: kind, status, timestamp: ts, trace_id })
    }

    fn entry(&self) -> IndexedEvent<'_> {
        IndexedEvent {
            event_type: &self.event_type,
            status: self.status.as_deref(),
            time: self.timestamp.as_deref().and_then(|t| idetic_core::Time::parse(t).ok()),
            trace_id: self.trace_id.as_deref(),
        }
    }
}

impl Gathered {
    fn add(
        &mut self,
        stored: &Stored,
        event: &Event,
        source: &str,
        by_month: bool,
        trace: Option<String>,
    ) -> Result<()> {
        let Some(line) = line(stored, source)? else { return Ok(()) };
        self.bytes += line.len() * 2;
        if let Some(path) = trace {
            self.traces.entry(path).or_default().add(&line, event.seq());
        }
        if by_month {
            let path = format!("events/{}/events.jsonl", month(event.ts()));
            self.months.entry(path).or_default().add(&line, event.seq());
        }
        Ok(())
    }
}

/// The names of the files in a folder, without their endings.
pub(super) fn names_in(folder: &Path) -> Names {
    let mut names = Names::default();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let stem = name.to_str().map(|name| name.trim_end_matches(".gz"));
        let stem = stem.and_then(|name| name.strip_suffix(".jsonl").or(name.strip_suffix(".json")));
        stem.into_iter().for_each(|stem| names.add(stem));
    }
    names
}

/// The trace of an event, where it belongs to one.
fn trace_of(event: &Event) -> Option<&str> {
    let fields = event.fields.as_ref()?;
    fields.trace_id.as_deref().or(fields.loop_id.as_deref()).or(fields.conversation_id.as_deref())
}

/// Whether a file is that of an event's trace in its month.
pub(super) fn is_of_trace_file(event: &Event, path: &str) -> bool {
    let Some(trace) = trace_of(event) else { return false };
    let folder = format!("events/{}/traces/", month(event.ts()));
    let Some(stem) = path.strip_prefix(&folder).and_then(|file| file.strip_suffix(".jsonl")) else { return false };
    names::trace_id(stem).map_or_else(|| names::plain_name(trace) == stem, |of_file| of_file == trace)
}

/// The line of an event as the files have it.
pub(super) fn line_of(space: &Space, event: &Event, source: &str) -> Result<String> {
    let stored = space.page(event.seq(), 1)?;
    let written = stored.first().map(|stored| line(stored, source)).transpose()?.flatten();
    Ok(written.unwrap_or_default())
}

/// `None` for an event whose text is no longer there.
fn line(stored: &Stored, source: &str) -> Result<Option<String>> {
    let Some(secret) = &stored.secret else { return Ok(None) };
    let header = &stored.header;
    // That it came from a file goes without saying in one.
    let body = match Record::parse(secret.body.as_bytes()) {
        Ok(mut record) if record.claim.origin.as_deref().is_some_and(is_of_file) => {
            record.clear("origin")?;
            record.body
        }
        _ => secret.body.clone(),
    };
    let exported = Exported { id: &header.id, recorded_at: header.recorded_at, body: &body, source };
    Ok(Some(write(&exported)?))
}

pub(super) fn is_a_months(path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    let [events, month, file] = parts[..] else { return false };
    events == "events" && month.len() == 7 && matches!(file, "events.jsonl" | "events.jsonl.gz")
}

fn month_of(path: &str) -> &str {
    path.split('/').nth(1).unwrap_or_default()
}
