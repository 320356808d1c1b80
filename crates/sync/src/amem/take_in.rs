//! Taking in: what people and agents added to the event files becomes events, each once; what was changed in them is
//! reported, and the log stays as it is.

use std::collections::BTreeSet;
use std::io::{BufReader, Read};

use idetic_core::views::{STANDING_ENDED, TIMELINE};
use idetic_core::words::{Persona, Trust};
use idetic_core::{Event, Record, policy};
use idetic_formats::amem::event::{self, Incoming, Occurrences, Shape, SourcePosition, fingerprint};
use idetic_formats::amem::scan::{self, Found as Piece};
use idetic_memory::folder::io;
use idetic_memory::profiles::IMPORTED;
use idetic_memory::{Cause, Error, Kind, Result, Space};
use idetic_store::{Conflict, Filter, Select};
use serde::Deserialize;

use super::diff::{Diff, Print, diff};
use super::listing::{BEFORE, Found, Sort, archived, list};
use super::report::{FileCount, TroubleKind};
use super::retain::ARCHIVE;
use super::state::{KnownFile, KnownLine};
use super::summed::Summed;
use super::{Bound, write_out};
use crate::Progress;

/// Events appended together.
const BATCH_EVENTS: usize = 500;
/// Most bytes of them together.
const BATCH_BYTES: usize = 8 << 20;

/// The bytes of a file as they come, unpacked where it is packed.
pub(super) type Bytes = Summed<Box<dyn Read>>;

/// An event of a file that is about to be appended.
struct Coming {
    incoming: Incoming,
    print: Print,
    line: u64,
}

/// What is done with what a file has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// Everything that is new is taken in.
    TakeIn,
    /// Of what is new only lines that carry the id of an event: others may be old ones that were changed.
    OnlyOurs,
    /// Nothing is: what the log has is recognised.
    Recognise,
}

/// What was read of a file so far.
pub(super) struct Reading<'a> {
    found: &'a Found,
    path: &'a str,
    pub count: FileCount,
    mode: Mode,
    /// Events that stand in it.
    pub ids: BTreeSet<u64>,
    /// Lines that were not taken because they may be old ones that were changed.
    pub held_back: Vec<u64>,
    /// Those of its lines that stand in the log now, in order.
    lines: Vec<KnownLine>,
    batch: Vec<Coming>,
    batch_bytes: usize,
}

impl Bound {
    /// Takes in what the folder has that the log has not.
    pub(super) fn take_in(&mut self, progress: Progress) -> Result<()> {
        let known_before = self.space.horizon(None)?;
        let listing = list(&self.folder)?;
        for passed in &listing.passed_over {
            self.report.trouble(passed.kind, &passed.path, 0, passed.why, "");
        }
        // What retention moved away is new to whoever never had it.
        let archived = archived(&self.folder, ARCHIVE)?;
        for found in &archived {
            self.take_events(found)?;
        }
        let total = listing.files.len() as u64;
        for (done, found) in (1..).zip(&listing.files) {
            match found.sort {
                Sort::Events => self.take_events(found)?,
                Sort::Profile => self.take_profile(found)?,
                Sort::Trace => self.take_trace(found)?,
                Sort::Note | Sort::Index | Sort::Kept => {}
            }
            progress(done, total);
        }
        let there: BTreeSet<&str> = listing.files.iter().chain(&archived).map(|found| found.path.as_str()).collect();
        self.missing_files(&there)?;
        self.missing_traces(&there)?;
        self.concurrent_notes(known_before)?;
        self.take_notes(&listing.files)?;
        self.take_indexes(&listing.files)
    }

    /// A file that was there and is gone takes nothing from the log.
    fn missing_files(&mut self, there: &BTreeSet<&str>) -> Result<()> {
        let gone: Vec<String> =
            self.state.known.files.keys().filter(|f| !there.contains(f.as_str())).cloned().collect();
        for path in gone.into_iter().filter(|path| !path.starts_with(ARCHIVE)) {
            // Packed or archived by retention, perhaps of another home: its events are known by their ids.
            let moved = [format!("{path}.gz"), format!("{ARCHIVE}{path}.gz"), format!("{ARCHIVE}{path}")];
            if moved.iter().any(|path| there.contains(path.as_str())) {
                self.state.known.files.remove(&path);
                continue;
            }
            if self.wishes.restore {
                self.restore(&path)?;
            } else {
                self.report.trouble(TroubleKind::Violation, &path, 0, "the file is gone: the log has its events", "");
            }
        }
        Ok(())
    }

