//! Search in one lane: by vectors against faiss, by words against bm25s, and the whole ranking.

use std::path::Path;

use idetic_core::Time;
use idetic_search::{Filters, Lanes, Mode, Query, Weights, instructions, nearest, rank};
use serde::Deserialize;
use serde_json::json;

use super::indexed::{Indexed, time};
use super::setting::Setting;
use crate::clocks::thread_cpu_us;
use crate::progress::progress;
use crate::python::Peer;
use crate::report::{Report, Table, figure, grouped, median};

const HITS: usize = 10;
/// At this size words are compared with bm25s.
const WORDS_AT: u64 = 100_000;
const WORDS_LIMIT: f64 = 0.1;
/// From this size on there are fewer questions and rounds, because faiss takes a tenth of a second for each.
const MANY: u64 = 1_000_000;
const FEW_QUESTIONS: usize = 50;

/// What is promised of the search by vectors: the size, the ratio to faiss, the share of the ten nearest.
const VECTOR_TARGETS: [(u64, Option<f64>, f64); 3] =
    [(10_000, Some(0.35), 1.0), (100_000, Some(0.15), 0.99), (MANY, None, 0.97)];

/// What faiss found.
#[derive(Deserialize)]
struct Found {
    p50_us: f64,
    found: Vec<Vec<usize>>,
}

/// What a question took bm25s.
#[derive(Deserialize)]
struct Took {
    p50_us: f64,
}

/// The tables that grow with each size.
struct Tables {
    vectors: Table,
    words: Table,
    whole: Table,
}

/// Every size in turn; each lane is built once.
pub fn run(setting: &Setting, report: &mut Report) -> Result<(), String> {
    let mut tables = tables(setting);
    let mut faiss = setting.python.peer(&setting.root, "vectors_peer.py", &[])?;
    for &size in setting.options.sizes() {
        progress(&format!("search: indexing {size}"));
        let (vectors, path) = setting.corpus.vectors(&setting.model, size as usize)?;
        let indexed = Indexed::new(&setting.corpus, &vectors)?;
        drop(vectors);
        let lanes = indexed.lanes()?;
        if let Some(target) = VECTOR_TARGETS.iter().find(|(own, ..)| *own == size) {
            progress(&format!("search: vectors at {size}"));
            by_vectors(setting, &lanes, &mut faiss, &path, *target, &mut tables.vectors, report)?;
        }
        if size == WORDS_AT {
            progress(&format!("search: words at {size}"));
            by_words(setting, &lanes, &mut tables.words, report)?;
        }
        progress(&format!("search: the whole ranking at {size}"));
        whole(setting, &lanes, size, &mut tables.whole);
    }
    report.tables.extend([tables.vectors, tables.words, tables.whole]);
    Ok(())
}

fn tables(setting: &Setting) -> Tables {
    let columns = ["vectors", "faiss, µs", "Idetic, µs", "ratio", "target", "recall@10", "target"];
    let mut vectors = Table::new("Search by vectors", &columns);
    vectors.note(setting.corpus.describe());
    vectors.note(format!(
        "384 dimensions, the 10 nearest, one thread, processor time of the middle question; `nearest` on lanes (its scans \
         use {}) against faiss 1.15.1 `IndexFlatIP`, which compares all exactly. Both in turn, the middle of the ratios.",
        instructions()
    ));
    let mut words = Table::new("Search by words", &["texts", "bm25s, µs", "Idetic, µs", "ratio", "target"]);
    words.note(
        "`rank` by words alone, all its parts included, against bm25s 0.2.14 with stop words and Snowball stems.",
    );
    let columns = ["documents", "by words, µs", "by vectors, µs", "hybrid, µs", "hybrid, 95 of 100 below, µs"];
    let mut whole = Table::new("The whole ranking", &columns);
    whole.note("`rank` with every part, the question's vector given; 10 hits.");
    Tables { vectors, words, whole }
}

