//! `restore`: makes a backup the log of a space, after checking all of it.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek};
use std::path::{Path, PathBuf};

use clap::Args;
use flate2::read::GzDecoder;
use idetic_core::views::QUARANTINED;
use idetic_core::{Hash, SpaceId, Stored, Tip, limits, transfer};
use idetic_memory::{Error, Kind, Result, Space, quarantine};
use idetic_store::{Error as StoreError, HeadState};
use schemars::JsonSchema;
use serde::Deserialize;

use super::backup::Opening;
use crate::operation::operation;
use crate::{Done, OwnerContext};

operation! {
    name: "restore",
    about: "Replace the log with a backup, after checking its whole chain",
    example: "idetic restore memory.idetic.gz",
    rights: Admin, reader: Owner, interfaces: [Cli], destructive: true,
    answers: One, args: Restore, run: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Restore {
    /// The file that `backup` wrote
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Replace a longer or a different log; a damaged one is set aside
    #[arg(long)]
    #[serde(default)]
    force: bool,
}

fn run(cx: &mut OwnerContext, args: Restore) -> Result<()> {
    let tip = check(&args.file, cx.progress)?;
    let space = match cx.space_or_new() {
        Err(error) if error.kind == Kind::CheckFailed => {
            let memory = cx.memory()?;
            let folder = memory.folder(&memory.config().space);
            match memory.logs()?.lost(&memory.config().space, &folder, &cx.env) {
                _ if args.force => {}
                // A log that is gone can lose nothing more, as long as the backup has all that it had.
                Some(had) if had <= tip.seq => {}
                Some(had) => {
                    return refuse(format!("{} had {had} events, the backup has {}", memory.config().space, tip.seq));
                }
                None => return Err(error),
            }
            let aside = set_aside(&folder)?;
            // Where that cannot be reached, publishing says so.
            let _ = memory.forget_published_head(&memory.config().space);
            (cx.notice)(&format!("the damaged log was set aside in {}", aside.display()));
            cx.space_or_new()?
        }
        space => space?,
    };
    let expect = if args.force { None } else { refuse_to_lose(&space, &args.file, &tip)? };
    let mut has_quarantine = false;
    let (opening, events) = Reader::open(&args.file)?;
    let mut events = events.map(|event| {
        has_quarantine |= event.as_ref().is_ok_and(|event| event.header.kind == QUARANTINED);
        event.map_err(|e| StoreError::Unavailable(e.message))
    });
    // Before it as well: views of the log that was here would call the new one replaced, should this be cut short.
    space.discard_derived()?;
    // Before it too: should this be cut short, nothing foreign stands there without its mark.
    let marks = [space.foreign()?, opening.foreign.clone()].concat();
    space.set_foreign(&marks)?;
    // Before it as well: to whoever opens it meanwhile it would look like a loss. Here, too, publishing says it.
    let known = space.forget_published_head().unwrap_or(HeadState::Missing);
    let replaced = space.log().replace(expect, &mut events);
    let restored = replaced.inspect_err(|_| drop(space.publish_again(known)))?;
    if let Err(error) = space.publish_head(&restored) {
        let hint = "run `idetic repair --accept-loss` if machines report missing events once the folder can be reached";
        (cx.notice)(&format!("{error}; {hint}"));
    }
    space.set_foreign(&opening.foreign)?;
    space.discard_derived()?;
    if has_quarantine || !space.hidden()?.is_empty() {
        quarantine::refresh(&space)?;
    }
    space.sweep_or_record();
    let done = format!("restored {} from {}", space.name(), args.file.display());
    cx.answer(Done { done, events: restored.seq, head: Some(restored.hash) })
}

/// Reads the whole file and checks every link before anything is touched.
fn check(file: &Path, progress: &mut dyn FnMut(u64, u64)) -> Result<Tip> {
    let (opening, events) = Reader::open(file)?;
    let wrong = |why: String| damaged(file, &why);
    let space = SpaceId::parse(&opening.space).ok_or_else(|| wrong("its first line has no space".to_owned()))?;
    let mut tip = Tip::empty(space);
    for event in events {
        let event = event?;
        tip = tip.follow(&event).map_err(|fault| wrong(format!("event {}: {fault}", tip.seq + 1)))?;
        if tip.seq.is_multiple_of(1000) {
            progress(tip.seq, opening.events);
        }
    }
    if (tip.seq, tip.hash) != (opening.events, opening.head) {
        return Err(wrong(format!("it should hold {} events and holds {}", opening.events, tip.seq)));
    }
    Ok(tip)
}

/// A log that holds something the backup does not is only replaced when that is asked for. Gives the head that was
/// looked at, so that nothing appended since is lost either.
fn refuse_to_lose(space: &Space, file: &Path, backup: &Tip) -> Result<Option<u64>> {
    let (length, end) = match space.log().tip() {
        Ok(tip) => (tip.seq, Some(tip.hash)),
        Err(StoreError::Shortened { had, .. }) => (had, None),
        Err(error) => return Err(error.into()),
    };
    if length > backup.seq {
        return refuse(format!("{} has {length} events, the backup only {}", space.name(), backup.seq));
    }
    if let (1.., Some(end)) = (length, end)
        && hash_at(file, length)? != Some(end)
    {
        return refuse(format!("{} holds another log than the backup", space.name()));
    }
    Ok(end.map(|_| length))
}

fn refuse<T>(why: String) -> Result<T> {
    Err(Error::new(Kind::Conflict, why).hint("keep a backup of what is here, then replace it with --force"))
}

fn hash_at(file: &Path, seq: u64) -> Result<Option<Hash>> {
    for event in Reader::open(file)?.1 {
        let event = event?;
        if event.header.seq == seq {
            return Ok(Some(event.hash));
        }
    }
    Ok(None)
}

/// Moves a log that cannot be opened out of the way: nothing is deleted.
fn set_aside(folder: &Path) -> Result<PathBuf> {
    let free = (1..).map(|n| folder.join(format!("damaged-{n}"))).find(|p| !p.exists());
    let aside = free.ok_or_else(|| Error::unavailable("there is no free name for the damaged log"))?;
    let failed = || Error::io(format!("cannot set the damaged log aside in {}", aside.display()));
    std::fs::create_dir(&aside).map_err(failed())?;
    let unless_absent = |done: std::io::Result<()>| match done {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(failed()(error)),
        _ => Ok(()),
    };
    for name in ["log.db", "log.db-wal", "log.db-shm", "head.flushed", "archive"] {
        unless_absent(std::fs::rename(folder.join(name), aside.join(name)))?;
    }
    // The file stays: by it a server that is running knows that this was done on purpose.
    let head = folder.join("head");
    let copy = || {
        std::fs::copy(&head, aside.join("head"))?;
        File::open(aside.join("head"))?.sync_all()?;
        File::create(&head)?.sync_all()
    };
    unless_absent(copy())?;
    // Half of it moved after a power failure would be neither here nor there.
    for folder in [&aside, folder] {
        File::open(folder).and_then(|folder| folder.sync_all()).map_err(failed())?;
    }
    Ok(aside)
}

/// The events of a backup, one at a time, never more than one line in memory.
struct Reader {
    lines: BufReader<GzDecoder<BufReader<File>>>,
    file: PathBuf,
}

impl Reader {
    fn open(file: &Path) -> Result<(Opening, Self)> {
        let opened = File::open(file).map_err(Error::io(format!("cannot read {}", file.display())))?;
        let lines = BufReader::new(GzDecoder::new(BufReader::new(opened)));
        let mut reader = Self { lines, file: file.to_owned() };
        let line = reader.line().ok().flatten().unwrap_or_default();
        let opening: Opening = serde_json::from_str(&line).map_err(|_| not_ours(file))?;
        if opening.idetic_backup != 1 {
            return Err(Error::invalid(format!("{} was written by a newer program", file.display()))
                .hint("restore it with that version or a newer one"));
        }
        Ok((opening, reader))
    }

    fn line(&mut self) -> Result<Option<String>> {
        let mut line = String::new();
        let read = (&mut self.lines).take(limits::EXPORT_LINE_MAX_BYTES as u64).read_line(&mut line);
        match read.map_err(|e| damaged(&self.file, &e))? {
            0 => Ok(None),
            _ if line.ends_with('\n') => Ok(Some(line)),
            _ => Err(damaged(&self.file, &"it ends in the middle of a line")),
        }
    }
}

/// Why a file does not begin as a backup does: it is something else, or the compression itself says it was altered.
fn not_ours(file: &Path) -> Error {
    let mut magic = [0; 3];
    let unpacked = File::open(file).and_then(|mut opened| {
        opened.read_exact(&mut magic)?;
        opened.rewind()?;
        std::io::copy(&mut GzDecoder::new(BufReader::new(opened)), &mut std::io::sink())
    });
    match unpacked {
        Err(error) if magic == [0x1f, 0x8b, 8] => damaged(file, &error),
        _ => Error::invalid(format!("{} is not a backup", file.display()))
            .hint("restore reads what `idetic backup` wrote; exported JSONL is imported with `idetic import`"),
    }
}

fn damaged(file: &Path, why: &dyn std::fmt::Display) -> Error {
    Error::new(Kind::CheckFailed, format!("{} is damaged: {why}", file.display())).hint("use another backup")
}

impl Iterator for Reader {
    type Item = Result<Stored>;

    fn next(&mut self) -> Option<Result<Stored>> {
        let line = self.line().transpose()?;
        let read = |line: String| transfer::from_line(line.trim_end()).map_err(|e| damaged(&self.file, &e));
        Some(line.and_then(read))
    }
}
