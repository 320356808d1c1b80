//! Answers about agents: their profiles and their sessions.

use std::collections::BTreeMap;

use idetic_core::{Time, Trace};
use idetic_memory::{Capability, Profile};
use serde::Serialize;
use serde_json::value::RawValue;

/// An agent's profile; as JSON it is the object of specification 000, section 5.1.
#[derive(Debug, Clone)]
pub struct AgentProfile(pub Profile);

impl Serialize for AgentProfile {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw = RawValue::from_string(self.0.line()).map_err(serde::ser::Error::custom)?;
        raw.serialize(serializer)
    }
}

/// An agent in a list.
#[derive(Debug, Clone, Serialize)]
pub struct ProfileLine {
    /// Who.
    pub agent_name: String,
    /// Which model.
    pub agent_version: String,
    /// When it last did something.
    pub last_active: String,
    /// How many sessions it had.
    pub session_count: u64,
    /// How many things it does.
    pub capabilities: usize,
    /// How often that went well.
    pub successful_operations: u64,
    /// How often it did not.
    pub failed_operations: u64,
}

impl From<&Profile> for ProfileLine {
    fn from(profile: &Profile) -> Self {
        let sum =
            |count: fn(&Capability) -> Option<u64>| profile.capabilities.iter().filter_map(|(_, c)| count(c)).sum();
        Self {
            agent_name: profile.agent_name.clone(),
            agent_version: profile.agent_version.clone(),
            last_active: profile.last_active.clone(),
            session_count: profile.session_count,
            capabilities: profile.capabilities.len(),
            successful_operations: sum(|c| c.successful_operations),
            failed_operations: sum(|c| c.failed_operations),
        }
    }
}

/// A session began.
#[derive(Debug, Clone, Serialize)]
pub struct SessionStarted {
    /// The session: the trace its events belong to.
    pub session: String,
    /// Whose it is.
    pub agent_name: String,
    /// When it began.
    pub started: Time,
    /// The event that began it.
    pub seq: u64,
    /// Its id.
    pub id: String,
    /// What a shell must be told so that everything below belongs to the session.
    pub export: String,
}

/// What a session holds.
#[derive(Debug, Clone, Serialize)]
pub struct SessionShown {
    /// The session: the trace its events belong to.
    pub session: String,
    /// Whose it is.
    pub agent_name: String,
    /// Which model.
    pub agent_version: Option<String>,
    /// When it began.
    pub started: Time,
    /// How long ago that is.
    pub duration_ms: i64,
    /// What was done in it so far.
    pub operations_count: u64,
    /// Its scratch values.
    pub values: BTreeMap<String, Box<RawValue>>,
    /// Its scratch texts.
    pub notes: Vec<String>,
    /// Its events so far, step by step.
    pub trace: Option<Trace>,
}

/// A session ended.
#[derive(Debug, Clone, Serialize)]
pub struct SessionEnded {
    /// The session.
    pub session: String,
    /// Whose it was.
    pub agent_name: String,
    /// How long it was.
    pub duration_minutes: f64,
    /// What was done in it.
    pub operations_count: u64,
    /// The event that ended it.
    pub seq: u64,
    /// Its id.
    pub id: String,
}
