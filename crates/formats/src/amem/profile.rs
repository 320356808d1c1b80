//! `profiles/<agent>.json`: what an agent can do, prefers and has learned. The document's shape and the published one are read.

mod stated;

use std::collections::BTreeMap;

use serde_json::value::RawValue;

use super::Problem;
use crate::json::{self, Entries, Writer, quote};

pub use stated::{Edit, add_new, since};

/// The version of the shape that is written where a file names none.
pub const SCHEMA_VERSION: &str = "1.0";

/// How good an agent is at something, by how often it succeeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Skill {
    /// 0 to 10 successes, or none known.
    Novice,
    /// 11 to 50.
    Intermediate,
    /// 51 to 100.
    Advanced,
    /// More than 100.
    Expert,
}

impl Skill {
    /// The level for a number of successes.
    pub fn of(successes: u64) -> Self {
        match successes {
            0..=10 => Self::Novice,
            11..=50 => Self::Intermediate,
            51..=100 => Self::Advanced,
            _ => Self::Expert,
        }
    }

    /// The document's word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Novice => "novice",
            Self::Intermediate => "intermediate",
            Self::Advanced => "advanced",
            Self::Expert => "expert",
        }
    }

    /// Reads the document's word.
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Novice, Self::Intermediate, Self::Advanced, Self::Expert].into_iter().find(|s| s.word() == word)
    }
}

/// One thing an agent does.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Capability {
    /// As said; a file may say other than the counts do.
    pub skill_level: Option<Skill>,
    /// How often it worked, if known.
    pub successful_operations: Option<u64>,
    /// How often it did not, if known.
    pub failed_operations: Option<u64>,
    /// The tool it does it with.
    pub preferred_tool: Option<String>,
    /// Ids of notes it learned from.
    pub learned_patterns: Vec<String>,
    /// What went wrong, most often first.
    pub common_mistakes: Vec<String>,
    /// Keys of others, as JSON.
    pub extra: Vec<(String, String)>,
}

impl Capability {
    /// The level by the counts, or the one that is said where nothing is counted.
    pub fn skill(&self) -> Skill {
        match self.successful_operations {
            Some(count) => Skill::of(count),
            None => self.skill_level.unwrap_or(Skill::Novice),
        }
    }
}

/// The last time work was handed over.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Handoff {
    /// To whom or what.
    pub to: String,
    /// When, as written.
    pub timestamp: String,
    /// In which trace.
    pub trace_id: Option<String>,
}

/// A whole profile.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Profile {
    /// Who: the name of the file.
    pub agent_name: String,
    /// Which model.
    pub agent_version: String,
    /// When it last did something, as written.
    pub last_active: String,
    /// How many sessions it had.
    pub session_count: u64,
    /// What it does, in the order of the file.
    pub capabilities: Vec<(String, Capability)>,
    /// What it prefers: any JSON.
    pub preferences: Vec<(String, String)>,
    /// How often work was handed over, if known.
    pub context_switches: Option<u64>,
    /// The last handover.
    pub last_handoff: Option<Handoff>,
    /// Keys of others beside those two, as JSON.
    pub switches_extra: Vec<(String, String)>,
    /// The version of the shape as a file named it, as JSON: one that is not known here stays.
    pub schema_version: Option<String>,
    /// Keys of others, as JSON.
    pub extra: Vec<(String, String)>,
}

/// Where a profile came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The document's shape.
    Document,
    /// The published shape, brought into the document's.
    Migrated,
}

