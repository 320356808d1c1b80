//! Folders that outlive a power failure: each is flushed with its name before anything in it counts.

use std::path::Path;

use crate::{Error, Result};

/// Makes a folder and those above it, and flushes each entry: a space that was acknowledged must not vanish.
pub fn make_folder(folder: &Path) -> Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    let parent = folder.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    make_folder(parent)?;
    let failed = || Error::io(format!("cannot create {}", folder.display()));
    match std::fs::create_dir(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
        made => made.map_err(failed())?,
    }
    std::fs::File::open(parent).and_then(|f| f.sync_all()).map_err(failed())
}

/// Flushes the names of a folder and of those above it, up to the home's: also where they were there already, since whoever
/// made them may have been killed before they had flushed them.
pub fn flush_names(folder: &Path, home: &Path) -> Result<()> {
    for folder in folder.ancestors() {
        let parent = folder.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let flushed = std::fs::File::open(parent).and_then(|parent| parent.sync_all());
        if folder == home {
            // What the home lies in may be closed to us, and then it was not we who made the home.
            break;
        }
        flushed.map_err(Error::io(format_args!("cannot flush {}", parent.display())))?;
    }
    Ok(())
}
