//! `rule end`: something that stood stands no more.

use clap::Args;
use idetic_core::Record;
use idetic_memory::standing::{STANDING_ENDED, standing};
use idetic_memory::{Ack, Error, Result};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::OwnerContext;
use crate::operation::operation;

operation! {
    name: "rule end",
    about: "End a rule, a decision or a to-do: no session is told it any more; the words stay in the log",
    example: "idetic rule end 01a1ebb5-bae7-741c-9946-08e084639d04@0",
    rights: Write, reader: Owner, faces: [Cli, Json], destructive: false,
    answers: One, args: EndRule, run: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct EndRule {
    /// Its id, as `rule list` shows it, or the beginning of that
    #[arg(value_name = "ID")]
    id: String,
}

fn run(cx: &mut OwnerContext, args: EndRule) -> Result<()> {
    let viewpoint = cx.viewpoint(&idetic_memory::Who::default())?;
    let all = standing(&viewpoint, &|_| true, viewpoint.horizon(None)?)?;
    let keys: Vec<String> = all.iter().map(|standing| standing.key()).filter(|key| key.starts_with(&args.id)).collect();
    let [key] = &keys[..] else {
        let what = if keys.is_empty() { "no rule, decision or to-do has" } else { "several have" };
        return Err(Error::not_found(format!("{what} the id '{}'", args.id)).hint("`idetic rule list` shows their ids"));
    };
    let body = json!({"kind": STANDING_ENDED, "trust": "user", "refs": [key]});
    let acks = viewpoint.submit(vec![Record::parse(body.to_string().as_bytes())?], None)?;
    acks.into_iter().try_for_each(|ack| cx.answer(Ack::from(ack)))
}
