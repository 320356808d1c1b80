//! What agents were told, what stands, and acknowledgements, for a person.

use std::io::{self, Write};

use idetic_ops::{Ack, RuleLine, ShownLine, StartPreview};

use super::{HumanOutput, Paint, labelled, one_line, plain};

impl HumanOutput {
    pub(super) fn ack(&self, out: &mut dyn Write, ack: &Ack) -> io::Result<()> {
        writeln!(out, "{} {}", self.paint(Paint::Bold, &ack.place.number().to_string()), ack.id)
    }

    pub(super) fn shown(&self, out: &mut dyn Write, line: &ShownLine) -> io::Result<()> {
        let moment = line.moment.as_deref().unwrap_or("recalled");
        let session = line.session.as_deref().map_or(String::new(), |session| format!("  session {}", plain(session)));
        let project = line.project.as_deref().map_or(String::new(), |project| format!("  {}", plain(project)));
        let tokens = line.tokens.map_or(String::new(), |tokens| format!("  {tokens} tokens"));
        let about = self.paint(Paint::Dim, &format!("{session}{project}{tokens}"));
        writeln!(out, "{} {}{about}", self.time(line.ts), self.paint(Paint::Bold, &plain(moment)))?;
        for event in &line.events {
            writeln!(out, "  {:>2}.{} {}", event.rank, labelled(&event.origin), one_line(&event.text))?;
        }
        Ok(())
    }

    pub(super) fn start_preview(&self, out: &mut dyn Write, preview: &StartPreview) -> io::Result<()> {
        if preview.text.is_empty() {
            return writeln!(out, "nothing: there is nothing to tell yet");
        }
        preview.text.lines().try_for_each(|line| writeln!(out, "{}", plain(line)))?;
        let about = format!("{} of {} tokens, {} events", preview.tokens, preview.budget, preview.ids.len());
        writeln!(out, "{}", self.paint(Paint::Dim, &about))
    }

    pub(super) fn rule(&self, out: &mut dyn Write, line: &RuleLine) -> io::Result<()> {
        let perhaps = if line.sure { "" } else { "perhaps a " };
        writeln!(out, "{}{}  {}", perhaps, self.paint(Paint::Bold, line.kind), plain(&line.text))?;
        let project = line.project.as_deref().map_or(String::new(), |project| format!("  {}", plain(project)));
        writeln!(
            out,
            "  {}",
            self.paint(Paint::Dim, &format!("{}  #{}{project}  {}", self.time(line.ts), line.seq, line.id))
        )
    }
}
