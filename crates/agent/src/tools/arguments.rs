//! The arguments of a call, against what the tool must be given.

use std::fmt;

use serde_json::{Map, Number, Value};

use super::{Argument, ArgumentType, Tool, plain};
use idetic_core::invalid::excerpt;

/// Arguments a tool can be called with.
#[derive(Debug, Clone, PartialEq)]
pub struct Checked {
    /// The tool's arguments, each of its type.
    pub arguments: Map<String, Value>,
    /// What was ignored, for the model.
    pub notes: Vec<String>,
}

/// Arguments a tool cannot be called with. Its text is for the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArgumentTrouble {
    /// What is wrong and what is expected.
    pub message: String,
}

impl fmt::Display for ArgumentTrouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ArgumentTrouble {}

/// Checks the arguments of a call and turns each into its type. An argument the tool does not have is ignored with a
/// note; `null` is none.
pub fn check(tool: &Tool, mut given: Map<String, Value>) -> Result<Checked, ArgumentTrouble> {
    let mut arguments = Map::new();
    let mut wrong = Vec::new();
    for argument in &tool.arguments {
        match given.remove(&argument.name) {
            None | Some(Value::Null) => wrong.push(format!("'{}' is missing", argument.name)),
            Some(value) => match of_type(argument, value) {
                Ok(value) => {
                    arguments.insert(argument.name.clone(), value);
                }
                Err(why) => wrong.push(why),
            },
        }
    }
    if !wrong.is_empty() {
        let message = format!("{}: {}. {}", tool.name, wrong.join("; "), expected(tool));
        return Err(ArgumentTrouble { message });
    }
    let notes = given.keys().map(|name| format!("{} has no argument '{}'; it was ignored", tool.name, excerpt(name)));
    Ok(Checked { arguments, notes: notes.collect() })
}

fn expected(tool: &Tool) -> String {
    let each = tool
        .arguments
        .iter()
        .map(|argument| format!("'{}' ({}): {}", argument.name, argument.kind.name(), argument.description));
    format!("It takes {}", each.collect::<Vec<_>>().join("; "))
}

fn of_type(argument: &Argument, value: Value) -> Result<Value, String> {
    match (argument.kind, value) {
        (ArgumentType::String, value) => Ok(Value::String(plain(&value))),
        (ArgumentType::Number, Value::Number(number)) => Ok(Value::Number(number)),
        (ArgumentType::Number, value) => {
            let number = value.as_str().and_then(|text| serde_json::from_str::<Number>(text.trim()).ok());
            number
                .map(Value::Number)
                .ok_or_else(|| format!("'{}' must be a number, but is {}", argument.name, excerpt(&value.to_string())))
        }
    }
}
