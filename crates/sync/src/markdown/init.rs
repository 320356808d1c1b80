//! A project that begins to keep to the protocol: missing files are made, and whatever is there stays as it is.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use idetic_memory::folder::io;
use idetic_memory::{Error, Kind, Result};

use super::derive::Tier;
use super::files::{AGENTS, CONTEXT, GRAPH, LOG, Logs, TODO};
use super::{Project, git};

const RULES: &str = include_str!("guide/AGENTS.md");
const EMPTY_LOG: &str = include_str!("guide/CHANGELOG.md");
const EMPTY_TODO: &str = include_str!("guide/TODO.md");

const ATTRIBUTES: &str = ".gitattributes";
/// How git joins two branches of each file: logs by our driver, what follows from them is rebuilt.
const MERGED: [&str; 6] = [
    "CHANGELOG.md merge=idetic",
    "CHANGELOG-archive.md merge=idetic",
    "changelog-archive.md merge=idetic",
    ".memory/graph.md merge=idetic-derived",
    ".memory/context.md merge=idetic-derived",
    "TODO.md merge=union",
];
/// What a hook of ours begins with.
const HOOK_MARK: &str = "# Written by Idetic: a commit must keep to the Markdown protocol.";

impl Project {
    /// Makes what is missing. The lock is held.
    pub fn init(&mut self, tier: Option<Tier>, program: &str, hook: bool) -> Result<()> {
        if let Some(tier) = tier {
            self.state.tier = Some(tier.word().to_owned());
        }
        let word = tier.unwrap_or(Tier::Full).word();
        self.make(AGENTS, &RULES.replace("TIER", word))?;
        if tier.is_some_and(|tier| self.tier().is_ok_and(|said| said != tier)) {
            let message = format!("it has another tier than {word}, and the file takes precedence");
            self.tell_about(AGENTS, "tier", &message, "change the line **Tier**: by hand");
        }
        self.make(LOG, EMPTY_LOG)?;
        let tier = self.tier()?;
        if tier >= Tier::Full {
            self.make(TODO, EMPTY_TODO)?;
        }
        let logs = Logs::read(&self.folder)?;
        let (story, base) = self.take_in(&logs)?;
        let derived = self.derived(&story, story.told.len(), base.as_ref())?;
        if tier >= Tier::Full {
            self.make(GRAPH, &derived.graph_text())?;
        }
        if tier >= Tier::Core {
            self.make(CONTEXT, &derived.context_text())?;
        }
        self.report.horizon = story.horizon().map(idetic_formats::markdown::changelog::event_id);
        self.state.project = self.folder.root().to_string_lossy().into_owned();
        self.save()?;
        if git::is_repository(self.folder.root()) {
            self.set_attributes()?;
            install_driver(self.folder.root(), program)?;
            if hook {
                self.install_hook(program)?;
            }
        } else if hook {
            return Err(Error::not_found(format!("{} is not a git repository", self.folder.root().display()))
                .hint("`git init`, or leave --hook out; everything else was done"));
        }
        Ok(())
    }

    fn make(&mut self, path: &str, text: &str) -> Result<()> {
        if !self.folder.has(path) {
            self.folder.put(path, text)?;
            self.note_file(path);
        }
        Ok(())
    }

    /// Adds the lines for our files that are not there.
    fn set_attributes(&mut self) -> Result<()> {
        let old = super::files::text(&self.folder, ATTRIBUTES)?.unwrap_or_default();
        let has = |line: &str| {
            let file = line.split_whitespace().next().unwrap_or_default();
            old.lines().any(|own| own.split_whitespace().next() == Some(file) && own.contains("merge="))
        };
        let new: Vec<&str> = MERGED.into_iter().filter(|line| !has(line)).collect();
        if !new.is_empty() {
            self.folder.append(ATTRIBUTES, &format!("{}\n", new.join("\n")))?;
            self.note_file(ATTRIBUTES);
        }
        Ok(())
    }

    fn install_hook(&mut self, program: &str) -> Result<()> {
        let root = self.folder.root().to_owned();
        let folder = git::run(&root, &["rev-parse", "--git-path", "hooks"])?;
        let folder = root.join(folder.trim());
        fs::create_dir_all(&folder).map_err(io("make", &folder))?;
        let path = folder.join("pre-commit");
        let inside = git::run(&root, &["rev-parse", "--show-prefix"])?;
        let inside = Some(inside.trim().trim_end_matches('/')).filter(|inside| !inside.is_empty()).unwrap_or(".");
        let line = format!("{} md validate --project {} || exit 1\n", quoted(program), quoted(inside));
        let text = match fs::read_to_string(&path) {
            Ok(old) if !old.contains(HOOK_MARK) => {
                return Err(Error::new(Kind::Conflict, format!("{} already exists", path.display()))
                    .hint("add a line to it: idetic md validate || exit 1; everything else was done"));
            }
            Ok(old) if old.contains(&line) => old,
            Ok(old) => old + &line,
            Err(_) => format!("#!/bin/sh\n{HOOK_MARK}\n{line}"),
        };
        fs::write(&path, text).map_err(io("write", &path))?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).map_err(io("write", &path))
    }
}

/// Tells git how to join two branches. Where a clone has our attributes and not our driver, whatever is done there tells it.
pub(super) fn install_driver(root: &Path, program: &str) -> Result<()> {
    let driver = format!("{} md merge %O %A %B", quoted(program));
    let settings = [
        ("merge.idetic.name", "joins two branches of an event log"),
        ("merge.idetic.driver", driver.as_str()),
        ("merge.idetic-derived.name", "keeps a file that is derived from the event log"),
        ("merge.idetic-derived.driver", "true"),
    ];
    for (name, value) in settings {
        if git::run(root, &["config", "--local", "--get", name]).is_ok_and(|old| old.trim_end() == value) {
            continue;
        }
        git::run(root, &["config", "--local", name, value])?;
    }
    Ok(())
}

impl Project {
    /// The driver for a clone that has our attributes.
    pub fn keep_driver(&self, program: &str) -> Result<()> {
        let root = self.folder.root();
        let has_attributes =
            super::files::text(&self.folder, ATTRIBUTES)?.is_some_and(|text| text.contains("merge=idetic"));
        // A look into the file saves asking git every time.
        let config = fs::read_to_string(root.join(".git/config")).unwrap_or_default();
        if !has_attributes || config.contains("[merge \"idetic\"]") || !git::is_repository(root) {
            return Ok(());
        }
        install_driver(root, program)
    }
}

/// A word as the shell takes it.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}
