//! Messages that are spread over many attributes (`gen_ai.prompt.0.content`, `llm.input_messages.0.message.role`), put together.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::export::Attributes;

/// Most parts of an attribute's name behind its prefix.
const PARTS_MAX: usize = 8;

/// What only says what the part behind it is.
const WRAPPERS: [&str; 3] = ["message", "tool_call", "message_content"];

/// A tree of attributes by the parts of their names.
#[derive(Default)]
struct Node {
    value: Option<Value>,
    below: BTreeMap<Part, Node>,
}

/// Numbers sort as numbers.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Number(u32),
    Word(String),
}

/// The list of messages under a prefix that ends in a dot; `None` when there are none.
pub(crate) fn messages(attributes: &Attributes, prefix: &str) -> Option<Value> {
    let mut root = Node::default();
    for (key, value) in attributes.range(prefix.to_owned()..) {
        let Some(path) = key.strip_prefix(prefix) else { break };
        let parts: Vec<&str> = path.split('.').filter(|part| !WRAPPERS.contains(part)).collect();
        if parts.len() <= PARTS_MAX && parts.first().is_some_and(|part| part.parse::<u32>().is_ok()) {
            root.put(&parts, value);
        }
    }
    (!root.below.is_empty()).then(|| root.gathered())
}

impl Node {
    fn put(&mut self, parts: &[&str], value: &Value) {
        let Some((first, rest)) = parts.split_first() else {
            self.value = Some(value.clone());
            return;
        };
        let part = first.parse().map_or_else(|_| Part::Word((*first).to_owned()), Part::Number);
        self.below.entry(part).or_default().put(rest, value);
    }

    /// Numbers make a list, words an object. Nested no deeper than [`PARTS_MAX`].
    fn gathered(self) -> Value {
        if self.below.is_empty() {
            return self.value.unwrap_or_default();
        }
        if self.below.keys().all(|part| matches!(part, Part::Number(_))) {
            return Value::Array(self.below.into_values().map(Self::gathered).collect());
        }
        let entries = self.below.into_iter().map(|(part, node)| match part {
            Part::Number(number) => (number.to_string(), node.gathered()),
            Part::Word(word) => (word, node.gathered()),
        });
        Value::Object(entries.collect::<Map<_, _>>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_spread_message_comes_together_in_order() {
        let said = [
            ("p.10.message.role", "user"),
            ("p.2.message.role", "assistant"),
            ("p.2.message.tool_calls.0.tool_call.id", "c"),
            ("p.2.message.tool_calls.0.tool_call.function.name", "f"),
            ("p.x.role", "left out"),
            ("q.0.role", "of another"),
        ];
        let attributes = said.into_iter().map(|(key, value)| (key.to_owned(), json!(value))).collect();
        let call = json!({"id": "c", "function": {"name": "f"}});
        assert_eq!(
            messages(&attributes, "p."),
            Some(json!([{"role": "assistant", "tool_calls": [call]}, {"role": "user"}]))
        );
        assert_eq!(messages(&attributes, "r."), None);
    }
}
