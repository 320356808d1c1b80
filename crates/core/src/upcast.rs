//! Old bodies read as if they had been written today. The bytes in the log are never rewritten.

use std::borrow::Cow;

/// Turns a body of version `from` into one of version `from + 1`.
pub struct Upcast {
    /// The version it reads.
    pub from: u8,
    /// The change of form.
    pub apply: fn(&str) -> String,
}

/// Every change of form there has been: none yet, version 1 is the first.
pub const UPCASTS: &[Upcast] = &[];

/// The body as today's version writes it.
pub fn upcast<'a>(body: &'a str, version: u8, steps: &[Upcast]) -> Cow<'a, str> {
    steps
        .iter()
        .filter(|step| step.from >= version)
        .fold(Cow::Borrowed(body), |body, step| Cow::Owned((step.apply)(&body)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::{Fault, Header, Secret, Stored, Tip};
    use crate::{Event, SpaceId, Time};

    /// A version 0 that never was: the text stood under `text`, the kind under `what`.
    const MADE_UP: &[Upcast] = &[Upcast {
        from: 0,
        apply: |body| body.replace("\"text\":", "\"content\":").replace("\"what\":", "\"kind\":"),
    }];

    fn written_in_version_0() -> (Tip, Stored) {
        let tip = Tip::empty(SpaceId([7; 16]));
        let secret = Secret { salt: [1; 32], body: r#"{"what":"test","text":"old"}"#.to_owned() };
        let header = Header {
            version: 0,
            space: tip.space,
            seq: 1,
            id: "a".to_owned(),
            recorded_at: Time(1),
            kind: "test".to_owned(),
            prev_hash: tip.hash,
            commitment: secret.commitment(),
        };
        (tip, Stored { hash: header.hash(), header, secret: Some(secret) })
    }

    #[test]
    fn an_old_event_keeps_its_bytes_and_its_hash_and_reads_as_a_new_one() {
        let (tip, old) = written_in_version_0();
        assert_eq!(tip.follow(&old), Ok(old.tip()), "an old event still verifies");
        let event = Event::read_with(&old, MADE_UP).expect("reads");
        assert_eq!(event.fields.as_ref().and_then(|f| f.content.as_deref()), Some("old"));
        assert!(Event::read_with(&old, &[]).is_err(), "the step is what makes it readable");
    }

    #[test]
    fn a_version_of_today_is_left_alone_and_one_of_tomorrow_is_refused() {
        assert!(matches!(upcast("{}", 1, MADE_UP), Cow::Borrowed("{}")));
        let (tip, mut newer) = written_in_version_0();
        newer.header.version = 2;
        assert_eq!(tip.follow(&newer), Err(Fault::Version));
    }
}
