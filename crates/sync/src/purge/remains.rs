//! What a space keeps beside its log, and what may still say something after a purge.

use std::fs;
use std::path::{Path, PathBuf};

use idetic_memory::folder::{io, is_packed};
use idetic_memory::purge::PurgedItems;
use idetic_memory::{Result, Space};
use idetic_store::COPY_OF_LOG;
use serde::Deserialize;

use crate::amem::Stayed;
use crate::markdown::protocol_files;

/// How deep folders are looked into.
const DEEPEST: usize = 8;
/// The longest file that is looked through, unpacked.
const FILE_MAX_BYTES: u64 = 256 << 20;
/// What is rewritten by a purge itself, and of other spaces another purge's affair.
const OWN: [&str; 6] = ["log.db", "log.db-wal", "log.db-shm", "vectors.db", "vectors.db-wal", "vectors.db-shm"];

#[derive(Deserialize)]
struct Session {
    event: String,
}

/// Removes what sessions hold that began with an event that is gone, or say what is to go.
pub(super) fn clean(space: &Space, gone: &PurgedItems) -> Result<Vec<String>> {
    let mut removed = Vec::new();
    for entry in fs::read_dir(space.folder().join("sessions")).into_iter().flatten().flatten() {
        let path = entry.path();
        let text = fs::read_to_string(&path).unwrap_or_default();
        let began = serde_json::from_str::<Session>(&text).is_ok_and(|session| gone.has_id(&session.event));
        if began || gone.says(&text) {
            fs::remove_file(&path).map_err(io("remove", &path))?;
            removed.push(path.display().to_string());
        }
    }
    Ok(removed)
}

/// Places that may have it and are not looked into: git's history, logs that were set aside, the chain's own ids.
pub(super) fn warnings<'a>(
    space: &Space,
    gone: &PurgedItems,
    outside: impl Iterator<Item = &'a PathBuf>,
) -> Vec<String> {
    let mut warnings = Vec::new();
    for folder in outside.filter(|folder| folder.ancestors().any(|above| above.join(".git").exists())) {
        let what = "is kept in git, whose history still has the old content: rewriting it is up to you";
        warnings.push(format!("{} {what}", folder.display()));
    }
    for entry in fs::read_dir(space.folder()).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with("damaged-") {
            let what = "is a damaged log that was set aside and may have it: remove it";
            warnings.push(format!("{} {what}", entry.path().display()));
        }
    }
    if space.folder().join(COPY_OF_LOG).is_dir() {
        let what = "was not finished and its copy may have it: move again, or add --cancel to remove the copy";
        warnings.push(format!("a move of the log of {} {what}", space.name()));
    }
    if gone.ids.iter().any(|(_, _, id)| gone.says(id)) {
        warnings.push("the id of an event contains it: ids are part of the chain and are kept".to_owned());
    }
    warnings
}

/// Files that still have the words, where words were searched for.
pub(super) fn left(
    home: &Path,
    space: &Space,
    gone: &PurgedItems,
    folders: &[PathBuf],
    projects: &[PathBuf],
) -> Vec<Stayed> {
    if gone.words.is_none() {
        return Vec::new();
    }
    let of_home = ["queries", "identities", "config.toml"].map(|name| home.join(name));
    let of_projects = projects.iter().flat_map(|project| protocol_files(project));
    let mut files = Vec::new();
    let places = of_home.into_iter().chain([space.folder().to_owned()]).chain(folders.iter().cloned());
    places.chain(of_projects).for_each(|place| list(&place, 0, &mut files));
    let reason = "it contains the text that was searched for: changing it is up to you";
    files.retain(|path| says(path, gone));
    files.iter().map(|path| Stayed { file: path.display().to_string(), reason: reason.to_owned() }).collect()
}

fn list(place: &Path, depth: usize, files: &mut Vec<PathBuf>) {
    if place.is_file() && !place.is_symlink() {
        files.push(place.to_owned());
    }
    if !place.is_dir() || place.is_symlink() || depth > DEEPEST {
        return;
    }
    for entry in fs::read_dir(place).into_iter().flatten().flatten() {
        let name = entry.file_name();
        if name != ".git" && !name.to_str().is_some_and(|name| OWN.contains(&name)) {
            list(&entry.path(), depth + 1, files);
        }
    }
}

/// Whether a file says what is to go.
fn says(path: &Path, gone: &PurgedItems) -> bool {
    use std::io::Read;
    let Ok(file) = fs::File::open(path) else { return false };
    let mut bytes = Vec::new();
    let read = match is_packed(&path.to_string_lossy()) {
        true => flate2::read::MultiGzDecoder::new(file).take(FILE_MAX_BYTES).read_to_end(&mut bytes),
        false => file.take(FILE_MAX_BYTES).read_to_end(&mut bytes),
    };
    read.is_ok() && gone.says(&String::from_utf8_lossy(&bytes))
}
