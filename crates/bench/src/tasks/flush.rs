//! The disk alone: a write of 4 KiB and a flush, again and again.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::thread;

use crate::clocks::{Measured, Stopwatch};

const PAGE: [u8; 4096] = [b'x'; 4096];
/// As long as the log lets its write-ahead log grow.
const PAGES_IN_PLACE: u64 = 1024;

/// Each writer has a file of its own: one that grows, or one that is there already and is written over.
pub fn run(folder: &Path, growing: bool, writers: usize, count: u64) -> Result<Measured, String> {
    let failed = |e: std::io::Error| format!("cannot write below {}: {e}", folder.display());
    let files: Vec<File> =
        (0..writers).map(|n| prepared(folder, n, growing)).collect::<Result<_, _>>().map_err(failed)?;
    let watch = Stopwatch::start();
    let done: std::io::Result<()> = thread::scope(|scope| {
        let threads: Vec<_> = files.iter().map(|file| scope.spawn(move || write(file, growing, count))).collect();
        threads.into_iter().try_for_each(|t| t.join().unwrap_or_else(|_| Err(std::io::ErrorKind::Other.into())))
    });
    done.map_err(failed)?;
    Ok(watch.stop(count * writers as u64))
}

fn prepared(folder: &Path, number: usize, growing: bool) -> std::io::Result<File> {
    let file = File::create(folder.join(format!("raw-{number}")))?;
    if !growing {
        (0..PAGES_IN_PLACE).try_for_each(|page| file.write_all_at(&PAGE, page * PAGE.len() as u64))?;
    }
    file.sync_all()?;
    Ok(file)
}

fn write(file: &File, growing: bool, count: u64) -> std::io::Result<()> {
    for number in 0..count {
        let page = if growing { number } else { number % PAGES_IN_PLACE };
        file.write_all_at(&PAGE, page * PAGE.len() as u64)?;
        file.sync_data()?;
    }
    Ok(())
}
