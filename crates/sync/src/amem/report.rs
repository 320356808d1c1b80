//! What became of a folder: counts, and everything that could not be taken as it is, with its place.

use serde::Serialize;

/// Something in a file that is not as it should be.
#[derive(Debug, Clone, Serialize)]
pub struct Trouble {
    /// The file, from the folder.
    pub file: String,
    /// The line, counted from 1; 0 where the whole file is meant.
    pub line: u64,
    /// How often; the line is that of the first.
    pub times: u64,
    /// What is wrong, in plain words.
    pub reason: String,
    /// The beginning of what stands there.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// What kind of trouble.
    pub kind: TroubleKind,
}

/// What kind of trouble, from the worst to the least.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TroubleKind {
    /// An old line was changed, deleted or moved: the log keeps what was there.
    Violation,
    /// Both sides changed the same note: both texts are kept.
    Conflict,
    /// Something that did not become an event.
    Unread,
    /// Something that the document requires and that is not so; it was read all the same.
    Error,
    /// Something that was repaired in reading.
    Remark,
}

/// One file and what it had.
#[derive(Debug, Clone, Default, Serialize)]
pub struct FileCount {
    /// The file, from the folder.
    pub file: String,
    /// Events in it, or notes.
    pub found: u64,
    /// Those that were new to the log.
    pub added: u64,
    /// Places that did not become events.
    pub unread: u64,
}

/// What became of a folder.
#[derive(Debug, Clone, Default, Serialize)]
pub struct FolderReport {
    /// What was done, in one line.
    pub done: String,
    /// Events that were new to the log.
    pub events_added: u64,
    /// Notes that were taken in, new or changed.
    pub notes_added: u64,
    /// Lines written to event files.
    pub lines_written: u64,
    /// Other files written.
    pub files_written: u64,
    /// Every file that was looked into.
    pub files: Vec<FileCount>,
    /// Everything that is not as it should be.
    pub troubles: Vec<Trouble>,
}

impl FolderReport {
    /// Notes a trouble.
    pub(super) fn trouble(&mut self, kind: TroubleKind, file: &str, line: u64, reason: impl Into<String>, text: &str) {
        let (reason, text) = (reason.into(), text.chars().take(200).collect());
        // The same remark on every line of a file is one remark.
        let is_said_once = matches!(kind, TroubleKind::Remark | TroubleKind::Error);
        let same =
            |known: &&mut Trouble| is_said_once && known.kind == kind && known.reason == reason && known.file == file;
        if let Some(known) = self.troubles.iter_mut().rev().take(8).find(same) {
            known.times += 1;
            return;
        }
        self.troubles.push(Trouble { file: file.to_owned(), line, times: 1, reason, text, kind });
    }

    /// Whether either side changed.
    pub fn changed_anything(&self) -> bool {
        self.events_added + self.notes_added + self.lines_written + self.files_written > 0 || !self.is_clean()
    }

    /// Says in one line what was done.
    pub fn sum_up(&mut self) {
        let Self { events_added, notes_added, lines_written, files_written, .. } = self;
        self.done = format!(
            "imported {events_added} events and {notes_added} notes; \
             wrote {lines_written} lines and {files_written} files"
        );
    }

    /// How many troubles of a kind there are.
    pub fn count(&self, kind: TroubleKind) -> usize {
        self.troubles.iter().filter(|trouble| trouble.kind == kind).count()
    }

    /// Whether everything became what it should be.
    pub fn is_clean(&self) -> bool {
        self.troubles.iter().all(|trouble| trouble.kind == TroubleKind::Remark)
    }
}
