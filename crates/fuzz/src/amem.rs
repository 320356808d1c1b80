//! The files of an A-MEM folder: event files as they really are, notes, and the small files beside them.

use std::io::BufReader;

use idetic_core::{Record, Time};
use idetic_formats::amem::event::{self, Exported, Occurrences, SourcePosition};
use idetic_formats::amem::graph::{self, Node, graph};
use idetic_formats::amem::index::Index;
use idetic_formats::amem::links::Links;
use idetic_formats::amem::note::{Change, New, Note, Value};
use idetic_formats::amem::profile::Profile;
use idetic_formats::amem::scan::{Found, Piece, scan};
use idetic_formats::amem::tags::{self, Tags};
use idetic_formats::amem::{catalogue, names};

use crate::records;
use crate::text::first_line;

/// Longest object of an event file here, so that longer ones are met.
const OBJECT_MAX_BYTES: usize = 2 << 10;
/// Bytes of the file that are at hand at a time, the second time it is read.
const CHUNK_BYTES: usize = 7;

/// Whatever a file holds, its pieces are in order and within it, and what is read as an event is a record the log takes
/// that leaves and comes back as the same.
pub fn events(data: &[u8]) {
    let pieces: Vec<Piece> = scan(data, OBJECT_MAX_BYTES).map(|piece| piece.expect("a slice can be read")).collect();
    let in_chunks = scan(BufReader::with_capacity(CHUNK_BYTES, data), OBJECT_MAX_BYTES);
    let again: Vec<Piece> = in_chunks.map(|piece| piece.expect("a slice can be read")).collect();
    assert_eq!(pieces, again, "how a file arrives changes nothing");
    let mut occurrences = Occurrences::default();
    let mut end = 0;
    for piece in pieces {
        assert!(piece.offset >= end && piece.first_line <= piece.last_line, "{piece:?} begins before {end}");
        end = piece.offset + piece.length;
        assert!(end <= data.len() as u64, "{piece:?} ends behind the file");
        let Found::Object(raw) = &piece.found else { continue };
        let bytes = usize::try_from(piece.offset).expect("small")..usize::try_from(end).expect("small");
        assert_eq!(raw.as_bytes(), &data[bytes]);
        assert!(raw.len() <= OBJECT_MAX_BYTES);
        let place = SourcePosition { line: piece.first_line, occurrence: occurrences.next(raw) };
        let Ok(incoming) = event::read(raw, &place) else { continue };
        let record = Record::parse(incoming.record.as_bytes()).expect("the log takes what was read");
        assert_eq!(record.claim.id.as_deref(), Some(incoming.id.as_str()));
        records::is_sound(&record);
        let line = written(&incoming.id, &incoming.record);
        assert!(!line.contains('\n'));
        let back = event::read(&line, &place).expect("our own line reads");
        assert_eq!(back.id, incoming.id);
        assert_eq!(written(&back.id, &back.record), line, "a line that was written stays as it is");
    }
}

fn written(id: &str, body: &str) -> String {
    let exported = Exported { id, recorded_at: Time(1_700_000_000_000_000), body, source: "default" };
    event::write(&exported).expect("what was read can be written")
}

/// Any text is a note; an edit changes the lines of its keys and nothing else, and what is set is what is read. The first
/// line is the value that is set.
pub fn note(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let (value, text) = first_line(&text);
    let (before, _) = Note::read("a-file", text);
    assert_eq!(before.edit(&[]), text, "no change is no change");
    let _ = (before.created_at(), before.updated_at());
    let value: String = value.chars().filter(|c| !c.is_control()).collect();
    let value = value.trim();
    if value.is_empty() {
        return;
    }
    let title = Change::Set("title".to_owned(), New::Text(value.to_owned()));
    let (after, _) = Note::read("a-file", &before.edit(std::slice::from_ref(&title)));
    assert_eq!(after.get("title"), Some(&Value::Text(value.to_owned())), "{:?}", after.text());
    assert_eq!(after.edit(&[title]), after.text(), "twice is once");
    if before.keys().next().is_some() {
        assert_eq!(after.body(), before.body());
    }
    for key in before.keys().filter(|key| *key != "title") {
        assert_eq!(before.get(key), after.get(key), "{key}");
    }
    let (without, _) = Note::read("a-file", &after.edit(&[Change::Remove("title".to_owned())]));
    for key in before.keys().filter(|key| *key != "title") {
        assert_eq!(before.get(key), without.get(key), "{key}");
    }
}

/// Links, tags, the index and profiles are read, written and read as the same; names are safe and lead back.
pub fn files(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let (name, rest) = first_line(&text);
    let links = Links::read(rest).0;
    assert_eq!(Links::read(&links.write()).0.write(), links.write());
    let found = Tags::read(rest).0;
    assert_eq!(Tags::read(&found.write()).0.write(), found.write());
    if let Ok(index) = Index::read(rest) {
        assert_eq!(Index::read(&index.write()).map(|index| index.write()), Ok(index.write()));
    }
    if let Ok((profile, ..)) = Profile::read("someone", rest) {
        let (again, ..) = Profile::read("someone", &profile.write()).expect("our own file reads");
        assert_eq!(again.write(), profile.write());
    }
    let stem = names::file_name(name);
    assert!(!stem.is_empty() && !stem.contains(['/', '\\', '\0']) && !stem.starts_with('.'), "{stem:?}");
    assert!(stem.len() <= names::STEM_MAX_BYTES, "{stem:?}");
    if let Some(id) = names::trace_id(&stem) {
        assert_eq!(id, name, "{stem:?}");
    }
    let slug = names::slug(name);
    names::check_note_id(&slug).expect("an id that was made can be used");
    let _ = (tags::normal(name), names::check_existing_id(name), names::folded(name));
    let _ = catalogue::check(name, None, &[rest]);
    let lines = rest.lines().take(16);
    let node = |line: &str| {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let id = words.first().cloned().unwrap_or_default();
        Node { id, links: words.clone(), tags: words, words: graph::words(line), ..Node::default() }
    };
    let mut nodes: Vec<Node> = lines.map(node).collect();
    nodes.sort_by(|one, other| one.id.cmp(&other.id));
    nodes.dedup_by(|one, other| one.id == other.id);
    let reversed: Vec<Node> = nodes.iter().rev().cloned().collect();
    assert_eq!(graph(&nodes), graph(&reversed), "the order of notes does not matter");
}
