//! The bench of a project in Markdown: what a boot and an append cost as the changelog grows, against reading the file.

use std::fs;
use std::path::Path;

use super::amem::{cpu_ms, middle};
use super::ground::Ground;
use super::options::Options;
use super::progress::progress;
use super::report::{Report, Table, figure, grouped};
use super::run::Bench;

const SUBJECT: &str = "project";
/// Events of the changelogs.
const SIZES: [u64; 3] = [100, 1_000, 10_000];
/// A boot on fresh files at the largest size may cost so many times what it costs at the smallest.
const FRESH_LIMIT: f64 = 4.0;
/// A boot after one new event may cost so many times what it costs to read the file.
const READ_LIMIT: f64 = 2.0;
const TYPES: [&str; 7] = ["create", "modify", "test", "decision", "fix", "milestone", "dependency"];

/// Measures and writes the document; says whether every target was met.
pub fn run(root: &Path, words: &[String]) -> Result<bool, String> {
    let bench = Bench { name: "md", heading: "A project in Markdown", subjects: &[SUBJECT] };
    let options = Options::parse(words)?;
    bench.check(&options)?;
    let ground = Ground::prepare(root)?;
    bench.conduct(root, &ground, &options, |_, report| project(&ground, &options, report))
}

fn project(ground: &Ground, options: &Options, report: &mut Report) -> Result<(), String> {
    let columns = [
        "events",
        "file, KiB",
        "first boot, ms",
        "boot, nothing new, ms",
        "boot, one event by hand, ms",
        "append, ms",
        "read all (search), ms",
    ];
    let mut table = Table::new("Boot and append", &columns);
    table.note(
        "Processor time of whole processes of `idetic`, the middle of several. Events of about 260 bytes with three details and a \
         reference each; a tenth as many components as events. Reading all is `md search` for a word that is nowhere.",
    );
    let sizes = if options.quick { &SIZES[..2] } else { &SIZES[..] };
    let (mut fresh, mut against_reading) = (Vec::new(), Vec::new());
    for &events in sizes {
        progress(&format!("md: {events} events"));
        let (home, shop) = (ground.fresh(&format!("md-home-{events}"))?, ground.fresh(&format!("md-{events}"))?);
        let log = shop.join("CHANGELOG.md");
        let text: String = (1..=events).map(|number| block(number, events)).collect();
        let text = format!("# Changelog\n\n## Event Log\n{text}");
        fs::write(&log, &text).map_err(|e| e.to_string())?;
        let place = shop.display().to_string();
        let idetic = |args: &[&str]| cpu_ms(ground.idetic(&home, &[&["md"], args, &["--project", &place]].concat()));
        idetic(&["init"])?;
        let first = idetic(&["boot"])?;
        let nothing = middle(|_| idetic(&["boot"]))?;
        let mut next = events;
        let by_hand = middle(|_| {
            next += 1;
            let said = fs::read_to_string(&log).map_err(|e| e.to_string())? + &block(next, events);
            fs::write(&log, said).map_err(|e| e.to_string())?;
            idetic(&["boot"])
        })?;
        let append =
            middle(|n| idetic(&["append", "fix", "--scope", "bench", "--summary", &format!("Mended thing {n}")]))?;
        let read = middle(|_| idetic(&["search", "wordthatisnowhere"]))?;
        fresh.push(nothing);
        against_reading.push(by_hand / read);
        let figures = [first, nothing, by_hand, append, read].map(figure);
        table.row([grouped(events), grouped(text.len() as u64 / 1024)].into_iter().chain(figures));
    }
    report.tables.push(table);
    if let (Some(first), Some(last)) = (fresh.first(), fresh.last()) {
        report.at_most(
            "a boot with nothing new at the largest size, against the smallest",
            FRESH_LIMIT,
            last / first,
            " ×",
        );
    }
    if let Some(ratio) = against_reading.last() {
        report.at_most(
            "a boot after one event at the largest size, against reading the file",
            READ_LIMIT,
            *ratio,
            " ×",
        );
    }
    Ok(())
}

fn block(number: u64, events: u64) -> String {
    let kind = TYPES[(number % 7) as usize];
    let thing = format!("component_{}", number % (events / 10).max(1));
    let (day, hour, minute) = (1 + number / 1440 % 28, number / 60 % 24, number % 60);
    let before = if number > 1 { format!("evt-{:03}", number - 1) } else { "none".to_owned() };
    format!(
        "\n### evt-{number:03} | 2026-01-{day:02} {hour:02}:{minute:02} | agent-{} | {kind}\n\n**Scope**: area{}, {thing}\n\
         **Summary**: Something of type {kind} happened to {thing}, number {number}\n\n**Details**:\n- entity: {thing}\n\
         - path: src/{thing}.rs\n- changes: line {number}\n\n**Refs**: {before}\n**Tags**: t{}\n",
        number % 3,
        number % 7,
        number % 5
    )
}