    fn take_events(&mut self, found: &Found) -> Result<()> {
        let path = found.path.as_str();
        let known = self.state.known.files.get(path).cloned();
        let same = |k: &KnownFile| (k.bytes, k.changed) == (found.bytes, found.changed);
        if known.as_ref().is_some_and(|k| !k.sum.is_empty() && k.unread == 0 && same(k)) {
            return Ok(());
        }
        if !self.can_be_read(path) {
            return Ok(());
        }
        let old = if known.is_some() { self.state.lines(path) } else { Vec::new() };
        let mut reading = Reading::of(found, Mode::TakeIn);
        let grown = match &known {
            // What could not be read is told as long as it is there: then all of it is looked at again.
            Some(known) if !known.sum.is_empty() && known.unread == 0 && !found.is_packed() => {
                self.grown(found, known)?
            }
            _ => None,
        };
        let (end, tampered) = match grown {
            Some((from, summed)) => {
                let occurrences = Occurrences::after(old.iter().map(|line| line.print));
                (self.read_pieces(&mut reading, summed, from, occurrences, None)?, false)
            }
            None => {
                let wanted = if old.is_empty() { None } else { Some(self.compare(path, &old)?) };
                let tampered = wanted.as_ref().is_some_and(|w| w.1);
                let added = wanted.map(|(added, _)| added);
                let summed = Summed::new(self.folder.read(path)?);
                (self.read_pieces(&mut reading, summed, 0, Occurrences::default(), added.as_ref())?, tampered)
            }
        };
        if known.is_some() {
            self.state.add_lines(path, &reading.lines)?;
        } else {
            self.state.keep_lines(path, &reading.lines)?;
        }
        let sum = if tampered { String::new() } else { end.sum.clone() };
        let unread = reading.count.unread;
        let now = KnownFile { sum, unread, ..end };
        self.state.known.files.insert(path.to_owned(), now);
        self.report.events_added += reading.count.added;
        self.report.files.push(reading.count);
        if tampered && self.wishes.restore { self.restore(path) } else { Ok(()) }
    }

    /// The file behind what is known of it, if that is still as it was; with the line that is reached.
    pub(super) fn grown(&self, found: &Found, known: &KnownFile) -> Result<Option<(u64, Bytes)>> {
        if found.bytes < known.bytes {
            return Ok(None);
        }
        let mut summed = Summed::new(self.folder.read(&found.path)?);
        let read = std::io::copy(&mut (&mut summed).take(known.bytes), &mut std::io::sink());
        read.map_err(io("read", found.path.as_ref()))?;
        let same = summed.bytes == known.bytes && summed.sum() == known.sum;
        Ok(same.then_some((known.lines, summed)))
    }

    /// Which objects of a file are new, where it is not just longer; and whether old ones were tampered with.
    fn compare(&mut self, path: &str, old: &[KnownLine]) -> Result<(BTreeSet<usize>, bool)> {
        let (mut prints, mut lines) = (Vec::new(), Vec::new());
        for piece in scan::scan(BufReader::new(self.folder.read(path)?), scan::OBJECT_MAX_BYTES) {
            // A packed file that is damaged inside is told when it is read.
            let Ok(piece) = piece else { break };
            if let Piece::Object(raw) = &piece.found {
                prints.push(fingerprint(raw));
                lines.push(piece.first_line);
            }
        }
        let before: Vec<Print> = old.iter().map(|line| line.print).collect();
        let Diff { added, changed, deleted, moved } = diff(&before, &prints);
        let tampered = !(changed.is_empty() && deleted.is_empty() && moved.is_empty());
        for (at, old_at) in changed {
            let reason = format!("an old line was changed: event {} stays as it was", self.id_of(old[old_at].seq)?);
            self.report.trouble(TroubleKind::Violation, path, lines[at], reason, "");
        }
        for at in deleted {
            let reason = format!("an old line was deleted: event {} stays", self.id_of(old[at].seq)?);
            self.report.trouble(TroubleKind::Violation, path, 0, reason, "");
        }
        for at in moved {
            self.report.trouble(TroubleKind::Violation, path, lines[at], "an old line was moved here", "");
        }
        Ok((added.into_iter().collect(), tampered))
    }

