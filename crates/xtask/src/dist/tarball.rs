//! The plain archive with its checksum, from which the shell installer and Homebrew install.

use std::path::Path;

use super::archive::{self, File};
use super::payload::PLATFORMS;
use super::project::Project;
use super::{Made, Payload, notices};

/// Its name has no version, so that the latest release is found at an address that never changes.
fn name(platform: &str) -> String {
    format!("idetic-{platform}.tar.gz")
}

pub fn make(project: &Project, payload: &Payload) -> Result<Vec<Made>, String> {
    let platform = payload.platform.name();
    let mut files = vec![File::program("bin/idetic", payload.bytes.clone())];
    files.push(File::new("share/man/man1/idetic.1", payload.prints(&["man"])?));
    for shell in ["bash", "fish", "zsh"] {
        files.push(File::new(format!("share/completions/idetic.{shell}"), payload.prints(&["completions", shell])?));
    }
    files.extend(notices::ours(project)?);
    files.push(notices::others(project)?);
    let folder = format!("idetic-{}", project.version);
    let files: Vec<File> = files.into_iter().map(|file| file.below(&folder)).collect();
    let bytes = archive::tar_gz(&files)?;
    let name = name(platform);
    let sum = format!("{}  {name}\n", archive::hex(&archive::sha256(&bytes)));
    let installer = project.text("packaging/install.sh")?.into_bytes();
    Ok(vec![
        Made { name: format!("{name}.sha256"), bytes: sum.into_bytes() },
        Made { name, bytes },
        Made { name: "install.sh".to_owned(), bytes: installer },
    ])
}

/// The formula, filled with the checksums of the archives of every platform, which lie in one folder by then.
pub fn formula(project: &Project, out: &Path) -> Result<Made, String> {
    let mut text = project.text("packaging/homebrew/idetic.rb")?.replace("@VERSION@", &project.version);
    for platform in PLATFORMS {
        let file = out.join(format!("{}.sha256", name(platform)));
        let sum = std::fs::read_to_string(&file)
            .map_err(|error| format!("cannot read {}: {error}; the formula needs every platform", file.display()))?;
        let sum = sum.split_whitespace().next().unwrap_or_default();
        text = text.replace(&format!("@SHA256 {platform}@"), sum);
    }
    Ok(Made { name: "idetic.rb".to_owned(), bytes: text.into_bytes() })
}
