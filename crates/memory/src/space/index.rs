//! Long-term memory: every event is one document of its lane, in files that are sealed and joined as the log grows, with
//! the last few documents in memory.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, PoisonError};

use idetic_core::views::{GRADES, RETIRED, Value};
use idetic_core::words::Persona;
use idetic_core::{Event, Hash};
use idetic_search::{
    Block, Builder, Changes, Codes, CodesBuilder, Document, InputHash, Lane, LaneSection, Lanes, Segment, id_hash, join,
};
use idetic_store::{Blocks, Error as StoreError, LaneFile, Made, Manifest, Select, Series};

use crate::{Cause, Error, Result, Space};

/// Events behind the files from which on a reader seals them: what is not sealed is read and indexed by every process.
const SEAL_EVENTS: u64 = 256;
/// Fewest vectors worth a file while others wait.
const SEAL_VECTORS: usize = 256;
/// Most events sealed into one file at once.
const SEAL_MOST_EVENTS: u64 = 16_384;
/// Most events in a file that a reader joins from smaller ones; larger ones are left to a dream.
const READER_JOINS_EVENTS: u64 = 131_072;
/// Events read at a time.
const PAGE_EVENTS: usize = 1000;
/// Stands for the hash of the event before the first.
const BEFORE_ALL: Hash = Hash([0; 32]);
/// How often the files are looked at again when they are exchanged meanwhile.
const TRIES: usize = 8;

/// The documents of a space up to a seq.
pub struct LongTerm {
    /// The last event it covers, and its hash.
    pub covers: u64,
    hash: Hash,
    /// How often something had been erased when it was made.
    erasures: u64,
    files: Vec<Arc<LaneFile>>,
    /// The documents behind the files, by lane.
    tail: BTreeMap<String, Block>,
}

/// The vectors of those documents by one model.
pub(crate) struct VectorIndex {
    files: Vec<Arc<LaneFile>>,
    tail: BTreeMap<String, Block>,
}

/// A document as it waits for its vectors.
#[derive(Debug, Clone)]
pub struct Waiting {
    /// The number of its event.
    pub seq: u64,
    /// The hash of its text.
    pub input: InputHash,
    /// How many words it has.
    pub length: u32,
    lane: Arc<str>,
}

/// The mark of a document that was left out of a file before it was ever tried.
fn not_tried(document: &Waiting) -> (InputHash, Made) {
    (document.input, Made::Failed { tries: 0, why: String::new() })
}

/// The vectors of some documents, by lane.
struct Gathered {
    blocks: Blocks,
    /// Those that were never tried.
    pending: Vec<Waiting>,
}

impl LongTerm {
    /// The names of all lanes, their quiet parts among them.
    pub fn lane_names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.files.iter().flat_map(|f| f.lanes()).map(str::to_owned).collect();
        names.extend(self.tail.keys().cloned());
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Whether there is a lane of a name.
    pub fn has(&self, name: &str) -> bool {
        self.tail.contains_key(name) || self.files.iter().any(|file| file.lanes().any(|lane| lane == name))
    }

