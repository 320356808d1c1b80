//! The settings of the agent: those of specification 002 under their names, and our own.

use serde::Deserialize;

/// How the agent remembers.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct AgentMem {
    /// Most turns of thought and action for one question.
    pub max_iterations: u32,
    /// Tokens of working memory above which its older part is condensed.
    pub working_memory_threshold: usize,
    /// Facts looked up for a question.
    pub fact_retrieval_top_k: usize,
    /// Episodes looked up for a question.
    pub episode_retrieval_top_k: usize,
    /// Whether facts are taken from what was said.
    pub enable_auto_fact_extraction: bool,
    /// Whether tasks are kept as episodes.
    pub enable_episode_recording: bool,
    /// What every prompt says besides.
    pub additional_context: String,
    /// Whether the memory is used at all, where a request does not say.
    pub enable_memory: bool,
    /// Steps of working memory that are never condensed.
    pub keep_recent_steps: usize,
    /// Tokens of one observation that are put before the model.
    pub observation_max_tokens: usize,
    /// Minutes without a word after which a conversation has ended.
    pub conversation_idle_minutes: u32,
    /// The file with the prompt's template; empty for the built-in one.
    pub prompt_file: String,
    /// Users for whom nothing is remembered.
    pub memory_off_users: Vec<String>,
    /// Days after which facts, and episodes, are forgotten unless they say otherwise; 0 is never.
    pub fact_expiry_days: u32,
    /// The same for episodes.
    pub episode_expiry_days: u32,
    /// Facts and episodes that a dream leaves; the least relevant go. 0 is all.
    pub keep_facts: usize,
    /// The same for episodes.
    pub keep_episodes: usize,
}

impl Default for AgentMem {
    fn default() -> Self {
        Self {
            max_iterations: 10,
            working_memory_threshold: 2000,
            fact_retrieval_top_k: 5,
            episode_retrieval_top_k: 3,
            enable_auto_fact_extraction: true,
            enable_episode_recording: true,
            additional_context: String::new(),
            enable_memory: true,
            keep_recent_steps: 4,
            observation_max_tokens: 1000,
            conversation_idle_minutes: 30,
            prompt_file: String::new(),
            memory_off_users: Vec::new(),
            fact_expiry_days: 0,
            episode_expiry_days: 0,
            keep_facts: 0,
            keep_episodes: 0,
        }
    }
}

impl AgentMem {
    pub(crate) fn check(&self) -> Result<(), String> {
        let ranges = [
            ("max-iterations", self.max_iterations as usize, 1, 100),
            ("working-memory-threshold", self.working_memory_threshold, 64, 1_000_000),
            ("fact-retrieval-top-k", self.fact_retrieval_top_k, 0, 100),
            ("episode-retrieval-top-k", self.episode_retrieval_top_k, 0, 100),
            ("keep-recent-steps", self.keep_recent_steps, 1, 100),
            ("observation-max-tokens", self.observation_max_tokens, 16, 100_000),
            ("conversation-idle-minutes", self.conversation_idle_minutes as usize, 1, 525_600),
        ];
        match ranges.into_iter().find(|(_, value, least, most)| !(least..=most).contains(&value)) {
            Some((key, _, least, most)) => Err(format!("agent-mem.{key} must be {least} to {most}")),
            None => Ok(()),
        }
    }

    /// Each value under its key, as it is shown.
    pub(crate) fn values(&self) -> Vec<(&'static str, String)> {
        vec![
            ("agent-mem.max-iterations", self.max_iterations.to_string()),
            ("agent-mem.working-memory-threshold", self.working_memory_threshold.to_string()),
            ("agent-mem.fact-retrieval-top-k", self.fact_retrieval_top_k.to_string()),
            ("agent-mem.episode-retrieval-top-k", self.episode_retrieval_top_k.to_string()),
            ("agent-mem.enable-auto-fact-extraction", self.enable_auto_fact_extraction.to_string()),
            ("agent-mem.enable-episode-recording", self.enable_episode_recording.to_string()),
            ("agent-mem.additional-context", self.additional_context.clone()),
            ("agent-mem.enable-memory", self.enable_memory.to_string()),
            ("agent-mem.keep-recent-steps", self.keep_recent_steps.to_string()),
            ("agent-mem.observation-max-tokens", self.observation_max_tokens.to_string()),
            ("agent-mem.conversation-idle-minutes", self.conversation_idle_minutes.to_string()),
            ("agent-mem.prompt-file", self.prompt_file.clone()),
            ("agent-mem.memory-off-users", self.memory_off_users.join(", ")),
            ("agent-mem.fact-expiry-days", self.fact_expiry_days.to_string()),
            ("agent-mem.episode-expiry-days", self.episode_expiry_days.to_string()),
            ("agent-mem.keep-facts", self.keep_facts.to_string()),
            ("agent-mem.keep-episodes", self.keep_episodes.to_string()),
        ]
    }
}

