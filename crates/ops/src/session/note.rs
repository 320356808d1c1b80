//! `session note`: something that an agent holds until its session ends.

use clap::Args;
use idetic_memory::sessions::Sessions;
use idetic_memory::{Error, Result};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::operation::operation;
use crate::profile::prefer::as_json;
use crate::{Done, OwnerContext};

operation! {
    name: "session note",
    about: "Keep a value or a text until the session ends; it is not written to any log or index",
    example: "idetic session note branch feature/login",
    rights: Write, reader: Owner, interfaces: [Cli, Json], destructive: false,
    answers: One, args: NoteInSession, run: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NoteInSession {
    /// A text; or a key and its value, which is JSON or else text
    #[arg(value_name = "TEXT|KEY VALUE", num_args = 1..=2, required = true, allow_hyphen_values = false)]
    words: Vec<String>,
    /// Which session [default: CHORA_TRACE_ID, else the only one that is open]
    #[arg(long, value_name = "TRACE")]
    #[serde(default)]
    session: Option<String>,
}

fn run(cx: &mut OwnerContext, args: NoteInSession) -> Result<()> {
    let space = cx.space()?;
    let sessions = Sessions::of(&space);
    let lock = sessions.lock()?;
    let _alone = lock.hold()?;
    let mut session = sessions.find(args.session.as_deref(), cx.trace_id.as_deref())?;
    let done = match &args.words[..] {
        [text] if !text.trim().is_empty() => {
            session.notes.push(text.clone());
            "noted until the session ends".to_owned()
        }
        [key, value] if !key.trim().is_empty() => {
            let value = as_json(value);
            let done = format!("{key} = {value} until the session ends");
            let raw = RawValue::from_string(value).map_err(|e| Error::invalid(e.to_string()))?;
            session.values.insert(key.clone(), raw);
            done
        }
        _ => return Err(Error::invalid("there is nothing to note").hint("give a text, or a key and its value")),
    };
    sessions.put(&session)?;
    cx.answer(Done { done, events: 0, head: None })
}
