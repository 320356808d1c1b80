//! Chroma: the rows of `chroma.sqlite3`, one for each value that a record has beside its vector.

use serde_json::{Map, Value};

use super::{Item, TEXTS, take_text, take_time};

/// The key under which Chroma keeps the document of a record.
const DOCUMENT: &str = "chroma:document";
/// The columns of a value, by its type.
const TYPED: [&str; 3] = ["string_value", "int_value", "float_value"];

/// Rows of records, in the order of the records, made into items.
#[derive(Debug, Default)]
pub struct Records {
    record: Option<(Value, Item)>,
}

impl Records {
    /// The next row. Gives the record before it where that is complete.
    pub fn row(&mut self, mut row: Map<String, Value>) -> Option<Item> {
        let number = row.remove("record").unwrap_or_default();
        let is_next = self.record.as_ref().is_none_or(|(current, _)| *current != number);
        let done = if is_next { self.end() } else { None };
        let key = take_text(&mut row, "key");
        let value = value(&mut row);
        let (_, item) = self.record.get_or_insert_with(|| (number, record(row)));
        match (key.as_deref(), value) {
            (Some(DOCUMENT), Value::String(text)) => item.text = text,
            (Some(key), value) => {
                // A key that stands again has a list.
                match item.metadata.get_mut(key) {
                    None => drop(item.metadata.insert(key.to_owned(), value)),
                    Some(Value::Array(list)) => list.push(value),
                    Some(one) => *one = Value::Array(vec![one.take(), value]),
                }
            }
            (None, _) => {}
        }
        done
    }

    /// The last record.
    pub fn end(&mut self) -> Option<Item> {
        let (_, mut item) = self.record.take()?;
        // Programs that keep no document have their text among the metadata.
        if item.text.is_empty()
            && let Some(key) = TEXTS.iter().find(|key| item.metadata.get(**key).is_some_and(Value::is_string))
        {
            item.text = take_text(&mut item.metadata, key).unwrap_or_default();
        }
        Some(item)
    }
}

fn record(mut row: Map<String, Value>) -> Item {
    let id = take_text(&mut row, "id").unwrap_or_default();
    let collection = take_text(&mut row, "collection").unwrap_or_default();
    let made = take_time(&mut row, "created_at");
    row.retain(|_, value| !value.is_null());
    // Other databases have a collection of that name too: what tells them apart is its id.
    let place = row.get("collection_id").and_then(Value::as_str).unwrap_or(&collection);
    let known = format!("{place}:{id}");
    row.insert("collection".to_owned(), collection.as_str().into());
    row.insert("id".to_owned(), id.as_str().into());
    Item { id: known, made, rest: row, ..Item::default() }
}

/// The value of a row, with the type that it was stored with.
fn value(row: &mut Map<String, Value>) -> Value {
    let bool_value = row.remove("bool_value").and_then(|value| value.as_i64());
    let typed: Vec<Value> = TYPED.iter().filter_map(|column| row.remove(*column)).collect();
    let found = typed.into_iter().find(|value| !value.is_null());
    found.or_else(|| bool_value.map(|value| (value != 0).into())).unwrap_or_default()
}
