//! `usage`: what was used of language models.

use clap::Args;
use idetic_ops::core::Time;
use idetic_ops::{OwnerContext, Result, UsageLine, operation};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::usage::spent_since;

operation! {
    name: "usage",
    about: "Show the usage of language models: calls, tokens and cost by model and operation",
    example: "idetic usage --since 7d",
    rights: Read, reader: Owner, interfaces: [Cli, Json], destructive: false,
    answers: Many, args: ShowUsage, run: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[derive(Default)]
struct ShowUsage {
    /// Only since a time: ISO, or an age such as 7d
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
}

fn run(cx: &mut OwnerContext, args: ShowUsage) -> Result<()> {
    let since = args.since.map(|text| Time::parse_or_age(&text, cx.env.now())).transpose()?;
    let viewpoint = cx.space()?.as_owner();
    for ((model, operation), spent) in spent_since(&viewpoint, since.unwrap_or(Time(i64::MIN)))? {
        cx.answer(UsageLine {
            model,
            operation,
            calls: spent.calls,
            failed: spent.failed,
            prompt_tokens: spent.prompt_tokens,
            answer_tokens: spent.answer_tokens,
            cost: spent.cost_micros as f64 / 1e6,
        })?;
    }
    Ok(())
}
