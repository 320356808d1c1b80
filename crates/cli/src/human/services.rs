//! Facts, episodes and conversations for a person.

use std::io::{self, Write};

use idetic_ops::{
    ConversationChanged, ConversationLine, ConversationMemory, Episode, EpisodeStored, Fact, FactConflict, FactStored,
    FactVersion, FactsAtOdds, QuotaLine,
};

use super::{HumanOutput, Paint, one_line, plain};

impl HumanOutput {
    pub(super) fn fact(&self, out: &mut dyn Write, fact: &Fact) -> io::Result<()> {
        let until = fact.valid_until.map_or(String::new(), |until| format!(" until {}", self.time(until)));
        let gone = if fact.deleted { ", deleted" } else { "" };
        let score = fact.score.map_or(String::new(), |score| format!("{score:.2} "));
        writeln!(out, "{}{}", self.paint(Paint::Dim, &score), self.paint(Paint::Bold, &one_line(&fact.content)))?;
        let sources = if fact.sources == 1 { "1 source" } else { &format!("{} sources", fact.sources) };
        let about = format!(
            "  {}  true from {}{until}, {:.0} % sure from {sources} ({}){gone}",
            plain(&fact.id),
            self.time(fact.valid_from),
            fact.confidence * 100.0,
            plain(&fact.trust),
        );
        writeln!(out, "{}", self.paint(Paint::Dim, &about))?;
        if let Some(next) = &fact.superseded_by {
            writeln!(out, "  {} {}", self.paint(Paint::Yellow, "superseded by"), plain(next))?;
        }
        self.conflicts(out, &fact.conflicts)
    }

    fn conflicts(&self, out: &mut dyn Write, conflicts: &[FactConflict]) -> io::Result<()> {
        conflicts.iter().try_for_each(|other| {
            let word = self.paint(Paint::Yellow, "may contradict");
            writeln!(out, "  {word} {}: {} ({})", plain(&other.fact), one_line(&other.content), other.why)
        })
    }

    pub(super) fn facts(&self, out: &mut dyn Write, facts: &[Fact]) -> io::Result<()> {
        if facts.is_empty() {
            return writeln!(out, "no matching fact was found");
        }
        facts.iter().try_for_each(|fact| self.fact(out, fact))
    }

    pub(super) fn fact_stored(&self, out: &mut dyn Write, stored: &FactStored) -> io::Result<()> {
        writeln!(out, "{} fact {}", stored.done, self.paint(Paint::Bold, &plain(&stored.fact_id)))?;
        if let Some(old) = &stored.supersedes {
            writeln!(out, "  supersedes {}", plain(old))?;
        }
        self.conflicts(out, &stored.conflicts)
    }

    pub(super) fn fact_version(&self, out: &mut dyn Write, version: &FactVersion) -> io::Result<()> {
        let from = version.valid_from.map_or(String::new(), |from| format!(" true from {}", self.time(from)));
        let until = version.valid_until.map_or(String::new(), |until| format!(" until {}", self.time(until)));
        let said = version.content.as_deref().map_or(String::new(), |text| format!("  {}", one_line(text)));
        let why = version.reason.as_deref().map_or(String::new(), |why| format!(" ({})", one_line(why)));
        let when = self.paint(Paint::Dim, &self.time(version.timestamp));
        writeln!(out, "{when} {:<8}{said}{}", version.done, self.paint(Paint::Dim, &format!("{from}{until}{why}")))
    }

    pub(super) fn facts_at_odds(&self, out: &mut dyn Write, pair: &FactsAtOdds) -> io::Result<()> {
        writeln!(out, "{} {}", self.paint(Paint::Dim, &plain(&pair.fact)), one_line(&pair.content))?;
        writeln!(out, "{} {}", self.paint(Paint::Dim, &plain(&pair.other)), one_line(&pair.other_content))?;
        writeln!(out, "  {}", self.paint(Paint::Yellow, pair.why))
    }

