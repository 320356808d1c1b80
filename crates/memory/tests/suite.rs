//! The tests of the library, in one binary: one file for each subject.

#[path = "suite/as_of.rs"]
mod as_of;
#[path = "suite/causes.rs"]
mod causes;
#[path = "suite/hermetic.rs"]
mod hermetic;
#[path = "suite/history.rs"]
mod history;
#[path = "suite/samples.rs"]
mod samples;
#[path = "suite/spaces.rs"]
mod spaces;
#[path = "suite/table.rs"]
mod table;
