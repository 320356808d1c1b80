//! Finds the JSON objects in an event file as it really is: damaged, concatenated, pretty-printed, or one endless line.

use std::collections::VecDeque;
use std::io::{self, BufRead};

use idetic_core::limits;

use super::Problem;
use super::problem::EXCERPT_MAX_BYTES;

mod nesting;

use nesting::{Nesting, Step};

/// Longest object that is read: the log's largest record and what the export wraps around it.
pub const OBJECT_MAX_BYTES: usize = limits::RECORD_MAX_BYTES + (1 << 20);

/// What some editors put at the beginning of a file.
const MARK: [u8; 3] = [0xef, 0xbb, 0xbf];

/// A part of a file: an object, or something that is none. Together the pieces cover all but blanks and list commas.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// The line it begins on, counted from 1.
    pub first_line: u64,
    /// The line it ends on.
    pub last_line: u64,
    /// Where it begins, in bytes.
    pub offset: u64,
    /// How long it is, in bytes.
    pub length: u64,
    /// What it is.
    pub found: Found,
}

/// What a piece is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// The text of one JSON object, from its brace to its brace. The braces match; the rest is for its reader to check.
    Object(String),
    /// Something that is no object, or a broken one.
    Problem(Problem),
}

/// Reads a file piece by piece. An object longer than the limit becomes a problem and is never held whole.
pub fn scan<R: BufRead>(input: R, limit_bytes: usize) -> Scan<R> {
    let finder = Finder {
        limit_bytes,
        offset: 0,
        line: 1,
        indent: Some(0),
        state: State::Between,
        again: Vec::new(),
        out: VecDeque::new(),
    };
    Scan { input, finder, is_over: false }
}

/// The pieces of one file, in order.
pub struct Scan<R> {
    input: R,
    finder: Finder,
    is_over: bool,
}

impl<R: BufRead> Iterator for Scan<R> {
    type Item = io::Result<Piece>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(piece) = self.finder.out.pop_front() {
                return Some(Ok(piece));
            }
            if let Some(byte) = self.finder.again.pop() {
                self.finder.feed(byte);
                continue;
            }
            if self.is_over {
                return None;
            }
            let chunk = match self.input.fill_buf() {
                Ok(chunk) => chunk,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                Err(e) => {
                    self.is_over = true;
                    self.finder.state = State::Between;
                    return Some(Err(e));
                }
            };
            if chunk.is_empty() {
                // What is rewound at the end is read again, and ends again.
                self.is_over = !self.finder.end();
                continue;
            }
            let mut used = 0;
            for byte in chunk {
                used += 1;
                self.finder.feed(*byte);
                if !self.finder.out.is_empty() || !self.finder.again.is_empty() {
                    break;
                }
            }
            self.input.consume(used);
        }
    }
}

/// The reader without its input: bytes go in one by one, pieces come out.
struct Finder {
    limit_bytes: usize,
    /// Where the next byte stands.
    offset: u64,
    /// On which line.
    line: u64,
    /// How many blanks begin the line, while nothing else was seen on it.
    indent: Option<usize>,
    state: State,
    /// Bytes to read again after a broken object was given up, the next one last.
    again: Vec<u8>,
    out: VecDeque<Piece>,
}

enum State {
    Between,
    Junk(Run),
    Object(Box<Open>),
    Broken(Run),
}

/// A stretch of text that is no object; only its beginning is kept.
struct Run {
    offset: u64,
    line: u64,
    /// Where its last byte that is no blank ends, and on which line.
    end: u64,
    last_line: u64,
    excerpt: Vec<u8>,
    reason: String,
    /// A new object may begin on a line indented no more than this.
    indent: usize,
    /// The last byte on this line that is no blank.
    last: u8,
    closers: u64,
    is_list: bool,
    after: After,
}

/// What is left to follow in a broken object: how deep it is, as far as can be told, so that its end is seen.
#[derive(Default)]
struct After {
    /// Braces and brackets that are open.
    depth: i64,
    /// Brackets among them.
    lists: i64,
    in_text: bool,
    escaped: bool,
    /// The last byte that is no blank, on whatever line.
    last: u8,
    /// Whether something of it stands behind its first line.
    spans: bool,
}

/// An object that is being read.
struct Open {
    offset: u64,
    line: u64,
    indent: usize,
    held: Vec<u8>,
    /// Longer than allowed: no longer held.
    is_over: bool,
    nesting: Nesting,
    /// The first later line that could begin an object of its own: its place in `held`, its number, its indent.
    way_out: Option<(usize, u64, usize)>,
}

