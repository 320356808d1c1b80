//! Real sentences with their vectors, made once and kept in the target directory.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::available_parallelism;

use idetic_model::{Embedder, MiniLm};

use crate::progress::progress;
use crate::python::Python;
use crate::records::mix;
use crate::report::grouped;

/// Numbers of a vector.
pub const DIMENSIONS: usize = MiniLm::DIMENSIONS;
/// How long the noise is that makes a new vector of a real one.
const NOISE: f32 = 0.3;
/// Texts embedded between two writes.
const PAGE_TEXTS: usize = 2_000;
/// Sentences embedded by a quick run and by a whole one.
const QUICK_TEXTS: usize = 10_000;
/// Words of a question that is put to the words' part.
const QUESTION_WORDS: usize = 8;

/// Texts and questions with their vectors.
pub struct Corpus {
    folder: PathBuf,
    /// Passages.
    pub texts: Vec<String>,
    /// Sentences held out, to search for by meaning.
    pub questions: Vec<String>,
    /// The vectors of the first texts, as many as were embedded.
    vectors: Vec<f32>,
    /// The vectors of the questions.
    pub question_vectors: Vec<Vec<f32>>,
    sources: BTreeMap<String, u64>,
}

impl Corpus {
    /// Gathers and embeds what is not there yet.
    pub fn prepare(root: &Path, target: &Path, python: &Python, model: &MiniLm, quick: bool) -> Result<Self, String> {
        let folder = target.join("recall-data");
        fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        if !folder.join("sources.json").exists() {
            progress("gathering sentences");
            python.run(root, "sentences.py", &[&sysroot()?, &folder])?;
        }
        let sources = fs::read(folder.join("sources.json")).map_err(|e| e.to_string())?;
        let mut corpus = Self {
            texts: lines(&folder.join("texts.jsonl"))?,
            questions: lines(&folder.join("questions.jsonl"))?,
            vectors: Vec::new(),
            question_vectors: Vec::new(),
            sources: serde_json::from_slice(&sources).map_err(|e| e.to_string())?,
            folder,
        };
        if corpus.texts.len() < QUICK_TEXTS {
            return Err("there are too few sentences: the toolchain's component rust-docs is needed".to_owned());
        }
        let wanted = if quick { QUICK_TEXTS } else { corpus.texts.len() };
        corpus.vectors = embedded(model, &corpus.texts, wanted, &corpus.vectors_path(model, "texts"))?;
        let questions = corpus.vectors_path(model, "questions");
        let vectors = embedded(model, &corpus.questions, corpus.questions.len(), &questions)?;
        corpus.question_vectors = vectors.chunks_exact(DIMENSIONS).map(<[f32]>::to_vec).collect();
        Ok(corpus)
    }

    /// Where the vectors of the questions lie.
    pub fn questions_path(&self, model: &MiniLm) -> PathBuf {
        self.vectors_path(model, "questions")
    }

    /// Where the texts lie.
    pub fn texts_path(&self) -> PathBuf {
        self.folder.join("texts.jsonl")
    }

    fn vectors_path(&self, model: &MiniLm, of: &str) -> PathBuf {
        let revision: String = model.id().revision.chars().take(8).collect();
        self.folder.join(format!("{of}-{revision}.f32"))
    }

    /// So many vectors and the file that holds them: real ones, then copies of them with noise.
    pub fn vectors(&self, model: &MiniLm, count: usize) -> Result<(Vec<f32>, PathBuf), String> {
        let real = self.embedded();
        if count <= real {
            return Ok((self.vectors[..count * DIMENSIONS].to_vec(), self.vectors_path(model, "texts")));
        }
        progress(&format!("making {count} vectors of {real}"));
        let mut vectors = self.vectors.clone();
        vectors.reserve((count - real) * DIMENSIONS);
        for number in real..count {
            let original = &self.vectors[number % real * DIMENSIONS..][..DIMENSIONS];
            vectors.extend(perturbed(original, number as u64));
        }
        let path = self.folder.join(format!("noisy-{count}-of-{real}.f32"));
        if fs::metadata(&path).map_or(0, |file| file.len()) != (count * DIMENSIONS * 4) as u64 {
            let mut file = BufWriter::new(File::create(&path).map_err(|e| e.to_string())?);
            write_numbers(&mut file, &vectors)?;
        }
        Ok((vectors, path))
    }

    /// How many texts have vectors of their own.
    pub fn embedded(&self) -> usize {
        self.vectors.len() / DIMENSIONS
    }

    /// The text with a number, from the beginning again after the last.
    pub fn text(&self, number: usize) -> &str {
        &self.texts[number % self.texts.len()]
    }

