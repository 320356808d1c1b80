//! Records as they arrive, and the lines that an export writes.

use idetic_core::chain::{Secret, Stored, Tip};
use idetic_core::{Event, Record, SpaceId, Time, transfer};
use idetic_search::{Document, Lane};

/// A record that is taken is one line, is taken again as the same, can be read from the log, and travels unchanged.
pub fn record(data: &[u8]) {
    let Ok(record) = Record::parse(data) else { return };
    is_sound(&record);
}

/// What must hold of every record the log accepts.
pub fn is_sound(record: &Record) {
    assert!(!record.body.contains(['\n', '\r']), "an event is one line: {:?}", record.body);
    let again = Record::parse(record.body.as_bytes()).expect("a body that was taken is taken again");
    assert_eq!(again.body, record.body);
    assert_eq!(format!("{:?}", again.claim), format!("{:?}", record.claim));
    let secret = Secret { salt: [1; 32], body: record.body.clone() };
    let stored = Tip::empty(SpaceId([7; 16])).seal("id".to_owned(), record.claim.kind.clone(), secret, Time(5));
    let event = Event::read(&stored).expect("what the log takes can be read from it");
    assert_eq!(event.fields.as_ref().map(|fields| &fields.kind), Some(&record.claim.kind));
    let _ = (event.ts(), event.trust(), event.visibility(), event.duration_ms());
    let text = event.whole_text();
    if let Some((name, document)) = Document::of(&event, &text) {
        assert!(Lane::named(&name).is_some(), "the lane {name:?} has a name");
        assert!((0.0..=1.0).contains(&document.importance), "{}", document.importance);
    }
    travels(&stored);
}

/// A line that is read says what it said when it is written again.
pub fn import_line(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(stored) = transfer::from_line(text) else { return };
    travels(&stored);
    let empty = Tip::empty(stored.header.space);
    if empty.follow(&stored).is_ok() {
        assert_eq!(stored.header.hash(), stored.hash);
    }
    // A body that an export holds need not be a record: that is an error, and nothing worse.
    let _ = Event::read(&stored);
}

fn travels(stored: &Stored) {
    let line = transfer::to_line(stored).expect("an event can be written as a line");
    assert!(!line.contains('\n') || stored.secret.as_ref().is_some_and(|secret| secret.body.contains('\n')));
    assert_eq!(transfer::from_line(&line).as_ref(), Ok(stored));
}
