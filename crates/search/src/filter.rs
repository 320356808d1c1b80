//! Filters: which events a question is about, by their fields, tags, time and metadata, as JSON that people write.

use idetic_core::{Invalid, Time, limits};
use serde_json::{Map, Value};

/// Most listed values of one filter.
const VALUES_MAX: usize = 1000;
/// Most conditions of one filter: each is a look at every event that has the field.
const CONDITIONS_MAX: usize = 32;
/// Most of them that look into texts, which takes longest.
const CONTAINS_MAX: usize = 8;
/// Deepest nesting of one filter.
const DEPTH_MAX: usize = 16;
/// The operators, for messages.
const OPERATORS: &str = "eq, ne, in, not_in, gt, gte, lt, lte, exists, contains";
/// The fields, for messages.
const FIELDS: &str = "id, kind, status, agent, persona, author, source, project, trace, loop, conversation, tags, time, \
                      metadata.NAME; and, or, not combine";

/// What must hold of an event.
#[derive(Debug, Clone, PartialEq)]
pub enum Condition {
    /// All of these.
    All(Vec<Self>),
    /// At least one of these.
    Any(Vec<Self>),
    /// Not this.
    Not(Box<Self>),
    /// A field passes a test.
    Field(Field, Test),
}

/// What is looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Field {
    /// A field that is one text, by its column in the timeline.
    Column(&'static str),
    /// The project it came from: its whole name, or the last part of it.
    Project,
    /// When it happened.
    Time,
    /// Its tags.
    Tags,
    /// A place in its metadata, dots leading into objects.
    Metadata(String),
}

/// What is asked of a field.
#[derive(Debug, Clone, PartialEq)]
pub enum Test {
    /// It is this. Nothing is there where it is null.
    Is(Value),
    /// It is one of these.
    In(Vec<Value>),
    /// It is above this number or text.
    Above(Value),
    /// It is this or above.
    AtLeast(Value),
    /// It is below this number or text.
    Below(Value),
    /// It is this or below.
    AtMost(Value),
    /// It is there.
    Exists,
    /// A text has this within it, a list has it among its elements.
    Contains(Value),
}

impl Condition {
    /// Reads a filter; ages such as 7d count back from `now`.
    pub fn parse(filter: &Value, now: Time) -> Result<Self, Invalid> {
        Parser { now, values: 0, conditions: 0, contains: 0 }.all(filter, "filter", 0)
    }
}

impl Condition {
    /// Whether it holds of every event, or of none, whatever the events say; `None` where they decide.
    pub fn constant(&self) -> Option<bool> {
        // Of `and` it is false, of `or` it is true that one of them settles it.
        let of = |list: &[Self], settling: bool| {
            let known: Vec<_> = list.iter().map(Self::constant).collect();
            match known.contains(&Some(settling)) {
                true => Some(settling),
                false => known.iter().all(Option::is_some).then_some(!settling),
            }
        };
        match self {
            Self::All(list) => of(list, false),
            Self::Any(list) => of(list, true),
            Self::Not(inner) => inner.constant().map(|holds| !holds),
            Self::Field(_, Test::In(values)) if values.is_empty() => Some(false),
            Self::Field(..) => None,
        }
    }
}

/// What is kept in mind while a filter is read.
struct Parser {
    now: Time,
    values: usize,
    conditions: usize,
    contains: usize,
}

impl Parser {
    /// Every entry of an object holds.
    fn all(&mut self, value: &Value, place: &str, depth: usize) -> Result<Condition, Invalid> {
        if depth > DEPTH_MAX {
            return Err(wrong(place, &format!("it is nested deeper than {DEPTH_MAX}")));
        }
        let Value::Object(entries) = value else {
            return Err(wrong(place, "an object is expected").hint("for example {\"metadata.vip\": true}"));
        };
        if entries.is_empty() {
            self.count(place)?;
        }
        let mut conditions = Vec::with_capacity(entries.len());
        for (key, value) in entries {
            let place = format!("{place}.{key}");
            conditions.push(match key.trim_start_matches('$') {
                "and" => Condition::All(self.list(value, &place, depth)?),
                "or" => Condition::Any(self.list(value, &place, depth)?),
                "not" => Condition::Not(Box::new(self.all(value, &place, depth + 1)?)),
                _ => self.entry(key, value, &place, depth)?,
            });
        }
        Ok(one_of(conditions))
    }

