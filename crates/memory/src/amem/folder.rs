//! The folder on disk: what lies in it, read and written without ever following a link out of it.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io::{BufReader, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Component, Path, PathBuf};

use flate2::read::MultiGzDecoder;

use super::io;
use crate::{Error, Result};

/// Where a project keeps its memory.
const IN_A_PROJECT: &str = ".chora/memory";
/// How deep files are looked for.
const DEEPEST: usize = 6;
/// Refuses to open what is a link (`O_NOFOLLOW` on Linux).
const NO_LINKS: i32 = 0o400_000;
/// Names at the top that are for readers, not notes.
const GUIDES: [&str; 3] = ["README.md", "AGENTS.md", "CLAUDE.md"];

/// The folder.
pub struct Folder {
    root: PathBuf,
}

/// What a file is taken for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sort {
    /// Events, one a line.
    Events,
    /// The events of one trace, which stand in the month's file too.
    Trace,
    /// A note.
    Note,
    /// `links.json` or `tags.json`, which are derived.
    Index,
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
    pub passed_over: Vec<(String, String)>,
}

impl Folder {
    /// The memory folder itself, or a project that has one.
    pub fn open(path: &Path) -> Result<Self> {
        let inner = path.join(IN_A_PROJECT);
        let root = if inner.is_dir() { inner } else { path.to_owned() };
        let root = fs::canonicalize(&root).map_err(io("open", &root))?;
        if root.is_dir() { Ok(Self { root }) } else { Err(Error::invalid(format!("{} is no folder", root.display()))) }
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Every file that belongs to the memory.
    pub fn list(&self) -> Result<Listing> {
        let mut listing = Listing::default();
        self.list_in(&self.root, 0, &mut listing)?;
        listing.files.sort_by(|a, b| a.sort.cmp(&b.sort).then_with(|| a.path.cmp(&b.path)));
        Ok(listing)
    }

    fn list_in(&self, folder: &Path, depth: usize, listing: &mut Listing) -> Result<()> {
        let mut entries: Vec<fs::DirEntry> = fs::read_dir(folder)
            .map_err(io("read", folder))?
            .collect::<std::io::Result<_>>()
            .map_err(io("read", folder))?;
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let path = entry.path();
            let Some(name) = self.name_of(&path) else {
                listing.passed_over.push((path.to_string_lossy().into_owned(), "its name is not UTF-8".to_owned()));
                continue;
            };
            let metadata = entry.metadata().map_err(io("read", &path))?;
            if metadata.is_symlink() {
                listing.passed_over.push((name, "it is a link, and links are not followed".to_owned()));
            } else if metadata.is_dir() && depth < DEEPEST {
                let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
                if !is_hidden && name != "queries" && name != "archive" {
                    self.list_in(&path, depth + 1, listing)?;
                }
            } else if metadata.is_file() {
                match sort_of(&name) {
                    Some(sort) => listing.files.push(Found {
                        path: name,
                        sort,
                        bytes: metadata.len(),
                        changed: changed(&metadata),
                    }),
                    None if is_known_otherwise(&name) => {}
                    None => listing.passed_over.push((name, "it is no file of an A-MEM folder".to_owned())),
                }
            }
        }
        Ok(())
    }

    fn name_of(&self, path: &Path) -> Option<String> {
        Some(path.strip_prefix(&self.root).ok()?.to_str()?.to_owned())
    }

    /// A file's bytes, unpacked where it is packed, as they come.
    pub fn read(&self, path: &str) -> Result<Box<dyn Read>> {
        let file = self.open_file(path)?;
        Ok(if is_packed(path) { Box::new(MultiGzDecoder::new(BufReader::new(file))) } else { Box::new(file) })
    }

    /// A whole file of at most so many bytes.
    pub fn read_text(&self, path: &str, most_bytes: u64) -> Result<std::result::Result<String, String>> {
        let mut bytes = Vec::new();
        self.read(path)?
            .take(most_bytes.saturating_add(1))
            .read_to_end(&mut bytes)
            .map_err(io("read", Path::new(path)))?;
        if bytes.len() as u64 > most_bytes {
            return Ok(Err(format!("it is longer than {most_bytes} bytes")));
        }
        Ok(String::from_utf8(bytes).map_err(|e| format!("byte {} is not UTF-8", e.utf8_error().valid_up_to())))
    }

    /// Opens a file of the folder.
    pub fn open_file(&self, path: &str) -> Result<File> {
        let whole = self.inside(path)?;
        OpenOptions::new().read(true).custom_flags(NO_LINKS).open(&whole).map_err(io("open", &whole))
    }

    /// When a file was last changed, in nanoseconds.
    pub fn changed(&self, path: &str) -> Result<i128> {
        let whole = self.inside(path)?;
        Ok(changed(&whole.symlink_metadata().map_err(io("read", &whole))?))
    }

    /// Whether a file says just this.
    pub fn says(&self, path: &str, text: &str) -> Result<bool> {
        let file = self.open_file(path)?;
        let mut bytes = Vec::new();
        file.take(text.len() as u64 + 1).read_to_end(&mut bytes).map_err(io("read", path.as_ref()))?;
        Ok(bytes == text.as_bytes())
    }

    /// Whether there is such a file.
    pub fn has(&self, path: &str) -> bool {
        self.inside(path).is_ok_and(|whole| whole.symlink_metadata().is_ok())
    }

