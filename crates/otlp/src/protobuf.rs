//! An export in protobuf: the few messages of OTLP that are needed, read field by field within the limits.

use idetic_core::Invalid;
use serde_json::{Map, Value};

use crate::export::{
    ATTRIBUTES_MAX, Attributes, Export, NAME_MAX_BYTES, SPAN_EVENTS_MAX, STATUS_ERROR, Span, SpanEvent, TEXT_MAX_BYTES,
    VALUE_MAX_ITEMS, check_count, check_depth, check_text, id,
};
use crate::text;
use crate::wire::{Fields, Wire};

/// Reads an `ExportTraceServiceRequest` in protobuf. Its three outer layers must be whole; a span
/// that is broken inside is rejected alone.
pub fn read_protobuf(bytes: &[u8]) -> Result<Export, Invalid> {
    let mut export = Export::default();
    for resource_spans in messages(bytes, 1) {
        let resource_spans = resource_spans.map_err(refused)?;
        let mut service = None;
        for resource in messages(resource_spans, 1) {
            let said = attributes(resource.map_err(refused)?, 1).map_err(refused)?;
            service = text::plain(said.get("service.name"));
        }
        for scope_spans in messages(resource_spans, 2) {
            for bytes in messages(scope_spans.map_err(refused)?, 2) {
                let bytes = bytes.map_err(refused)?;
                export.take(span(bytes).map(|span| Span { service: service.clone(), ..span }));
            }
        }
    }
    Ok(export)
}

fn refused(reason: String) -> Invalid {
    Invalid::new(format!("not an OTLP export: {reason}"))
        .hint("send an ExportTraceServiceRequest in protobuf, or in JSON with Content-Type: application/json")
}

/// The parts of a message that stand under one number.
fn messages(bytes: &[u8], wanted: u64) -> impl Iterator<Item = Result<&[u8], String>> {
    Fields(bytes).filter_map(move |field| match field {
        Ok((number, Wire::Bytes(bytes))) if number == wanted => Some(Ok(bytes)),
        Ok(_) => None,
        Err(reason) => Some(Err(reason)),
    })
}

fn span(bytes: &[u8]) -> Result<Span, String> {
    let mut span = Span { attributes: attributes(bytes, 9)?, ..Span::default() };
    let (mut trace_id, mut span_id): (&[u8], &[u8]) = (&[], &[]);
    for field in Fields(bytes) {
        match field? {
            (1, Wire::Bytes(bytes)) => trace_id = bytes,
            (2, Wire::Bytes(bytes)) => span_id = bytes,
            (4, Wire::Bytes([])) => span.parent_id = None,
            (4, Wire::Bytes(bytes)) => span.parent_id = Some(id::<8>("parent_span_id", bytes)?),
            (6, Wire::Varint(kind)) => span.kind = kind,
            (7, Wire::Fixed64(nanos)) => span.start_nanos = nanos,
            (8, Wire::Fixed64(nanos)) => span.end_nanos = nanos,
            (11, Wire::Bytes(bytes)) => {
                check_count("events in a span", span.events.len() + 1, SPAN_EVENTS_MAX)?;
                span.events.push(event(bytes)?);
            }
            (15, Wire::Bytes(bytes)) => status(bytes, &mut span)?,
            _ => {}
        }
    }
    span.trace_id = id::<16>("trace_id", trace_id)?;
    span.span_id = id::<8>("span_id", span_id)?;
    Ok(span)
}

fn status(bytes: &[u8], span: &mut Span) -> Result<(), String> {
    for field in Fields(bytes) {
        match field? {
            (2, Wire::Bytes(bytes)) => span.status_message = string("the status", bytes, TEXT_MAX_BYTES)?,
            (3, Wire::Varint(code)) => span.failed = code == STATUS_ERROR,
            _ => {}
        }
    }
    Ok(())
}

fn event(bytes: &[u8]) -> Result<SpanEvent, String> {
    let mut event = SpanEvent { nanos: 0, name: String::new(), attributes: attributes(bytes, 3)? };
    for field in Fields(bytes) {
        match field? {
            (1, Wire::Fixed64(nanos)) => event.nanos = nanos,
            (2, Wire::Bytes(bytes)) => event.name = string("an event's name", bytes, NAME_MAX_BYTES)?,
            _ => {}
        }
    }
    Ok(event)
}

/// The attributes that stand under a number of a message.
fn attributes(bytes: &[u8], number: u64) -> Result<Attributes, String> {
    let mut read = Attributes::new();
    for (count, pair) in messages(bytes, number).enumerate() {
        check_count("attributes in one place", count + 1, ATTRIBUTES_MAX)?;
        let (key, value) = key_value(pair?, 0)?;
        read.insert(key, value);
    }
    Ok(read)
}

fn key_value(bytes: &[u8], depth: usize) -> Result<(String, Value), String> {
    let (mut key, mut read) = (String::new(), Value::Null);
    for field in Fields(bytes) {
        match field? {
            (1, Wire::Bytes(bytes)) => key = string("an attribute's name", bytes, NAME_MAX_BYTES)?,
            (2, Wire::Bytes(bytes)) => read = value(bytes, depth + 1)?,
            _ => {}
        }
    }
    Ok((key, read))
}

fn value(bytes: &[u8], depth: usize) -> Result<Value, String> {
    check_depth(depth)?;
    let mut read = Value::Null;
    for field in Fields(bytes) {
        read = match field? {
            (1, Wire::Bytes(bytes)) => Value::from(string("an attribute", bytes, TEXT_MAX_BYTES)?),
            (2, Wire::Varint(number)) => Value::from(number != 0),
            (3, Wire::Varint(number)) => Value::from(number.cast_signed()),
            (4, Wire::Fixed64(bits)) => text::number(f64::from_bits(bits)),
            (5, Wire::Bytes(bytes)) => list(bytes, depth)?,
            (6, Wire::Bytes(bytes)) => object(bytes, depth)?,
            (7, Wire::Bytes(bytes)) => {
                check_count("bytes in an attribute", bytes.len(), TEXT_MAX_BYTES)?;
                Value::from(text::base64(bytes))
            }
            _ => continue,
        };
    }
    Ok(read)
}

fn list(bytes: &[u8], depth: usize) -> Result<Value, String> {
    let mut items = Vec::new();
    for item in messages(bytes, 1) {
        check_count("entries in a list", items.len() + 1, VALUE_MAX_ITEMS)?;
        items.push(value(item?, depth + 1)?);
    }
    Ok(Value::Array(items))
}

fn object(bytes: &[u8], depth: usize) -> Result<Value, String> {
    let mut entries = Map::new();
    for (count, pair) in messages(bytes, 1).enumerate() {
        check_count("entries in an object", count + 1, VALUE_MAX_ITEMS)?;
        let (key, value) = key_value(pair?, depth)?;
        entries.insert(key, value);
    }
    Ok(Value::Object(entries))
}

fn string(what: &str, bytes: &[u8], limit_bytes: usize) -> Result<String, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| format!("{what} is not UTF-8"))?;
    check_text(what, text, limit_bytes)?;
    Ok(text.to_owned())
}
