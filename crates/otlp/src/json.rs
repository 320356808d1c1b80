//! An export in JSON, by the rules of OTLP: ids in hex, long numbers as texts or numbers, unknown fields ignored.

use idetic_core::{Invalid, hash::hex_decode};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::export::{
    ATTRIBUTES_MAX, Attributes, Export, NAME_MAX_BYTES, SPAN_EVENTS_MAX, STATUS_ERROR, Span, SpanEvent, TEXT_MAX_BYTES,
    VALUE_MAX_ITEMS, check_count, check_depth, check_text, id,
};
use crate::text;

/// A list whose entries are read one at a time: a request of tiny entries would otherwise be many times its size.
type Raws<'a> = Option<Vec<&'a RawValue>>;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RequestJson<'a> {
    #[serde(borrow)]
    resource_spans: Raws<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ResourceSpansJson<'a> {
    #[serde(borrow)]
    resource: Option<ResourceJson<'a>>,
    #[serde(borrow)]
    scope_spans: Raws<'a>,
}

#[derive(Deserialize)]
struct ResourceJson<'a> {
    #[serde(borrow)]
    attributes: Raws<'a>,
}

#[derive(Deserialize)]
struct ScopeSpansJson<'a> {
    #[serde(borrow)]
    spans: Raws<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SpanJson<'a> {
    trace_id: Option<String>,
    span_id: Option<String>,
    parent_span_id: Option<String>,
    #[serde(borrow)]
    kind: Option<&'a RawValue>,
    #[serde(borrow)]
    start_time_unix_nano: Option<&'a RawValue>,
    #[serde(borrow)]
    end_time_unix_nano: Option<&'a RawValue>,
    #[serde(borrow)]
    attributes: Raws<'a>,
    #[serde(borrow)]
    events: Raws<'a>,
    #[serde(borrow)]
    status: Option<StatusJson<'a>>,
}

#[derive(Deserialize)]
struct StatusJson<'a> {
    message: Option<String>,
    #[serde(borrow)]
    code: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct EventJson<'a> {
    #[serde(borrow)]
    time_unix_nano: Option<&'a RawValue>,
    name: Option<String>,
    #[serde(borrow)]
    attributes: Raws<'a>,
}

#[derive(Deserialize)]
struct KeyValueJson<'a> {
    key: Option<String>,
    #[serde(borrow)]
    value: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct AnyJson<'a> {
    string_value: Option<String>,
    bool_value: Option<bool>,
    #[serde(borrow)]
    int_value: Option<&'a RawValue>,
    #[serde(borrow)]
    double_value: Option<&'a RawValue>,
    #[serde(borrow)]
    array_value: Option<ListJson<'a>>,
    #[serde(borrow)]
    kvlist_value: Option<ListJson<'a>>,
    bytes_value: Option<String>,
}

#[derive(Deserialize)]
struct ListJson<'a> {
    #[serde(borrow)]
    values: Raws<'a>,
}

/// Reads an `ExportTraceServiceRequest` as OTLP writes it in JSON. Its three outer layers must be whole; a span
/// that is broken inside is rejected alone.
pub fn read_json(bytes: &[u8]) -> Result<Export, Invalid> {
    let mut export = Export::default();
    let request: RequestJson = serde_json::from_slice(bytes).map_err(|e| refused(e.to_string()))?;
    for resource_spans in request.resource_spans.unwrap_or_default() {
        let ResourceSpansJson { resource, scope_spans } = parse(resource_spans).map_err(refused)?;
        let said = resource.and_then(|resource| resource.attributes).unwrap_or_default();
        let service = text::plain(attributes(&said).map_err(refused)?.get("service.name"));
        for scope_spans in scope_spans.unwrap_or_default() {
            let scope_spans: ScopeSpansJson = parse(scope_spans).map_err(refused)?;
            for raw in scope_spans.spans.unwrap_or_default() {
                export.take(span(raw).map(|span| Span { service: service.clone(), ..span }));
            }
        }
    }
    Ok(export)
}

fn refused(reason: String) -> Invalid {
    Invalid::new(format!("not an OTLP export: {reason}"))
        .hint("send an ExportTraceServiceRequest in JSON, or in protobuf with Content-Type: application/x-protobuf")
}

fn parse<'a, T: Deserialize<'a>>(raw: &'a RawValue) -> Result<T, String> {
    serde_json::from_str(raw.get()).map_err(|e| e.to_string())
}

