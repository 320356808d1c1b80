//! Who has memories: the users, agents, apps and runs, and everything of one of them erased.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use axum::extract::Path;
use axum::response::Response;
use idetic_ops::Error;
use idetic_ops::core::SpaceName;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::asked::{Asked, Kept, Refused};
use super::change::forget;
use super::filters::{self, OWNERS};
use super::memories::{Head, Replaced, condition};
use super::{Answered, answer, place};

/// Most users whose memories are counted.
const USERS_MAX: usize = 1000;
/// What one of them takes besides its name until it is answered.
const ENTITY_BYTES: usize = 1024;

pub async fn list(asked: Asked) -> Response {
    answer(count(asked).await)
}

pub async fn delete(Path((kind, name)): Path<(String, String)>, asked: Asked) -> Response {
    answer(erase(&kind, &name, asked).await)
}

/// The memories of somebody or something.
struct Counted {
    memories: u64,
    first: String,
    last: String,
}

async fn count(mut asked: Asked) -> Answered {
    let page = asked.take_page("page")?.unwrap_or(1);
    let size = asked.take_page("page_size")?;
    asked.finish()?;
    let (mut all, mut kept): (BTreeMap<(&str, String), Counted>, Kept) = (BTreeMap::new(), asked.kept());
    for space in spaces(&asked).await? {
        let replaced = Replaced::of(&asked, &space).await?;
        let take = |event: &RawValue| {
            let event = Head::of(event)?;
            if !event.has_content() || replaced.is_old(&event.key()) {
                return Ok(());
            }
            let owners = [
                ("user", Some(place::user(&space))),
                ("agent", event.agent_id.as_deref()),
                ("app", event.metadata.app_id.as_deref()),
                ("run", event.conversation_id.as_deref()),
            ];
            for (kind, name) in owners {
                let Some(name) = name else { continue };
                let counted = match all.entry((kind, name.to_owned())) {
                    Entry::Occupied(known) => known.into_mut(),
                    Entry::Vacant(new) => {
                        kept.add(ENTITY_BYTES + 4 * name.len())?;
                        new.insert(Counted { memories: 0, first: event.ts.clone(), last: String::new() })
                    }
                };
                (counted.memories, counted.last) = (counted.memories + 1, event.ts.clone());
            }
            Ok(())
        };
        asked.each("log", &space, &json!({"filter": condition()}), take).await?;
    }
    let results: Vec<Value> = all.into_iter().map(|((kind, name), Counted { memories, first, last })| {
        json!({"id": format!("{kind}:{name}"), "name": name, "type": kind, "total_memories": memories, "created_at": first, "updated_at": last})
    }).collect();
    let count = results.len();
    let size = size.unwrap_or(count.max(1));
    let skip = (page - 1).saturating_mul(size);
    let next = (skip.saturating_add(size) < count).then(|| asked.page_link(page + 1, size));
    let previous = (page > 1).then(|| asked.page_link(page - 1, size));
    let results: Vec<Value> = results.into_iter().skip(skip).take(size).collect();
    Ok(json!({"count": count, "next": next, "previous": previous, "results": results}))
}

/// The spaces of the users there are for the caller: its own, or for an administrator all of that collection.
async fn spaces(asked: &Asked) -> Result<Vec<SpaceName>, Refused> {
    let own = place::space(asked, None)?;
    if asked.who.grant().user.is_some() {
        return Ok(vec![own]);
    }
    let mut spaces = Vec::new();
    let [_, collection] = own.parts();
    let listed: Value = asked.call("spaces", &own, &json!({})).await?;
    for line in listed["items"].as_array().into_iter().flatten() {
        let space = line["space"].as_str().and_then(|name| SpaceName::parse(name).ok());
        spaces.extend(space.filter(|space| space.parts()[1] == collection));
    }
    match spaces.len() > USERS_MAX {
        true => {
            Err(Error::invalid(format!("there are more than {USERS_MAX} users")).hint("use a key of one user").into())
        }
        false => Ok(spaces),
    }
}

async fn erase(kind: &str, name: &str, asked: Asked) -> Answered {
    asked.finish()?;
    let field = match kind {
        "user" => None,
        kind => {
            let owner = format!("{kind}_id");
            let field = OWNERS.iter().find(|(own, _)| *own == owner).map(|(_, field)| *field);
            Some(field.ok_or_else(|| {
                Error::invalid(format!("'{kind}' is no kind of entity")).hint("user, agent, app or run")
            })?)
        }
    };
    let named = field.map(|field| json!({field: name}));
    let filter = filters::joined([Some(condition()), named].into_iter().flatten().collect());
    let spaces = match field {
        None => vec![place::space(&asked, Some(name))?],
        Some(_) => spaces(&asked).await?,
    };
    for space in spaces {
        forget(&asked, &space, &filter).await?;
    }
    Ok(json!({"message": "Entity deleted successfully!"}))
}
