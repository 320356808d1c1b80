//! `episode retrieve`: the episodes most like a goal.

use clap::Args;
use idetic_memory::as_of::AsOf;
use idetic_memory::episodes::EpisodeQuery;
use idetic_memory::{EpisodesFound, Result};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::Context;
use crate::arguments::{ByVector, MemoryArgs, vectors_of};
use crate::operation::operation;

operation! {
    name: "episode retrieve",
    about: "Find the episodes most like a goal, the successful and recent ones first",
    example: "idetic episode retrieve \"put the website online\" --top-k 3",
    rights: Read, reader: View, interfaces: [Cli, Json], destructive: false,
    answers: One, args: Retrieve, run: run,
    new_space: |cx| cx.answer(EpisodesFound { episodes: Vec::new(), error: () }),
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[derive(Default)]
struct Retrieve {
    /// The goal
    #[arg(value_name = "QUERY", required_unless_present = "embedding")]
    query: Option<String>,
    /// The current situation: counts in addition to the goal
    #[arg(long, value_name = "TEXT")]
    state: Option<String>,
    /// How many, at most 100 [default: 3]
    #[arg(long, short = 'k', visible_alias = "limit", value_name = "N")]
    #[serde(alias = "limit", alias = "k")]
    top_k: Option<usize>,
    /// As the memory was at a seq (a position, with --agent) or a time
    #[arg(long, value_name = "SEQ|TIME")]
    #[schemars(with = "Option<String>")]
    as_of: Option<AsOf>,
    #[command(flatten)]
    #[serde(flatten)]
    by: ByVector,
    #[command(flatten)]
    #[serde(flatten)]
    whose: MemoryArgs,
}

fn run(cx: &mut Context, args: Retrieve) -> Result<()> {
    let now = cx.env.now();
    let viewpoint = args.whose.reading(cx)?;
    let models = cx.models_if_any();
    let words: Vec<String> = [args.query, args.state].into_iter().flatten().collect();
    let asked = EpisodeQuery {
        query: words.join("\n"),
        vector: args.by.vector(&models)?,
        top_k: args.top_k,
        as_of: args.as_of,
        only_good: false,
    };
    let mut episodes = viewpoint.retrieve_episodes(&models, &asked, now, cx.notice)?;
    if args.by.embeddings {
        let goals: Vec<&str> = episodes.iter().map(|episode| episode.goal.as_str()).collect();
        let vectors = vectors_of(&viewpoint, &models, &goals)?;
        episodes.iter_mut().zip(vectors).for_each(|(episode, vector)| episode.embedding = vector);
    }
    cx.answer(EpisodesFound { episodes, error: () })
}