    /// Counts one condition more.
    fn count(&mut self, place: &str) -> Result<(), Invalid> {
        self.conditions += 1;
        match self.conditions > CONDITIONS_MAX {
            true => Err(wrong(place, &format!("the filter has more than {CONDITIONS_MAX} conditions"))),
            false => Ok(()),
        }
    }

    fn list(&mut self, value: &Value, place: &str, depth: usize) -> Result<Vec<Condition>, Invalid> {
        let Value::Array(list) = value else {
            return Err(wrong(place, "a list of conditions is expected"));
        };
        self.count(place)?;
        list.iter().enumerate().map(|(at, value)| self.all(value, &format!("{place}[{at}]"), depth + 1)).collect()
    }

    /// A field with what is asked of it.
    fn entry(&mut self, key: &str, value: &Value, place: &str, depth: usize) -> Result<Condition, Invalid> {
        if depth > DEPTH_MAX {
            return Err(wrong(place, &format!("it is nested deeper than {DEPTH_MAX}")));
        }
        if key == "meta" || key.starts_with("meta.") {
            return self.entry(&format!("metadata{}", &key["meta".len()..]), value, place, depth);
        }
        match (key, value) {
            (_, Value::Object(entries)) if entries.is_empty() => {
                Err(wrong(place, "nothing is asked of it").hint("a value, or an operator with one"))
            }
            ("metadata", Value::Object(entries)) if !has_operators(entries) => {
                self.below("metadata", entries, place, depth)
            }
            (_, Value::Object(entries)) if has_operators(entries) => {
                let field = field(key, place)?;
                let tests =
                    entries.iter().map(|(word, value)| self.operator(&field, word, value, &format!("{place}.{word}")));
                Ok(one_of(tests.collect::<Result<_, _>>()?))
            }
            (_, Value::Object(entries)) if key.starts_with("metadata.") => {
                let operator = entries.keys().find(|word| is_operator(word));
                match operator {
                    // One of the words is mistyped, and which cannot be known.
                    Some(word) => {
                        let other = entries.keys().find(|other| !is_operator(other)).map_or("", String::as_str);
                        Err(wrong(place, &format!("'{other}' is not an operator like '{word}'"))
                            .hint(format!("one of: {OPERATORS}")))
                    }
                    None => self.below(key, entries, place, depth),
                }
            }
            _ => {
                let field = field(key, place)?;
                self.operator(&field, "eq", value, place)
            }
        }
    }

    /// An object without operators says what is asked of each of its entries.
    fn below(
        &mut self,
        key: &str,
        entries: &Map<String, Value>,
        place: &str,
        depth: usize,
    ) -> Result<Condition, Invalid> {
        let inner = entries
            .iter()
            .map(|(name, value)| self.entry(&format!("{key}.{name}"), value, &format!("{place}.{name}"), depth + 1));
        Ok(one_of(inner.collect::<Result<_, _>>()?))
    }

    fn operator(&mut self, field: &Field, word: &str, value: &Value, place: &str) -> Result<Condition, Invalid> {
        self.count(place)?;
        let many = matches!(word.trim_start_matches('$'), "in" | "nin" | "not_in");
        self.values += value.as_array().filter(|_| many).map_or(1, Vec::len);
        if self.values > VALUES_MAX {
            return Err(wrong(place, &format!("the filter has more than {VALUES_MAX} values")));
        }
        let test = |test| Condition::Field(field.clone(), test);
        let not = |condition| Condition::Not(Box::new(condition));
        Ok(match word.trim_start_matches('$') {
            "eq" => test(Test::Is(self.value(field, value, place)?)),
            "ne" => not(test(Test::Is(self.value(field, value, place)?))),
            "in" => test(Test::In(self.values(field, value, place)?)),
            "nin" | "not_in" => not(test(Test::In(self.values(field, value, place)?))),
            "gt" => test(Test::Above(self.ordered(field, value, place)?)),
            "gte" => test(Test::AtLeast(self.ordered(field, value, place)?)),
            "lt" => test(Test::Below(self.ordered(field, value, place)?)),
            "lte" => test(Test::AtMost(self.ordered(field, value, place)?)),
            "exists" => match value {
                Value::Bool(true) => test(Test::Exists),
                Value::Bool(false) => not(test(Test::Exists)),
                _ => return Err(wrong(place, "true or false is expected")),
            },
            "contains" if self.contains >= CONTAINS_MAX => {
                return Err(wrong(place, &format!("the filter has more than {CONTAINS_MAX} `contains`")));
            }
            "contains" if *field == Field::Time => return Err(wrong(place, "a time contains nothing")),
            "contains" => {
                self.contains += 1;
                test(Test::Contains(self.value(field, value, place)?))
            }
            other => {
                return Err(wrong(place, &format!("'{other}' is not an operator")).hint(format!("one of: {OPERATORS}")));
            }
        })
    }

