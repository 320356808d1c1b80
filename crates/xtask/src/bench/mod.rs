//! Benches: each measures in a child process of its own, compares inside one run, and writes docs/benchmarks.md.

mod amem;
mod clocks;
mod dispatch;
mod document;
mod ground;
mod machine;
mod md;
mod options;
mod plain;
mod recall;
mod records;
mod report;
mod run;
mod server;
mod services;
mod strace;
mod subjects;
mod task;
mod tasks;

pub use dispatch::run;
pub use document::write_section;
pub use report::{Report, Table};
pub use run::today;
pub use task::answer;
pub use tasks::home::sources;