impl Profile {
    /// Reads a profile of either shape. `stem` names the agent where the file does not.
    pub fn read(stem: &str, text: &str) -> Result<(Self, Origin, Vec<Problem>), Problem> {
        let text = text.trim_start_matches('\u{feff}');
        let whole = json::entries(text).map_err(|reason| Problem::new(1, reason, text.as_bytes()))?;
        let mut problems = Vec::new();
        let is_list = json::get(&whole, "capabilities").is_some_and(|c| c.get().starts_with('['));
        // What we wrote says its version, and keeps the keys it came with.
        let is_ours = json::get(&whole, "schema_version").is_some();
        let foreign = ["agent_id", "specializations", "performance"];
        let published = is_list || (!is_ours && foreign.iter().any(|k| json::get(&whole, k).is_some()));
        let mut profile = Self::default();
        profile.read_known(&whole, &mut problems);
        if published {
            profile.migrate(&whole);
        }
        for (key, value) in whole.iter().filter(|(key, _)| !KNOWN.contains(&key.as_str())) {
            profile.extra.push((key.clone(), json::squeezed(value.get())));
        }
        if profile.agent_name.is_empty() {
            stem.clone_into(&mut profile.agent_name);
        }
        let origin = if published { Origin::Migrated } else { Origin::Document };
        Ok((profile, origin, problems))
    }

    fn read_known(&mut self, whole: &Entries, problems: &mut Vec<Problem>) {
        let text = |key: &str| json::get(whole, key).and_then(json::text).unwrap_or_default();
        self.agent_name = text("agent_name");
        self.agent_version = text("agent_version");
        self.last_active = text("last_active");
        self.session_count = json::get(whole, "session_count").and_then(count).unwrap_or(0);
        self.schema_version = json::get(whole, "schema_version").map(|version| json::squeezed(version.get()));
        let preferences = match json::get(whole, "preferences") {
            Some(value) => json::object(value).unwrap_or_else(|| {
                problems.push(Problem::new(1, "preferences is not an object", value.get().as_bytes()));
                Vec::new()
            }),
            None => Vec::new(),
        };
        self.preferences = preferences.into_iter().map(|(key, value)| (key, json::squeezed(value.get()))).collect();
        if let Some(capabilities) = json::get(whole, "capabilities") {
            match json::object(capabilities) {
                Some(all) => {
                    self.capabilities = all.into_iter().map(|(name, value)| (name, capability(value))).collect()
                }
                None => match json::strings(capabilities) {
                    Some(names) => self.capabilities = names.into_iter().map(|n| (n, Capability::default())).collect(),
                    None => {
                        problems.push(Problem::new(1, "capabilities is not an object", capabilities.get().as_bytes()));
                    }
                },
            }
        }
        let switches = json::get(whole, "context_switches").and_then(json::object).unwrap_or_default();
        self.context_switches = json::get(&switches, "total").and_then(count);
        let others = switches.iter().filter(|(key, _)| key != "total" && key != "last_handoff");
        self.switches_extra = others.map(|(key, value)| (key.clone(), json::squeezed(value.get()))).collect();
        self.last_handoff = json::get(&switches, "last_handoff").and_then(json::object).map(|handoff| {
            let text = |key: &str| json::get(&handoff, key).and_then(json::text);
            let (to, timestamp) = (text("to").unwrap_or_default(), text("timestamp").unwrap_or_default());
            Handoff { to, timestamp, trace_id: text("trace_id") }
        });
    }

    /// What the published shape says under other names. Every key of it that the document does not have stays.
    fn migrate(&mut self, whole: &Entries) {
        let text = |key: &str| json::get(whole, key).and_then(json::text);
        if let Some(id) = text("agent_id").filter(|id| !id.is_empty()) {
            if !self.agent_name.is_empty() && self.agent_name != id {
                // The document's name is an id; the name for people needs another key.
                self.extra.push(("display_name".to_owned(), quote(&self.agent_name)));
            }
            self.agent_name = id;
        }
        if self.agent_version.is_empty() {
            self.agent_version = text("model").or(text("version")).unwrap_or_default();
        }
        let performance = json::get(whole, "performance").and_then(json::object).unwrap_or_default();
        if self.session_count == 0 {
            self.session_count = json::get(&performance, "sessions_completed").and_then(count).unwrap_or(0);
        }
    }

    /// The document's shape, keys in its order, over many lines; what others added behind it.
    pub fn write(&self) -> String {
        json::pretty(&self.line())
    }

