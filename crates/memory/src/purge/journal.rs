//! What is to go, written down before anything does, so that a purge that was stopped can be finished. It names events and
//! holds no word of what they say.

use std::collections::HashSet;

use idetic_core::words::Persona;
use idetic_core::{Hash, hash};
use idetic_search::InputHash;
use serde::{Deserialize, Serialize};

use super::choose::{PurgeCandidate, only_theirs};
use super::receipt::ranges;
use super::{PurgedItems, TextPattern};
use crate::folder::Folder;
use crate::{Error, Kind, Result, Space};

/// There only while a purge is at work, or after it was stopped.
const FILE: &str = "purging.json";

/// What is to go.
#[derive(Debug, Serialize, Deserialize)]
pub struct PurgeJournal {
    /// The numbers of the events.
    pub seqs: Vec<(u64, u64)>,
    /// The body of the receipt.
    pub receipt: String,
    /// Their agents, personas and ids.
    ids: Vec<(Option<String>, Option<String>, String)>,
    /// The hashes of the texts whose vectors go.
    inputs: Vec<String>,
    /// The checksums of the notes they wrote.
    notes: Vec<Hash>,
}

impl PurgeJournal {
    /// What is chosen, and the receipt it will leave.
    pub fn new(space: &Space, chosen: &[PurgeCandidate], receipt: String) -> Result<Self> {
        let id =
            |c: &PurgeCandidate| (c.agent.clone(), c.persona.map(|persona| persona.word().to_owned()), c.id.clone());
        Ok(Self {
            seqs: ranges(chosen.iter().map(|chosen| chosen.seq)),
            receipt,
            ids: chosen.iter().map(id).collect(),
            inputs: only_theirs(space, chosen)?.iter().map(|input| hash::hex(input)).collect(),
            notes: chosen.iter().filter_map(|chosen| chosen.note).collect(),
        })
    }

    /// The one that was left behind in a space.
    pub fn load(space: &Space) -> Result<Option<Self>> {
        let path = space.folder().join(FILE);
        let text = match std::fs::read(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            text => text.map_err(Error::io(format_args!("cannot read {}", path.display())))?,
        };
        // It must outlast a power failure in the middle of what it is for, whoever wrote it.
        space.flush_names()?;
        let wrong = |e: serde_json::Error| {
            Error::new(Kind::CheckFailed, format!("{} cannot be read: {e}", path.display()))
                .hint("remove it and run the purge again")
        };
        serde_json::from_slice(&text).map(Some).map_err(wrong)
    }

    /// Whether a purge of a space was stopped.
    pub fn is_there(space: &Space) -> bool {
        space.folder().join(FILE).exists()
    }

    /// Writes it down.
    pub fn save(&self, space: &Space) -> Result<()> {
        let text = serde_json::to_vec(self).map_err(|e| Error::unavailable(e.to_string()))?;
        Folder::open(space.folder())?.put_bytes(FILE, &text)?;
        Ok(())
    }

    /// Takes it away: everything is done.
    pub fn forget(&self, space: &Space) -> Result<()> {
        Folder::open(space.folder())?.remove(FILE)
    }

    /// How what is gone is recognised elsewhere.
    pub fn gone(&self, words: Option<TextPattern>) -> PurgedItems {
        let persona = |word: &Option<String>| word.as_deref().and_then(|word| Persona::parse(word).ok());
        let ids: HashSet<_> =
            self.ids.iter().map(|(agent, side, id)| (agent.clone(), persona(side), id.clone())).collect();
        PurgedItems { ids, notes: self.notes.iter().copied().collect(), words }
    }

    /// The hashes of the texts whose vectors go.
    pub fn inputs(&self) -> Vec<InputHash> {
        self.inputs.iter().filter_map(|input| hash::hex_decode(input)).collect()
    }
}
