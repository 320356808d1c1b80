//! The settings of the server: from where it may be asked, and how much.

use serde::Deserialize;

use crate::webhook::{self, Webhook};

/// How the server is reached and what it takes.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Server {
    /// Names besides its addresses and localhost under which it is reached.
    pub hosts: Vec<String>,
    /// Origins of web pages that may ask it besides its own.
    pub origins: Vec<String>,
    /// Requests that one key may make in a second; 0 is any number.
    pub requests_per_second: u32,
    /// Most bytes of a request; a batch of events may have 64 MiB where this is not less.
    pub max_body_bytes: usize,
    /// Most connections at a time.
    pub max_connections: usize,
    /// Seconds a request may take to arrive.
    pub read_timeout_seconds: u64,
    /// Who issues the tokens of remote MCP clients (OAuth); empty for nobody.
    pub oauth_issuer: String,
    /// Whom those tokens must be for: the address of this server.
    pub oauth_audience: String,
    /// The file with the issuer's public keys (a JWKS), below the home.
    pub oauth_keys_file: String,
    /// Who hears of new events.
    pub webhooks: Vec<Webhook>,
}

impl Default for Server {
    fn default() -> Self {
        Self {
            hosts: Vec::new(),
            origins: Vec::new(),
            requests_per_second: 0,
            max_body_bytes: 64 << 20,
            max_connections: 1024,
            read_timeout_seconds: 30,
            oauth_issuer: String::new(),
            oauth_audience: String::new(),
            oauth_keys_file: String::new(),
            webhooks: Vec::new(),
        }
    }
}

impl Server {
    pub(crate) fn check(&self) -> Result<(), String> {
        let oauth = [&self.oauth_issuer, &self.oauth_audience, &self.oauth_keys_file];
        let said = oauth.iter().filter(|value| !value.is_empty()).count();
        match () {
            () if !(1024..=1 << 30).contains(&self.max_body_bytes) => {
                Err("server.max_body_bytes must be 1024 to 1073741824".to_owned())
            }
            () if !(1..=100_000).contains(&self.max_connections) => {
                Err("server.max_connections must be 1 to 100000".to_owned())
            }
            () if !(1..=3600).contains(&self.read_timeout_seconds) => {
                Err("server.read_timeout_seconds must be 1 to 3600".to_owned())
            }
            () if said != 0 && said != oauth.len() => {
                Err("server.oauth_issuer, oauth_audience and oauth_keys_file go together".to_owned())
            }
            () => webhook::check(&self.webhooks),
        }
    }

    /// Each value under its key, as it is shown.
    pub(crate) fn values(&self) -> Vec<(&'static str, String)> {
        vec![
            ("server.hosts", self.hosts.join(", ")),
            ("server.origins", self.origins.join(", ")),
            ("server.requests_per_second", self.requests_per_second.to_string()),
            ("server.max_body_bytes", self.max_body_bytes.to_string()),
            ("server.max_connections", self.max_connections.to_string()),
            ("server.read_timeout_seconds", self.read_timeout_seconds.to_string()),
            ("server.oauth_issuer", self.oauth_issuer.clone()),
            ("server.oauth_audience", self.oauth_audience.clone()),
            ("server.oauth_keys_file", self.oauth_keys_file.clone()),
            ("server.webhooks", self.webhooks.iter().map(|hook| hook.name.as_str()).collect::<Vec<_>>().join(", ")),
        ]
    }
}
