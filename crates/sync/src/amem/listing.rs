//! What lies in an A-MEM folder, and what each file is taken for.

use std::fs;
use std::path::Path;

use idetic_memory::Result;
use idetic_memory::folder::{Folder, changed, io, is_packed};

use super::report::TroubleKind;

/// What a file's name is followed by that was tampered with and written anew.
pub(super) const BEFORE: &str = ".before-";
/// What a text ends in that is kept beside a note because both sides changed it.
pub(super) const CONFLICT: &str = ".conflict-";

/// What each file of events holds.
pub(super) const INDEX: &str = "events/index.json";

/// Where a project keeps its memory.
const IN_A_PROJECT: &str = ".chora/memory";
/// How deep files are looked for.
const DEEPEST: usize = 6;
/// Names at the top that are for readers, not notes.
const GUIDES: [&str; 3] = ["README.md", "AGENTS.md", "CLAUDE.md"];

/// Folders whose files are there to be copied.
const TEMPLATES: [&str; 2] = ["templates", "template"];

/// What a file is taken for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sort {
    /// Events, one a line.
    Events,
    /// The events of one trace, which stand in the month's file too.
    Trace,
    /// A note.
    Note,
    /// `links.json`, `tags.json` or `events/index.json`, which are derived.
    Index,
    /// A guide, a saved query or a template: nothing is made of it, its text is kept.
    Kept,
    /// An agent's profile.
    Profile,
}

/// A file of the folder.
#[derive(Debug, Clone)]
pub struct Found {
    /// From the folder, with `/`.
    pub path: String,
    pub sort: Sort,
    pub bytes: u64,
    /// When it was last changed, in nanoseconds.
    pub changed: i128,
}

impl Found {
    /// Whether it is compressed.
    pub fn is_packed(&self) -> bool {
        is_packed(&self.path)
    }
}

/// What lies in the folder, in order, and what was passed over with the reason.
#[derive(Debug, Default)]
pub struct Listing {
    pub files: Vec<Found>,
    pub passed_over: Vec<PassedOver>,
}

/// Something that is not looked into.
#[derive(Debug)]
pub struct PassedOver {
    pub path: String,
    pub why: &'static str,
    /// Whether something may be lost by it: it may say what belongs to the memory.
    pub kind: TroubleKind,
}

/// The memory folder itself, or the one of a project that has one.
pub fn open(path: &Path) -> Result<Folder> {
    let inner = path.join(IN_A_PROJECT);
    Folder::open(if inner.is_dir() { &inner } else { path })
}

/// Every file that belongs to the memory.
pub fn list(folder: &Folder) -> Result<Listing> {
    let mut listing = Listing::default();
    listing.add(folder.root(), folder.root(), 0)?;
    listing.files.sort_by(|a, b| a.sort.cmp(&b.sort).then_with(|| a.path.cmp(&b.path)));
    Ok(listing)
}

impl Listing {
    fn add(&mut self, root: &Path, folder: &Path, depth: usize) -> Result<()> {
        let mut entries: Vec<fs::DirEntry> = fs::read_dir(folder)
            .map_err(io("read", folder))?
            .collect::<std::io::Result<_>>()
            .map_err(io("read", folder))?;
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let path = entry.path();
            let Some(name) = name_of(root, &path) else {
                let shown = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
                self.pass_over(shown, "its name is not UTF-8", TroubleKind::Unread);
                continue;
            };
            let metadata = match entry.metadata() {
                // Gone between the listing and the look.
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
                metadata => metadata.map_err(io("read", &path))?,
            };
            let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
            if metadata.is_symlink() {
                self.pass_over(name, "it is a link, and links are not followed", TroubleKind::Unread);
            } else if metadata.is_dir() {
                if is_hidden || name == "archive" {
                    continue;
                }
                if sort_of(&name).is_some() {
                    self.pass_over(name, "it is a folder with the name of a file", TroubleKind::Unread);
                }
                if depth < DEEPEST {
                    self.add(root, &path, depth + 1)?;
                } else {
                    let name = name_of(root, &path).unwrap_or_default();
                    self.pass_over(name, "it is nested too deeply: its contents were not read", TroubleKind::Unread);
                }
            } else if metadata.is_file() {
                match sort_of(&name) {
                    Some(sort) => {
                        self.files.push(Found { path: name, sort, bytes: metadata.len(), changed: changed(&metadata) })
                    }
                    None if is_known_otherwise(&name) => {}
                    None => self.pass_over(name, "it is not a file of an A-MEM folder", TroubleKind::Remark),
                }
            } else {
                let kind = if sort_of(&name).is_some() { TroubleKind::Unread } else { TroubleKind::Remark };
                self.pass_over(name, "it is a pipe, a socket or a device: those are never opened", kind);
            }
        }
        Ok(())
    }

    fn pass_over(&mut self, path: String, why: &'static str, kind: TroubleKind) {
        self.passed_over.push(PassedOver { path, why, kind });
    }
}

