//! Reading: one memory, a list of them, a search, and what a memory said before.

use axum::extract::Path;
use axum::response::Response;
use idetic_ops::Error;
use idetic_ops::core::SpaceName;
use serde_json::{Map, Value, json};

use super::asked::{Asked, Refused};
use super::filters::{self, OWNERS, Selected};
use super::memories::{First, Memory, Replaced, condition, cut, events, shown};
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
        // Nothing here expires, and only the newest version of a memory is found.
        asked.accept("show_expired", &[json!(true), json!(false)])?;
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
    Ok(Memory::of(asked, id).await?.shown())
}

async fn read_list(mut asked: Asked) -> Answered {
    let is_paged = asked.path.starts_with("/v3") || asked.query.contains_key("page") || asked.body.contains_key("page");
    let page = asked.take_page("page")?.unwrap_or(1);
    let size = asked.take_page("page_size")?.unwrap_or(PAGE);
    let format = asked.take_text("output_format")?;
    let most = asked.take_count("top_k")?.or(asked.take_count("limit")?);
    if size > PAGE_MAX {
        return Err(Error::invalid(format!("page_size is {size}")).hint(format!("1 to {PAGE_MAX}")).into());
    }
    let wanted = Wanted::of(&mut asked)?;
    asked.finish()?;
    let replaced = Replaced::of(&asked, &wanted.space).await?;
    let mut ids = replaced.newest(&asked, &wanted.space, &wanted.filter()).await?;
    // The newest first.
    ids.reverse();
    let count = ids.len();
    let size = if is_paged { size } else { most.unwrap_or(count) };
    let (from, to) = (count.min((page - 1).saturating_mul(size)), count.min(page.saturating_mul(size)));
    let found = memories(&asked, &wanted, &ids[from..to], &replaced).await?;
    let results: Vec<Value> = found.into_iter().flatten().map(|memory| cut(memory, wanted.fields.as_deref())).collect();
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

/// Memories by the ids of their newest versions, in that order; nothing for one that was erased meanwhile.
async fn memories(
    asked: &Asked,
    wanted: &Wanted,
    ids: &[String],
    replaced: &Replaced,
) -> Result<Vec<Option<Value>>, Refused> {
    let mut needed = ids.to_vec();
    needed.extend(
        ids.iter().map(|id| replaced.first(id)).filter(|first| !ids.iter().any(|id| id == first)).map(str::to_owned),
    );
    let found = events(asked, &wanted.space, &needed).await?;
    let show = |id: &String| {
        let newest = found.get(id).filter(|event| !event["content"].is_null())?;
        // Where the first version is gone, the memory begins with what there is.
        let first = First::of(found.get(replaced.first(id)).unwrap_or(newest));
        Some(shown(&wanted.space, newest, &first))
    };
    Ok(ids.iter().map(show).collect())
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
    let found = asked.call("recall", &wanted.space, &arguments).await?;
    let hits: Vec<(String, f64)> =
        found["hits"].as_array().into_iter().flatten().filter_map(hit).filter(|hit| hit.1 >= least).collect();
    let ids: Vec<String> = hits.iter().map(|(id, _)| id.clone()).collect();
    let is_updated = |hit: &Value| hit["metadata"]["supersedes"].is_string();
    let replaced = match found["hits"].as_array().is_some_and(|hits| hits.iter().any(is_updated)) {
        true => Replaced::of(&asked, &wanted.space).await?,
        false => Replaced::default(),
    };
    let scored =
        memories(&asked, &wanted, &ids, &replaced).await?.into_iter().zip(&hits).filter_map(|(memory, (_, score))| {
            let mut memory = memory?;
            memory["score"] = json!(score);
            Some(cut(memory, wanted.fields.as_deref()))
        });
    Ok(listed(&asked, format.as_deref(), scored.collect()))
}

/// A hit: its id and how good it is, from 0 to 1.
fn hit(hit: &Value) -> Option<(String, f64)> {
    let score = hit["score"].as_f64()?.max(0.0);
    Some((hit["id"].as_str()?.to_owned(), score / (score + HALF_SCORE)))
}

async fn read_history(id: &str, asked: &Asked) -> Answered {
    asked.finish()?;
    let Memory { space, first, versions, .. } = Memory::of(asked, id).await?;
    let memory_id = place::id(&space, &first.id);
    let mut lines: Vec<Value> = Vec::with_capacity(versions.len());
    let mut before = Value::Null;
    for version in &versions {
        let memory = shown(&space, version, &first);
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
        line.insert("id".to_owned(), json!(place::id(&space, &First::of(version).id)));
        line.insert("memory_id".to_owned(), json!(memory_id));
        line.insert("event".to_owned(), json!(if before.is_null() { "ADD" } else { "UPDATE" }));
        line.insert("old_memory".to_owned(), std::mem::replace(&mut before, memory["memory"].clone()));
        line.insert("new_memory".to_owned(), memory["memory"].clone());
        line.insert("is_deleted".to_owned(), json!(false));
        lines.push(line.into());
    }
    Ok(lines.into())
}