    /// The same on one line.
    pub fn line(&self) -> String {
        let mut out = Writer::default();
        out.text("agent_name", &self.agent_name);
        out.text("agent_version", &self.agent_version);
        out.text("last_active", &self.last_active);
        out.raw("session_count", &self.session_count.to_string());
        let mut capabilities = Writer::default();
        for (name, capability) in &self.capabilities {
            capabilities.raw(name, &write_capability(capability));
        }
        out.raw("capabilities", &capabilities.finish());
        let mut preferences = Writer::default();
        self.preferences.iter().for_each(|(key, value)| preferences.raw(key, value));
        out.raw("preferences", &preferences.finish());
        if self.context_switches.is_some() || self.last_handoff.is_some() || !self.switches_extra.is_empty() {
            out.raw("context_switches", &self.write_switches());
        }
        let version = self.schema_version.clone().filter(|version| version != "null");
        out.raw("schema_version", &version.unwrap_or_else(|| quote(SCHEMA_VERSION)));
        self.extra.iter().for_each(|(key, value)| out.raw(key, value));
        out.finish()
    }

    fn write_switches(&self) -> String {
        let mut switches = Writer::default();
        switches.raw("total", &self.context_switches.unwrap_or(0).to_string());
        if let Some(last) = &self.last_handoff {
            let mut handoff = Writer::default();
            handoff.text("to", &last.to);
            handoff.text("timestamp", &last.timestamp);
            if let Some(trace) = &last.trace_id {
                handoff.text("trace_id", trace);
            }
            switches.raw("last_handoff", &handoff.finish());
        }
        self.switches_extra.iter().for_each(|(key, value)| switches.raw(key, value));
        switches.finish()
    }

    /// The level of a capability; one that is not known is a novice's.
    pub fn skill(&self, capability: &str) -> Skill {
        self.capabilities.iter().find(|(name, _)| name == capability).map_or(Skill::Novice, |(_, c)| c.skill())
    }

    /// Sets a preference to a JSON value, or takes it away.
    pub fn prefer(&mut self, key: &str, value: Option<&str>) {
        let before = self.preferences.iter().position(|(k, _)| k == key);
        match (before, value) {
            (Some(at), Some(value)) => value.clone_into(&mut self.preferences[at].1),
            (Some(at), None) => drop(self.preferences.remove(at)),
            (None, Some(value)) => self.preferences.push((key.to_owned(), value.to_owned())),
            (None, None) => {}
        }
    }

    /// The preferences that differ between two states of a profile, `None` where one was taken away: what an editor did.
    pub fn preferences_changed(&self, after: &Self) -> BTreeMap<String, Option<String>> {
        let before: BTreeMap<_, _> = self.preferences.iter().cloned().collect();
        let after: BTreeMap<_, _> = after.preferences.iter().cloned().collect();
        let gone = before.keys().filter(|key| !after.contains_key(*key)).map(|key| (key.clone(), None));
        let set = after
            .iter()
            .filter(|(key, value)| !before.get(*key).is_some_and(|was| idetic_core::json::same(was, value)));
        gone.chain(set.map(|(key, value)| (key.clone(), Some(value.clone())))).collect()
    }
}

/// The keys of the document's shape.
const KNOWN: [&str; 8] = [
    "agent_name",
    "agent_version",
    "last_active",
    "session_count",
    "capabilities",
    "preferences",
    "context_switches",
    "schema_version",
];

fn count(value: &RawValue) -> Option<u64> {
    value.get().parse().ok()
}

