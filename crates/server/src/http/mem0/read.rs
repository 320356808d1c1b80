//! Reading: one memory, a list of them, a search, and what a memory said before.

use std::collections::{BTreeMap, HashMap, HashSet};

use axum::extract::Path;
use axum::response::Response;
use idetic_ops::Error;
use idetic_ops::core::SpaceName;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::asked::{Asked, Kept, Refused};
use super::filters::{self, OWNERS, Selected};
use super::memories::{Event, First, Head, Key, Labels, Memory, Replaced, condition, cut, look_up};
use super::{Answered, answer, place};

/// Memories on a page where nothing is said, and at most.
const PAGE: usize = 100;
const PAGE_MAX: usize = 1000;
/// Hits where nothing is said.
const HITS: usize = 10;
/// The score of ours that is half of the best there could be: mem0's scores are from 0 to 1.
const HALF_SCORE: f64 = 3.0;

pub async fn one(Path(id): Path<String>, asked: Asked) -> Response {
    answer(read_one(&id, &asked).await)
}

pub async fn list(asked: Asked) -> Response {
    answer(read_list(asked).await)
}

pub async fn search(asked: Asked) -> Response {
    answer(find(asked).await)
}

pub async fn history(Path(id): Path<String>, asked: Asked) -> Response {
    answer(read_history(&id, &asked).await)
}

/// What is asked for: whose memories, which of them, and how much of each.
pub struct Wanted {
    pub space: SpaceName,
    /// Whether the user was named.
    pub has_user: bool,
    /// What was named besides the user.
    pub narrowed: Option<Value>,
    fields: Option<Vec<String>>,
}

impl Wanted {
    /// Takes it out of a request.
    pub fn of(asked: &mut Asked) -> Result<Self, Refused> {
        let mut parts = Vec::new();
        for name in ["user_id", OWNERS[0].0, OWNERS[1].0, OWNERS[2].0] {
            parts.extend(asked.take_text(name)?.map(|value| json!({name: value})));
        }
        let filters = match asked.take("filters") {
            Some(Value::String(text)) => Some(serde_json::from_str(&text).map_err(|wrong| {
                Error::invalid(format!("filters is not JSON: {wrong}"))
                    .hint("in a query name user_id, agent_id, app_id and run_id instead")
            })?),
            filters => filters,
        };
        parts.extend(filters);
        for name in ["metadata", "categories"] {
            parts.extend(asked.take(name).map(|value| json!({name: value})));
        }
        for (name, bound) in [("start_date", "gte"), ("end_date", "lte")] {
            parts.extend(asked.take(name).map(|value| json!({"created_at": {bound: value}})));
        }
        let fields = match asked.take("fields") {
            Some(Value::Array(names)) => Some(names.iter().filter_map(Value::as_str).map(str::to_owned).collect()),
            Some(other) => {
                return Err(Error::invalid(format!("fields is {other}")).hint("a list of names is expected").into());
            }
            None => None,
        };
        // What has expired, and what a newer version has replaced, is not found.
        asked.accept("show_expired", &[json!(false)])?;
        asked.accept("latest_only", &[json!(true)])?;
        let Selected { user, filter } = filters::translate(&json!({"AND": parts}))?;
        let space = place::space(asked, user.as_deref())?;
        Ok(Self { space, has_user: user.is_some(), narrowed: filter, fields })
    }

    /// The filter of all that.
    pub fn filter(&self) -> Value {
        filters::joined([Some(condition()), self.narrowed.clone()].into_iter().flatten().collect())
    }
}

async fn read_one(id: &str, asked: &Asked) -> Answered {
    asked.finish()?;
    let (memory, mut kept) = (Memory::of(asked, id).await?, asked.kept());
    kept.add(memory.newest.bytes())?;
    Ok(memory.shown())
}

