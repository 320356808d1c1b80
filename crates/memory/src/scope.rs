//! Whose eyes: which lanes of a space somebody sees.

use idetic_core::Fields;
use idetic_core::words::Persona;
use idetic_search::{Lane, LaneSection};

/// Whose eyes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// The owner's: what every agent saw and did as an actor, and what is shared.
    Owner,
    /// Nobody's in particular: what is shared alone.
    Shared,
    /// One side of an agent: its own, and what is shared. The subconscious also sees its actor.
    View(String, Persona),
}

impl Scope {
    /// Whether a lane can be seen.
    pub(crate) fn sees(&self, lane: &Lane) -> bool {
        match (self, lane) {
            (_, Lane::Shared) | (Self::Owner, Lane::Of(_, Persona::Actor)) => true,
            (Self::Owner, Lane::Of(_, Persona::Subconscious)) | (Self::Shared, Lane::Of(..)) => false,
            (Self::View(own, Persona::Actor), Lane::Of(agent, persona)) => own == agent && *persona == Persona::Actor,
            (Self::View(own, Persona::Subconscious), Lane::Of(agent, _)) => own == agent,
        }
    }

    /// The lanes that can be seen among those of a name.
    pub(crate) fn sees_named(&self, name: &str, parts: &[LaneSection]) -> bool {
        Lane::named(name).is_some_and(|(lane, part)| self.sees(&lane) && parts.contains(&part))
    }
}

/// Whose memory an event is of: the agent and its side, both empty where it is shared.
pub(crate) fn lane_of(fields: &Fields) -> (&str, &str) {
    fields.agent_id.as_deref().map_or(("", ""), |agent| (agent, fields.persona.map_or("actor", |side| side.word())))
}
