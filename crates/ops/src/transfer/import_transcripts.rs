//! `import claude|codex|cursor|chatgpt`: the transcripts that people already have.

use std::path::{Path, PathBuf};

use clap::Args;
use idetic_core::words::Trust;
use idetic_memory::{Error, RequestedReader, Result, Writer};
use idetic_sync::transcripts::{Import, TranscriptSource};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{Done, OwnerContext};

/// One operation for each source of transcripts.
macro_rules! import {
    ($module:ident, $source:ident, $name:literal, $about:literal, $example:literal) => {
        pub mod $module {
            crate::operation::operation! {
                name: $name,
                about: $about,
                example: $example,
                rights: Admin, reader: Owner, interfaces: [Cli], destructive: false,
                answers: One, args: super::Transcripts, run: run,
            }

            fn run(cx: &mut crate::OwnerContext, args: super::Transcripts) -> idetic_memory::Result<()> {
                super::run(cx, args, super::TranscriptSource::$source)
            }
        }
    };
}

import!(
    claude,
    Claude,
    "import claude",
    "Import the sessions that Claude Code keeps; run again, it adds what is new",
    "idetic import claude --dry-run"
);
import!(
    codex,
    Codex,
    "import codex",
    "Import the sessions that Codex keeps; run again, it adds what is new",
    "idetic import codex --dry-run"
);
import!(
    cursor,
    Cursor,
    "import cursor",
    "Import the conversations that Cursor keeps; run again, it adds what is new",
    "idetic import cursor --dry-run"
);
import!(
    chatgpt,
    ChatGpt,
    "import chatgpt",
    "Import the conversations of ChatGPT's export; run again, it adds what is new",
    "idetic import chatgpt conversations.json --dry-run"
);

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Transcripts {
    /// A file or a folder [default: where the client keeps them]
    #[arg(value_name = "PATH")]
    #[serde(default)]
    path: Option<PathBuf>,
    /// Count what would be imported, and import nothing
    #[arg(long)]
    #[serde(default)]
    dry_run: bool,
    /// The transcripts in PATH are your own: their prompts are your words. Those where the client keeps them are
    #[arg(long)]
    #[serde(default)]
    accept: bool,
}

fn run(cx: &mut OwnerContext, args: Transcripts, source: TranscriptSource) -> Result<()> {
    let is_own = args.path.is_none() || args.accept;
    let path = match args.path {
        Some(path) => path,
        None => usual(cx, source).ok_or_else(|| {
            Error::invalid(format!("where are the transcripts of {}?", source.name()))
                .hint(format!("name them: `idetic import {} PATH`", source.name()))
        })?,
    };
    if !path.exists() {
        return Err(Error::not_found(format!("there is no {}", path.display())).hint(format!(
            "name the file or the folder with the transcripts: `idetic import {} PATH`",
            source.name()
        )));
    }
    let files = source.files(&path);
    if files.is_empty() {
        return Err(Error::not_found(format!("there are no transcripts of {} in {}", source.name(), path.display()))
            .hint("name the file or the folder they are in"));
    }
    let writer = if is_own { Writer::default() } else { Writer::of_file(Trust::Agent, None) };
    cx.space_or_new()?;
    let viewpoint = cx.viewpoint(&RequestedReader::default())?.written_by(writer);
    let config = cx.config()?;
    let (author, takes_facts) = (config.author.clone(), config.agent.enable_auto_fact_extraction && is_own);
    let user_folder = (cx.variable)("HOME").map(PathBuf::from);
    let mut import = Import::new(source, &viewpoint);
    (import.author, import.is_own, import.dry_run, import.takes_facts) = (&author, is_own, args.dry_run, takes_facts);
    import.user_folder = user_folder.as_deref();
    let total: u64 = files.iter().filter_map(|file| file.metadata().ok()).map(|about| about.len()).sum();
    let mut read = 0;
    for file in &files {
        let begin = read;
        import.file(file, &mut |bytes| {
            read += bytes;
            (cx.progress)(read, total);
        })?;
        read = begin + file.metadata().map_or(0, |about| about.len());
        (cx.progress)(read.min(total), total);
    }
    let done = import.done;
    if done.sessions + done.recorded == 0 {
        return Err(Error::invalid(format!("{} holds no session of {}", path.display(), source.name()))
            .hint("name a transcript that this client wrote"));
    }
    let would = if args.dry_run { "would import" } else { "imported" };
    if !is_own && cx.for_person {
        (cx.notice)("what stands in these files is trusted as a file is; if they are your own, import with --accept");
    }
    let new =
        if args.dry_run { String::new() } else { format!(": {} new events, {} new facts", done.added, done.facts) };
    cx.answer(Done { done: format!("{would} {done}{new}"), events: done.added, head: None })
}

/// Where a client keeps its transcripts.
fn usual(cx: &OwnerContext, source: TranscriptSource) -> Option<PathBuf> {
    let home = (cx.variable)("HOME").map(PathBuf::from);
    let within = |variable: &str, folder: &str| {
        (cx.variable)(variable).map(PathBuf::from).or_else(|| Some(home.as_ref()?.join(folder)))
    };
    match source {
        TranscriptSource::Claude => Some(within("CLAUDE_CONFIG_DIR", ".claude")?.join("projects")),
        TranscriptSource::Codex => Some(within("CODEX_HOME", ".codex")?.join("sessions")),
        TranscriptSource::Cursor => {
            let mac = home.as_ref()?.join("Library/Application Support/Cursor/User/globalStorage/state.vscdb");
            let linux = within("XDG_CONFIG_HOME", ".config")?.join("Cursor/User/globalStorage/state.vscdb");
            Some(if Path::exists(&mac) { mac } else { linux })
        }
        TranscriptSource::ChatGpt => None,
    }
}
