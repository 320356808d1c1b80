//! One archive file: gzip of a line that says what follows, and the events as they are exported. docs/format.md has it.

use std::io::{BufRead, BufReader, Read, Write};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use idetic_core::chain::Fault;
use idetic_core::{Hash, SpaceId, Stored, Tip, limits, transfer};
use serde::{Deserialize, Serialize};

use crate::log::Log;
use crate::{Error, Result};

/// Most events in a file: to read one event, all of its file is unpacked.
const FILE_EVENTS: usize = 1024;
/// Bytes of bodies at which a file is closed before it has that many.
const FILE_BODY_BYTES: usize = 4 << 20;
/// Events read at a time while a file is gathered, so that long bodies do not fill the memory.
const PAGE_EVENTS: usize = 64;
/// Longest file that is read: bodies that cannot be compressed, the largest record beyond them, and the headers.
const FILE_MAX_BYTES: u64 = 64 << 20;
/// The version of this format.
const VERSION: u32 = 1;

/// The first line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Opening {
    idetic_archive: u32,
    space: String,
    /// The first event.
    pub first: u64,
    /// The last event.
    pub last: u64,
    /// The hash before the first event.
    before: Hash,
    /// The hash of the last event.
    pub after: Hash,
    /// BLAKE3 of the lines that follow.
    content: Hash,
}

/// What a file holds: whole events, up to the first that is not.
#[derive(Debug)]
pub struct Contents {
    pub events: Vec<Stored>,
    /// Where the first damaged event is, and what is wrong with it.
    pub damage: Option<(u64, Fault)>,
}

impl Opening {
    /// Whether it is a file of this space.
    pub fn is_of(&self, space: SpaceId) -> bool {
        self.idetic_archive == VERSION && self.space == space.to_string()
    }
}

/// The events of the next file.
pub fn gather(log: &dyn Log, from: u64, up_to: u64) -> Result<Vec<Stored>> {
    let (mut events, mut bytes): (Vec<Stored>, usize) = (Vec::new(), 0);
    let most = usize::try_from(up_to - from + 1).unwrap_or(usize::MAX).min(FILE_EVENTS);
    while events.len() < most && bytes < FILE_BODY_BYTES {
        let page = log.read(from + events.len() as u64, PAGE_EVENTS.min(most - events.len()))?;
        if page.is_empty() {
            return Err(Error::Unavailable("the log was replaced while it was being archived".to_owned()));
        }
        for event in page {
            if bytes < FILE_BODY_BYTES {
                bytes += event.secret.as_ref().map_or(0, |secret| secret.body.len());
                events.push(event);
            }
        }
    }
    Ok(events)
}

/// The bytes of a file that holds these events.
pub fn encode(events: &[Stored]) -> Result<Vec<u8>> {
    let (Some(first), Some(last)) = (events.first(), events.last()) else {
        return Err(Error::Unavailable("an archive file holds at least one event".to_owned()));
    };
    let mut content = String::new();
    for event in events {
        content += &transfer::to_line(event)?;
        content.push('\n');
    }
    let opening = Opening {
        idetic_archive: VERSION,
        space: first.header.space.to_string(),
        first: first.header.seq,
        last: last.header.seq,
        before: first.header.prev_hash,
        after: last.hash,
        content: Hash::of(content.as_bytes()),
    };
    let failed = || Error::io("cannot compress events");
    let opening = serde_json::to_string(&opening).map_err(|e| Error::Unavailable(e.to_string()))?;
    let mut packed = GzEncoder::new(Vec::with_capacity(content.len() / 2), Compression::default());
    writeln!(packed, "{opening}").map_err(failed())?;
    packed.write_all(content.as_bytes()).map_err(failed())?;
    packed.finish().map_err(failed())
}

/// The bytes of a file, never more of them than one can have.
pub fn read(path: &std::path::Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(FILE_MAX_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// What a file says it holds.
pub fn opening(bytes: &[u8]) -> Option<Opening> {
    let mut lines = BufReader::new(GzDecoder::new(bytes));
    serde_json::from_str(&line(&mut lines)?).ok()
}

/// The events of a file, each checked against the one before it: they follow one tip and lead to the hash of another.
pub fn decode(bytes: &[u8], before: Tip, after: Tip) -> Contents {
    let mut lines = BufReader::new(GzDecoder::new(bytes));
    let mut contents = Contents { events: Vec::new(), damage: None };
    let said = line(&mut lines).and_then(|line| serde_json::from_str::<Opening>(&line).ok());
    let expected = |o: &Opening| o.is_of(before.space) && (o.first, o.last) == (before.seq + 1, after.seq);
    let mut tip = before;
    if !said.as_ref().is_some_and(expected) {
        contents.damage = Some((before.seq + 1, Fault::Archive));
        return contents;
    }
    while tip.seq < after.seq {
        let read = line(&mut lines).and_then(|line| transfer::from_line(&line).ok()).ok_or(Fault::Archive);
        match read.and_then(|event| tip.follow(&event).map(|next| (event, next))) {
            Ok((event, next)) => {
                tip = next;
                contents.events.push(event);
            }
            Err(fault) => {
                contents.damage = Some((tip.seq + 1, fault));
                return contents;
            }
        }
    }
    if tip != after {
        contents.damage = Some((after.seq, Fault::Link));
        contents.events.pop();
    }
    contents
}

/// A whole line, without its end; nothing where there is none or it is longer than any can be.
fn line(lines: &mut impl BufRead) -> Option<String> {
    let mut line = String::new();
    lines.take(limits::EXPORT_LINE_MAX_BYTES as u64).read_line(&mut line).ok()?;
    line.ends_with('\n').then(|| {
        line.pop();
        line
    })
}