impl Finder {
    fn feed(&mut self, byte: u8) {
        // Most bytes stand inside a text and change nothing.
        if let State::Object(open) = &mut self.state
            && open.nesting.is_mere_text(byte)
            && (open.is_over || open.held.len() < self.limit_bytes)
        {
            if !open.is_over {
                open.held.push(byte);
            }
            self.offset += 1;
            return;
        }
        // A byte that ends one state is looked at again in the next.
        loop {
            match std::mem::replace(&mut self.state, State::Between) {
                State::Between if byte == b'{' => self.open(),
                State::Between if is_blank(byte) => break,
                State::Between => self.state = State::Junk(self.run("")),
                State::Junk(run) if byte == b'{' || byte == b'\n' => self.finish_junk(run),
                State::Junk(mut run) => {
                    run.add(byte, self.offset, self.line);
                    self.state = State::Junk(run);
                    break;
                }
                State::Broken(run) if self.is_no_part(&run, byte) => self.finish_broken(run),
                State::Broken(mut run) => {
                    run.add(byte, self.offset, self.line);
                    if run.after.follow(byte) {
                        self.finish_broken(run);
                    } else {
                        self.state = State::Broken(run);
                    }
                    break;
                }
                State::Object(open) => {
                    if self.inside(open, byte) {
                        break;
                    }
                    if !self.again.is_empty() && matches!(self.state, State::Between) {
                        // Rewound: the position is that of the byte to be read again.
                        return;
                    }
                }
            }
        }
        self.advance(byte);
    }

    fn advance(&mut self, byte: u8) {
        self.offset += 1;
        match byte {
            b'\n' => {
                self.line += 1;
                self.indent = Some(0);
            }
            b' ' | b'\t' | b'\r' => self.indent = self.indent.map(|n| n + 1),
            _ => self.indent = None,
        }
    }

    fn run(&self, reason: &str) -> Run {
        Run {
            offset: self.offset,
            line: self.line,
            end: self.offset,
            last_line: self.line,
            excerpt: Vec::new(),
            reason: reason.to_owned(),
            indent: 0,
            last: 0,
            closers: 0,
            is_list: true,
            after: After::default(),
        }
    }

    fn open(&mut self) {
        let open = Open {
            offset: self.offset,
            line: self.line,
            indent: self.indent.unwrap_or(0),
            held: Vec::new(),
            is_over: false,
            nesting: Nesting::default(),
            way_out: None,
        };
        self.state = State::Object(Box::new(open));
    }

    /// Reads one byte of an object. `false` when the byte is to be looked at again.
    fn inside(&mut self, mut open: Box<Open>, byte: u8) -> bool {
        if byte == b'{' && self.line > open.line && open.way_out.is_none() && !open.is_over {
            let indent = self.indent.filter(|n| *n <= open.indent);
            open.way_out = indent.map(|n| (open.held.len(), self.line, n));
        }
        if !open.is_over && open.held.len() == self.limit_bytes {
            open.is_over = true;
            open.held.truncate(EXCERPT_MAX_BYTES);
            open.held.shrink_to_fit();
            open.way_out = None;
        }
        if !open.is_over {
            open.held.push(byte);
        }
        match open.nesting.step(byte) {
            Step::More => self.state = State::Object(open),
            Step::Done => self.finish_object(*open),
            Step::Wrong(reason) => return self.give_up(*open, reason),
            Step::TooDeep(reason) => {
                // Every line that is open would be tried in turn, and each end here again.
                open.way_out = None;
                return self.give_up(*open, reason);
            }
        }
        true
    }

    fn finish_object(&mut self, open: Open) {
        let length = self.offset + 1 - open.offset;
        let found = if open.is_over {
            let reason = format!("an object of {length} bytes: at most {} are read", self.limit_bytes);
            Found::Problem(Problem::new(open.line, reason, &open.held))
        } else {
            match String::from_utf8(open.held) {
                Ok(text) => Found::Object(text),
                Err(e) => {
                    let place = e.utf8_error().valid_up_to() + 1;
                    let reason = format!("not UTF-8: byte {place} of the object is invalid");
                    Found::Problem(Problem::new(open.line, reason, e.as_bytes()))
                }
            }
        };
        self.emit(open.line, self.line, open.offset, length, found);
    }

    /// A broken object: what follows it is read from the next line that can begin one.
    fn give_up(&mut self, mut open: Open, reason: String) -> bool {
        if let Some((at, line, indent)) = open.way_out {
            let problem = Problem::new(open.line, reason, &open.held[..at]);
            let said = open.held[..at].trim_ascii_end().len();
            let breaks = open.held[said..at].iter().filter(|b| **b == b'\n').count();
            let last_line = line.saturating_sub(breaks as u64);
            self.emit(open.line, last_line, open.offset, said as u64, Found::Problem(problem));
            self.offset = open.offset + at as u64;
            self.line = line;
            self.indent = Some(indent);
            self.again.extend(open.held[at..].iter().rev());
            self.state = State::Between;
            return false;
        }
        // The byte it broke at is looked at again, and counted there.
        if !open.is_over {
            open.held.pop();
        }
        let mut run = self.run(&reason);
        run.offset = open.offset;
        run.line = open.line;
        run.indent = open.indent;
        let said = open.held.trim_ascii_end();
        run.last = said.last().copied().unwrap_or(0);
        let (depth, lists) = open.nesting.depth();
        let spans = open.is_over || said.contains(&b'\n');
        run.after = After { depth, lists, last: run.last, spans, ..After::default() };
        open.held.truncate(EXCERPT_MAX_BYTES);
        run.excerpt = open.held;
        self.state = State::Broken(run);
        false
    }

