//! `note edit`: changes to a note that leave the rest as a person wrote it.

use clap::Args;
use idetic_formats::amem::note::{Change, New, Note};
use idetic_memory::notes::confidence;
use idetic_memory::{Base, Error, Kind, NoteRow, Result};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::OwnerContext;
use crate::note::writing::one_line;
use crate::operation::operation;

operation! {
    name: "note edit",
    about: "Change a note; what is not changed stays as it was written",
    example: "idetic note edit backend-timeout-fix --append \"It worked again\" --tag slow",
    rights: Write, reader: Owner, interfaces: [Cli, Json], destructive: false,
    answers: One, args: Edit, run: run,
}

#[derive(Debug, Default, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Edit {
    /// The note
    #[arg(value_name = "ID")]
    note: String,
    /// Its new text, in Markdown; - for standard input
    #[arg(long, short = 'c', value_name = "TEXT", allow_hyphen_values = true, conflicts_with = "append")]
    #[serde(default)]
    content: Option<String>,
    /// Text to add at its end
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    #[serde(default)]
    append: Option<String>,
    /// Its title
    #[arg(long, value_name = "TITLE")]
    #[serde(default)]
    title: Option<String>,
    /// A label to add; may be repeated
    #[arg(long = "tag", short = 't', value_name = "TAG")]
    #[serde(default)]
    tags: Vec<String>,
    /// A label to remove; may be repeated
    #[arg(long = "untag", value_name = "TAG")]
    #[serde(default)]
    untags: Vec<String>,
    /// Its confidence: low, medium or high
    #[arg(long, value_name = "CONFIDENCE")]
    #[serde(default)]
    confidence: Option<String>,
    /// Its status: draft, validated, deprecated, or a word of your own
    #[arg(long, value_name = "STATUS")]
    #[serde(default)]
    status: Option<String>,
    /// What sort of note it is
    #[arg(long, value_name = "TYPE")]
    #[serde(default)]
    r#type: Option<String>,
    /// Where it comes from
    #[arg(long, value_name = "SOURCE")]
    #[serde(default)]
    source: Option<String>,
    /// A trace that led to it; may be repeated
    #[arg(long = "trace", value_name = "TRACE")]
    #[serde(default)]
    traces: Vec<String>,
    /// Who changes it
    #[arg(long, value_name = "WHO")]
    #[serde(default)]
    author: Option<String>,
    /// Refuse when the note is no longer the version that this seq holds
    #[arg(long, value_name = "SEQ")]
    #[serde(default)]
    expect: Option<u64>,
}

fn run(cx: &mut OwnerContext, mut args: Edit) -> Result<()> {
    for (name, value) in
        [("--title", &args.title), ("--type", &args.r#type), ("--status", &args.status), ("--source", &args.source)]
    {
        value.as_deref().map(|value| one_line(name, value)).transpose()?;
    }
    let word = args.confidence.as_deref().map(confidence).transpose()?.map(|sure| sure.word().to_owned());
    args.confidence = word;
    let space = cx.space()?;
    let horizon = space.horizon(None)?;
    let row = space.living_note(&args.note, horizon)?;
    let rows = space.living_notes(horizon)?;
    args.tags = cx.check_tags(&args.tags, &rows)?;
    if args.content.is_some() {
        args.content = Some(cx.text_or_input(args.content.take())?);
    }
    let base = match args.expect {
        Some(seq) if row.seq != seq => {
            let message =
                format!("note '{}' was changed meanwhile: you saw seq {seq}, it is now seq {}", row.note, row.seq);
            return Err(Error::new(Kind::Conflict, message).hint("see what it says now and change that"));
        }
        Some(_) => Base::Version(&row.event),
        None => Base::Whatever,
    };
    let (id, author) = (args.note.clone(), args.author.clone());
    let saved = cx.change_note(&id, base, author, &mut |note, row| Ok(changes(&args, note, row)))?;
    cx.answer(saved)?;
    cx.embed_opportunistically(&space.as_shared(), &idetic_search::Lane::Shared.name());
    Ok(())
}

fn changes(args: &Edit, note: &Note, row: &NoteRow) -> Vec<Change> {
    let mut changes = Vec::new();
    let mut set = |key: &str, value: &Option<String>| {
        changes.extend(value.as_ref().map(|value| Change::Set(key.to_owned(), New::Text(value.clone()))));
    };
    set("confidence", &args.confidence);
    set("status", &args.status);
    set("type", &args.r#type);
    set("source", &args.source);
    if note.get("title").is_some() {
        set("title", &args.title);
    }
    if !args.tags.is_empty() || !args.untags.is_empty() {
        let mut tags = row.tags.clone();
        let gone: Vec<String> = args.untags.iter().map(|tag| idetic_formats::amem::tags::normal(tag)).collect();
        tags.retain(|tag| !gone.contains(tag));
        tags.extend(args.tags.iter().filter(|tag| !row.tags.contains(tag)).cloned());
        changes.push(Change::Set("tags".to_owned(), New::List(tags)));
    }
    let new: Vec<&String> = args.traces.iter().filter(|trace| !note.traces.contains(trace)).collect();
    if !new.is_empty() {
        let traces = note.traces.iter().chain(new).cloned().collect();
        changes.push(Change::Set("related_traces".to_owned(), New::List(traces)));
    }
    changes.extend(body(args, note, &row.title).map(Change::Body));
    changes
}

/// The text behind the frontmatter, where it changes.
fn body(args: &Edit, note: &Note, title: &str) -> Option<String> {
    let mut body = note.body().to_owned();
    if let Some(content) = &args.content {
        // A text without a heading of its own keeps the title.
        let heading = match content.trim_start().starts_with("# ") {
            true => String::new(),
            false => format!("# {title}\n\n"),
        };
        body = format!("\n{heading}{}\n", content.trim_matches('\n'));
    }
    if let Some(title) = &args.title {
        let old = body.lines().find(|line| line.starts_with("# ")).map(str::to_owned);
        if let Some(old) = old {
            body = body.replacen(&old, &format!("# {title}"), 1);
        } else if note.get("title").is_none() {
            body = format!("\n# {title}\n{}", if body.starts_with('\n') { body } else { format!("\n{body}") });
        }
    }
    if let Some(more) = &args.append {
        let is_crlf = body.contains("\r\n");
        // What is there stays byte for byte: only what keeps the two apart is added.
        let gap = match body.trim_end_matches(['\n', '\r']) {
            "" => "\n",
            said if body[said.len()..].matches('\n').count() > 1 => "",
            _ if body.ends_with('\n') => "\n",
            _ => "\n\n",
        };
        let more = format!("{gap}{}\n", more.trim_matches('\n'));
        body += &if is_crlf { more.replace("\r\n", "\n").replace('\n', "\r\n") } else { more };
    }
    (body != note.body()).then_some(body)
}
