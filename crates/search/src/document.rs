//! What recall makes of an event: the lane it belongs to, and the document it is there.

use std::borrow::Cow;

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

/// The parts of a lane. Every event is a document of one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LaneSection {
    /// What recall ranks.
    Ranked,
    /// What repeats what an agent was asked or reminded of: embedded, and ranked only where its kind is asked for.
    Echo,
    /// What keeps the memory itself, and what has no words: never embedded, and ranked only where its kind is asked for.
    Internal,
}

impl LaneSection {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Ranked, Self::Echo, Self::Internal];

    /// The name of the lane, from that of this part of it.
    pub(crate) fn lane(self, name: &str) -> Option<&str> {
        name.strip_suffix(self.suffix())
    }

    /// What is appended to a lane's name for it.
    fn suffix(self) -> &'static str {
        match self {
            Self::Ranked => "",
            Self::Echo => "__repeated",
            Self::Internal => "__quiet",
        }
    }
}

/// What an agent's loop writes about itself: thoughts, and summaries of what was asked, done and answered, all of which
/// are events of their own.
const REPEATS: [&str; 4] = ["agent.thought", "conversation.invocation", "episode.stored", "episode.told"];
/// A tool that is called, and what it answered.
const TOOL_KINDS: [&str; 2] = ["tool_call", "tool_result"];
/// Tools that look into this memory; what they answer is in it already.
const MEMORY_TOOLS: [&str; 6] =
    ["recall", "context", "retrieve_facts", "recall_episodes", "fetch_step", "fact_retrieve"];
/// What coding agents put before the name of a tool of this memory.
const MEMORY_SERVERS: [&str; 2] = ["mcp__idetic__", "idetic:"];

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

    /// The name of a part of it.
    pub fn part_name(&self, part: LaneSection) -> String {
        format!("{}{}", self.name(), part.suffix())
    }

    /// The lane with a name, and which part of it that is.
    pub fn named(name: &str) -> Option<(Self, LaneSection)> {
        let is = |part: &LaneSection| name.ends_with(part.suffix());
        let part = LaneSection::ALL.into_iter().rev().find(is).unwrap_or(LaneSection::Ranked);
        let name = name.strip_suffix(part.suffix())?;
        if name == "shared" {
            return Some((Self::Shared, part));
        }
        let of = |persona: Persona| {
            let agent = name.strip_suffix("__ltm")?.strip_suffix(persona.word())?.strip_suffix("__")?;
            Some((Self::Of(agent.to_owned(), persona), part))
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

/// The parts of a lane in which documents of a kind may be; without a kind, where recall looks. Whoever filters otherwise
/// says himself what he wants.
pub fn parts_of(kind: Option<&str>, is_filtered: bool) -> &'static [LaneSection] {
    match kind {
        Some(kind) if is_upkeep(kind) => &[LaneSection::Internal],
        Some(kind) if REPEATS.contains(&kind) || TOOL_KINDS.contains(&kind) => {
            &[LaneSection::Ranked, LaneSection::Echo]
        }
        _ if is_filtered => &[LaneSection::Ranked, LaneSection::Echo],
        _ => &[LaneSection::Ranked],
    }
}

/// The part of its lane that an event with a text is in.
fn part_of(kind: &str, fields: &Fields, text: &str) -> LaneSection {
    if text.is_empty() || is_upkeep(kind) {
        return LaneSection::Internal;
    }
    let is_repeated = match kind {
        // What was told from elsewhere has no events behind it: it may be all there is.
        kind if REPEATS.contains(&kind) => fields.loop_id.is_some() && !fields.causes.is_empty(),
        kind if TOOL_KINDS.contains(&kind) => is_of_memory_tool(fields),
        _ => false,
    };
    if is_repeated { LaneSection::Echo } else { LaneSection::Ranked }
}

fn is_of_memory_tool(fields: &Fields) -> bool {
    #[derive(Deserialize)]
    struct Said<'a> {
        #[serde(borrow)]
        tool_name: Option<Cow<'a, str>>,
    }
    let tool = fields.metadata.as_ref().and_then(|said| serde_json::from_str::<Said<'_>>(said.get()).ok()?.tool_name);
    // Others may have tools of these names: the agent's own are part of a loop.
    let is_agents = fields.loop_id.is_some() && !fields.causes.is_empty();
    tool.is_some_and(|tool| {
        is_agents && MEMORY_TOOLS.contains(&&*tool) || MEMORY_SERVERS.iter().any(|server| tool.starts_with(server))
    })
}

/// The importance of what says nothing about it.
pub const DEFAULT_IMPORTANCE: f32 = 0.5;

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
        let (ts, importance) = (Time(0), DEFAULT_IMPORTANCE);
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
        let part = part_of(&event.header.kind, fields, text);
        let document = Self {
            seq: event.seq(),
            id: &event.header.id,
            ts: event.ts(),
            kind: &event.header.kind,
            author: fields.author.as_deref(),
            conversation: fields.conversation_id.as_deref(),
            trust: event.trust(),
            importance: importance_said(fields).unwrap_or(DEFAULT_IMPORTANCE),
            text,
        };
        Some((lane.part_name(part), document))
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
        for agent in ["a", "shared", "x__actor__ltm", "", "b__subconscious", "__quiet", "c__repeated"] {
            for persona in [Persona::Actor, Persona::Subconscious] {
                let lane = Lane::Of(agent.to_owned(), persona);
                for part in LaneSection::ALL {
                    assert_eq!(Lane::named(&lane.part_name(part)), Some((lane.clone(), part)));
                }
            }
        }
        assert_eq!(Lane::named(&Lane::Shared.name()), Some((Lane::Shared, LaneSection::Ranked)));
        assert_eq!(Lane::named("nobody"), None);
        assert!(is_upkeep("dream.completed") && !is_upkeep("dreamer.spoke"));
    }
}
