//! The built-in model against onnxruntime, one text at a time and in batches, and how soon it is ready.

use idetic_model::MiniLm;
use serde::Deserialize;
use serde_json::json;

use super::setting::Setting;
use crate::clocks::thread_cpu_us;
use crate::model::fetched;
use crate::report::{Report, Table, figure, median};

const ROUNDS: usize = 9;
const READY_ROUNDS: usize = 100;
/// Texts in a batch.
const TEXTS: usize = 32;
/// Word pieces of each text, without the two that frame it.
const PIECES: usize = 18;
const READY_LIMIT_MS: f64 = 50.0;
const LEAST_SPEED: f64 = 1.0;
/// The least cosine of our vector with onnxruntime's: the weights here are in half precision.
const LEAST_COSINE: f32 = 0.9999;

/// What onnxruntime made of the texts.
#[derive(Deserialize)]
struct Started {
    vectors: Vec<Vec<f32>>,
}

/// What a round took.
#[derive(Deserialize)]
struct Took {
    cpu_us: f64,
}

/// Both in turn over the same texts.
pub fn run(setting: &Setting, report: &mut Report) -> Result<(), String> {
    let make_often = || (0..READY_ROUNDS).try_for_each(|_| MiniLm::from_bytes(setting.asset).map(drop));
    let (ready, made) = thread_cpu_us(make_often);
    made.map_err(|error| error.to_string())?;
    let ready_ms = ready / 1e3 / READY_ROUNDS as f64;
    let model = &setting.model;
    let texts: Vec<String> = setting.corpus.texts.iter().filter_map(|text| cut(model, text)).take(TEXTS).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let folder = fetched(&setting.python, &setting.target)?;
    let mut peer = setting.python.peer(&setting.root, "embed_peer.py", &[&folder])?;
    let started: Started = peer.ask(&json!({ "texts": texts }))?;
    let vectors = model.embed_batch(&texts);
    let least_cosine = vectors.iter().zip(&started.vectors).map(|(a, b)| cosine(a, b));
    let least_cosine = least_cosine.fold(1.0, f32::min);
    if least_cosine < LEAST_COSINE {
        return Err(format!("a vector differs from onnxruntime's: cosine {least_cosine}"));
    }
    let columns = ["texts at a time", "onnxruntime, µs each", "Idetic, µs each", "speed", "target"];
    let mut table = Table::new("The built-in model", &columns);
    table.note(format!(
        "all-MiniLM-L6-v2, texts of 20 word pieces, one thread, processor time; the model's instructions: {}. onnxruntime \
         1.31.1 in f32 with its fused operators. The least cosine of a vector with onnxruntime's is {least_cosine:.5}.",
        model.instructions()
    ));
    for (batch, name) in [(false, "1"), (true, "32")] {
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            ours.push(thread_cpu_us(|| round(model, batch, &texts)).0 / TEXTS as f64);
            let took: Took = peer.ask(&json!({ "batch": batch }))?;
            theirs.push(took.cpu_us / TEXTS as f64);
        }
        let speed = median(ours.iter().zip(&theirs).map(|(ours, theirs)| theirs / ours).collect());
        let cells = [name.to_owned(), figure(median(theirs)), figure(median(ours))];
        table.row(cells.into_iter().chain([format!("{} ×", figure(speed)), format!("≥ {LEAST_SPEED} ×")]));
        report.at_least(format!("speed of the model against onnxruntime, {name} at a time"), LEAST_SPEED, speed, " ×");
    }
    table.note(format!("Ready after {} ms of processor time.", figure(ready_ms)));
    report.at_most("the model's time until ready", READY_LIMIT_MS, ready_ms, " ms");
    report.tables.push(table);
    Ok(())
}

/// The first words of a text that make exactly so many word pieces, if any do.
fn cut(model: &MiniLm, text: &str) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let starts = (1..=words.len()).map(|count| words[..count].join(" "));
    starts.into_iter().find(|start| model.word_pieces(start) == PIECES)
}

fn round(model: &MiniLm, batch: bool, texts: &[&str]) {
    if batch {
        std::hint::black_box(model.embed_batch(texts));
    } else {
        texts.iter().for_each(|text| drop(std::hint::black_box(model.embed(text))));
    }
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
