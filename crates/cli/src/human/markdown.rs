//! What became of a project's Markdown files, for a person.

use std::io::{self, Write};

use idetic_ops::{MdAppended, MdBoot, MdEvent, MdEventLine, MdHandoff, MdReport, MdSeverity, MdTask, MdTrouble};

use super::{HumanOutput, Paint, plain, printable};

/// Most remarks that are shown; all of them are in the JSON.
const REMARKS_MAX: usize = 20;
/// Letters of a summary in a list.
const SUMMARY_CHARS: usize = 80;

impl HumanOutput {
    pub(super) fn md(&self, out: &mut dyn Write, report: &MdReport) -> io::Result<()> {
        self.md_troubles(out, &report.troubles)?;
        for file in &report.files {
            writeln!(out, "{} {}", self.paint(Paint::Dim, "wrote"), plain(file))?;
        }
        if let Some(commit) = &report.commit {
            writeln!(out, "{} {commit}", self.paint(Paint::Dim, "committed"))?;
        }
        writeln!(out, "{}", report.done)
    }

    fn md_troubles(&self, out: &mut dyn Write, troubles: &[MdTrouble]) -> io::Result<()> {
        let mut remarks = 0;
        for trouble in troubles {
            if trouble.severity == MdSeverity::Remark {
                remarks += 1;
                if remarks > REMARKS_MAX {
                    continue;
                }
            }
            let paint = if trouble.severity == MdSeverity::Error { Paint::Red } else { Paint::Dim };
            let word = self.paint(paint, trouble.severity.word());
            let line = if trouble.line > 0 { format!(":{}", trouble.line) } else { String::new() };
            let event = if trouble.event.is_empty() || trouble.message.starts_with(&trouble.event) {
                String::new()
            } else {
                format!(" {}:", plain(&trouble.event))
            };
            let (file, rule) = (plain(&trouble.file), &trouble.rule);
            writeln!(out, "{word} {file}{line}:{event} {} [{rule}]", plain(&trouble.message))?;
            if trouble.severity != MdSeverity::Remark {
                writeln!(out, "  {}", self.paint(Paint::Dim, &plain(&trouble.remedy)))?;
            }
        }
        if remarks > REMARKS_MAX {
            writeln!(out, "and {} more remarks (--json has them all)", remarks - REMARKS_MAX)?;
        }
        Ok(())
    }

    pub(super) fn md_appended(&self, out: &mut dyn Write, appended: &MdAppended) -> io::Result<()> {
        match (&appended.event, appended.staged) {
            (Some(event), _) => writeln!(out, "{event} in {}", appended.file),
            (None, Some(1)) => writeln!(out, "staged: 1 event waits for `idetic md shutdown`"),
            (None, Some(count)) => writeln!(out, "staged: {count} events wait for `idetic md shutdown`"),
            (None, None) => writeln!(out, "{}", appended.id),
        }
    }

    pub(super) fn md_boot(&self, out: &mut dyn Write, boot: &MdBoot) -> io::Result<()> {
        self.md_troubles(out, &boot.troubles)?;
        let events = format!("{} events without numbers", boot.events);
        let otherwise = if boot.events == 0 { "no event" } else { events.as_str() };
        let horizon = boot.horizon.as_deref().unwrap_or(otherwise);
        writeln!(out, "{} boots at {horizon} (tier {})", plain(&boot.agent), boot.tier)?;
        writeln!(out, "graph.md was {}, context.md was {}", boot.graph, boot.context)?;
        if !boot.rebuilt.is_empty() {
            writeln!(out, "rebuilt: {}", boot.rebuilt.join(", "))?;
        }
        if boot.archive_due {
            writeln!(out, "CHANGELOG.md has {} events: `idetic md archive` moves the old ones", boot.events)?;
        }
        if boot.staged > 0 {
            writeln!(out, "{} events wait for `idetic md shutdown`", boot.staged)?;
        }
        if let Some(handoff) = &boot.handoff {
            writeln!(out, "took the handoff {handoff}")?;
            for term in &boot.terms {
                writeln!(out, "  {}", plain(term))?;
            }
        }
        for waiting in &boot.handoffs {
            writeln!(out, "the handoff {waiting} is for you: `idetic md boot --handoff` takes it")?;
        }
        writeln!(out)?;
        write!(out, "{}", printable(&boot.told))
    }

    pub(super) fn md_handoff(&self, out: &mut dyn Write, handoff: &MdHandoff) -> io::Result<()> {
        write!(out, "{}", printable(&handoff.0.write()))
    }

    pub(super) fn md_event(&self, out: &mut dyn Write, event: &MdEvent) -> io::Result<()> {
        let place = format!("{}:{}", event.file, event.line);
        writeln!(out, "{}", self.paint(Paint::Dim, &place))?;
        writeln!(out, "{}", printable(event.text.trim_end()))
    }

    pub(super) fn md_event_line(&self, out: &mut dyn Write, line: &MdEventLine) -> io::Result<()> {
        let event = &line.event;
        let summary = plain(&event.summary);
        let mut short: String = summary.chars().take(SUMMARY_CHARS).collect();
        if short.len() < summary.len() {
            short.push('…');
        }
        let mark = if line.here { "> " } else { "" };
        let scope = plain(&event.scope.join(", "));
        writeln!(out, "{mark}{} | {} | {} | {scope} | {short}", plain(&event.event), event.time, plain(&event.kind))
    }

    pub(super) fn md_task(&self, out: &mut dyn Write, task: &MdTask) -> io::Result<()> {
        let about = if task.text.is_empty() { String::new() } else { format!(" — {}", plain(&task.text)) };
        let event = task.event.as_deref().map_or_else(String::new, |event| format!(" ({event})"));
        writeln!(out, "{:<10} {}{about}{event}", plain(&task.status), plain(&task.task))
    }
}
