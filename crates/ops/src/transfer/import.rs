//! `import`: takes in what `export` wrote, into an empty space or behind the same chain.

use std::path::{Path, PathBuf};

use clap::Args;
use idetic_core::views::{QUARANTINED, RELEASED};
use idetic_core::{Stored, limits, transfer};
use idetic_memory::space::foreign::Intake;
use idetic_memory::{Error, Result, quarantine};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::lines::{Line, Lines};
use crate::operation::operation;
use crate::{Done, OwnerContext};

operation! {
    name: "import",
    about: "Import exported events: into an empty space, or as a continuation of the same chain",
    example: "idetic import memory.jsonl --space local/copy",
    rights: Admin, reader: Owner, interfaces: [Cli], destructive: false,
    answers: One, args: Import, run: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Import {
    /// A file, or - for standard input. Existing events are skipped, so an import can be run again
    #[arg(value_name = "FILE|-")]
    file: PathBuf,
    /// The events are your own: keep the trust they claim. Without this they are marked as foreign
    #[arg(long)]
    #[serde(default)]
    accept: bool,
}

fn run(cx: &mut OwnerContext, args: Import) -> Result<()> {
    let input: Box<dyn std::io::Read + Send> = if args.file == Path::new("-") {
        cx.input.take().ok_or_else(|| Error::invalid("there is no input to read"))?
    } else if args.file.is_dir() {
        return Err(Error::invalid(format!("{} is a folder", args.file.display()))
            .hint("name a file that `idetic export` wrote; a folder is imported with `idetic amem import`"));
    } else {
        let failed = Error::io(format!("cannot read {}", args.file.display()));
        Box::new(std::fs::File::open(&args.file).map_err(failed)?)
    };
    let mut lines = Lines::read(input, limits::EXPORT_LINE_MAX_BYTES);
    // The first lines are read before a space is made for them.
    let mut batch = lines.batch()?;
    let mut events = read(&batch, 0)?;
    let space = cx.space_or_new()?;
    let (mut added, mut head) = (0, None);
    let (mut intake, mut has_quarantine) = (Intake::new(&space), false);
    while let (Some(first), Some(last)) = (batch.first(), batch.last()) {
        let place = format!("lines {} to {}", first.number, last.number);
        let stands = |e| none_of_these(e, added);
        events.iter().try_for_each(|event| intake.check(event)).map_err(|e| stands(e.at(&place)))?;
        let before = space.log().tip()?.seq;
        let last = events.last().map(|event| event.header.seq).filter(|last| !args.accept && *last > before);
        let foreign = space.foreign()?;
        last.map_or(Ok(()), |last| space.mark_foreign(before + 1, last))?;
        let (tip, new) = space.log().graft(&events).map_err(|e| {
            // Nothing was taken in: what comes next is not foreign.
            let _ = space.set_foreign(&foreign);
            stands(refused(e).at(place))
        })?;
        has_quarantine |= events.iter().any(|event| [QUARANTINED, RELEASED].contains(&event.header.kind.as_str()));
        added += new;
        head = Some(tip.hash);
        (cx.progress)(tip.seq, tip.seq);
        batch = lines.batch()?;
        events = read(&batch, added)?;
    }
    if has_quarantine {
        quarantine::refresh(&space)?;
        space.raw_log().mark_erasure()?;
    }
    if args.accept {
        space.accept_foreign()?;
    } else if added > 0 && cx.for_person {
        let marked =
            "they are marked as foreign and trusted as little as any external content; if they are your own, import";
        (cx.notice)(&format!("{marked} them again with --accept"));
    }
    cx.answer(Done { done: "imported".to_owned(), events: added, head })
}

fn read(batch: &[Line], added: u64) -> Result<Vec<Stored>> {
    batch.iter().map(read_line).collect::<Result<_>>().map_err(|e| none_of_these(e, added))
}

fn none_of_these(error: Error, added: u64) -> Error {
    let message = format!("{} (none of these lines were imported; {added} events before them were)", error.message);
    Error { message, ..error }
}

fn read_line(line: &Line) -> Result<Stored> {
    let text = line.bytes.as_ref().map_err(|length| Error::invalid(format!("the line is {length} bytes long")));
    let text = text.and_then(|b| std::str::from_utf8(b).map_err(|_| Error::invalid("the line is not UTF-8")));
    text.and_then(|t| Ok(transfer::from_line(t)?)).map_err(|e| e.at(format_args!("line {}", line.number)))
}

/// What is damage in a log is wrong input in a file.
fn refused(error: idetic_store::Error) -> Error {
    match error {
        idetic_store::Error::Damaged { seq, fault } => {
            Error::invalid(format!("event {seq} does not belong here: {fault}"))
                .hint("an import must start at event 1 of an empty space, or continue where this chain ends")
        }
        error => error.into(),
    }
}
