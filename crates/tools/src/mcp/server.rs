//! Which server, how patient we are with it, and who we say we are.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use ureq::http::Uri;

/// Where a server is.
#[derive(Clone, PartialEq, Eq)]
pub enum McpServer {
    /// A program that speaks over its standard input and output.
    Command {
        /// Looked for in the `PATH` of `env`, unless it is a path itself.
        program: String,
        /// Its arguments.
        arguments: Vec<String>,
        /// All of its environment: nothing is inherited.
        env: Vec<(String, String)>,
        /// Where it runs; where we run if none is given.
        folder: Option<PathBuf>,
    },
    /// A server that is reached over streamable HTTP.
    Http {
        /// Its address, e.g. `http://localhost:8000/mcp`.
        url: String,
        /// Sent as a bearer token and shown nowhere.
        bearer: Option<String>,
    },
}

/// How long and how much.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct McpLimits {
    /// How long starting or reaching it and greeting it may take; a server that refuses the greeting gets the newer one
    /// and as much time again.
    pub connect: Duration,
    /// How long a call, or the whole list of tools, may take.
    pub call: Duration,
    /// How long a message of the server may be, as it comes over the wire.
    pub answer_bytes: usize,
    /// How many tools a server may offer.
    pub tools: usize,
}

impl Default for McpLimits {
    fn default() -> Self {
        Self { connect: Duration::from_secs(30), call: Duration::from_secs(60), answer_bytes: 4 << 20, tools: 500 }
    }
}

/// Who we say we are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpIdentity {
    /// The program.
    pub name: String,
    /// And its version.
    pub version: String,
}

impl Default for McpIdentity {
    fn default() -> Self {
        Self { name: "idetic".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() }
    }
}

impl fmt::Debug for McpServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("McpServer").field(&self.name()).finish()
    }
}

impl McpServer {
    /// What it is called in messages: arguments, queries and users in an address may be secret.
    pub fn name(&self) -> String {
        match self {
            Self::Command { program, .. } => program.clone(),
            Self::Http { url, .. } => match url.parse::<Uri>() {
                Ok(uri) if uri.host().is_some() => {
                    let port = uri.port().map(|port| format!(":{port}")).unwrap_or_default();
                    let (scheme, host) = (uri.scheme_str().unwrap_or("?"), uri.host().unwrap_or_default());
                    format!("{scheme}://{host}{port}{}", uri.path())
                }
                _ => "an invalid address".to_owned(),
            },
        }
    }

    /// A text that comes from the server, without what was given to it in confidence.
    pub(super) fn without_secrets(&self, text: &str) -> String {
        /// Shorter values are words of their own, such as `1` or `true`.
        const SECRET_MIN_BYTES: usize = 6;
        let given: Vec<(&str, &str)> = match self {
            Self::Command { env, .. } => env.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect(),
            Self::Http { bearer, .. } => bearer.iter().map(|key| ("key", key.as_str())).collect(),
        };
        let secrets = given.into_iter().filter(|(_, value)| value.len() >= SECRET_MIN_BYTES);
        secrets.fold(text.to_owned(), |text, (name, value)| text.replace(value, &format!("[{name}]")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_tells_no_secret() {
        let name = |url: &str| McpServer::Http { url: url.to_owned(), bearer: None }.name();
        assert_eq!(name("https://me:pass@a.example:81/mcp?key=k"), "https://a.example:81/mcp");
        assert_eq!(name("nonsense with spaces"), "an invalid address");
        let command = McpServer::Command {
            program: "npx".to_owned(),
            arguments: vec!["--key=abcdefgh".to_owned()],
            env: vec![("TOKEN".to_owned(), "0123456789".to_owned()), ("DEBUG".to_owned(), "1".to_owned())],
            folder: None,
        };
        assert_eq!(format!("{command:?}"), "McpServer(\"npx\")");
        assert_eq!(command.without_secrets("1 bad token 0123456789!"), "1 bad token [TOKEN]!");
    }
}
