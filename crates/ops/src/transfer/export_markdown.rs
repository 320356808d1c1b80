//! `export markdown`: what is remembered as a folder that people can read without this program.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use idetic_formats::amem::names::{Names, plain_name};
use idetic_memory::{Error, Kind, Result};
use schemars::JsonSchema;
use serde::Deserialize;

use super::plain::{self, Memory};
use crate::operation::operation;
use crate::{Done, OwnerContext};

operation! {
    name: "export markdown",
    about: "Write what is remembered to a new folder of Markdown: memories, conversations, facts, notes",
    example: "idetic export markdown memories",
    rights: Read, reader: Owner, interfaces: [Cli], destructive: false,
    answers: One, args: ExportMarkdown, run: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ExportMarkdown {
    /// The folder to write; it must be new or empty
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

/// How many letters of a time are its month.
const MONTH: usize = 7;

fn run(cx: &mut OwnerContext, args: ExportMarkdown) -> Result<()> {
    let space = cx.space()?;
    let horizon = space.horizon(None)?;
    if std::fs::read_dir(&args.folder).is_ok_and(|mut entries| entries.next().is_some()) {
        return Err(Error::new(Kind::Conflict, format!("{} is not empty", args.folder.display()))
            .hint("name a folder that is new or empty"));
    }
    let mut folder = Folder { root: args.folder.clone(), names: Names::default(), open: None, files: 0 };
    let mut memories = 0;
    plain::each(&space, horizon, cx.progress, &mut |memory| {
        memories += 1;
        folder.put(&memory)
    })?;
    let done = format!("exported {} to {} files in {}", space.name(), folder.files, args.folder.display());
    cx.answer(Done { done, events: memories, head: None })
}

/// The folder while it is written.
struct Folder {
    root: PathBuf,
    /// The names of conversations.
    names: Names,
    /// The file that was written last.
    open: Option<(PathBuf, File)>,
    files: u64,
}

impl Folder {
    fn put(&mut self, memory: &Memory) -> Result<()> {
        match (memory.kind.as_str(), &memory.conversation_id) {
            ("note", _) => self.write(&format!("notes/{}.md", plain_name(&memory.id)), "", &memory.text),
            ("fact", _) => self.write("facts.md", "# Facts\n", &fact(memory)),
            (_, Some(conversation)) => {
                let name = self.names.of(conversation);
                let title = format!("# Conversation {}\n", one_line(conversation));
                self.write(&format!("conversations/{name}.md"), &title, &section(memory))
            }
            _ => {
                let month = memory.ts.get(..MONTH).unwrap_or("undated");
                self.write(&format!("memories/{month}.md"), &format!("# {month}\n"), &section(memory))
            }
        }
    }

    /// Adds to a file, which begins with a title.
    fn write(&mut self, path: &str, title: &str, text: &str) -> Result<()> {
        let path = self.root.join(path);
        let failed = || Error::io(format!("cannot write {}", path.display()));
        if self.open.as_ref().is_none_or(|(open, _)| *open != path) {
            std::fs::create_dir_all(path.parent().unwrap_or(Path::new("."))).map_err(failed())?;
            let is_new = !path.exists();
            let mut file = OpenOptions::new().create(true).append(true).open(&path).map_err(failed())?;
            if is_new {
                self.files += 1;
                file.write_all(title.as_bytes()).map_err(failed())?;
            }
            self.open = Some((path.clone(), file));
        }
        match &mut self.open {
            Some((_, file)) => file.write_all(text.as_bytes()).map_err(failed()),
            None => Ok(()),
        }
    }
}

/// A memory under a heading of its own.
fn section(memory: &Memory) -> String {
    let who = memory.author.as_deref().or(memory.agent_id.as_deref()).map(|who| format!(", {}", one_line(who)));
    let mut text =
        format!("\n## {} ({}{})\n\n{}\n", memory.ts, memory.kind, who.unwrap_or_default(), memory.text.trim_end());
    if !memory.tags.is_empty() {
        text += &format!("\nTags: {}\n", one_line(&memory.tags.join(", ")));
    }
    if let Some(end) = &memory.expires_at {
        text += &format!("\nExpires: {end}\n");
    }
    if !memory.metadata.is_null() {
        text += &format!("\nMetadata: `{}`\n", memory.metadata);
    }
    text + &format!("\nId: `{}`\n", one_line(&memory.id))
}

/// A fact in one line, with the time for which it holds.
fn fact(memory: &Memory) -> String {
    let time = |key: &str| memory.metadata[key].as_str().and_then(|time| time.get(..10)).map(str::to_owned);
    let until = time("valid_until").map(|until| format!(" until {until}"));
    let from = time("valid_from").unwrap_or_default();
    format!("\n- {} (since {from}{}; `{}`)", one_line(&memory.text), until.unwrap_or_default(), memory.id)
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