fn by_vectors(
    setting: &Setting,
    lanes: &Lanes<'_>,
    faiss: &mut Peer,
    path: &Path,
    (size, limit, least_recall): (u64, Option<f64>, f64),
    table: &mut Table,
    report: &mut Report,
) -> Result<(), String> {
    let questions = &setting.corpus.question_vectors;
    let (count, rounds) = if size >= MANY { (FEW_QUESTIONS, 1) } else { (questions.len(), setting.rounds()) };
    let questions = &questions[..count.min(questions.len())];
    let (mut ours, mut theirs, mut shares) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds {
        let ask = json!({
            "vectors": path, "count": size, "questions": setting.corpus.questions_path(&setting.model),
            "most_questions": questions.len(), "k": HITS,
        });
        let faiss: Found = faiss.ask(&ask)?;
        let mut times = Vec::new();
        questions.iter().take(HITS).for_each(|question| drop(nearest(lanes, question, HITS, None)));
        for (question, expected) in questions.iter().zip(&faiss.found) {
            let (took, found) = thread_cpu_us(|| nearest(lanes, question, HITS, None));
            times.push(took);
            let same = found.iter().filter(|(place, _)| expected.contains(place)).count();
            shares.push(same as f64 / HITS as f64);
        }
        ours.push(median(times));
        theirs.push(faiss.p50_us);
    }
    let ratio = median(ours.iter().zip(&theirs).map(|(ours, theirs)| ours / theirs).collect());
    let recall = shares.iter().sum::<f64>() / shares.len() as f64;
    let name = grouped(size);
    if let Some(limit) = limit {
        report.at_most(format!("search among {name} vectors against faiss"), limit, ratio, " ×");
    }
    report.at_least(format!("recall@10 among {name} vectors"), least_recall, recall, "");
    table.row([
        name,
        figure(median(theirs)),
        figure(median(ours)),
        format!("{} ×", figure(ratio)),
        limit.map_or("–".to_owned(), |limit| format!("≤ {limit} ×")),
        format!("{recall:.4}"),
        format!("≥ {least_recall}"),
    ]);
    Ok(())
}

fn by_words(setting: &Setting, lanes: &Lanes<'_>, table: &mut Table, report: &mut Report) -> Result<(), String> {
    let mut bm25s = setting.python.peer(&setting.root, "words_peer.py", &[&setting.corpus.texts_path()])?;
    let questions = setting.corpus.short_questions();
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..setting.rounds() {
        let took: Took = bm25s.ask(&json!({ "questions": questions, "k": HITS, "count": lanes.len() }))?;
        theirs.push(took.p50_us);
        ours.push(median(times(lanes, &questions, Mode::Lexical, &[])));
    }
    let ratio = median(ours.iter().zip(&theirs).map(|(ours, theirs)| ours / theirs).collect());
    let name = grouped(lanes.len() as u64);
    report.at_most(format!("search by words among {name} texts against bm25s"), WORDS_LIMIT, ratio, " ×");
    let ratio = format!("{} ×", figure(ratio));
    table.row([name, figure(median(theirs)), figure(median(ours)), ratio, format!("≤ {WORDS_LIMIT} ×")]);
    Ok(())
}

fn whole(setting: &Setting, lanes: &Lanes<'_>, size: u64, table: &mut Table) {
    let questions = setting.corpus.short_questions();
    let vectors = &setting.corpus.question_vectors;
    let words = median(times(lanes, &questions, Mode::Lexical, &[]));
    let meaning = median(times(lanes, &questions, Mode::Vector, vectors));
    let mut hybrid = times(lanes, &questions, Mode::Hybrid, vectors);
    hybrid.sort_by(f64::total_cmp);
    let most = hybrid.get(hybrid.len() * 95 / 100).copied().unwrap_or(f64::NAN);
    table.row([grouped(size), figure(words), figure(meaning), figure(median(hybrid)), figure(most)]);
}

/// Processor time of every question, in microseconds, after a few to warm up.
fn times(lanes: &Lanes<'_>, questions: &[String], mode: Mode, vectors: &[Vec<f32>]) -> Vec<f64> {
    let now = time(lanes.len());
    let ask = |at: usize| {
        let vector = vectors.get(at).map(Vec::as_slice);
        thread_cpu_us(|| rank(lanes, &query(&questions[at], now, mode), vector)).0
    };
    (0..questions.len().min(HITS)).map(ask).for_each(|_| {});
    (0..questions.len()).map(ask).collect()
}

fn query(text: &str, now: Time, mode: Mode) -> Query<'_> {
    Query { text, now, mode, k: HITS, filters: Filters::default(), weights: Weights::default() }
}