/// The files of events in an archive below a place of a folder, by path.
pub fn archived(folder: &Folder, below: &str) -> Result<Vec<Found>> {
    let place = folder.root().join(below);
    let mut listing = Listing::default();
    for root in ["events", "traces"].map(|name| place.join(name)) {
        if root.is_dir() && !root.is_symlink() && !place.is_symlink() {
            listing.add(folder.root(), &root, 1)?;
        }
    }
    let mut files = listing.files;
    files.retain(|found| found.path.ends_with(".jsonl.gz") || found.path.ends_with(".jsonl"));
    // They are no longer a month's, nor a trace's: they are read, and nothing is added to them.
    files.iter_mut().for_each(|found| found.sort = Sort::Events);
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

/// Every file of the folder by path, those among them that nobody reads: archives, copies that were kept beside.
pub fn every_file(folder: &Folder) -> Result<Vec<String>> {
    let (mut paths, mut open) = (Vec::new(), vec![(folder.root().to_owned(), 0)]);
    while let Some((place, depth)) = open.pop() {
        for entry in fs::read_dir(&place).map_err(io("read", &place))?.flatten() {
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() && depth < DEEPEST && entry.file_name() != ".git" {
                open.push((entry.path(), depth + 1));
            } else if kind.is_file() {
                paths.extend(name_of(folder.root(), &entry.path()));
            }
        }
    }
    paths.sort();
    Ok(paths)
}

fn name_of(root: &Path, path: &Path) -> Option<String> {
    Some(path.strip_prefix(root).ok()?.to_str()?.to_owned())
}

/// What a file is taken for by its place and name. Files lie in the folders of the specification, flat beside them, or,
/// where somebody copied them together, with the folders' names as the beginnings of their own.
fn sort_of(name: &str) -> Option<Sort> {
    let parts: Vec<&str> = name.split('/').collect();
    let file = *parts.last()?;
    if file.starts_with('.') {
        return None;
    }
    let is_template = parts[..parts.len() - 1].iter().any(|part| TEMPLATES.contains(part)) || is_placeholder(file);
    if is_template || name.starts_with("queries/") {
        let is_text = [".md", ".sql", ".json", ".jsonl", ".txt"].iter().any(|ending| file.ends_with(ending));
        return is_text.then_some(Sort::Kept);
    }
    if file.ends_with(".jsonl") || file.ends_with(".jsonl.gz") {
        let is_of_a_month = parts.len() >= 4 && parts[parts.len() - 2] == "traces" && parts[0] == "events";
        return Some(if is_of_a_month { Sort::Trace } else { Sort::Events });
    }
    if file.ends_with(".md") {
        let is_guide = GUIDES.contains(&file) || file == "INDEX.md";
        return Some(if is_guide { Sort::Kept } else { Sort::Note });
    }
    if name == INDEX {
        return Some(Sort::Index);
    }
    let is_in_knowledge = parts.len() == 1 || parts.contains(&"knowledge");
    if is_in_knowledge && matches!(file, "links.json" | "tags.json" | "knowledge_links.json" | "knowledge_tags.json") {
        return Some(Sort::Index);
    }
    (file.ends_with(".json") && (name.starts_with("profiles") || parts.contains(&"agents"))).then_some(Sort::Profile)
}

/// Whether a text stands where one's own is to be put: `{note-id}`, `{{title}}`.
pub(super) fn is_placeholder(text: &str) -> bool {
    text.split_once('{').is_some_and(|(_, rest)| rest.contains('}'))
}

fn is_known_otherwise(name: &str) -> bool {
    let file = name.rsplit('/').next().unwrap_or_default();
    file.contains(BEFORE) || file.contains(CONFLICT) || file.starts_with('.') || file.ends_with(".sql")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_known_by_their_place_and_name() {
        let sorts = [
            ("events/2025-01/events.jsonl", Some(Sort::Events)),
            ("events/2025-01/events.jsonl.gz", Some(Sort::Events)),
            ("events/2025-01/traces/abc.jsonl", Some(Sort::Trace)),
            ("traces/trace-x.jsonl", Some(Sort::Events)),
            ("events/development.jsonl", Some(Sort::Events)),
            ("knowledge/notes/a.md", Some(Sort::Note)),
            ("knowledge_a.md", Some(Sort::Note)),
            ("README.md", Some(Sort::Kept)),
            ("templates/note.md", Some(Sort::Kept)),
            ("knowledge/templates/note.md", Some(Sort::Kept)),
            ("knowledge/notes/{note-id}.md", Some(Sort::Kept)),
            ("queries/mine.sql", Some(Sort::Kept)),
            ("knowledge/links.json", Some(Sort::Index)),
            ("profiles/agents/claude-code.json", Some(Sort::Profile)),
            ("profiles_agents_claude-code.json", Some(Sort::Profile)),
            ("events/index.json", Some(Sort::Index)),
            ("events/.hidden.jsonl", None),
        ];
        for (name, sort) in sorts {
            assert_eq!(sort_of(name), sort, "{name}");
        }
    }
}