async fn read_list(mut asked: Asked) -> Answered {
    let is_paged = asked.path.starts_with("/v3") || asked.query.contains_key("page") || asked.body.contains_key("page");
    let page = asked.take_page("page")?.unwrap_or(1);
    let size = asked.take_page("page_size")?;
    let format = asked.take_text("output_format")?;
    let most = asked.take_count("top_k")?.or(asked.take_count("limit")?);
    let size = if is_paged { size } else { most.or(size) }.unwrap_or(PAGE);
    if size > PAGE_MAX {
        return Err(Error::invalid(format!("{size} memories are asked for at once"))
            .hint(format!("page_size, top_k and limit are 1 to {PAGE_MAX}; page=2 shows the next ones"))
            .into());
    }
    let wanted = Wanted::of(&mut asked)?;
    asked.finish()?;
    let replaced = Replaced::of(&asked, &wanted.space).await?;
    let (mut kept, to) = (asked.kept(), page.saturating_mul(size));
    let (count, keys) = replaced.newest(&asked, &wanted.space, &wanted.filter(), to, &mut kept).await?;
    // The newest first.
    let keys: Vec<Key> = keys.into_iter().rev().skip(to.saturating_sub(size)).collect();
    let places: HashMap<&Key, usize> = keys.iter().enumerate().map(|(place, key)| (key, place)).collect();
    let ids = keys.iter().map(|key| key.id.as_str()).collect();
    let place = |event: &Head| places.get(&event.key()).copied();
    let found = events(&asked, &wanted.space, ids, place, &mut kept).await?;
    let found = memories(&asked, &wanted.space, found.into_values().collect(), &replaced).await?;
    let results: Vec<Value> = found.into_iter().map(|memory| cut(memory, wanted.fields.as_deref())).collect();
    if is_paged {
        let next = (to < count).then(|| asked.page_link(page + 1, size));
        let previous = (page > 1).then(|| asked.page_link(page - 1, size));
        return Ok(json!({"count": count, "next": next, "previous": previous, "results": results}));
    }
    Ok(listed(&asked, format.as_deref(), results))
}

/// A list as this version of the API gives it.
fn listed(asked: &Asked, format: Option<&str>, results: Vec<Value>) -> Value {
    let is_bare = ["/v1", "/v2"].iter().any(|old| asked.path.starts_with(old)) && format != Some("v1.1");
    if is_bare { json!(results) } else { json!({"results": results}) }
}

/// Events by their ids, in the order of the places that are wanted for them; one that was erased meanwhile has none.
async fn events(
    asked: &Asked,
    space: &SpaceName,
    ids: HashSet<&str>,
    place: impl Fn(&Head) -> Option<usize>,
    kept: &mut Kept,
) -> Result<BTreeMap<usize, Event>, Refused> {
    let mut found = BTreeMap::new();
    let take = |event: &RawValue| {
        let event = Event::of(event)?;
        if let Some(place) = place(&event.head).filter(|_| event.head.has_content()) {
            kept.add(event.bytes())?;
            found.insert(place, event);
        }
        Ok(())
    };
    look_up(asked, space, ids, take).await?;
    Ok(found)
}

/// Memories by their newest versions.
async fn memories(
    asked: &Asked,
    space: &SpaceName,
    newest: Vec<Event>,
    replaced: &Replaced,
) -> Result<Vec<Value>, Refused> {
    let keys: Vec<Key> = newest.iter().map(|event| event.head.key()).collect();
    let first: HashSet<&Key> =
        keys.iter().filter_map(|key| Some(replaced.first(key)).filter(|first| *first != key)).collect();
    let mut known: HashMap<Key, First> = HashMap::new();
    let take = |event: &RawValue| {
        let event = Head::of(event)?;
        if first.contains(&event.key()) {
            known.insert(event.key(), First::of(&event));
        }
        Ok(())
    };
    look_up(asked, space, first.iter().map(|key| key.id.as_str()).collect(), take).await?;
    let show = |(event, key): (Event, &Key)| {
        // Where the first version is gone, the memory begins with what there is.
        let own = First::of(&event.head);
        let first = known.get(replaced.first(key)).unwrap_or(&own);
        event.shown(space, first)
    };
    Ok(newest.into_iter().zip(&keys).map(show).collect())
}

