//! One run of `cargo xtask bench agents`: every script is played and judged, and the figures are written down.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use idetic_model::MiniLm;
use idetic_ops::Models;

use super::judge::{Figures, Missed};
use super::play::play;
use super::script::Script;
use crate::document::write_section;
use crate::model::asset_bytes;
use crate::report::{Report, Table};
use crate::run::today;

const USAGE: &str = "usage: cargo xtask bench agents [FILE|DIR]... [--missed] [--starts] [--reminders]";
/// The scripted projects in the repository.
const SCRIPTS: &str = "crates/bench/projects";
const LEAST_IN_START: f64 = 85.0;
const LEAST_IN_EITHER: f64 = 97.0;
const LEAST_WARNED: f64 = 80.0;
const FALSE_MAX: f64 = 5.0;
const TOKENS_MAX: f64 = 800.0;

/// Plays every script and says whether every target was met. With `--missed` it tells what was not answered, with
/// `--starts` what each session was told when it began, with `--reminders` what was told while the agent worked.
pub fn run(root: &Path, words: &[String]) -> Result<bool, String> {
    let (flags, named): (Vec<&String>, Vec<&String>) = words.iter().partition(|word| word.starts_with("--"));
    if let Some(unknown) = flags.iter().find(|flag| !["--missed", "--starts", "--reminders"].contains(&flag.as_str())) {
        return Err(format!("'{unknown}' is not known: {USAGE}"));
    }
    let has = |flag: &str| flags.iter().any(|given| *given == flag);
    let named: Vec<PathBuf> =
        if named.is_empty() { vec![root.join(SCRIPTS)] } else { named.into_iter().map(PathBuf::from).collect() };
    let files = files(&named)?;
    let model = MiniLm::from_bytes(asset_bytes(root)?).map_err(|error| error.to_string())?;
    let models = Models { wanted: Some(Arc::new(model)), local: true, ..Models::default() };
    let mut sets: Vec<(String, Figures)> = Vec::new();
    for file in &files {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let script = Script::read(file)?;
        let heard = play(&script, &models).map_err(|error| format!("{name}: {error}"))?;
        if has("--starts") {
            heard.starts.iter().zip(&script.sessions).for_each(|(told, own)| println!("{name} {}:\n{told}", own.id));
        }
        if has("--reminders") {
            heard.reminders.iter().for_each(|told| println!("{name} {told}"));
        }
        let mut figures = Figures::default();
        let missed = figures.judge(&script, &heard);
        if has("--missed") {
            missed.iter().for_each(|Missed { session, what }| println!("{name} {session}: {what}"));
        }
        // Files of one author begin alike.
        let set: String = name.chars().take_while(|c| c.is_alphabetic()).collect();
        match sets.iter_mut().find(|(known, _)| *known == set) {
            Some((_, sum)) => sum.add(figures),
            None => sets.push((set, figures)),
        }
    }
    let report = report(&sets, files.len());
    let section = format!("## What an agent is told\n\nMeasured {}.\n\n{}", today(), report.markdown());
    println!("{section}");
    if flags.is_empty() && words.is_empty() {
        write_section(root, "agents", &section)?;
    }
    Ok(report.targets.iter().all(|target| target.met))
}

fn files(named: &[PathBuf]) -> Result<Vec<PathBuf>, String> {
    let mut files = Vec::new();
    for path in named {
        if path.is_dir() {
            let listed = std::fs::read_dir(path).map_err(|error| format!("{}: {error}", path.display()))?;
            files.extend(listed.filter_map(|entry| Some(entry.ok()?.path())));
        } else {
            files.push(path.clone());
        }
    }
    files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    if files.is_empty() { Err(format!("there are no scripts to play. {USAGE}")) } else { Ok(files) }
}

fn report(sets: &[(String, Figures)], scripts: usize) -> Report {
    let columns = [
        "author",
        "sessions",
        "in the start",
        "in the start or one recall",
        "wrong",
        "failures warned of",
        "false warnings",
        "tokens of a start, median and most",
    ];
    let mut table = Table::new("Scripted projects", &columns);
    table.note(format!(
        "{scripts} projects of several days, written by authors who knew nothing of the rules (crates/bench/projects): prompts, \
         tools, failures, changes of mind, two clients, worktrees, two projects in one home. Each new session is asked what it \
         should know: is the answer in what it is told when it starts, or in the answer to one `recall` over MCP?"
    ));
    let mut all = Figures::default();
    for (set, figures) in sets {
        table.row(figures.row(set));
        all.add(figures.clone());
    }
    table.row(all.row("all"));
    let mut by_subject = Table::new("By what is asked", &["subject", "in the start", "in the start or one recall"]);
    for (subject, asked) in &all.by_subject {
        by_subject.row([subject.clone(), asked.start.to_string(), asked.either.to_string()]);
    }
    let mut report = Report::default();
    report.at_least("asked of the start, and in it", LEAST_IN_START, all.start.percent(), " %");
    report.at_least("asked at all, and in the start or one recall", LEAST_IN_EITHER, all.either.percent(), " %");
    report.at_most("wrong or foreign statements in a start", 0.0, all.wrong.count as f64, "");
    report.at_least("repeated failures that were warned of", LEAST_WARNED, all.warned.percent(), " %");
    report.at_most("other failures that were warned of", FALSE_MAX, all.false_warnings.percent(), " %");
    report.at_most("tokens of a start, at the median", TOKENS_MAX, all.median_tokens() as f64, "");
    report.tables.extend([table, by_subject]);
    report
}