    /// Reads a file from where it stands and appends what is wanted of it.
    pub(super) fn read_pieces(
        &mut self,
        reading: &mut Reading,
        mut summed: Bytes,
        lines_before: u64,
        mut occurrences: Occurrences,
        wanted: Option<&BTreeSet<usize>>,
    ) -> Result<KnownFile> {
        let (mut number, mut cut_off) = (0, false);
        for piece in scan::scan(BufReader::new(&mut summed), scan::OBJECT_MAX_BYTES) {
            let piece = match piece {
                Ok(piece) => piece,
                // A packed file that is damaged inside: what came before it is good.
                Err(error) => {
                    self.report.trouble(
                        TroubleKind::Unread,
                        reading.path,
                        0,
                        format!("cannot be read further: {error}"),
                        "",
                    );
                    reading.count.unread += 1;
                    cut_off = true;
                    break;
                }
            };
            let line = lines_before + piece.first_line;
            match piece.found {
                Piece::Object(raw) => {
                    let place = SourcePosition { line, occurrence: occurrences.next(&raw) };
                    reading.count.found += 1;
                    cut_off = false;
                    if wanted.is_none_or(|wanted| wanted.contains(&number)) {
                        self.read_object(reading, &raw, &place)?;
                    }
                    number += 1;
                }
                Piece::Problem(problem) => {
                    cut_off = problem.loses;
                    let kind = if problem.loses { TroubleKind::Unread } else { TroubleKind::Remark };
                    reading.count.unread += u64::from(problem.loses);
                    self.report.trouble(kind, reading.path, lines_before + problem.line, problem.reason, &problem.raw);
                }
            }
        }
        self.flush(reading)?;
        // The end may still be being written: it is looked at again the next time.
        let mut known = summed.known(reading.found.changed);
        if reading.found.is_packed() {
            known.bytes = reading.found.bytes;
        }
        Ok(if cut_off { KnownFile { sum: String::new(), ..known } } else { known })
    }

    fn read_object(&mut self, reading: &mut Reading, raw: &str, place: &SourcePosition) -> Result<()> {
        match event::read(raw, place) {
            Ok(incoming) => {
                for remark in &incoming.remarks {
                    self.report.trouble(TroubleKind::Remark, reading.path, place.line, remark.clone(), "");
                }
                reading.batch_bytes += incoming.record.len();
                reading.batch.push(Coming { incoming, print: fingerprint(raw), line: place.line });
                if reading.batch.len() >= BATCH_EVENTS || reading.batch_bytes >= BATCH_BYTES {
                    self.flush(reading)?;
                }
            }
            Err(problem) => {
                reading.count.unread += 1;
                self.report.trouble(TroubleKind::Unread, reading.path, problem.line, problem.reason, &problem.raw);
            }
        }
        Ok(())
    }

