//! What a dream does with facts, episodes and conversations: ends, promotes, merges, forgets. Each change is an event.

use idetic_core::time::DAY_MICROS;
use idetic_core::views::{EPISODES, FACTS, FactRow};
use idetic_core::{Record, Time, limits};
use idetic_extract::sameness::gist;
use idetic_store::{Filter, Select};
use serde_json::json;

use crate::config::AgentMem;
use crate::facts::{FactDraft, FactQuery};
use crate::recall::Models;
use crate::viewpoint::Viewpoint;
use crate::{Consolidated, Result};

/// Facts that one dream compares with others.
const COMPARED_MAX: usize = 500;
/// Age at which what a fact's age counts has halved, in microseconds (90 days).
const FACT_HALF_LIFE: f64 = 90.0 * DAY_MICROS as f64;

impl Viewpoint {
    /// Ends idle conversations and takes facts from them, merges facts that say the same and, where
    /// the policy says how many are kept, the least relevant.
    pub fn consolidate(
        &self,
        models: &Models,
        policy: &AgentMem,
        now: Time,
        notice: &mut dyn FnMut(&str),
    ) -> Result<Consolidated> {
        let mut done = Consolidated::default();
        (done.conversations_ended, done.facts_promoted) = self.end_idle_conversations(models, policy, now)?;
        done.facts_merged = self.merge_facts(models, now, notice)?;
        done.pruned = self.prune(policy, now)?;
        Ok(done)
    }

    fn living_facts(&self) -> Result<Vec<FactRow>> {
        self.facts(Select::from(&FACTS, self.horizon(None)?).filter(Filter::Is("deleted", 0_i64.into())))
    }

    /// Joins the later of two facts that say the same to the earlier, with its sources.
    fn merge_facts(&self, models: &Models, now: Time, notice: &mut dyn FnMut(&str)) -> Result<usize> {
        let mut rows: Vec<FactRow> = self.living_facts()?.into_iter().filter(|row| row.holds_at(now.0)).collect();
        rows.sort_by_key(|row| std::cmp::Reverse(row.learned));
        rows.truncate(COMPARED_MAX);
        let mut merged = 0;
        for row in rows {
            let horizon = self.horizon(None)?;
            if self.fact_row(&row.fact, horizon)?.is_none_or(|row| row.deleted) {
                continue;
            }
            let asked = FactQuery { query: row.text.clone(), top_k: Some(3), at: Some(now), ..FactQuery::default() };
            let found = self.find_facts(models, &asked, now, notice)?;
            let other = found.into_iter().map(|found| found.row).find(|other| {
                other.fact != row.fact
                    && other.agent == row.agent
                    && other.persona == row.persona
                    && says_the_same(other, &row)
            });
            if let Some(other) = other {
                let (stays, goes) = if other.learned <= row.learned { (other, row) } else { (row, other) };
                self.merge_into(&stays, &goes, horizon)?;
                merged += 1;
            }
        }
        Ok(merged)
    }

    fn merge_into(&self, stays: &FactRow, goes: &FactRow, horizon: u64) -> Result<()> {
        let sources: Vec<String> =
            self.fact_events(&goes.fact, horizon)?.into_iter().map(|event| event.header.id).collect();
        let part = |part: &String| Some(part.clone()).filter(|part| !part.is_empty());
        let draft = FactDraft {
            text: goes.text.clone(),
            subject: part(&goes.subject),
            attribute: part(&goes.attribute),
            value: part(&goes.value),
            many: Some(!goes.single),
            causes: sources.clone(),
            ..FactDraft::default()
        };
        // Should what it was merged into be purged, or a source of it, it was never taken away.
        let causes: Vec<&String> = [&stays.fact].into_iter().chain(&sources).take(limits::LIST_MAX_ITEMS).collect();
        let deletion = json!({
            "kind": idetic_core::views::FACT_DELETED,
            "causes": causes,
            "metadata": {"fact": goes.fact, "supersedes": sources, "reason": format!("merged into {}", stays.fact)},
        });
        let records = [draft.record(Some(&stays.fact))?, Record::parse(deletion.to_string().as_bytes())?];
        let of_lane = |record| self.for_lane(record, &goes.agent, &goes.persona);
        self.append(records.into_iter().map(of_lane).collect::<Result<_>>()?, None)?;
        Ok(())
    }

    /// Forgets the least relevant of too many.
    fn prune(&self, policy: &AgentMem, now: Time) -> Result<usize> {
        let mut count = 0;
        if policy.keep_facts > 0 {
            let mut rows = self.living_facts()?;
            rows.sort_by(|one, other| relevance(other, now).total_cmp(&relevance(one, now)));
            for row in rows.into_iter().skip(policy.keep_facts) {
                self.delete_fact(&row.fact, Some("pruned"))?;
                count += 1;
            }
        }
        if policy.keep_episodes > 0 {
            let living = Select::from(&EPISODES, self.horizon(None)?).filter(Filter::Is("deleted", 0_i64.into()));
            let mut rows = self.episode_rows(living)?;
            rows.sort_by(|one, other| other.standing(now).total_cmp(&one.standing(now)).then(other.ts.cmp(&one.ts)));
            for row in rows.into_iter().skip(policy.keep_episodes) {
                self.delete_episode(&row.episode, Some("pruned"))?;
                count += 1;
            }
        }
        Ok(count)
    }
}

/// Whether two facts say the same as far as their words and parts tell: a model's opinion alone merges nothing here.
fn says_the_same(one: &FactRow, other: &FactRow) -> bool {
    let same = |one: &str, other: &str| !one.is_empty() && one.to_lowercase() == other.to_lowercase();
    let parts =
        same(&one.about, &other.about) && same(&one.attribute, &other.attribute) && same(&one.value, &other.value);
    one.private == other.private && (parts || gist(&one.text).key() == gist(&other.text).key())
}

/// How much a fact is worth keeping: what is true, certain, often stated and recent first.
fn relevance(row: &FactRow, now: Time) -> f64 {
    let age = now.0.saturating_sub(row.learned).max(0) as f64;
    let holds = if row.holds_at(now.0) { 1.0 } else { 0.0 };
    holds + row.confidence as f64 / 1000.0 + 0.2 * (row.sources as f64).ln_1p() + 0.5 * (-age / FACT_HALF_LIFE).exp2()
}
