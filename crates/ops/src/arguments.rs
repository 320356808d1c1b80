//! Arguments that several operations have: whose memory, when, with which vector, how many.

use std::str::FromStr;
use std::sync::Arc;

use clap::Args;
use idetic_core::project::ProjectScope;
use idetic_core::{SpaceName, Time};
use idetic_memory::recall::Models;
use idetic_memory::{Error, Result};
use idetic_memory::{Scope, Viewpoint};
use idetic_search::filter::Condition;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::Context;

// Whose memory is meant: an agent's, or what all share. (No doc comment: it would become the help of every command.)
#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct MemoryArgs {
    /// The agent whose memory it is; without one it is shared in the space
    #[arg(long, value_name = "AGENT")]
    pub agent: Option<String>,
    /// Which side of the agent: actor or subconscious [default: actor]
    #[arg(long, value_name = "PERSONA")]
    pub persona: Option<String>,
    /// The user, if a request names one with the collection [default: the space in use]
    #[arg(skip)]
    pub user: Option<String>,
    /// The collection
    #[arg(skip)]
    pub collection: Option<String>,
}

// Which projects are meant. (No doc comment, as above.)
#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct ProjectChoice {
    /// Only of this project, and what belongs to none: its name, or the last part of it
    #[arg(long, value_name = "PROJECT", conflicts_with = "all_projects")]
    pub project: Option<String>,
    /// Of all projects alike [default: those of the project worked in come first]
    #[arg(long)]
    pub all_projects: bool,
}

impl ProjectChoice {
    /// What counts as the project worked in.
    pub fn scope(&self, cx: &Context) -> ProjectScope {
        match &self.project {
            _ if self.all_projects => ProjectScope::default(),
            Some(project) => ProjectScope { own: vec![project.clone()], only: true },
            None => ProjectScope { own: cx.projects(), only: false },
        }
    }
}

impl MemoryArgs {
    fn space(&self, cx: &Context) -> Result<SpaceName> {
        let chosen = cx.space_name()?;
        match (&self.user, &self.collection) {
            (None, None) => Ok(chosen),
            (user, collection) => {
                let [own_user, own_collection] = chosen.parts();
                let user = user.as_deref().unwrap_or(own_user);
                let collection = collection.as_deref().unwrap_or(own_collection);
                let named = SpaceName::parse(&format!("{user}/{collection}"))?;
                if cx.space.as_ref().is_some_and(|space| *space != named) {
                    return Err(Error::invalid(format!("the request names {named}, but the space in use is {chosen}"))
                        .hint("leave user and collection out, or choose that space"));
                }
                Ok(named)
            }
        }
    }

    /// The memory to read.
    pub fn reading(&self, cx: &Context) -> Result<Viewpoint> {
        cx.viewpoint_of(&self.space(cx)?, &cx.who(self.agent.as_ref(), self.persona.as_ref())?)
    }

    /// The memory to change, which must be there. Refused where the user's memory is switched off.
    pub fn changing(&self, cx: &Context) -> Result<Viewpoint> {
        cx.config()?.check_memory_is_on(&self.space(cx)?)?;
        self.reading(cx)
    }

    /// The memory to write to, which is made if it is not there. Refused where the user's memory is switched off.
    pub fn writing(&self, cx: &Context) -> Result<Viewpoint> {
        let name = self.space(cx)?;
        cx.config()?.check_memory_is_on(&name)?;
        cx.viewpoint_of_new(&name, &cx.who(self.agent.as_ref(), self.persona.as_ref())?)
    }
}

/// A vector that somebody has already, as a JSON array.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct Vector(pub Vec<f32>);

impl FromStr for Vector {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        serde_json::from_str(text).map(Self).map_err(|_| "not a JSON array of numbers".to_owned())
    }
}

// A question as a vector, and whether vectors are shown. (No doc comment: it would become the help of every command.)
#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct ByVector {
    /// The question as a vector: a JSON array
    #[arg(long, value_name = "JSON")]
    pub embedding: Option<Vector>,
    /// The model that made it [default: the one in use]
    #[arg(long, value_name = "MODEL")]
    pub embedding_model: Option<String>,
    /// Show the vector of each result, to the owner only
    #[arg(long)]
    pub embeddings: bool,
}

impl ByVector {
    /// The vector, checked.
    pub fn vector(&self, models: &Models) -> Result<Option<Vec<f32>>> {
        checked_vector(models, self.embedding.clone(), self.embedding_model.as_deref())
    }
}

