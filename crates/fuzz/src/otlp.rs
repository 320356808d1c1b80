//! Traces of agents (OTLP), as JSON and as protobuf.

use idetic_core::{Invalid, Record};
use idetic_otlp::{Export, events, read_json, read_protobuf, response_json, response_protobuf};

use crate::records;

/// An export in JSON.
pub fn json(data: &[u8]) {
    taken(&read_json(data), || read_json(data));
}

/// An export in protobuf.
pub fn protobuf(data: &[u8]) {
    taken(&read_protobuf(data), || read_protobuf(data));
}

/// Every event of an export is a record the log takes, and the same export gives the same events.
fn taken(export: &Result<Export, Invalid>, again: impl Fn() -> Result<Export, Invalid>) {
    let Ok(export) = export else { return };
    let taken = events(export);
    assert_eq!(again().map(|export| events(&export)).as_ref(), Ok(&taken));
    assert_eq!(taken.rejected > 0, !taken.message.is_empty(), "{}", taken.message);
    for event in &taken.events {
        let record = Record::parse(event.record.as_bytes()).expect("the log takes what was read");
        assert_eq!(record.claim.id.as_deref(), Some(event.id.as_str()));
        records::is_sound(&record);
    }
    let text = response_json(taken.rejected, &taken.message);
    serde_json::from_str::<serde_json::Value>(&text).expect("the answer is JSON");
    response_protobuf(taken.rejected, &taken.message);
}
