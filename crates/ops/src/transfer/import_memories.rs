//! `import mem0|zep|letta|chroma|langgraph|basic-memory|claude-mem`: what other programs remember.

use std::path::PathBuf;

use clap::Args;
use idetic_memory::{Error, Result};
use idetic_sync::memories::{ImportOptions, MemoryImport, MemorySource};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{Done, OwnerContext};

/// One operation for each source.
macro_rules! import {
    ($module:ident, $source:ident, $name:literal, $about:literal, $example:literal) => {
        pub mod $module {
            crate::operation::operation! {
                name: $name,
                about: $about,
                example: $example,
                rights: Admin, reader: Owner, interfaces: [Cli], destructive: false,
                answers: One, args: super::Memories, run: run,
            }

            fn run(cx: &mut crate::OwnerContext, args: super::Memories) -> idetic_memory::Result<()> {
                super::run(cx, args, super::MemorySource::$source)
            }
        }
    };
}

import!(
    mem0,
    Mem0,
    "import mem0",
    "Import memories of mem0: what get_all answers as JSON, or history.db; run again, it adds what is new",
    "idetic import mem0 export.json --user ann --dry-run"
);
import!(
    zep,
    Zep,
    "import zep",
    "Import messages and facts of Zep, as its API answers them; run again, it adds what is new",
    "idetic import zep answers --dry-run"
);
import!(
    letta,
    Letta,
    "import letta",
    "Import memory blocks and messages of Letta's agent files; run again, it adds what is new",
    "idetic import letta agent.af --dry-run"
);
import!(
    chroma,
    Chroma,
    "import chroma",
    "Import the documents of a folder of Chroma, with their metadata; run again, it adds what is new",
    "idetic import chroma chroma --dry-run"
);
import!(
    langgraph,
    LangGraph,
    "import langgraph",
    "Import the store and the messages of LangGraph from SQLite; run again, it adds what is new",
    "idetic import langgraph langgraph.db --dry-run"
);
import!(
    basic_memory,
    BasicMemory,
    "import basic-memory",
    "Import the notes of basic-memory with their links; run again, it adds what is new",
    "idetic import basic-memory ~/basic-memory --dry-run"
);
import!(
    claude_mem,
    ClaudeMem,
    "import claude-mem",
    "Import the sessions of claude-mem; run again, it adds what is new",
    "idetic import claude-mem --dry-run"
);

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Memories {
    /// A file or a folder [default for basic-memory and claude-mem: where they keep it]
    #[arg(value_name = "PATH")]
    #[serde(default)]
    path: Option<PathBuf>,
    /// Only what belongs to this user there
    #[arg(long, value_name = "USER")]
    #[serde(default)]
    user: Option<String>,
    /// Count what would be imported, and import nothing
    #[arg(long)]
    #[serde(default)]
    dry_run: bool,
    /// It is your own: what the user says there are your words, and what agents remembered is trusted as an agent's
    #[arg(long)]
    #[serde(default)]
    accept: bool,
}

fn run(cx: &mut OwnerContext, args: Memories, source: MemorySource) -> Result<()> {
    let name = source.name();
    let named = || format!("name it: `idetic import {name} PATH`");
    let usual = args.path.or_else(|| usual(cx, source));
    let path = usual.ok_or_else(|| Error::invalid(format!("where are the memories of {name}?")).hint(named()))?;
    if !path.exists() {
        return Err(Error::not_found(format!("there is no {}", path.display())).hint(named()));
    }
    let files = source.files(&path);
    if files.is_empty() {
        return Err(Error::not_found(format!("there is nothing of {name} in {}", path.display())).hint(named()));
    }
    let config = cx.config()?;
    let (author, takes_facts) = (config.author.clone(), config.agent.enable_auto_fact_extraction && args.accept);
    let options = ImportOptions {
        author: &author,
        is_accepted: args.accept,
        dry_run: args.dry_run,
        user: args.user.as_deref(),
        takes_facts,
        now: cx.env.now(),
    };
    // Counting makes no space.
    let space = if args.dry_run { cx.space().ok() } else { Some(cx.space_or_new()?) };
    let mut import = MemoryImport::new(source, space, options);
    let context = &mut **cx;
    import.files(&path, &files, &mut *context.progress, &mut *context.notice)?;
    let done = import.done;
    if done.is_empty() {
        return Err(Error::invalid(format!("{} holds nothing of {name}", path.display())).hint(named()));
    }
    tell(cx, args.user.as_ref(), args.accept || source == MemorySource::BasicMemory, &done.users)?;
    let would = if args.dry_run { "would import" } else { "imported" };
    let mut said = format!("{would} {done}");
    if !args.dry_run {
        said += &format!(": {} new events", done.added);
        for (count, what) in [
            (done.changed, "changed there since"),
            (done.undated, "of these though no time says that it is newer"),
            (done.facts_found as u64, "new facts"),
        ] {
            said += &if count > 0 { format!(", {count} {what}") } else { String::new() };
        }
    }
    cx.answer(Done { done: said, events: done.added, head: None })?;
    match done.refused {
        0 => Ok(()),
        refused => Err(Error::invalid(format!("{refused} things could not be imported, each is named above"))
            .hint("fix them and import again: what exists already is skipped")),
    }
}

/// What a person should know.
fn tell(
    cx: &mut OwnerContext,
    user: Option<&String>,
    is_trusted: bool,
    users: &std::collections::BTreeMap<String, u64>,
) -> Result<()> {
    if !cx.for_person {
        return Ok(());
    }
    if user.is_none() && users.len() > 1 {
        let space = cx.space_name()?;
        (cx.notice)(&format!("it belongs to {} users, and all goes to {space}: --user takes one of them", users.len()));
    }
    if !is_trusted {
        (cx.notice)("it is trusted as little as any external content; if it is your own, import with --accept");
    }
    Ok(())
}

/// Where a program keeps what it remembers.
fn usual(cx: &OwnerContext, source: MemorySource) -> Option<PathBuf> {
    let home = (cx.variable)("HOME").map(PathBuf::from)?;
    let within =
        |variable: &str, folder: &str| (cx.variable)(variable).map_or_else(|| home.join(folder), PathBuf::from);
    match source {
        MemorySource::BasicMemory => Some(within("BASIC_MEMORY_HOME", "basic-memory")),
        MemorySource::ClaudeMem => Some(within("CLAUDE_MEM_DATA_DIR", ".claude-mem").join("claude-mem.db")),
        _ => None,
    }
}
