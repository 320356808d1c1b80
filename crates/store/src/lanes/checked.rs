//! Which blocks of vectors were held against their checksums, and what their files looked like then. A line of JSON and a line with
//! its checksum.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use idetic_core::Hash;
use serde::{Deserialize, Serialize};

use crate::sums::Stamp;

const NAME: &str = "checked.json";

/// Files by name.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Checked(BTreeMap<String, Seen>);

/// What a file looked like, and the lanes whose blocks were whole then.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Seen {
    stamp: Vec<u8>,
    lanes: BTreeSet<String>,
}

impl Checked {
    /// What is known. A list that cannot be read says nothing: everything is checked again.
    pub fn read(folder: &Path) -> Self {
        let read = || {
            let text = fs::read_to_string(folder.join(NAME)).ok()?;
            let (text, sum) = text.strip_suffix('\n')?.split_once('\n')?;
            (Hash::of(text.as_bytes()).to_string() == sum).then(|| serde_json::from_str(text).ok())?
        };
        Self(read().unwrap_or_default())
    }

    /// Whether the block of a lane was whole when its file looked like this.
    pub fn knows(&self, file: &str, stamp: Stamp, lane: &str) -> bool {
        self.0.get(file).is_some_and(|seen| seen.stamp == stamp.to_bytes() && seen.lanes.contains(lane))
    }

    /// Notes down blocks that are whole, and forgets files that are not listed any more. Where it cannot be written they are
    /// checked again.
    pub fn add(mut self, folder: &Path, whole: &[(&str, Stamp, &str)], listed: impl Fn(&str) -> bool) {
        let before = self.0.clone();
        for (file, stamp, lane) in whole {
            let seen = self.0.entry((*file).to_owned()).or_default();
            if seen.stamp != stamp.to_bytes() {
                *seen = Seen { stamp: stamp.to_bytes(), lanes: BTreeSet::new() };
            }
            seen.lanes.insert((*lane).to_owned());
        }
        self.0.retain(|file, _| listed(file));
        if self.0 == before {
            return;
        }
        let beside = folder.join(format!("{NAME}{}", super::file::UNFINISHED));
        if let Ok(text) = serde_json::to_string(&self.0)
            && fs::write(&beside, format!("{text}\n{}\n", Hash::of(text.as_bytes()))).is_ok()
        {
            let _ = fs::rename(&beside, folder.join(NAME));
        }
    }
}