    /// The segments of a lane, in order of seq.
    pub fn segments(&self, lane: &str) -> Result<Vec<Segment<'_>>> {
        let mut segments = Vec::new();
        for file in &self.files {
            if let Some(block) = file.block(lane)? {
                segments.push(read_segment(block)?);
            }
        }
        if let Some(block) = self.tail.get(lane) {
            segments.push(read_segment(block.bytes())?);
        }
        Ok(segments)
    }

    /// How many of some lanes' documents have a seq of at most `seq`.
    pub fn count(&self, lanes: &[String], seq: u64) -> Result<u64> {
        let mut count = 0;
        for lane in lanes {
            count += self.segments(lane)?.iter().map(|segment| segment.visible_at(seq) as u64).sum::<u64>();
        }
        Ok(count)
    }

    /// The last event of some lanes up to a seq; 0 where there is none.
    pub fn last(&self, lanes: &[String], seq: u64) -> Result<u64> {
        let mut last = 0;
        for lane in lanes {
            for segment in self.segments(lane)? {
                let before = segment.visible_at(seq).checked_sub(1);
                last = last.max(before.map_or(0, |at| segment.seqs[at]));
            }
        }
        Ok(last)
    }

    /// The number of documents up to a seq, and a hash of which they are. They are numbered without what was erased.
    pub fn digest(&self, seq: u64) -> Result<(u64, Hash)> {
        let mut bytes = Vec::new();
        let mut rows = 0;
        let mut all: Vec<u64> = Vec::new();
        for name in self.lane_names() {
            self.segments(&name)?.iter().for_each(|segment| all.extend_from_slice(segment.seqs));
        }
        all.sort_unstable();
        for name in self.lane_names() {
            let segments = self.segments(&name)?;
            let count: usize = segments.iter().map(|segment| segment.visible_at(seq)).sum();
            if count == 0 {
                continue;
            }
            rows += count as u64;
            bytes.extend((name.len() as u64).to_le_bytes());
            bytes.extend(name.as_bytes());
            for segment in segments {
                for (seq, input) in segment.seqs.iter().zip(segment.inputs).take(segment.visible_at(seq)) {
                    let rank = all.partition_point(|other| other <= seq) as u64;
                    bytes.extend(rank.to_le_bytes());
                    bytes.extend(input);
                }
            }
        }
        Ok((rows, Hash::of(&bytes)))
    }

    /// How many documents with words there are up to a seq.
    pub fn count_with_words(&self, seq: u64) -> Result<u64> {
        let names: Vec<String> = self.lane_names().into_iter().filter(|name| !is_quiet(name)).collect();
        self.count(&names, seq)
    }

    /// Some lanes as one, up to a seq.
    pub(crate) fn lanes<'a>(
        &'a self,
        names: &[String],
        vector_index: Option<&'a VectorIndex>,
        changes: &'a HashMap<String, Changes>,
        gone: &BTreeSet<u64>,
        horizon: u64,
    ) -> Result<Lanes<'a>> {
        static NONE: std::sync::LazyLock<Changes> = std::sync::LazyLock::new(Changes::default);
        let (mut segments, mut codes) = (Vec::new(), Vec::new());
        for name in names {
            // What became of documents is known by lane, whichever part of it they are in.
            let lane = Lane::named(name).map(|(lane, _)| lane.name());
            let changes = lane.and_then(|lane| changes.get(&lane)).unwrap_or(&NONE);
            segments.extend(self.segments(name)?.into_iter().map(|segment| (segment, changes)));
            if let Some(vector_index) = vector_index {
                codes.extend(vector_index.codes(name)?);
            }
        }
        Ok(Lanes::without(gone, segments, codes, horizon))
    }

    /// The documents with words behind a seq, of some lanes or of all, in order: those that may wait for vectors.
    pub fn behind(&self, seq: u64, lanes: Option<&[String]>) -> Result<Vec<Waiting>> {
        let mut waiting = Vec::new();
        let names = lanes.map_or_else(|| self.lane_names(), <[String]>::to_vec);
        for name in names.iter().filter(|name| !is_quiet(name)) {
            let lane: Arc<str> = name.as_str().into();
            for segment in self.segments(name)? {
                let from = segment.visible_at(seq);
                let documents = segment.seqs[from..].iter().zip(&segment.inputs[from..]).zip(&segment.lengths[from..]);
                waiting.extend(documents.map(|((&seq, &input), &length)| Waiting {
                    seq,
                    input,
                    length,
                    lane: Arc::clone(&lane),
                }));
            }
        }
        waiting.sort_unstable_by_key(|document| document.seq);
        Ok(waiting)
    }
}

impl VectorIndex {
    /// How many documents of some lanes have vectors.
    pub fn documents(&self, lanes: &[String]) -> Result<u64> {
        let mut documents = 0;
        for lane in lanes {
            documents += self.codes(lane)?.iter().map(|codes| codes.documents() as u64).sum::<u64>();
        }
        Ok(documents)
    }