/// The language model that the agent thinks with. Without an address there is none.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LanguageModel {
    /// The endpoint, up to and without `/chat/completions`.
    pub base_url: String,
    /// The model's name as the endpoint knows it.
    pub name: String,
    /// The environment variable that holds the key.
    pub key_env: String,
    /// The file that holds the key.
    pub key_file: String,
    /// How many tokens the model can see at a time.
    pub context_tokens: usize,
    /// How many it may answer with.
    pub answer_tokens: u32,
    /// Whether it calls tools by itself; else it is asked for Thought, Action and Args in words.
    pub native_tools: bool,
    /// Seconds one answer may take, and the silence within it.
    pub timeout_seconds: u64,
    /// How often a request is tried again.
    pub retries: u32,
    /// What a million tokens cost, of the prompt and of the answer.
    pub prompt_price: f64,
    /// The same of the answer.
    pub answer_price: f64,
    /// What one space may use in a day (UTC), in tokens and in money; 0 is without limit.
    pub daily_tokens: u64,
    /// The same in money.
    pub daily_cost: f64,
}

impl Default for LanguageModel {
    fn default() -> Self {
        Self {
            base_url: String::new(),
            name: String::new(),
            key_env: String::new(),
            key_file: String::new(),
            context_tokens: 8192,
            answer_tokens: 1024,
            native_tools: true,
            timeout_seconds: 120,
            retries: 2,
            prompt_price: 0.0,
            answer_price: 0.0,
            daily_tokens: 0,
            daily_cost: 0.0,
        }
    }
}

impl LanguageModel {
    /// Whether one is configured.
    pub fn is_there(&self) -> bool {
        !self.base_url.is_empty()
    }

    pub(crate) fn check(&self) -> Result<(), String> {
        let http = self.base_url.starts_with("http://") || self.base_url.starts_with("https://");
        let prices = [self.prompt_price, self.answer_price, self.daily_cost];
        match () {
            () if !self.is_there() => Ok(()),
            () if !http => Err("model.base_url must begin with http:// or https://".to_owned()),
            () if self.name.is_empty() => Err("model.name must name the endpoint's model".to_owned()),
            () if !(512..=10_000_000).contains(&self.context_tokens) => {
                Err("model.context_tokens must be 512 to 10000000".to_owned())
            }
            () if self.answer_tokens == 0 || self.answer_tokens as usize >= self.context_tokens => {
                Err("model.answer_tokens must be at least 1 and less than model.context_tokens".to_owned())
            }
            () if !(1..=3600).contains(&self.timeout_seconds) => {
                Err("model.timeout_seconds must be 1 to 3600".to_owned())
            }
            () if self.retries > 20 => Err("model.retries must be at most 20".to_owned()),
            () if prices.iter().any(|price| !price.is_finite() || *price < 0.0) => {
                Err("model.prompt_price, answer_price and daily_cost must be 0 or more".to_owned())
            }
            () if !self.key_env.is_empty() && !self.key_file.is_empty() => {
                Err("model.key_env and model.key_file exclude each other".to_owned())
            }
            () => Ok(()),
        }
    }

    /// Each value under its key, as it is shown.
    pub(crate) fn values(&self) -> Vec<(&'static str, String)> {
        vec![
            ("model.base_url", self.base_url.clone()),
            ("model.name", self.name.clone()),
            ("model.key_env", self.key_env.clone()),
            ("model.key_file", self.key_file.clone()),
            ("model.context_tokens", self.context_tokens.to_string()),
            ("model.answer_tokens", self.answer_tokens.to_string()),
            ("model.native_tools", self.native_tools.to_string()),
            ("model.timeout_seconds", self.timeout_seconds.to_string()),
            ("model.retries", self.retries.to_string()),
            ("model.prompt_price", self.prompt_price.to_string()),
            ("model.answer_price", self.answer_price.to_string()),
            ("model.daily_tokens", self.daily_tokens.to_string()),
            ("model.daily_cost", self.daily_cost.to_string()),
        ]
    }
}
