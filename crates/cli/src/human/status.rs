//! How a space stands, for a person.

use std::io::{self, Write};

use idetic_ops::Status;
use idetic_ops::core::time::human_millis;

use super::{HumanOutput, Paint};

impl HumanOutput {
    pub(super) fn status(&self, out: &mut dyn Write, status: &Status) -> io::Result<()> {
        let last = status.last_recorded_at.map_or("never".to_owned(), |t| self.time(t));
        if let (Some(home), Some(found_by)) = (&status.home, &status.home_found_by) {
            writeln!(out, "home    {home} (found by {found_by})")?;
        }
        writeln!(out, "space   {}", self.paint(Paint::Bold, &status.space))?;
        writeln!(out, "events  {}, the last written {last}", status.events)?;
        if let Some(ahead) = status.clock_ahead_ms {
            let ahead = human_millis(ahead);
            writeln!(out, "clock   it ran ahead once or is behind now: the last event is {ahead} ahead of it")?;
        }
        writeln!(out, "head    {}", status.head)?;
        writeln!(out, "holds   {}", Self::quota(&status.quota))?;
        writeln!(out, "memory  {}", status.memory)?;
        for view in &status.views {
            let behind = if view.behind == 0 { "up to date".to_owned() } else { format!("{} to fold", view.behind) };
            writeln!(out, "view    {:<10} {behind}", view.view)?;
        }
        match (&status.model, &status.coverage) {
            (Some(model), Some(c)) => {
                writeln!(out, "model   {model}")?;
                writeln!(out, "vectors {} embedded, {} pending, {} to retry", c.embedded, c.pending, c.retry)?;
            }
            _ => writeln!(out, "model   none: everything is found by words")?,
        }
        for file in &status.files {
            writeln!(out, "file    {:<14} {:>10} bytes", file.name, file.bytes)?;
        }
        Ok(())
    }
}
