//! Notes, failures and advice as a person reads them.

use std::io::{self, Write};

use idetic_ops::{
    Advice, FailureGroup, NoteFinding, NoteLine, NoteRelated, NoteSaved, NoteSeen, NoteShown, NoteVersion,
};

use super::{HumanOutput, Paint, labelled, one_line, plain, printable};

impl HumanOutput {
    /// That a note was written, and where it stands.
    pub fn note_saved(&self, out: &mut dyn Write, saved: &NoteSaved) -> io::Result<()> {
        let seq = saved.seq.map_or(String::new(), |seq| format!("{} ", self.paint(Paint::Bold, &seq.to_string())));
        writeln!(out, "{seq}{} {} {}", saved.done, plain(&saved.note), self.paint(Paint::Dim, &saved.id))
    }

    /// A note, whole: its text as it is, then what the text does not say.
    pub fn note_shown(&self, out: &mut dyn Write, shown: &NoteShown) -> io::Result<()> {
        let text = printable(&shown.text);
        writeln!(out, "{}", text.trim_end_matches('\n'))?;
        writeln!(out, "\n{}{}", self.note_state(&shown.line.seen), labelled(&shown.origin))?;
        if !shown.linked_from.is_empty() {
            writeln!(out, "linked from {}", plain(&shown.linked_from.join(", ")))?;
        }
        Ok(())
    }

    /// A note in a line of a list.
    pub fn note_line(&self, out: &mut dyn Write, line: &NoteLine) -> io::Result<()> {
        let score = line.score.map_or(String::new(), |score| format!("{score:>6.2} "));
        let updated = line.updated.as_deref().unwrap_or("").get(..10).unwrap_or("          ");
        let tags: String = line.tags.iter().map(|tag| format!(" #{}", plain(tag))).collect();
        writeln!(
            out,
            "{score}{} {}  {}{}  {}",
            self.paint(Paint::Dim, &plain(updated)),
            self.paint(Paint::Bold, &plain(&line.seen.note)),
            one_line(&line.seen.title),
            self.paint(Paint::Yellow, &tags),
            self.note_state(&line.seen),
        )
    }

    /// Which note a hit is, how sure, how it went, and what replaces it.
    pub fn note_brief(&self, seen: &NoteSeen) -> String {
        self.note_words(seen, &seen.brief())
    }

    fn note_state(&self, seen: &NoteSeen) -> String {
        self.note_words(seen, &seen.state())
    }

    fn note_words(&self, seen: &NoteSeen, words: &str) -> String {
        let paint = if seen.is_deprecated() { Paint::Red } else { Paint::Dim };
        self.paint(paint, &format!("({})", plain(words)))
    }

    /// A version of a note.
    pub fn note_version(&self, out: &mut dyn Write, version: &NoteVersion) -> io::Result<()> {
        let what = match (version.deleted, &version.status) {
            (true, _) => "deleted".to_owned(),
            (false, status) => format!(
                "{}{}",
                one_line(&version.title),
                status.as_deref().map_or(String::new(), |s| format!(" ({})", plain(s)))
            ),
        };
        writeln!(
            out,
            "{} {} {}{}  {what}",
            self.paint(Paint::Bold, &format!("{:>6}", version.seq)),
            self.paint(Paint::Dim, &self.time(version.recorded_at)),
            self.paint(Paint::Cyan, &plain(version.author.as_deref().unwrap_or("-"))),
            labelled(&version.origin),
        )?;
        for line in version.diff.iter().flatten() {
            let paint = if line.starts_with('-') { Paint::Red } else { Paint::Green };
            writeln!(out, "       {}", self.paint(paint, &plain(line)))?;
        }
        Ok(())
    }

