//! One run of `cargo xtask bench log`: the subjects in turn, then the document.

use std::path::Path;

use idetic_core::Time;

use super::clocks::since_1970;
use super::document::{self, PATH};
use super::ground::Ground;
use super::machine::{self, Load};
use super::options::Options;
use super::report::Report;
use super::subjects::{append, flushes, folds, memory, reads, wall};

/// What one subject adds to the report.
type Subject = fn(&Ground, &Options, &mut Report) -> Result<(), String>;

/// In the order they are measured: the spaces that later ones read are filled by `memory`.
const SUBJECTS: [(&str, Subject); 6] = [
    ("append", append::run),
    ("flushes", flushes::run),
    ("wall", wall::run),
    ("memory", memory::run),
    ("folds", folds::run),
    ("reads", reads::run),
];

/// Measures and writes the document; says whether every target was met.
pub fn run(root: &Path, words: &[String]) -> Result<bool, String> {
    let options = Options::parse(words)?;
    let names = SUBJECTS.map(|(name, _)| name);
    if let Some(unknown) = options.only.iter().find(|name| !names.contains(&name.as_str())) {
        return Err(format!("there is no subject '{unknown}', only {}", names.join(", ")));
    }
    progress("building");
    let ground = Ground::prepare(root)?;
    let load = Load::watch();
    let mut report = Report::default();
    for (name, subject) in SUBJECTS {
        if options.only.is_empty() || options.only.iter().any(|only| only == name) {
            progress(name);
            subject(&ground, &options, &mut report)?;
        }
    }
    let section = section(&ground, &options, &load, &report);
    if options.only.is_empty() {
        document::write_section(root, "log", &section)?;
        progress(&format!("written to {PATH}"));
    } else {
        println!("{section}");
    }
    for target in report.targets.iter().filter(|t| !t.met) {
        progress(&format!("missed: {}: {} measured, {} wanted", target.what, target.measured, target.wanted));
    }
    Ok(report.targets.iter().all(|t| t.met))
}

/// A line about how far the run is.
pub fn progress(text: &str) {
    eprintln!("bench: {text}");
}

fn section(ground: &Ground, options: &Options, load: &Load, report: &Report) -> String {
    let now = Time(i64::try_from(since_1970().as_micros()).unwrap_or(i64::MAX));
    let date = options.date.clone().unwrap_or_else(|| now.day());
    let flags = [(options.quick, " --quick"), (options.long, " --long")];
    let flags: String = flags.iter().filter(|(set, _)| *set).map(|(_, flag)| *flag).collect();
    let mut about = vec![format!("Date: {date}. Command: `cargo xtask bench log{flags}`.")];
    about.extend(machine::describe(ground.folder()));
    about.push(load.say());
    let about: Vec<String> = about.iter().map(|sentence| format!("- {sentence}")).collect();
    format!("## The log\n\n{}\n{}", about.join("\n"), report.markdown())
}
