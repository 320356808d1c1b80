//! `events/index.json`: what each file of events holds and where, so that a reader can seek. A cache: rebuilt at will.

use std::collections::BTreeMap;

use idetic_core::Time;
use serde::{Deserialize, Serialize};

use super::Problem;
use crate::json;

/// Every how-manieth line's place is kept.
pub const STRIDE_LINES: u64 = 1000;

/// The whole index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Index {
    /// The version of this shape.
    pub schema_version: String,
    /// Every how-manieth line's place is in `offsets`.
    pub stride_lines: u64,
    /// The months by name, as `2025-01`.
    pub months: BTreeMap<String, Month>,
    /// Files of events that lie beside the months, by path from the memory folder: flat files, and summaries of traces.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, Month>,
}

/// One month's file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Month {
    /// The file, from the folder the index lies in.
    pub file: String,
    /// How long it was when this was written, unpacked: a longer file has more, a shorter one was cut.
    pub bytes: u64,
    /// How long it was as it is stored: less than that where it is packed.
    #[serde(default)]
    pub stored_bytes: u64,
    /// How many lines it has.
    pub lines: u64,
    /// How many of them are events.
    pub events: u64,
    /// Events by type.
    pub by_type: BTreeMap<String, u64>,
    /// Events by status; those that say none under `none`.
    pub by_status: BTreeMap<String, u64>,
    /// The earliest time.
    pub first: Option<Time>,
    /// The latest time.
    pub last: Option<Time>,
    /// Events by trace.
    pub traces: BTreeMap<String, u64>,
    /// The files of traces beside it, with their length as it is stored.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub trace_files: BTreeMap<String, u64>,
    /// Where line 1, 1 + stride, 1 + 2 strides… begin.
    pub offsets: Vec<u64>,
    /// The file beside it with lines that came after it was packed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub late: Option<Box<Month>>,
}

/// What the index needs to know of an event.
#[derive(Debug, Clone, Copy)]
pub struct IndexedEvent<'a> {
    /// Its type.
    pub event_type: &'a str,
    /// Its status, if it says one.
    pub status: Option<&'a str>,
    /// When it happened.
    pub time: Option<Time>,
    /// Its trace.
    pub trace_id: Option<&'a str>,
}

impl Default for Index {
    fn default() -> Self {
        Self {
            schema_version: "1.0".to_owned(),
            stride_lines: STRIDE_LINES,
            months: BTreeMap::new(),
            files: BTreeMap::new(),
        }
    }
}

impl Index {
    /// Reads an index. One that is broken or of another version is a problem, and to be rebuilt.
    pub fn read(text: &str) -> Result<Self, Problem> {
        let wrong = |reason: String| Problem::harmless(1, reason, text.as_bytes());
        let index: Self = serde_json::from_str(text).map_err(|e| wrong(format!("not an index of events: {e}")))?;
        if index.schema_version != "1.0" || index.stride_lines == 0 {
            return Err(wrong(format!("an index of version {} is not known", index.schema_version)));
        }
        Ok(index)
    }

    /// Whether all this says was true of the files that another says everything of, or is of files that grew since.
    pub fn is_of(&self, now: &Self) -> bool {
        let is_so = |own: &BTreeMap<String, Month>, now: &BTreeMap<String, Month>| {
            own.iter().all(|(name, own)| now.get(name).is_some_and(|now| now == own || own.is_before(now)))
        };
        self.stride_lines == now.stride_lines && is_so(&self.months, &now.months) && is_so(&self.files, &now.files)
    }

    /// The index over many lines, sorted.
    pub fn write(&self) -> String {
        json::pretty(&serde_json::to_string(self).unwrap_or_else(|_| "{}".to_owned()))
    }
}

/// The month of a moment in UTC, as the folders are called: `2025-01`.
pub fn month(time: Time) -> String {
    let day = time.day();
    day.rsplit_once('-').map_or(day.clone(), |(month, _)| month.to_owned())
}

impl Month {
    /// An empty file.
    pub fn new(file: impl Into<String>) -> Self {
        Self { file: file.into(), ..Self::default() }
    }

