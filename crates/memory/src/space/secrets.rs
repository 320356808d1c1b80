//! No secret enters the log: what looks like one is masked in every text of a record, whichever way it came.

use idetic_core::Record;
use idetic_core::record::RecordText;
use idetic_extract::{MASK, secrets_in};

/// Fields that name, order or point, in which nobody writes secrets and a mask would tear things apart.
const NAMING: [&str; 24] = [
    "id",
    "ids",
    "kind",
    "event_type",
    "event",
    "type",
    "ts",
    "timestamp",
    "persona",
    "visibility",
    "trust",
    "origin",
    "status",
    "causes",
    "refs",
    "links",
    "tags",
    "note",
    "supersedes",
    "replaced_by",
    "hash",
    "commit",
    "sha",
    "digest",
];
/// A shorter secret is masked where it stands, and not looked for elsewhere: it may be a part of any word.
const SHARED_LEAST_CHARS: usize = 6;

/// Masks what is secret, and the same words wherever else they stand in the record.
pub fn mask(record: &mut Record) {
    let is_name = |field: &str| {
        NAMING.contains(&field)
            || ["_id", "_ids", "-id", "Id", "Ids", "ID"].iter().any(|end| field.ends_with(end))
            || field.ends_with("hash")
    };
    let texts: Vec<RecordText> = record.texts().into_iter().filter(|text| !is_name(&text.field)).collect();
    let secrets: Vec<&str> = texts.iter().flat_map(|text| secrets_in(&text.field, &text.text)).collect();
    if secrets.is_empty() {
        return;
    }
    let masked = |text: &RecordText| {
        let shared = secrets.iter().copied().filter(|secret| secret.chars().count() >= SHARED_LEAST_CHARS);
        let mut own: Vec<&str> = secrets_in(&text.field, &text.text).into_iter().chain(shared).collect();
        // The longest first: one may be a part of another.
        own.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        own.into_iter().fold(text.text.clone(), |text, secret| text.replace(secret, MASK))
    };
    let replaced: Vec<(RecordText, String)> =
        texts.iter().map(|text| (text.clone(), masked(text))).filter(|(text, masked)| text.text != *masked).collect();
    record.replace_texts(&replaced);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn masked(body: &str) -> String {
        let mut record = Record::parse(body.as_bytes()).expect("a record");
        mask(&mut record);
        record.body
    }

    #[test]
    fn a_secret_is_masked_wherever_it_stands_in_a_record() {
        let said = masked(
            r#"{"kind":"fact.stored","content":"The password of the router is Otter!77","metadata":{"value":"Otter!77","n":1}}"#,
        );
        assert_eq!(
            said,
            r#"{"kind":"fact.stored","content":"The password of the router is [masked]","metadata":{"value":"[masked]","n":1}}"#
        );
        let said = masked(r#"{"kind":"tool_call","content":"x","metadata":{"said":"token: zz91kdkdjs8812"}}"#);
        assert_eq!(said, r#"{"kind":"tool_call","content":"x","metadata":{"said":"token: [masked]"}}"#);
        let said = masked(r#"{"kind":"tool_call","content":"x","metadata":{"api_key":"zz91kdkdjs8812","user":"ann"}}"#);
        assert_eq!(said, r#"{"kind":"tool_call","content":"x","metadata":{"api_key":"[masked]","user":"ann"}}"#);
    }

    #[test]
    fn ids_and_what_holds_no_secret_stay_to_the_byte() {
        for body in [
            r#"{"kind":"tool_call","id":"toolu_01A09q90qw90lq917835lq9","content":"ls" ,"metadata":{"call_id":"cAlL7xK29dfLqP0s8Zk1mN4v"}}"#,
            r#"{"kind":"decision","content":"The password field is cleared; max_tokens=4096"}"#,
        ] {
            assert_eq!(masked(body), Record::parse(body.as_bytes()).expect("a record").body);
        }
    }
}
