//! `fact retrieve`: the facts that answer a question, true now or at another moment.

use clap::Args;
use idetic_memory::as_of::AsOf;
use idetic_memory::facts::FactQuery;
use idetic_memory::{FactsFound, Result};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::Context;
use crate::arguments::{ByVector, FilterArgument, MemoryArgs, moment, vectors_of};
use crate::operation::operation;

operation! {
    name: "fact retrieve",
    about: "Find the facts that answer a question: those that are true now, or at another moment",
    example: "idetic fact retrieve \"where does Ann live?\" --top-k 3",
    rights: Read, reader: View, interfaces: [Cli, Json], destructive: false,
    answers: One, args: Retrieve, run: run,
    new_space: |cx| cx.answer(FactsFound { facts: Vec::new(), error: () }),
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[derive(Default)]
struct Retrieve {
    /// The question
    #[arg(value_name = "QUERY", required_unless_present = "embedding")]
    query: Option<String>,
    /// How many, at most 100 [default: 5]
    #[arg(long, short = 'k', visible_alias = "limit", value_name = "N")]
    #[serde(alias = "limit", alias = "k")]
    top_k: Option<usize>,
    /// Those that are true at this moment: an ISO time, or an age such as 2h [default: now]
    #[arg(long, value_name = "TIME")]
    at: Option<String>,
    /// As the memory was at a seq (a position, with --agent) or a time
    #[arg(long, value_name = "SEQ|TIME")]
    #[schemars(with = "Option<String>")]
    as_of: Option<AsOf>,
    /// Only what this holds of, as JSON: {"metadata.vip": true, "tags": "billing"}; docs/filters.md
    #[arg(long, value_name = "JSON")]
    filter: Option<FilterArgument>,
    /// Also those that are no longer, or not yet, true
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    #[serde(flatten)]
    by: ByVector,
    #[command(flatten)]
    #[serde(flatten)]
    whose: MemoryArgs,
}

fn run(cx: &mut Context, args: Retrieve) -> Result<()> {
    let now = cx.env.now();
    let filter = FilterArgument::condition(args.filter.as_ref(), now)?;
    let viewpoint = args.whose.reading(cx)?;
    let models = cx.models_if_any();
    let asked = FactQuery {
        query: args.query.unwrap_or_default(),
        vector: args.by.vector(&models)?,
        top_k: args.top_k,
        at: moment(args.at.as_ref(), now)?,
        as_of: args.as_of,
        all: args.all,
        only_good: false,
        filter,
    };
    let mut facts = viewpoint.retrieve_facts(&models, &asked, now, cx.notice)?;
    if args.by.embeddings {
        let texts: Vec<&str> = facts.iter().map(|fact| fact.content.as_str()).collect();
        let vectors = vectors_of(&viewpoint, &models, &texts)?;
        facts.iter_mut().zip(vectors).for_each(|(fact, vector)| fact.embedding = vector);
    }
    cx.answer(FactsFound { facts, error: () })
}
