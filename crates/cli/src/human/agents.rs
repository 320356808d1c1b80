//! Agents for a person: their profiles and their sessions.

use std::io::{self, Write};

use idetic_ops::core::time::human_millis;
use idetic_ops::{Profile, ProfileLine, SessionEnded, SessionShown, SessionStarted};

use super::{HumanOutput, Paint, one_line, plain};

impl HumanOutput {
    pub(super) fn profile(&self, out: &mut dyn Write, profile: &Profile) -> io::Result<()> {
        let version = if profile.agent_version.is_empty() { "unknown version" } else { &profile.agent_version };
        writeln!(out, "{}  {}", self.paint(Paint::Bold, &plain(&profile.agent_name)), plain(version))?;
        let last = if profile.last_active.is_empty() { "never" } else { &profile.last_active };
        writeln!(out, "{} sessions, last active {}", profile.session_count, plain(last))?;
        for (name, capability) in &profile.capabilities {
            let level = self.paint(Paint::Cyan, capability.skill().word());
            let number = |count: Option<u64>| count.map_or("?".to_owned(), |count| count.to_string());
            let (ok, bad) = (number(capability.successful_operations), number(capability.failed_operations));
            writeln!(out, "\n{}  {level}, {ok} succeeded, {bad} failed", self.paint(Paint::Bold, &plain(name)))?;
            if let Some(tool) = &capability.preferred_tool {
                writeln!(out, "  prefers {}", plain(tool))?;
            }
            if !capability.learned_patterns.is_empty() {
                writeln!(out, "  learned {}", one_line(&capability.learned_patterns.join(", ")))?;
            }
            capability.common_mistakes.iter().try_for_each(|text| writeln!(out, "  mistake: {}", one_line(text)))?;
        }
        if !profile.preferences.is_empty() {
            writeln!(out, "\n{}", self.paint(Paint::Bold, "preferences"))?;
        }
        for (key, value) in &profile.preferences {
            writeln!(out, "  {} = {}", plain(key), one_line(value))?;
        }
        if let Some(total) = profile.context_switches {
            let last = profile.last_handoff.as_ref();
            let last = last.map_or(String::new(), |h| format!(", last to {} at {}", plain(&h.to), plain(&h.timestamp)));
            writeln!(out, "\nhanded over {total} times{last}")?;
        }
        Ok(())
    }

    pub(super) fn profile_line(&self, out: &mut dyn Write, line: &ProfileLine) -> io::Result<()> {
        writeln!(
            out,
            "{}  {} sessions, {} capabilities, {} succeeded, {} failed  {}",
            self.paint(Paint::Bold, &plain(&line.agent_name)),
            line.session_count,
            line.capabilities,
            line.successful_operations,
            line.failed_operations,
            self.paint(Paint::Dim, &plain(&line.last_active)),
        )
    }

    /// Lines that a shell can evaluate.
    pub(super) fn session_started(out: &mut dyn Write, started: &SessionStarted) -> io::Result<()> {
        writeln!(out, "# session {} of {} is open", plain(&started.session), plain(&started.agent_name))?;
        writeln!(out, "{}", plain(&started.export))
    }

    pub(super) fn session(&self, out: &mut dyn Write, session: &SessionShown) -> io::Result<()> {
        writeln!(
            out,
            "session {} of {}{}  open for {}, {} operations",
            self.paint(Paint::Bold, &plain(&session.session)),
            plain(&session.agent_name),
            session.agent_version.as_ref().map_or(String::new(), |version| format!(" ({})", plain(version))),
            human_millis(session.duration_ms),
            session.operations_count,
        )?;
        for (key, value) in &session.values {
            writeln!(out, "  {} = {}", plain(key), one_line(value.get()))?;
        }
        session.notes.iter().try_for_each(|text| writeln!(out, "  {}", one_line(text)))?;
        session.trace.as_ref().map_or(Ok(()), |trace| self.trace(out, trace))
    }

    pub(super) fn session_ended(out: &mut dyn Write, ended: &SessionEnded) -> io::Result<()> {
        let SessionEnded { session, agent_name, duration_minutes, operations_count, .. } = ended;
        let (session, agent) = (plain(session), plain(agent_name));
        writeln!(
            out,
            "session {session} of {agent} ended after {duration_minutes} minutes and {operations_count} operations"
        )
    }
}
