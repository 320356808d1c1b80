//! Where answers go: JSON for programs, text for people, progress and notices beside them.

use std::io::{self, BufWriter, ErrorKind, IsTerminal, StdoutLock, Write};
use std::process::exit;

use idetic_ops::{Error, EventReply, Home, Memory, Reply, Result};
use indicatif::{ProgressBar, ProgressStyle};

use crate::environment::no_color;
use crate::human::HumanOutput;

/// The answers of one run.
pub struct Output {
    out: BufWriter<StdoutLock<'static>>,
    people: Option<HumanOutput>,
    /// Whoever reads a terminal or waits for an acknowledgement must not wait for a buffer to fill.
    at_once: bool,
    /// Whether there was an answer.
    answered: bool,
}

impl Output {
    /// The output of an operation; `writes_data` if what it prints is for programs in any case.
    pub fn new(json: bool, operation: &str, writes_data: bool, home: &Home) -> Self {
        let stdout = io::stdout();
        let terminal = stdout.is_terminal();
        let machine_only = json || writes_data;
        let config = Memory::read_config(&home.folder).ok();
        let people =
            (!machine_only).then(|| HumanOutput::new(terminal, no_color(), operation == "get", config.as_ref()));
        let at_once = terminal || matches!(operation, "log");
        Self { out: BufWriter::with_capacity(64 << 10, stdout.lock()), people, at_once, answered: false }
    }

    /// Writes one answer.
    pub fn write(&mut self, reply: Reply) -> Result<()> {
        self.answered = true;
        let written = match (&self.people, &reply) {
            (Some(people), reply) => people.show(&mut self.out, reply),
            (None, Reply::Event(EventReply::Acks(acks))) => acks.iter().try_for_each(|ack| line(&mut self.out, ack)),
            (None, reply) => line(&mut self.out, reply),
        };
        let acknowledges = matches!(reply, Reply::Event(EventReply::Acks(_)));
        let flush = self.at_once || acknowledges;
        let written = written.and_then(|()| if flush { self.out.flush() } else { Ok(()) });
        written.map_err(|e| if acknowledges { unheard(&e) } else { lost(e) })
    }

    /// Writes out what is left. A failure before it counts for more than one here. A person who asked for a list is told
    /// that it is empty.
    pub fn finish(&mut self, done: Result<()>, is_list: bool) -> Result<()> {
        let flushed = self.out.flush();
        done.and_then(|()| flushed.map_err(lost))?;
        if is_list && !self.answered && self.people.is_some() {
            notice("there are none", false);
        }
        Ok(())
    }
}

fn line(out: &mut impl Write, value: &impl serde::Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *out, value)?;
    writeln!(out)
}

/// A reader that has seen enough, like `head`, is no error.
fn lost(error: io::Error) -> Error {
    if error.kind() == ErrorKind::BrokenPipe {
        exit(0);
    }
    Error::unavailable(format!("cannot write the answer: {error}"))
}

/// A stream that can no longer acknowledge must not end as if all of it had been appended.
fn unheard(error: &io::Error) -> Error {
    Error::unavailable(format!("cannot acknowledge what was appended: {error}"))
        .hint("`idetic log` shows what was appended; send the rest again")
}

/// Writes a text that is no answer of an operation.
pub fn print(text: &[u8]) -> Result<()> {
    io::stdout().write_all(text).map_err(lost)
}

/// Says something beside the answers.
pub fn notice(text: &str, json: bool) {
    // Whoever does not listen misses it.
    let mut err = io::stderr();
    let _ = if json { writeln!(err, "{}", serde_json::json!({ "note": text })) } else { writeln!(err, "note: {text}") };
}

/// A bar on long work, in a terminal only.
#[derive(Default)]
pub struct Progress {
    bar: Option<ProgressBar>,
}

impl Progress {
    /// How far it is.
    pub fn advance(&mut self, done: u64, of: u64) {
        if !io::stderr().is_terminal() {
            return;
        }
        let bar = self.bar.get_or_insert_with(|| {
            let style = ProgressStyle::with_template("{bar:40} {human_pos}/{human_len} events, {eta} left");
            ProgressBar::new(of).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
        });
        bar.set_length(of);
        bar.set_position(done);
    }

    /// Takes the bar away.
    pub fn finish(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}
