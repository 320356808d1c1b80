//! Lines from a stream, in batches of whatever is at hand: read by a thread of its own, bounded in memory.

use std::io::Read;
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError, sync_channel};
use std::thread;
use std::time::Duration;

use idetic_core::limits;
use idetic_memory::{Error, Result};

const CHUNK_BYTES: usize = 128 << 10;
const CHUNKS_AHEAD: usize = 8;
/// How long a line that has begun may keep a full one waiting before it.
const PATIENCE: Duration = Duration::from_millis(1);

/// One line with its number, counted from 1; `Err` says how long a line was that is too long to keep.
pub struct Line {
    /// Its number.
    pub number: u64,
    /// Its bytes without the line break.
    pub bytes: std::result::Result<Vec<u8>, usize>,
}

impl Line {
    fn kept_bytes(&self) -> usize {
        self.bytes.as_ref().map_or(0, Vec::len)
    }
}

/// A stream of lines.
pub struct Lines {
    chunks: Receiver<std::io::Result<Vec<u8>>>,
    /// Bytes behind the last line break.
    begun: Vec<u8>,
    /// How long the line being skipped is so far.
    skipped: usize,
    ready: std::collections::VecDeque<Line>,
    /// The bytes of the lines that are ready.
    ready_bytes: usize,
    number: u64,
    longest: usize,
    ended: bool,
}

impl Lines {
    /// Starts reading; a line of more than `longest` bytes is counted and not kept.
    pub fn read(mut from: Box<dyn Read + Send>, longest: usize) -> Self {
        let (sender, chunks) = sync_channel(CHUNKS_AHEAD);
        thread::spawn(move || {
            loop {
                let mut chunk = vec![0; CHUNK_BYTES];
                let read = match from.read(&mut chunk) {
                    Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                    read => read,
                };
                let last = !matches!(read, Ok(1..));
                let sent = sender.send(read.map(|length| {
                    chunk.truncate(length);
                    chunk
                }));
                if last || sent.is_err() {
                    return;
                }
            }
        });
        let (begun, ready) = Default::default();
        Self { chunks, begun, skipped: 0, ready, ready_bytes: 0, number: 0, longest, ended: false }
    }

    /// Waits for at least one line, then gives what is at hand; empty at the end of the stream.
    pub fn batch(&mut self) -> Result<Vec<Line>> {
        while self.ready.is_empty() && !self.ended {
            let chunk = self.chunks.recv().unwrap_or_else(|_| Ok(Vec::new()));
            self.take(chunk)?;
        }
        while self.has_room() && !self.ended {
            let chunk = match self.chunks.try_recv() {
                // A line that is under way belongs to what is at hand, if it comes at once.
                Err(TryRecvError::Empty) if !self.begun.is_empty() => match self.chunks.recv_timeout(PATIENCE) {
                    Ok(chunk) => chunk,
                    Err(RecvTimeoutError::Timeout) => break,
                    Err(RecvTimeoutError::Disconnected) => Ok(Vec::new()),
                },
                Err(TryRecvError::Empty) => break,
                Err(TryRecvError::Disconnected) => Ok(Vec::new()),
                Ok(chunk) => chunk,
            };
            self.take(chunk)?;
        }
        let (mut bytes, mut count) = (0, 0);
        for line in self.ready.iter().take(limits::STREAM_BATCH_MAX_RECORDS) {
            bytes += line.kept_bytes();
            if count > 0 && bytes > limits::STREAM_BATCH_MAX_BYTES {
                break;
            }
            count += 1;
        }
        let batch: Vec<Line> = self.ready.drain(..count).collect();
        self.ready_bytes -= batch.iter().map(Line::kept_bytes).sum::<usize>();
        Ok(batch)
    }

    /// Whether more may be read before what is ready is handed on.
    fn has_room(&self) -> bool {
        self.ready.len() < limits::STREAM_BATCH_MAX_RECORDS && self.ready_bytes < limits::STREAM_BATCH_MAX_BYTES
    }

    fn take(&mut self, chunk: std::io::Result<Vec<u8>>) -> Result<()> {
        let chunk = chunk.map_err(|e| Error::unavailable(format!("cannot read the input: {e}")))?;
        if chunk.is_empty() {
            self.ended = true;
            if !self.begun.is_empty() || self.skipped > 0 {
                self.finish_line();
            }
            return Ok(());
        }
        let mut rest = chunk.as_slice();
        while let Some(end) = rest.iter().position(|b| *b == b'\n') {
            self.extend(&rest[..end]);
            self.finish_line();
            rest = &rest[end + 1..];
        }
        self.extend(rest);
        Ok(())
    }

    /// A line beyond the limit is only counted from there on.
    fn extend(&mut self, bytes: &[u8]) {
        if self.skipped > 0 || self.begun.len() + bytes.len() > self.longest {
            self.skipped += self.begun.len() + bytes.len();
            self.begun = Vec::new();
        } else {
            self.begun.extend_from_slice(bytes);
        }
    }

    fn finish_line(&mut self) {
        self.number += 1;
        let bytes = match std::mem::take(&mut self.skipped) {
            0 => Ok(std::mem::take(&mut self.begun)),
            length => Err(length),
        };
        let blank = bytes.as_ref().is_ok_and(|b| b.iter().all(u8::is_ascii_whitespace));
        if !blank {
            let line = Line { number: self.number, bytes };
            self.ready_bytes += line.kept_bytes();
            self.ready.push_back(line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &'static [u8]) -> Vec<(u64, std::result::Result<String, usize>)> {
        let mut lines = Lines::read(Box::new(text), limits::RECORD_MAX_BYTES);
        let mut found = Vec::new();
        loop {
            let batch = lines.batch().expect("reads");
            if batch.is_empty() {
                return found;
            }
            found.extend(
                batch.into_iter().map(|l| (l.number, l.bytes.map(|b| String::from_utf8_lossy(&b).into_owned()))),
            );
        }
    }

    #[test]
    fn lines_keep_their_numbers_and_blank_ones_are_passed_over() {
        let (a, b) = (Ok("a".to_owned()), Ok("b".to_owned()));
        assert_eq!(all(b"a\n\n  \nb"), [(1, a.clone()), (4, b.clone())]);
        assert_eq!(all(b"a\nb\n"), [(1, a), (2, b)]);
        assert_eq!(all(b""), []);
    }

    #[test]
    fn a_line_without_end_is_counted_and_not_kept() {
        let length = limits::RECORD_MAX_BYTES * 3;
        let text = Read::chain(std::io::repeat(b'x').take(length as u64), &b"\nb\n"[..]);
        let mut lines = Lines::read(Box::new(text), limits::RECORD_MAX_BYTES);
        let mut found: Vec<Line> = Vec::new();
        while found.len() < 2 {
            found.extend(lines.batch().expect("reads"));
        }
        assert_eq!(found[0].bytes, Err(length));
        assert_eq!(found[1].bytes, Ok(b"b".to_vec()));
    }
}
