//! One text against ten thousand summaries, letter by letter, against RapidFuzz.

use idetic_search::fuzzy::FuzzyIndex;
use serde::Deserialize;
use serde_json::json;

use super::setting::Setting;
use crate::clocks::thread_cpu_us;
use crate::records::mix;
use crate::report::{Report, Table, figure, grouped, median};

const SUMMARIES: u64 = 10_000;
const QUESTIONS: usize = 60;
const CUTOFF: f64 = 60.0;
const LIMIT: f64 = 0.1;

/// What RapidFuzz found: place and the bits of the ratio.
#[derive(Deserialize)]
struct Found {
    least_us: f64,
    hits: Vec<(u64, u64)>,
}

/// Short, middling and long questions in turn with RapidFuzz; every hit must be equal to the last bit.
pub fn run(setting: &Setting, report: &mut Report) -> Result<(), String> {
    let summaries: Vec<String> = (0..SUMMARIES).map(|number| summary(setting, number)).collect();
    let mut index = FuzzyIndex::new();
    (0..).zip(&summaries).for_each(|(id, text)| index.insert(id, text));
    let mut peer = setting.python.peer(&setting.root, "fuzzy_peer.py", &[])?;
    let _: serde_json::Value = peer.ask(&json!({ "texts": summaries }))?;
    let mut table = Table::new("Search by letters", &["question", "RapidFuzz, µs", "Idetic, µs", "ratio", "target"]);
    table.note(format!(
        "`FuzzyIndex::search` among {} summaries of loops with a cutoff of {CUTOFF} against RapidFuzz 3.14.6, which is \
         given the fastest of `extract` and `cdist`, with the texts processed beforehand and not. All hits and ratios \
         are equal to the last bit.",
        grouped(SUMMARIES)
    ));
    let words = |text: &str, most: usize| text.split_whitespace().take(most).collect::<Vec<_>>().join(" ");
    let sentence = |at: usize| setting.corpus.questions[at].clone();
    let kinds: [(&str, Vec<String>); 3] = [
        ("four words", (0..QUESTIONS).map(|at| words(&sentence(at), 4)).collect()),
        ("a sentence", (0..QUESTIONS).map(sentence).collect()),
        ("a summary", (0..QUESTIONS).map(|at| summary(setting, SUMMARIES + at as u64)).collect()),
    ];
    let (mut all_ours, mut all_theirs) = (Vec::new(), Vec::new());
    for (name, questions) in kinds {
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for question in &questions {
            let found: Found = peer.ask(&json!({ "question": question, "cutoff": CUTOFF }))?;
            let (took, mut hits) = thread_cpu_us(|| index.search(question, CUTOFF));
            hits.sort_unstable_by_key(|(id, _)| *id);
            let hits: Vec<(u64, u64)> = hits.into_iter().map(|(id, ratio)| (id, ratio.to_bits())).collect();
            if hits != found.hits {
                return Err(format!("'{question}' is not found as RapidFuzz finds it"));
            }
            ours.push(took);
            theirs.push(found.least_us);
        }
        push_row(&mut table, name, &ours, &theirs);
        all_ours.extend(ours);
        all_theirs.extend(theirs);
    }
    push_row(&mut table, "all", &all_ours, &all_theirs);
    let ratio = median(all_ours) / median(all_theirs);
    report.at_most("search by letters among 10 000 summaries against RapidFuzz", LIMIT, ratio, " ×");
    report.tables.push(table);
    Ok(())
}

fn push_row(table: &mut Table, name: &str, ours: &[f64], theirs: &[f64]) {
    let (ours, theirs) = (median(ours.to_vec()), median(theirs.to_vec()));
    let ratio = format!("{} ×", figure(ours / theirs));
    table.row([name.to_owned(), figure(theirs), figure(ours), ratio, format!("≤ {LIMIT} ×")]);
}

/// What a loop leaves behind: what was asked and what was done.
fn summary(setting: &Setting, number: u64) -> String {
    let text = |salt: u64| setting.corpus.text((mix(number * 4 + salt) % setting.corpus.texts.len() as u64) as usize);
    let more = if mix(number).is_multiple_of(2) { text(2) } else { "" };
    format!("user_input: {}\nactor_output: {} {more}", text(0), text(1))
}
