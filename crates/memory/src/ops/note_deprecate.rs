//! `note deprecate`: a note that should no longer be used, and which one instead.

use clap::Args;
use idetic_formats::amem::note::{Change, New};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::notes::DEPRECATED;
use crate::notes::work::one_line;
use crate::operation::operation;
use crate::{Base, Context, Error, Result};

operation! {
    name: "note deprecate",
    about: "Say that a note should no longer be used, which one instead, and why",
    example: "idetic note deprecate backend-timeout-fix --by start-check --reason \"It waits\"",
    rights: Write, reader: Owner, faces: [Cli, Json], destructive: false,
    args: Deprecate, run: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Deprecate {
    /// The note
    #[arg(value_name = "ID")]
    note: String,
    /// The note to use instead
    #[arg(long, value_name = "NOTE")]
    by: String,
    /// Why
    #[arg(long, value_name = "TEXT")]
    reason: String,
    /// Who says so
    #[arg(long, value_name = "WHO")]
    #[serde(default)]
    author: Option<String>,
}

fn run(cx: &mut Context, args: Deprecate) -> Result<()> {
    one_line("--reason", &args.reason)?;
    let space = cx.space()?;
    let instead = space.living_note(&args.by, space.horizon(None)?)?;
    if instead.note == args.note {
        return Err(Error::invalid("a note does not replace itself").hint("name another with --by"));
    }
    if instead.is_deprecated() {
        return Err(Error::invalid(format!("note '{}' is deprecated itself", instead.note))
            .hint(format!("name the one that replaces it: {}", instead.replaced_by.unwrap_or_default())));
    }
    let set = |key: &str, value: &str| Change::Set(key.to_owned(), New::Text(value.to_owned()));
    let saved = cx.change_note(&args.note, Base::Whatever, args.author, &mut |_, _| {
        Ok(vec![set("status", DEPRECATED), set("replaced_by", &args.by), set("deprecated_reason", &args.reason)])
    })?;
    cx.answer(saved)
}
