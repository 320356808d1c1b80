//! `note write`: a new note, unless there is one that says the same.

use clap::Args;
use idetic_core::words::Trust;
use idetic_formats::amem::links::note_id;
use idetic_formats::amem::names;
use idetic_formats::amem::note::{Draft, New, Note};
use idetic_memory::notes::confidence;
use idetic_memory::notes::moment;
use idetic_memory::{Base, Error, Kind, NoteRow, NoteSaved, Result, note_record};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::OwnerContext;
use crate::arguments::expiry;
use crate::note::writing::one_line;
use crate::operation::operation;

operation! {
    name: "note write",
    about: "Write a note, unless there is one that says the same",
    example: "idetic note write \"Backend timeout fix\" --tag backend --content \"Give it 60 s to start\"",
    rights: Write, reader: Owner, interfaces: [Cli, Json], destructive: false,
    answers: One, args: Write, run: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Write {
    /// What it is about, in one line
    #[arg(value_name = "TITLE")]
    title: String,
    /// Its id: lower-case letters, digits and hyphens [default: made from the title]
    #[arg(long, value_name = "ID")]
    #[serde(default)]
    id: Option<String>,
    /// A label; may be repeated
    #[arg(long = "tag", short = 't', value_name = "TAG")]
    #[serde(default)]
    tags: Vec<String>,
    /// What it says, in Markdown [default: read from standard input]
    #[arg(long, short = 'c', value_name = "TEXT", allow_hyphen_values = true)]
    #[serde(default)]
    content: Option<String>,
    /// Its confidence: low, medium or high
    #[arg(long, value_name = "CONFIDENCE")]
    #[serde(default)]
    confidence: Option<String>,
    /// A note it links to; may be repeated
    #[arg(long = "link", short = 'l', value_name = "NOTE")]
    #[serde(default)]
    links: Vec<String>,
    /// Who writes it
    #[arg(long, value_name = "WHO")]
    #[serde(default)]
    author: Option<String>,
    /// What sort of note it is, e.g. troubleshooting
    #[arg(long, value_name = "TYPE")]
    #[serde(default)]
    r#type: Option<String>,
    /// Its status: draft, validated, or a word of your own
    #[arg(long, value_name = "STATUS")]
    #[serde(default)]
    status: Option<String>,
    /// Where it comes from: agent-learning, human-curated, external or research
    #[arg(long, value_name = "SOURCE")]
    #[serde(default)]
    source: Option<String>,
    /// A trace that led to it; may be repeated
    #[arg(long = "trace", value_name = "TRACE")]
    #[serde(default)]
    traces: Vec<String>,
    /// The trust it takes to change it: agent, or user for a note that no agent and no file may change [default: agent]
    #[arg(long, value_name = "TRUST")]
    #[serde(default)]
    trust: Option<String>,
    /// From when on it is as if it had never been: an ISO time, or 12h, 30d, 4w from now [default: never]
    #[arg(long, value_name = "TIME")]
    #[serde(default)]
    expires_at: Option<String>,
    /// Write it even if another note says the same
    #[arg(long)]
    #[serde(default)]
    force: bool,
}

fn run(cx: &mut OwnerContext, args: Write) -> Result<()> {
    one_line("the title", &args.title)?;
    let id = args.id.clone().unwrap_or_else(|| names::slug(&args.title));
    names::check_note_id(&id)?;
    for (name, value) in [("--type", &args.r#type), ("--status", &args.status), ("--source", &args.source)] {
        value.as_deref().map(|value| one_line(name, value)).transpose()?;
    }
    let sure = args.confidence.as_deref().map(confidence).transpose()?;
    let trust = args.trust.as_deref().map(Trust::parse).transpose()?;
    if let Some(trust) = trust.filter(|trust| *trust > Trust::Agent) {
        return Err(Error::invalid(format!("a note cannot have trust '{}'", trust.word())).hint("use agent or user"));
    }
    let expires = expiry(args.expires_at.as_ref(), cx.env.now())?;
    let space = cx.space_or_new()?;
    let viewpoint = space.as_owner();
    let rows = space.living_notes(space.horizon(None)?)?;
    check_free(&id, &rows)?;
    let links: Vec<String> = args.links.iter().map(|link| note_id(link)).filter(|link| *link != id).collect();
    for link in &links {
        space.check_note_id(link, space.horizon(None)?)?;
    }
    let tags = cx.check_tags(&args.tags, &rows)?;
    cx.check_links(&links, &rows);
    let body = cx.text_or_input(args.content)?;
    if !args.force {
        refuse_twins(&cx.notes_like(&viewpoint, &args.title, &body, &rows)?)?;
    }
    let author = cx.author(args.author)?;
    let now = moment(cx.env.now());
    let draft = Draft {
        id: id.clone(),
        created: now.clone(),
        updated: now,
        tags,
        confidence: sure,
        source: args.source,
        linked_to: links,
        status: args.status,
        author: author.clone(),
        related_traces: args.traces,
        extra: args.r#type.into_iter().map(|word| ("type".to_owned(), New::Text(word))).collect(),
        title: args.title,
        body,
    };
    let text = Note::print(&draft);
    let written = space.write_note(&id, Base::Nothing, &cx.grant.writer(), &mut |row| {
        // One that was deleted leaves its history to the new one.
        let mut record = note_record(&text, None, &id, author.as_deref(), row.map(|row| row.event.as_str()))?;
        if let Some(time) = expires {
            record.set("expires_at", &time.to_string())?;
        }
        if let Some(trust) = &trust {
            record.supply("trust", trust.word())?;
        }
        Ok(Some(record))
    })?;
    let ack = written.ok_or_else(|| Error::unavailable("the note was not written").hint("try again"))?;
    cx.answer(NoteSaved { seq: Some(ack.seq), id: ack.id, note: id, done: "written" })?;
    cx.embed_opportunistically(&viewpoint, &idetic_search::Lane::Shared.name());
    Ok(())
}

/// Refuses an id that is taken, also where it differs only in what some disks do not see.
fn check_free(id: &str, rows: &[NoteRow]) -> Result<()> {
    let Some(row) = rows.iter().find(|row| names::folded(&row.note) == names::folded(id)) else { return Ok(()) };
    let message = format!("note '{}' already exists: {} (seq {})", row.note, row.title, row.seq);
    Err(Error::new(Kind::Conflict, message)
        .hint(format!("change it with `idetic note edit {}`, or give the new one another --id", row.note)))
}

fn refuse_twins(alike: &[NoteRow]) -> Result<()> {
    let Some(first) = alike.first() else { return Ok(()) };
    let named: Vec<String> = alike.iter().map(|row| format!("{} ({})", row.note, row.title)).collect();
    let message = format!("nothing was written: there is a note that says much the same: {}", named.join(", "));
    let hint = format!(
        "add to it with `idetic note edit {} --append TEXT`, or write a note of its own with --force",
        first.note
    );
    Err(Error::new(Kind::Conflict, message).hint(hint))
}
