//! Attribute values as text: one spelling for one value, whichever format it came in.

use serde_json::Value;

/// The text of a value that is a text with something in it.
pub(crate) fn plain(value: Option<&Value>) -> Option<String> {
    value.and_then(Value::as_str).filter(|text| !text.trim().is_empty()).map(str::to_owned)
}

/// A value as text: a text as it stands, all else as JSON with sorted keys. Nothing is no text.
pub(crate) fn any(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()).filter(|text| !text.is_empty()),
        other => Some(sorted(other)),
    }
}

/// JSON with sorted keys, however the map behind it keeps them. Values are nested no deeper than their reader allows.
pub(crate) fn sorted(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("[{}]", items.iter().map(sorted).collect::<Vec<_>>().join(",")),
        Value::Object(entries) => {
            let mut pairs: Vec<_> = entries.iter().collect();
            pairs.sort_by_key(|(key, _)| *key);
            let said =
                pairs.into_iter().map(|(key, value)| format!("{}:{}", idetic_formats::json::quote(key), sorted(value)));
            format!("{{{}}}", said.collect::<Vec<_>>().join(","))
        }
        plain => plain.to_string(),
    }
}

/// What stands inside a text that is JSON; any other value as it is.
pub(crate) fn parsed(value: &Value) -> Option<Value> {
    match value {
        Value::String(text) => serde_json::from_str(text).ok(),
        other => Some(other.clone()),
    }
}

/// A value as text, the same whether it came as a value or as JSON in a text.
pub(crate) fn compact(value: &Value) -> Option<String> {
    parsed(value).as_ref().map_or_else(|| any(value), any)
}

/// A floating-point number; what JSON has no number for becomes its name.
pub(crate) fn number(value: f64) -> Value {
    serde_json::Number::from_f64(value).map_or_else(|| Value::from(value.to_string()), Value::Number)
}

/// Bytes as OTLP writes them in JSON.
pub(crate) fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let at = |place: usize| u32::from(three.get(place).copied().unwrap_or(0));
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for place in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * place) & 63) as usize] as char;
            text.push(if place > three.len() { '=' } else { digit });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn bytes_are_written_with_their_padding() {
        let written: Vec<_> = ["", "f", "fo", "foo", "foob"].iter().map(|text| base64(text.as_bytes())).collect();
        assert_eq!(written, ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg=="]);
        assert_eq!(base64(&[0xfb, 0xff]), "+/8=");
    }

    #[test]
    fn one_value_has_one_text() {
        assert_eq!(
            sorted(&json!({"b": [1, {"z": null, "a": "\""}], "a": true})),
            r#"{"a":true,"b":[1,{"a":"\"","z":null}]}"#
        );
        assert_eq!(any(&json!("as it is")).as_deref(), Some("as it is"));
        assert_eq!([any(&json!(null)), any(&json!(""))], [None, None]);
        assert_eq!(number(f64::NAN), json!("NaN"));
    }
}
