//! Records of text through the library, without a model, until they can be found by their words.

use std::path::Path;

use idetic_core::Record;
use idetic_ops::{Models, Question, RecallOptions};
use idetic_search::Mode;

use super::home;
use crate::clocks::{Measured, Stopwatch};
use crate::records;

/// Records in a batch.
pub const BATCH: usize = 10_000;

/// Appends, then asks one question by words, which seals what is behind the files.
pub fn run(home: &Path, events: u64) -> Result<Measured, String> {
    let (_memory, space) = home::make(home)?;
    let texts: Vec<String> = (0..events).map(|number| records::record(number, true)).collect();
    let watch = Stopwatch::start();
    for batch in texts.chunks(BATCH) {
        let records = batch.iter().map(|text| Record::parse(text.as_bytes())).collect::<Result<Vec<_>, _>>();
        space.append(records.map_err(|e| e.message)?, None).map_err(|e| e.to_string())?;
    }
    let question = Question { query: "which query failed".to_owned(), ..Question::default() };
    let manner = RecallOptions { mode: Mode::Lexical, ..RecallOptions::default() };
    let answer = space.actor("planner").recall(&Models::default(), &manner, question).map_err(|e| e.to_string())?;
    let measured = watch.stop(events);
    if answer.hits.is_empty() { Err("what was appended is not found".to_owned()) } else { Ok(measured) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::tempdir;

    #[test]
    fn what_is_taken_in_is_found_and_sealed() {
        let scratch = tempdir().expect("a folder");
        assert_eq!(run(scratch.path(), 600).map(|m| m.units), Ok(600));
        let (_memory, space) = home::open(scratch.path()).expect("opens");
        assert_eq!(space.lane_files().manifest().covered(idetic_store::Series::Documents).0, 600);
    }
}