    fn codes(&self, lane: &str) -> Result<Vec<Codes<'_>>> {
        let sealed = self.files.iter().filter_map(|file| file.block(lane).transpose());
        let all = sealed.chain(self.tail.get(lane).map(|block| Ok(block.bytes())));
        all.map(|block| Codes::read(block?).map_err(damaged)).collect()
    }
}

fn read_segment(block: &[u8]) -> Result<Segment<'_>> {
    Segment::read(block).map_err(damaged)
}

/// A file is listed and stays away, however often the list is read again.
fn missing() -> Error {
    StoreError::Corrupt("a file of the index is missing".to_owned()).into()
}

fn damaged(damaged: idetic_search::Damaged) -> Error {
    StoreError::Corrupt(damaged.to_string()).into()
}

fn is_quiet(lane: &str) -> bool {
    Lane::named(lane).is_none_or(|(_, part)| part == LaneSection::Internal)
}

impl Space {
    /// The documents up to at least a seq that the log has reached. Whoever finds many that are not sealed seals them.
    pub fn long_term(&self, seq: u64) -> Result<Arc<LongTerm>> {
        let erasures = self.erasures();
        let kept = self.kept_long_term().clone().filter(|kept| kept.covers >= seq && kept.erasures == erasures);
        // Somebody else may have put another log in place of the one this was made from.
        if let Some(kept) = kept
            && kept.files.iter().all(|file| file.is_untouched())
            && self.hash_at(kept.covers)? == Some(kept.hash)
        {
            return Ok(kept);
        }
        if self.lane_files().list_is_damaged() {
            self.discard_index("its list of files is damaged")?;
        }
        let made = match self.index_up_to(seq) {
            // What cannot be read is thrown away and rebuilt: it is derived.
            Err(error) if error.cause == Cause::Corrupt => {
                self.discard_index(&error.message)?;
                self.index_up_to(seq)?
            }
            made => made?,
        };
        let made = Arc::new(made);
        *self.kept_long_term() = Some(Arc::clone(&made));
        Ok(made)
    }

    /// Throws a damaged index away; whoever recalls next makes it anew.
    pub(crate) fn discard_index(&self, why: &str) -> Result<()> {
        self.lane_files().discard()?;
        self.record_repair(format!("the recall index was damaged ({why}): it is rebuilt from the log"));
        Ok(())
    }

    /// The hash of an event that is there; before the first one nothing was.
    fn hash_at(&self, seq: u64) -> Result<Option<Hash>> {
        Ok(if seq == 0 { Some(BEFORE_ALL) } else { self.log().read(seq, 1)?.first().map(|stored| stored.hash) })
    }

    /// Lets go of what is kept in memory, e.g. because files were thrown away.
    pub fn forget_long_term(&self) {
        *self.kept_long_term() = None;
    }

