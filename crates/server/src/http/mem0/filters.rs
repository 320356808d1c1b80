//! mem0's filters as ours: the user selects the space, the other names are fields of events, and the rest is metadata.

use idetic_ops::Error;
use idetic_ops::core::Time;
use serde_json::{Map, Value, json};

/// The names of who and what a memory belongs to, and where it is kept here. The user is the space.
pub const OWNERS: [(&str, &str); 3] =
    [("agent_id", "agent"), ("run_id", "conversation"), ("app_id", "metadata.app_id")];
/// What a memory has that no field of a filter holds.
const UNKNOWN: [&str; 5] = ["memory_ids", "keywords", "id", "memory", "hash"];
/// Deepest nesting that is read; what our own filters hold is less.
const DEPTH_MAX: usize = 16;

/// A filter, translated.
#[derive(Debug, Default, PartialEq)]
pub struct Selected {
    /// The one user whose memories are meant.
    pub user: Option<String>,
    /// Our filter; nothing where only the user is named.
    pub filter: Option<Value>,
}

/// Translates a filter.
pub fn translate(filter: &Value) -> Result<Selected, Error> {
    let mut user = None;
    let conditions = all(filter, "filters", &mut Some(&mut user), 0)?;
    Ok(Selected { user, filter: (!conditions.is_empty()).then(|| joined(conditions)) })
}

/// Conditions that all hold, as one filter.
pub fn joined(mut conditions: Vec<Value>) -> Value {
    if conditions.len() == 1 { conditions.remove(0) } else { json!({"and": conditions}) }
}

/// Where the user may be named: nowhere below an alternative or a negation.
type UserPlace<'a> = Option<&'a mut Option<String>>;

/// The conditions of an object, all of which hold.
fn all(filter: &Value, place: &str, user: &mut UserPlace, depth: usize) -> Result<Vec<Value>, Error> {
    let Value::Object(entries) = filter else {
        return Err(wrong(place, "an object is expected"));
    };
    if depth > DEPTH_MAX {
        return Err(wrong(place, "it is nested too deep"));
    }
    let mut conditions = Vec::new();
    for (name, value) in entries {
        let place = format!("{place}.{name}");
        match name.as_str() {
            "AND" | "and" | "$and" => {
                for (at, part) in list(value).iter().enumerate() {
                    conditions.extend(all(part, &format!("{place}[{at}]"), user, depth + 1)?);
                }
            }
            "OR" | "or" | "$or" if list(value).len() == 1 => {
                conditions.extend(all(list(value)[0], &place, user, depth + 1)?)
            }
            "OR" | "or" | "$or" => {
                let mut parts = Vec::new();
                for part in list(value) {
                    parts.push(joined(all(part, &place, &mut None, depth + 1)?));
                }
                conditions.push(json!({"or": parts}));
            }
            "NOT" | "not" | "$not" => {
                for part in list(value) {
                    conditions.push(json!({"not": joined(all(part, &place, &mut None, depth + 1)?)}));
                }
            }
            "user_id" => name_user(value, &place, user)?,
            name => conditions.extend(field(name, value, &place)?),
        }
    }
    Ok(conditions)
}

fn list(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(list) => list.iter().collect(),
        one => vec![one],
    }
}

/// The user, who selects the space: one, and by name.
fn name_user(value: &Value, place: &str, user: &mut UserPlace) -> Result<(), Error> {
    let one = match value {
        Value::Object(test) if test.len() == 1 => match (test.get("eq"), test.get("in")) {
            (Some(name), _) => name.as_str(),
            (_, Some(Value::Array(names))) if names.len() == 1 => names[0].as_str(),
            _ => None,
        },
        value => value.as_str(),
    };
    let hint = "each user's memories are a space of their own: name one user, at the top or within AND";
    match (one.filter(|name| *name != "*"), user) {
        (Some(name), Some(user)) if user.as_deref().is_none_or(|known| known == name) => {
            **user = Some(name.to_owned());
            Ok(())
        }
        _ => Err(wrong(place, "one user has to be named").hint(hint)),
    }
}

/// One field with what is asked of it.
fn field(name: &str, value: &Value, place: &str) -> Result<Vec<Value>, Error> {
    if UNKNOWN.contains(&name) {
        return Err(wrong(place, "memories cannot be filtered by it").hint("search for words with a query"));
    }
    let owner = OWNERS.iter().find(|(own, _)| *own == name).map(|(_, field)| *field);
    if owner.is_some() && (value == "" || value.is_null()) {
        return Err(wrong(place, "it is empty").hint("give it a value, or leave it out"));
    }
    let field = match name {
        "created_at" | "updated_at" | "timestamp" => "time",
        "categories" => "tags",
        "metadata" => {
            let Value::Object(entries) = value else { return Err(wrong(place, "an object is expected")) };
            let entry = |(name, value): (&String, &Value)| {
                tested(&format!("metadata.{name}"), value, &format!("{place}.{name}"))
            };
            return entries.iter().map(entry).collect();
        }
        name => return Ok(vec![tested(owner.unwrap_or(&format!("metadata.{name}")), value, place)?]),
    };
    Ok(vec![tested(field, value, place)?])
}

