//! Agent profiles (specification 000, section 5), derived from the log whenever they are asked for: sessions, how what an
//! agent did went, what it learned, what it prefers. What an actor did and what is shared, never its other side.

mod counts;
mod declared;
mod learned;
mod mistakes;

use std::collections::{BTreeMap, BTreeSet};

use idetic_core::Time;
use idetic_core::views::TIMELINE;
use idetic_core::words::Persona;
use idetic_formats::amem::profile::{Capability, Handoff, Profile, add_new, since};
use idetic_store::{Filter, Select};

use self::counts::{Counts, Work};
use self::declared::Declared;
pub use self::declared::{IMPORTED, preferences_record};
use self::learned::Learned;
use self::mistakes::Mistakes;
use crate::{Result, Space};

/// The key for what an agent learned that belongs to none of its capabilities.
const LEARNED: &str = "learned_patterns";

impl Space {
    /// An agent's profile as of a seq; `None` where nothing is known of it.
    pub fn profile(&self, agent: &str, horizon: u64) -> Result<Option<Profile>> {
        let known = Known::of(self, horizon)?;
        if known.names().contains(agent) { known.profile(self, agent).map(Some) } else { Ok(None) }
    }

    /// The profile of every agent as of a seq, by name.
    pub fn profiles(&self, horizon: u64) -> Result<Vec<Profile>> {
        let known = Known::of(self, horizon)?;
        known.names().into_iter().map(|agent| known.profile(self, agent)).collect()
    }
}

/// What the log says of all agents together, as of a seq.
struct Known {
    horizon: u64,
    counts: BTreeMap<String, Counts>,
    declared: BTreeMap<String, Declared>,
    learned: Learned,
    mistakes: Mistakes,
}

impl Known {
    fn of(space: &Space, horizon: u64) -> Result<Self> {
        Ok(Self {
            horizon,
            counts: counts::counts(space, horizon)?,
            declared: declared::declared(space, horizon)?,
            learned: Learned::read(space, horizon)?,
            mistakes: Mistakes::read(space, horizon)?,
        })
    }

    fn names(&self) -> BTreeSet<&str> {
        self.counts.keys().chain(self.declared.keys()).map(String::as_str).collect()
    }

    fn profile(&self, space: &Space, agent: &str) -> Result<Profile> {
        let (nobody, nothing) = (Counts::default(), Declared::default());
        let now = self.counts.get(agent).unwrap_or(&nobody);
        let declared = self.declared.get(agent).unwrap_or(&nothing);
        // What a file told was true when it was taken in; what happened since is counted on top of it.
        let (mut profile, then) = match &declared.imported {
            Some((seq, profile)) => {
                (profile.clone(), counts::counts(space, *seq)?.remove(agent).unwrap_or_default().at(*seq))
            }
            None => (Profile::default(), Counts::default()),
        };
        agent.clone_into(&mut profile.agent_name);
        profile.preferences.clone_from(&declared.preferences);
        profile.session_count = since(profile.session_count, then.sessions, now.sessions);
        if let Some(version) = &now.version
            && (now.seq > then.seq || profile.agent_version.is_empty())
        {
            profile.agent_version.clone_from(version);
        }
        self.last_active(space, &mut profile, now, declared)?;
        self.capabilities(space, &mut profile, &then, now)?;
        let switches = since(profile.context_switches.unwrap_or(0), then.switches, now.switches);
        profile.context_switches = (switches > 0 || profile.context_switches.is_some()).then_some(switches);
        if let Some((to, ts, trace_id)) = &now.handoff
            && (now.seq > then.seq || profile.last_handoff.is_none())
        {
            let (to, timestamp) = (to.clone().unwrap_or_default(), ts.to_string());
            profile.last_handoff = Some(Handoff { to, timestamp, trace_id: trace_id.clone() });
        }
        Ok(profile)
    }

    /// The latest of its sessions, of what it did, and of what was said of it.
    fn last_active(&self, space: &Space, profile: &mut Profile, now: &Counts, declared: &Declared) -> Result<()> {
        let mut latest = now.last_active.max(declared.last);
        let own = Select { newest_first: true, limit: Some(1), ..Select::from(&TIMELINE, self.horizon) };
        let own = own.filter(Filter::Is("agent", profile.agent_name.as_str().into()));
        for side in [Filter::IsNull("persona"), Filter::Is("persona", Persona::Actor.word().into())] {
            for row in space.select(&own.clone().filter(side))? {
                let [_id, ts, ..] = &row.values[..] else { continue };
                latest = latest.max(Some(Time(ts.int())));
            }
        }
        // A time in a file that cannot be read tells nothing.
        let said = Time::parse(&profile.last_active).ok();
        if let Some(latest) = latest.filter(|latest| said.is_none_or(|said| said < *latest)) {
            profile.last_active = latest.to_string();
        }
        Ok(())
    }

    fn capabilities(&self, space: &Space, profile: &mut Profile, then: &Counts, now: &Counts) -> Result<()> {
        let mut learned = self.learned.of(space, profile, now, self.horizon)?;
        let mut mistakes = self.mistakes.of(space, &profile.agent_name, self.horizon)?;
        let told: BTreeSet<String> = profile.capabilities.iter().map(|(name, _)| name.clone()).collect();
        let found = now.capabilities.keys().chain(learned.by_capability.keys()).chain(mistakes.keys());
        let new: BTreeSet<String> = found.filter(|name| !told.contains(*name)).cloned().collect();
        profile.capabilities.extend(new.into_iter().map(|name| (name, Capability::default())));
        for (name, capability) in &mut profile.capabilities {
            let nothing = Work::default();
            let work = now.capabilities.get(name);
            let before = then.capabilities.get(name).unwrap_or(&nothing);
            capability.count(before.counts(), work.map(Work::counts));
            capability.preferred_tool = work.and_then(Work::favourite).or(capability.preferred_tool.take());
            add_new(&mut capability.learned_patterns, learned.by_capability.remove(name).unwrap_or_default());
            let mut frequent = mistakes.remove(name).unwrap_or_default();
            add_new(&mut frequent, std::mem::take(&mut capability.common_mistakes));
            capability.common_mistakes = frequent;
        }
        if !learned.other.is_empty() {
            let told = profile.extra.iter().find(|(key, _)| key == LEARNED);
            let mut all: Vec<String> = told.and_then(|(_, list)| serde_json::from_str(list).ok()).unwrap_or_default();
            add_new(&mut all, learned.other);
            profile.extra.retain(|(key, _)| key != LEARNED);
            profile.extra.push((LEARNED.to_owned(), serde_json::Value::from(all).to_string()));
        }
        Ok(())
    }
}
