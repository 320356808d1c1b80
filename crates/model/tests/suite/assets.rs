//! The asset, and what is refused in its place.

use std::sync::LazyLock;

use idetic_model::asset::CHECKSUM;
use idetic_model::{Embedder, MiniLm, ModelError};

/// The asset as it will be inside the program.
pub static BYTES: LazyLock<&'static [u8]> = LazyLock::new(|| {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../weights/assets/minilm.bin");
    Vec::leak(std::fs::read(path).expect("`cargo xtask model` writes the asset"))
});

pub static MODEL: LazyLock<MiniLm> = LazyLock::new(|| MiniLm::from_bytes(*BYTES).expect("the asset is a model"));

#[test]
fn the_asset_is_the_published_one() {
    assert_eq!(blake3::hash(*BYTES).to_hex().as_str(), CHECKSUM);
}

#[test]
fn a_model_names_itself_and_its_weights() {
    let id = MODEL.id();
    assert_eq!(id.name, "all-MiniLM-L6-v2");
    assert_eq!(id.revision.len(), 64);
    assert_eq!(MODEL.dimensions(), 384);
}

#[test]
fn other_bytes_are_refused() {
    let refusal = |bytes: Vec<u8>| MiniLm::from_bytes(Vec::leak(bytes)).err();
    assert_eq!(refusal(Vec::new()), Some(ModelError::NotAnAsset));
    assert_eq!(refusal(vec![0; 1000]), Some(ModelError::NotAnAsset));
    let header = BYTES[..256].to_vec();
    assert_eq!(refusal(header.clone()), Some(ModelError::Damaged("it is cut off")));
    let mut newer = header.clone();
    newer[8] = 9;
    assert_eq!(refusal(newer), Some(ModelError::Version { found: 9, wanted: 1 }));
    for place in [12, 16, 80] {
        let mut other = header.clone();
        other[place] ^= 0xff;
        assert!(matches!(refusal(other), Some(ModelError::Damaged(_))), "{place}");
    }
}

#[test]
fn a_damaged_table_is_refused_or_runs_but_never_panics() {
    // Starts and lengths of sections, pieces, their ends, slots of the table. Few, since each keeps a copy for good.
    for place in [112, 116, 125, 133, 136, 300, 232_000, 360_001] {
        let mut bytes = BYTES.to_vec();
        bytes[place] ^= 0x55;
        if let Ok(model) = MiniLm::from_bytes(Vec::leak(bytes)) {
            assert_eq!(model.embed("still alive").len(), 384, "{place}");
        }
    }
}
