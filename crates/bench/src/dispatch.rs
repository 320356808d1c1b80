//! Which bench is meant.

use std::path::Path;

use super::options::USAGE;
use super::run::run as log;
use super::{agents, amem, md, recall, server, services};

/// Runs the bench that the first word names; says whether every target was met.
pub fn run(root: &Path, words: &[String]) -> Result<bool, String> {
    let (bench, rest) = words.split_first().ok_or(USAGE)?;
    match bench.as_str() {
        "log" => log(root, rest),
        "recall" => recall::run(root, rest),
        "agents" => agents::run(root, rest),
        "amem" => amem::run(root, rest),
        "md" => md::run(root, rest),
        "server" => server::run(root, rest),
        "services" => services::run(root, rest),
        "fuzzy-equal" => recall::fuzzy_equal(root, rest),
        other => Err(format!("there is no bench '{other}'. {USAGE}")),
    }
}
