//! `digest`: what the views hold, in a text that is the same for the same log on any machine.

use clap::Args;
use idetic_core::Hash;
use idetic_core::views::VIEWS;
use idetic_memory::as_of::AsOf;
use idetic_memory::{Error, Result, Space};
use idetic_store::Views;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::operation::operation;
use crate::{DigestLine, DigestReply, OwnerContext};

operation! {
    name: "digest",
    about: "Print a hash of every view: the same for the same log on any machine",
    example: "idetic digest",
    rights: Read, reader: Owner, interfaces: [Cli, Json], destructive: false,
    answers: One, args: ShowDigest, run: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ShowDigest {
    /// Also which model has embedded how many documents, which does not follow from the log alone
    #[arg(long)]
    #[serde(default)]
    vectors: bool,
    /// As the space was at a seq or a time
    #[arg(long, value_name = "SEQ|TIME")]
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    as_of: Option<AsOf>,
}

fn run(cx: &mut OwnerContext, args: ShowDigest) -> Result<()> {
    let space = cx.space()?;
    let horizon = space.horizon(args.as_of.as_ref())?;
    let digests = if args.as_of.is_some() {
        let past = Views::in_memory(VIEWS);
        past.catch_up(space.log(), horizon, &mut |seq| (cx.progress)(seq, horizon))?;
        past.digest()?
    } else {
        space.fresh(horizon, Views::digest)?
    };
    // Another process may have folded on in the meantime: what is printed is what the rows cover.
    let seq = digests.iter().map(|d| d.seq).max().unwrap_or(0);
    let head = match seq {
        0 => Hash([0; 32]),
        seq => {
            space.log().read(seq, 1)?.first().map(|e| e.hash).ok_or_else(|| Error::unavailable("the log changed"))?
        }
    };
    let line = |d: idetic_store::Digest| DigestLine { view: d.view, version: d.version, rows: d.rows, digest: d.hash };
    let mut views: Vec<DigestLine> = digests.into_iter().map(line).collect();
    views.push(documents(&space, seq)?);
    if args.vectors
        && let Some(model) = cx.models()?.wanted
    {
        views.push(vectors(&space, &model.id().to_string(), seq)?);
    }
    cx.answer(DigestReply { seq, head, views })
}

/// Raised when documents are made otherwise from events.
const DOCUMENTS_VERSION: u32 = 1;

/// Which documents there are, whatever files they lie in.
fn documents(space: &Space, seq: u64) -> Result<DigestLine> {
    let (rows, digest) = space.long_term(seq)?.digest(seq)?;
    Ok(DigestLine { view: "recall", version: DOCUMENTS_VERSION, rows, digest })
}

/// Which model made how many of their vectors; never the numbers in them.
fn vectors(space: &Space, model: &str, seq: u64) -> Result<DigestLine> {
    let covered = space.coverage(model, seq)?;
    let digest = Hash::of(format!("{model} {} {} {}", covered.embedded, covered.pending, covered.retry).as_bytes());
    Ok(DigestLine { view: "vectors", version: DOCUMENTS_VERSION, rows: covered.embedded, digest })
}
