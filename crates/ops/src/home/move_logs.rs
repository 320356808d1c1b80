//! `move`: moves the logs of a home into a PostgreSQL database, or back into its folders.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::sync::Arc;

use clap::Args;
use idetic_core::SpaceName;
use idetic_memory::config::with_log_url;
use idetic_memory::folder::Folder;
use idetic_memory::{Cause, Error, Kind, Memory, Result, Space};
use idetic_store::{Conflict, Copied, Database, LockFile, LogSettings, Logs, Move};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::operation::operation;
use crate::{Done, Keys, OwnerContext};

operation! {
    name: "move",
    about: "Move the logs of this home into a PostgreSQL database, or back into its folders",
    example: "idetic move --to postgres://idetic@db.example:5432/idetic",
    rights: Admin, reader: Home, interfaces: [Cli], destructive: true,
    answers: One, args: MoveLogs, run: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct MoveLogs {
    /// The address of the database, as for log.url; or "folder", for the folder of each space. Other processes may go on
    /// writing until the end: then log.url in config.toml is changed, and servers must be restarted
    #[arg(long, value_name = "URL|folder")]
    to: String,
    /// Say what would be moved, and move nothing
    #[arg(long)]
    #[serde(default)]
    dry_run: bool,
    /// Remove what a move that was stopped has copied, and leave every log where it is
    #[arg(long, conflicts_with = "dry_run")]
    #[serde(default)]
    cancel: bool,
}

const CONFIG: &str = "config.toml";
/// Held by whoever moves.
const LOCK: &str = "move.lock";
/// Says where the logs were, from when log.url is changed until everything is moved.
const UNFINISHED: &str = "move.unfinished";
/// For the logs in the folders of their spaces.
const FOLDER: &str = "folder";

fn run(cx: &mut OwnerContext, args: MoveLogs) -> Result<()> {
    if cx.home().log_url.is_some() {
        return Err(Error::invalid("IDETIC_LOG_URL is set, and stands above config.toml")
            .hint("put its value into log.url in config.toml and unset it, then move"));
    }
    let url = if args.to == FOLDER { "" } else { args.to.as_str() };
    let settings = LogSettings::of(url);
    settings.check().map_err(Error::invalid)?;
    let lock = LockFile::open(&cx.home().folder.join(LOCK))?;
    let running = || Error::new(Kind::Conflict, "another process is moving these logs").hint("wait for it to end");
    let _alone = lock.try_hold()?.ok_or_else(running)?;
    // One of its own: the logs that it opens are not used by anybody after they are moved.
    let mut memory = cx.home().open(cx.env.clone())?;
    // Where a move was stopped after log.url was changed, what is left to move is where it was before.
    let unfinished = unfinished(&memory)?;
    if let Some(before) = &unfinished {
        let current = memory.config().log.url.clone();
        if current != url {
            let [(_, current), _] = LogSettings::of(&current).values();
            let to = if current.is_empty() { FOLDER } else { &current };
            return Err(Error::invalid(format!("a move to {to} was not finished"))
                .hint(format!("finish it first: `idetic move --to {to}`")));
        }
        memory.config_mut().set_log(before, UNFINISHED)?;
    }
    let memory = &memory;
    let settings = LogSettings { snapshots: memory.config().log.snapshots.clone(), ..settings };
    let (from, to) = (memory.logs()?.clone(), Logs::at(&settings)?);
    let place = to.database().map_or("the folders of their spaces", Database::address);
    let Some(moving) = Move::between(&from, &to, cx.env.clone()) else {
        let message = format!("the logs cannot be moved to {place}: they are there already, or in another database");
        return Err(Error::invalid(message)
            .hint("`idetic config show` names log.url; from one database to another: --to folder first"));
    };
    refuse_link(memory)?;
    // Also a dry run says whether the database can be reached.
    to.spaces()?;
    let names = names(memory, &from)?;
    if args.cancel {
        let done: Vec<String> =
            names.iter().filter(|name| moving.is_done(&memory.folder(name))).map(SpaceName::to_string).collect();
        if unfinished.is_some() || !done.is_empty() {
            return Err(Error::new(Kind::Conflict, format!("{} moved to {place} already", done.join(", ")))
                .hint("finish the move with the same command without --cancel; then move back"));
        }
        names.iter().try_for_each(|name| moving.cancel(name, &memory.folder(name)))?;
        let done = format!("the logs of {} spaces stay where they are; what was copied is removed", names.len());
        return cx.answer(Done { done, events: 0, head: None });
    }
    if !url.is_empty() {
        names.iter().try_for_each(|name| refuse_foreign(memory, name))?;
    }
    if args.dry_run {
        let mut events = 0;
        for name in &names {
            events += space(memory, name)?.map_or(Ok(0), |space| space.log().tip().map(|tip| tip.seq))?;
        }
        let done = format!("would move {} spaces with {events} events to {place}", names.len());
        return cx.answer(Done { done, events, head: None });
    }
    let published = if moving.is_into_database() { &to } else { &from };
    let mut moved = Moved { published, spaces: 0, events: 0 };
    moved.all(cx, memory, &moving, (&names, place))?;
    let (keys, former) = (Keys::beside(memory.home(), &to), Keys::beside(memory.home(), &from));
    keys.take_over(&former)?;
    if unfinished.is_none() {
        note_unfinished(memory)?;
        set_url(memory, url)?;
    }
    // Nobody begins a space in the old place any more. What was begun, or changed among the keys, meanwhile follows.
    moved.all(cx, memory, &moving, (&self::names(memory, &from)?, place))?;
    keys.take_over(&former)?;
    let path = memory.home().join(UNFINISHED);
    std::fs::remove_file(&path).map_err(Error::io(format!("cannot remove {}", path.display())))?;
    if cx.for_person {
        (cx.notice)("restart every server that uses this home: until then it appends nothing");
    }
    let Moved { spaces, events, .. } = moved;
    cx.answer(Done { done: format!("moved {spaces} spaces with {events} events to {place}"), events, head: None })
}

/// How much was moved.
struct Moved<'a> {
    /// The logs in the database: how far they have come may be published.
    published: &'a Logs,
    spaces: usize,
    events: u64,
}

