//! The configuration: one commented file, one struct, one loader, and where each value came from.

use std::collections::BTreeMap;

use idetic_core::words::Trust;
use idetic_core::{Invalid, SpaceName};
use idetic_store::LogSettings;
use serde::{Deserialize, Serialize};

use crate::agent::{AgentMem, LanguageModel};
use crate::quota::Quotas;
use crate::server::Server;

/// The file that `init` writes: every key, commented out, with its default.
pub const TEMPLATE: &str = include_str!("config.toml");

/// The settings in force.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// The space used when none is named.
    pub space: SpaceName,
    /// The author of what is remembered without one.
    pub author: String,
    /// Whether times are shown in the local zone.
    pub times: Times,
    /// Whether a terminal gets colours.
    pub color: Color,
    /// How many spaces stay open.
    pub open_spaces: usize,
    /// Where the log is kept.
    pub log: LogSettings,
    /// What turns texts into vectors.
    pub embedding: Embedding,
    /// What is moved out of the way when it is old.
    pub retention: Retention,
    /// The A-MEM folder that follows every append.
    pub amem: Amem,
    /// How the agent remembers.
    pub agent: AgentMem,
    /// The language model it thinks with.
    pub model: LanguageModel,
    /// What spaces may hold at most.
    pub quotas: Quotas,
    /// How the server is reached and what it takes.
    pub server: Server,
    /// The tools of the agent, as they are written: the agent reads them.
    pub tools: BTreeMap<String, toml::Value>,
    /// The servers whose tools it may use, as they are written.
    pub servers: BTreeMap<String, toml::Value>,
    settings: Vec<Setting>,
}

/// One value and where it came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Setting {
    /// The key.
    pub key: &'static str,
    /// The value.
    pub value: String,
    /// `default`, or the file.
    pub from: String,
}

/// How times are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Times {
    /// In the zone of the machine.
    Local,
    /// In UTC.
    Utc,
}

/// When colours are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Color {
    /// In a terminal.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// What turns texts into vectors.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Embedding {
    /// Which model.
    pub model: EmbeddingModel,
    /// The endpoint, up to and without `/embeddings`.
    pub base_url: String,
    /// The model's name as the endpoint knows it.
    pub name: String,
    /// How many numbers its vectors have.
    pub dimensions: usize,
    /// Whether the endpoint is asked for that many.
    pub ask_dimensions: bool,
    /// The environment variable that holds the key.
    pub key_env: String,
    /// The file that holds the key.
    pub key_file: String,
    /// Texts in one request.
    pub batch: usize,
    /// Seconds one try may take.
    pub timeout_seconds: u64,
    /// How often a request is tried again.
    pub retries: u32,
}

/// What is moved out of the way when it is old. Nothing is, unless `retain --apply` is run; 0 is never.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Retention {
    /// After how many months events move to archive files.
    pub archive_after_months: u32,
    /// After how many months the event files of the A-MEM folder are compressed.
    pub compress_files_after_months: u32,
    /// After how many days deprecated notes of the A-MEM folder are archived.
    pub archive_deprecated_notes_after_days: u32,
}

impl Default for Retention {
    fn default() -> Self {
        Self { archive_after_months: 6, compress_files_after_months: 1, archive_deprecated_notes_after_days: 365 }
    }
}

impl Retention {
    /// Each value under its key, as it is shown.
    fn values(&self) -> [(&'static str, String); 3] {
        [
            ("retention.archive_after_months", self.archive_after_months.to_string()),
            ("retention.compress_files_after_months", self.compress_files_after_months.to_string()),
            ("retention.archive_deprecated_notes_after_days", self.archive_deprecated_notes_after_days.to_string()),
        ]
    }
}

/// The A-MEM folder.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Amem {
    /// The folder that follows every append; empty for none.
    pub folder: String,
    /// The most that what is taken in from A-MEM folders is trusted.
    pub trust: FileTrust,
    /// The source of events that name none; empty for the project of the folder.
    pub source: String,
    /// Where retention moves old months; empty for `archive/` in the folder.
    pub archive: String,
}

/// The most that what stood in a file is trusted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FileTrust {
    /// As the owner's own words.
    User,
    /// As an agent's.
    #[default]
    Agent,
    /// As the output of a tool.
    Tool,
    /// As anything from outside.
    External,
}

impl From<FileTrust> for Trust {
    fn from(trust: FileTrust) -> Self {
        match trust {
            FileTrust::User => Self::User,
            FileTrust::Agent => Self::Agent,
            FileTrust::Tool => Self::Tool,
            FileTrust::External => Self::External,
        }
    }
}

/// Which model turns texts into vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EmbeddingModel {
    /// The one in the program.
    BuiltIn,
    /// An OpenAI-compatible endpoint.
    Endpoint,
    /// None: everything is found by words.
    None,
}

