//! The rules of the event log, over archive and log together.

use std::collections::{HashMap, HashSet};

use super::summary::stands_alone;
use super::{Files, Finding, Findings, Layer};
use crate::markdown::changelog::{Changelog, Entry, Generation, Part, event_id, purged_numbers};

/// What the events say that other rules need.
pub(super) struct Known<'f> {
    /// The events by number.
    pub(super) events: HashMap<u64, &'f Entry>,
    /// Numbers of headings that are wrong, and of events that were purged: they are there, if not readable.
    claimed: HashSet<u64>,
    /// The last event.
    pub(super) last: Option<&'f Entry>,
}

impl<'f> Known<'f> {
    pub(super) fn of(files: &Files<'f>) -> Self {
        let logs = || files.archive.into_iter().chain(files.log);
        let events = logs().flat_map(Changelog::entries).filter_map(|entry| Some((entry.number?, entry))).collect();
        let wrong = logs().flat_map(|log| wrong_numbers(log).map(|(number, _)| number));
        let claimed = wrong.chain(logs().flat_map(|log| purged_numbers(log.text()))).collect();
        let last = files.log.and_then(Changelog::last).or(files.archive.and_then(Changelog::last));
        Self { events, claimed, last }
    }

    /// Whether an event of that number is anywhere.
    pub(super) fn has(&self, number: u64) -> bool {
        self.events.contains_key(&number) || self.claimed.contains(&number)
    }
}

fn wrong_numbers(log: &Changelog) -> impl Iterator<Item = (u64, u64)> + '_ {
    log.pieces().iter().filter_map(|piece| match &piece.part {
        Part::Malformed(wrong) => Some((wrong.number?, wrong.line)),
        _ => None,
    })
}

pub(super) fn check(files: &Files, known: &Known, exists: &dyn Fn(&str) -> bool) -> Vec<Finding> {
    let mut found = Vec::new();
    let logs = files.archive.into_iter().chain(files.log);
    let purged = logs.flat_map(|log| purged_numbers(log.text())).collect();
    let mut order = Order { purged, ..Order::default() };
    let is_archived = files.archive.is_some();
    for (layer, log) in [(Layer::Archive, files.archive), (Layer::Log, files.log)] {
        let Some(log) = log else { continue };
        let mut findings = Findings::new(layer);
        problems(log, &mut findings);
        order.check(log, is_archived, &mut findings);
        for entry in log.entries() {
            references(entry, known, &mut findings);
            if let Some(why) = stands_alone(&entry.summary).filter(|_| !entry.summary.trim().is_empty()) {
                let shown = if entry.is_private() { "…" } else { entry.summary.as_str() };
                let message = format!("the summary '{shown}' does not stand alone: {why}");
                let remedy = "say in one line what happened, to be understood without the details";
                findings.warning(entry.line_of("summary"), "summary-alone", &subject(entry), message, remedy);
            }
            links(log, entry, exists, &mut findings);
        }
        dated_order(log, &mut findings);
        found.append(&mut findings.found);
    }
    found
}

/// How an event is called in a finding.
fn subject(entry: &Entry) -> String {
    if entry.number.is_some() { entry.name() } else { entry.when() }
}

/// What the reader found.
fn problems(log: &Changelog, findings: &mut Findings) {
    let mut by_line: HashMap<u64, String> = wrong_numbers(log).map(|(n, line)| (line, event_id(n))).collect();
    by_line.extend(log.entries().iter().map(|entry| (entry.line, subject(entry))));
    for problem in log.problems() {
        let is_error = matches!(
            problem.rule,
            "malformed-event" | "scope-missing" | "summary-missing" | "type-missing" | "type-unknown"
        );
        let subject = by_line.get(&problem.line).map_or("", String::as_str);
        let severity = if is_error { super::Severity::Error } else { super::Severity::Warning };
        findings.add(severity, problem.line, problem.rule, subject, problem.reason.clone(), &problem.remedy);
    }
}

/// Numbers and times from one event to the next.
#[derive(Default)]
struct Order<'f> {
    seen: HashMap<u64, u64>,
    /// Numbers that nobody misses: what they stood for was purged.
    purged: HashSet<u64>,
    highest: Option<u64>,
    last: Option<&'f Entry>,
}

