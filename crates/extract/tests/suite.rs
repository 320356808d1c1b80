//! What the rules are measured by, in one binary: one file for each subject.

#[path = "suite/data_files.rs"]
mod data_files;
#[path = "suite/directives.rs"]
mod directives;
#[path = "suite/others.rs"]
mod others;
#[path = "suite/private.rs"]
mod private;
#[path = "suite/secrets.rs"]
mod secrets;
#[path = "suite/statements.rs"]
mod statements;
#[path = "suite/strangers.rs"]
mod strangers;