impl Default for Embedding {
    fn default() -> Self {
        Self {
            model: EmbeddingModel::BuiltIn,
            base_url: String::new(),
            name: String::new(),
            dimensions: 0,
            ask_dimensions: false,
            key_env: String::new(),
            key_file: String::new(),
            batch: 32,
            timeout_seconds: 30,
            retries: 3,
        }
    }
}

impl Embedding {
    fn check(&self) -> Result<(), String> {
        if self.model != EmbeddingModel::Endpoint {
            return Ok(());
        }
        let http = self.base_url.starts_with("http://") || self.base_url.starts_with("https://");
        let most = idetic_search::DIMENSIONS_MAX;
        match () {
            () if !http => Err("embedding.base_url must begin with http:// or https://".to_owned()),
            () if self.name.is_empty() => Err("embedding.name must name the endpoint's model".to_owned()),
            () if !(1..=most).contains(&self.dimensions) => {
                Err(format!("embedding.dimensions must be 1 to {most}: as many as the model's vectors have"))
            }
            () if !(1..=2048).contains(&self.batch) => Err("embedding.batch must be 1 to 2048".to_owned()),
            () if !(1..=600).contains(&self.timeout_seconds) => {
                Err("embedding.timeout_seconds must be 1 to 600".to_owned())
            }
            () if self.retries > 20 => Err("embedding.retries must be at most 20".to_owned()),
            () if !self.key_env.is_empty() && !self.key_file.is_empty() => {
                Err("embedding.key_env and embedding.key_file exclude each other".to_owned())
            }
            () => Ok(()),
        }
    }

    /// Each value under its key, as it is shown.
    fn values(&self) -> [(&'static str, String); 10] {
        let model = match self.model {
            EmbeddingModel::BuiltIn => "builtin",
            EmbeddingModel::Endpoint => "endpoint",
            EmbeddingModel::None => "none",
        };
        [
            ("embedding.model", model.to_owned()),
            ("embedding.base_url", self.base_url.clone()),
            ("embedding.name", self.name.clone()),
            ("embedding.dimensions", self.dimensions.to_string()),
            ("embedding.ask_dimensions", self.ask_dimensions.to_string()),
            ("embedding.key_env", self.key_env.clone()),
            ("embedding.key_file", self.key_file.clone()),
            ("embedding.batch", self.batch.to_string()),
            ("embedding.timeout_seconds", self.timeout_seconds.to_string()),
            ("embedding.retries", self.retries.to_string()),
        ]
    }
}

/// What a file may say; what it does not is the default.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct File {
    space: Option<String>,
    author: Option<String>,
    times: Option<Times>,
    color: Option<Color>,
    open_spaces: Option<usize>,
    log: Option<LogSettings>,
    embedding: Option<Embedding>,
    retention: Option<Retention>,
    amem: Option<Amem>,
    #[serde(rename = "agent-mem")]
    agent: Option<AgentMem>,
    model: Option<LanguageModel>,
    quota: Option<Quotas>,
    server: Option<Server>,
    #[serde(default)]
    tool: BTreeMap<String, toml::Value>,
    #[serde(default)]
    mcp: BTreeMap<String, toml::Value>,
}

impl Default for Config {
    fn default() -> Self {
        Self::parse("", "").expect("nothing said is valid")
    }
}

