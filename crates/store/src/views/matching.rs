//! Filters as SQL over the timeline: which events a condition holds of.

use idetic_core::views::{METADATA, TAGS, Value, element_path, sortable};
use idetic_search::filter::{Condition, Field, Test};
use serde_json::Value as Json;

use super::sql::quote;

/// The term that is true of the rows of the timeline that a condition holds of; `bind` gives the place of a value. Only names of
/// ours stand in it.
pub fn term(condition: &Condition, bind: &mut dyn FnMut(Value) -> String) -> String {
    match condition {
        Condition::All(conditions) => joined(conditions, "AND", "1", bind),
        Condition::Any(conditions) => joined(conditions, "OR", "0", bind),
        Condition::Not(inner) => format!("NOT {}", term(inner, bind)),
        Condition::Field(Field::Column(column), test) => column_term(&quote(column), test, bind),
        Condition::Field(Field::Time, test) => column_term("ts", test, bind),
        Condition::Field(Field::Project, test) => project_term(test, bind),
        Condition::Field(Field::Tags, test) => tags_term(test, bind),
        Condition::Field(Field::Metadata(path), test) => metadata_term(path, test, bind),
    }
}

/// Several conditions as a tree that is as deep as it must be: SQLite reads only so many levels.
fn joined(conditions: &[Condition], word: &str, none: &str, bind: &mut dyn FnMut(Value) -> String) -> String {
    match conditions {
        [] => none.to_owned(),
        [one] => term(one, bind),
        many => {
            let (first, rest) = many.split_at(many.len() / 2);
            format!("({} {word} {})", joined(first, word, none, bind), joined(rest, word, none, bind))
        }
    }
}

/// A column is NULL where the field is not there, and a comparison with it neither true nor false: that counts as false.
fn column_term(column: &str, test: &Test, bind: &mut dyn FnMut(Value) -> String) -> String {
    match test {
        Test::Is(value) => format!("{column} IS {}", bind(cell(value))),
        Test::In(values) => {
            let each: Vec<String> = values.iter().filter(|v| !v.is_null()).map(|value| bind(cell(value))).collect();
            let or_nothing = if values.contains(&Json::Null) { format!(" OR {column} IS NULL") } else { String::new() };
            format!("(ifnull({column} IN ({}), 0){or_nothing})", each.join(", "))
        }
        Test::Above(value) => format!("ifnull({column} > {}, 0)", bind(cell(value))),
        Test::AtLeast(value) => format!("ifnull({column} >= {}, 0)", bind(cell(value))),
        Test::Below(value) => format!("ifnull({column} < {}, 0)", bind(cell(value))),
        Test::AtMost(value) => format!("ifnull({column} <= {}, 0)", bind(cell(value))),
        Test::Exists => format!("{column} IS NOT NULL"),
        Test::Contains(value) => format!("ifnull(instr({column}, {}) > 0, 0)", bind(cell(value))),
    }
}

/// A project is known by its whole name or the last part of it.
fn project_term(test: &Test, bind: &mut dyn FnMut(Value) -> String) -> String {
    let mut one = |value: &Json| {
        let whole = bind(cell(value));
        // What stands behind an @ is the random part of a repository without a remote.
        let bare = "substr(source, 1, ifnull(nullif(instr(source, '@'), 0) - 1, length(source)))";
        let ends = |name: &str| format!("ifnull(substr({name}, -length({whole}) - 1) = '/' || {whole}, 0)");
        format!("(source IS {whole} OR {bare} IS {whole} OR {} OR {})", ends("source"), ends(bare))
    };
    match test {
        Test::Is(value) => one(value),
        Test::In(values) if !values.is_empty() => {
            format!("({})", values.iter().map(one).collect::<Vec<_>>().join(" OR "))
        }
        other => column_term("source", other, bind),
    }
}

fn tags_term(test: &Test, bind: &mut dyn FnMut(Value) -> String) -> String {
    let (table, column) = (quote(TAGS.name), quote(TAGS.columns[0]));
    let has = |term: &str| format!("born IN (SELECT born FROM {table} WHERE {term})");
    match test {
        Test::Is(Json::Null) => format!("NOT {}", has("1")),
        Test::Is(value) | Test::Contains(value) => has(&format!("{column} = {}", bind(cell(value)))),
        Test::In(values) if values.is_empty() => "0".to_owned(),
        Test::In(values) => {
            let each: Vec<String> = values.iter().map(|value| bind(cell(value))).collect();
            has(&format!("{column} IN ({})", each.join(", ")))
        }
        _ => has("1"),
    }
}

fn metadata_term(path: &str, test: &Test, bind: &mut dyn FnMut(Value) -> String) -> String {
    let table = quote(METADATA.name);
    let own = bind(path.into());
    let has = |term: String| format!("born IN (SELECT born FROM {table} WHERE path = {own} AND {term})");
    let mut value = |value: &Json| bind(sortable(value).as_str().into());
    match test {
        // Nothing is there, or null is.
        Test::Is(Json::Null) => format!("NOT {}", has("value <> 'z'".to_owned())),
        Test::Is(wanted) => has(format!("value = {}", value(wanted))),
        Test::In(wanted) => {
            let each: Vec<String> = wanted.iter().filter(|wanted| !wanted.is_null()).map(&mut value).collect();
            let among = has(format!("value IN ({})", each.join(", ")));
            match wanted.contains(&Json::Null) {
                true => format!("({among} OR NOT {})", has("value <> 'z'".to_owned())),
                false => among,
            }
        }
        Test::Above(than) => has(format!("value > {} AND value < {}", value(than), beyond(than))),
        Test::AtLeast(than) => has(format!("value >= {} AND value < {}", value(than), beyond(than))),
        Test::Below(than) => has(format!("value < {} AND value >= {}", value(than), first(than))),
        Test::AtMost(than) => has(format!("value <= {} AND value >= {}", value(than), first(than))),
        Test::Exists => has("1".to_owned()),
        Test::Contains(wanted) => {
            let element = value(wanted);
            let elements = bind(element_path(path).as_str().into());
            let among = format!("born IN (SELECT born FROM {table} WHERE path = {elements} AND value = {element})");
            match wanted {
                Json::String(text) => {
                    let text = bind(text.as_str().into());
                    let within = has(format!("value >= 's' AND value < 't' AND instr(substr(value, 2), {text}) > 0"));
                    format!("({among} OR {within})")
                }
                _ => among,
            }
        }
    }
}

/// The least text of values of that type.
fn first(value: &Json) -> &'static str {
    if value.is_number() { "'n'" } else { "'s'" }
}

/// What lies beyond all values of that type.
fn beyond(value: &Json) -> &'static str {
    if value.is_number() { "'o'" } else { "'t'" }
}

/// A value as a cell of the timeline.
fn cell(value: &Json) -> Value {
    match value {
        Json::String(text) => Value::Text(text.clone()),
        Json::Number(number) => Value::Int(number.as_i64().unwrap_or_default()),
        _ => Value::Null,
    }
}
