//! `move`: moves the logs of a home into a PostgreSQL database, or back into its folders.

use clap::Args;
use idetic_core::SpaceName;
use idetic_memory::config::with_log_url;
use idetic_memory::folder::Folder;
use idetic_memory::{Cause, Error, Kind, Memory, Result};
use idetic_store::{Conflict, Copied, LockFile, LogSettings, Logs, Move};
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
}

const CONFIG: &str = "config.toml";
/// Held by whoever moves.
const LOCK: &str = "move.lock";
/// For the logs in the folders of their spaces.
const FOLDER: &str = "folder";

fn run(cx: &mut OwnerContext, args: MoveLogs) -> Result<()> {
    if cx.home().log_url.is_some() {
        return Err(Error::invalid("IDETIC_LOG_URL is set, and stands above config.toml")
            .hint("put its value into log.url in config.toml and unset it, then move"));
    }
    let url = if args.to == FOLDER { "" } else { args.to.as_str() };
    let settings = LogSettings { url: url.to_owned() };
    settings.check().map_err(Error::invalid)?;
    let [(_, shown)] = settings.values();
    let place = if url.is_empty() { "the folders of their spaces" } else { &shown };
    // One of its own: the logs that it opens are not used by anybody after they are moved.
    let memory = &cx.home().open(cx.env.clone())?;
    let (from, to) = (memory.logs()?.clone(), Logs::at(&settings)?);
    let lock = LockFile::open(&memory.home().join(LOCK))?;
    let running = || Error::new(Kind::Conflict, "another process is moving these logs").hint("wait for it to end");
    let _alone = lock.try_hold()?.ok_or_else(running)?;
    let Some(moving) = Move::between(&from, &to, cx.env.clone()) else {
        let message = format!("the logs cannot be moved to {place} from where they are");
        return Err(Error::invalid(message)
            .hint("`idetic config` shows log.url; from one database to another: --to folder first"));
    };
    let names = names(memory, url.is_empty())?;
    if !url.is_empty() {
        names.iter().try_for_each(|name| refuse_foreign(memory, name))?;
    }
    if args.dry_run {
        let mut events = 0;
        for name in &names {
            events += memory.space(name).and_then(|space| Ok(space.log().tip()?.seq)).unwrap_or(0);
        }
        let done = format!("would move {} spaces with {events} events to {place}", names.len());
        return cx.answer(Done { done, events, head: None });
    }
    let mut copies: Vec<(&SpaceName, Copied)> = Vec::new();
    for name in &names {
        let folder = memory.folder(name);
        let copied = moving.copy(name, &folder, &|| memory.erasures(name), cx.progress);
        let copied = copied.map_err(|error| of_space(error, name, place))?;
        copies.extend(copied.map(|copied| (name, copied)));
    }
    let mut events = 0;
    for (name, copied) in &copies {
        let moved = moving.switch(name, &memory.folder(name), &|| memory.erasures(name), copied);
        events += moved.map_err(|error| of_space(error, name, place))?.seq;
    }
    Keys::beside(memory.home(), &to).take_over(&Keys::beside(memory.home(), &from))?;
    set_url(memory, url)?;
    if cx.for_person {
        (cx.notice)("restart every server that uses this home: until then it appends nothing");
    }
    let done = format!("moved {} spaces with {events} events to {place}", copies.len());
    cx.answer(Done { done, events, head: None })
}

/// Says which space it was, and what to do where another log is in the way.
fn of_space(error: idetic_store::Error, name: &SpaceName, place: &str) -> Error {
    let is_another = matches!(error, idetic_store::Error::Conflict(Conflict::Diverged { .. }));
    let error = Error::from(error);
    let error = Error { message: format!("{name}: {}", error.message), ..error };
    match is_another {
        true => error.hint(format!("{place} has a space of this name with other events: choose another place")),
        false => error,
    }
}

/// The spaces to move. One whose move was stopped may be known by its folder alone.
fn names(memory: &Memory, is_to_folder: bool) -> Result<Vec<SpaceName>> {
    let mut names = memory.spaces()?;
    if is_to_folder {
        names.extend(memory.spaces_with_folders()?);
        names.sort();
        names.dedup();
    }
    Ok(names)
}

/// Which events came with an import is known to this machine alone, and others would trust them as they claim.
fn refuse_foreign(memory: &Memory, name: &SpaceName) -> Result<()> {
    let space = match memory.space(name) {
        // There is no log, or it was moved before.
        Err(error) if error.kind == Kind::NotFound || error.cause == Cause::Elsewhere => return Ok(()),
        space => space?,
    };
    if space.foreign()?.is_empty() {
        return Ok(());
    }
    let message = format!("{name} has imported events that nobody accepted, which only this machine knows");
    Err(Error::new(Kind::Conflict, message)
        .hint("import the same file again with --accept if they are your own, or purge them"))
}

fn set_url(memory: &Memory, url: &str) -> Result<()> {
    let path = memory.home().join(CONFIG);
    let text = match std::fs::read_to_string(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        text => text.map_err(Error::io(format!("cannot read {}", path.display())))?,
    };
    Folder::open(memory.home())?.put(CONFIG, with_log_url(&text, url)?.as_str()).map(drop)
}