    /// Whether this is said of a file as it is now, as far as its length tells.
    pub fn is_of(&self, file: &str, stored_bytes: u64) -> bool {
        self.file == file && self.stored_bytes == stored_bytes
    }

    /// Whether the file had less when this was said of it.
    fn is_before(&self, now: &Self) -> bool {
        let bytes = |month: &Self| month.stored_bytes + month.late.as_ref().map_or(0, |late| late.stored_bytes);
        bytes(self) < bytes(now) || self.trace_files != now.trace_files
    }

    /// Adds the next line of the file, its break included in the length; `None` for a line that is no event.
    pub fn add(&mut self, length_bytes: u64, stride_lines: u64, entry: Option<&IndexedEvent>) {
        if self.lines.is_multiple_of(stride_lines.max(1)) {
            self.offsets.push(self.bytes);
        }
        self.bytes += length_bytes;
        self.lines += 1;
        let Some(entry) = entry else { return };
        self.events += 1;
        *self.by_type.entry(entry.event_type.to_owned()).or_insert(0) += 1;
        *self.by_status.entry(entry.status.unwrap_or("none").to_owned()).or_insert(0) += 1;
        if let Some(trace) = entry.trace_id {
            *self.traces.entry(trace.to_owned()).or_insert(0) += 1;
        }
        if let Some(time) = entry.time {
            self.first = Some(self.first.map_or(time, |first| first.min(time)));
            self.last = Some(self.last.map_or(time, |last| last.max(time)));
        }
    }

    /// Where to begin reading for a line (counted from 1): a byte, and the number of the line that begins there.
    pub fn seek(&self, line: u64, stride_lines: u64) -> (u64, u64) {
        let stride = stride_lines.max(1);
        let at = usize::try_from(line.saturating_sub(1) / stride).unwrap_or(usize::MAX);
        let at = at.min(self.offsets.len().saturating_sub(1));
        (self.offsets.get(at).copied().unwrap_or(0), at as u64 * stride + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_month_counts_what_it_holds_and_leads_to_its_lines() {
        let time = |text: &str| Time::parse(text).ok();
        let mut month = Month::new("2025-01/events.jsonl");
        for (at, status) in ["success", "failure", "success"].into_iter().enumerate() {
            let day = format!("2025-01-1{}", 7 - at);
            let entry = IndexedEvent {
                event_type: "gateway.tool_call",
                status: Some(status),
                time: time(&day),
                trace_id: Some("abc123"),
            };
            month.add(100, 2, Some(&entry));
        }
        month.add(1, 2, None);
        assert_eq!((month.bytes, month.lines, month.events), (301, 4, 3));
        assert_eq!(month.by_status["success"], 2);
        assert_eq!((month.first, month.last), (time("2025-01-15"), time("2025-01-17")));
        assert_eq!(month.offsets, [0, 200]);
        assert_eq!(month.seek(2, 2), (0, 1));
        assert_eq!(month.seek(4, 2), (200, 3));
        assert_eq!(month.seek(99, 2), (200, 3));
        assert_eq!(month.first.map(super::month).as_deref(), Some("2025-01"));
        let mut index = Index::default();
        index.months.insert("2025-01".to_owned(), month);
        let text = index.write();
        assert!(text.starts_with(
            "{\n  \"schema_version\": \"1.0\",\n  \"stride_lines\": 1000,\n  \"months\": {\n    \"2025-01\": {\n"
        ));
        assert_eq!(Index::read(&text), Ok(index));
    }

    #[test]
    fn an_index_of_another_kind_is_a_problem_that_costs_nothing() {
        for bad in [
            "",
            "{}",
            r#"{"schema_version":"9","stride_lines":1,"months":{}}"#,
            r#"{"schema_version":"1.0","stride_lines":0,"months":{}}"#,
        ] {
            assert!(Index::read(bad).is_err_and(|p| !p.loses), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_a_panic(text in "\\PC{0,60}|\\{[\\PC\"]{0,40}\\}") {
            let _ = Index::read(&text);
        }
    }
}