    fn values(&self, field: &Field, value: &Value, place: &str) -> Result<Vec<Value>, Invalid> {
        let Value::Array(list) = value else { return Err(wrong(place, "a list of values is expected")) };
        list.iter().map(|value| self.value(field, value, place)).collect()
    }

    /// A value that a field can have.
    fn value(&self, field: &Field, value: &Value, place: &str) -> Result<Value, Invalid> {
        match (field, value) {
            (Field::Metadata(_), _) | (_, Value::Null) => Ok(value.clone()),
            (Field::Time, Value::String(text)) => {
                let time = Time::parse_or_age(text, self.now).map_err(|error| wrong(place, &error.message))?;
                Ok(time.0.into())
            }
            (Field::Time, _) => Err(wrong(place, "a time is expected").hint("an ISO time, or an age such as 7d")),
            (_, Value::String(_)) => Ok(value.clone()),
            (Field::Tags, Value::Array(_)) => {
                Err(wrong(place, "one tag is expected").hint("use {\"in\": [...]} for any of them, `and` for all"))
            }
            _ => Err(wrong(place, "a text is expected")),
        }
    }

    /// A value that others are above or below.
    fn ordered(&self, field: &Field, value: &Value, place: &str) -> Result<Value, Invalid> {
        match value {
            Value::String(text) if text.len() > limits::FILTER_TEXT_MAX_BYTES => {
                Err(wrong(place, "the text is too long to compare by order"))
            }
            Value::Number(_) | Value::String(_) if *field != Field::Tags => self.value(field, value, place),
            _ => Err(wrong(place, "a number, a text or a time is expected")),
        }
    }
}

/// The field with a name.
fn field(key: &str, place: &str) -> Result<Field, Invalid> {
    Ok(match key {
        "id" => Field::Column("id"),
        "kind" => Field::Column("kind"),
        "status" => Field::Column("status"),
        "agent" | "agent_id" => Field::Column("agent"),
        "persona" => Field::Column("persona"),
        "author" => Field::Column("author"),
        "source" => Field::Column("source"),
        "trace" | "trace_id" => Field::Column("trace"),
        "loop" | "loop_id" => Field::Column("loop"),
        "conversation" | "conversation_id" => Field::Column("conversation"),
        "project" => Field::Project,
        "time" | "ts" | "timestamp" => Field::Time,
        "tag" | "tags" => Field::Tags,
        _ => match key.strip_prefix("metadata.") {
            Some(path) if !path.is_empty() => Field::Metadata(path.to_owned()),
            _ => return Err(wrong(place, &format!("'{key}' is not a field")).hint(format!("one of: {FIELDS}"))),
        },
    })
}

/// Whether an object says what is asked of a field, and not what is in it.
fn has_operators(entries: &Map<String, Value>) -> bool {
    !entries.is_empty() && entries.keys().all(|word| is_operator(word))
}

/// Whether a word is an operator, or was meant to be one.
fn is_operator(word: &str) -> bool {
    word.starts_with('$') || OPERATORS.split(", ").any(|known| known == word)
}

fn one_of(mut conditions: Vec<Condition>) -> Condition {
    match conditions.pop() {
        Some(only) if conditions.is_empty() => only,
        Some(last) => {
            conditions.push(last);
            Condition::All(conditions)
        }
        None => Condition::All(conditions),
    }
}

