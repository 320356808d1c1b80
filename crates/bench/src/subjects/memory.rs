//! The most memory that filling, folding and a long stream take. Leaves behind the spaces that are read later.

use std::io::Write;
use std::process::Stdio;
use std::time::Duration;

use crate::clocks::{children_cpu, peak_kib};
use crate::ground::Ground;
use crate::options::Options;
use crate::progress::progress;
use crate::records;
use crate::report::{Report, Table, figure, grouped};
use crate::task::Task;

const STREAM_LIMIT_MB: f64 = 200.0;
const GIGABYTE: u64 = 1_000_000_000;
/// Written to the program at once.
const CHUNK_BYTES: usize = 256 << 10;

/// Fills the spaces, folds the largest, and feeds a stream to the real program.
pub fn run(ground: &Ground, options: &Options, report: &mut Report) -> Result<(), String> {
    let mut table = Table::new("Peak memory", &["what", "peak, MB", "processor time per event, µs"]);
    table
        .note("VmHWM of the process that did it. The fill runs inside this bench's program and makes its own records.");
    for &events in options.sizes() {
        fill(ground, events, &mut table)?;
    }
    let largest = options.sizes().last().copied().unwrap_or(0);
    progress(&format!("memory: folding {largest}"));
    let folded = ground.measure(&Task::Fold { home: ground.home(largest) })?;
    table.row([format!("fold of {} events", grouped(largest)), megabytes(folded.peak_kib), figure(folded.cpu_each())]);
    let bytes = options.stream_bytes();
    let (peak, cpu_us) = stream(ground, bytes)?;
    let name = format!("`idetic append -` fed {} MB", grouped(bytes / 1_000_000));
    table.row([name.clone(), megabytes(peak), figure(cpu_us)]);
    if bytes >= GIGABYTE {
        report.at_most(format!("peak memory of {name}"), STREAM_LIMIT_MB, peak as f64 * 1024.0 / 1e6, " MB");
    } else {
        table.note("A stream of 1 GB, for which the target holds, is fed with `--long`.");
    }
    report.tables.push(table);
    Ok(())
}

/// The home with so many events; one that is there already is kept.
pub fn filled(ground: &Ground, events: u64) -> Result<std::path::PathBuf, String> {
    let home = ground.home(events);
    if !home.exists() {
        progress(&format!("filling a space with {events} events"));
        ground.measure(&Task::Fill { home: home.clone(), events })?;
    }
    Ok(home)
}

fn fill(ground: &Ground, events: u64, table: &mut Table) -> Result<(), String> {
    progress(&format!("memory: filling a space with {events} events"));
    let filled = ground.measure(&Task::Fill { home: ground.home(events), events })?;
    let name = format!("fill of {} events, batches of 10 000", grouped(events));
    table.row([name, megabytes(filled.peak_kib), figure(filled.cpu_each())]);
    Ok(())
}

/// Feeds records until so many bytes are sent; the most memory in KiB, and the processor time for each record.
fn stream(ground: &Ground, bytes: u64) -> Result<(u64, f64), String> {
    let home = ground.fresh("stream")?;
    let mut init = ground.idetic(&home, &["init"]);
    crate::ground::succeed(init.arg(&home).stdout(Stdio::null()), "idetic init")?;
    let before = children_cpu()?;
    let mut command = ground.idetic(&home, &["append", "-"]);
    let spawned = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn();
    let mut child = spawned.map_err(|e| format!("idetic append: {e}"))?;
    let process = child.id().to_string();
    let mut input = child.stdin.take().ok_or("idetic append has no input")?;
    let (mut sent, mut number, mut peak, mut chunk) = (0, 0, 0, String::with_capacity(CHUNK_BYTES * 2));
    while sent < bytes {
        while chunk.len() < CHUNK_BYTES {
            chunk.push_str(&records::record(number, number % 2 == 0));
            chunk.push('\n');
            number += 1;
        }
        input.write_all(chunk.as_bytes()).map_err(|e| format!("idetic append: {e}"))?;
        sent += chunk.len() as u64;
        chunk.clear();
        peak = peak.max(peak_kib(&process));
        if sent % 100_000_000 < CHUNK_BYTES as u64 {
            progress(&format!("memory: {} MB fed to append", sent / 1_000_000));
        }
    }
    drop(input);
    let status = loop {
        // It is a high-water mark: the last look before the end sees all but the last moments.
        peak = peak.max(peak_kib(&process));
        if let Some(status) = child.try_wait().map_err(|e| format!("idetic append: {e}"))? {
            break status;
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let cpu_us = (children_cpu()? - before).as_secs_f64() * 1e6 / number as f64;
    std::fs::remove_dir_all(&home).map_err(|e| format!("{}: {e}", home.display()))?;
    if status.success() { Ok((peak, cpu_us)) } else { Err(format!("idetic append: {status}")) }
}

fn megabytes(kib: u64) -> String {
    figure(kib as f64 * 1024.0 / 1e6)
}
