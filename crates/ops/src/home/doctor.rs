//! `doctor`: is everything as it should be, and if not, what to do.

use std::path::Path;

use clap::Args;
use idetic_core::Time;
use idetic_memory::{Error, Kind, Models, Result, Space};
use idetic_store::{Database, Error as StoreError, HeadState, Logs};
use idetic_sync::pause::Paused;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::home::file_system::{FileSystem, Locality};
use crate::operation::operation;
use crate::{CheckLine, Checkup, OwnerContext};

operation! {
    name: "doctor",
    about: "Check the installation and say how to fix what is wrong",
    example: "idetic doctor",
    rights: Read, reader: Owner, interfaces: [Cli], destructive: false,
    answers: One, args: Doctor, run: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Doctor {}

/// A write-ahead log this long means that something keeps it from being folded back.
const LONG_WAL_BYTES: u64 = 256 << 20;

fn run(cx: &mut OwnerContext, _: Doctor) -> Result<()> {
    let mut checks = vec![home(cx)];
    if let Ok(memory) = cx.memory() {
        checks.push(writable(memory.home()));
        checks.extend(FileSystem::of(memory.home()).map(|found| file_system(&found)));
        checks.extend(memory.logs().ok().and_then(Logs::database).map(database));
        checks.push(recording(memory.home(), cx.env.now()));
    }
    checks.push(embedding(cx));
    match cx.space() {
        Ok(space) => checks.extend(space_checks(&space).into_iter().chain(snapshots(&space))),
        Err(error) if error.kind == Kind::NotFound => {
            checks.push(fine("space", format!("{error}: it is created with its first event")));
        }
        Err(error) => checks.push(wrong("space", error.message, error.hint)),
    }
    checks.extend((cx.client_checks)());
    let ok = checks.iter().all(|c| c.ok);
    let failed = checks.iter().filter(|c| !c.ok).count();
    cx.answer(Checkup { ok, checks })?;
    if ok {
        Ok(())
    } else {
        Err(Error::new(Kind::CheckFailed, format!("{failed} of the checks failed")).hint("do what each of them says"))
    }
}

fn fine(check: &'static str, found: impl Into<String>) -> CheckLine {
    CheckLine { check, ok: true, found: found.into(), fix: String::new() }
}

fn wrong(check: &'static str, found: impl Into<String>, fix: impl Into<String>) -> CheckLine {
    CheckLine { check, ok: false, found: found.into(), fix: fix.into() }
}

fn home(cx: &OwnerContext) -> CheckLine {
    match cx.memory() {
        Ok(memory) => fine("home", format!("{} (found by {})", memory.home().display(), cx.home().found_by)),
        Err(error) => wrong("home", error.message, error.hint),
    }
}

fn writable(home: &Path) -> CheckLine {
    let probe = home.join(format!(".probe-{}", std::process::id()));
    let written = std::fs::write(&probe, "x");
    let _ = std::fs::remove_file(&probe);
    match written {
        Ok(()) => fine("writing", "the home can be written to"),
        Err(error) => {
            wrong("writing", format!("the home cannot be written to: {error}"), "check its permissions and the disk")
        }
    }
}

/// Where hooks record nothing because somebody said so.
fn recording(home: &Path, now: Time) -> CheckLine {
    let paused = match Paused::of(home) {
        Ok(paused) => paused,
        Err(error) => return wrong("recording", error.message, error.hint),
    };
    let line = |(project, until): (Option<&str>, Option<Time>)| {
        let until = until.map_or(String::new(), |until| format!(" until {until}"));
        format!("{}{until}", project.unwrap_or("every project"))
    };
    let lines: Vec<String> = paused.list(now).map(line).collect();
    match lines.is_empty() {
        true => fine("recording", "hooks are paused nowhere"),
        false => fine("recording", format!("hooks are paused in {}; `idetic resume` ends it", lines.join(", "))),
    }
}

/// Whether what the log builds on holds where the home lies.
fn file_system(found: &FileSystem) -> CheckLine {
    let name = &found.name;
    match found.locality {
        Locality::Local => fine("file system", format!("{name}: locks and flushes hold")),
        Locality::Memory => fine("file system", format!("{name} is in memory: everything is lost at the next restart")),
        Locality::Unknown => fine(
            "file system",
            format!("{name} is not known: locks work in this process, but perhaps not between machines"),
        ),
        Locality::Network => wrong(
            "file system",
            format!("{name} is a network file system: locks and shared memory do not hold between machines"),
            "keep the home on a local disk and share it with `idetic serve`",
        ),
    }
}

/// Whether what a database acknowledges is on its disk.
fn database(database: &Database) -> CheckLine {
    let place = database.address();
    let state = match database.server_state() {
        Ok(state) => state,
        Err(error) => return wrong("database", error.to_string(), "check the server and log.url in config.toml"),
    };
    let found = format!("PostgreSQL {} at {place}, synchronous_commit = {}", state.version, state.synchronous_commit);
    match () {
        () if state.is_replica => {
            wrong("database", format!("{found}, only follows another server"), "set log.url to the primary")
        }
        () if !state.flushes => {
            wrong("database", format!("{found}, does not flush its disk"), "set fsync = on in postgresql.conf")
        }
        () if state.synchronous_commit == "off" => wrong(
            "database",
            format!("{found}: each append asks it to wait for its disk, other programs do not"),
            "set synchronous_commit = on in postgresql.conf",
        ),
        () if database.is_exposed() => fine(
            "database",
            format!("{found}, not encrypted: add ?sslmode=require to log.url unless the network is private"),
        ),
        () => fine("database", found),
    }
}

/// Whether other machines can start from snapshots.
fn snapshots(space: &Space) -> Option<CheckLine> {
    Some(match space.snapshots_listed()? {
        Ok((0, _, place)) => fine("snapshots", format!("none yet in {place}: `idetic snapshot` takes one")),
        Ok((count, newest, place)) => fine("snapshots", format!("{count} in {place}, the newest up to event {newest}")),
        Err(error) => wrong("snapshots", error.message, "check log.snapshots in config.toml"),
    })
}

/// Which model turns texts into vectors, and for whom it is made.
fn embedding(cx: &OwnerContext) -> CheckLine {
    let scans = format!("scans use {}", idetic_search::instructions());
    let other_scripts = "other scripts are found by their words, Chinese, Japanese and Korean by pairs of characters";
    match cx.models() {
        Err(error) => wrong("embedding", error.message, error.hint),
        Ok(Models { wanted: None, .. }) => fine("embedding", format!("off: texts are found by words only; {scans}")),
        Ok(Models { wanted: Some(model), local: true, .. }) => fine(
            "embedding",
            format!(
                "{} is built in and made for English: {other_scripts}, or by an endpoint; {scans}",
                model.id().name
            ),
        ),
        Ok(Models { wanted: Some(model), .. }) => match model.embed_query("ready?") {
            Ok(_) => fine("embedding", format!("{} answers; {scans}", model.id().name)),
            Err(error) => wrong(
                "embedding",
                error.to_string(),
                "nothing is lost: texts are found by their words until it answers and `idetic dream` has run",
            ),
        },
    }
}

/// The recall index and the vectors against their checksums.
fn derived(space: &Space) -> [CheckLine; 2] {
    let index = match space.lane_files().check().first() {
        Some(what) => wrong("recall index", what, "`idetic rebuild` rebuilds it, nothing is lost"),
        None => fine("recall index", "its files match their checksums"),
    };
    let vectors = match space.vectors().check() {
        Err(error) => {
            wrong("vectors", error.to_string(), "`idetic dream` repairs it, and re-embeds what cannot be repaired")
        }
        Ok(()) => fine("vectors", "vectors.db matches its checksums"),
    };
    [index, vectors]
}

fn space_checks(space: &Space) -> Vec<CheckLine> {
    let log = space.log();
    let tip = match log.tip() {
        Ok(tip) => tip,
        Err(error) => {
            let error = Error::from(error);
            return vec![wrong("log", error.message, error.hint)];
        }
    };
    let mut checks = vec![fine("log", format!("{} events in {}; `idetic verify` checks each", tip.seq, space.name()))];
    checks.push(match log.head() {
        Ok(HeadState::At { .. }) => fine("head", "the head file agrees with the log"),
        Ok(_) => wrong(
            "head",
            "the head file is missing or damaged, so a truncated log would go unnoticed",
            "run `idetic verify`, then `idetic repair --accept-loss` or append something: it is then rewritten",
        ),
        Err(error) => wrong("head", error.to_string(), "check the permissions of the home folder"),
    });
    let views = space.views().check().and_then(|()| space.views_agree()).and_then(|()| space.views().position());
    checks.push(match views {
        Ok(at) => fine("views", format!("folded up to {at}, the next reader folds {}", tip.seq.saturating_sub(at))),
        Err(StoreError::Corrupt(what)) => {
            wrong("views", what, "the next reader rebuilds them from the log; `idetic rebuild` does it now")
        }
        Err(error) => {
            let error = Error::from(error);
            wrong("views", error.message, error.hint)
        }
    });
    checks.extend(derived(space));
    checks.push(match tip.ahead_of(space.now()) {
        Some(micros) => {
            let ahead = idetic_core::time::human_millis(micros / 1000);
            let found =
                format!("the clock ran ahead or is behind now: the last event is recorded {ahead} in the future");
            let fix = "set the clock if it is wrong; if it is right, new events keep their own time (ts), and \
                       recorded_at does not advance until the clock has caught up";
            wrong("clock", found, fix)
        }
        None => fine("clock", "the clock is not behind the log"),
    });
    let wal = std::fs::metadata(space.folder().join("log.db-wal")).map_or(0, |m| m.len());
    checks.push(if wal > LONG_WAL_BYTES {
        let found = format!("log.db-wal has grown to {} MiB", wal >> 20);
        wrong("write-ahead log", found, "a reader holds it open: stop programs that have been reading for a long time")
    } else {
        fine("write-ahead log", format!("{} KiB", wal >> 10))
    });
    checks
}
