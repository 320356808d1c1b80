//! The bench of the A-MEM folder: a full export, a sync after one change, a search among notes, as the log grows.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use super::clocks::children_cpu;
use super::ground::{Ground, succeed};
use super::options::Options;
use super::progress::progress;
use super::report::{Report, Table, figure, grouped, median};
use super::run::Bench;
use super::task::Task;

const SUBJECT: &str = "folder";
/// Events of the spaces.
const SIZES: [u64; 3] = [1_000, 10_000, 100_000];
/// One note for so many events.
const EVENTS_A_NOTE: u64 = 10;
/// How often each is measured.
const TIMES: usize = 5;
/// A sync after one change at the largest size may cost so many times what it costs at the smallest: the month that
/// changed is read, and the others are looked at.
const GROWTH_LIMIT: f64 = 30.0;
const TOPICS: [&str; 8] = ["cache", "timeout", "schema", "login", "deploy", "index", "queue", "backup"];

/// Measures and writes the document; says whether every target was met.
pub fn run(root: &Path, words: &[String]) -> Result<bool, String> {
    let bench = Bench { name: "amem", heading: "The A-MEM folder", subjects: &[SUBJECT] };
    let options = Options::parse(words)?;
    bench.check(&options)?;
    let ground = Ground::prepare(root)?;
    bench.conduct(root, &ground, &options, |_, report| folder(&ground, &options, report))
}

fn folder(ground: &Ground, options: &Options, report: &mut Report) -> Result<(), String> {
    let columns = [
        "events",
        "notes",
        "export all, ms",
        "sync, nothing new, ms",
        "sync, one event, ms",
        "sync, one note, ms",
        "note search, ms",
    ];
    let mut table = Table::new("Export, sync and search", &columns);
    table.note(
        "Processor time of whole processes of `idetic`, the middle of several. Events of about 300 bytes, 43 200 a month, with \
         20 events a trace; notes with two links and two tags each. Without a model: notes are searched by words.",
    );
    let sizes = if options.quick { &SIZES[..2] } else { &SIZES[..] };
    let mut one_event = Vec::new();
    for &events in sizes {
        progress(&format!("amem: {events} events"));
        let (home, shared) = (ground.fresh(&format!("amem-home-{events}"))?, ground.fresh(&format!("amem-{events}"))?);
        ground.measure(&Task::Fill { home: home.clone(), events })?;
        fs::write(home.join("config.toml"), "[embedding]\nmodel = \"none\"\n").map_err(|e| e.to_string())?;
        let notes = events / EVENTS_A_NOTE;
        (0..notes).try_for_each(|number| put_note(&shared, notes, number, ""))?;
        let place = shared.display().to_string();
        let idetic = |args: &[&str]| cpu_ms(ground.idetic(&home, args));
        idetic(&["amem", "sync", &place])?;
        let export = middle(|n| idetic(&["amem", "export", &format!("{place}-export-{n}")]))?;
        let nothing = middle(|_| idetic(&["amem", "sync", &place]))?;
        let event = middle(|n| {
            idetic(&["remember", &format!("one more thing, number {n}")])?;
            idetic(&["amem", "sync", &place])
        })?;
        let note = middle(|n| {
            put_note(&shared, notes, n as u64, &format!("\nEdited {n}.\n"))?;
            idetic(&["amem", "sync", &place])
        })?;
        let search = middle(|n| idetic(&["note", "search", TOPICS[n % TOPICS.len()]]))?;
        one_event.push(event);
        let figures = [export, nothing, event, note, search].map(figure);
        table.row([grouped(events), grouped(notes)].into_iter().chain(figures));
    }
    report.tables.push(table);
    if let (Some(first), Some(last)) = (one_event.first(), one_event.last()) {
        let what = "a sync after one event in the largest space, against the smallest";
        report.at_most(what, GROWTH_LIMIT, last / first, " ×");
    }
    Ok(())
}

fn put_note(folder: &Path, notes: u64, number: u64, more: &str) -> Result<(), String> {
    let topic = |shift: u64| TOPICS[((number * 7 + shift * 3) % 8) as usize];
    let (first, second) = ((number * 31 + 1) % notes, (number * 17 + 5) % notes);
    let text = format!(
        "---\nid: note-{number}\ncreated: 2025-01-01T00:00:00Z\nupdated: 2025-01-01T00:00:00Z\ntags: [{}, {}-{}]\n\
         linked_to: [note-{first}, note-{second}]\n---\n\n# The {} and the {} {number}\n\nWhen the {} fails, look at the {} first.\n{more}",
        topic(0),
        topic(1),
        number % 500,
        topic(0),
        topic(1),
        topic(2),
        topic(3)
    );
    let notes_folder = folder.join("knowledge/notes");
    fs::create_dir_all(&notes_folder).map_err(|e| e.to_string())?;
    fs::write(notes_folder.join(format!("note-{number}.md")), text).map_err(|e| e.to_string())
}

pub(super) fn cpu_ms(mut command: Command) -> Result<f64, String> {
    let before = children_cpu()?;
    succeed(command.stdout(Stdio::null()), "idetic")?;
    Ok((children_cpu()? - before).as_secs_f64() * 1e3)
}

pub(super) fn middle(mut measure: impl FnMut(usize) -> Result<f64, String>) -> Result<f64, String> {
    Ok(median((0..TIMES).map(&mut measure).collect::<Result<Vec<f64>, String>>()?))
}
