//! A context read: whose it is, where it stands, what its sections say.

use super::{ContextFile, Section};
use crate::markdown::changelog::{Generation, event_numbers, is_none};
use crate::markdown::lines::{Lines, Quote, is_rule};
use crate::markdown::seal::is_mark;

/// Sections that only generation one has.
const ONLY_ONE: [&str; 4] = ["session summary", "active work", "recent events", "active entities"];
/// How many known sections make a file with the right title one of the protocol's.
const SECTIONS_MIN: usize = 3;

pub(super) fn read(text: &str) -> ContextFile {
    let lines = Lines::of(text);
    let mut file =
        ContextFile { generation: None, horizon: None, horizon_line: 1, generated: None, sections: Vec::new() };
    let (mut has_title, mut has_layer, mut says_horizon) = (false, false, false);
    for at in 0..lines.len() {
        let line = lines.text(at);
        let number = at as u64 + 1;
        match lines.heading(at) {
            Some((1, title)) => has_title |= title.eq_ignore_ascii_case("current context"),
            Some((2, title)) => {
                file.sections.push(Section { name: title.to_owned(), line: number, lines: Vec::new() });
                continue;
            }
            _ => {}
        }
        if lines.quote(at) != Quote::Fence {
            has_layer |= lines.quote(at) == Quote::Comment && line.contains("LAYER 3");
            if let Some(value) = horizon(line) {
                says_horizon = true;
                if file.horizon.is_none() {
                    file.horizon = event_numbers(value).next();
                    file.horizon_line = number;
                }
            }
            if file.generated.is_none() {
                file.generated = generated(line);
            }
        }
        let says = !line.trim().is_empty() && lines.quote(at) != Quote::Comment && !is_mark(line) && !is_rule(line);
        if says && let Some(section) = file.sections.last_mut() {
            section.lines.push((number, line.to_owned()));
        }
    }
    let known = |section: &&Section| {
        let name = canonical(&section.name);
        super::SECTIONS.contains(&name) || super::SECTIONS_ONE.contains(&name) || name == "Active Work"
    };
    let is_known = file.sections.iter().filter(known).count() >= SECTIONS_MIN;
    let is_ours = (says_horizon && (file.horizon.is_some() || has_layer)) || ((has_title || has_layer) && is_known);
    let is_one = !has_layer && file.sections.iter().any(|s| ONLY_ONE.contains(&bare(&s.name).to_lowercase().as_str()));
    file.generation = match (is_ours, is_one) {
        (false, _) => None,
        (true, true) => Some(Generation::One),
        (true, false) => Some(Generation::Two),
    };
    file
}

/// The heading without what stands in brackets behind it.
fn bare(name: &str) -> &str {
    name.split('(').next().unwrap_or_default().trim()
}

/// The one name of a section that has several.
pub(super) fn canonical(name: &str) -> &str {
    let name = bare(name);
    let others = [("Active Tasks", "Current Sprint"), ("Issues", "Blockers"), ("Blockers/Issues", "Blockers")];
    let mut names = super::SECTIONS.iter().chain(&super::SECTIONS_ONE).map(|known| (*known, *known)).chain(others);
    // "Blockers/Issues" is a section of generation one and means the same.
    let found = names.rfind(|(spelling, _)| spelling.eq_ignore_ascii_case(name));
    found.map_or(name, |(_, known)| known)
}

/// What stands behind `Event horizon:`, whatever the letters look like.
fn horizon(line: &str) -> Option<&str> {
    let (_, behind) = line.split_once("vent horizon")?;
    let value = behind.trim_start_matches('*').strip_prefix(':')?;
    let value = value.trim_start_matches('*');
    Some(value.split(['|', '→', '←']).next().unwrap_or_default())
}

/// What stands behind `Last generated:`, `Generated:` or `Last Updated:`.
fn generated(line: &str) -> Option<String> {
    let labels = ["Last generated", "Generated", "Last Updated", "Last updated"];
    let value = labels.iter().find_map(|label| {
        let (_, behind) = line.split_once(label)?;
        behind.trim_start_matches('*').strip_prefix(':')
    })?;
    let value = value.trim_start_matches('*').split('|').next().unwrap_or_default();
    let value = value.trim().trim_end_matches("-->").trim_matches(['*', ' ']);
    (!is_none(value)).then(|| value.to_owned())
}
