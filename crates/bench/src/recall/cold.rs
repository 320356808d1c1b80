//! A whole process of `idetic recall` in a home of ten thousand events, all of them embedded.

use std::io::Write;
use std::path::Path;
use std::process::Stdio;

use serde_json::json;

use super::indexed::time;
use super::setting::Setting;
use crate::clocks::children_cpu;
use crate::ground::succeed;
use crate::progress::progress;
use crate::report::{Report, Table, figure, grouped, median};
use crate::task::Task;

const EVENTS: usize = 10_000;
/// Events of a conversation.
const TURNS: usize = 20;
const PROCESSES: usize = 30;
const LIMIT_MS: f64 = 150.0;
/// Questions of a round.
const ASKED: u64 = 300;
const OPENING_LIMIT: f64 = 5.0;

/// Fills a home, lets it dream, and asks.
pub fn run(setting: &Setting, report: &mut Report) -> Result<(), String> {
    let home = setting.ground.fresh("cold")?;
    succeed(setting.ground.idetic(&home, &["init"]).arg(&home).stdout(Stdio::null()), "idetic init")?;
    progress(&format!("cold: filling a home with {EVENTS} events"));
    append(setting, &home)?;
    progress("cold: embedding all of them");
    succeed(setting.ground.idetic(&home, &["dream"]).stdout(Stdio::null()), "idetic dream")?;
    let mut table = Table::new("A cold process", &["command", "processor time, ms", "target"]);
    table.note(format!(
        "User and system time of a whole process, {PROCESSES} of them with different questions, in a home of {} events \
         that are all embedded.",
        grouped(EVENTS as u64)
    ));
    let questions = setting.corpus.short_questions();
    for (mode, limit) in [("hybrid", Some(LIMIT_MS)), ("lexical", None)] {
        let before = children_cpu()?;
        for question in &questions[..PROCESSES] {
            let mut command = setting.ground.idetic(&home, &["recall", "--mode", mode]);
            succeed(command.arg(question).stdout(Stdio::null()), "idetic recall")?;
        }
        let each = (children_cpu()? - before).as_secs_f64() * 1e3 / PROCESSES as f64;
        if let Some(limit) = limit {
            let what = format!("whole process of `idetic recall` at {} events", grouped(EVENTS as u64));
            report.at_most(what, limit, each, " ms");
        }
        let target = limit.map_or("–".to_owned(), |limit| format!("< {limit} ms"));
        table.row([format!("`idetic recall --mode {mode}`"), figure(each), target]);
    }
    report.tables.push(table);
    opening(setting, &home, report)
}

/// What the first question in a space costs more than the next, in one program.
fn opening(setting: &Setting, home: &Path, report: &mut Report) -> Result<(), String> {
    let ask = |opening: bool| {
        let task = Task::Ask { home: home.to_owned(), count: ASKED, opening };
        setting.ground.measure(&task).map(|measured| measured.cpu_each())
    };
    let (mut cold, mut warm) = (Vec::new(), Vec::new());
    for _ in 0..setting.rounds() {
        cold.push(ask(true)?);
        warm.push(ask(false)?);
    }
    let ratio = median(cold.iter().zip(&warm).map(|(cold, warm)| cold / warm).collect());
    let columns = ["events", "opened and asked, µs", "asked again, µs", "ratio", "target"];
    let mut table = Table::new("The first question in a space", &columns);
    table.note(
        "By words, through the library, in one process: home and space opened for each question, or once for all.",
    );
    let events = grouped(EVENTS as u64);
    let verdict = [format!("{} ×", figure(ratio)), format!("≤ {OPENING_LIMIT} ×")];
    table.row([events.clone(), figure(median(cold)), figure(median(warm))].into_iter().chain(verdict));
    report.tables.push(table);
    report.at_most(
        format!("opening and asking a space of {events} events, against asking it"),
        OPENING_LIMIT,
        ratio,
        " ×",
    );
    Ok(())
}

fn append(setting: &Setting, home: &Path) -> Result<(), String> {
    let mut command = setting.ground.idetic(home, &["append", "-"]);
    let spawned = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn();
    let mut child = spawned.map_err(|e| format!("idetic append: {e}"))?;
    let mut input = child.stdin.take().ok_or("idetic append has no input")?;
    for number in 0..EVENTS {
        let conversation = format!("c-{}", number / TURNS);
        let record = json!({
            "kind": "user_input", "ts": time(number).to_string(), "conversation_id": conversation,
            "content": setting.corpus.text(number),
        });
        writeln!(input, "{record}").map_err(|e| format!("idetic append: {e}"))?;
    }
    drop(input);
    let status = child.wait().map_err(|e| format!("idetic append: {e}"))?;
    if status.success() { Ok(()) } else { Err(format!("idetic append: {status}")) }
}
