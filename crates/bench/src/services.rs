//! The bench of the memory services: what an invocation is reminded of, against three recalls in the same space.

use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;

use idetic_agent::retrieval::{RetrievalLimits, remind};
use idetic_core::{Record, Time};
use idetic_model::{Embedder, MiniLm};
use idetic_ops::{EpisodeDraft, FactDraft, Invocation, Models, Question, RecallOptions, Viewpoint};

use super::clocks::own_cpu;
use super::ground::{Ground, succeed};
use super::options::Options;
use super::progress::progress;
use super::report::{Report, Table, figure, grouped, median};
use super::run::Bench;
use super::tasks::home;
use crate::model::asset_bytes;

const SUBJECT: &str = "invocation";
/// Facts, episodes and invocations of a conversation, of each so many.
const SIZES: [usize; 2] = [1_000, 10_000];
/// What an invocation is reminded of may cost so many recalls.
const LIMIT_RECALLS: f64 = 3.0;
/// Questions of a round.
const ASKED: usize = 20;
const CONVERSATION: &str = "long";
const WORDS: [&str; 16] = [
    "harbour", "garden", "violin", "lantern", "server", "invoice", "kitchen", "release", "museum", "orchard",
    "password", "bridge", "teacher", "engine", "archive", "balcony",
];

/// Measures and writes the document; says whether every target was met.
pub fn run(root: &Path, words: &[String]) -> Result<bool, String> {
    let bench = Bench { name: "services", heading: "Reminding an agent", subjects: &[SUBJECT] };
    let options = Options::parse(words)?;
    bench.check(&options)?;
    let ground = Ground::prepare(root)?;
    let model = MiniLm::from_bytes(asset_bytes(root)?).map_err(|error| error.to_string())?;
    let model: Arc<dyn Embedder> = Arc::new(model);
    let models = Models { wanted: Some(model), local: true, ..Models::default() };
    bench.conduct(root, &ground, &options, |_, report| invocation(&ground, &options, &models, report))
}

fn invocation(ground: &Ground, options: &Options, models: &Models, report: &mut Report) -> Result<(), String> {
    let columns = ["of each", "one recall, µs", "reminders, µs", "reminders / recall", "target"];
    let mut table = Table::new("An invocation", &columns);
    table.note(
        "Processor time in one process with a warm space, all threads together. Reminders: facts, episodes, what was said in other \
         conversations, and the last invocations of a conversation as long as the others are many; the question is embedded once. \
         A recall: the ten best of everything, its question embedded too.",
    );
    let sizes = if options.quick { &SIZES[..1] } else { &SIZES[..] };
    for &size in sizes {
        progress(&format!("services: {size} facts, episodes and invocations"));
        let folder = ground.fresh(&format!("services-{size}"))?;
        let (memory, space) = home::make(&folder)?;
        let viewpoint = space.as_owner();
        fill(&viewpoint, size)?;
        progress("services: embedding them");
        succeed(ground.idetic(&folder, &["dream"]).stdout(Stdio::null()), "idetic dream")?;
        let now = memory.env().now();
        remind_once(&viewpoint, models, 0, now)?;
        recall_once(&viewpoint, models, 0)?;
        let (mut recalls, mut reminders) = (Vec::new(), Vec::new());
        for round in 0..options.rounds() {
            recalls.push(each(|n| recall_once(&viewpoint, models, round * ASKED + n))?);
            reminders.push(each(|n| remind_once(&viewpoint, models, round * ASKED + n, now))?);
        }
        drop(memory);
        let ratio = median(reminders.iter().zip(&recalls).map(|(all, one)| all / one).collect());
        let figures = [figure(median(recalls)), figure(median(reminders)), format!("{} ×", figure(ratio))];
        table.row([grouped(size as u64)].into_iter().chain(figures).chain([format!("≤ {LIMIT_RECALLS} ×")]));
        report.at_most(
            format!("reminders at {} of each, in recalls", grouped(size as u64)),
            LIMIT_RECALLS,
            ratio,
            " ×",
        );
    }
    report.tables.push(table);
    Ok(())
}

/// Microseconds of processor time for each of so many.
fn each(mut work: impl FnMut(usize) -> Result<(), String>) -> Result<f64, String> {
    let before = own_cpu();
    for n in 0..ASKED {
        work(n)?;
    }
    Ok((own_cpu() - before).as_secs_f64() * 1e6 / ASKED as f64)
}

fn question(n: usize) -> String {
    let word = |shift: usize| WORDS[(n * 7 + shift * 5 + n / 16) % WORDS.len()];
    format!("Where is the {} of the {} near the {}?", word(0), word(1), word(2))
}

fn recall_once(viewpoint: &Viewpoint, models: &Models, n: usize) -> Result<(), String> {
    let asked = Question { query: question(n), ..Question::default() };
    let found =
        viewpoint.recall_one(models, &RecallOptions::default(), &asked, &mut |_| {}).map_err(|e| e.to_string())?;
    if found.hits.is_empty() { Err("nothing is found".to_owned()) } else { Ok(()) }
}

fn remind_once(viewpoint: &Viewpoint, models: &Models, n: usize, now: Time) -> Result<(), String> {
    let wanted = RetrievalLimits { facts: 5, episodes: 3 };
    let found = remind(viewpoint, models, &question(n), "", CONVERSATION, wanted, now).map_err(|e| e.to_string())?;
    if found.facts.is_empty() || found.conversation.is_none() { Err("nothing is found".to_owned()) } else { Ok(()) }
}

/// Stores so many of each, in batches.
fn fill(viewpoint: &Viewpoint, size: usize) -> Result<(), String> {
    let word = |n: usize, shift: usize| WORDS[(n / 16_usize.pow(shift as u32 % 4) + shift) % WORDS.len()];
    let failed = |error: idetic_ops::Error| error.to_string();
    for first in (0..size).step_by(500) {
        let mut records: Vec<Record> = Vec::new();
        for n in first..(first + 500).min(size) {
            let text = format!("The {} of person {n} is beside the {} and the {}", word(n, 0), word(n, 1), word(n, 2));
            records.push(FactDraft { text, ..FactDraft::default() }.to_record().map_err(failed)?);
            let goal = format!("Move the {} number {n} to the {}", word(n, 1), word(n, 3));
            records.push(
                EpisodeDraft { goal, outcome: "done".to_owned(), ..EpisodeDraft::default() }
                    .to_record()
                    .map_err(failed)?,
            );
            let query = format!("What about the {} number {n}?", word(n, 2));
            let invocation =
                Invocation { query, result: format!("it is at the {}", word(n, 0)), ..Invocation::default() };
            records.push(invocation.to_record(CONVERSATION).map_err(failed)?);
        }
        viewpoint.append(records, None).map_err(failed)?;
    }
    Ok(())
}