fn wrong(place: &str, why: &str) -> Invalid {
    Invalid::new(format!("{place}: {why}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn parsed(filter: &Value) -> Result<Condition, String> {
        Condition::parse(filter, Time(0)).map_err(|error| error.message)
    }

    #[test]
    fn what_holds_of_everything_or_nothing_is_known() {
        for (filter, constant) in [
            (json!({}), Some(true)),
            (json!({"and": []}), Some(true)),
            (json!({"and": [{}, {"not": {"or": []}}]}), Some(true)),
            (json!({"or": [{"kind": "x"}, {}]}), Some(true)),
            (json!({"or": []}), Some(false)),
            (json!({"not": {}}), Some(false)),
            (json!({"id": {"not_in": []}}), Some(true)),
            (json!({"kind": "x", "id": {"in": []}}), Some(false)),
            (json!({"kind": "x"}), None),
            (json!({"or": [{"kind": "x"}, {"id": {"in": []}}]}), None),
        ] {
            assert_eq!(parsed(&filter).expect("a filter").constant(), constant, "{filter}");
        }
    }

    #[test]
    fn a_filter_reads_as_people_write_it() {
        let vip = Condition::Field(Field::Metadata("vip".to_owned()), Test::Is(json!(true)));
        for filter in [
            json!({"metadata.vip": true}),
            json!({"metadata": {"vip": true}}),
            json!({"metadata.vip": {"eq": true}}),
            json!({"metadata.vip": {"$eq": true}}),
            json!({"and": [{"meta.vip": true}]}),
        ] {
            let read = parsed(&filter).expect("it is right");
            assert!(read == vip || read == Condition::All(vec![vip.clone()]), "{filter}: {read:?}");
        }
        let two = json!({"kind": "user_input", "metadata.age": {"gte": 3, "lt": 9}});
        let Ok(Condition::All(parts)) = parsed(&two) else { panic!("two conditions") };
        assert_eq!(parts.len(), 2);
    }

    #[test]
    fn what_is_wrong_is_named_with_its_place() {
        for (filter, said) in [
            (json!([]), "filter: an object is expected"),
            (json!({"vip": true}), "filter.vip: 'vip' is not a field"),
            (
                json!({"or": [{"kind": "a.b"}, {"metadata.x": {"$gtt": 3}}]}),
                "filter.or[1].metadata.x.$gtt: 'gtt' is not",
            ),
            (json!({"not": []}), "filter.not: an object is expected"),
            (json!({"and": {}}), "filter.and: a list of conditions is expected"),
            (json!({"metadata.x": {"in": 3}}), "filter.metadata.x.in: a list of values is expected"),
            (json!({"metadata.x": {"exists": 1}}), "filter.metadata.x.exists: true or false is expected"),
            (json!({"metadata.x": {"gt": true}}), "filter.metadata.x.gt: a number, a text or a time is expected"),
            (json!({"time": {"gt": "soon"}}), "filter.time.gt: "),
            (json!({"tags": ["a"]}), "filter.tags: one tag is expected"),
            (json!({"kind": 3}), "filter.kind: a text is expected"),
            (json!({"metadata.x": {}}), "filter.metadata.x: nothing is asked of it"),
            (json!({"metadata.n": {"gte": 1, "le": 3}}), "filter.metadata.n: 'le' is not an operator like 'gte'"),
            (json!({"metadata.x": {"gt": "x".repeat(2000)}}), "filter.metadata.x.gt: the text is too long"),
            (json!({"or": vec![json!({}); 40]}), "filter.or[31]: the filter has more than 32 conditions"),
            (
                json!({"or": vec![json!({"kind": {"contains": "a"}}); 12]}),
                "filter.or[8].kind.contains: the filter has more",
            ),
        ] {
            let error = parsed(&filter).expect_err("it is wrong");
            assert!(error.starts_with(said), "{filter}: {error}");
        }
        let mut deep = json!({"kind": "a.b"});
        for _ in 0..40 {
            deep = json!({"not": deep});
        }
        assert!(parsed(&deep).is_err_and(|error| error.contains("nested deeper")));
        let many = json!({"metadata.x": {"in": (0..2000).collect::<Vec<_>>()}});
        assert!(parsed(&many).is_err_and(|error| error.contains("more than 1000 values")));
    }
}