fn span(raw: &RawValue) -> Result<Span, String> {
    let said: SpanJson = parse(raw)?;
    let events = said.events.unwrap_or_default();
    check_count("events in a span", events.len(), SPAN_EVENTS_MAX)?;
    let status = said.status.unwrap_or(StatusJson { message: None, code: None });
    let status_message = status.message.unwrap_or_default();
    check_text("the status", &status_message, TEXT_MAX_BYTES)?;
    let parent = said.parent_span_id.filter(|parent| !parent.is_empty());
    Ok(Span {
        trace_id: hex_id::<16>("traceId", said.trace_id.as_deref())?,
        span_id: hex_id::<8>("spanId", said.span_id.as_deref())?,
        parent_id: parent.map(|parent| hex_id::<8>("parentSpanId", Some(&parent))).transpose()?,
        kind: choice(said.kind, &["SPAN_KIND_UNSPECIFIED", "SPAN_KIND_INTERNAL"])?,
        start_nanos: unsigned(said.start_time_unix_nano)?,
        end_nanos: unsigned(said.end_time_unix_nano)?,
        attributes: attributes(&said.attributes.unwrap_or_default())?,
        events: events.into_iter().map(event).collect::<Result<_, _>>()?,
        failed: choice(status.code, &["STATUS_CODE_UNSET", "STATUS_CODE_OK", "STATUS_CODE_ERROR"])? == STATUS_ERROR,
        status_message,
        service: None,
    })
}

fn event(raw: &RawValue) -> Result<SpanEvent, String> {
    let said: EventJson = parse(raw)?;
    let name = said.name.unwrap_or_default();
    check_text("an event's name", &name, NAME_MAX_BYTES)?;
    let attributes = attributes(&said.attributes.unwrap_or_default())?;
    Ok(SpanEvent { nanos: unsigned(said.time_unix_nano)?, name, attributes })
}

fn attributes(raws: &[&RawValue]) -> Result<Attributes, String> {
    check_count("attributes in one place", raws.len(), ATTRIBUTES_MAX)?;
    raws.iter().map(|raw| key_value(raw, 0)).collect()
}

fn key_value(raw: &RawValue, depth: usize) -> Result<(String, Value), String> {
    let said: KeyValueJson = parse(raw)?;
    let key = said.key.unwrap_or_default();
    check_text("an attribute's name", &key, NAME_MAX_BYTES)?;
    let value = said.value.map_or(Ok(Value::Null), |raw| value(raw, depth + 1))?;
    Ok((key, value))
}

fn value(raw: &RawValue, depth: usize) -> Result<Value, String> {
    check_depth(depth)?;
    let said: AnyJson = parse(raw)?;
    if let Some(text) = said.string_value.or(said.bytes_value) {
        check_text("an attribute", &text, TEXT_MAX_BYTES)?;
        return Ok(Value::from(text));
    }
    if let Some(number) = said.int_value {
        return Ok(Value::from(unquoted(number).parse::<i64>().map_err(|_| not_a("number", number))?));
    }
    if let Some(number) = said.double_value {
        return Ok(text::number(unquoted(number).parse().map_err(|_| not_a("number", number))?));
    }
    if let Some(list) = said.array_value {
        let items = list.values.unwrap_or_default();
        check_count("entries in a list", items.len(), VALUE_MAX_ITEMS)?;
        return items.into_iter().map(|item| value(item, depth + 1)).collect();
    }
    if let Some(list) = said.kvlist_value {
        let pairs = list.values.unwrap_or_default();
        check_count("entries in an object", pairs.len(), VALUE_MAX_ITEMS)?;
        let entries: Result<Map<_, _>, _> = pairs.into_iter().map(|pair| key_value(pair, depth)).collect();
        return entries.map(Value::Object);
    }
    Ok(said.bool_value.map_or(Value::Null, Value::from))
}

fn hex_id<const N: usize>(what: &str, hex: Option<&str>) -> Result<String, String> {
    let bytes = hex_decode::<N>(hex.unwrap_or_default());
    id::<N>(what, bytes.as_ref().map_or(&[], <[u8; N]>::as_slice))
}

/// The digits of a number, which OTLP may write as a text.
fn unquoted(raw: &RawValue) -> &str {
    raw.get().trim_matches('"')
}

fn unsigned(raw: Option<&RawValue>) -> Result<u64, String> {
    raw.map_or(Ok(0), |raw| unquoted(raw).parse().map_err(|_| not_a("number", raw)))
}

/// A word of a fixed list. OTLP writes its number; other printers of protobuf write its name.
fn choice(raw: Option<&RawValue>, names: &[&str]) -> Result<u64, String> {
    let Some(raw) = raw else { return Ok(0) };
    if raw.get().starts_with('"') {
        let place = names.iter().position(|name| *name == unquoted(raw));
        return Ok(place.unwrap_or(names.len()) as u64);
    }
    unsigned(Some(raw))
}

fn not_a(what: &str, raw: &RawValue) -> String {
    format!("'{}' is not a {what}", idetic_core::invalid::excerpt(raw.get()))
}
