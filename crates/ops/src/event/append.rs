//! `append`: JSONL in, one acknowledgement a record out, each printed only once it is on disk.

use std::io::Read;
use std::path::{Path, PathBuf};

use clap::Args;
use idetic_core::{Fields, Invalid, Record, limits};
use idetic_memory::space::append::by_hand;
use idetic_memory::viewpoint::Viewpoint;
use idetic_memory::{Ack, Cause, Error, EventNumber, Kind, Result};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::Context;
use crate::lines::{Line, Lines};
use crate::operation::operation;

operation! {
    name: "append",
    about: "Append records, one JSON object per line, and acknowledge each once it is on disk",
    example: "echo '{\"kind\":\"user_input\",\"content\":\"hello\"}' | idetic append -",
    rights: Write, reader: View, interfaces: [Cli, Json], destructive: false,
    answers: Many, args: Append, run: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Append {
    /// A file of at most 64 MiB, appended as one batch, all or nothing; or - for a stream from standard input,
    /// committed as it comes
    #[arg(value_name = "FILE|-")]
    #[serde(skip)]
    file: PathBuf,
    /// The records, appended as one batch
    #[arg(skip)]
    #[schemars(with = "Vec<serde_json::Map<String, serde_json::Value>>")]
    events: Vec<Box<RawValue>>,
    /// Append the good lines and report each bad one
    #[arg(long)]
    #[serde(default)]
    keep_going: bool,
    /// Append as this agent: the records are its own
    #[arg(long, value_name = "AGENT")]
    #[serde(default)]
    agent: Option<String>,
    /// Which side of the agent: actor or subconscious [default: actor]
    #[arg(long, value_name = "PERSONA")]
    #[serde(default)]
    persona: Option<String>,
    /// Refuse when the head is no longer at this seq (position, with --agent)
    #[arg(long, value_name = "SEQ")]
    #[serde(default)]
    expect: Option<u64>,
}

fn run(cx: &mut Context, args: Append) -> Result<()> {
    let who = cx.who(args.agent.as_ref(), args.persona.as_ref())?;
    let space = cx.viewpoint_or_new(&who)?;
    let mut intake = Intake { keep_going: args.keep_going, expect: args.expect, refused: 0, acknowledged: None };
    if args.file == Path::new("-") {
        let input = cx.input.take().ok_or_else(|| Error::invalid("there is no input to read"))?;
        let mut lines = Lines::read(input, limits::RECORD_MAX_BYTES);
        loop {
            let batch = lines.batch()?;
            if batch.is_empty() {
                break;
            }
            intake.take(cx, &space, batch)?;
        }
    } else if args.file.as_os_str().is_empty() {
        intake.take(cx, &space, numbered(args.events.iter().map(|e| e.get().as_bytes().to_vec())))?;
    } else {
        let bytes = read_file(&args.file)?;
        let lines = numbered(bytes.split(|b| *b == b'\n').map(<[u8]>::to_vec));
        intake.take(cx, &space, lines).map_err(|e| e.at(args.file.display()))?;
    }
    let refused = match intake.refused {
        0 => return Ok(()),
        1 => Error::invalid("1 line was refused, the others were appended"),
        n => Error::invalid(format!("{n} lines were refused, the others were appended")),
    };
    Err(refused.hint("fix those lines and append only them"))
}

fn numbered(lines: impl Iterator<Item = Vec<u8>>) -> Vec<Line> {
    let is_blank = |line: &Line| line.bytes.as_ref().is_ok_and(|b| b.iter().all(u8::is_ascii_whitespace));
    let lines = lines.zip(1..).map(|(bytes, number)| Line { number, bytes: Ok(bytes) });
    lines.filter(|line| !is_blank(line)).collect()
}

fn read_file(path: &Path) -> Result<Vec<u8>> {
    let failed = || Error::io(format!("cannot read {}", path.display()));
    let file = std::fs::File::open(path).map_err(failed())?;
    let mut bytes = Vec::new();
    file.take(limits::BATCH_MAX_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(failed())?;
    if bytes.len() > limits::BATCH_MAX_BYTES {
        return Err(Error::invalid(format!("{} is larger than one batch may be (64 MiB)", path.display()))
            .hint(format!("append it as a stream: idetic append - < {}", path.display())));
    }
    Ok(bytes)
}

/// A record that names no workflow belongs to the one it is written in.
fn traced(record: std::result::Result<Record, Invalid>, trace: Option<&str>) -> Result<Record> {
    let mut record = by_hand(record?)?;
    if let Some(trace) = trace
        && Fields::read(&record.body)?.trace_id.is_none()
    {
        record.supply("trace_id", trace)?;
    }
    Ok(record)
}

/// Whether a record is to blame. What is wrong with the log or the disk stops even a run that keeps going.
fn is_of_a_record(error: &Error) -> bool {
    error.kind == Kind::Invalid || matches!(error.conflict(), Some(idetic_store::Conflict::IdTaken { .. }))
}

/// The state of one run over its batches.
struct Intake {
    keep_going: bool,
    expect: Option<u64>,
    refused: u64,
    acknowledged: Option<u64>,
}

impl Intake {
    fn take(&mut self, cx: &mut Context, space: &Viewpoint, lines: Vec<Line>) -> Result<()> {
        let mut records = Vec::with_capacity(lines.len());
        for line in lines {
            let parsed = match &line.bytes {
                Ok(bytes) => traced(Record::parse(bytes), cx.trace_id.as_deref()),
                Err(length) => Err(Error::invalid(format!("the record is {length} bytes long"))
                    .hint(format!("at most {} bytes", limits::RECORD_MAX_BYTES))),
            };
            match parsed {
                Ok(record) => records.push((line.number, record)),
                Err(error) => self.refuse(cx, error, line.number)?,
            }
        }
        let (first, last) = (records.first().map_or(0, |r| r.0), records.last().map_or(0, |r| r.0));
        let spare = if self.keep_going { records.clone() } else { Vec::new() };
        match space.submit(records.into_iter().map(|(_, r)| r).collect(), self.expect) {
            Ok(acks) => self.acknowledge(cx, acks, last),
            Err(error) if self.keep_going && is_of_a_record(&error) => self.one_by_one(cx, space, spare),
            Err(error) if first == last => Err(self.explain(error, format_args!("line {first}"))),
            Err(error) => Err(self.explain(error, format_args!("lines {first} to {last}"))),
        }
    }

    /// The slow way for a batch that cannot be taken whole: each record is a batch of its own.
    fn one_by_one(&mut self, cx: &mut Context, space: &Viewpoint, records: Vec<(u64, Record)>) -> Result<()> {
        for (number, record) in records {
            match space.submit(vec![record], self.expect) {
                Ok(acks) => self.acknowledge(cx, acks, number)?,
                Err(error) => self.refuse(cx, error, number)?,
            }
        }
        Ok(())
    }

    fn acknowledge(&mut self, cx: &mut Context, acks: Vec<(EventNumber, String)>, last_line: u64) -> Result<()> {
        // A stream that expects a head expects after its first batch the one it made itself.
        let reached = acks.iter().map(|(place, _)| place.number()).max();
        self.expect = self.expect.map(|seen| reached.map_or(seen, |seq| seq.max(seen)));
        cx.answer(acks.into_iter().map(Ack::from).collect::<Vec<_>>())?;
        self.acknowledged = Some(last_line);
        Ok(())
    }

    fn refuse(&mut self, cx: &mut Context, error: Error, line: u64) -> Result<()> {
        if !self.keep_going || !is_of_a_record(&error) {
            return Err(self.explain(error, format_args!("line {line}")));
        }
        self.refused += 1;
        let hint = if error.hint.is_empty() { String::new() } else { format!("; {}", error.hint) };
        (cx.notice)(&format!("line {line}: {error}{hint}"));
        Ok(())
    }

    fn explain(&self, error: Error, place: std::fmt::Arguments) -> Error {
        let mut error = error.at(place);
        let stands = match self.acknowledged {
            _ if matches!(error.cause, Cause::Appended(_)) => {
                "these records are appended, but their seqs are not known".to_owned()
            }
            Some(line) if self.refused > 0 => format!("the good lines up to {line} are appended, nothing after it"),
            Some(line) => format!("everything up to line {line} is appended, nothing after it"),
            None => "nothing was appended".to_owned(),
        };
        error.message = format!("{} ({stands})", error.message);
        error
    }
}
