//! `context`: what is worth putting before a model about a question, packed into a budget of tokens.

use clap::Args;
use idetic_core::project::ProjectScope;
use idetic_memory::as_of::AsOf;
use idetic_memory::recall::{Question, RecallOptions};
use idetic_memory::{Error, Result};
use idetic_memory::{pack, packed};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::Context;
use crate::arguments::FilterArgument;
use crate::operation::operation;
use crate::question::several;

operation! {
    name: "context",
    about: "Pack what answers a question into a token budget, fenced and cited; nothing if nothing is good enough",
    example: "idetic context \"how do we deploy?\" --budget 800",
    rights: Read, reader: View, interfaces: [Cli, Json], destructive: false,
    answers: One, args: Pack, run: run,
    new_space: |cx| cx.answer(packed(Vec::new(), Vec::new(), DEFAULT_BUDGET)),
}

const DEFAULT_BUDGET: usize = 1000;
const BUDGET_MAX: usize = 1_000_000;

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Pack {
    /// The question
    #[arg(value_name = "QUERY")]
    query: String,
    /// About how many tokens the text may have [default: 1000]
    #[arg(long, value_name = "TOKENS")]
    #[serde(default)]
    budget: Option<usize>,
    /// These collections of the user instead of the one in use, ranked together: work,home; at most 16
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    #[serde(default)]
    spaces: Vec<String>,
    /// As this agent sees it: its own memory and what is shared
    #[arg(long, value_name = "AGENT")]
    #[serde(default)]
    agent: Option<String>,
    /// Which side of the agent: actor or subconscious [default: actor]
    #[arg(long, value_name = "PERSONA")]
    #[serde(default)]
    persona: Option<String>,
    /// As the space was at a seq (a position, with --agent) or a time
    #[arg(long, value_name = "SEQ|TIME")]
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    as_of: Option<AsOf>,
    /// When the question is asked, for "last week" and the like [default: when the last event happened]
    #[arg(long, value_name = "TIME")]
    #[serde(default)]
    at: Option<String>,
    /// Search mode: hybrid, lexical or vector [default: hybrid]
    #[arg(long, value_name = "MODE")]
    #[serde(default)]
    mode: Option<String>,
    /// Only what this holds of, as JSON: {"metadata.vip": true, "tags": "billing"}
    #[arg(long, value_name = "JSON")]
    #[serde(default)]
    filter: Option<FilterArgument>,
}

fn run(cx: &mut Context, args: Pack) -> Result<()> {
    let budget = args.budget.unwrap_or(DEFAULT_BUDGET);
    if !(1..=BUDGET_MAX).contains(&budget) {
        return Err(Error::invalid(format!("a budget of {budget} tokens is out of range"))
            .hint(format!("use 1 to {BUDGET_MAX}")));
    }
    let mode = super::recall::mode(args.mode.as_deref())?;
    let filter = FilterArgument::condition(args.filter.as_ref(), cx.env.now())?;
    let who = cx.who(args.agent.as_ref(), args.persona.as_ref())?;
    let options = RecallOptions { mode, filter, ..RecallOptions::default() };
    let question = Question { query: args.query, as_of: args.as_of, at: args.at, ..Question::default() };
    question.check()?;
    let models = cx.models_if_any();
    if !args.spaces.is_empty() {
        let spaces = several::viewpoints(cx, &args.spaces, &who, question.as_of.as_ref())?;
        let packed = several::context(cx, &spaces, &models, &options, question, budget)?;
        return cx.answer(packed);
    }
    let viewpoint = cx.viewpoint(&who)?;
    let projects = ProjectScope { own: cx.projects(), only: false };
    let packed = pack(&viewpoint, &models, &options, question, &projects, budget, cx.notice)?;
    cx.answer(packed)
}
