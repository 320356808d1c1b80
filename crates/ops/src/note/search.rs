//! `note search`: notes by words, by meaning, and by what they are.

use std::sync::Arc;

use clap::Args;
use idetic_core::views::NOTE_WRITTEN;
use idetic_memory::as_of::AsOf;
use idetic_memory::notes::filter::NoteFilter;
use idetic_memory::recall::{Question, RecallOptions};
use idetic_memory::{Error, NoteLine, Result};
use idetic_search::{Filters, Mode};
use schemars::JsonSchema;
use serde::Deserialize;

use super::writing::{filtered, note_lines};
use crate::OwnerContext;
use crate::arguments::FilterArgument;
use crate::operation::operation;

operation! {
    name: "note search",
    about: "Search the notes by words, by meaning, by tags, status and confidence",
    example: "idetic note search \"the backend does not start\" --tag troubleshooting",
    rights: Read, reader: Owner, interfaces: [Cli, Json], destructive: false,
    answers: Many, args: Search, run: run, new_space: |_| Ok(()),
}

const DEFAULT_NOTES: usize = 10;
/// A note is found if it has this share of what the question's words weigh…
const LEAST_WORDS: f64 = 0.15;
/// …or its meaning is this close.
const LEAST_COSINE: f64 = 0.30;

#[derive(Debug, Default, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Search {
    /// What to look for; without it, every note that matches the flags
    #[arg(value_name = "QUERY")]
    query: Option<String>,
    /// Only with this tag; if repeated, with all of them
    #[arg(long = "tag", short = 't', value_name = "TAG")]
    tags: Vec<String>,
    /// Any one of the tags is enough
    #[arg(long)]
    any: bool,
    /// Only with this status
    #[arg(long, value_name = "STATUS")]
    status: Option<String>,
    /// Only notes with this confidence: low, medium or high
    #[arg(long, value_name = "CONFIDENCE")]
    confidence: Option<String>,
    /// Search mode: text or meaning [default: both]
    #[arg(long, value_name = "MODE")]
    mode: Option<String>,
    /// How many at most [default: 10]
    #[arg(short, long, visible_alias = "limit", value_name = "N")]
    #[serde(alias = "limit")]
    k: Option<usize>,
    /// Only what this holds of, as JSON: {"metadata.vip": true, "tags": "billing"}; docs/filters.md
    #[arg(long, value_name = "JSON")]
    filter: Option<FilterArgument>,
    /// As the space was at a seq or a time
    #[arg(long, value_name = "SEQ|TIME")]
    #[schemars(with = "Option<String>")]
    as_of: Option<AsOf>,
}

fn run(cx: &mut OwnerContext, args: Search) -> Result<()> {
    let mode = match args.mode.as_deref() {
        None => Mode::Hybrid,
        Some("text") => Mode::Lexical,
        Some("meaning") => Mode::Vector,
        Some(other) => {
            return Err(Error::invalid(format!("mode '{other}' is not known")).hint("mode is one of: text, meaning"));
        }
    };
    let wanted = NoteFilter::new(&args.tags, args.any, args.status, None, args.confidence.as_deref())?;
    let filter = FilterArgument::condition(args.filter.as_ref(), cx.env.now())?;
    let space = cx.space()?;
    let viewpoint = space.as_owner();
    let (space, horizon) = space.as_of(args.as_of.as_ref())?;
    let k = args.k.unwrap_or(DEFAULT_NOTES);
    let mut rows = filtered(&space, horizon, filter)?;
    rows.retain(|row| wanted.matches(row));
    let Some(query) = args.query.filter(|query| !query.trim().is_empty()) else {
        rows.reverse();
        rows.truncate(k);
        return note_lines(&space, rows, horizon)?.into_iter().try_for_each(|line| cx.answer(line));
    };
    // Rows are in the order they were written.
    let only: Arc<[u64]> = rows.iter().map(|row| row.seq).collect();
    let filters = Filters { kind: Some(NOTE_WRITTEN.to_owned()), only: Some(only), ..Filters::default() };
    let options = RecallOptions { mode, filters, ..RecallOptions::default() };
    let question = Question { query, k: Some(k), as_of: Some(AsOf::Seq(horizon)), ..Question::default() };
    let models = cx.models_if_any();
    let recalled = viewpoint.recall_one(&models, &options, &question, cx.notice)?;
    for hit in recalled.hits {
        let (words, cosine) = hit.standing;
        if words < LEAST_WORDS && cosine.is_none_or(|cosine| cosine < LEAST_COSINE) {
            continue;
        }
        let Some(row) = rows.iter().find(|row| row.event == hit.id) else { continue };
        let tried = space.tried(&row.note, horizon)?;
        cx.answer(NoteLine { score: Some(hit.score), ..NoteLine::of(row.clone(), tried) })?;
    }
    Ok(())
}
