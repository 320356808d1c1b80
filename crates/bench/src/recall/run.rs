//! One run of `cargo xtask bench recall`.

use std::path::Path;

use super::setting::Setting;
use super::{cold, embedder, equal, fuzzy, ingest, search};
use crate::options::Options;
use crate::report::Report;
use crate::run::Bench;

/// What one subject adds to the report.
type Subject = fn(&Setting, &mut Report) -> Result<(), String>;

const SUBJECTS: [(&str, Subject); 6] = [
    ("search", search::run),
    ("fuzzy", fuzzy::run),
    ("fuzzy-equal", equal::run),
    ("ingest", ingest::run),
    ("cold", cold::run),
    ("embedder", embedder::run),
];

/// Measures and writes the document; says whether every target was met.
pub fn run(root: &Path, words: &[String]) -> Result<bool, String> {
    let bench = Bench { name: "recall", heading: "Recall", subjects: &SUBJECTS.map(|(name, _)| name) };
    let options = Options::parse(words)?;
    bench.check(&options)?;
    let setting = Setting::prepare(root, options)?;
    bench.conduct(root, &setting.ground, &setting.options, |name, report| {
        let (_, subject) = SUBJECTS.iter().find(|(own, _)| *own == name).ok_or("no such subject")?;
        subject(&setting, report)
    })
}
