//! JSON of any size, one item at a time: a list of items, objects that have such lists, or one item after another.

use std::cell::Cell;
use std::fmt;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::rc::Rc;

use idetic_memory::{Error, Result};
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeSeed, Deserializer as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Deserializer, Map, Value};

/// Longest line of a file of lines.
const LINE_MAX_BYTES: u64 = 64 << 20;
/// Largest file that is read as a whole.
const WHOLE_MAX_BYTES: u64 = 256 << 20;
/// What an item says is in one of these.
const TEXTS: [&str; 4] = ["fact", "memory", "content", "text"];
/// Items after which it is told how far it is.
const TOLD_EVERY: u64 = 100;

/// A part of a file.
pub(super) enum Part<'a> {
    /// An item: its place, what it is, and what the object around it says.
    Item(String, Value, &'a Map<String, Value>),
    /// A line that is no JSON: its place, and why.
    Broken(String, String),
    /// So many bytes were read.
    Read(u64),
}

/// What hears of the parts.
type Each<'a> = &'a mut dyn FnMut(Part) -> Result<()>;

/// Reads a file. Objects in a list of one of these names are items, and so is an object without such a list. A file that is
/// damaged is refused before anything of it is told; of a file of lines only the damaged lines are left out.
pub(super) fn parts(file: &Path, lists: &[&str], each: Each) -> Result<()> {
    if file.extension().is_some_and(|ending| ending == "jsonl") {
        return lines(file, each);
    }
    let around = check(file, lists)?;
    let name = name(file);
    let (mut json, bytes) = open(file)?;
    let mut walk = Walk { lists, around, name, number: 0, bytes, problem: None, each };
    while json.end().is_err() {
        let walked = json.deserialize_any(Whole(&mut walk));
        match (walk.problem.take(), walked) {
            (Some(error), _) => return Err(error),
            (None, walked) => walked.map_err(|error| damaged(file, &error))?,
        }
    }
    Ok(())
}

/// A file that is one value, in memory at once.
pub(super) fn whole(file: &Path) -> Result<Value> {
    let failed = || Error::io(format!("cannot read {}", file.display()));
    let length = file.metadata().map_err(failed())?.len();
    if length > WHOLE_MAX_BYTES {
        return Err(Error::invalid(format!("{} is {length} bytes long", file.display()))
            .hint(format!("at most {WHOLE_MAX_BYTES} bytes: export fewer agents into one file")));
    }
    serde_json::from_slice(&std::fs::read(file).map_err(failed())?).map_err(|error| damaged(file, &error))
}

fn lines(file: &Path, each: Each) -> Result<()> {
    let failed = || Error::io(format!("cannot read {}", file.display()));
    let mut input = BufReader::new(File::open(file).map_err(failed())?);
    let (mut line, mut number, mut read) = (Vec::new(), 0_u64, 0);
    let nothing = Map::new();
    loop {
        line.clear();
        let count = (&mut input).take(LINE_MAX_BYTES).read_until(b'\n', &mut line).map_err(failed())?;
        if count == 0 {
            return each(Part::Read(read));
        }
        number += 1;
        read += count as u64;
        if number.is_multiple_of(TOLD_EVERY) {
            each(Part::Read(read))?;
        }
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let place = format!("{}, line {number}", name(file));
        each(match serde_json::from_slice(&line) {
            Ok(value) => Part::Item(place, value, &nothing),
            Err(error) => Part::Broken(place, format!("not JSON: {error}")),
        })?;
    }
}

fn name(file: &Path) -> String {
    file.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn damaged(file: &Path, error: &serde_json::Error) -> Error {
    Error::invalid(format!("{}: {error}", file.display())).hint("nothing of this file was imported; export it again")
}

type Json = Deserializer<serde_json::de::IoRead<BufReader<Counted>>>;

fn open(file: &Path) -> Result<(Json, Rc<Cell<u64>>)> {
    let failed = Error::io(format!("cannot read {}", file.display()));
    let bytes = Rc::default();
    let counted = Counted { inner: File::open(file).map_err(failed)?, bytes: Rc::clone(&bytes) };
    Ok((Deserializer::from_reader(BufReader::new(counted)), bytes))
}

/// Reads all of a file and keeps what its object says beside its lists.
fn check(file: &Path, lists: &[&str]) -> Result<Map<String, Value>> {
    let (mut json, _) = open(file)?;
    let (mut around, mut number) = (Map::new(), 0);
    while json.end().is_err() {
        let said = json.deserialize_any(Around(lists)).map_err(|error| damaged(file, &error))?;
        number += 1;
        // What one of several objects says is not about the others.
        around = if number == 1 { said } else { Map::new() };
    }
    if number == 0 {
        return Err(Error::invalid(format!("{} is empty", file.display())).hint("name a file with JSON in it"));
    }
    Ok(around)
}

/// What an object says in words and numbers.
struct Around<'a>(&'a [&'a str]);

impl<'de> Visitor<'de> for Around<'_> {
    type Value = Map<String, Value>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a list or an object")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> std::result::Result<Self::Value, A::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Map::new())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> std::result::Result<Self::Value, A::Error> {
        let mut said = Map::new();
        while let Some(key) = members.next_key::<String>()? {
            if self.0.contains(&key.as_str()) {
                members.next_value::<IgnoredAny>()?;
            } else {
                said.insert(key, members.next_value()?);
            }
        }
        Ok(said)
    }
}