impl Config {
    /// Reads a configuration; `name` is the file's, for messages. Nothing said is the defaults.
    pub fn parse(text: &str, name: &str) -> Result<Self, Invalid> {
        let wrong = |why: &str| {
            Invalid::new(format!("{name}: {}", why.trim().replace('\n', " ")))
                .hint("fix the line or remove it: a key that is not set has its default")
        };
        let file: File = toml::from_str(text).map_err(|e| wrong(&located(text, &e)))?;
        let mut settings = Vec::new();
        let mut from = |key: &'static str, value: String, set: bool| {
            settings.push(Setting { key, value, from: if set { name } else { "default" }.to_owned() });
        };
        let space_text = file.space.clone().unwrap_or_else(|| "local/default".to_owned());
        let space = SpaceName::parse(&space_text).map_err(|e| wrong(&format!("space: {} ({})", e.message, e.hint)))?;
        let author = file.author.clone().unwrap_or_default();
        let times = file.times.unwrap_or(Times::Local);
        let color = file.color.unwrap_or(Color::Auto);
        let open_spaces = file.open_spaces.unwrap_or(64);
        if open_spaces == 0 {
            return Err(wrong("open_spaces must be at least 1"));
        }
        let log = file.log.clone().unwrap_or_default();
        log.check().map_err(|why| wrong(&why))?;
        let embedding = file.embedding.clone().unwrap_or_default();
        embedding.check().map_err(|why| wrong(&why))?;
        let agent = file.agent.clone().unwrap_or_default();
        agent.check().map_err(|why| wrong(&why))?;
        let model = file.model.clone().unwrap_or_default();
        model.check().map_err(|why| wrong(&why))?;
        let quotas = file.quota.clone().unwrap_or_default();
        quotas.check().map_err(|why| wrong(&why))?;
        let server = file.server.clone().unwrap_or_default();
        server.check().map_err(|why| wrong(&why))?;
        from("space", space_text, file.space.is_some());
        from("author", author.clone(), file.author.is_some());
        from("times", format!("{times:?}").to_lowercase(), file.times.is_some());
        from("color", format!("{color:?}").to_lowercase(), file.color.is_some());
        from("open_spaces", open_spaces.to_string(), file.open_spaces.is_some());
        let said: toml::Table = toml::from_str(text).unwrap_or_default();
        let retention = file.retention.clone().unwrap_or_default();
        let amem = file.amem.clone().unwrap_or_default();
        let trust = ("amem.trust", Trust::from(amem.trust).word().to_owned());
        let folder = [("amem.folder", amem.folder.clone()), trust, ("amem.source", amem.source.clone())];
        let folder = folder.into_iter().chain([("amem.archive", amem.archive.clone())]);
        let usual = log.values().into_iter().chain(embedding.values()).chain(retention.values()).chain(folder);
        let new = agent.values().into_iter().chain(model.values()).chain(quotas.values()).chain(server.values());
        for (key, value) in usual.chain(new) {
            let (table, own) = key.split_once('.').unwrap_or_default();
            let table = said.get(table).and_then(toml::Value::as_table);
            from(key, value, table.is_some_and(|table| table.contains_key(own)));
        }
        Ok(Self {
            space,
            author,
            times,
            color,
            open_spaces,
            log,
            embedding,
            retention,
            amem,
            agent,
            model,
            quotas,
            server,
            tools: file.tool,
            servers: file.mcp,
            settings,
        })
    }

    /// Replaces a value that the environment or a flag decides.
    pub fn set_space(&mut self, space: SpaceName, from: &str) {
        for setting in self.settings.iter_mut().filter(|s| s.key == "space") {
            (setting.value, setting.from) = (space.to_string(), from.to_owned());
        }
        self.space = space;
    }

    /// The same for the address of the log.
    pub fn set_log(&mut self, url: &str, from: &str) -> Result<(), Invalid> {
        url.clone_into(&mut self.log.url);
        self.log.check().map_err(|why| Invalid::new(format!("{from}: {why}")))?;
        let [(key, value), _] = self.log.values();
        for setting in self.settings.iter_mut().filter(|s| s.key == key) {
            (setting.value, setting.from) = (value.clone(), from.to_owned());
        }
        Ok(())
    }

    /// Refuses to remember where a user's memory is switched off.
    pub fn check_memory_is_on(&self, space: &SpaceName) -> Result<(), Invalid> {
        let [user, _] = space.parts();
        if self.agent.memory_off_users.iter().any(|off| off == user) {
            return Err(Invalid::new(format!("memory is switched off for user {user}"))
                .hint("remove the user from agent-mem.memory-off-users in config.toml"));
        }
        Ok(())
    }

    /// Every value with where it came from.
    pub fn settings(&self) -> &[Setting] {
        &self.settings
    }
}

/// The first line of the message, with the line it is about.
fn located(text: &str, error: &toml::de::Error) -> String {
    let line = error.span().map_or(1, |span| text[..span.start.min(text.len())].matches('\n').count() + 1);
    format!("line {line}: {}", error.message())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_template_lists_every_key_with_its_default() {
        let uncommented: String = TEMPLATE
            .lines()
            .filter_map(|l| {
                l.strip_prefix('#').filter(|l| !l.starts_with(' ') && (l.contains('=') || l.starts_with('[')))
            })
            .fold(String::new(), |all, line| all + line + "\n");
        let set = Config::parse(&uncommented, "config.toml").expect("the template is valid");
        let default = Config::parse("", "config.toml").expect("nothing is valid");
        let values = |c: &Config| c.settings().iter().map(|s| (s.key, s.value.clone())).collect::<Vec<_>>();
        assert_eq!(values(&set), values(&default), "the template says what the defaults are");
        assert!(set.settings().iter().all(|s| s.from == "config.toml"), "the template lists every key");
        assert_eq!(Config::parse(TEMPLATE, "x").map(|c| c.settings().to_vec()).ok(), Some(default.settings().to_vec()));
    }

    #[test]
    fn an_unknown_key_is_refused_with_its_line() {
        let refused = Config::parse("author = \"ann\"\nbanana = 1\n", "config.toml").expect_err("unknown");
        assert!(refused.message.contains("line 2") && refused.message.contains("banana"), "{}", refused.message);
        assert!(Config::parse("space = \"../x\"", "c").is_err());
        assert!(Config::parse("open_spaces = 0", "c").is_err());
    }
}