    /// Appends what was gathered: together where that goes, else one by one.
    fn flush(&mut self, reading: &mut Reading) -> Result<()> {
        let batch = std::mem::take(&mut reading.batch);
        reading.batch_bytes = 0;
        if batch.is_empty() {
            return Ok(());
        }
        // Ids that we made are not looked up by the log, because nobody else repeats them; a file does.
        let mut new = Vec::with_capacity(batch.len());
        for coming in batch {
            let is_ours = coming.incoming.shape == Shape::Own;
            let is_looked_up = is_ours || reading.mode != Mode::TakeIn;
            match if is_looked_up { self.seq_of(&coming.incoming)? } else { None } {
                Some(seq) if is_ours && reading.mode != Mode::Recognise => self.taken(reading, coming, seq)?,
                Some(seq) => self.stands(reading, coming, seq, false),
                None if reading.mode == Mode::Recognise => {}
                None if reading.mode == Mode::OnlyOurs && !is_ours => reading.held_back.push(coming.line),
                None => new.push(coming),
            }
        }
        let batch = new;
        if batch.is_empty() {
            return Ok(());
        }
        let parsed: Result<Vec<Record>> = batch.iter().map(|coming| self.as_file(&coming.incoming.record)).collect();
        let head = self.space.log().tip()?.seq;
        if let Ok(records) = parsed
            && let Ok(acks) = self.space.append(records, None)
        {
            for (coming, ack) in batch.into_iter().zip(acks) {
                self.stands(reading, coming, ack.seq, ack.seq > head);
            }
            return Ok(());
        }
        for coming in batch {
            let head = self.space.log().tip()?.seq;
            let record = self.as_file(&coming.incoming.record);
            match record.and_then(|record| self.space.append(vec![record], None)) {
                Ok(acks) => {
                    let seq = acks.first().map_or(0, |ack| ack.seq);
                    self.stands(reading, coming, seq, seq > head);
                }
                Err(Error { cause: Cause::Conflict(Conflict::IdTaken { seq, .. }), .. }) => {
                    self.taken(reading, coming, seq)?
                }
                Err(error) if error.kind == Kind::Invalid => {
                    reading.count.unread += 1;
                    self.report.trouble(TroubleKind::Unread, reading.path, coming.line, error.message, "");
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// A line as what it is, something that stood in a file: whatever it says of itself, it is trusted no more than the folder,
    /// it is nobody's subconscious, and it tells of nothing that the program itself did.
    fn as_file(&self, record: &str) -> Result<Record> {
        let mut record = Record::parse(record.as_bytes())?;
        if record.claim.persona == Some(Persona::Subconscious) {
            return Err(Error::invalid("a line of a file cannot belong to a subconscious"));
        }
        // A profile that was found as a file is one in every folder it is passed on by.
        if policy::is_reserved(&record.claim.kind) && record.claim.kind != IMPORTED {
            record.set("kind", &format!("amem.{}", record.claim.kind.replace('.', "-")))?;
        }
        if let (Some(highest), Some(_)) =
            (self.writer.highest, record.claim.trust.filter(|said| Some(*said) < self.writer.highest))
        {
            record.set("trust", highest.word())?;
        }
        let mut record = self.writer.sign(record)?;
        // What ends a rule is the user's to say: of a file that is trusted less it is kept, and ends nothing.
        if record.claim.kind == STANDING_ENDED && record.claim.trust() > Trust::User {
            record.set("kind", &format!("amem.{}", STANDING_ENDED.replace('.', "-")))?;
        }
        if record.claim.kind == IMPORTED {
            return Ok(record);
        }
        Ok(policy::admit(record)?)
    }

    /// The event that a line of ours was written for, if it is here.
    fn seq_of(&self, incoming: &Incoming) -> Result<Option<u64>> {
        let Ok(record) = Record::parse(incoming.record.as_bytes()) else { return Ok(None) };
        let head = self.space.horizon(None)?;
        let mut select = Select::from(&TIMELINE, head).filter(Filter::Is("id", incoming.id.as_str().into()));
        select = match &record.claim.agent_id {
            Some(agent) => select.filter(Filter::Is("agent", agent.as_str().into())),
            None => select.filter(Filter::IsNull("agent")),
        };
        if let Some(persona) = record.claim.persona {
            select = select.filter(Filter::Is("persona", persona.word().into()));
        }
        let known = self.space.seqs(&select)?.first().copied();
        if known.is_some() { Ok(known) } else { self.space.erased_seq(&incoming.id) }
    }

    /// Whether a file can be opened at all; if not, that is told.
    pub(super) fn can_be_read(&mut self, path: &str) -> bool {
        match self.folder.open_file(path) {
            Ok(_) => true,
            Err(error) => {
                self.report.trouble(TroubleKind::Unread, path, 0, error.to_string(), "");
                false
            }
        }
    }

    /// Looks for events of the log in files that nobody has read: what stands there is not written again.
    pub(super) fn recognise(&mut self) -> Result<()> {
        let report = std::mem::take(&mut self.report);
        for found in list(&self.folder)?.files {
            let known = match found.sort {
                Sort::Events => self.state.known.files.get(&found.path),
                Sort::Trace => self.state.traces.get(&found.path),
                _ => continue,
            };
            if known.is_some_and(|known| (known.bytes, known.changed) == (found.bytes, found.changed)) {
                continue;
            }
            if let Ok(file) = self.folder.read(&found.path) {
                let mut reading = Reading::of(&found, Mode::Recognise);
                self.read_pieces(&mut reading, Summed::new(file), 0, Occurrences::default(), None)?;
            }
        }
        self.report = report;
        Ok(())
    }

    fn id_of(&self, seq: u64) -> Result<String> {
        Ok(self.space.event(seq)?.header.id)
    }

    /// A line of ours whose event is there: either it says what we would write, or somebody changed it.
    fn taken(&mut self, reading: &mut Reading, coming: Coming, seq: u64) -> Result<()> {
        let event = self.space.event(seq)?;
        if event.fields.is_none() {
            let reason =
                format!("event {} was erased from the log: its line was not imported again", coming.incoming.id);
            self.report.trouble(TroubleKind::Remark, reading.path, coming.line, reason, "");
            return Ok(());
        }
        let ours = write_out::line_of(&self.space, &event, &self.source)?;
        // What was filled in when it was written, e.g. the source, may differ from home to home.
        let again = event::read(&ours, &SourcePosition { line: coming.line, occurrence: 1 });
        let as_taken = |record: &str| self.as_file(record).map(|record| record.body);
        let is_same = again.is_ok_and(|again| {
            again.record == coming.incoming.record
                || as_taken(&again.record)
                    .is_ok_and(|ours| as_taken(&coming.incoming.record).is_ok_and(|its| ours == its))
        });
        if is_same {
            self.stands(reading, coming, seq, false);
        } else {
            let reason = format!("the line differs from event {}, which stays as it is", coming.incoming.id);
            self.report.trouble(TroubleKind::Violation, reading.path, coming.line, reason, "");
        }
        Ok(())
    }

    /// A line's event is in the log.
    fn stands(&mut self, reading: &mut Reading, coming: Coming, seq: u64, is_new: bool) {
        reading.count.added += u64::from(is_new);
        reading.ids.insert(seq);
        if is_new && coming.incoming.record.contains("\"note.") {
            self.notes_heard_of.push(seq);
        }
        if seq > self.state.known.written {
            let known = &mut self.state.known;
            // Only what stands in a month's file has a trace's file beside it, and the other way about.
            if reading.found.sort != Sort::Trace {
                known.present.insert(seq);
            }
            if reading.found.sort == Sort::Trace || !write_out::is_a_months(reading.path) {
                known.traced.insert(seq);
            }
        }
        reading.lines.push(KnownLine { print: coming.print, seq });
    }

    /// Writes an event file anew from the log: every line that it had and those that were added to it since.
    pub(super) fn restore(&mut self, path: &str) -> Result<()> {
        let seqs: Vec<u64> = self.state.lines(path).iter().map(|line| line.seq).collect();
        let now = self.written_anew(path, &seqs, original)?;
        self.state.known.files.insert(path.to_owned(), now);
        Ok(())
    }

    /// Puts the lines of some events in a file's place; gives what is known of it then. What stood in it and is no event is
    /// in no log: the old file is kept beside.
    pub(super) fn written_anew(
        &mut self,
        path: &str,
        seqs: &[u64],
        line: fn(&Space, &Event, &str) -> Result<String>,
    ) -> Result<KnownFile> {
        if self.folder.has(path) {
            let sum = self.known_now(path)?.sum;
            self.folder.rename(path, &format!("{path}{BEFORE}{}", &sum[..8]))?;
        }
        let (space, source) = (&self.space, &self.source);
        self.folder.put_with(path, &mut |file| {
            for seq in seqs {
                let line = line(space, &space.event(*seq)?, source)?;
                writeln!(file, "{line}").map_err(io("write", path.as_ref()))?;
            }
            Ok(())
        })?;
        self.report.files_written += 1;
        self.report.trouble(TroubleKind::Remark, path, 0, "the file was rewritten from the log", "");
        self.known_now(path)
    }
}

impl<'a> Reading<'a> {
    pub(super) fn of(found: &'a Found, mode: Mode) -> Self {
        let path = found.path.as_str();
        let count = FileCount { file: path.to_owned(), ..FileCount::default() };
        let (ids, held_back) = Default::default();
        Self { found, path, count, mode, ids, held_back, lines: Vec::new(), batch: Vec::new(), batch_bytes: 0 }
    }
}

/// The line an event came from, or the one we write for it.
fn original(space: &Space, event: &Event, source: &str) -> Result<String> {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Kept {
        raw: Option<String>,
        raw_in: Option<String>,
    }
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Metadata {
        #[serde(rename = "_amem")]
        kept: Kept,
    }
    let Some(fields) = &event.fields else { return write_out::line_of(space, event, source) };
    let metadata = fields.metadata.as_ref().and_then(|m| serde_json::from_str::<Metadata>(m.get()).ok());
    let kept = metadata.unwrap_or_default().kept;
    match kept.raw.or_else(|| kept.raw_in.and(fields.content.clone())) {
        Some(raw) => Ok(raw),
        None => write_out::line_of(space, event, source),
    }
}
