//! `fact list`: the facts that are true, or all that are known.

use clap::Args;
use idetic_core::views::FACTS;
use idetic_extract::{normal_attribute, normal_subject};
use idetic_memory::Result;
use idetic_memory::as_of::AsOf;
use idetic_store::{Filter, Select};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::Context;
use crate::arguments::{FilterArgument, MemoryArgs, listed, moment};
use crate::operation::operation;

operation! {
    name: "fact list",
    about: "List the facts that are true, the latest first",
    example: "idetic fact list --subject Ann --at 2024-06-01",
    rights: Read, reader: View, interfaces: [Cli, Json], destructive: false,
    answers: Many, args: List, run: run, new_space: |_| Ok(()),
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[derive(Default)]
struct List {
    /// Only about this subject
    #[arg(long, value_name = "SUBJECT")]
    subject: Option<String>,
    /// Only of this attribute
    #[arg(long, value_name = "ATTRIBUTE")]
    attribute: Option<String>,
    /// Only learned in this conversation
    #[arg(long, value_name = "CONVERSATION")]
    source: Option<String>,
    /// Those that are true at this moment: an ISO time, or an age such as 2h [default: now]
    #[arg(long, value_name = "TIME")]
    at: Option<String>,
    /// Also those that are no longer, or not yet, true
    #[arg(long)]
    all: bool,
    /// Only what this holds of, as JSON: {"metadata.vip": true, "tags": "billing"}; docs/filters.md
    #[arg(long, value_name = "JSON")]
    filter: Option<FilterArgument>,
    /// How many, at most 10000 [default: 100]
    #[arg(long, short = 'n', value_name = "N")]
    limit: Option<usize>,
    /// As the memory was at a seq (a position, with --agent) or a time
    #[arg(long, value_name = "SEQ|TIME")]
    #[schemars(with = "Option<String>")]
    as_of: Option<AsOf>,
    #[command(flatten)]
    #[serde(flatten)]
    whose: MemoryArgs,
}

fn run(cx: &mut Context, args: List) -> Result<()> {
    let now = cx.env.now();
    let filter = FilterArgument::condition(args.filter.as_ref(), now)?;
    let viewpoint = args.whose.reading(cx)?;
    let (viewpoint, horizon) = viewpoint.as_of(args.as_of.as_ref())?;
    let at = viewpoint.moment_asked(moment(args.at.as_ref(), now)?, args.as_of.as_ref(), horizon, now)?;
    let mut select = Select::from(&FACTS, horizon).filter(Filter::Is("deleted", 0_i64.into()));
    select.filters.extend(filter.map(|held| Filter::Matches("seq", held)));
    let mut rows = viewpoint.facts(select)?;
    // Several may be of one event: the latest first, and those of one event by their ids.
    rows.reverse();
    let same = |own: &str, asked: &Option<String>| asked.as_deref().is_none_or(|asked| asked == own);
    let (about, attribute) =
        (args.subject.as_deref().map(normal_subject), args.attribute.as_deref().map(normal_attribute));
    rows.retain(|row| {
        (args.all || row.holds_at(at.0))
            && same(&row.about, &about)
            && same(&row.attribute, &attribute)
            && args.source.as_ref().is_none_or(|source| row.conversation.as_ref() == Some(source))
    });
    let mut left = listed(args.limit);
    for row in rows {
        if left == 0 {
            break;
        }
        if viewpoint.may_hear_fact(&row, horizon)? {
            left -= 1;
            cx.answer(viewpoint.shown_fact(&row, horizon)?)?;
        }
    }
    Ok(())
}