/// Checks a vector that was supplied: it must be of the model in use, or at least as long as that one's. An empty one is
/// none.
fn checked_vector(models: &Models, vector: Option<Vector>, made_by: Option<&str>) -> Result<Option<Vec<f32>>> {
    let Some(Vector(vector)) = vector.filter(|Vector(vector)| !vector.is_empty()) else { return Ok(None) };
    let Some(model) = &models.wanted else {
        return Err(Error::invalid("an embedding is given, but no model is configured").hint("ask in words"));
    };
    let (id, name) = (model.id().to_string(), &model.id().name);
    if let Some(made_by) = made_by.filter(|made_by| *made_by != id && made_by != name) {
        return Err(Error::invalid(format!("the embedding is from model '{made_by}', but '{id}' is in use"))
            .hint("embed the question with the model in use, or ask in words"));
    }
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    if vector.len() != model.dimensions() || !length.is_finite() || length == 0.0 {
        return Err(Error::invalid(format!("the embedding must have {} numbers", model.dimensions()))
            .hint("as many as the model's vectors have, not all of them zero"));
    }
    Ok(Some(vector.into_iter().map(|x| x / length).collect()))
}

/// The vectors of some texts, for an owner who asks for them.
pub(crate) fn vectors_of(viewpoint: &Viewpoint, models: &Models, texts: &[&str]) -> Result<Vec<Option<Vec<f32>>>> {
    if viewpoint.scope != Scope::Owner {
        return Err(Error::invalid("vectors are shown to the owner only").hint("leave --embeddings out"));
    }
    let Some(model) = &models.wanted else { return Ok(vec![None; texts.len()]) };
    let vectors = model.embed(texts).map_err(|error| Error::unavailable(error.to_string()))?;
    Ok(vectors.into_iter().map(Some).collect())
}

/// One JSON object.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct Object(pub Map<String, Value>);

impl FromStr for Object {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        serde_json::from_str(text).map(Self).map_err(|error| format!("not a JSON object: {error}"))
    }
}

/// What must hold of the events in question, as JSON.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct FilterArgument(#[schemars(with = "Map<String, Value>")] Value);

impl FilterArgument {
    /// The condition, checked.
    pub fn condition(given: Option<&Self>, now: Time) -> Result<Option<Arc<Condition>>> {
        Ok(given.map(|Self(json)| Condition::parse(json, now)).transpose()?.map(Arc::new))
    }
}

impl FromStr for FilterArgument {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        serde_json::from_str(text).map(Self).map_err(|error| format!("not JSON: {error}"))
    }
}

/// A moment: an ISO time, or an age such as 2h.
pub(crate) fn moment(text: Option<&String>, now: Time) -> Result<Option<Time>> {
    Ok(text.map(|text| Time::parse_or_age(text, now)).transpose()?)
}

/// When something expires: an ISO time, or so much from now on, such as 30d.
pub(crate) fn expiry(text: Option<&String>, now: Time) -> Result<Option<Time>> {
    let Some(text) = text else { return Ok(None) };
    match Time::parse_or_span(text, now)? {
        past if past <= now => Err(Error::invalid(format!("'{}' is in the past", text.escape_debug()))
            .hint("name a time to come, e.g. 30d; `forget` erases at once")),
        time => Ok(Some(time)),
    }
}

/// The same where `never` takes an end away that was set.
pub(crate) fn new_expiry(text: Option<&String>, now: Time) -> Result<Option<Option<Time>>> {
    match text.map(String::as_str) {
        None => Ok(None),
        Some("never") => Ok(Some(None)),
        Some(_) => Ok(Some(expiry(text, now)?)),
    }
}

/// When a fact or an episode expires: as said, or after some days; 0 days are none.
pub(crate) fn expiry_or_days(text: Option<&String>, days: u32, now: Time) -> Result<Option<Time>> {
    Ok(expiry(text, now)?.or_else(|| (days > 0).then(|| now.plus_days(i64::from(days)))))
}

/// What is kept beside something, from KEY=VALUE each; values that are JSON are kept as such.
pub(crate) fn pairs(meta: &[String]) -> Result<Option<Map<String, Value>>> {
    let mut map = Map::new();
    for pair in meta {
        let (key, value) = pair.split_once('=').filter(|(key, _)| !key.is_empty()).ok_or_else(|| {
            Error::invalid(format!("--meta '{pair}' is not KEY=VALUE")).hint("write --meta duration_ms=120")
        })?;
        let value = serde_json::from_str(value).unwrap_or_else(|_| Value::from(value));
        if map.insert(key.to_owned(), value).is_some() {
            return Err(Error::invalid(format!("--meta {key} is given twice")).hint("keep one of the two"));
        }
    }
    Ok(Some(map).filter(|map| !map.is_empty()))
}

/// Things listed when nobody says how many, and at most.
const LISTED_USUAL: usize = 100;
const LISTED_MOST: usize = 10_000;

/// How many are listed.
pub(crate) fn listed(limit: Option<usize>) -> usize {
    limit.unwrap_or(LISTED_USUAL).min(LISTED_MOST)
}

/// A new id for a conversation.
pub(crate) fn new_conversation(cx: &Context) -> String {
    format!("conv-{:016x}", u64::from_le_bytes(cx.env.random()))
}
