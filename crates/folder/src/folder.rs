//! A folder on disk, read and written without ever following a link out of it.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io::{BufReader, BufWriter, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::UNIX_EPOCH;

use flate2::read::MultiGzDecoder;
use rustix::fs::{OFlags, RenameFlags};

use idetic_error::{Error, Result};

/// Refuses to open what is a link.
const NO_LINKS: i32 = OFlags::NOFOLLOW.bits().cast_signed();

/// What the name of a file ends in that is not in its place yet.
const UNFINISHED: &str = ".unfinished";

/// A folder. Paths in it are relative, with `/`.
pub struct Folder {
    root: PathBuf,
}

impl Folder {
    /// A folder that is there.
    pub fn open(path: &Path) -> Result<Self> {
        let root = fs::canonicalize(path).map_err(io("open", path))?;
        if root.is_dir() {
            Ok(Self { root })
        } else {
            Err(Error::invalid(format!("{} is not a folder", root.display())))
        }
    }

    /// Where it is.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Which folder it is, should another take its place: its number on the disk, and when it was made where that is known.
    pub fn birth(&self) -> Result<String> {
        let metadata = self.root.metadata().map_err(io("read", &self.root))?;
        let made = metadata.created().ok().and_then(|made| made.duration_since(UNIX_EPOCH).ok());
        Ok(format!("{}-{}", metadata.ino(), made.map_or(0, |made| made.as_nanos())))
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

    /// How long a file is and when it, or its name, was last changed; none where there is none.
    pub fn stamp(&self, path: &str) -> Result<Option<(u64, i128)>> {
        let whole = self.inside(path)?;
        match whole.symlink_metadata() {
            Ok(metadata) => {
                let changed = i128::from(metadata.ctime()) * 1_000_000_000 + i128::from(metadata.ctime_nsec());
                Ok(Some((metadata.len(), changed)))
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(io("read", &whole)(error)),
        }
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

    /// Adds bytes to a file that is there, and flushes them.
    pub fn append_as_it_is(&self, path: &str, text: &str) -> Result<()> {
        let whole = self.inside(path)?;
        let mut file =
            OpenOptions::new().append(true).custom_flags(NO_LINKS).open(&whole).map_err(io("write", &whole))?;
        file.write_all(text.as_bytes()).and_then(|()| file.sync_data()).map_err(io("write", &whole))
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
        self.put_with(path, &mut |file| file.write_all(bytes).map_err(io("write", &whole)))?;
        Ok(true)
    }

    /// The same for what is too long to be held.
    pub fn put_with(&self, path: &str, write: &mut dyn FnMut(&mut dyn Write) -> Result<()>) -> Result<()> {
        let whole = self.inside(path)?;
        let beside = self.beside(&whole, write)?;
        fs::rename(&beside, &whole).map_err(io("write", &whole))?;
        // What is removed next must not outlive what took its place.
        let parent = whole.parent().unwrap_or(&self.root);
        File::open(parent).and_then(|parent| parent.sync_all()).map_err(io("write", parent))
    }

    /// Puts a text in the place of what a file should say. What it says instead, where somebody was faster, stays in its
    /// place: then the answer is false.
    pub fn replace(&self, path: &str, text: &str, is_expected: &dyn Fn(&[u8]) -> bool) -> Result<bool> {
        let whole = self.inside(path)?;
        let beside = self.beside(&whole, &mut |file| file.write_all(text.as_bytes()).map_err(io("write", &whole)))?;
        let is_done = self.exchange(&beside, &whole, is_expected);
        if !matches!(is_done, Ok(true)) {
            let _ = fs::remove_file(&beside);
        }
        is_done
    }

    fn exchange(&self, beside: &Path, whole: &Path, is_expected: &dyn Fn(&[u8]) -> bool) -> Result<bool> {
        if whole.symlink_metadata().is_err() {
            // Made only where nothing is.
            return match fs::hard_link(beside, whole) {
                Ok(()) => fs::remove_file(beside).map(|()| true).map_err(io("remove", beside)),
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(false),
                Err(_) => fs::rename(beside, whole).map(|()| true).map_err(io("write", whole)),
            };
        }
        if !is_expected(&fs::read(whole).map_err(io("read", whole))?) {
            return Ok(false);
        }
        let swap = || rustix::fs::renameat_with(rustix::fs::CWD, beside, rustix::fs::CWD, whole, RenameFlags::EXCHANGE);
        if swap().is_err() {
            // A disk that cannot exchange two files: the look just before has to do.
            return fs::rename(beside, whole).map(|()| true).map_err(io("write", whole));
        }
        if is_expected(&fs::read(beside).map_err(io("read", beside))?) {
            return fs::remove_file(beside).map(|()| true).map_err(io("remove", beside));
        }
        // Somebody wrote between the look and the exchange: theirs goes back to its place.
        swap().map_err(|error| io("write", whole)(error.into()))?;
        Ok(false)
    }

    /// Removes a file that says what it should. One that says something else stays: then the answer is false.
    pub fn take_away(&self, path: &str, is_expected: &dyn Fn(&[u8]) -> bool) -> Result<bool> {
        let whole = self.inside(path)?;
        let aside = self.beside(&whole, &mut |_| Ok(()))?;
        match fs::rename(&whole, &aside) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return fs::remove_file(&aside).map(|()| true).map_err(io("remove", &aside));
            }
            moved => moved.map_err(io("remove", &whole))?,
        }
        if is_expected(&fs::read(&aside).map_err(io("read", &aside))?) {
            return fs::remove_file(&aside).map(|()| true).map_err(io("remove", &aside));
        }
        fs::rename(&aside, &whole).map(|()| false).map_err(io("write", &whole))
    }

    /// A new file beside another one, flushed, under a name that nobody else has.
    fn beside(&self, whole: &Path, write: &mut dyn FnMut(&mut dyn Write) -> Result<()>) -> Result<PathBuf> {
        static COUNTER: AtomicU64 = AtomicU64::new(0);
        self.make_folders(whole)?;
        let name = whole.file_name().unwrap_or_default().to_string_lossy().into_owned();
        loop {
            let number = COUNTER.fetch_add(1, Ordering::Relaxed);
            let beside = whole.with_file_name(format!(".{name}.{}-{number}{UNFINISHED}", std::process::id()));
            // Never through a link, and never into a file that is there.
            let file = match OpenOptions::new().write(true).create_new(true).open(&beside) {
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => continue,
                file => file.map_err(io("write", &beside))?,
            };
            // Who may read the file that it takes the place of may read this one, and nobody else.
            if let Ok(there) = whole.symlink_metadata()
                && there.is_file()
            {
                let _ = file.set_permissions(there.permissions());
            }
            let mut file = BufWriter::new(file);
            let written = write(&mut file)
                .and_then(|()| file.flush().map_err(io("write", &beside)))
                .and_then(|()| file.get_ref().sync_all().map_err(io("write", &beside)));
            if let Err(error) = written {
                let _ = fs::remove_file(&beside);
                return Err(error);
            }
            return Ok(beside);
        }
    }

    /// Removes what runs that were cut short left of some files. Nobody else may be writing them.
    pub fn sweep(&self, paths: &[&str]) -> Result<()> {
        let places: BTreeSet<PathBuf> =
            paths.iter().filter_map(|path| self.inside(path).ok()?.parent().map(Path::to_owned)).collect();
        let is_left = |name: &str| {
            let of = |path: &&str| name.strip_prefix('.')?.strip_prefix(path.rsplit('/').next()?)?.strip_prefix('.');
            name.ends_with(UNFINISHED) && paths.iter().filter_map(of).any(|rest| !rest.starts_with('.'))
        };
        for place in places.iter().filter(|place| place.is_dir()) {
            for entry in fs::read_dir(place).map_err(io("read", place))?.flatten() {
                if entry.file_name().to_str().is_some_and(is_left) {
                    fs::remove_file(entry.path()).map_err(io("remove", &entry.path()))?;
                }
            }
        }
        Ok(())
    }

    /// Gives a file another name in the folder.
    pub fn rename(&self, from: &str, to: &str) -> Result<()> {
        let (from, to) = (self.inside(from)?, self.inside(to)?);
        fs::rename(&from, &to).map_err(io("rename", &from))
    }

    /// Waits until nobody else works on the folder; as long as what this gives is kept nobody can.
    pub fn lock(&self) -> Result<File> {
        let folder = File::open(&self.root).map_err(io("open", &self.root))?;
        folder.lock().map_err(io("lock", &self.root))?;
        Ok(folder)
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
            return Err(Error::invalid(format!("'{}' is not a path inside the folder", path.escape_debug())));
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

/// When a file was last changed, in nanoseconds.
pub fn changed(metadata: &fs::Metadata) -> i128 {
    i128::from(metadata.mtime()) * 1_000_000_000 + i128::from(metadata.mtime_nsec())
}

/// Whether a file's name says that it is compressed.
pub fn is_packed(path: &str) -> bool {
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

/// An I/O error about a path.
pub fn io(doing: &str, path: &Path) -> impl FnOnce(std::io::Error) -> Error {
    let message = format!("cannot {doing} {}", path.display());
    move |error| Error::io(message)(error)
}

/// The names of the folders in a folder; none where it is missing.
pub fn folder_names(folder: &Path) -> Result<Vec<String>> {
    let failed = || Error::io(format!("cannot list {}", folder.display()));
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failed()(error)),
    };
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry.map_err(failed())?;
        if entry.file_type().is_ok_and(|t| t.is_dir()) {
            names.extend(entry.file_name().into_string());
        }
    }
    Ok(names)
}