    /// A note near another.
    pub fn note_related(&self, out: &mut dyn Write, near: &NoteRelated) -> io::Result<()> {
        let title = near.title.as_deref().map_or_else(|| self.paint(Paint::Red, "there is no such note"), one_line);
        let via = self.paint(Paint::Dim, &format!("(via {})", plain(&near.via)));
        writeln!(out, "{:>3} {}  {title} {via}", near.distance, self.paint(Paint::Bold, &plain(&near.note)))
    }

    /// What a check of a note found.
    pub fn note_finding(&self, out: &mut dyn Write, finding: &NoteFinding) -> io::Result<()> {
        let mark = if finding.wrong { self.paint(Paint::Red, "✗") } else { self.paint(Paint::Yellow, "!") };
        writeln!(out, "{mark} {}: {}", self.paint(Paint::Bold, &plain(&finding.note)), plain(&finding.found))
    }

    /// Failures that resemble each other.
    pub fn failure_group(&self, out: &mut dyn Write, group: &FailureGroup) -> io::Result<()> {
        writeln!(
            out,
            "{} {}  {}",
            self.paint(Paint::Red, &format!("{:>4}×", group.count)),
            self.paint(Paint::Dim, &format!("{} – {}", self.time(group.first), self.time(group.last))),
            one_line(&group.example)
        )?;
        let mut about = vec![format!("last {}", group.place.number()), group.kinds.join(", ")];
        if !group.traces.is_empty() {
            about.push(format!("traces {}", group.traces.join(", ")));
        }
        writeln!(out, "      {}", self.paint(Paint::Dim, &plain(&about.join("; "))))
    }

    /// What is known about a failure.
    pub fn advice(&self, out: &mut dyn Write, advice: &Advice) -> io::Result<()> {
        if !advice.known {
            writeln!(out, "no known solution")?;
        }
        for fix in &advice.fixes {
            writeln!(out, "{} {}", self.paint(Paint::Bold, "it worked again after"), one_line(&fix.steps.join("; ")))?;
            if let Some(said) = &fix.said {
                writeln!(out, "  the agent said then: {}", one_line(said))?;
            }
        }
        for note in &advice.notes {
            writeln!(
                out,
                "{}  {}",
                self.paint(
                    Paint::Bold,
                    &format!("{} ({} sure, {:.2})", plain(&note.seen.note), note.how_sure, note.sure)
                ),
                one_line(&note.seen.title),
            )?;
            writeln!(out, "  {}{}", self.note_state(&note.seen), labelled(&note.origin))?;
            writeln!(out, "  because {} [{}]", plain(&note.because), plain(&note.causes.join(", ")))?;
            for line in printable(&note.text).trim().lines() {
                writeln!(out, "    {line}")?;
            }
        }
        if !advice.failures.is_empty() {
            writeln!(out, "{}", self.paint(Paint::Bold, "it looks like"))?;
        }
        for failure in &advice.failures {
            let trace = failure.trace_id.as_deref().map_or(String::new(), |trace| format!(" in {}", plain(trace)));
            let alike = format!("{:.2} {}{trace}", failure.alike, self.time(failure.ts));
            writeln!(
                out,
                "  {} {}  {} {}",
                self.paint(Paint::Dim, &format!("{:>6}", failure.place.number())),
                self.paint(Paint::Dim, &alike),
                one_line(&failure.text),
                self.paint(Paint::Dim, &format!("[{}]", plain(&failure.id)))
            )?;
        }
        if !advice.tried.is_empty() {
            writeln!(out, "{}", self.paint(Paint::Bold, "what was done then"))?;
        }
        for attempt in &advice.tried {
            writeln!(
                out,
                "  {} {} {} {}  {} {}",
                self.paint(Paint::Dim, &format!("{:>6}", attempt.place.number())),
                self.paint(Paint::Dim, &plain(&attempt.trace_id)),
                self.paint(Paint::Cyan, &plain(&attempt.kind)),
                attempt.status.unwrap_or(""),
                one_line(&attempt.text),
                self.paint(Paint::Dim, &format!("[{}]", plain(&attempt.id)))
            )?;
        }
        Ok(())
    }
}
