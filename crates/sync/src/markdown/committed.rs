//! The events of a changelog as commits had them.

use std::collections::VecDeque;
use std::path::Path;

use idetic_formats::markdown::{Entry, Identity, identities};
use idetic_memory::Result;

use super::files::Logs;
use super::git;

/// An event in a commit.
pub struct Committed {
    pub entry: Entry,
    /// Its bytes.
    pub raw: String,
    pub identity: Identity,
}

/// How many commits are kept: a changelog that drops its oldest events in each of them would be kept as often.
const KEPT: usize = 8;

/// The commits that were read last.
#[derive(Default)]
pub struct Commits(VecDeque<(String, Vec<Committed>)>);

impl Commits {
    /// The events of the changelog and its archives in a commit.
    pub fn events(&mut self, root: &Path, commit: &str) -> Result<&[Committed]> {
        let place = self.0.iter().position(|(own, _)| own == commit);
        let found = match place.and_then(|place| self.0.remove(place)) {
            Some(found) => found,
            None => (commit.to_owned(), read(root, commit)?),
        };
        self.0.truncate(KEPT - 1);
        self.0.push_front(found);
        Ok(&self.0[0].1)
    }
}

fn read(root: &Path, commit: &str) -> Result<Vec<Committed>> {
    let logs = Logs::of(git::logs_of(root, commit)?);
    let files = logs.all();
    let entries = files.iter().flat_map(|log| log.entries().iter().map(move |entry| (entry, log.raw(entry))));
    let events = entries.zip(identities(&files).into_iter().flatten()).map(|((entry, raw), identity)| Committed {
        entry: entry.clone(),
        raw: raw.to_owned(),
        identity,
    });
    Ok(events.collect())
}