impl Moved<'_> {
    /// Copies all of them first, which takes longest, and then switches one after the other.
    fn all(
        &mut self,
        cx: &mut OwnerContext,
        memory: &Memory,
        moving: &Move,
        (names, place): (&[SpaceName], &str),
    ) -> Result<()> {
        let mut copies: Vec<(&SpaceName, Copied)> = Vec::new();
        for name in names {
            let copied = moving.copy(name, &memory.folder(name), cx.progress);
            copies.extend(copied.map_err(|error| of_space(error, name, place))?.map(|copied| (name, copied)));
        }
        for (name, copied) in copies {
            let space = if moving.is_into_database() { space(memory, name)? } else { None };
            let check = || match space.as_ref().map_or_else(|| Ok(Vec::new()), |space| space.foreign()) {
                Ok(foreign) if foreign.is_empty() => Ok(()),
                Ok(_) => Err(idetic_store::Error::Unavailable(NOT_ACCEPTED.to_owned())),
                Err(error) => Err(idetic_store::Error::Unavailable(error.message)),
            };
            // What is published of a space that the database does not have is left over, and would be taken for a loss.
            let left_over = if moving.is_into_database() { self.forget_published_head(name) } else { Ok(()) };
            let tip = moving.switch(name, &memory.folder(name), &copied, &check);
            self.events += tip.map_err(|error| of_space(error, name, place))?.seq;
            self.spaces += 1;
            // Out of the database: a server may have published it until now.
            let forgotten = if moving.is_into_database() { left_over } else { self.forget_published_head(name) };
            if let Err(error) = forgotten {
                let head = name.folders().join("/");
                (cx.notice)(&format!("{error}; delete {head}/head there, or machines may report missing events"));
            }
        }
        Ok(())
    }

    fn forget_published_head(&self, name: &SpaceName) -> idetic_store::Result<()> {
        self.published.snapshots(name).map_or(Ok(()), |place| place.remove_head())
    }
}