    pub(super) fn episode(&self, out: &mut dyn Write, episode: &Episode) -> io::Result<()> {
        let mark = match episode.success {
            Some(true) => self.paint(Paint::Green, "✓"),
            Some(false) => self.paint(Paint::Red, "✗"),
            None => "·".to_owned(),
        };
        writeln!(out, "{mark} {}", self.paint(Paint::Bold, &one_line(&episode.goal)))?;
        let about = format!("  {}  {}", plain(&episode.id), self.time(episode.timestamp));
        writeln!(out, "{}", self.paint(Paint::Dim, &about))?;
        episode.steps.iter().try_for_each(|step| writeln!(out, "  - {}", one_line(step)))?;
        for (name, text) in [("outcome", &episode.outcome), ("lessons", &episode.lessons)] {
            if !text.is_empty() {
                writeln!(out, "  {name}: {}", one_line(text))?;
            }
        }
        Ok(())
    }

    pub(super) fn episodes(&self, out: &mut dyn Write, episodes: &[Episode]) -> io::Result<()> {
        if episodes.is_empty() {
            return writeln!(out, "no similar episode was found");
        }
        episodes.iter().try_for_each(|episode| self.episode(out, episode))
    }

    pub(super) fn episode_stored(&self, out: &mut dyn Write, stored: &EpisodeStored) -> io::Result<()> {
        writeln!(out, "{} episode {}", stored.done, self.paint(Paint::Bold, &plain(&stored.episode_id)))
    }

    pub(super) fn conversation(&self, out: &mut dyn Write, memory: &ConversationMemory) -> io::Result<()> {
        let state = match (&memory.ended, memory.reason.as_deref()) {
            (Some(when), Some("timeout")) => format!("ended by inactivity {}", self.time(*when)),
            (Some(when), _) => format!("ended {}", self.time(*when)),
            (None, _) => "open".to_owned(),
        };
        let goal = memory.goal.as_deref().map_or(String::new(), |goal| format!("  {}", one_line(goal)));
        writeln!(out, "{}{goal}  {state}", self.paint(Paint::Bold, &plain(&memory.conversation_id)))?;
        for invocation in &memory.invocations {
            let when = self.paint(Paint::Dim, &self.time(invocation.timestamp));
            writeln!(out, "{when} {}", one_line(&invocation.query))?;
            for text in [&invocation.summary, &invocation.result].into_iter().filter(|text| !text.is_empty()) {
                writeln!(out, "    {}", one_line(text))?;
            }
        }
        Ok(())
    }

    pub(super) fn conversation_line(&self, out: &mut dyn Write, line: &ConversationLine) -> io::Result<()> {
        let state = if line.ended.is_some() { "ended" } else { "open" };
        let goal = line.goal.as_deref().map_or(String::new(), |goal| format!("  {}", one_line(goal)));
        let id = self.paint(Paint::Bold, &plain(&line.conversation_id));
        writeln!(out, "{} {id}  {} invocations, {state}{goal}", self.time(line.last), line.invocations)
    }

    pub(super) fn conversation_changed(&self, out: &mut dyn Write, changed: &ConversationChanged) -> io::Result<()> {
        writeln!(out, "{} {}", changed.done, self.paint(Paint::Bold, &plain(&changed.conversation_id)))?;
        match &changed.episode {
            Some(episode) => writeln!(out, "  kept as episode {}", plain(episode)),
            None => Ok(()),
        }
    }

    /// What is used of what a space may hold, in a line.
    pub(super) fn quota(lines: &[QuotaLine]) -> String {
        let of = |line: &QuotaLine| match line.limit {
            Some(limit) => format!("{} of {limit} {}", line.used, line.what),
            None => format!("{} {}", line.used, line.what),
        };
        lines.iter().map(of).collect::<Vec<_>>().join(", ")
    }
}