/// A file that tells how much of it was read.
struct Counted {
    inner: File,
    bytes: Rc<Cell<u64>>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.bytes.set(self.bytes.get() + count as u64);
        Ok(count)
    }
}

/// A file while its items are told.
struct Walk<'a> {
    lists: &'a [&'a str],
    around: Map<String, Value>,
    name: String,
    number: u64,
    bytes: Rc<Cell<u64>>,
    problem: Option<Error>,
    each: Each<'a>,
}

impl Walk<'_> {
    /// Tells of an item; whether there may be more.
    fn item(&mut self, item: Value) -> bool {
        self.number += 1;
        let place = format!("{}, item {}", self.name, self.number);
        let mut told = (self.each)(Part::Item(place, item, &self.around));
        if told.is_ok() && self.number.is_multiple_of(TOLD_EVERY) {
            told = (self.each)(Part::Read(self.bytes.get()));
        }
        self.problem = told.err();
        self.problem.is_none()
    }
}

/// A whole value: a list of items, or an object.
struct Whole<'w, 'a>(&'w mut Walk<'a>);

impl<'de> Visitor<'de> for Whole<'_, '_> {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a list or an object")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> std::result::Result<(), A::Error> {
        while let Some(item) = items.next_element::<Value>()? {
            if !self.0.item(item) {
                break;
            }
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> std::result::Result<(), A::Error> {
        let (mut own, mut has_items, before) = (Map::new(), false, self.0.number);
        while let Some(key) = members.next_key::<String>()? {
            if self.0.lists.contains(&key.as_str()) {
                let list = members.next_value_seed(List { walk: &mut *self.0, has_items: &mut has_items })?;
                own.insert(key, list);
            } else {
                own.insert(key, members.next_value()?);
            }
            if self.0.problem.is_some() {
                return Ok(());
            }
        }
        // An item may have an empty list; what says nothing itself is an answer without items.
        let is_item = TEXTS.iter().any(|key| own.get(*key).is_some_and(Value::is_string));
        if !has_items || (is_item && self.0.number == before) {
            self.0.item(Value::Object(own));
        }
        Ok(())
    }
}

/// A list of items: those are told. What is none is kept.
struct List<'w, 'a> {
    walk: &'w mut Walk<'a>,
    has_items: &'w mut bool,
}

impl<'de> DeserializeSeed<'de> for List<'_, '_> {
    type Value = Value;

    fn deserialize<D: serde::Deserializer<'de>>(self, json: D) -> std::result::Result<Value, D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for List<'_, '_> {
    type Value = Value;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a list of items")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> std::result::Result<Value, A::Error> {
        let (mut others, mut is_of_items) = (Vec::new(), false);
        while let Some(item) = items.next_element::<Value>()? {
            // A list of words is a part of the item it stands in.
            if !item.is_object() && !is_of_items {
                others.push(item);
                continue;
            }
            is_of_items = true;
            if !others.drain(..).chain([item]).all(|item| self.walk.item(item)) {
                break;
            }
        }
        *self.has_items |= is_of_items || others.is_empty();
        Ok(Value::Array(others))
    }

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> std::result::Result<Value, A::Error> {
        Deserialize::deserialize(MapAccessDeserializer::new(members))
    }

    fn visit_unit<E>(self) -> std::result::Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_str<E>(self, text: &str) -> std::result::Result<Value, E> {
        Ok(text.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_item_with_an_empty_list_is_an_item_and_an_answer_without_items_is_none() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("said.json");
        for (said, expected) in [
            (json!({"fact": "Bob likes tea", "episodes": []}), 1),
            (json!({"facts": [], "total": 0}), 0),
            (json!({"facts": [{"fact": "Bob likes tea"}], "text": "around it"}), 1),
            (json!({"facts": [{"fact": "Bob likes tea", "episodes": []}]}), 1),
        ] {
            std::fs::write(&file, said.to_string()).expect("written");
            let mut count = 0;
            let mut each = |part: Part| {
                count += usize::from(matches!(part, Part::Item(..)));
                Ok(())
            };
            parts(&file, &["facts", "episodes"], &mut each).expect("it is read");
            assert_eq!(count, expected, "{said}");
        }
    }
}
