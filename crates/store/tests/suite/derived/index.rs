//! The files of the recall index with changed bits: what is mapped is what was written, or it is said that it is not.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use idetic_core::Hash;
use idetic_store::{Blocks, Error, LaneFiles, Series};
use tempfile::TempDir;

use super::flip;
use crate::suite::given::{self, scrambled};

const MODEL: Series = Series::Vectors("model@1");

fn sealed() -> (TempDir, Blocks, PathBuf) {
    let folder = given::folder();
    let block = |n: u64| (0..2000).flat_map(|place| scrambled(n * 4000 + place).to_le_bytes()).collect::<Vec<u8>>();
    let blocks: Blocks =
        BTreeMap::from(["a__actor__ltm", "shared"].map(|lane| (lane.to_owned(), block(lane.len() as u64))));
    let files = LaneFiles::open(folder.path());
    let writing = files.write().expect("no trouble").expect("it may be written");
    writing.seal(MODEL, 300, Hash([1; 32]), &blocks).expect("sealed");
    let name = files.manifest().series(MODEL)[0].file.clone();
    let file = folder.path().join("lanes").join(name);
    (folder, blocks, file)
}

/// What a question would see of a lane.
fn seen(files: &LaneFiles, lane: &str) -> Result<Option<Vec<u8>>, Error> {
    let mapped = files.map(&files.manifest(), MODEL)?.expect("all there");
    files.check_changed(&files.manifest(), MODEL, &mapped, &[lane.to_owned()])?;
    Ok(mapped[0].block(lane)?.map(<[u8]>::to_vec))
}

#[test]
fn a_changed_bit_in_a_file_of_vectors_is_noticed_before_it_is_used() {
    let (folder, blocks, file) = sealed();
    let pristine = fs::read(&file).expect("a file");
    let mut noticed = 0;
    for round in 0..300 {
        let bit = (scrambled(round) % (pristine.len() as u64 * 8)) as usize;
        fs::write(&file, &pristine).expect("written");
        flip(&file, bit);
        let is_noticed = ["a__actor__ltm", "shared"].map(|lane| match seen(&LaneFiles::open(folder.path()), lane) {
            Ok(found) => {
                assert_eq!(found.as_ref(), blocks.get(lane), "bit {bit}");
                false
            }
            Err(Error::Corrupt(_)) => true,
            Err(other) => panic!("{other}"),
        });
        noticed += usize::from(is_noticed.contains(&true));
    }
    assert!(noticed > 295, "only gaps between blocks may change unnoticed, but {noticed} of 300 were noticed");
}

#[test]
fn a_changed_bit_is_noticed_by_whoever_has_the_file_mapped() {
    let (folder, blocks, file) = sealed();
    let files = LaneFiles::open(folder.path());
    assert_eq!(seen(&files, "shared").expect("whole").as_ref(), blocks.get("shared"));
    let mapped = files.map(&files.manifest(), MODEL).expect("whole").expect("all there");
    assert!(mapped[0].is_untouched());
    let mut bytes = fs::read(&file).expect("a file");
    let last = bytes.len() - 200;
    bytes[last] ^= 4;
    fs::write(&file, &bytes).expect("written");
    assert!(!mapped[0].is_untouched());
    assert!(matches!(seen(&files, "shared"), Err(Error::Corrupt(_))));
    assert_eq!(files.check().len(), 1);
    bytes[last] ^= 4;
    fs::write(&file, &bytes).expect("written");
    assert_eq!(seen(&files, "shared").expect("whole").as_ref(), blocks.get("shared"));
}

/// That a file was checked is believed only as long as it looks the same.
#[test]
fn what_was_checked_is_noted_and_not_believed_when_that_is_damaged() {
    let (folder, blocks, _) = sealed();
    let noted = folder.path().join("lanes/checked.json");
    let text = fs::read(&noted).expect("the writer noted it");
    for bit in 0..text.len() * 8 {
        fs::write(&noted, &text).expect("written");
        flip(&noted, bit);
        assert_eq!(seen(&LaneFiles::open(folder.path()), "shared").expect("whole").as_ref(), blocks.get("shared"));
    }
    fs::remove_file(&noted).expect("removed");
    assert_eq!(seen(&LaneFiles::open(folder.path()), "shared").expect("whole").as_ref(), blocks.get("shared"));
    assert!(noted.exists(), "whoever checks it notes it down");
}

#[test]
fn a_changed_bit_in_the_list_is_damage_and_another_version_is_none() {
    let (folder, _, _) = sealed();
    let list = folder.path().join("lanes/manifest.json");
    let text = fs::read(&list).expect("a list");
    let files = LaneFiles::open(folder.path());
    assert!(!files.list_is_damaged());
    for bit in 0..text.len() * 8 {
        fs::write(&list, &text).expect("written");
        flip(&list, bit);
        assert!(files.list_is_damaged(), "bit {bit}");
        assert_eq!(files.manifest().series(MODEL).len(), 0);
    }
    let old = "{\"version\":1,\"documents\":[],\"vectors\":{}}";
    fs::write(&list, format!("{old}\n{}\n", Hash::of(old.as_bytes()))).expect("written");
    assert!(!files.list_is_damaged() && files.manifest().series(MODEL).is_empty());
}