    /// Adds whole lines to a file, making it and its folders where they are not there, and flushes them.
    pub fn append(&self, path: &str, lines: &str) -> Result<()> {
        let whole = self.inside(path)?;
        self.make_folders(&whole)?;
        let mut options = OpenOptions::new();
        options.append(true).read(true).create(true).custom_flags(NO_LINKS);
        let mut file = options.open(&whole).map_err(io("write", &whole))?;
        // A last line that was cut off stays what it is; ours begin on one of their own.
        let gap = if ends_in_the_middle(&mut file).map_err(io("read", &whole))? { "\n" } else { "" };
        let written = file.write_all(format!("{gap}{lines}").as_bytes()).and_then(|()| file.sync_data());
        written.map_err(io("write", &whole))
    }

    /// Puts a file in the place of another, all at once. A file that says the same already is left alone.
    pub fn put(&self, path: &str, text: &str) -> Result<bool> {
        self.put_bytes(path, text.as_bytes())
    }

    /// The same for bytes that are no text.
    pub fn put_bytes(&self, path: &str, bytes: &[u8]) -> Result<bool> {
        let whole = self.inside(path)?;
        if whole.symlink_metadata().is_ok_and(|m| m.is_file() && m.len() == bytes.len() as u64)
            && fs::read(&whole).is_ok_and(|known| known == bytes)
        {
            return Ok(false);
        }
        self.make_folders(&whole)?;
        let name = whole.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let beside = whole.with_file_name(format!(".{name}.unfinished"));
        let mut file = File::create(&beside).map_err(io("write", &beside))?;
        file.write_all(bytes).and_then(|()| file.sync_all()).map_err(io("write", &beside))?;
        fs::rename(&beside, &whole).map_err(io("write", &whole))?;
        Ok(true)
    }

    /// Removes a file, where there is one.
    pub fn remove(&self, path: &str) -> Result<()> {
        let whole = self.inside(path)?;
        match fs::remove_file(&whole) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(io("remove", &whole)(error)),
            _ => Ok(()),
        }
    }

    /// The whole path of a file that is inside, by name and in fact: no step on the way is a link.
    fn inside(&self, path: &str) -> Result<PathBuf> {
        let relative = Path::new(path);
        let plain = |c: Component| matches!(c, Component::Normal(name) if !name.as_encoded_bytes().contains(&0));
        if path.is_empty() || !relative.components().all(plain) {
            return Err(Error::invalid(format!("'{}' is no path inside the folder", path.escape_debug())));
        }
        let mut whole = self.root.clone();
        for part in relative.components() {
            whole.push(part);
            if whole.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink()) {
                return Err(Error::invalid(format!("{} is a link, and links are not followed", whole.display())));
            }
        }
        Ok(whole)
    }

    fn make_folders(&self, whole: &Path) -> Result<()> {
        let parent = whole.parent().unwrap_or(&self.root);
        fs::create_dir_all(parent).map_err(io("make", parent))
    }
}

fn changed(metadata: &fs::Metadata) -> i128 {
    i128::from(metadata.mtime()) * 1_000_000_000 + i128::from(metadata.mtime_nsec())
}

fn is_packed(path: &str) -> bool {
    Path::new(path).extension() == Some(OsStr::new("gz"))
}

fn ends_in_the_middle(file: &mut File) -> std::io::Result<bool> {
    use std::io::{Seek, SeekFrom};
    if file.metadata()?.len() == 0 {
        return Ok(false);
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last != *b"\n")
}

/// What a file is taken for by its place and name. Files lie in the folders of the specification, flat beside them, or,
/// where somebody copied them together, with the folders' names as the beginnings of their own.
fn sort_of(name: &str) -> Option<Sort> {
    let parts: Vec<&str> = name.split('/').collect();
    let file = *parts.last()?;
    if file.starts_with('.') {
        return None;
    }
    if file.ends_with(".jsonl") || file.ends_with(".jsonl.gz") {
        let is_of_a_month = parts.len() >= 4 && parts[parts.len() - 2] == "traces" && parts[0] == "events";
        return Some(if is_of_a_month { Sort::Trace } else { Sort::Events });
    }
    if file.ends_with(".md") {
        let is_guide = GUIDES.contains(&file) || file == "INDEX.md";
        return (!is_guide).then_some(Sort::Note);
    }
    if file.ends_with("links.json") || file.ends_with("tags.json") {
        return Some(Sort::Index);
    }
    (file.ends_with(".json") && (name.starts_with("profiles") || parts.contains(&"agents"))).then_some(Sort::Profile)
}

fn is_known_otherwise(name: &str) -> bool {
    let file = name.rsplit('/').next().unwrap_or_default();
    GUIDES.contains(&file)
        || file.contains(super::take_in::BEFORE)
        || file.contains(super::notes::CONFLICT)
        || name == "events/index.json"
        || file.starts_with('.')
        || file.ends_with(".sql")
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
            ("README.md", None),
            ("knowledge/links.json", Some(Sort::Index)),
            ("profiles/agents/claude-code.json", Some(Sort::Profile)),
            ("profiles_agents_claude-code.json", Some(Sort::Profile)),
            ("events/index.json", None),
            ("events/.hidden.jsonl", None),
        ];
        for (name, sort) in sorts {
            assert_eq!(sort_of(name), sort, "{name}");
        }
    }
}
