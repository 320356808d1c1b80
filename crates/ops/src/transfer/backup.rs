//! `backup`: the log as it stands, in one compressed file, while others go on writing.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use flate2::Compression;
use flate2::write::GzEncoder;
use idetic_core::{Tip, transfer};
use idetic_memory::{Error, Kind, Result, Space};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::operation::operation;
use crate::{Done, OwnerContext};

operation! {
    name: "backup",
    about: "Back up the log to one file, consistent while others write",
    example: "idetic backup memory.idetic.gz",
    rights: Admin, reader: Owner, interfaces: [Cli], destructive: false,
    answers: One, args: Backup, run: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Backup {
    /// The file to write
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Replace the file if it exists
    #[arg(long)]
    #[serde(default)]
    force: bool,
}

/// The first line of a backup: what must follow.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Opening {
    /// The version of this format.
    pub idetic_backup: u32,
    /// The id the chain starts from.
    pub space: String,
    /// How many events follow.
    pub events: u64,
    /// The hash of the last of them.
    pub head: idetic_core::Hash,
    /// Which of them came with an import that nobody accepted, as ranges of numbers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub foreign: Vec<(u64, u64)>,
}

const PAGE_EVENTS: usize = 1000;

fn run(cx: &mut OwnerContext, args: Backup) -> Result<()> {
    let space = cx.space()?;
    if args.file.exists() && !args.force {
        return Err(exists(&args.file));
    }
    // The log only grows: everything up to here is what there was when the backup began.
    let tip = space.log().tip()?;
    let mut partial = args.file.clone().into_os_string();
    // A name of its own: two backups to one file must not write into each other.
    let unique = u64::from_le_bytes(cx.env.random());
    partial.push(format!(".{unique:016x}.partial"));
    let partial = PathBuf::from(partial);
    let written = write(&partial, &space, &tip, cx.progress);
    if written.is_err() {
        let _ = std::fs::remove_file(&partial);
    }
    written?;
    publish(&partial, &args)?;
    let parent = args.file.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(parent).and_then(|f| f.sync_all()).map_err(failed(&args.file))?;
    let done = format!("backed up {} to {}", space.name(), args.file.display());
    cx.answer(Done { done, events: tip.seq, head: Some(tip.hash) })
}

/// Gives the finished file its name. Without `--force` a file that came to be meanwhile is not replaced.
fn publish(partial: &Path, args: &Backup) -> Result<()> {
    let named = if args.force {
        std::fs::rename(partial, &args.file)
    } else {
        std::fs::hard_link(partial, &args.file).and_then(|()| std::fs::remove_file(partial))
    };
    named.map_err(|e| {
        let _ = std::fs::remove_file(partial);
        if e.kind() == std::io::ErrorKind::AlreadyExists { exists(&args.file) } else { failed(&args.file)(e) }
    })
}

fn exists(file: &Path) -> Error {
    Error::new(Kind::Conflict, format!("{} exists", file.display()))
        .hint("name another file, or replace it with --force")
}

fn write(path: &Path, space: &Space, tip: &Tip, progress: &mut dyn FnMut(u64, u64)) -> Result<()> {
    let file = File::create_new(path).map_err(failed(path))?;
    let file = pack(BufWriter::new(file), space, tip, &|| failed(path), progress)?;
    let file = file.into_inner().map_err(std::io::IntoInnerError::into_error);
    file.and_then(|f| f.sync_all()).map_err(failed(path))
}

/// Writes a backup of a space to a stream, e.g. for a download: the log as it stands when this begins.
pub fn backup_to(out: impl Write, space: &Space) -> Result<()> {
    let failed = || |error| Error::io("cannot send the backup")(error);
    pack(out, space, &space.log().tip()?, &failed, &mut |_, _| {}).map(drop)
}

fn pack<W: Write, F: FnOnce(std::io::Error) -> Error>(
    out: W,
    space: &Space,
    tip: &Tip,
    failed: &dyn Fn() -> F,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<W> {
    let mut out = GzEncoder::new(out, Compression::fast());
    let (name, foreign) = (tip.space.to_string(), space.foreign()?);
    let opening = Opening { idetic_backup: 1, space: name, events: tip.seq, head: tip.hash, foreign };
    let opening = serde_json::to_string(&opening).map_err(|e| Error::unavailable(e.to_string()))?;
    writeln!(out, "{opening}").map_err(failed())?;
    let mut next = 1;
    while next <= tip.seq {
        let count = usize::try_from(tip.seq - next + 1).unwrap_or(PAGE_EVENTS).min(PAGE_EVENTS);
        for event in space.raw_page(next, count)? {
            writeln!(out, "{}", transfer::to_line(&event)?).map_err(failed())?;
            next = event.header.seq + 1;
        }
        progress(next - 1, tip.seq);
    }
    out.finish().map_err(failed())
}

fn failed(path: &Path) -> impl FnOnce(std::io::Error) -> Error {
    let doing = format!("cannot write {}", path.display());
    move |e| Error { kind: Kind::Unavailable, ..Error::io(doing)(e) }
}
