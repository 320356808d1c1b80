//! Files that lie beside the project, not in it. Where they are missing the tests say so and pass.
#![expect(clippy::print_stderr, reason = "a test says what it skipped")]

use std::path::{Path, PathBuf};

fn spec(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/spec").join(path)
}

/// The published files of specification 000 by name, sorted.
pub fn samples() -> Vec<(String, Vec<u8>)> {
    folder("amem")
}

/// The published files of specifications 003 and 004, or those of others, by name, sorted.
pub fn texts(name: &str) -> Vec<(String, String)> {
    let text = |bytes| String::from_utf8(bytes).expect("the samples are text");
    folder(name).into_iter().map(|(name, bytes)| (name, text(bytes))).collect()
}

fn folder(name: &str) -> Vec<(String, Vec<u8>)> {
    let root = spec(&format!("samples/{name}"));
    let Ok(entries) = std::fs::read_dir(&root) else {
        eprintln!("SKIPPED: the sample files in shared/spec/samples/{name} are not here");
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
    paths.sort();
    let name = |p: &Path| p.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    paths.iter().map(|p| (name(p), std::fs::read(p).expect("a readable sample"))).collect()
}

/// The text of specification 000.
pub fn document() -> Option<String> {
    let text = std::fs::read_to_string(spec("seeds/000_4ea010907e224275.txt")).ok();
    if text.is_none() {
        eprintln!("SKIPPED: the specification in shared/spec/seeds is not here");
    }
    text
}
