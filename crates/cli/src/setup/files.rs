//! The files of clients on this machine: where they are, read, copied, and written whole or not at all.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use idetic_ops::clients::{Client, Fault};
use idetic_ops::{Error, Result};

use crate::environment::variable;

/// Stands behind the name of a file that was copied before it was changed.
const BACKUP: &str = ".idetic-backup";
/// Largest configuration that is read.
const FILE_MAX_BYTES: u64 = 64 << 20;

/// Where a user's files and a project's are.
#[derive(Clone)]
pub struct Folders {
    /// The user's own folder.
    pub user: Option<PathBuf>,
    /// The current one, which is the project's.
    pub current: PathBuf,
}

impl Folders {
    /// The file of a client among the places where it may be: the first that exists, else the first.
    pub fn find(&self, places: &[&str], client: &Client) -> File {
        let paths: Vec<PathBuf> = places.iter().map(|place| self.path(place, client)).collect();
        let there = paths.iter().find(|path| path.symlink_metadata().is_ok()).or_else(|| paths.first());
        File { path: there.cloned().unwrap_or_default() }
    }

    /// Whether a client is on this machine: it left its configuration in the user's folder, or its program can be started.
    pub fn has(&self, client: &Client) -> bool {
        let Some(user) = &self.user else { return false };
        let hooks = client.hooks.iter().map(|hooks| hooks.user);
        let mut files = client.servers.user.iter().copied().chain(hooks).map(|place| self.path(place, client));
        let has_files = files.any(|file| {
            let folder = file.parent().filter(|folder| *folder != user.as_path());
            file.exists() || folder.is_some_and(Path::is_dir)
        });
        let programs = variable("PATH").unwrap_or_default();
        has_files || std::env::split_paths(&programs).any(|folder| folder.join(client.program).is_file())
    }

    fn path(&self, place: &str, client: &Client) -> PathBuf {
        for moved in client.moved {
            if let (Some(value), Some(rest)) = (variable(moved.variable), place.strip_prefix(moved.from)) {
                return self.current.join(format!("{value}{}{rest}", moved.to));
            }
        }
        match (place.strip_prefix("~/"), &self.user) {
            (Some(rest), Some(user)) => user.join(rest),
            (Some(rest), None) => self.current.join(rest),
            (None, _) => self.current.join(place),
        }
    }
}

/// A file of a client.
pub struct File {
    /// Where it is.
    pub path: PathBuf,
}

impl File {
    /// Its text, if it is there.
    pub fn read(&self) -> Result<Option<String>> {
        read(&self.path)
    }

    /// The text from before it was first changed, if there was one.
    pub fn backup(&self) -> Result<Option<String>> {
        read(&self.backup_path())
    }

    fn backup_path(&self) -> PathBuf {
        let mut path = self.path.clone().into_os_string();
        path.push(BACKUP);
        path.into()
    }

    /// Copies it beside itself, unless that was done before.
    pub fn back_up(&self) -> Result<()> {
        let backup = self.backup_path();
        if backup.exists() {
            return Ok(());
        }
        fs::copy(&self.path, &backup).map(|_| ()).map_err(Error::io(format!("cannot write {}", backup.display())))
    }

    /// Writes it whole or not at all. A link stays one, rights stay as they are.
    pub fn write(&self, text: &str) -> Result<()> {
        let failed = || Error::io(format!("cannot write {}", self.path.display()));
        let target = followed(&self.path);
        let folder = target.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder).map_err(failed())?;
        let mut name = target.file_name().unwrap_or_default().to_owned();
        name.push(format!(".idetic-{}", std::process::id()));
        let beside = folder.join(name);
        let written = fs::File::create(&beside).and_then(|mut file| {
            if let Ok(metadata) = fs::metadata(&target) {
                file.set_permissions(metadata.permissions())?;
            }
            file.write_all(text.as_bytes())?;
            file.sync_all()
        });
        written.and_then(|()| fs::rename(&beside, &target)).map_err(|error| {
            let _ = fs::remove_file(&beside);
            failed()(error)
        })
    }

    /// Removes it. A link stays one.
    pub fn remove(&self) -> Result<()> {
        gone(fs::remove_file(followed(&self.path))).map_err(Error::io(format!("cannot remove {}", self.path.display())))
    }

    /// Removes the copy: what it is a copy of is as its user has it.
    pub fn drop_backup(&self) -> Result<()> {
        let backup = self.backup_path();
        gone(fs::remove_file(&backup)).map_err(Error::io(format!("cannot remove {}", backup.display())))
    }

    /// Removes the folders that nothing is left in, up to those of the user and the project.
    pub fn drop_empty_folders(&self, folders: &Folders) {
        let is_root = |folder: &Path| folder == folders.current || Some(folder) == folders.user.as_deref();
        for folder in self.path.ancestors().skip(1) {
            if is_root(folder) || fs::remove_dir(folder).is_err() {
                break;
            }
        }
    }

    /// Why it cannot be edited.
    pub fn cannot_edit(&self, fault: &Fault) -> Error {
        Error::invalid(format!("{}: {fault}", self.path.display())).hint("fix the file; nothing was changed")
    }
}

fn read(path: &Path) -> Result<Option<String>> {
    let failed = || Error::io(format!("cannot read {}", path.display()));
    match fs::metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed()(error)),
        Ok(metadata) if metadata.len() > FILE_MAX_BYTES => {
            return Err(Error::invalid(format!("{} is larger than {FILE_MAX_BYTES} bytes", path.display()))
                .hint("a configuration is not that large: check the file"));
        }
        Ok(_) => {}
    }
    let bytes = fs::read(path).map_err(failed())?;
    String::from_utf8(bytes).map(Some).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let text = String::from_utf8_lossy(&error.as_bytes()[..valid]).into_owned();
        File { path: path.to_owned() }.cannot_edit(&Fault::at(&text, valid, "this is not UTF-8"))
    })
}

/// Where a link leads to, if it is one.
fn followed(path: &Path) -> PathBuf {
    if let Ok(there) = path.canonicalize() {
        return there;
    }
    // A link to a file that is not there yet.
    match fs::read_link(path) {
        Ok(to) => path.parent().unwrap_or(Path::new(".")).join(to),
        Err(_) => path.to_owned(),
    }
}

fn gone(removed: std::io::Result<()>) -> std::io::Result<()> {
    match removed {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        other => other,
    }
}
