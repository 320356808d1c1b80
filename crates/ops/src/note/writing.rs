//! What the operations on notes have in common: who writes, what a text is, how a note is changed, what resembles it.

use std::collections::BTreeSet;
use std::io::Read;
use std::sync::Arc;

use idetic_core::invalid::excerpt;
use idetic_core::views::{NOTE_WRITTEN, TIMELINE};
use idetic_formats::amem::note::{Change, NOTE_MAX_BYTES, New, Note};
use idetic_formats::amem::tags;
use idetic_memory::Viewpoint;
use idetic_memory::notes::{moment, stem};
use idetic_memory::recall::{Question, RecallOptions};
use idetic_memory::{Base, Error, NoteLine, NoteRow, NoteSaved, Result, Space, note_record};
use idetic_search::Filters;
use idetic_search::filter::Condition;
use idetic_search::fuzzy;
use idetic_store::{Filter, Select};

use crate::OwnerContext;

/// Notes looked at for one that says the same.
const LOOKED_AT: usize = 5;
/// So much of a text is compared with other notes: the beginning says what it is about.
const COMPARED_CHARS: usize = 1000;
/// From this cosine on two notes say the same.
const SAME_MEANING: f64 = 0.80;
/// From this share of common words on two notes say the same.
const SAME_WORDS: f64 = 0.6;
/// From this ratio on two titles are the same, where they have about as many words.
const SAME_TITLE: f64 = 88.0;
/// What the longer of two titles may have more.
const TITLE_LENGTHS: f64 = 0.6;

/// The last version of every note that is there, with how often each was tried.
pub(crate) fn note_lines(space: &Space, rows: Vec<NoteRow>, horizon: u64) -> Result<Vec<NoteLine>> {
    let tried = space.all_tried(horizon)?;
    let of = |row: NoteRow| {
        let tried = tried.get(&row.note).copied().unwrap_or_default();
        NoteLine::of(row, tried)
    };
    Ok(rows.into_iter().map(of).collect())
}

/// The notes that are there, but for those whose last version a condition does not hold of.
pub(crate) fn filtered(space: &Space, horizon: u64, condition: Option<Arc<Condition>>) -> Result<Vec<NoteRow>> {
    let mut rows = space.living_notes(horizon)?;
    if let Some(condition) = condition {
        let held = space.seqs(&Select::from(&TIMELINE, horizon).filter(Filter::Matches("born", condition)))?;
        rows.retain(|row| held.binary_search(&row.seq).is_ok());
    }
    Ok(rows)
}

impl OwnerContext<'_> {
    /// The text that was given, or what stands in the input stream where none was, or `-`.
    pub(crate) fn text_or_input(&mut self, given: Option<String>) -> Result<String> {
        if let Some(text) = given.filter(|text| text != "-") {
            return Ok(text);
        }
        let Some(input) = self.input.take() else { return Ok(String::new()) };
        if self.for_person {
            (self.notice)("the text is read from standard input, up to its end (ctrl-d)");
        }
        let mut bytes = Vec::new();
        let most = NOTE_MAX_BYTES as u64 + 1;
        input.take(most).read_to_end(&mut bytes).map_err(Error::io("cannot read the text"))?;
        if bytes.len() as u64 == most {
            return Err(
                Error::invalid(format!("the text is longer than {NOTE_MAX_BYTES} bytes")).hint("split the note")
            );
        }
        String::from_utf8(bytes).map_err(|_| Error::invalid("the text is not UTF-8").hint("notes are UTF-8 text"))
    }

    /// Changes a note as it stands; everything a person wrote that the changes do not touch stays byte for byte.
    pub(crate) fn change_note(
        &mut self,
        id: &str,
        base: Base,
        author: Option<String>,
        changes: &mut dyn FnMut(&Note, &NoteRow) -> Result<Vec<Change>>,
    ) -> Result<NoteSaved> {
        let space = self.space()?;
        let now = moment(self.env.now());
        let author = self.author(author)?;
        let mut version = String::new();
        let written = space.write_note(id, base, &self.grant.writer(), &mut |row| {
            let row = match row {
                Some(row) if !row.deleted => row,
                _ => &space.living_note(id, space.horizon(None)?)?,
            };
            let text = space.note_text(row)?;
            let (note, _) = Note::read(stem(row), &text);
            let mut wanted = changes(&note, row)?;
            version.clone_from(&row.event);
            if note.edit(&wanted) == text {
                return Ok(None);
            }
            wanted.push(Change::Set("updated".to_owned(), New::Text(now.clone())));
            let text = note.edit(&wanted);
            note_record(&text, row.path.as_deref(), stem(row), author.as_deref(), Some(&row.event)).map(Some)
        })?;
        let note = id.to_owned();
        Ok(match written {
            Some(ack) => NoteSaved { seq: Some(ack.seq), id: ack.id, note, done: "changed" },
            None => NoteSaved { seq: None, id: version, note, done: "unchanged" },
        })
    }

    /// Points out tags that were written in another way, and those that almost are ones other notes have.
    pub(crate) fn check_tags(&mut self, given: &[String], rows: &[NoteRow]) -> Result<Vec<String>> {
        let known: BTreeSet<&str> = rows.iter().flat_map(|row| row.tags.iter().map(String::as_str)).collect();
        let mut wanted: Vec<String> = Vec::new();
        for tag in given {
            let normal = tags::normal(tag);
            if normal.is_empty() {
                return Err(Error::invalid(format!("tag '{}' has no letter", excerpt(tag))).hint("use a word"));
            }
            if normal != *tag {
                (self.notice)(&format!("tag '{}' is stored as '{normal}'", excerpt(tag)));
            }
            if !known.contains(normal.as_str())
                && let Some(near) = known.iter().find(|known| is_near_miss(&normal, known))
            {
                (self.notice)(&format!("tag '{normal}' is new, and other notes have '{near}': did you mean that?"));
            }
            if !wanted.contains(&normal) {
                wanted.push(normal);
            }
        }
        Ok(wanted)
    }

    /// Points out links that lead nowhere yet.
    pub(crate) fn check_links(&mut self, links: &[String], rows: &[NoteRow]) {
        for link in links.iter().filter(|link| !rows.iter().any(|row| row.note == **link)) {
            (self.notice)(&format!("there is no note '{}' yet: the link has no target", excerpt(link)));
        }
    }

    /// Notes that say what a new one is about to say.
    pub(crate) fn notes_like(
        &mut self,
        viewpoint: &Viewpoint,
        title: &str,
        text: &str,
        rows: &[NoteRow],
    ) -> Result<Vec<NoteRow>> {
        if rows.is_empty() {
            return Ok(Vec::new());
        }
        let mut alike: Vec<NoteRow> =
            rows.iter().filter(|row| !row.is_deprecated() && is_same_title(title, &row.title)).cloned().collect();
        let compared: String = format!("{title}\n{text}").chars().take(COMPARED_CHARS).collect();
        let options = RecallOptions {
            filters: Filters { kind: Some(NOTE_WRITTEN.to_owned()), ..Filters::default() },
            ..RecallOptions::default()
        };
        let question = Question { query: compared.clone(), k: Some(LOOKED_AT), ..Question::default() };
        question.check()?;
        let models = self.models_if_any();
        let recalled = viewpoint.recall_one(&models, &options, &question, &mut |_| {})?;
        for hit in recalled.hits {
            let Some(seen) = hit.note.filter(|seen| !seen.is_deprecated()) else { continue };
            let same = hit.standing.1.is_some_and(|cosine| cosine >= SAME_MEANING)
                || common_words(&compared, &hit.text) >= SAME_WORDS;
            let row = rows.iter().find(|row| row.note == seen.note);
            if let Some(row) = row.filter(|row| same && alike.iter().all(|other| other.note != row.note)) {
                alike.push(row.clone());
            }
        }
        Ok(alike)
    }
}

