//! `rule end`: something that stood stands no more.

use clap::Args;
use idetic_core::Record;
use idetic_core::views::STANDING_ENDED;
use idetic_memory::standing::{StandingDirective, standing};
use idetic_memory::{Error, Result};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::RuleLine;
use crate::OwnerContext;
use crate::operation::operation;

operation! {
    name: "rule end",
    about: "End a rule, a decision or a to-do: no session is told it any more; the words stay in the log",
    example: "idetic rule end 01a1ebb5-bae7-741c-9946-08e084639d04@0",
    rights: Write, reader: Owner, interfaces: [Cli, Json], destructive: false,
    answers: One, args: EndRule, run: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct EndRule {
    /// Its id as `rule list` shows it, the beginning of that, or the #number that sessions are told
    #[arg(value_name = "ID")]
    id: String,
}

fn run(cx: &mut OwnerContext, args: EndRule) -> Result<()> {
    let viewpoint = cx.viewpoint(&idetic_memory::RequestedReader::default())?;
    let all = standing(&viewpoint, &|_| true, viewpoint.horizon(None)?)?;
    let number = args.id.strip_prefix('#').unwrap_or(&args.id).parse::<u64>().ok();
    let is_meant = |standing: &&StandingDirective| standing.key().starts_with(&args.id) || number == Some(standing.seq);
    let meant: Vec<&StandingDirective> = all.iter().filter(is_meant).collect();
    let [ended] = &meant[..] else {
        return Err(match meant.is_empty() {
            true => Error::not_found(format!("no rule, decision or to-do has the id '{}'", args.id))
                .hint("`idetic rule list` shows their ids"),
            false => {
                let ids: Vec<String> = meant.iter().map(|standing| standing.key()).collect();
                Error::invalid(format!("'{}' may be {}", args.id, ids.join(" or "))).hint("give more of the id")
            }
        });
    };
    let key = ended.key();
    let body = json!({"kind": STANDING_ENDED, "trust": "user", "refs": [key]});
    viewpoint.submit(vec![Record::parse(body.to_string().as_bytes())?], None)?;
    cx.answer(RuleLine::from((*ended).clone()))
}
