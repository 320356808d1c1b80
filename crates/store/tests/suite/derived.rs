//! Damage to what is derived: a changed bit anywhere is noticed before it is read, and what comes back is right.

mod index;
mod vectors;
mod views;

use std::fs;
use std::path::Path;

/// SQLite's page.
const PAGE_BYTES: usize = 4096;

/// Changes one bit of a file in place, as a failing disk or a slip of the hand would.
fn flip(file: &Path, bit: usize) {
    let mut bytes = fs::read(file).expect("the file is there");
    bytes[bit / 8] ^= 1 << (bit % 8);
    fs::write(file, bytes).expect("it can be written");
}

/// Copies the files of a folder.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("the folder is there").flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_file()) {
            fs::copy(entry.path(), to.join(entry.file_name())).expect("copied");
        }
    }
}
