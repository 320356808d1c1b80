//! What was recalled, as a person reads it.

use std::io::{self, Write};

use idetic_ops::{PackedContext, Recalled};

use super::{HumanOutput, Paint, labelled, one_line, plain, printable};

impl HumanOutput {
    pub(super) fn recalled(&self, out: &mut dyn Write, recalled: &Recalled) -> io::Result<()> {
        if let Some(qid) = &recalled.qid {
            writeln!(out, "{}", self.paint(Paint::Bold, &qid.to_string()))?;
        }
        if recalled.hits.is_empty() {
            writeln!(out, "nothing was found")?;
        }
        for hit in &recalled.hits {
            let who = hit.author.as_deref().map_or(String::new(), |who| format!(" {}", plain(who)));
            let from = labelled(&hit.origin);
            let space = hit.space.as_deref().map_or(String::new(), |space| format!(" in {}", plain(space)));
            writeln!(
                out,
                "{} {} {}{}{from}{space}  {}",
                self.paint(Paint::Bold, &format!("{:>6.2}", hit.score)),
                self.paint(Paint::Dim, &format!("{:>6}", hit.place.number())),
                self.paint(Paint::Dim, &self.time(hit.ts)),
                self.paint(Paint::Cyan, &who),
                one_line(if hit.note.is_some() { hit.text.trim_start() } else { &hit.text })
            )?;
            if let Some(note) = &hit.note {
                writeln!(out, "       {}", self.note_brief(note))?;
            }
            if let Some(parts) = &hit.parts {
                let parts: Vec<String> =
                    parts.iter().filter(|(_, v)| v.abs() >= 0.005).map(|(name, v)| format!("{name} {v:+.2}")).collect();
                writeln!(out, "       {}", self.paint(Paint::Dim, &parts.join(", ")))?;
            }
        }
        Ok(())
    }

    pub(super) fn packed(&self, out: &mut dyn Write, packed: &PackedContext) -> io::Result<()> {
        write!(out, "{}", printable(&packed.text))?;
        if packed.abstained {
            return writeln!(out, "{}", self.paint(Paint::Dim, "nothing in memory is a good enough answer"));
        }
        if let Some(least) = packed.least_budget {
            let small =
                format!("a budget of {} tokens is too small for what was found: use at least {least}", packed.budget);
            return writeln!(out, "{}", self.paint(Paint::Yellow, &small));
        }
        Ok(())
    }
}
