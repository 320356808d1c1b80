//! Changing and erasing: a new version of a memory, and memories that go for good, one, several or all that are selected.

use std::collections::BTreeMap;

use axum::extract::Path;
use axum::response::Response;
use idetic_ops::Error;
use idetic_ops::core::SpaceName;
use serde::de::IgnoredAny;
use serde_json::{Map, Value, json};

use super::add::{self, EXPIRATION, end_of};
use super::asked::{Asked, Refused};
use super::memories::{Key, Lane, Memory, Replaced, condition};
use super::read::Wanted;
use super::{Answered, answer};

/// Most memories of one batch.
const BATCH_MAX: usize = 1000;
/// Memories that are erased at a time: half as many as a filter may have values, the others are for what selected them.
const ERASED_AT_A_TIME: usize = 500;

pub async fn update(Path(id): Path<String>, asked: Asked) -> Response {
    answer(give_version(&id, asked).await)
}

pub async fn update_batch(asked: Asked) -> Response {
    answer(give_versions(asked).await)
}

pub async fn delete(Path(id): Path<String>, asked: Asked) -> Response {
    answer(erase(&id, asked).await)
}

pub async fn delete_batch(asked: Asked) -> Response {
    answer(erase_several(asked).await)
}

pub async fn delete_all(asked: Asked) -> Response {
    answer(erase_all(asked).await)
}

/// What a memory says from now on.
struct Change {
    space: SpaceName,
    name: String,
    text: Option<Value>,
    metadata: Option<Value>,
    expires_at: Option<String>,
}

impl Change {
    /// Reads it, and looks whether there is such a memory.
    async fn of(asked: &Asked, id: &str, mut said: Map<String, Value>) -> Result<Self, Refused> {
        // A text has several names over the versions of mem0's API.
        let text = ["text", "memory", "data"].iter().find_map(|name| said.remove(*name)).filter(|text| !text.is_null());
        let metadata = said.remove("metadata").filter(|metadata| !metadata.is_null());
        // Null takes away an end that was set.
        let expires_at = match said.remove(EXPIRATION) {
            Some(Value::Null) => Some("never".to_owned()),
            Some(date) => Some(end_of(&date, asked.now())?),
            None => None,
        };
        said.retain(|_, value| !value.is_null());
        if let Some(name) = said.keys().next() {
            let hint = "a new version has a text, metadata and an expiration_date; it happened when it is made";
            return Err(Error::invalid(format!("{name} cannot be changed")).hint(hint).into());
        }
        if let Some(Value::Object(metadata)) = &metadata {
            add::check(metadata)?;
        }
        let Memory { space, name, .. } = Memory::of(asked, id).await?;
        Ok(Self { space, name, text, metadata, expires_at })
    }

    async fn make(self, asked: &Asked) -> Result<(), Refused> {
        let Self { space, name, text, metadata, expires_at } = self;
        if text.is_none() && metadata.is_none() && expires_at.is_none() {
            return Ok(());
        }
        let mut arguments = json!({"id": name});
        for (name, value) in [("text", text), ("metadata", metadata), ("expires_at", expires_at.map(Value::String))] {
            if let Some(value) = value {
                arguments[name] = value;
            }
        }
        asked.call::<IgnoredAny>("update", &space, &arguments).await.map(drop)
    }
}

async fn give_version(id: &str, mut asked: Asked) -> Answered {
    let said = std::mem::take(&mut asked.body);
    asked.finish()?;
    Change::of(&asked, id, said).await?.make(&asked).await?;
    let mut memory = Memory::of(&asked, id).await?.shown();
    memory["message"] = json!("Memory updated successfully!");
    Ok(memory)
}

async fn give_versions(mut asked: Asked) -> Answered {
    let mut changes = Vec::new();
    for (id, said) in batch(&mut asked)? {
        // All of them are looked at before the first one is changed.
        changes.push(Change::of(&asked, &id, said).await?);
    }
    let count = changes.len();
    for change in changes {
        change.make(&asked).await?;
    }
    Ok(json!({"message": format!("Successfully updated {count} memories")}))
}

/// A memory of a batch: its id and what is said of it.
type Entry = (String, Map<String, Value>);