impl<'f> Order<'f> {
    fn check(&mut self, log: &'f Changelog, is_archived: bool, findings: &mut Findings) {
        for piece in log.pieces() {
            match &piece.part {
                Part::Event(at) => {
                    let Some(entry) = log.entries().get(*at) else { continue };
                    let Some(number) = entry.number else { continue };
                    self.number(number, entry.line, is_archived, findings);
                    self.time(entry, findings);
                }
                Part::Malformed(wrong) => {
                    if let Some(number) = wrong.number {
                        self.number(number, wrong.line, is_archived, findings);
                    }
                }
                _ => {}
            }
        }
    }

    fn number(&mut self, number: u64, line: u64, is_archived: bool, findings: &mut Findings) {
        let id = event_id(number);
        if let Some(first) = self.seen.insert(number, line) {
            let message = format!("{id} is there twice; the other is on line {first}");
            findings.error(line, "id-duplicate", &id, message, "`idetic md sync` gives the later one another number");
            return;
        }
        let wanted = self.highest.map_or(1, |highest| highest.saturating_add(1));
        let purged = self.purged.iter().filter(|purged| (wanted..number).contains(purged)).count() as u64;
        if number > wanted && purged < number - wanted {
            let missing = if number - wanted == 1 {
                event_id(wanted)
            } else {
                format!("{} through {}", event_id(wanted), event_id(number - 1))
            };
            let remedy = match (self.highest, is_archived) {
                (None, false) => "put the archive back beside the log, or bring the events back from git",
                _ => "bring the missing events back from git",
            };
            findings.error(line, "id-gap", &id, format!("{missing} is missing before {id}"), remedy);
        } else if number < wanted {
            let message = format!("{id} comes after {}", event_id(wanted - 1));
            findings.error(line, "id-order", &id, message, "events stay in the order they were written: move it back");
        }
        self.highest = self.highest.max(Some(number));
    }

    /// Times never go back; where only a day is given, days are compared.
    fn time(&mut self, entry: &'f Entry, findings: &mut Findings) {
        if let Some(last) = self.last {
            let goes_back = if last.only_day || entry.only_day {
                entry.time.day() < last.time.day()
            } else {
                entry.time < last.time
            };
            if goes_back {
                let message =
                    format!("{} of {} comes after {} of {}", entry.name(), entry.when(), last.name(), last.when());
                findings.error(
                    entry.line,
                    "time-order",
                    &entry.name(),
                    message,
                    "new events go to the end of the file",
                );
            }
        }
        self.last = Some(entry);
    }
}

/// Generation one stands newest first or oldest first, but not mixed.
fn dated_order(log: &Changelog, findings: &mut Findings) {
    let is_newest_first = log.is_newest_first();
    let dated: Vec<&Entry> = log.entries().iter().filter(|e| e.generation == Generation::One).collect();
    for pair in dated.windows(2) {
        let [first, second] = pair else { continue };
        let (older, newer) = if is_newest_first { (second, first) } else { (first, second) };
        let goes_back = if older.only_day || newer.only_day {
            newer.time.day() < older.time.day()
        } else {
            newer.time < older.time
        };
        if goes_back {
            let message = format!("the event of {} is out of order", second.when());
            let remedy = "keep events in the order in which they happened";
            findings.error(second.line, "time-order", &subject(second), message, remedy);
        }
    }
}

fn references(entry: &Entry, known: &Known, findings: &mut Findings) {
    for number in &entry.refs {
        let line = entry.line_of("refs");
        if !known.has(*number) {
            let message = format!("{} refers to {}, which is not there", subject(entry), event_id(*number));
            findings.error(
                line,
                "ref-missing",
                &subject(entry),
                message,
                "name an event of the log or the archive, or none",
            );
        } else if entry.number.is_some_and(|own| *number > own) {
            let message = format!("{} refers to {}, which comes later", subject(entry), event_id(*number));
            findings.warning(line, "ref-later", &subject(entry), message, "refer to events that came before");
        }
    }
}

/// Links to files of the project, `[text](path)`.
fn links(log: &Changelog, entry: &Entry, exists: &dyn Fn(&str) -> bool, findings: &mut Findings) {
    for (at, line) in log.raw(entry).lines().enumerate() {
        for part in line.split("](").skip(1) {
            let target = part.split([')', ' ', '#', '?']).next().unwrap_or_default();
            let is_local = !target.is_empty() && !target.contains(':') && !target.starts_with("//");
            if is_local && !exists(target) {
                let message = format!("{} links to {target}, which is not there", subject(entry));
                let remedy = "a new event can say what became of the file";
                findings.warning(entry.line + at as u64, "link-missing", &subject(entry), message, remedy);
            }
        }
    }
}
