//! Checking a folder without touching it: what would be read, what would not, and what does not keep to the document.

use std::collections::{BTreeMap, BTreeSet};
use std::io::BufReader;
use std::path::Path;

use idetic_formats::amem::event::{self, Occurrences, SourcePosition};
use idetic_formats::amem::note::{NOTE_MAX_BYTES, Note};
use idetic_formats::amem::scan::{self, Found as Piece};
use idetic_memory::Result;
use idetic_memory::folder::Folder;

use super::listing::{Found, Sort, list, open};
use super::report::{FileCount, FolderReport, TroubleKind};
use super::schema;

/// Reads everything and tells what is odd about it.
pub fn validate(path: &Path) -> Result<FolderReport> {
    let folder = open(path)?;
    let listing = list(&folder)?;
    let mut report = FolderReport::default();
    for passed in &listing.passed_over {
        report.trouble(passed.kind, &passed.path, 0, passed.why, "");
    }
    let mut notes: BTreeMap<String, (String, Note)> = BTreeMap::new();
    for found in &listing.files {
        match found.sort {
            Sort::Events | Sort::Trace => events(&folder, found, &mut report)?,
            Sort::Note => note(&folder, found, &mut notes, &mut report)?,
            Sort::Index | Sort::Profile | Sort::Kept => {}
        }
    }
    dangling(&notes, &mut report);
    let (found, unread) = report.files.iter().fold((0, 0), |(f, u), file| (f + file.found, u + file.unread));
    let said = |kind: TroubleKind| -> u64 {
        report.troubles.iter().filter(|trouble| trouble.kind == kind).map(|trouble| trouble.times).sum()
    };
    report.done = format!(
        "checked {} files: {found} events and notes, {unread} places that cannot be read, {} errors, {} remarks; \
         nothing was written",
        report.files.len(),
        said(TroubleKind::Error),
        said(TroubleKind::Remark),
    );
    Ok(report)
}

fn events(folder: &Folder, found: &Found, report: &mut FolderReport) -> Result<()> {
    let mut count = FileCount { file: found.path.clone(), ..FileCount::default() };
    let mut occurrences = Occurrences::default();
    for piece in scan::scan(BufReader::new(folder.read(&found.path)?), scan::OBJECT_MAX_BYTES) {
        let piece = match piece {
            Ok(piece) => piece,
            // A packed file that is damaged inside: what came before it is good.
            Err(error) => {
                count.unread += 1;
                report.trouble(TroubleKind::Unread, &found.path, 0, format!("cannot be read further: {error}"), "");
                break;
            }
        };
        match piece.found {
            Piece::Object(raw) => {
                count.found += 1;
                let place = SourcePosition { line: piece.first_line, occurrence: occurrences.next(&raw) };
                match event::read(&raw, &place) {
                    Ok(incoming) => {
                        for remark in incoming.remarks {
                            report.trouble(TroubleKind::Remark, &found.path, place.line, remark, "");
                        }
                        for (kind, reason) in schema::event(&raw, &found.path) {
                            report.trouble(kind, &found.path, place.line, reason, "");
                        }
                    }
                    Err(problem) => {
                        count.unread += 1;
                        report.trouble(TroubleKind::Unread, &found.path, problem.line, problem.reason, &problem.raw);
                    }
                }
            }
            Piece::Problem(problem) => {
                count.unread += u64::from(problem.loses);
                let kind = if problem.loses { TroubleKind::Unread } else { TroubleKind::Remark };
                report.trouble(kind, &found.path, problem.line, problem.reason, &problem.raw);
            }
        }
    }
    report.files.push(count);
    Ok(())
}

fn note(
    folder: &Folder,
    found: &Found,
    notes: &mut BTreeMap<String, (String, Note)>,
    report: &mut FolderReport,
) -> Result<()> {
    let mut count = FileCount { file: found.path.clone(), found: 1, ..FileCount::default() };
    match folder.read_text(&found.path, NOTE_MAX_BYTES as u64)? {
        Ok(text) => {
            let (note, problems) = Note::read(super::stem(&found.path), &text);
            for problem in problems {
                let kind = if problem.loses { TroubleKind::Unread } else { TroubleKind::Remark };
                report.trouble(kind, &found.path, problem.line, problem.reason, &problem.raw);
            }
            for (kind, reason) in schema::note(&note) {
                report.trouble(kind, &found.path, 1, reason, "");
            }
            if let Some((other, _)) = notes.insert(note.id.clone(), (found.path.clone(), note)) {
                let reason = format!("{other} has the same id");
                report.trouble(TroubleKind::Unread, &found.path, 1, reason, "");
            }
        }
        Err(why) => {
            count.unread = 1;
            report.trouble(TroubleKind::Unread, &found.path, 0, why, "");
        }
    }
    report.files.push(count);
    Ok(())
}

fn dangling(notes: &BTreeMap<String, (String, Note)>, report: &mut FolderReport) {
    let known: BTreeSet<&str> = notes.keys().map(String::as_str).collect();
    for (path, note) in notes.values() {
        for link in note.links.iter().filter(|link| !known.contains(link.as_str())) {
            report.trouble(TroubleKind::Remark, path, 0, format!("it links to '{link}', which is not a note here"), "");
        }
    }
}
