//! A file of the recall index with its table of contents: what it gives is what was written.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};

use idetic_core::Hash;
use idetic_search::{Block, Segment, join};
use idetic_store::{LaneFile, LaneFiles, Series};

use crate::index::SEGMENT;
use crate::patch::damaged;
use crate::scratch;

/// A file of the index that is whole.
struct Whole {
    bytes: Vec<u8>,
    blocks: BTreeMap<String, Vec<u8>>,
    path: PathBuf,
}

static FILE: LazyLock<Mutex<Whole>> = LazyLock::new(|| {
    let folder = scratch::folder("lanes");
    let files = LaneFiles::open(&folder);
    let both = join(&[Segment::read(Block::new(&SEGMENT).bytes()).expect("a segment that was written")]);
    let blocks = BTreeMap::from([("shared".to_owned(), SEGMENT.clone()), ("a/actor".to_owned(), both)]);
    let writing = files.write().expect("it can be written").expect("nobody else writes");
    let manifest = writing.seal(Series::Documents, 4, Hash::of(b""), &blocks).expect("it is written");
    let name = &manifest.series(Series::Documents)[0].file;
    let path = files_below(&folder).into_iter().find(|path| path.ends_with(name)).expect("the file that was written");
    let bytes = std::fs::read(&path).expect("it can be read");
    Mutex::new(Whole { bytes, blocks, path: folder.join("damaged.lanes") })
});

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.flat_map(|path| if path.is_dir() { files_below(&path) } else { vec![path] }).collect()
}

/// A file is refused, or a block of it is what was written.
pub fn lane_file(data: &[u8]) {
    let whole = FILE.lock().unwrap_or_else(PoisonError::into_inner);
    let bytes = damaged(&whole.bytes, data);
    // An empty file cannot be mapped on every system, and a file of the index is never written in place.
    let _ = std::fs::remove_file(&whole.path);
    std::fs::write(&whole.path, &bytes).expect("it can be written");
    let Ok(Some(file)) = LaneFile::open(&whole.path) else { return };
    for lane in file.lanes() {
        if let Ok(Some(block)) = file.block(lane) {
            assert_eq!(Some(block), whole.blocks.get(lane).map(Vec::as_slice), "a block is the one that was written");
        }
    }
    let _ = file.check();
}
