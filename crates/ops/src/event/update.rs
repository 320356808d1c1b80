//! `update`: a new version of a memory.

use clap::Args;
use idetic_memory::versions::Change;
use idetic_memory::{Ack, Error, Reader, Result, Rights};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::Context;
use crate::arguments::{MemoryArgs, Object, new_expiry};
use crate::operation::operation;

operation! {
    name: "update",
    about: "Give a memory a new text, metadata or tags; the old version stays in its `history`",
    example: "idetic update 018f3a2e \"The build needs Node 22\"",
    rights: Write, reader: View, interfaces: [Cli, Json], destructive: false,
    answers: One, args: Update, run: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Update {
    /// The memory, by its id or number
    #[arg(value_name = "ID")]
    #[serde(alias = "event")]
    id: String,
    /// What it says from now on [default: as before]
    #[arg(value_name = "TEXT")]
    #[serde(default)]
    text: Option<String>,
    /// Keys to set in its metadata, as one JSON object; null removes a key
    #[arg(long, value_name = "JSON")]
    #[serde(default)]
    metadata: Option<Object>,
    /// Its labels from now on [default: as before]; may be repeated
    #[arg(long = "tag", value_name = "TAG")]
    #[serde(default)]
    tags: Option<Vec<String>>,
    /// Until when it is kept: an ISO time, or 12h, 30d, 4w from now; `never` takes an end away [default: as before]
    #[arg(long, value_name = "TIME")]
    #[serde(default)]
    expires_at: Option<String>,
    #[command(flatten)]
    #[serde(flatten)]
    whose: MemoryArgs,
}

fn run(cx: &mut Context, args: Update) -> Result<()> {
    let Update { id, text, metadata, tags, expires_at, whose } = args;
    if text.is_none() && metadata.is_none() && tags.is_none() && expires_at.is_none() {
        return Err(Error::invalid("nothing is to change").hint("give a text, metadata, tags or an expiry"));
    }
    if text.as_ref().is_some_and(|text| text.trim().is_empty()) {
        return Err(Error::invalid("the text is empty").hint("`forget` erases a memory"));
    }
    let expires = new_expiry(expires_at.as_ref(), cx.env.now())?;
    let viewpoint = whose.changing(cx)?;
    let author = Some(cx.config()?.author.clone()).filter(|author| !author.is_empty());
    let is_persons = cx.grant.writer.is_person;
    let (metadata, may_forget) =
        (metadata.map(|Object(metadata)| metadata), cx.grant.allow(Rights::Write, Reader::Owner));
    let change = Change { text, author, is_persons, metadata, tags, expires, may_forget };
    let ack = viewpoint.update(id.strip_prefix('#').unwrap_or(&id), &change)?;
    cx.answer(Ack::from(ack))?;
    cx.embed_opportunistically(&viewpoint, &viewpoint.lane());
    Ok(())
}
