//! `digest`: what the views hold, in a text that is the same for the same log on any machine.

use clap::Args;
use idetic_core::Hash;
use idetic_core::views::VIEWS;
use idetic_store::Views;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::as_of::AsOf;
use crate::operation::operation;
use crate::{Context, DigestLine, DigestReply, Error, Result};

operation! {
    name: "digest",
    about: "Print a hash of every view: the same for the same log on any machine",
    example: "idetic digest",
    rights: Read, reader: Owner, faces: [Cli, Json], destructive: false,
    args: ShowDigest, run: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ShowDigest {
    /// As the space stood at a seq or a time
    #[arg(long, value_name = "SEQ|TIME")]
    #[serde(default)]
    as_of: Option<AsOf>,
}

fn run(cx: &mut Context, args: ShowDigest) -> Result<()> {
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
        seq => space.log().read(seq, 1)?.first().map(|e| e.hash).ok_or_else(|| Error::unavailable("the log moved"))?,
    };
    let views = digests
        .into_iter()
        .map(|d| DigestLine { view: d.view, version: d.version, rows: d.rows, digest: d.hash })
        .collect();
    cx.answer(DigestReply { seq, head, views })
}