/// The memories of a batch.
fn batch(asked: &mut Asked) -> Result<Vec<Entry>, Error> {
    let Some(Value::Array(list)) = asked.take("memories") else {
        return Err(Error::invalid("memories are missing").hint("a list of {\"memory_id\", …}"));
    };
    asked.finish()?;
    if !(1..=BATCH_MAX).contains(&list.len()) {
        return Err(Error::invalid(format!("memories has {} entries", list.len())).hint(format!("1 to {BATCH_MAX}")));
    }
    let read = |(at, entry): (usize, Value)| {
        let wrong = || Error::invalid(format!("memories[{at}] has no memory_id")).hint("give the id of each");
        let Value::Object(mut entry) = entry else { return Err(wrong()) };
        let id = entry.remove("memory_id").and_then(|id| id.as_str().map(str::to_owned)).ok_or_else(wrong)?;
        Ok((id, entry))
    };
    list.into_iter().enumerate().map(read).collect()
}

async fn erase(id: &str, mut asked: Asked) -> Answered {
    // All versions of a memory go with it.
    asked.take_bool("delete_linked")?;
    asked.finish()?;
    let Memory { space, newest, .. } = Memory::of(&asked, id).await?;
    forget_these(&asked, &space, &condition(), [newest.head.key()]).await?;
    Ok(json!({"message": "Memory deleted successfully!"}))
}

async fn erase_several(mut asked: Asked) -> Answered {
    let mut of_spaces: Vec<(SpaceName, Vec<Key>)> = Vec::new();
    let batch = batch(&mut asked)?;
    let count = batch.len();
    for (id, _) in batch {
        // Each has to be there before the first one goes.
        let Memory { space, newest, .. } = Memory::of(&asked, &id).await?;
        match of_spaces.iter_mut().find(|(known, _)| *known == space) {
            Some((_, memories)) => memories.push(newest.head.key()),
            None => of_spaces.push((space, vec![newest.head.key()])),
        }
    }
    for (space, memories) in of_spaces {
        forget_these(&asked, &space, &condition(), memories).await?;
    }
    Ok(json!({"message": format!("Successfully deleted {count} memories")}))
}

async fn erase_all(mut asked: Asked) -> Answered {
    let wanted = Wanted::of(&mut asked)?;
    asked.finish()?;
    if !wanted.has_user && wanted.narrowed.is_none() {
        return Err(Error::invalid("name whose memories are to be deleted")
            .hint("user_id, agent_id, app_id or run_id")
            .into());
    }
    forget(&asked, &wanted.space, &wanted.filter()).await?;
    Ok(json!({"message": "Memories deleted successfully!"}))
}

/// Erases the memories that a filter selects in a space, with all their versions. What selects is what they say now: a filter that
/// only an old version matches, as that of a label that was taken away, leaves them alone.
pub async fn forget(asked: &Asked, space: &SpaceName, filter: &Value) -> Result<(), Refused> {
    let (replaced, mut kept) = (Replaced::of(asked, space).await?, asked.kept());
    let (_, memories) = replaced.newest(asked, space, filter, usize::MAX, &mut kept).await?;
    forget_these(asked, space, filter, memories).await
}

/// Erases some of the memories that a filter selects. An id is not enough to name them: another agent's event may have the same one,
/// and so may an event that is no memory.
async fn forget_these(
    asked: &Asked,
    space: &SpaceName,
    filter: &Value,
    memories: impl IntoIterator<Item = Key>,
) -> Result<(), Refused> {
    let mut of_lanes: BTreeMap<Lane, Vec<String>> = BTreeMap::new();
    for Key { lane, id } in memories {
        of_lanes.entry(lane).or_default().push(id);
    }
    for ([agent, persona], ids) in of_lanes {
        for some in ids.chunks(ERASED_AT_A_TIME) {
            let these = json!({"and": [filter, {"agent": agent, "persona": persona, "id": {"in": some}}]});
            match asked.call::<IgnoredAny>("forget", space, &json!({"filter": these, "yes": true})).await {
                // They were derived from what went before them, and went with it.
                Err(refused) if refused.is_missing() => {}
                erased => drop(erased?),
            }
        }
    }
    Ok(())
}
