//! `md search`: the events that match.

use clap::Args;
use idetic_memory::Result;
use idetic_sync::markdown::EventFilter;
use idetic_sync::markdown::MdEventLine;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::OwnerContext;
use crate::md::In;
use crate::operation::operation;

const DEFAULT_LIMIT: usize = 50;

operation! {
    name: "md search",
    about: "Find events by type, scope, tag, words or meaning, the latest first",
    example: "idetic md search \"token expiry\" --type decision --json",
    rights: Read, reader: Home, interfaces: [Cli], destructive: false,
    answers: One, args: MdSearch, run: run,
}

#[derive(Debug, Default, Args, Deserialize, JsonSchema)]
#[serde(default)]
struct MdSearch {
    /// Words that must all be in the event; with --meaning a question
    #[arg(value_name = "TEXT")]
    text: Option<String>,
    /// Only this type
    #[arg(long, value_name = "TYPE")]
    r#type: Option<String>,
    /// Only where Scope contains this
    #[arg(long, value_name = "AREA")]
    scope: Option<String>,
    /// Only with this tag
    #[arg(long, value_name = "TAG")]
    tag: Option<String>,
    /// By words and meaning, the best first
    #[arg(long, requires = "text")]
    meaning: bool,
    /// How many [default: 50]
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Show private and sensitive events too
    #[arg(long)]
    private: bool,
    #[command(flatten)]
    #[serde(flatten)]
    place: In,
}

fn run(cx: &mut OwnerContext, args: MdSearch) -> Result<()> {
    let limit = args.limit.unwrap_or(DEFAULT_LIMIT);
    let text = args.text;
    let wanted =
        EventFilter { kind: args.r#type, scope: args.scope, tag: args.tag, text: text.clone(), private: args.private };
    let events = if args.meaning {
        let mut project = args.place.open(cx)?;
        let _alone = project.lock()?;
        let models = cx.models_if_any();
        project.recall(&models, text.as_deref().unwrap_or_default(), &wanted, limit, cx.notice)?
    } else {
        args.place.open_to_read(cx)?.search(&wanted, limit)?
    };
    if events.is_empty() {
        (cx.notice)("no event matches");
    }
    events.into_iter().try_for_each(|event| cx.answer(MdEventLine { event, here: false }))
}