    /// The first words of each question: what somebody would ask.
    pub fn short_questions(&self) -> Vec<String> {
        let first = |text: &String| text.split_whitespace().take(QUESTION_WORDS).collect::<Vec<_>>().join(" ");
        self.questions.iter().map(first).collect()
    }

    /// Where the texts come from, in a sentence.
    pub fn describe(&self) -> String {
        let each: Vec<String> =
            self.sources.iter().map(|(name, count)| format!("{} {name}", grouped(*count))).collect();
        format!(
            "Texts: {} sentences from the Rust toolchain's documentation and the PyPI packages vaderSentiment 0.5 \
             (tweets, reviews, editorials) and Django 5.2 (documentation): {}. Questions: {} sentences held out; for \
             words their first {QUESTION_WORDS} words. {} sentences are embedded by the built-in model; beyond that, \
             texts repeat and vectors are copies with Gaussian noise of length {NOISE} added.",
            grouped(self.texts.len() as u64),
            each.join(", "),
            self.questions.len(),
            grouped(self.embedded() as u64),
        )
    }
}

/// Where the toolchain lies.
fn sysroot() -> Result<PathBuf, String> {
    let output = Command::new("rustc").args(["--print", "sysroot"]).output().map_err(|e| format!("rustc: {e}"))?;
    Ok(PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()))
}

fn lines(path: &Path) -> Result<Vec<String>, String> {
    let text = fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    text.lines().map(|line| serde_json::from_str(line).map_err(|e| e.to_string())).collect()
}

/// The vectors of at least the first `wanted` texts: those in the file, and the missing ones, which are added to it.
fn embedded(model: &MiniLm, texts: &[String], wanted: usize, path: &Path) -> Result<Vec<f32>, String> {
    let bytes = fs::read(path).unwrap_or_default();
    let mut vectors: Vec<f32> = bytes.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
    vectors.truncate(vectors.len() / DIMENSIONS * DIMENSIONS);
    let mut file = OpenOptions::new().create(true).append(true).open(path).map_err(|e| e.to_string())?;
    file.set_len((vectors.len() * 4) as u64).map_err(|e| e.to_string())?;
    let threads = available_parallelism().map_or(1, usize::from);
    while vectors.len() / DIMENSIONS < wanted {
        let from = vectors.len() / DIMENSIONS;
        progress(&format!("embedding {from} of {wanted}"));
        let page: Vec<&str> = texts[from..].iter().take(PAGE_TEXTS).map(String::as_str).collect();
        let made: Vec<f32> = model.embed_parallel(&page, threads).concat();
        write_numbers(&mut file, &made)?;
        vectors.extend(made);
    }
    Ok(vectors)
}

fn write_numbers(file: &mut impl Write, numbers: &[f32]) -> Result<(), String> {
    for page in numbers.chunks(1 << 16) {
        let bytes: Vec<u8> = page.iter().flat_map(|x| x.to_le_bytes()).collect();
        file.write_all(&bytes).map_err(|e| e.to_string())?;
    }
    file.flush().map_err(|e| e.to_string())
}

/// A vector near another one, of length one.
fn perturbed(vector: &[f32], seed: u64) -> Vec<f32> {
    let deviation = NOISE / (vector.len() as f32).sqrt();
    let seed = mix(seed);
    // The sum of twelve numbers between 0 and 1 is as good as normal, with a deviation of 1 around 6.
    let noise = |at: usize| {
        let sum = |chance: u64| (0..4).map(|part| (chance >> (part * 16) & 0xffff) as f32 / 65_536.0).sum::<f32>();
        let chances = (0..3).map(|round| sum(mix(seed ^ (at * 3 + round) as u64)));
        chances.sum::<f32>() - 6.0
    };
    let mut noisy: Vec<f32> = vector.iter().enumerate().map(|(at, x)| x + deviation * noise(at)).collect();
    let length = noisy.iter().map(|x| x * x).sum::<f32>().sqrt();
    noisy.iter_mut().for_each(|x| *x /= length);
    noisy
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_perturbed_vector_is_of_length_one_and_as_far_away_as_the_noise_is_long() {
        let vector: Vec<f32> = (0..DIMENSIONS).map(|_| 1.0 / (DIMENSIONS as f32).sqrt()).collect();
        for seed in 0..20 {
            let noisy = perturbed(&vector, seed);
            let cosine: f32 = noisy.iter().zip(&vector).map(|(a, b)| a * b).sum();
            let length: f32 = noisy.iter().map(|x| x * x).sum();
            assert!((length - 1.0).abs() < 1e-4, "{length}");
            assert!((0.94..0.975).contains(&cosine), "{cosine}");
        }
    }
}