fn capability(value: &RawValue) -> Capability {
    let Some(entries) = json::object(value) else {
        // A bare level, or something of one's own.
        let skill_level = json::text(value).and_then(|word| Skill::parse(&word));
        let extra =
            if skill_level.is_some() { vec![] } else { vec![("value".to_owned(), json::squeezed(value.get()))] };
        return Capability { skill_level, extra, ..Capability::default() };
    };
    let list = |key: &str| json::get(&entries, key).and_then(json::strings).unwrap_or_default();
    let text = |key: &str| json::get(&entries, key).and_then(json::text);
    let mut capability = Capability {
        skill_level: text("skill_level").and_then(|word| Skill::parse(&word)),
        successful_operations: json::get(&entries, "successful_operations").and_then(count),
        failed_operations: json::get(&entries, "failed_operations").and_then(count),
        preferred_tool: text("preferred_tool"),
        learned_patterns: list("learned_patterns"),
        common_mistakes: list("common_mistakes"),
        extra: Vec::new(),
    };
    let known = [
        "skill_level",
        "successful_operations",
        "failed_operations",
        "preferred_tool",
        "learned_patterns",
        "common_mistakes",
    ];
    for (key, value) in entries.iter().filter(|(key, _)| !known.contains(&key.as_str())) {
        capability.extra.push((key.clone(), json::squeezed(value.get())));
    }
    capability
}

fn write_capability(capability: &Capability) -> String {
    let mut out = Writer::default();
    let level = capability.skill_level.unwrap_or_else(|| capability.skill());
    out.text("skill_level", level.word());
    if let Some(count) = capability.successful_operations {
        out.raw("successful_operations", &count.to_string());
    }
    if let Some(count) = capability.failed_operations {
        out.raw("failed_operations", &count.to_string());
    }
    if let Some(tool) = &capability.preferred_tool {
        out.text("preferred_tool", tool);
    }
    out.list("learned_patterns", &capability.learned_patterns);
    out.list("common_mistakes", &capability.common_mistakes);
    capability.extra.iter().for_each(|(key, value)| out.raw(key, value));
    out.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn levels_follow_the_counts_and_each_count_has_one() {
        let levels: Vec<&str> = [0, 10, 11, 50, 51, 100, 101].into_iter().map(|n| Skill::of(n).word()).collect();
        assert_eq!(levels, ["novice", "novice", "intermediate", "intermediate", "advanced", "advanced", "expert"]);
        assert_eq!(Profile::default().skill("unknown"), Skill::Novice);
    }

    #[test]
    fn the_published_shape_becomes_the_document_s_and_loses_nothing() {
        let text = r#"{"agent_id":"cc","agent_name":"C C","model":"m-1","version":"1","last_active":"2025-11-04","capabilities":["a","b"],"preferences":{"x":[1]},"performance":{"sessions_completed":7},"metadata":{"profile_version":"1.0.0"}}"#;
        let (profile, origin, problems) = Profile::read("cc", text).expect("reads");
        assert_eq!((origin, problems.len()), (Origin::Migrated, 0));
        assert_eq!(
            (profile.agent_name.as_str(), profile.agent_version.as_str(), profile.session_count),
            ("cc", "m-1", 7)
        );
        let written = profile.write();
        for key in ["display_name", "agent_id", "model", "version", "performance", "metadata", "profile_version"] {
            assert!(written.contains(&format!("\"{key}\"")), "{key}");
        }
        // Once migrated it stays what it is.
        let (again, origin, _) = Profile::read("cc", &written).expect("reads");
        assert_eq!((again.write(), origin), (written, Origin::Document));
    }

    #[test]
    fn preferences_can_be_set_taken_away_and_compared() {
        let mut before = Profile::default();
        before.prefer("verbose", Some("true"));
        let mut after = before.clone();
        after.prefer("verbose", None);
        after.prefer("timeout", Some("60"));
        let changed = before.preferences_changed(&after);
        assert_eq!(changed.get("verbose"), Some(&None));
        assert_eq!(changed.get("timeout"), Some(&Some("60".to_owned())));
        assert!(after.preferences_changed(&after.clone()).is_empty());
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_a_panic(text in "\\PC{0,60}|\\{\"capabilities\":[\\[\\]{}\",:a0-9.]{0,40}\\}") {
            if let Ok((profile, ..)) = Profile::read("x", &text) {
                let (again, ..) = Profile::read("x", &profile.write()).expect("our own file reads");
                prop_assert_eq!(again.write(), profile.write());
            }
        }
    }
}