/// A value that stands in one line of the frontmatter.
pub(crate) fn one_line(name: &str, text: &str) -> Result<()> {
    match text.trim() {
        "" => Err(Error::invalid(format!("{name} is empty")).hint("say something, or leave it out")),
        _ if text.chars().any(char::is_control) => {
            Err(Error::invalid(format!("{name} has line breaks or control characters")).hint("write it in one line"))
        }
        _ => Ok(()),
    }
}

fn is_same_title(one: &str, other: &str) -> bool {
    let (a, b) = (fuzzy::default_process(one), fuzzy::default_process(other));
    let (few, many) = {
        let (a, b) = (a.split_whitespace().count(), b.split_whitespace().count());
        (a.min(b) as f64, a.max(b) as f64)
    };
    few >= TITLE_LENGTHS * many && fuzzy::token_set_ratio(&a, &b) >= SAME_TITLE
}

/// The words two texts share, of all they have, without the shortest ones.
fn common_words(one: &str, other: &str) -> f64 {
    let (one, other) = (fuzzy::default_process(one), fuzzy::default_process(other));
    let set = |text: &'_ str| -> BTreeSet<String> {
        text.split_whitespace().filter(|word| word.chars().count() > 2).map(str::to_owned).collect()
    };
    let (one, other) = (set(&one), set(&other));
    let all = one.union(&other).count();
    if all == 0 { 0.0 } else { one.intersection(&other).count() as f64 / all as f64 }
}

/// Ends that say nothing: `backend-issues` is `backend`.
const EMPTY_ENDS: [&str; 10] =
    ["issue", "issues", "problem", "problems", "error", "errors", "fix", "fixes", "bug", "bugs"];

/// Whether two tags are likely to mean the same: one and many, a letter apart, or with an end that says nothing.
fn is_near_miss(one: &str, other: &str) -> bool {
    let root = |tag: &str| {
        let tag = tag.rsplit_once('-').filter(|(_, end)| EMPTY_ENDS.contains(end)).map_or(tag, |(root, _)| root);
        let tag = tag.replace('-', "");
        tag.strip_suffix("ies").map(|stem| format!("{stem}y")).unwrap_or_else(|| tag.trim_end_matches('s').to_owned())
    };
    let shortest = one.chars().count().min(other.chars().count());
    root(one) == root(other)
        || (shortest >= 4 && distance(one, other) <= 1)
        || (shortest >= 8 && distance(one, other) <= 2)
}

/// Letters to insert, drop or exchange, neighbours that changed places counting once.
fn distance(one: &str, other: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let mut least = (rows[i - 1][j] + 1).min(row[j - 1] + 1);
            least = least.min(rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]));
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_misses_of_tags_are_seen() {
        for (one, other) in [
            ("backend", "backends"),
            ("backend", "backend-issues"),
            ("time-out", "timeout"),
            ("deployement", "deployment"),
            ("recieve", "receive"),
            ("query", "queries"),
        ] {
            assert!(is_near_miss(one, other) && is_near_miss(other, one), "{one} {other}");
        }
        for (one, other) in [("backend", "frontend"), ("sap", "map"), ("l1", "l3"), ("test", "rest-api"), ("go", "js")]
        {
            assert!(!is_near_miss(one, other), "{one} {other}");
        }
    }

    #[test]
    fn titles_are_the_same_whatever_the_order_and_not_when_one_says_more() {
        assert!(is_same_title("Backend timeout fix", "Fix: backend timeout"));
        assert!(!is_same_title("Timeouts", "Timeouts of the nightly backup job"));
        assert!(!is_same_title("Backend timeout fix", "Frontend colours"));
    }
}
