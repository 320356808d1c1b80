//! The bench of what a coding agent is told: scripted projects of several days are played through the hooks, and each new
//! session is asked what it should know.

mod judge;
mod play;
mod run;
mod script;

pub use run::run;