async fn find(mut asked: Asked) -> Answered {
    let format = asked.take_text("output_format")?;
    let Some(query) = asked.take_text("query")?.filter(|query| !query.trim().is_empty()) else {
        return Err(Error::invalid("query is missing").hint("say what is looked for").into());
    };
    let most = asked.take_count("top_k")?.or(asked.take_count("limit")?).unwrap_or(HITS);
    let least = match asked.take("threshold") {
        Some(said) => {
            said.as_f64().ok_or_else(|| Error::invalid(format!("threshold is {said}")).hint("a number from 0 to 1"))?
        }
        None => 0.0,
    };
    let at = match asked.take("reference_date") {
        Some(Value::Number(seconds)) => seconds.as_f64().and_then(filters::time_of).map(|time| json!(time.to_string())),
        at => at,
    };
    // Words and meaning are both looked at, and the best are ranked, always.
    for name in ["rerank", "keyword_search"] {
        asked.accept(name, &[json!(true), json!(false)])?;
    }
    asked.accept("version", &[json!("v1"), json!("v2")])?;
    let wanted = Wanted::of(&mut asked)?;
    asked.finish()?;
    let mut arguments = json!({"query": query, "k": most, "filter": wanted.filter()});
    if let Some(at) = at {
        arguments["at"] = at;
    }
    let Found { hits } = asked.call("recall", &wanted.space, &arguments).await?;
    let hits: Vec<Hit> = hits.into_iter().filter(|hit| hit.scaled() >= least).collect();
    let places: HashMap<(&str, u64), usize> =
        hits.iter().enumerate().map(|(place, hit)| ((hit.id.as_str(), hit.seq), place)).collect();
    let ids = hits.iter().map(|hit| hit.id.as_str()).collect();
    let place = |event: &Head| places.get(&(event.id.as_str(), event.number())).copied();
    let mut kept = asked.kept();
    let found = events(&asked, &wanted.space, ids, place, &mut kept).await?;
    let replaced = match hits.iter().any(|hit| hit.metadata.supersedes.is_some()) {
        true => Replaced::of(&asked, &wanted.space).await?,
        false => Replaced::nothing(&asked),
    };
    let (places, newest): (Vec<usize>, Vec<Event>) = found.into_iter().unzip();
    let scored = memories(&asked, &wanted.space, newest, &replaced).await?.into_iter().zip(places);
    let scored = scored.map(|(mut memory, place)| {
        memory["score"] = json!(hits[place].scaled());
        cut(memory, wanted.fields.as_deref())
    });
    Ok(listed(&asked, format.as_deref(), scored.collect()))
}

/// What recall found.
#[derive(Deserialize)]
struct Found {
    hits: Vec<Hit>,
}

/// What is read of a hit; its text is read with the event.
#[derive(Deserialize)]
struct Hit {
    #[serde(alias = "pos")]
    seq: u64,
    id: String,
    score: f64,
    metadata: Labels,
}

impl Hit {
    /// How good it is, from 0 to 1.
    fn scaled(&self) -> f64 {
        let score = self.score.max(0.0);
        score / (score + HALF_SCORE)
    }
}

async fn read_history(id: &str, asked: &Asked) -> Answered {
    asked.finish()?;
    let Memory { space, first, name, .. } = Memory::of(asked, id).await?;
    let memory_id = place::id(&space, &first.id);
    let (mut lines, mut before, mut kept) = (Vec::new(), Value::Null, asked.kept());
    let take = |version: &RawValue| {
        let version = Event::of(version)?;
        // Each text is there twice: as the new one, and as what the next version replaced.
        kept.add(2 * version.bytes())?;
        let memory = version.shown(&space, &first);
        let mut line: Map<String, Value> = Map::new();
        for name in [
            "user_id",
            "agent_id",
            "app_id",
            "run_id",
            "actor_id",
            "role",
            "metadata",
            "categories",
            "created_at",
            "updated_at",
        ] {
            line.insert(name.to_owned(), memory[name].clone());
        }
        line.insert("id".to_owned(), json!(place::id(&space, &version.head.id)));
        line.insert("memory_id".to_owned(), json!(memory_id));
        line.insert("event".to_owned(), json!(if before.is_null() { "ADD" } else { "UPDATE" }));
        line.insert("old_memory".to_owned(), std::mem::replace(&mut before, memory["memory"].clone()));
        line.insert("new_memory".to_owned(), memory["memory"].clone());
        line.insert("is_deleted".to_owned(), json!(false));
        lines.push(Value::from(line));
        Ok(())
    };
    asked.each("history", &space, &json!({"id": name}), take).await?;
    Ok(lines.into())
}
