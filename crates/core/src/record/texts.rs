//! The texts in a record's body, each with the field it stands in; the other bytes of the body stay as they are.

use super::Record;

/// A text and where its literal stands in the body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordText {
    /// The field it stands in, or the field of the list it stands in.
    pub field: String,
    /// What it says.
    pub text: String,
    at: std::ops::Range<usize>,
}

impl Record {
    /// Every text that is a value, in the order of the body.
    pub fn texts(&self) -> Vec<RecordText> {
        let body = &self.body;
        let mut texts = Vec::new();
        let (mut field, mut opened) = (String::new(), Vec::new());
        let mut bytes = body.bytes().enumerate();
        while let Some((start, byte)) = bytes.next() {
            match byte {
                b'{' | b'[' => opened.push(field.clone()),
                // Behind a list or an object comes a field of its own, or nothing.
                b'}' | b']' => field = opened.pop().unwrap_or_default(),
                b'"' => {
                    let mut escaped = false;
                    let end = bytes.by_ref().find_map(|(at, byte)| {
                        let ends = byte == b'"' && !escaped;
                        escaped = byte == b'\\' && !escaped;
                        ends.then_some(at + 1)
                    });
                    let at = start..end.unwrap_or(body.len());
                    let Ok(text) = serde_json::from_str::<String>(&body[at.clone()]) else { continue };
                    if body[at.end..].trim_start().starts_with(':') {
                        field = text;
                    } else {
                        texts.push(RecordText { field: field.clone(), text, at });
                    }
                }
                _ => {}
            }
        }
        texts
    }

    /// Puts other texts in the place of some, which are told in the order of the body.
    pub fn replace_texts(&mut self, replaced: &[(RecordText, String)]) {
        let (mut body, mut from) = (String::with_capacity(self.body.len()), 0);
        for (old, new) in replaced {
            body.push_str(&self.body[from..old.at.start]);
            body.push_str(&serde_json::Value::from(new.as_str()).to_string());
            from = old.at.end;
        }
        body.push_str(&self.body[from..]);
        self.body = body;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_found_with_their_fields_and_replaced_alone() {
        let body = r#"{"kind":"decision", "content":"a \"b\" \\" ,"metadata":{"n":1.50,"list":["x",{"deep":"y"},"z"],"w":"é"},"tags":[]}"#;
        let mut record = Record::parse(body.as_bytes()).expect("a record");
        let texts = record.texts();
        let told: Vec<(&str, &str)> = texts.iter().map(|text| (text.field.as_str(), text.text.as_str())).collect();
        let wanted =
            [("kind", "decision"), ("content", "a \"b\" \\"), ("list", "x"), ("deep", "y"), ("list", "z"), ("w", "é")];
        assert_eq!(told, wanted);
        let replaced = texts.into_iter().filter(|text| text.text == "y").map(|text| (text, "\"!".to_owned()));
        record.replace_texts(&replaced.collect::<Vec<_>>());
        assert_eq!(record.body, Record::parse(body.replace(r#""y""#, r#""\"!""#).as_bytes()).expect("a record").body);
    }
}
