//! What recall makes of an event: the lane it belongs to, and the document it is there.

use serde::Deserialize;

use idetic_core::views::{PURGED, RECALLED, REGRADED, RETIRES};
use idetic_core::words::{Persona, Trust};
use idetic_core::{Event, Fields, Time};

/// The memory of one side of one agent, or what all of a space share.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lane {
    /// What no agent owns.
    Shared,
    /// What one side of one agent saw and did.
    Of(String, Persona),
}

/// What is appended to a lane's name for the events nobody is reminded of unless they ask for the kind: those that keep
/// the memory itself, and those without words. Every event is a document of its lane or of this part of it.
const QUIET: &str = "__quiet";

impl Lane {
    /// The lane of an event.
    pub fn of(fields: &Fields) -> Self {
        match &fields.agent_id {
            None => Self::Shared,
            Some(agent) => Self::Of(agent.clone(), fields.persona.unwrap_or(Persona::Actor)),
        }
    }

    /// Its name: `<agent_id>__actor__ltm`, `<agent_id>__subconscious__ltm` or `shared`.
    pub fn name(&self) -> String {
        match self {
            Self::Shared => "shared".to_owned(),
            Self::Of(agent, persona) => format!("{agent}__{}__ltm", persona.word()),
        }
    }

    /// The name of the quiet part of it.
    pub fn quiet_name(&self) -> String {
        format!("{}{QUIET}", self.name())
    }

    /// The lane with a name, and whether it is its quiet part.
    pub fn named(name: &str) -> Option<(Self, bool)> {
        let (name, quiet) = name.strip_suffix(QUIET).map_or((name, false), |name| (name, true));
        if name == "shared" {
            return Some((Self::Shared, quiet));
        }
        let of = |persona: Persona| {
            let agent = name.strip_suffix("__ltm")?.strip_suffix(persona.word())?.strip_suffix("__")?;
            Some((Self::Of(agent.to_owned(), persona), quiet))
        };
        of(Persona::Actor).or_else(|| of(Persona::Subconscious))
    }
}

/// Namespaces of kinds that keep the memory itself. They are never embedded.
const UPKEEP_NAMESPACES: [&str; 7] = ["dream.", "model.", "extract.", "log.", "changelog.", "graph.", "md."];

/// Whether a kind keeps the memory itself.
pub fn is_upkeep(kind: &str) -> bool {
    [REGRADED, RETIRES, PURGED, RECALLED].contains(&kind)
        || UPKEEP_NAMESPACES.iter().any(|namespace| kind.starts_with(namespace))
}

/// The importance of what says nothing about it.
pub const USUAL_IMPORTANCE: f32 = 0.5;

/// An event, as recall sees it.
#[derive(Debug, Clone, Copy)]
pub struct Document<'a> {
    /// Its place in the log.
    pub seq: u64,
    /// What other events call it.
    pub id: &'a str,
    /// When it happened.
    pub ts: Time,
    /// What kind of thing it was.
    pub kind: &'a str,
    /// Who said it.
    pub author: Option<&'a str>,
    /// The conversation it belongs to; without one it stands alone.
    pub conversation: Option<&'a str>,
    /// Where it comes from.
    pub trust: Trust,
    /// How much it matters, from 0 to 1.
    pub importance: f32,
    /// What was said.
    pub text: &'a str,
}

impl<'a> Document<'a> {
    /// A document that says nothing about itself but its text.
    pub fn plain(seq: u64, text: &'a str) -> Self {
        let (ts, importance) = (Time(0), USUAL_IMPORTANCE);
        Self {
            seq,
            id: "",
            ts,
            kind: "user_input",
            author: None,
            conversation: None,
            trust: Trust::User,
            importance,
            text,
        }
    }

    /// The document of an event with its whole text, and the name of its place; none where it was erased, and none for the
    /// receipt of that: nobody's numbers may tell that there was something.
    pub fn of(event: &'a Event, text: &'a str) -> Option<(String, Self)> {
        let fields = event.fields.as_ref().filter(|_| event.header.kind != PURGED)?;
        let lane = Lane::of(fields);
        let quiet = text.is_empty() || is_upkeep(&event.header.kind);
        let document = Self {
            seq: event.seq(),
            id: &event.header.id,
            ts: event.ts(),
            kind: &event.header.kind,
            author: fields.author.as_deref(),
            conversation: fields.conversation_id.as_deref(),
            trust: event.trust(),
            importance: importance_said(fields).unwrap_or(USUAL_IMPORTANCE),
            text,
        };
        Some((if quiet { lane.quiet_name() } else { lane.name() }, document))
    }
}

/// The importance an event gives itself, in its metadata.
pub fn importance_said(fields: &Fields) -> Option<f32> {
    #[derive(Deserialize)]
    struct Said {
        importance: Option<f32>,
    }
    let metadata = fields.metadata.as_ref().filter(|m| m.get().contains("\"importance\""))?;
    serde_json::from_str::<Said>(metadata.get()).ok()?.importance.filter(|said| (0.0..=1.0).contains(said))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lane_is_found_again_by_its_name_whatever_the_agent_is_called() {
        for agent in ["a", "shared", "x__actor__ltm", "", "b__subconscious", "__quiet", "c__quiet"] {
            for persona in [Persona::Actor, Persona::Subconscious] {
                let lane = Lane::Of(agent.to_owned(), persona);
                assert_eq!(Lane::named(&lane.name()), Some((lane.clone(), false)));
                assert_eq!(Lane::named(&lane.quiet_name()), Some((lane, true)));
            }
        }
        assert_eq!(Lane::named(&Lane::Shared.name()), Some((Lane::Shared, false)));
        assert_eq!(Lane::named("nobody"), None);
        assert!(is_upkeep("dream.completed") && !is_upkeep("dreamer.spoke"));
    }
}
