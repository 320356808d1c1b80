//! A quarantine as a person reads it.

use std::io::{self, Write};

use idetic_ops::Quarantined;

use super::{HumanOutput, Paint, one_line, plain};

impl HumanOutput {
    pub(super) fn quarantined(&self, out: &mut dyn Write, told: &Quarantined) -> io::Result<()> {
        for line in &told.events {
            let seq = self.paint(Paint::Bold, &line.seq.to_string());
            let why = self.paint(Paint::Dim, &plain(&format!("({}, from {})", line.why, line.origin)));
            writeln!(out, "{seq} {} {why}  {}", plain(&line.kind), one_line(&line.text))?;
        }
        let events = if told.count == 1 { "1 event".to_owned() } else { format!("{} events", told.count) };
        let are = if told.count == 1 { "is" } else { "are" };
        let id = plain(told.id.as_deref().unwrap_or_default());
        match told.done {
            "hidden" => writeln!(out, "{events} of {} {are} hidden from every answer: quarantine {id}", told.space),
            "released" => writeln!(out, "{events} of {} can be seen again", told.space),
            "listed" => {
                let since = told.since.map(|since| self.time(since)).unwrap_or_default();
                let reason = told.reason.as_deref().map(|reason| format!("  {}", plain(reason))).unwrap_or_default();
                writeln!(out, "{id}  {since}  {events}{reason}")
            }
            _ => writeln!(out, "{events} of {} would be hidden: use --yes to do it", told.space),
        }
    }
}
