//! Vectors: golden values of the reference, and the same bits alone, in any batch and on any processor.

use idetic_model::MiniLm;
use proptest::prelude::*;

use crate::suite::assets::{BYTES, MODEL};

#[test]
fn vectors_are_those_of_the_reference() {
    let golden = include_str!("../golden/vectors.jsonl");
    let mut least = 1.0_f64;
    for line in golden.lines() {
        let (text, hex): (String, String) = serde_json::from_str(line).expect("golden values are well formed");
        let reference: Vec<f64> = (0..hex.len() / 4).map(|at| half(&hex[at * 4..at * 4 + 4])).collect();
        let ours = MODEL.embed(&text);
        assert_eq!(ours.len(), reference.len());
        least = least.min(cosine(&ours, &reference));
    }
    // What is left is the rounding of the golden values and of the weights.
    assert!(least >= 0.9999, "{least}");
}

#[test]
fn vectors_have_length_one() {
    for text in ["", "a", "Two words", &"long ".repeat(500)] {
        let length: f64 = MODEL.embed(text).iter().map(|x| f64::from(*x) * f64::from(*x)).sum();
        assert!((length - 1.0).abs() < 1e-6, "{text}: {length}");
    }
}

#[test]
fn every_processor_gives_the_same_bits() {
    let texts =
        ["", "The same answer on every machine.", "日本語 😀 naïve", &"many words of a longer text ".repeat(30)];
    let models = MiniLm::on_all_instructions(*BYTES).expect("the asset is a model");
    assert_eq!(models.last().expect("there is always one").instructions(), "portable");
    let first = bits(&models[0].embed_batch(&texts));
    for model in &models[1..] {
        assert!(bits(&model.embed_batch(&texts)) == first, "{} differs", model.instructions());
    }
}

#[test]
fn every_machine_gives_the_same_bits() {
    let texts = ["", "The same answer on every machine.", "日本語 😀 naïve", &"many words of a longer text ".repeat(9)];
    let bytes: Vec<u8> = MODEL.embed_batch(&texts).iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
    // Taken on x86-64 with AVX-512, and found again with NEON.
    assert_eq!(
        blake3::hash(&bytes).to_hex().as_str(),
        "0acf8aea5e0b3b157499971a7214ca6cecbee2573fca4331d8339e860f804424"
    );
}

#[test]
fn threads_change_nothing() {
    let texts: Vec<String> = (0..50).map(|at| format!("sentence {at} {}", "and more ".repeat(at % 17))).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let alone = bits(&MODEL.embed_batch(&texts));
    for threads in [0, 1, 2, 3, 64, 1000] {
        assert!(bits(&MODEL.embed_parallel(&texts, threads)) == alone, "{threads}");
    }
    assert!(MODEL.embed_parallel(&[], 4).is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn a_vector_is_the_same_bits_alone_and_in_any_batch(
        texts in prop::collection::vec("([a-z]{1,9} ){0,40}|\\PC{0,30}", 1..12),
    ) {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let together = bits(&MODEL.embed_batch(&texts));
        for (text, vector) in texts.iter().zip(together) {
            prop_assert_eq!(&bits(&[MODEL.embed(text)])[0], &vector);
        }
    }
}

fn bits(vectors: &[Vec<f32>]) -> Vec<Vec<u32>> {
    vectors.iter().map(|vector| vector.iter().map(|x| x.to_bits()).collect()).collect()
}

/// A half-precision number from its two bytes in hexadecimal, low byte first.
fn half(hex: &str) -> f64 {
    let bits = u16::from_str_radix(hex, 16).expect("golden values are well formed").swap_bytes();
    let size = f64::from(bits & 0x3ff);
    let exponent = i32::from(bits >> 10 & 0x1f);
    let size = if exponent == 0 { size * 2_f64.powi(-24) } else { (size + 1024.0) * 2_f64.powi(exponent - 25) };
    if bits & 0x8000 == 0 { size } else { -size }
}

fn cosine(a: &[f32], b: &[f64]) -> f64 {
    let dot: f64 = a.iter().zip(b).map(|(a, b)| f64::from(*a) * b).sum();
    let length = |squares: f64| squares.sqrt();
    dot / (length(a.iter().map(|x| f64::from(*x).powi(2)).sum()) * length(b.iter().map(|x| x * x).sum()))
}