    /// Whether the byte at hand belongs no more to a broken object.
    fn is_no_part(&self, run: &Run, byte: u8) -> bool {
        let begins_line = self.indent.is_some() && self.line > run.line;
        match byte {
            b'{' if run.last == b'}' => true,
            b'{' if begins_line => self.indent.is_some_and(|n| n <= run.indent) || !run.after.may_hold_an_object(),
            _ => begins_line && run.after.is_over_before(byte),
        }
    }

    fn finish_broken(&mut self, run: Run) {
        let problem = Problem::new(run.line, run.reason, &run.excerpt);
        self.emit(run.line, run.last_line, run.offset, run.end - run.offset, Found::Problem(problem));
    }

    fn finish_junk(&mut self, run: Run) {
        let half_mark = run.excerpt.first() == Some(&MARK[0]) && !run.excerpt.starts_with(&MARK);
        let problem = match run.closers {
            _ if half_mark || !run.is_list => Problem::new(run.line, "text outside of any JSON object", &run.excerpt),
            0 => return,
            1 => Problem::harmless(run.line, "a closing brace too many; the object before it was read", &run.excerpt),
            n => {
                let reason = format!("{n} closing braces too many; the object before them was read");
                Problem::harmless(run.line, reason, &run.excerpt)
            }
        };
        self.emit(run.line, run.last_line, run.offset, run.end - run.offset, Found::Problem(problem));
    }

    fn emit(&mut self, first_line: u64, last_line: u64, offset: u64, length: u64, found: Found) {
        self.out.push_back(Piece { first_line, last_line, offset, length, found });
    }

    /// The file ends. `true` when something is to be read again first.
    fn end(&mut self) -> bool {
        match std::mem::replace(&mut self.state, State::Between) {
            State::Between => {}
            State::Junk(run) => self.finish_junk(run),
            State::Broken(run) => self.finish_broken(run),
            State::Object(open) => {
                let reason = "the file ends inside an object".to_owned();
                if open.way_out.is_some() {
                    self.give_up(*open, reason);
                    return true;
                }
                let length = self.offset - open.offset;
                let problem = Problem::new(open.line, reason, &open.held);
                let breaks = open.held.iter().rev().take_while(|b| is_blank(**b)).filter(|b| **b == b'\n').count();
                let last_line = self.line - breaks as u64;
                self.emit(open.line, last_line, open.offset, length, Found::Problem(problem));
            }
        }
        false
    }
}

impl After {
    /// Follows one byte. `true` for the brace that closes the object.
    fn follow(&mut self, byte: u8) -> bool {
        let was = (self.in_text, std::mem::take(&mut self.escaped));
        match byte {
            // A text ends with its line, closed or not.
            b'\n' => self.in_text = false,
            _ if was == (true, true) => {}
            b'\\' => self.escaped = self.in_text,
            b'"' => self.in_text = !self.in_text,
            _ if self.in_text => {}
            b'{' | b'[' => {
                self.depth += 1;
                self.lists += i64::from(byte == b'[');
            }
            b'}' | b']' => {
                self.depth -= 1;
                self.lists -= i64::from(byte == b']');
            }
            _ => {}
        }
        if !is_blank(byte) {
            self.last = byte;
        }
        !self.in_text && byte == b'}' && self.depth <= 0
    }

    /// Whether an object that is indented may be a part of this one: behind a colon or in a list.
    fn may_hold_an_object(&self) -> bool {
        match self.last {
            b':' | b'[' => true,
            b',' => self.lists > 0,
            _ => self.lists > 0 && self.spans,
        }
    }

    /// Whether a line that begins with this byte has nothing to do with an object that was to end on its own line.
    fn is_over_before(&self, byte: u8) -> bool {
        let goes_on = b"\"{}[],:-".contains(&byte) || byte.is_ascii_digit() || is_blank(byte);
        !self.spans && !goes_on && !b"{[,:".contains(&self.last)
    }
}

impl Run {
    fn add(&mut self, byte: u8, offset: u64, line: u64) {
        let at = self.excerpt.len();
        let is_mark = at < MARK.len() && byte == MARK[at] && self.excerpt == MARK[..at];
        if self.excerpt.len() < EXCERPT_MAX_BYTES {
            self.excerpt.push(byte);
        }
        if byte == b'\n' {
            self.last = 0;
        }
        if !is_blank(byte) {
            self.last = byte;
            self.end = offset + 1;
            self.last_line = line;
            self.after.spans |= line > self.line;
            self.closers += u64::from(byte == b'}');
            self.is_list &= b"[],}".contains(&byte) || is_mark;
        }
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

#[cfg(test)]
mod tests;
