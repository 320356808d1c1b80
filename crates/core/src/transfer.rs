//! A stored event as one line of JSON, complete: what `export` writes, `import` reads, and a backup holds.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::chain::{Header, Secret, Stored};
use crate::hash::{hex, hex_decode};
use crate::{Hash, Invalid, SpaceId, Time};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line<'a> {
    v: u8,
    space: String,
    seq: u64,
    id: String,
    recorded_at: Time,
    kind: String,
    prev_hash: Hash,
    commitment: Hash,
    hash: Hash,
    #[serde(skip_serializing_if = "Option::is_none")]
    salt: Option<String>,
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    body: Option<&'a RawValue>,
}

/// Writes an event as one line, without the line break. The body stands in it byte for byte.
pub fn to_line(event: &Stored) -> Result<String, Invalid> {
    let header = &event.header;
    let broken = |e: serde_json::Error| Invalid::new(format!("event {} cannot be written as JSON: {e}", header.seq));
    let body = event.secret.as_ref().map(|s| serde_json::from_str(&s.body)).transpose().map_err(broken)?;
    let line = Line {
        v: header.version,
        space: header.space.to_string(),
        seq: header.seq,
        id: header.id.clone(),
        recorded_at: header.recorded_at,
        kind: header.kind.clone(),
        prev_hash: header.prev_hash,
        commitment: header.commitment,
        hash: event.hash,
        salt: event.secret.as_ref().map(|s| hex(&s.salt)),
        body,
    };
    serde_json::to_string(&line).map_err(broken)
}

/// Reads a line that `to_line` wrote. Whether it belongs anywhere is for the chain to say.
pub fn from_line(line: &str) -> Result<Stored, Invalid> {
    let wrong = |why: String| {
        Invalid::new(format!("not an exported event: {why}"))
            .hint("import reads what `idetic export` wrote; plain records are appended with `idetic append`")
    };
    let line: Line = serde_json::from_str(line).map_err(|e| wrong(e.to_string()))?;
    let space = SpaceId::parse(&line.space).ok_or_else(|| wrong("space is not 32 hexadecimal digits".to_owned()))?;
    let secret = match (line.salt.as_deref(), line.body) {
        (Some(salt), Some(body)) => Some(Secret {
            salt: hex_decode(salt).ok_or_else(|| wrong("salt is not 64 hexadecimal digits".to_owned()))?,
            body: body.get().to_owned(),
        }),
        (None, None) => None,
        _ => return Err(wrong("salt and body must be given together or not at all".to_owned())),
    };
    let header = Header {
        version: line.v,
        space,
        seq: line.seq,
        id: line.id,
        recorded_at: line.recorded_at,
        kind: line.kind,
        prev_hash: line.prev_hash,
        commitment: line.commitment,
    };
    Ok(Stored { header, hash: line.hash, secret })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::Tip;

    #[test]
    fn a_line_carries_every_byte_of_an_event() {
        let body = "{\"kind\":\"test\", \"content\":\"\\u00e9 \u{2028}\",\"metadata\":{\"b\":1.0,\"a\":1e400}}";
        let secret = Secret { salt: [9; 32], body: body.to_owned() };
        let tip = Tip::empty(SpaceId([3; 16]));
        let mut event = tip.seal("x".to_owned(), "test".to_owned(), secret, Time(1_234_567));
        assert_eq!(from_line(&to_line(&event).expect("writes")), Ok(event.clone()));
        event.secret = None;
        assert_eq!(from_line(&to_line(&event).expect("writes")), Ok(event));
    }

    #[test]
    fn a_plain_record_is_not_an_exported_event() {
        let refused = from_line(r#"{"kind":"test"}"#).expect_err("no header");
        assert!(refused.hint.contains("append"));
    }
}
