//! Questions by words through the library: in a space that is open, or in one that is opened for each of them.

use std::path::Path;

use idetic_ops::{Models, Question, RecallOptions};
use idetic_search::Mode;

use super::home;
use crate::clocks::{Measured, Stopwatch};
use crate::records;

/// Asks so many questions. The files are in the system's cache; whoever opens has nothing in the program's.
pub fn run(home: &Path, count: u64, opening: bool) -> Result<Measured, String> {
    let kept = home::open(home)?;
    ask(&kept, 0)?;
    let watch = Stopwatch::start();
    for number in 0..count {
        if opening {
            ask(&home::open(home)?, number)?;
        } else {
            ask(&kept, number)?;
        }
    }
    Ok(watch.stop(count))
}

fn ask((_, space): &home::Opened, number: u64) -> Result<(), String> {
    const WORDS: [&str; 8] = ["value", "error", "type", "request", "field", "function", "default", "database"];
    let word = |shift: u32| WORDS[((records::mix(number) >> shift) % 8) as usize];
    let query = format!("which {} has a {} for the {}", word(0), word(8), word(16));
    let manner = RecallOptions { mode: Mode::Lexical, ..RecallOptions::default() };
    let question = Question { query, ..Question::default() };
    let answer = space.actor("nobody").recall(&Models::default(), &manner, question).map_err(|e| e.to_string())?;
    if answer.hits.is_empty() { Err("nothing is found".to_owned()) } else { Ok(()) }
}
