//! One event on its way: the message, its headers as Standard Webhooks describes them, and what the receiver says.

use idetic_ops::core::{SpaceName, Time};

use super::hook::Hook;

/// The receiver wants no more.
const GONE: u16 = 410;

/// An event that is to be delivered.
pub struct Message {
    pub seq: u64,
    /// The same for every attempt, so that a receiver knows what it has already.
    pub id: String,
    pub body: String,
}

impl Message {
    /// `event` is its JSON, and `hash` the one that the chain has of it.
    pub fn new(space: &SpaceName, seq: u64, hash: &str, recorded: &str, event: &str) -> Self {
        let id = blake3::hash(format!("{space} {seq} {hash}").as_bytes());
        let data = format!("{{\"space\":\"{space}\",\"event\":{event}}}");
        let body = format!("{{\"type\":\"event.appended\",\"timestamp\":\"{recorded}\",\"data\":{data}}}");
        Self { seq, id: format!("msg_{}", &id.to_hex()[..32]), body }
    }
}

/// Why a receiver did not take an event.
pub struct Refused {
    /// What to show: nothing of what it said, only that it did.
    pub why: String,
    /// Whether it wants no more.
    pub is_final: bool,
}

/// Sends one event. Blocks.
pub fn deliver(hook: &Hook, message: &Message, now: Time) -> Result<(), Refused> {
    let seconds = now.0 / 1_000_000;
    let again = |why: String| Refused { why, is_final: false };
    let signature =
        hook.secret.sign(&message.id, seconds, &message.body).ok_or_else(|| again("it cannot be signed".to_owned()))?;
    let request = hook
        .agent
        .post(&hook.url)
        .header("content-type", "application/json")
        .header("webhook-id", &message.id)
        .header("webhook-timestamp", seconds.to_string())
        .header("webhook-signature", signature);
    match request.send(&message.body) {
        Ok(answer) if answer.status().is_success() => Ok(()),
        Ok(answer) => {
            let status = answer.status().as_u16();
            Err(Refused { why: format!("status {status}"), is_final: status == GONE })
        }
        Err(error) => Err(again(error.to_string())),
    }
}
