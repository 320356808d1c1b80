//! An agent's identity file (specification 001): who it is, and how its memory is searched.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::words::Persona;
use crate::{Invalid, limits};

/// The whole file. Unknown keys are refused, missing ones have the defaults of the specification.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Identity {
    /// The version of the schema, `1.0`.
    pub schema_version: String,
    /// Who the agent is.
    #[serde(default)]
    pub profile: Profile,
    /// What it is told.
    #[serde(default)]
    pub instructions: Instructions,
    /// How its loop runs; kept, not interpreted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loop_definition: Option<Value>,
    /// The tools it has; kept, not interpreted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_manifest: Vec<Value>,
    /// How each side of its memory is searched.
    #[serde(default)]
    pub memory: Memories,
    /// What learning may change.
    #[serde(default)]
    pub tuning_policy: TuningPolicy,
    /// Skills it may use; none named means all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skills_whitelist: Option<Vec<String>>,
    /// Skills it may not use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skills_blacklist: Option<Vec<String>>,
    /// Knowledge it may use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub knowledge_whitelist: Option<Vec<String>>,
    /// Knowledge it may not use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub knowledge_blacklist: Option<Vec<String>>,
    /// Tools it may use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_whitelist: Option<Vec<String>>,
    /// Tools it may not use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_blacklist: Option<Vec<String>>,
}

/// Who the agent is.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Profile {
    /// Its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its role.
    pub role: String,
    /// What it holds to.
    pub core_values: Vec<String>,
}

/// What the agent is told.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Instructions {
    /// From the start.
    pub system_prompts: Vec<String>,
    /// What it has learned.
    pub operational_notes: Vec<String>,
}

/// What learning may change: dot paths; a parent covers its children, a prohibition beats a permission.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TuningPolicy {
    /// What it may.
    pub whitelist: Vec<String>,
    /// What it may not.
    pub blacklist: Vec<String>,
}

/// What learning never changes, whatever a policy says.
const NEVER_TUNED: [&str; 5] =
    ["schema_version", "tuning_policy", "memory.subconscious", "memory.actor", "loop_definition"];

impl TuningPolicy {
    /// Whether something may be changed: a path covers what is below it, and the blacklist beats the whitelist. Without a
    /// whitelist everything that is not blacklisted may.
    pub fn allows(&self, path: &str) -> bool {
        let covers = |entry: &str| path == entry || path.strip_prefix(entry).is_some_and(|rest| rest.starts_with('.'));
        let refused = NEVER_TUNED.iter().any(|entry| covers(entry)) || self.blacklist.iter().any(|entry| covers(entry));
        !refused && (self.whitelist.is_empty() || self.whitelist.iter().any(|entry| covers(entry)))
    }
}

/// How the two sides of the memory are searched.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, from = "SaidMemories")]
pub struct Memories {
    /// The side that acts.
    pub actor: MemoryConfig,
    /// The side that maintains.
    pub subconscious: MemoryConfig,
}

impl Default for Memories {
    fn default() -> Self {
        Self { actor: MemoryConfig::of_actor(), subconscious: MemoryConfig::of_subconscious() }
    }
}

/// How one side of the memory is searched.
#[derive(Debug, Clone, Serialize)]
pub struct MemoryConfig {
    /// The name of its long-term collection; always `<agent_id>__<persona>__ltm`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ltm_collection: Option<String>,
    /// How many of the last loops short-term memory holds.
    pub stm_window_size: usize,
    /// How they are searched.
    pub stm_search: StmSearch,
}

/// How the summaries of loops are searched and weighed.
#[derive(Debug, Clone, Serialize)]
pub struct StmSearch {
    /// `rapidfuzz`, the only one there is.
    pub engine: String,
    /// `token_set_ratio`, the only one there is.
    pub algorithm: String,
    /// The lowest ratio, 0 to 100, that counts as similar.
    pub threshold: f64,
    /// How many are answered.
    pub top_k: usize,
    /// The age at which recency has halved.
    pub recency_half_life_seconds: f64,
    /// What counts how much.
    pub weights: Weights,
}

/// What counts how much.
#[derive(Debug, Clone, Serialize)]
pub struct Weights {
    /// Similarity.
    pub similarity: f64,
    /// Recency.
    pub recency: f64,
    /// By the kind of a loop; a kind that is not named counts 1.
    pub kind_boosts: BTreeMap<String, f64>,
    /// By the visibility of a loop.
    pub visibility_boosts: BTreeMap<String, f64>,
}

