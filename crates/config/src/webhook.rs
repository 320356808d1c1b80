//! Where new events of a space are sent to, each signed; nothing is sent where nothing is configured.

use std::collections::HashSet;

use idetic_core::SpaceName;
use serde::Deserialize;

/// Most webhooks of a server, and most spaces of one: each space is looked at ten times a second.
const WEBHOOKS_MAX: usize = 16;
const SPACES_MAX: usize = 64;
/// Longest name.
const NAME_MAX_BYTES: usize = 64;
/// Longest time that is given to a receiver that does not answer.
const GIVE_UP_DAYS_MAX: u32 = 30;

/// One receiver of new events.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Webhook {
    /// What it is called in metrics, logs and the folder of its position.
    pub name: String,
    /// Where events are sent to.
    pub url: String,
    /// Where the secret is that signs them: an environment variable…
    #[serde(default)]
    pub secret_env: String,
    /// …or a file below the home.
    #[serde(default)]
    pub secret_file: String,
    /// The spaces whose events are sent.
    pub spaces: Vec<String>,
    /// Only events of these kinds; all where none is named.
    #[serde(default)]
    pub kinds: Vec<String>,
    /// Only events that this holds of, as JSON.
    #[serde(default)]
    pub filter: String,
    /// Whether the receiver may be in a private network or on this machine, and be reached without TLS.
    #[serde(default)]
    pub private_network: bool,
    /// Days after which a receiver that answers nothing good is given up.
    #[serde(default = "default_give_up_days")]
    pub give_up_days: u32,
}

fn default_give_up_days() -> u32 {
    3
}

impl Webhook {
    /// Its spaces, which were checked.
    pub fn spaces(&self) -> impl Iterator<Item = SpaceName> {
        self.spaces.iter().filter_map(|space| SpaceName::parse(space).ok())
    }

    fn check(&self) -> Result<(), String> {
        let Self { name, url, spaces, .. } = self;
        let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_".contains(&byte);
        let wrong = |key: &str, why: &str| Err(format!("server.webhooks '{name}': {key} {why}"));
        match () {
            () if !(1..=NAME_MAX_BYTES).contains(&name.len()) || !name.bytes().all(is_plain) => {
                wrong("name", "must be 1 to 64 of a-z 0-9 - _")
            }
            () if !(url.starts_with("https://") || self.private_network && url.starts_with("http://")) => {
                wrong("url", "must begin with https://, or also http:// with private_network = true")
            }
            () if self.secret_env.is_empty() == self.secret_file.is_empty() => {
                wrong("secret_env, secret_file:", "exactly one says where the secret is")
            }
            () if !(1..=SPACES_MAX).contains(&spaces.len()) => wrong("spaces", "must name 1 to 64 spaces"),
            () if self.spaces().count() != spaces.len() => {
                wrong("spaces", "must be names such as local/default: USER/COLLECTION")
            }
            () if spaces.iter().collect::<HashSet<_>>().len() != spaces.len() => wrong("spaces", "names one twice"),
            () if !(1..=GIVE_UP_DAYS_MAX).contains(&self.give_up_days) => wrong("give_up_days", "must be 1 to 30"),
            () => Ok(()),
        }
    }
}

pub(crate) fn check(webhooks: &[Webhook]) -> Result<(), String> {
    if webhooks.len() > WEBHOOKS_MAX {
        return Err(format!("server.webhooks has more than {WEBHOOKS_MAX} entries"));
    }
    let mut names = HashSet::new();
    webhooks.iter().try_for_each(|webhook| match names.insert(&webhook.name) {
        true => webhook.check(),
        false => Err(format!("server.webhooks '{}' is there twice", webhook.name)),
    })
}

#[cfg(test)]
mod tests {
    use crate::Config;

    fn parsed(change: &str) -> Result<usize, String> {
        let mut keys = vec![
            ("name", "\"crm\""),
            ("url", "\"https://crm.example.com/hook\""),
            ("secret_env", "\"CRM_SECRET\""),
            ("spaces", "[\"ann/default\"]"),
        ];
        if let Some((key, value)) = change.split_once(" = ") {
            keys.retain(|(own, _)| *own != key);
            keys.push((key, value));
        }
        let text: String = keys.iter().map(|(key, value)| format!("{key} = {value}\n")).collect();
        let text = format!("[[server.webhooks]]\n{text}");
        Config::parse(&text, "config.toml").map(|config| config.server.webhooks.len()).map_err(|error| error.message)
    }

    #[test]
    fn one_that_is_wrong_is_refused_by_its_name() {
        assert_eq!(parsed(""), Ok(1));
        for wrong in [
            "name = \"C R M\"",
            "url = \"http://crm.example.com\"",
            "url = \"file:///etc/passwd\"",
            "secret_env = \"\"",
            "secret_file = \"secret\"",
            "spaces = []",
            "spaces = [\"ann\"]",
            "spaces = [\"a/b\", \"a/b\"]",
            "give_up_days = 0",
            "colour = \"red\"",
        ] {
            let error = parsed(wrong).expect_err(wrong);
            assert!(error.contains("webhooks") || error.contains("colour"), "{wrong}: {error}");
        }
    }
}
