//! The beginning of an agent's work: the rules, how fresh the files are, and all it needs to know.

use idetic_core::{Hash, Record, tokens};
use idetic_formats::markdown::changelog::event_number;
use idetic_formats::markdown::seal::{self, Seal};
use idetic_formats::markdown::{ContextFile, Freshness, Generation, GraphFile, archive, context_file, freshness};
use idetic_memory::{Error, Result};
use serde_json::json;

use super::adopt;
use super::derive::Tier;
use super::files::{AGENTS, CONTEXT, GRAPH, LOG, Logs, text};
use super::handoff::Accepted;
use super::{MdBoot, MdSeverity, Project};

/// What says that somebody booted.
const BOOTED: &str = "md.booted";

/// How a boot is wished for.
#[derive(Debug, Default)]
pub struct Boot {
    /// Who boots.
    pub agent: String,
    /// Tokens that the narrative may take.
    pub budget: Option<usize>,
    /// Whether the narrative is told as specification 003 does.
    pub generation_one: bool,
}

impl Project {
    /// Boots. Whatever was left undone is finished first. The lock is held.
    pub fn boot(&mut self, wishes: &Boot, accepted: Option<&Accepted>) -> Result<MdBoot> {
        let rules = text(&self.folder, AGENTS).map_err(|error| error.at("boot stopped at layer 0"))?;
        let hash = rules.as_deref().map(|rules| Hash::of(rules.as_bytes()).to_string());
        if rules.is_none() {
            self.tell_about(AGENTS, "layer-missing", "there are no rules for agents", "`idetic md init` writes some");
        }
        let is_changed = self.state.agents.is_some() && self.state.agents != hash;
        if is_changed {
            self.tell_about(AGENTS, "agents-changed", "it was changed since the last boot", "read it again");
        }
        if !self.folder.has(LOG) {
            return Err(Error::not_found(format!("boot stopped at layer 1: there is no {LOG}"))
                .hint("`idetic md init` creates one"));
        }
        let was = self.standing().map_err(|error| error.at("boot stopped at the files"))?;
        self.sync().map_err(|error| error.at("boot stopped while the files were being synced"))?;
        let (graph, context) = self.freshness(&was)?;
        let (events, told) = match (accepted, self.as_it_stands(wishes, context)?) {
            (None, Some(told)) => (self.state.seen.as_ref().map(|seen| seen.in_log), told),
            (accepted, _) => (None, self.narrate(wishes, accepted)?),
        };
        let events = match events {
            Some(events) => events,
            None => Logs::read(&self.folder)?.log.entries().len(),
        };
        let horizon = self.report.horizon.clone();
        self.record_boot(wishes, hash.as_deref(), horizon.as_deref())?;
        self.state.agents.clone_from(&hash);
        self.save()?;
        let waiting = self.waiting_handoffs(&wishes.agent)?;
        let report = std::mem::take(&mut self.report);
        Ok(MdBoot {
            agent: wishes.agent.clone(),
            tier: self.tier()?.word().to_owned(),
            agents: hash,
            agents_changed: is_changed,
            graph: graph.to_owned(),
            context: context.to_owned(),
            rebuilt: report.files,
            taken_in: report.taken_in,
            written: report.written,
            adopted: report.adopted,
            horizon,
            events,
            archive_due: events > archive::DUE_ABOVE_EVENTS,
            staged: self.waiting_events()?,
            handoff: accepted.map(|accepted| accepted.event.clone()),
            terms: accepted.map(|accepted| accepted.terms.clone()).unwrap_or_default(),
            handoffs: waiting,
            told,
            troubles: report.troubles.into_iter().filter(|t| t.severity != MdSeverity::Warning).collect(),
        })
    }

    /// The narrative as context.md has it, where that is what was wished for.
    fn as_it_stands(&self, wishes: &Boot, context: &str) -> Result<Option<String>> {
        let is_plain = wishes.budget.is_none() && !wishes.generation_one && self.tier()? >= Tier::Core;
        let text = text(&self.folder, CONTEXT)?.filter(|_| is_plain);
        // What somebody else wrote and is fresh is used as it is.
        Ok(text
            .filter(|text| seal::check(text) == Seal::Ours || context == "fresh" && adopt::is_context_of_others(text)))
    }

    /// The narrative as it was wished for.
    fn narrate(&mut self, wishes: &Boot, accepted: Option<&Accepted>) -> Result<String> {
        let (narrative, layout) = match accepted {
            Some(Accepted { derived, .. }) => (derived.narrative.clone(), derived.layout),
            None => {
                let troubles = self.report.troubles.len();
                let logs = Logs::read(&self.folder)?;
                let (story, base) = self.look(&logs)?;
                self.report.troubles.truncate(troubles);
                let derived = self.derived(&story, story.told.len(), base.as_ref())?;
                (derived.narrative, derived.layout)
            }
        };
        let narrative = match wishes.budget {
            Some(budget) => narrative.within(budget, &tokens::estimate),
            None => narrative,
        };
        Ok(if wishes.generation_one || layout == Generation::One {
            context_file::print_generation_one(&narrative)
        } else {
            context_file::print(&narrative)
        })
    }

    /// Graph and narrative as they stand.
    pub fn standing(&self) -> Result<(Option<String>, Option<String>)> {
        Ok((text(&self.folder, GRAPH)?, text(&self.folder, CONTEXT)?))
    }

    /// How fresh graph and narrative were, once it is known which event is the last.
    fn freshness(&self, (graph, context): &(Option<String>, Option<String>)) -> Result<(&'static str, &'static str)> {
        let (of_graph, of_context) = match self.report.horizon.as_deref().and_then(event_number) {
            Some(last) => (graph_word(graph.as_deref(), Some(last)), context_word(context.as_deref(), last)),
            None => {
                let logs = Logs::read(&self.folder)?;
                let last = logs.log.last();
                let of_context = match freshness(context.as_deref(), None, last) {
                    Freshness::Fresh => "fresh",
                    Freshness::Missing => "missing",
                    Freshness::Foreign => "foreign",
                    Freshness::Stale { .. } => "stale",
                };
                (graph_word(graph.as_deref(), None), of_context)
            }
        };
        let tier = self.tier()?;
        let word = |wanted: bool, word: &'static str| if wanted { word } else { "unused" };
        Ok((word(tier >= Tier::Full, of_graph), word(tier >= Tier::Core, of_context)))
    }

    fn record_boot(&self, wishes: &Boot, hash: Option<&str>, horizon: Option<&str>) -> Result<()> {
        let said = json!({"agents": hash, "horizon": horizon});
        let record = json!({"kind": BOOTED, "author": wishes.agent, "metadata": said});
        self.append(vec![Record::parse(record.to_string().as_bytes())?])
    }
}

/// How fresh a graph is.
fn graph_word(text: Option<&str>, last: Option<u64>) -> &'static str {
    let Some(text) = text.filter(|text| !text.trim().is_empty()) else { return "missing" };
    let file = GraphFile::read(text);
    match file.generation {
        None => "foreign",
        Some(_) if file.graph.horizon == last => "fresh",
        Some(_) => "stale",
    }
}

/// How fresh a narrative is.
fn context_word(text: Option<&str>, last: u64) -> &'static str {
    let Some(text) = text.filter(|text| !text.trim().is_empty()) else { return "missing" };
    let file = ContextFile::read(text);
    match file.generation {
        None => "foreign",
        Some(_) if file.horizon == Some(last) => "fresh",
        Some(_) => "stale",
    }
}
