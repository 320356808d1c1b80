//! What became of an A-MEM folder, for a person.

use std::io::{self, Write};

use idetic_ops::{FolderReport, TroubleKind};

use super::{HumanOutput, Paint, plain};

/// Most remarks that are shown; all of them are in the JSON.
const REMARKS_MAX: usize = 20;

impl HumanOutput {
    pub(super) fn folder(&self, out: &mut dyn Write, report: &FolderReport) -> io::Result<()> {
        for file in report.files.iter().filter(|file| file.added > 0 || file.unread > 0) {
            let unread = if file.unread > 0 { format!(", {} unread", file.unread) } else { String::new() };
            writeln!(out, "{}: {} found, {} new{unread}", plain(&file.file), file.found, file.added)?;
        }
        let mut remarks = 0;
        for trouble in &report.troubles {
            let (word, paint) = match trouble.kind {
                TroubleKind::Violation => ("violation", Paint::Red),
                TroubleKind::Conflict => ("conflict", Paint::Red),
                TroubleKind::Unread => ("unread", Paint::Red),
                TroubleKind::Error => ("error", Paint::Red),
                TroubleKind::Remark => ("remark", Paint::Dim),
            };
            if trouble.kind == TroubleKind::Remark {
                remarks += 1;
                if remarks > REMARKS_MAX {
                    continue;
                }
            }
            let line = if trouble.line > 0 { format!(":{}", trouble.line) } else { String::new() };
            let text = if trouble.text.is_empty() { String::new() } else { format!(": {}", plain(&trouble.text)) };
            let times = if trouble.times > 1 { format!(" ({} times)", trouble.times) } else { String::new() };
            writeln!(
                out,
                "{} {}{line}: {}{times}{text}",
                self.paint(paint, word),
                plain(&trouble.file),
                plain(&trouble.reason)
            )?;
        }
        if remarks > REMARKS_MAX {
            writeln!(out, "and {} more remarks (--json has them all)", remarks - REMARKS_MAX)?;
        }
        writeln!(out, "{}", report.done)
    }
}
