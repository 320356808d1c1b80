//! One run of `cargo xtask bench log`: the subjects in turn, then the document.

use std::path::Path;

use idetic_core::Time;

use super::clocks::since_1970;
use super::document::{self, PATH};
use super::ground::Ground;
use super::machine::{self, Load};
use super::options::Options;
use super::progress::progress;
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
    let bench = Bench { name: "log", heading: "The log", subjects: &SUBJECTS.map(|(name, _)| name) };
    bench.check(&options)?;
    progress("building");
    let ground = Ground::prepare(root)?;
    bench.conduct(root, &ground, &options, |name, report| {
        let (_, subject) = SUBJECTS.iter().find(|(own, _)| *own == name).ok_or("no such subject")?;
        subject(&ground, &options, report)
    })
}

/// A bench: its subjects, and the section of the document that is its own.
pub struct Bench<'a> {
    /// What it is called on the command line and in the marks.
    pub name: &'a str,
    /// The heading of its section.
    pub heading: &'a str,
    /// What it measures, in order.
    pub subjects: &'a [&'a str],
}

impl Bench<'_> {
    /// Refuses subjects that are not there, before anything is built.
    pub fn check(&self, options: &Options) -> Result<(), String> {
        match options.only.iter().find(|name| !self.subjects.contains(&name.as_str())) {
            Some(unknown) => Err(format!("there is no subject '{unknown}', only {}", self.subjects.join(", "))),
            None => Ok(()),
        }
    }

    /// Measures each subject that is wanted; writes the section if that is all of them, else prints it.
    pub fn conduct(
        &self,
        root: &Path,
        ground: &Ground,
        options: &Options,
        mut measure: impl FnMut(&str, &mut Report) -> Result<(), String>,
    ) -> Result<bool, String> {
        let load = Load::watch();
        let mut report = Report::default();
        for name in self.subjects {
            if options.only.is_empty() || options.only.iter().any(|only| only == name) {
                progress(name);
                measure(name, &mut report)?;
            }
        }
        let section = self.section(ground, options, &load, &report);
        if options.only.is_empty() {
            document::write_section(root, self.name, &section)?;
            progress(&format!("written to {PATH}"));
        } else {
            println!("{section}");
        }
        for target in report.targets.iter().filter(|t| !t.met) {
            progress(&format!("missed: {}: {} measured, {} wanted", target.what, target.measured, target.wanted));
        }
        Ok(report.targets.iter().all(|t| t.met))
    }

    fn section(&self, ground: &Ground, options: &Options, load: &Load, report: &Report) -> String {
        let date = options.date.clone().unwrap_or_else(today);
        let flags = [(options.quick, " --quick"), (options.long, " --long")];
        let flags: String = flags.iter().filter(|(set, _)| *set).map(|(_, flag)| *flag).collect();
        let mut about = vec![format!("Date: {date}. Command: `cargo xtask bench {}{flags}`.", self.name)];
        about.extend(machine::describe(ground.folder()));
        about.push(load.say());
        let about: Vec<String> = about.iter().map(|sentence| format!("- {sentence}")).collect();
        format!("## {}\n\n{}\n{}", self.heading, about.join("\n"), report.markdown())
    }
}

/// The date by the system's clock.
pub fn today() -> String {
    Time(i64::try_from(since_1970().as_micros()).unwrap_or(i64::MAX)).day()
}
