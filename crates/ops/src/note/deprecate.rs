//! `note deprecate`: a note that should no longer be used, and which one instead.

use clap::Args;
use idetic_formats::amem::note::{Change, New};
use idetic_memory::notes::DEPRECATED;
use idetic_memory::{Base, Error, Result};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::OwnerContext;
use crate::note::writing::one_line;
use crate::operation::operation;

operation! {
    name: "note deprecate",
    about: "Deprecate a note: say which one to use instead, and why",
    example: "idetic note deprecate backend-timeout-fix --by start-check --reason \"It waits\"",
    rights: Write, reader: Owner, interfaces: [Cli, Json], destructive: false,
    answers: One, args: Deprecate, run: run,
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

fn run(cx: &mut OwnerContext, args: Deprecate) -> Result<()> {
    one_line("--reason", &args.reason)?;
    let space = cx.space()?;
    space.check_note_id(&args.note, space.horizon(None)?)?;
    let instead = space.living_note(&args.by, space.horizon(None)?)?;
    if instead.note == args.note {
        return Err(Error::invalid("a note cannot replace itself").hint("name another with --by"));
    }
    if instead.is_deprecated() {
        return Err(Error::invalid(format!("note '{}' is deprecated itself", instead.note))
            .hint(format!("name the one that replaces it: {}", instead.replaced_by.unwrap_or_default())));
    }
    let set = |key: &str, value: &str| Change::Set(key.to_owned(), New::Text(value.to_owned()));
    let today = cx.env.now().day();
    let saved = cx.change_note(&args.note, Base::Whatever, args.author, &mut |note, _| {
        let said = [
            ("Deprecated", today.clone()),
            ("Reason", args.reason.clone()),
            ("Replacement", format!("[[{}]]", args.by)),
        ];
        let said = said.map(|(word, value)| format!("**{word}**: {value}"));
        let body = with_reason(note.body(), &said);
        let front = [set("status", DEPRECATED), set("replaced_by", &args.by), set("deprecated_reason", &args.reason)];
        Ok(front.into_iter().chain([Change::Body(body)]).collect())
    })?;
    cx.answer(saved)
}

/// A text in which it is said, under the heading, that the note should no longer be used. Said before, it is said anew,
/// unless it is the same but for the day.
fn with_reason(body: &str, said: &[String; 3]) -> String {
    let end = if body.contains("\r\n") { "\r\n" } else { "\n" };
    let lines: Vec<&str> = body.split_inclusive('\n').collect();
    let is = |at: usize, what: &str| lines.get(at).is_some_and(|line| line.starts_with(what));
    let known = (0..lines.len())
        .find(|at| is(*at, "**Deprecated**: ") && is(at + 1, "**Reason**: ") && is(at + 2, "**Replacement**: "));
    if let Some(at) = known {
        if lines[at + 1].trim_end() == said[1] && lines[at + 2].trim_end() == said[2] {
            return body.to_owned();
        }
        return format!("{}{}{end}{}", lines[..at].concat(), said.join(end), lines[at + 3..].concat());
    }
    let heading = lines.iter().position(|line| line.starts_with("# ")).map_or(0, |at| at + 1);
    let (before, after) = (lines[..heading].concat(), lines[heading..].concat());
    let gap = if before.is_empty() || before.ends_with('\n') { end.to_owned() } else { end.repeat(2) };
    let below = if after.is_empty() || after.starts_with(['\n', '\r']) { "" } else { end };
    format!("{before}{gap}{}{end}{below}{after}", said.join(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reason_stands_under_the_heading_once_and_every_other_byte_stays() {
        let said = |day: &str, why: &str| {
            [format!("**Deprecated**: {day}"), why.to_owned(), "**Replacement**: [[b]]".to_owned()]
        };
        let (first, same) = (said("2025-01-17", "**Reason**: old"), said("2025-01-18", "**Reason**: old"));
        let once = with_reason("\n# A\t\n\ntext  ", &first);
        assert_eq!(once, "\n# A\t\n\n**Deprecated**: 2025-01-17\n**Reason**: old\n**Replacement**: [[b]]\n\ntext  ");
        assert_eq!(with_reason(&once, &same), once);
        let other = with_reason(&once, &said("2025-01-18", "**Reason**: older"));
        assert_eq!(other, once.replace("17", "18").replace(": old", ": older"));
        assert!(with_reason("# A\r\ntext\r\n", &first).ends_with("[[b]]\r\n\r\ntext\r\n"));
        assert!(with_reason("# A", &first).starts_with("# A\n\n**Dep"));
    }
}
