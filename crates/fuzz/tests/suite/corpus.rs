//! The corpus: every file of it through its target.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use idetic_fuzz::targets;

/// Longest file of the corpus: it is read by people, too.
const FILE_MAX_BYTES: usize = 4 << 10;
/// Most files of a target: what adds nothing is left out.
const FILES_MAX: usize = 100;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus")
}

/// The inputs of a target by the names of their files.
pub fn inputs(target: &str) -> Vec<(String, Vec<u8>)> {
    let entries = std::fs::read_dir(folder().join(target)).into_iter().flatten().flatten();
    let mut inputs: Vec<(String, Vec<u8>)> = entries
        .map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            (format!("{target}/{name}"), std::fs::read(entry.path()).expect("a file of the corpus"))
        })
        .collect();
    inputs.sort();
    inputs
}

#[test]
fn every_file_of_the_corpus_passes() {
    let (mut count, mut broken) = (0, Vec::new());
    for target in targets() {
        for (name, input) in inputs(target.name) {
            if std::panic::catch_unwind(|| (target.run)(&input)).is_err() {
                broken.push(name);
            }
            count += 1;
        }
    }
    assert!(broken.is_empty(), "{broken:?}");
    eprintln!("figure: fuzzing, corpus: {count} files replayed");
}

#[test]
fn every_target_has_a_small_corpus_and_every_corpus_a_target() {
    let names: BTreeSet<String> = targets().map(|target| target.name.to_owned()).collect();
    let entries = std::fs::read_dir(folder()).expect("the corpus").flatten();
    let folders: BTreeSet<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    assert_eq!(names, folders);
    for name in names {
        let inputs = inputs(&name);
        assert!((1..=FILES_MAX).contains(&inputs.len()), "{name}: {} files", inputs.len());
        for (file, input) in inputs {
            assert!(input.len() <= FILE_MAX_BYTES, "{file}: {} bytes", input.len());
        }
    }
}