fn tested(field: &str, value: &Value, place: &str) -> Result<Value, Error> {
    let test = match value {
        Value::String(any) if any == "*" => json!({"exists": true}),
        Value::Object(tests) => {
            let tests = tests.iter().map(|(name, value)| operator(field, name, value, place));
            Value::Object(tests.collect::<Result<Map<_, _>, Error>>()?)
        }
        Value::Array(any) if field == "tags" => json!({"in": any}),
        value => moment(field, value, place)?,
    };
    Ok(json!({field: test}))
}

fn operator(field: &str, name: &str, value: &Value, place: &str) -> Result<(String, Value), Error> {
    let place = format!("{place}.{name}");
    let name = match name {
        "eq" | "ne" | "in" | "gt" | "gte" | "lt" | "lte" => name,
        "nin" | "not_in" => "not_in",
        // A part of a label is nothing that labels are looked up by.
        "contains" if field.starts_with("metadata.") => "contains",
        _ => {
            return Err(wrong(&place, "this operator is not supported")
                .hint("eq, ne, in, nin, gt, gte, lt, lte; contains in metadata"));
        }
    };
    Ok((name.to_owned(), moment(field, value, &place)?))
}

/// A time may be said in seconds.
fn moment(field: &str, value: &Value, place: &str) -> Result<Value, Error> {
    match value.as_f64().filter(|_| field == "time") {
        Some(seconds) => Ok(json!(time_of(seconds).ok_or_else(|| wrong(place, "it is no time"))?.to_string())),
        None => Ok(value.clone()),
    }
}

/// The moment so many seconds after 1970.
pub fn time_of(seconds: f64) -> Option<Time> {
    const SECONDS_MAX: f64 = 253_402_300_800.0;
    (0.0..SECONDS_MAX).contains(&seconds).then_some(Time((seconds * 1e6) as i64))
}

fn wrong(place: &str, why: &str) -> Error {
    Error::invalid(format!("{place}: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selected(filter: Value) -> (Option<String>, Value) {
        let Selected { user, filter } = translate(&filter).expect("it can be translated");
        (user, filter.unwrap_or_default())
    }

    #[test]
    fn names_become_fields_and_the_user_the_space() {
        let ann = Some("ann".to_owned());
        assert_eq!(selected(json!({"user_id": "ann"})), (ann.clone(), Value::Null));
        assert_eq!(selected(json!({"AND": [{"user_id": {"in": ["ann"]}}]})), (ann.clone(), Value::Null));
        assert_eq!(
            selected(
                json!({"AND": [{"user_id": "ann"}, {"agent_id": "bot"}, {"run_id": "*"}], "app_id": {"ne": "web"}})
            ),
            (
                ann,
                json!({"and": [{"agent": "bot"}, {"conversation": {"exists": true}}, {"metadata.app_id": {"ne": "web"}}]})
            )
        );
        assert_eq!(
            selected(json!({"OR": [{"priority": {"gte": 5}}, {"metadata": {"vip": true}}]})).1,
            json!({"or": [{"metadata.priority": {"gte": 5}}, {"metadata.vip": true}]})
        );
        assert_eq!(
            selected(json!({"NOT": [{"categories": {"in": ["spam"]}}, {"a": {"nin": [1]}}]})).1,
            json!({"and": [{"not": {"tags": {"in": ["spam"]}}}, {"not": {"metadata.a": {"not_in": [1]}}}]})
        );
        assert_eq!(
            selected(json!({"created_at": {"gte": "2025-01-01", "lt": 1_740_000_000}})).1,
            json!({"time": {"gte": "2025-01-01", "lt": time_of(1_740_000_000.0).expect("a time").to_string()}})
        );
    }

    #[test]
    fn what_cannot_be_translated_is_refused_with_its_place() {
        for (filter, place) in [
            (json!({"OR": [{"user_id": "ann"}, {"agent_id": "bot"}]}), "filters.OR"),
            (json!({"NOT": {"user_id": "ann"}}), "filters.NOT.user_id"),
            (json!({"user_id": "*"}), "filters.user_id"),
            (json!({"user_id": "ann", "run_id": ""}), "filters.run_id"),
            (json!({"user_id": "ann", "agent_id": null}), "filters.agent_id"),
            (json!({"user_id": {"in": ["ann", "bob"]}}), "filters.user_id"),
            (json!({"AND": [{"user_id": "ann"}, {"user_id": "bob"}]}), "filters.AND[1].user_id"),
            (json!({"keywords": {"icontains": "pizza"}}), "filters.keywords"),
            (json!({"memory_ids": ["a"]}), "filters.memory_ids"),
            (json!({"vip": {"icontains": "x"}}), "filters.vip.icontains"),
            (json!({"categories": {"contains": "x"}}), "filters.categories.contains"),
            (json!(["ann"]), "filters"),
        ] {
            let error = translate(&filter).expect_err("it is refused");
            assert!(error.message.starts_with(place), "{}: {}", filter, error.message);
        }
    }
}
