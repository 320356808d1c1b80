//! Which notes are asked for: by tags, status, author and confidence.

use idetic_formats::amem::tags;

use crate::notes::confidence;
use crate::{NoteRow, Result};

/// What a note must have.
pub struct NoteFilter {
    tags: Vec<String>,
    any: bool,
    status: Option<String>,
    author: Option<String>,
    confidence: Option<&'static str>,
}

impl NoteFilter {
    /// A filter, checked.
    pub fn new(
        tags: &[String],
        any: bool,
        status: Option<String>,
        author: Option<String>,
        sure: Option<&str>,
    ) -> Result<Self> {
        let tags = tags.iter().map(|tag| tags::normal(tag)).collect();
        let confidence = sure.map(confidence).transpose()?.map(|sure| sure.word());
        Ok(Self { tags, any, status, author, confidence })
    }

    /// Whether a note has all of it.
    pub fn matches(&self, row: &NoteRow) -> bool {
        let has = |tag: &String| row.tags.contains(tag);
        let tagged =
            if self.any { self.tags.is_empty() || self.tags.iter().any(has) } else { self.tags.iter().all(has) };
        let same = |said: &Option<String>, wanted: &Option<String>| {
            wanted.as_deref().is_none_or(|w| said.as_deref().is_some_and(|said| said.eq_ignore_ascii_case(w)))
        };
        tagged
            && same(&row.status, &self.status)
            && same(&row.author, &self.author)
            && self.confidence.is_none_or(|wanted| row.confidence.as_deref() == Some(wanted))
    }
}
