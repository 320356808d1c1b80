//! Whether a file of events says anything that is not in the log: only one that does not may be packed or removed.

use std::collections::HashSet;
use std::io::BufReader;

use idetic_formats::amem::event::{self, Occurrences, Shape, SourcePosition, fingerprint};
use idetic_formats::amem::scan::{self, Found as Piece};
use idetic_memory::folder::Folder;
use idetic_memory::{Kind, Result};

use super::Bound;
use super::diff::Print;
use super::listing::{Found, Sort};
use super::state::KnownFile;
use super::summed::Summed;
use super::write_out::line_of;

/// The lines of one month that are known to be in the log. The files of its traces say the same lines, and there may be
/// many of them.
#[derive(Default)]
pub(super) struct MonthLines {
    month: String,
    prints: HashSet<Print>,
}

impl Bound {
    /// Why a file may not be moved or removed as far as is known without reading it.
    pub(super) fn is_known_to_stay(&self, found: &Found) -> Option<&'static str> {
        match self.known_file(found)? {
            known if known.unread > 0 => Some("places in it could not be read: they are not in the log"),
            known if known.sum.is_empty() => Some("old lines of it were tampered with"),
            _ => None,
        }
    }

    /// Why a file may not be moved or removed: something stands in it that the log has not. `None` where it may.
    pub(super) fn stays(&self, found: &Found, lines: &mut MonthLines) -> Result<Option<&'static str>> {
        if let Some(why) = self.is_known_to_stay(found) {
            return Ok(Some(why));
        }
        let Some(known) = self.known_file(found) else { return Ok(Some("it was not read yet")) };
        match self.says_more(&found.path, lines)? {
            Err(why) => Ok(Some(why)),
            Ok(now) if now.sum != known.sum => Ok(Some("it was changed since it was read, or old lines of it were")),
            Ok(_) => Ok(None),
        }
    }

    fn known_file(&self, found: &Found) -> Option<&KnownFile> {
        let state = &self.state;
        if found.sort == Sort::Trace { state.traces.get(&found.path) } else { state.known.files.get(&found.path) }
    }

    /// Looks at every line of a file: what it is now, or why it says more than the log.
    fn says_more(&self, path: &str, lines: &mut MonthLines) -> Result<std::result::Result<KnownFile, &'static str>> {
        self.says_more_in(&self.folder, path, lines)
    }

    /// The same of a file in an archive.
    pub(super) fn says_more_in(
        &self,
        place: &Folder,
        path: &str,
        lines: &mut MonthLines,
    ) -> Result<std::result::Result<KnownFile, &'static str>> {
        self.lines_of_month(path, lines);
        let (mut summed, mut occurrences) = (Summed::new(place.read(path)?), Occurrences::default());
        for piece in scan::scan(BufReader::new(&mut summed), scan::OBJECT_MAX_BYTES) {
            let Ok(piece) = piece else { return Ok(Err("it is damaged and cannot be read to its end")) };
            match piece.found {
                Piece::Object(raw) => {
                    let place = SourcePosition { line: piece.first_line, occurrence: occurrences.next(&raw) };
                    if !lines.prints.contains(&fingerprint(&raw)) && !self.is_in_log(&raw, &place)? {
                        return Ok(Err("a line of it is not in the log"));
                    }
                }
                Piece::Problem(problem) if problem.loses => {
                    return Ok(Err("places in it could not be read: they are not in the log"));
                }
                Piece::Problem(_) => {}
            }
        }
        Ok(Ok(summed.known(0)))
    }

    /// The lines of a file's month as they were when they were read or written.
    fn lines_of_month(&self, path: &str, lines: &mut MonthLines) {
        let month = path.split('/').find(|part| part.len() == 7 && part.as_bytes()[4] == b'-').unwrap_or_default();
        if lines.month != month {
            month.clone_into(&mut lines.month);
            let files = ["jsonl", "jsonl.gz"].map(|ending| format!("events/{month}/events.{ending}"));
            lines.prints = files.iter().flat_map(|file| self.state.lines(file)).map(|line| line.print).collect();
        }
    }

    /// Whether the log has what a line says.
    fn is_in_log(&self, raw: &str, place: &SourcePosition) -> Result<bool> {
        let Ok(incoming) = event::read(raw, place) else { return Ok(false) };
        let event = match self.space.by_id(&incoming.id, self.space.horizon(None)?) {
            Ok(event) => event,
            Err(error) if error.kind == Kind::NotFound => return Ok(false),
            Err(error) => return Err(error),
        };
        // The id of a line that others wrote is made from its text.
        if incoming.shape != Shape::Own {
            return Ok(true);
        }
        // What the event said is gone: a line that is not as it was written may say something else.
        if event.fields.is_none() {
            return Ok(false);
        }
        let ours = event::read(&line_of(&self.space, &event, &self.source)?, place);
        Ok(ours.is_ok_and(|ours| ours.record == incoming.record))
    }
}
