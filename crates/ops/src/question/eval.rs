//! `eval`: asks questions whose evidence is known, and says how well they were answered.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;
use idetic_memory::recall::RecallOptions;
use idetic_memory::{Models, Result};
use idetic_search::Mode;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::OwnerContext;
use crate::operation::operation;
use crate::question::evaluation::{Conversation, HITS, Sums, conversations, pooled};

operation! {
    name: "eval",
    about: "Measure recall on conversations with known evidence: events.jsonl and queries.jsonl in each folder",
    example: "idetic eval bench/locomo-dev --mode lexical",
    rights: Read, reader: Home, interfaces: [Cli], destructive: false,
    answers: One, args: Eval, run: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Eval {
    /// Folders with events.jsonl and queries.jsonl, or folders of such folders
    #[arg(value_name = "DIR", required = true)]
    folders: Vec<PathBuf>,
    /// Search mode: hybrid, lexical or vector [default: hybrid]
    #[arg(long, value_name = "MODE")]
    #[serde(default)]
    mode: Option<String>,
}

fn run(cx: &mut OwnerContext, args: Eval) -> Result<()> {
    let options =
        RecallOptions { mode: super::recall::mode(args.mode.as_deref())?, k: Some(HITS), ..RecallOptions::default() };
    let models = match options.mode {
        Mode::Lexical => Models::default(),
        _ => (cx.models)(&idetic_memory::Config::default())?,
    };
    for folder in &args.folders {
        let conversations = conversations(folder)?;
        let mut categories: BTreeMap<String, Sums> = BTreeMap::new();
        for (done, conversation) in conversations.iter().enumerate() {
            let conversation = Conversation::prepare(conversation, &cx.scratch, &cx.env, &models)?;
            conversation.ask(&models, &options, &mut categories, cx.notice)?;
            (cx.progress)(done as u64 + 1, conversations.len() as u64);
        }
        let set = folder.file_name().map_or_else(|| folder.display().to_string(), |n| n.to_string_lossy().into_owned());
        for (category, sums) in &categories {
            cx.answer(sums.scores(&set, category))?;
        }
        cx.answer(pooled(&categories).scores(&set, "all"))?;
    }
    Ok(())
}
