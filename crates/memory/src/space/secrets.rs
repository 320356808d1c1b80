//! No secret enters the log: what looks like one is masked in every text of a record, whichever way it came.

use idetic_core::Record;
use idetic_core::record::RecordText;
use idetic_extract::{MASK, secrets_in, without_secrets_named};

/// Fields that name, order or point, in which nobody writes secrets and a mask would tear things apart, one in a line.
const NAMING: &str = include_str!("../../data/naming_fields.txt");
/// A shorter secret, or one of letters alone, is masked where it stands and not looked for elsewhere: it may be a part of any word.
const SHARED_LEAST_CHARS: usize = 6;
/// Most secrets of one record that are looked for in its other texts.
const SHARED_MAX: usize = 64;

/// Masks what is secret, and the same words wherever else they stand in the record. What comes from a file that is in sync
/// stays as the file has it: the file would be overwritten, or differ for ever.
pub fn mask(record: &mut Record) {
    if record.is_verbatim {
        return;
    }
    let is_name = |field: &str| {
        ["_id", "_ids", "-id", "Id", "Ids"].iter().any(|end| field.ends_with(end))
            || NAMING.lines().any(|own| own == field)
    };
    let texts: Vec<RecordText> = record.texts().into_iter().filter(|text| !is_name(&text.field)).collect();
    let mut shared: Vec<&str> = texts.iter().flat_map(|text| secrets_in(&text.field, &text.text)).collect();
    if shared.is_empty() {
        return;
    }
    shared.retain(|secret| secret.len() >= SHARED_LEAST_CHARS && !secret.chars().all(char::is_alphabetic));
    shared.sort_unstable();
    shared.dedup();
    // The longest first: one may be a part of another.
    shared.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
    shared.truncate(SHARED_MAX);
    let masked = |text: &RecordText| {
        let own = without_secrets_named(&text.field, &text.text);
        shared.iter().fold(own, |text, secret| if text.contains(secret) { text.replace(secret, MASK) } else { text })
    };
    let replaced: Vec<(RecordText, String)> =
        texts.iter().map(|text| (text.clone(), masked(text))).filter(|(text, masked)| text.text != *masked).collect();
    record.replace_texts(&replaced);
}

#[cfg(test)]
mod tests {
    use idetic_core::words::Trust;

    use super::*;
    use crate::Writer;

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
        let said = masked(r#"{"kind":"tool_call","content":"password=test pytest latest","source":"test"}"#);
        assert_eq!(said, r#"{"kind":"tool_call","content":"password=[masked] pytest latest","source":"test"}"#);
        let said = masked(
            r#"{"kind":"tool_call","content":"x","metadata":{"env":{"AWS_ACCESS_KEY_ID":"AKIAVQJXXVBOTHD2WTFL"}}}"#,
        );
        assert!(said.contains("[masked]"), "{said}");
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

    #[test]
    fn only_what_came_from_a_synced_file_stays_as_it_is_whatever_it_says_of_itself() {
        let body = r#"{"kind":"decision","content":"password=test","origin":"file"}"#;
        assert!(masked(body).contains("password=[masked]"));
        for (writer, is_kept) in
            [(Writer::of_synced_file(Trust::Agent, None), true), (Writer::of_file(Trust::Agent, None), false)]
        {
            let mut record = writer.sign(Record::parse(body.as_bytes()).expect("a record")).expect("signs");
            mask(&mut record);
            assert_eq!(record.body.contains("password=test"), is_kept, "{}", record.body);
        }
    }
}