    fn kept_long_term(&self) -> std::sync::MutexGuard<'_, Option<Arc<LongTerm>>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn index_up_to(&self, seq: u64) -> Result<LongTerm> {
        self.seal_documents(seq, &mut |_, _| {})?;
        for _ in 0..TRIES {
            // Before anything is read: what is erased meanwhile makes this one old.
            let erasures = self.erasures();
            let manifest = self.lane_files().manifest();
            self.check_manifest(&manifest)?;
            let Some(files) = self.lane_files().map(&manifest, Series::Documents)? else { continue };
            files.iter().try_for_each(|file| file.check())?;
            let (covered, sealed_hash) = manifest.covered(Series::Documents);
            let (tail, tail_hash) = self.index(covered + 1, seq.max(covered))?;
            let tail = tail.into_iter().map(|(lane, block)| (lane, Block::new(&block))).collect();
            let hash = if seq > covered { tail_hash } else { sealed_hash };
            return Ok(LongTerm { covers: seq.max(covered), hash, erasures, files, tail });
        }
        Err(missing())
    }

    /// The last event the files cover must be the one that is there.
    fn check_manifest(&self, manifest: &Manifest) -> Result<()> {
        let (seq, hash) = manifest.covered(Series::Documents);
        if seq == 0 {
            return Ok(());
        }
        match self.log().read(seq, 1)?.first() {
            Some(event) if event.hash == hash => Ok(()),
            Some(_) => Err(StoreError::Replaced { seq }.into()),
            None => Err(StoreError::Shortened { have: self.log().tip()?.seq, had: seq }.into()),
        }
    }

    /// Seals the documents up to a seq, once there are enough of them that are not.
    pub fn seal_documents(&self, seq: u64, progress: &mut dyn FnMut(u64, u64)) -> Result<()> {
        let files = self.lane_files();
        let behind = |manifest: &Manifest| seq.saturating_sub(manifest.covered(Series::Documents).0);
        if behind(&files.manifest()) < SEAL_EVENTS {
            return Ok(());
        }
        let Some(writing) = files.try_write()? else { return Ok(()) };
        loop {
            let manifest = files.manifest();
            self.check_manifest(&manifest)?;
            let (covered, _) = manifest.covered(Series::Documents);
            if behind(&manifest) < SEAL_EVENTS {
                return Ok(());
            }
            let to = seq.min(covered + SEAL_MOST_EVENTS);
            let (blocks, hash) = self.index(covered + 1, to)?;
            match writing
                .seal(Series::Documents, to, hash, &blocks)
                .and_then(|_| writing.merge(Series::Documents, READER_JOINS_EVENTS, join_documents))
            {
                // On a full disk nothing can be sealed, and yet everything can be found.
                Err(StoreError::Unavailable(_) | StoreError::DiskFull) => return Ok(()),
                sealed => sealed?,
            };
            progress(to, seq);
        }
    }

    /// The documents of some events by lane, and the hash of the last of them.
    fn index(&self, from: u64, to: u64) -> Result<(Blocks, Hash)> {
        let mut builders: BTreeMap<String, Builder> = BTreeMap::new();
        let (mut next, mut hash) = (from, Hash([0; 32]));
        while next <= to {
            let count = usize::try_from(to - next + 1).unwrap_or(PAGE_EVENTS).min(PAGE_EVENTS);
            for stored in self.page(next, count)? {
                hash = stored.hash;
                let event = Event::read(&stored)?;
                let text = event.whole_text();
                let Some((lane, document)) = Document::of(&event, &text) else { continue };
                let builder = builders.entry(lane).or_insert_with_key(|lane| Builder::new(lane));
                let pushed = builder.push(&document);
                pushed.map_err(|error| Error::unavailable(error.to_string()))?;
            }
            next += count as u64;
        }
        Ok((builders.into_iter().map(|(lane, builder)| (lane, builder.finish())).collect(), hash))
    }

    /// The vectors of a model for what is indexed of some lanes.
    pub(crate) fn vector_index(
        &self,
        long_term: &LongTerm,
        lanes: &[String],
        model: &str,
        dimensions: usize,
    ) -> Result<VectorIndex> {
        self.with_whole_vectors(model, || {
            self.seal_whole_vectors(model, dimensions)?;
            self.read_vector_index(long_term, lanes, model, dimensions)
        })
    }

    /// Works with the vector files of a model. Those that cannot be read are let go and the work is done again: what they
    /// held is sealed anew from the vectors that are kept.
    fn with_whole_vectors<T>(&self, model: &str, work: impl Fn() -> Result<T>) -> Result<T> {
        match work() {
            Err(error) if error.cause == Cause::Corrupt => {
                if let Some(writing) = self.lane_files().write()? {
                    writing.forget(model)?;
                }
                self.record_repair(format!(
                    "the index of vectors was damaged ({error}): it is rebuilt from vectors.db"
                ));
                work()
            }
            done => done,
        }
    }

    fn read_vector_index(
        &self,
        long_term: &LongTerm,
        lanes: &[String],
        model: &str,
        dimensions: usize,
    ) -> Result<VectorIndex> {
        for _ in 0..TRIES {
            let manifest = self.lane_files().manifest();
            let series = Series::Vectors(model);
            let Some(files) = self.lane_files().map(&manifest, series)? else { continue };
            self.lane_files().check_changed(&manifest, series, &files, lanes)?;
            let loose = long_term.behind(manifest.covered(series).0, Some(lanes))?;
            let tail = self.codes(model, dimensions, &loose)?.blocks;
            let tail = tail.into_iter().map(|(lane, block)| (lane, Block::new(&block))).collect();
            let vector_index = VectorIndex { files, tail };
            vector_index.documents(lanes)?;
            return Ok(vector_index);
        }
        Err(missing())
    }

    /// The vectors of some documents by lane.
    fn codes(&self, model: &str, dimensions: usize, documents: &[Waiting]) -> Result<Gathered> {
        let mut builders: BTreeMap<String, CodesBuilder> = BTreeMap::new();
        let mut pending = Vec::new();
        for page in documents.chunks(PAGE_EVENTS) {
            let inputs: Vec<InputHash> = page.iter().map(|document| document.input).collect();
            for (document, made) in page.iter().zip(self.vectors().get(model, &inputs)?) {
                match made {
                    Some(Made::Vectors(vectors)) if vectors.iter().all(|v| v.len() == dimensions) => {
                        let builder = builders.entry(document.lane.to_string());
                        builder.or_insert_with(|| CodesBuilder::new(dimensions)).push(document.seq, &vectors);
                    }
                    // One that is refused again and again must not hold up all that come after it.
                    Some(Made::Failed { .. }) => {}
                    _ => pending.push(document.clone()),
                }
            }
        }
        let blocks = builders.into_iter().map(|(lane, builder)| (lane, builder.finish())).collect();
        Ok(Gathered { blocks, pending })
    }

    /// Seals the vectors of documents that are sealed: up to the first that waits, or past those that wait where enough
    /// behind them have theirs.
    pub fn seal_vectors(&self, model: &str, dimensions: usize) -> Result<()> {
        self.with_whole_vectors(model, || self.seal_whole_vectors(model, dimensions))
    }

    fn seal_whole_vectors(&self, model: &str, dimensions: usize) -> Result<()> {
        let files = self.lane_files();
        let series = Series::Vectors(model);
        let (documents, covered) = {
            let manifest = files.manifest();
            (manifest.covered(Series::Documents).0, manifest.covered(series).0)
        };
        if documents <= covered {
            return Ok(());
        }
        // Before the lock is taken: whoever finds damage waits for it.
        let long_term = self.long_term(documents)?;
        let Some(writing) = files.try_write()? else { return Ok(()) };
        loop {
            let covered = files.manifest().covered(series).0;
            let mut to = documents.min(covered + SEAL_MOST_EVENTS);
            if to <= covered {
                return Ok(());
            }
            let mut loose = long_term.behind(covered, None)?;
            loose.retain(|document| document.seq <= to);
            let Gathered { mut blocks, pending } = self.codes(model, dimensions, &loose)?;
            if let Some(first) = pending.first().map(|document| document.seq) {
                let before = loose.partition_point(|document| document.seq < first);
                if before >= SEAL_VECTORS {
                    to = first - 1;
                    blocks = self.codes(model, dimensions, &loose[..before])?.blocks;
                } else if loose.len() - before - pending.len() >= SEAL_VECTORS.max(pending.len()) {
                    // A few that nobody embeds, e.g. because their agent is away, must not keep the others out of the
                    // files. They are marked, so that the file is rebuilt when their vectors come. A backlog that is
                    // being embedded is not marked: the file would be rebuilt with every batch.
                    self.vectors().put(model, &pending.iter().map(not_tried).collect::<Vec<_>>())?;
                } else {
                    return Ok(());
                }
            }
            let hash = self.page(to, 1)?.first().map_or(Hash([0; 32]), |stored| stored.hash);
            writing.seal(series, to, hash, &blocks)?;
            writing.merge(series, READER_JOINS_EVENTS, |parts| join_codes(parts, dimensions))?;
        }
    }

    /// Forgets every vector of a model, under one lock: nobody seals meanwhile what is about to go.
    pub fn forget_vectors(&self, model: &str) -> Result<()> {
        let writing = self.lane_files().write()?;
        if let Some(writing) = &writing {
            writing.forget(model)?;
        }
        self.raw_log().forget_vectors(model)?;
        match self.vectors().forget(model) {
            // Nothing in it can be read: whoever wants its vectors forgotten has them forgotten with the others'.
            Err(StoreError::VectorsDamaged(_)) => Ok(self.vectors().discard()?),
            forgotten => Ok(forgotten?),
        }
    }

    /// Joins files as far as there are enough of one size, however large they are.
    pub fn join_files(&self, model: Option<(&str, usize)>) -> Result<bool> {
        // What is damaged is rebuilt before it is joined.
        self.long_term(self.log().tip()?.seq)?;
        if let Some((model, dimensions)) = model {
            self.check_vectors(model, dimensions)?;
        }
        let mut joined = match self.lane_files().write()? {
            Some(writing) => writing.merge(Series::Documents, u64::MAX, join_documents)?,
            None => return Ok(false),
        };
        if let Some((model, dimensions)) = model {
            joined |= self.with_whole_vectors(model, || {
                let Some(writing) = self.lane_files().write()? else { return Ok(false) };
                Ok(writing.merge(Series::Vectors(model), u64::MAX, |parts| join_codes(parts, dimensions))?)
            })?;
        }
        Ok(joined)
    }

    /// Readers take the vectors as they are where the files look as they did when they were last checked: a dream checks
    /// them however they look, and lets those that are damaged be sealed anew.
    fn check_vectors(&self, model: &str, dimensions: usize) -> Result<()> {
        self.with_whole_vectors(model, || {
            let manifest = self.lane_files().manifest();
            let files = self.lane_files().map(&manifest, Series::Vectors(model))?.unwrap_or_default();
            files.iter().try_for_each(|file| file.check())?;
            self.seal_whole_vectors(model, dimensions)
        })
    }

    /// What later events said about documents, by lane, as of a seq.
    pub fn changes(&self, seq: u64) -> Result<HashMap<String, Changes>> {
        let mut changes: HashMap<String, Changes> = HashMap::new();
        let lane = |agent: &Value, persona: &Value| {
            let persona = persona.text().and_then(|word| Persona::parse(word).ok());
            let agent = agent.text().unwrap_or_default().to_owned();
            persona.map_or(Lane::Shared, |persona| Lane::Of(agent, persona)).name()
        };
        for row in self.select(&Select::from(&RETIRED, seq))? {
            let Some([agent, persona, id, trust]) = row.values.first_chunk() else { continue };
            let (id, trust) = (id_hash(id.text().unwrap_or_default()), u8::try_from(trust.int()).unwrap_or(u8::MAX));
            changes.entry(lane(agent, persona)).or_default().retired.insert(id, (row.born, trust));
        }
        for row in self.select(&Select::from(&GRADES, seq))? {
            let Some([agent, persona, id, importance]) = row.values.first_chunk() else { continue };
            let id = id_hash(id.text().unwrap_or_default());
            #[expect(clippy::cast_precision_loss, reason = "thousandths")]
            let importance = importance.int() as f32 / 1000.0;
            changes.entry(lane(agent, persona)).or_default().importances.insert(id, (row.born, importance));
        }
        Ok(changes)
    }
}

fn join_documents(parts: &[&[u8]]) -> idetic_store::Result<Vec<u8>> {
    let mut segments = Vec::with_capacity(parts.len());
    for part in parts {
        segments.push(Segment::read(part).map_err(|damaged| StoreError::Corrupt(damaged.to_string()))?);
    }
    Ok(join(&segments))
}

fn join_codes(parts: &[&[u8]], dimensions: usize) -> idetic_store::Result<Vec<u8>> {
    let mut joined = CodesBuilder::new(dimensions);
    for part in parts {
        joined.append(&Codes::read(part).map_err(|damaged| StoreError::Corrupt(damaged.to_string()))?);
    }
    Ok(joined.finish())
}
