//! A purge as a person reads it.

use std::io::{self, Write};

use idetic_ops::Purged;

use super::{HumanOutput, Paint, plain};

impl HumanOutput {
    pub(super) fn purged(&self, out: &mut dyn Write, purged: &Purged) -> io::Result<()> {
        for line in &purged.events {
            let seq = self.paint(Paint::Bold, &line.seq.to_string());
            let why = self.paint(Paint::Dim, &plain(&format!("({})", line.why)));
            writeln!(out, "{seq} {} {} {why}", plain(&line.kind), plain(&line.id))?;
            if let Some(said) = &line.said {
                let author = said.author.as_deref().map_or_else(String::new, |author| format!(" {}", plain(author)));
                let when = self.paint(Paint::Dim, &format!("{}{author}", self.time(said.ts)));
                writeln!(out, "    {when} {}: {}", plain(&said.field), plain(&said.passage))?;
            }
        }
        let count = purged.count;
        if count > purged.events.len() {
            writeln!(out, "and {} more", count - purged.events.len())?;
        }
        let events = if count == 1 { "1 event".to_owned() } else { format!("{count} events") };
        match (&purged.receipt, purged.applied) {
            (_, false) => writeln!(out, "the content of {events} of {} would be erased for good", purged.space)?,
            (Some(receipt), true) if count == 0 => {
                writeln!(out, "a purge of {} that was stopped is finished; receipt {receipt}", purged.space)?;
            }
            (Some(receipt), true) => {
                writeln!(out, "the content of {events} of {} is erased; receipt {receipt}", purged.space)?;
            }
            (None, true) => writeln!(out, "no event of {} had anything to erase", purged.space)?,
        }
        for file in &purged.files {
            writeln!(out, "  cleaned {}", plain(file))?;
        }
        for warning in &purged.warnings {
            writeln!(out, "{}: {}", self.paint(Paint::Yellow, "warning"), plain(warning))?;
        }
        for left in &purged.left {
            writeln!(out, "{}: {} ({})", self.paint(Paint::Red, "left"), plain(&left.file), left.reason)?;
        }
        Ok(())
    }
}