/// A space, if it has a log that was not moved before.
fn space(memory: &Memory, name: &SpaceName) -> Result<Option<Arc<Space>>> {
    match memory.space(name) {
        Err(error) if error.kind == Kind::NotFound || error.cause == Cause::Elsewhere => Ok(None),
        space => space.map(Some),
    }
}

/// Says which space it was, and what to do where another log is in the way.
fn of_space(error: idetic_store::Error, name: &SpaceName, place: &str) -> Error {
    let is_another = matches!(error, idetic_store::Error::Conflict(Conflict::Diverged { .. }));
    let error = Error::from(error);
    let error = Error { message: format!("{name}: {}", error.message), ..error };
    match is_another {
        true => error.hint(format!(
            "{place} has a space of this name with other events, or the copy of another home's move: choose another place"
        )),
        false => error,
    }
}

/// The spaces to move. One whose move was stopped may be known by its folder alone.
fn names(memory: &Memory, from: &Logs) -> Result<Vec<SpaceName>> {
    let mut names = memory.spaces_with_folders()?;
    names.extend(from.spaces()?.unwrap_or_default());
    names.sort();
    names.dedup();
    Ok(names)
}

/// Where the logs were before, if a move was stopped after log.url had been changed.
fn unfinished(memory: &Memory) -> Result<Option<String>> {
    let path = memory.home().join(UNFINISHED);
    match std::fs::read_to_string(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        // Stopped before log.url was changed, everything is still as it was.
        text => {
            let before = text.map_err(Error::io(format!("cannot read {}", path.display())))?;
            Ok(Some(before).filter(|before| *before != memory.config().log.url))
        }
    }
}

/// Notes where the logs were before. The address may have a password in it.
fn note_unfinished(memory: &Memory) -> Result<()> {
    use std::os::unix::fs::OpenOptionsExt;
    let path = memory.home().join(UNFINISHED);
    let write = || {
        let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&path)?;
        file.write_all(memory.config().log.url.as_bytes())?;
        file.sync_all()?;
        File::open(memory.home())?.sync_all()
    };
    write().map_err(Error::io(format!("cannot write {}", path.display())))
}

const NOT_ACCEPTED: &str = "it has imported events that nobody accepted, which only this machine knows";

/// Which events came with an import is known to this machine alone, and others would trust them as they claim.
fn refuse_foreign(memory: &Memory, name: &SpaceName) -> Result<()> {
    if space(memory, name)?.is_none_or(|space| space.foreign().is_ok_and(|ranges| ranges.is_empty())) {
        return Ok(());
    }
    Err(Error::new(Kind::Conflict, format!("{name}: {NOT_ACCEPTED}"))
        .hint("import the same file again with --accept if they are your own, or purge them"))
}

/// A link is not followed when config.toml is changed in the end.
fn refuse_link(memory: &Memory) -> Result<()> {
    let path = memory.home().join(CONFIG);
    if path.is_symlink() {
        return Err(Error::invalid(format!(
            "{} is a symbolic link, and log.url in it would have to be changed",
            path.display()
        ))
        .hint("put the file itself there, then move"));
    }
    Ok(())
}

fn set_url(memory: &Memory, url: &str) -> Result<()> {
    let path = memory.home().join(CONFIG);
    let text = match std::fs::read_to_string(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        text => text.map_err(Error::io(format!("cannot read {}", path.display())))?,
    };
    Folder::open(memory.home())?.put(CONFIG, with_log_url(&text, url)?.as_str()).map(drop)
}