/// The memory as a file says it. What is left out is as the specification has it for that side, which serde's defaults
/// cannot know: they see one struct at a time.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct SaidMemories {
    actor: SaidMemory,
    subconscious: SaidMemory,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct SaidMemory {
    ltm_collection: Option<String>,
    stm_window_size: Option<usize>,
    stm_search: SaidSearch,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct SaidSearch {
    engine: Option<String>,
    algorithm: Option<String>,
    threshold: Option<f64>,
    top_k: Option<usize>,
    recency_half_life_seconds: Option<f64>,
    weights: SaidWeights,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct SaidWeights {
    similarity: Option<f64>,
    recency: Option<f64>,
    kind_boosts: Option<BTreeMap<String, f64>>,
    visibility_boosts: Option<BTreeMap<String, f64>>,
}

impl From<SaidMemories> for Memories {
    fn from(said: SaidMemories) -> Self {
        let SaidMemories { actor, subconscious } = said;
        Self {
            actor: actor.over(MemoryConfig::of_actor()),
            subconscious: subconscious.over(MemoryConfig::of_subconscious()),
        }
    }
}

impl SaidMemory {
    fn over(self, usual: MemoryConfig) -> MemoryConfig {
        let (search, used) = (self.stm_search, usual.stm_search);
        MemoryConfig {
            ltm_collection: self.ltm_collection.or(usual.ltm_collection),
            stm_window_size: self.stm_window_size.unwrap_or(usual.stm_window_size),
            stm_search: StmSearch {
                engine: search.engine.unwrap_or(used.engine),
                algorithm: search.algorithm.unwrap_or(used.algorithm),
                threshold: search.threshold.unwrap_or(used.threshold),
                top_k: search.top_k.unwrap_or(used.top_k),
                recency_half_life_seconds: search.recency_half_life_seconds.unwrap_or(used.recency_half_life_seconds),
                weights: search.weights.over(used.weights),
            },
        }
    }
}

impl SaidWeights {
    fn over(self, usual: Weights) -> Weights {
        Weights {
            similarity: self.similarity.unwrap_or(usual.similarity),
            recency: self.recency.unwrap_or(usual.recency),
            kind_boosts: self.kind_boosts.unwrap_or(usual.kind_boosts),
            visibility_boosts: self.visibility_boosts.unwrap_or(usual.visibility_boosts),
        }
    }
}

fn rapidfuzz() -> String {
    "rapidfuzz".to_owned()
}

fn token_set_ratio() -> String {
    "token_set_ratio".to_owned()
}

impl MemoryConfig {
    fn of_actor() -> Self {
        let kinds = [
            ("user_input", 1.0),
            ("actor_output", 0.9),
            ("tool_call", 0.6),
            ("tool_result", 0.7),
            ("system_event", 0.3),
            ("error", 1.2),
        ];
        Self::with(20, 60.0, 8, 86_400.0, &kinds, [1.0, 0.4])
    }

    fn of_subconscious() -> Self {
        let kinds =
            [("subconscious_prompt", 0.8), ("subconscious_output", 1.0), ("user_input", 1.0), ("actor_output", 1.0)];
        Self::with(50, 55.0, 12, 604_800.0, &kinds, [1.0, 1.0])
    }

    fn with(
        window: usize,
        threshold: f64,
        top_k: usize,
        half_life: f64,
        kinds: &[(&str, f64)],
        [external, internal]: [f64; 2],
    ) -> Self {
        let boosts = |pairs: &[(&str, f64)]| pairs.iter().map(|(k, v)| ((*k).to_owned(), *v)).collect();
        let weights = Weights {
            similarity: 1.0,
            recency: 1.0,
            kind_boosts: boosts(kinds),
            visibility_boosts: boosts(&[("external", external), ("internal", internal)]),
        };
        let stm_search = StmSearch {
            engine: rapidfuzz(),
            algorithm: token_set_ratio(),
            threshold,
            top_k,
            recency_half_life_seconds: half_life,
            weights,
        };
        Self { ltm_collection: None, stm_window_size: window, stm_search }
    }
}

impl Identity {
    /// The identity of an agent without a file.
    pub fn unwritten() -> Self {
        Self {
            schema_version: "1.0".to_owned(),
            profile: Profile::default(),
            instructions: Instructions::default(),
            loop_definition: None,
            tool_manifest: Vec::new(),
            memory: Memories::default(),
            tuning_policy: TuningPolicy::default(),
            skills_whitelist: None,
            skills_blacklist: None,
            knowledge_whitelist: None,
            knowledge_blacklist: None,
            tool_whitelist: None,
            tool_blacklist: None,
        }
    }

    /// Reads an identity file and checks what the schema cannot.
    pub fn parse(text: &str, agent: &str) -> Result<Self, Invalid> {
        let identity: Self = serde_json::from_str(text).map_err(|e| Invalid::new(e.to_string()))?;
        if identity.schema_version != "1.0" {
            return Err(Invalid::new(format!("schema_version '{}' is not known", identity.schema_version))
                .hint("this program reads schema_version 1.0"));
        }
        for persona in [Persona::Actor, Persona::Subconscious] {
            identity.memory_of(persona).check(agent, persona)?;
        }
        Ok(identity)
    }

    /// How one side of the memory is searched.
    pub fn memory_of(&self, persona: Persona) -> &MemoryConfig {
        match persona {
            Persona::Actor => &self.memory.actor,
            Persona::Subconscious => &self.memory.subconscious,
        }
    }
}

impl MemoryConfig {
    fn check(&self, agent: &str, persona: Persona) -> Result<(), Invalid> {
        let wrong = |what: String| Err(Invalid::new(format!("memory.{}: {what}", persona.word())));
        let search = &self.stm_search;
        let collection = collection(agent, persona);
        if self.ltm_collection.as_ref().is_some_and(|c| *c != collection) {
            return wrong(format!("ltm_collection must be {collection}: a memory cannot be pointed at another's"));
        }
        if (search.engine.as_str(), search.algorithm.as_str()) != ("rapidfuzz", "token_set_ratio") {
            return wrong(
                "stm_search supports only the engine rapidfuzz with the algorithm token_set_ratio".to_owned(),
            );
        }
        if !(0.0..=100.0).contains(&search.threshold) {
            return wrong(format!("threshold {} is not between 0 and 100", search.threshold));
        }
        if !(search.recency_half_life_seconds > 0.0 && search.recency_half_life_seconds.is_finite()) {
            return wrong("recency_half_life_seconds must be above 0".to_owned());
        }
        if self.stm_window_size > limits::STM_WINDOW_MAX_LOOPS {
            return wrong(format!("stm_window_size is at most {}", limits::STM_WINDOW_MAX_LOOPS));
        }
        Ok(())
    }
}

/// The name of one persona's long-term collection.
pub fn collection(agent: &str, persona: Persona) -> String {
    format!("{agent}__{}__ltm", persona.word())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(memory: &str) -> Result<Identity, Invalid> {
        Identity::parse(&format!(r#"{{"schema_version":"1.0","memory":{memory}}}"#), "a")
    }

    #[test]
    fn what_is_left_out_is_as_the_specification_has_it_for_that_side() {
        let identity =
            parse(r#"{"actor":{"stm_window_size":5},"subconscious":{"stm_search":{"weights":{"recency":2}}}}"#)
                .expect("a part is enough");
        let (actor, subconscious) = (&identity.memory.actor, &identity.memory.subconscious);
        assert_eq!((actor.stm_window_size, actor.stm_search.top_k), (5, 8));
        assert_eq!((subconscious.stm_window_size, subconscious.stm_search.top_k), (50, 12));
        let weights = &subconscious.stm_search.weights;
        assert_eq!((weights.similarity, weights.recency), (1.0, 2.0));
        assert_eq!(weights.kind_boosts, MemoryConfig::of_subconscious().stm_search.weights.kind_boosts);
    }

    #[test]
    fn what_is_not_known_is_refused() {
        for memory in [
            r#"{"actr":{}}"#,
            r#"{"actor":{"window":5}}"#,
            r#"{"actor":{"stm_search":{"k":5}}}"#,
            r#"{"actor":{"stm_search":{"weights":{"newness":5}}}}"#,
            r#"{"actor":{"stm_search":{"threshold":101}}}"#,
        ] {
            assert!(parse(memory).is_err(), "{memory}");
        }
    }
}
