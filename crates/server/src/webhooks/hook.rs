//! One webhook as it is configured: its receiver, its secret, what it hears of, and who in this home may deliver for it.

use std::fs::File;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use idetic_ops::config::Webhook;
use idetic_ops::core::SpaceName;
use idetic_ops::core::event::PRIVATE_TAGS;
use idetic_ops::search::filter::Condition;
use idetic_ops::{Error, Result};
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use ureq::Agent;

use super::secret::Secret;
use super::target;
use crate::Service;

/// The folder in the home where each webhook keeps how far it has come.
const FOLDER: &str = "webhooks";
/// Spaces of one webhook that are read and delivered at a time, each on a thread that waits for its receiver. Every webhook has
/// places of its own: a slow receiver keeps no other one waiting.
const SPACES_AT_A_TIME: usize = 4;

/// One receiver.
pub struct Hook {
    pub name: String,
    pub url: String,
    pub secret: Secret,
    /// What it hears of.
    pub filter: Value,
    pub give_up: Duration,
    pub agent: Agent,
    /// The places of its spaces.
    pub places: Semaphore,
    folder: PathBuf,
    lock: Mutex<Option<File>>,
}

impl Hook {
    /// All that are configured, with their spaces.
    pub fn all(service: &Service) -> Result<Vec<(Arc<Self>, Vec<SpaceName>)>> {
        let webhooks = &service.memory.config().server.webhooks;
        webhooks.iter().map(|webhook| Ok((Arc::new(Self::of(webhook, service)?), webhook.spaces().collect()))).collect()
    }

    fn of(webhook: &Webhook, service: &Service) -> Result<Self> {
        let Webhook { name, url, private_network, give_up_days, .. } = webhook;
        Ok(Self {
            name: name.clone(),
            url: url.clone(),
            secret: secret(webhook, service)?,
            filter: filter(webhook, service)?,
            give_up: Duration::from_secs(u64::from(*give_up_days) * 24 * 60 * 60),
            agent: target::agent(*private_network),
            places: Semaphore::new(SPACES_AT_A_TIME),
            folder: service.memory.home().join(FOLDER).join(name),
            lock: Mutex::default(),
        })
    }

    /// The file that says how far it has come in a space.
    pub fn position_file(&self, space: &SpaceName) -> PathBuf {
        let [user, collection] = space.folders();
        self.folder.join(user).join(format!("{collection}.json"))
    }

    /// Whether this process delivers for it: of several servers of a home only one does.
    pub fn is_ours(&self) -> Result<bool> {
        let mut lock = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        if lock.is_some() {
            return Ok(true);
        }
        // No folder of a user's begins with a dot.
        let path = self.folder.join(".lock");
        let failed = || Error::io(format!("cannot open {}", path.display()));
        std::fs::create_dir_all(&self.folder).map_err(failed())?;
        let file = File::options().create(true).truncate(false).write(true).open(&path).map_err(failed())?;
        let is_ours = file.try_lock().is_ok();
        *lock = is_ours.then_some(file);
        Ok(is_ours)
    }
}

/// What signs its events.
fn secret(webhook: &Webhook, service: &Service) -> Result<Secret> {
    let wrong = |why: String| Error::invalid(format!("server.webhooks '{}': {why}", webhook.name));
    let text = match webhook.secret_env.as_str() {
        "" => {
            let path = service.memory.home().join(&webhook.secret_file);
            std::fs::read_to_string(&path).map_err(|error| {
                wrong(format!("cannot read {}: {error}", path.display()))
                    .hint("write the secret into it, with mode 0600")
            })?
        }
        name => (service.settings().variable)(name).ok_or_else(|| {
            wrong(format!("the environment variable {name} is not set")).hint("set it to the secret that signs events")
        })?,
    };
    Secret::parse(text.trim()).ok_or_else(|| {
        wrong("the secret is too short or not base64".to_owned())
            .hint("at least 16 characters, or whsec_ and base64 of at least 16 bytes")
    })
}

/// What it hears of: never of a subconscious, nor what is marked as private.
fn filter(webhook: &Webhook, service: &Service) -> Result<Value> {
    let mut conditions =
        vec![json!({"persona": {"ne": "subconscious"}}), json!({"not": {"tags": {"in": PRIVATE_TAGS}}})];
    if !webhook.kinds.is_empty() {
        conditions.push(json!({"kind": {"in": webhook.kinds}}));
    }
    if !webhook.filter.is_empty() {
        conditions.push(serde_json::from_str(&webhook.filter).map_err(|error| {
            Error::invalid(format!("server.webhooks '{}': filter is not JSON: {error}", webhook.name))
                .hint("for example filter = '{\"metadata.vip\": true}'; docs/filters.md")
        })?);
    }
    let filter = json!({"and": conditions});
    match Condition::parse(&filter, service.memory.env().now()) {
        Ok(_) => Ok(filter),
        Err(wrong) => {
            Err(Error::invalid(format!("server.webhooks '{}': {}", webhook.name, wrong.message)).hint(wrong.hint))
        }
    }
}
