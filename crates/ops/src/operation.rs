//! An operation as data: what the command line, the servers and the tests walk.

mod context;
mod owner;

use clap::ArgMatches;
use idetic_memory::{Error, Reader, Result, Rights};

pub use context::{ChatOf, Context};
pub use owner::OwnerContext;

/// One operation: its name, its arguments, who may use it where, and the function behind it.
pub struct Operation {
    /// The command, in one or two words.
    pub name: &'static str,
    /// What it does, in one line.
    pub about: &'static str,
    /// A command line that shows it.
    pub example: &'static str,
    /// The right it needs.
    pub rights: Rights,
    /// Who may ask it.
    pub reader: Reader,
    /// Where it appears.
    pub interfaces: &'static [Interface],
    /// Whether it can lose something.
    pub destructive: bool,
    /// Whether it answers with one thing, or with any number of them.
    pub answers: Answers,
    /// What it answers of a space that is not there yet, where that is no error: nothing was remembered so far.
    pub new_space: Option<fn(&mut Context) -> Result<()>>,
    /// Adds its arguments to a command.
    pub arguments: fn(clap::Command) -> clap::Command,
    /// The JSON schema of its arguments.
    pub schema: fn() -> serde_json::Value,
    /// Runs it with arguments from a command line.
    pub from_command: fn(&mut OwnerContext, &ArgMatches) -> Result<()>,
    /// Runs it with arguments as a JSON object.
    pub from_json: fn(&mut OwnerContext, &str) -> Result<()>,
}

impl Operation {
    /// Whether it is called over HTTP alone, by whoever administers the whole home.
    pub fn is_for_administrators(&self) -> bool {
        self.interfaces.contains(&Interface::Http)
    }
}

/// How many answers an operation gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answers {
    /// One.
    One,
    /// None, one or many.
    Many,
}

/// Where an operation appears.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interface {
    /// As a command.
    Cli,
    /// As a JSON call.
    Json,
    /// As a JSON call over HTTP alone, for whoever administers the whole home, with a key or in the tab that is signed in: an
    /// agent never has it as a tool.
    Http,
}

/// Reads arguments given as JSON, naming what is wrong with them.
pub fn from_json<T: serde::de::DeserializeOwned>(text: &str) -> Result<T> {
    let wrong = |why: &dyn std::fmt::Display| {
        Error::invalid(format!("invalid arguments: {why}")).hint("`idetic ops NAME` shows their schema")
    };
    // serde would take a list for an object, field by field.
    if !text.trim_start().starts_with('{') {
        return Err(wrong(&"they must be one JSON object"));
    }
    let mut read = serde_json::Deserializer::from_str(text);
    let args = serde_path_to_error::deserialize(&mut read).map_err(|error| {
        let (path, why) = (error.path().to_string(), error.inner().to_string());
        if error.inner().is_syntax() || error.inner().is_eof() {
            return wrong(&why);
        }
        // A key that is not known, or is missing, is named by the reason alone.
        let why = why.rsplit_once(" at line ").map_or(why.as_str(), |(why, _)| why);
        let named = why.split_once("field `").and_then(|(_, rest)| rest.split('`').next());
        match (path.as_str(), named) {
            (".", None) => wrong(&why),
            (".", Some(named)) => Error { argument: Some(named.to_owned()), ..wrong(&why) },
            (path, _) => Error { argument: Some(path.to_owned()), ..wrong(&format_args!("{path}: {why}")) },
        }
    })?;
    read.end().map_err(|e| wrong(&e))?;
    Ok(args)
}

/// Declares an operation from its arguments and its function.
#[macro_export]
macro_rules! operation {
    // What answers an agent gets no way to the space. The rest is for the owner, or (`runtime`) runs an agent: it holds both
    // sides of one and shows each its own.
    (@call View run $run:path, $cx:ident, $args:ident) => {{
        let cx: &mut $crate::Context = $cx;
        $run(cx, $args)
    }};
    (@new_space) => {
        None
    };
    (@new_space $answer:expr) => {
        Some($answer)
    };
    (@call $reader:ident $how:ident $run:path, $cx:ident, $args:ident) => {
        $run($cx, $args)
    };
    (
        name: $name:literal, about: $about:literal, example: $example:literal,
        rights: $rights:ident, reader: $reader:ident, interfaces: [$($interface:ident),+], destructive: $destructive:literal,
        answers: $answers:ident, args: $args:ty, $how:ident: $run:path $(, new_space: $new_space:expr)? $(,)?
    ) => {
        /// This operation's row of the table.
        pub const OPERATION: $crate::Operation = $crate::Operation {
            name: $name,
            about: $about,
            example: $example,
            rights: $crate::Rights::$rights,
            reader: $crate::Reader::$reader,
            interfaces: &[$($crate::Interface::$interface),+],
            destructive: $destructive,
            answers: $crate::Answers::$answers,
            new_space: $crate::operation!(@new_space $($new_space)?),
            arguments: |command| <$args as clap::Args>::augment_args(command),
            schema: || schemars::schema_for!($args).into(),
            from_command: |cx, matches| {
                let args = <$args as clap::FromArgMatches>::from_arg_matches(matches)
                    .map_err(|e| $crate::Error::invalid(e.to_string()))?;
                $crate::operation!(@call $reader $how $run, cx, args)
                    .or_else(|error| cx.of_new_space(error, $crate::operation!(@new_space $($new_space)?)))
            },
            from_json: |cx, text| {
                let args = $crate::from_json::<$args>(text)?;
                $crate::operation!(@call $reader $how $run, cx, args)
                    .or_else(|error| cx.of_new_space(error, $crate::operation!(@new_space $($new_space)?)))
            },
        };
    };
}
pub use crate::operation;
