//! The user's standing rules beside what was recalled: they apply to a question whether or not they share a word with it.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use idetic_core::project::ProjectScope;
use idetic_core::quoting::{beginning, in_one_line};
use idetic_core::views::TIMELINE;
use idetic_core::{Time, tokens};
use idetic_extract::DirectiveKind;
use idetic_store::{Filter, Select};
use serde::Serialize;

use crate::recall::{HITS_MAX, Models, Question, RecallOptions};
use crate::standing::{StandingDirective, standing};
use crate::viewpoint::Viewpoint;
use crate::{EventNumber, Result};

/// The share of the budget that rules may take, in percent.
pub(super) const BUDGET_PERCENT: usize = 30;
/// Most of one rule: what it depends on often stands at its end.
const RULE_CHARS: usize = 500;

const HEADING: &str = "The user's standing rules, in their own words:\n";
const OMITTED: &str = "(Other rules did not fit: `idetic rule list` shows them.)\n";

/// A rule that a context states, and where it comes from.
#[derive(Debug, Clone, Serialize)]
pub struct StatedRule {
    /// The event's number.
    #[serde(flatten)]
    pub place: EventNumber,
    /// The event that says it.
    pub id: String,
    /// The rule.
    pub text: String,
    /// When it was said.
    pub ts: Time,
}

/// The rules that stand for the caller, the most applicable first.
pub(super) fn rules(
    reader: &Viewpoint,
    models: &Models,
    options: &RecallOptions,
    question: &Question,
    projects: &ProjectScope,
    horizon: u64,
) -> Result<Vec<StatedRule>> {
    let is_here = |project: &str| projects.is_own(project) || reader.writer().is_here(project);
    let mut rules = standing(reader, &is_here, horizon)?;
    rules.retain(|rule| rule.is_sure && rule.kind == DirectiveKind::Rule);
    if let Some(condition) = options.filter.as_ref().filter(|_| !rules.is_empty()) {
        let select = Select::from(&TIMELINE, horizon).filter(Filter::Matches("born", Arc::clone(condition)));
        let allowed: HashSet<u64> = reader.seqs(&select)?.into_iter().collect();
        rules.retain(|rule| allowed.contains(&rule.seq));
    }
    if rules.len() > 1 {
        sort_by_question(reader, models, options, question, &mut rules)?;
    }
    let seqs: Vec<u64> = rules.iter().map(|rule| rule.seq).collect();
    let places = reader.places(&seqs, horizon)?;
    let stated = |(rule, place): (StandingDirective, EventNumber)| StatedRule {
        place,
        text: beginning(&in_one_line(&rule.text), RULE_CHARS),
        id: rule.id,
        ts: rule.ts,
    };
    Ok(rules.into_iter().zip(places).map(stated).collect())
}

/// Orders rules as their events answer the question; what it does not reach follows, the latest first.
fn sort_by_question(
    reader: &Viewpoint,
    models: &Models,
    options: &RecallOptions,
    question: &Question,
    rules: &mut [StandingDirective],
) -> Result<()> {
    let mut seqs: Vec<u64> = rules.iter().map(|rule| rule.seq).collect();
    seqs.sort_unstable();
    seqs.dedup();
    let mut among = RecallOptions { mode: options.mode, waits_told: true, ..RecallOptions::default() };
    among.filters.only = Some(seqs.into());
    let asked = Question { k: Some(HITS_MAX), ..question.clone() };
    let hits = reader.recall_one(models, &among, &asked, &mut |_| {})?.hits;
    let ranks: HashMap<u64, usize> = hits.iter().enumerate().map(|(rank, hit)| (hit.seq, rank)).collect();
    rules.sort_by_key(|rule| {
        (ranks.get(&rule.seq).copied().unwrap_or(usize::MAX), std::cmp::Reverse((rule.seq, rule.at)))
    });
    Ok(())
}

/// The section of the rules that fit into a number of tokens, with those; empty where none fits.
pub(super) fn section(rules: Vec<StatedRule>, most: usize) -> (String, Vec<StatedRule>) {
    let lines = rules.iter().map(line).collect::<Vec<_>>();
    let whole = tokens::estimate(HEADING) + lines.iter().map(|line| tokens::estimate(line)).sum::<usize>();
    let mut left = most.saturating_sub(tokens::estimate(HEADING));
    if whole > most {
        left = left.saturating_sub(tokens::estimate(OMITTED));
    }
    let (mut text, mut stated) = (HEADING.to_owned(), Vec::new());
    for (rule, line) in rules.into_iter().zip(lines) {
        let cost = tokens::estimate(&line);
        if cost <= left {
            left -= cost;
            text += &line;
            stated.push(rule);
        }
    }
    if stated.is_empty() {
        return Default::default();
    }
    if whole > most {
        text += OMITTED;
    }
    (text, stated)
}

fn line(rule: &StatedRule) -> String {
    format!("- {} ({}, {})\n", rule.text, rule.ts, in_one_line(&rule.id))
}
