//! Benches: each measures in a child process of its own, compares inside one run, and writes docs/benchmarks.md.

mod clocks;
mod document;
mod ground;
mod machine;
mod options;
mod plain;
mod records;
mod report;
mod run;
mod strace;
mod subjects;
mod task;
mod tasks;

pub use run::run;
pub use task::answer;
