//! The chain: how an event is sealed, hashed, checked and linked to the one before it. Written down in docs/format.md.

use std::fmt;

use crate::{Hash, SpaceId, Time};

/// The version written today. Older ones are upcast on read and never rewritten.
pub const FORMAT_VERSION: u8 = 1;

/// What the chain is made of. It stays when the body is erased.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// The format this event was written in.
    pub version: u8,
    /// The space it belongs to.
    pub space: SpaceId,
    /// Its number: 1, 2, 3… without gaps.
    pub seq: u64,
    /// The caller's id, or a UUIDv7.
    pub id: String,
    /// When it was written; never decreases.
    pub recorded_at: Time,
    /// What kind of thing happened.
    pub kind: String,
    /// The hash of the event before, or of the space's id.
    pub prev_hash: Hash,
    /// The keyed hash of the body, under the salt that lies beside it.
    pub commitment: Hash,
}

/// What can be forgotten: the body and the salt its commitment was made with. Neither is of use without the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Secret {
    /// Thirty-two random bytes.
    pub salt: [u8; 32],
    /// The record as received.
    pub body: String,
}

/// An event as it lies in the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// The part that stays.
    pub header: Header,
    /// The hash of the header.
    pub hash: Hash,
    /// The part that can be erased; `None` when it was.
    pub secret: Option<Secret>,
}

/// The end of a chain: what the next event is linked to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tip {
    /// The space.
    pub space: SpaceId,
    /// The last number given, 0 in an empty space.
    pub seq: u64,
    /// The hash of the last event, or of the space's id.
    pub hash: Hash,
    /// When the last event was written.
    pub recorded_at: Time,
}

/// Why an event does not belong where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// It carries another number, or one is missing before it.
    Number,
    /// It belongs to another space.
    Space,
    /// It is linked to another event than the one before it.
    Link,
    /// Its header is not what was hashed.
    Header,
    /// Its body is not what was committed to.
    Body,
    /// It was written before the event before it.
    Clock,
    /// Its version is not known to this program.
    Version,
    /// The archive file that holds it is missing or cannot be read.
    Archive,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Number => "its number does not follow the one before",
            Self::Space => "it belongs to another space",
            Self::Link => "it is not linked to the event before it",
            Self::Header => "its header was altered",
            Self::Body => "its body was altered",
            Self::Clock => "it was written before the event before it",
            Self::Version => "it was written by a newer version of the program",
            Self::Archive => "its archive file is missing or cannot be read",
        })
    }
}

impl Header {
    /// The bytes that are hashed: every field in order, numbers little-endian, texts behind their length.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(160 + self.id.len() + self.kind.len());
        bytes.push(self.version);
        bytes.extend_from_slice(&self.space.0);
        bytes.extend_from_slice(&self.seq.to_le_bytes());
        push_text(&mut bytes, &self.id);
        bytes.extend_from_slice(&self.recorded_at.0.to_le_bytes());
        push_text(&mut bytes, &self.kind);
        bytes.extend_from_slice(&self.prev_hash.0);
        bytes.extend_from_slice(&self.commitment.0);
        bytes
    }

    /// The event's hash.
    pub fn hash(&self) -> Hash {
        Hash::of(&self.encode())
    }
}

fn push_text(bytes: &mut Vec<u8>, text: &str) {
    bytes.extend_from_slice(&(text.len() as u64).to_le_bytes());
    bytes.extend_from_slice(text.as_bytes());
}

impl Secret {
    /// What the header says of this body.
    pub fn commitment(&self) -> Hash {
        Hash::keyed(&self.salt, self.body.as_bytes())
    }
}

/// How far the last event may be ahead of the clock without a word: clocks are set right by steps of less.
const CLOCK_SLACK_MICROS: i64 = 1_000_000;

impl Tip {
    /// By how many microseconds the last event was written ahead of what the clock says now, where that is no small step:
    /// the clock ran ahead once, or is behind now. `recorded_at` then stands still and is not the time.
    pub fn ahead_of(&self, now: Time) -> Option<i64> {
        Some(self.recorded_at.0.saturating_sub(now.0)).filter(|ahead| self.seq > 0 && *ahead > CLOCK_SLACK_MICROS)
    }

    /// The tip of a space without events.
    pub fn empty(space: SpaceId) -> Self {
        Self { space, seq: 0, hash: space.genesis(), recorded_at: Time(i64::MIN) }
    }

    /// Links a new event behind this tip. A clock that went back does not take the log with it.
    pub fn seal(&self, id: String, kind: String, secret: Secret, now: Time) -> Stored {
        let header = Header {
            version: FORMAT_VERSION,
            space: self.space,
            seq: self.seq + 1,
            id,
            recorded_at: now.max(self.recorded_at),
            kind,
            prev_hash: self.hash,
            commitment: secret.commitment(),
        };
        Stored { hash: header.hash(), header, secret: Some(secret) }
    }

    /// Checks that an event is whole and stands behind this tip, and gives the tip after it.
    pub fn follow(&self, event: &Stored) -> Result<Self, Fault> {
        let header = &event.header;
        let expect = |holds: bool, fault| if holds { Ok(()) } else { Err(fault) };
        expect(header.version <= FORMAT_VERSION, Fault::Version)?;
        expect(header.seq == self.seq + 1, Fault::Number)?;
        expect(header.space == self.space, Fault::Space)?;
        expect(header.prev_hash == self.hash, Fault::Link)?;
        event.check()?;
        expect(header.recorded_at >= self.recorded_at, Fault::Clock)?;
        Ok(event.tip())
    }
}

impl Stored {
    /// Checks that header, body and hash belong together.
    pub fn check(&self) -> Result<(), Fault> {
        if self.header.hash() != self.hash {
            return Err(Fault::Header);
        }
        match &self.secret {
            Some(secret) if secret.commitment() != self.header.commitment => Err(Fault::Body),
            _ => Ok(()),
        }
    }

    /// The tip right after this event.
    pub fn tip(&self) -> Tip {
        let Header { space, seq, recorded_at, .. } = self.header;
        Tip { space, seq, hash: self.hash, recorded_at }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sealed() -> (Tip, Stored) {
        let tip = Tip::empty(SpaceId([7; 16]));
        let secret = Secret { salt: [1; 32], body: r#"{"kind":"test"}"#.to_owned() };
        (tip, tip.seal("id".to_owned(), "test".to_owned(), secret, Time(5)))
    }

    #[test]
    fn a_sealed_event_follows_and_any_change_is_named() {
        let (tip, event) = sealed();
        assert_eq!(tip.follow(&event), Ok(event.tip()));
        type Change = fn(&mut Stored);
        let changes: [(Change, Fault); 8] = [
            (|e| e.header.seq = 2, Fault::Number),
            (|e| e.header.space.0[0] ^= 1, Fault::Space),
            (|e| e.header.prev_hash.0[0] ^= 1, Fault::Link),
            (|e| e.header.id.push('x'), Fault::Header),
            (|e| e.header.recorded_at.0 += 1, Fault::Header),
            (|e| e.hash.0[31] ^= 128, Fault::Header),
            (|e| e.secret.as_mut().expect("kept").body.push(' '), Fault::Body),
            (|e| e.header.version = 2, Fault::Version),
        ];
        for (change, fault) in changes {
            let mut changed = event.clone();
            change(&mut changed);
            assert_eq!(tip.follow(&changed), Err(fault));
        }
    }

    #[test]
    fn an_erased_body_leaves_the_chain_whole() {
        let (tip, mut event) = sealed();
        event.secret = None;
        assert_eq!(tip.follow(&event), Ok(event.tip()));
    }

    #[test]
    fn the_same_body_under_another_salt_commits_to_something_else() {
        let one = Secret { salt: [1; 32], body: "x".to_owned() };
        assert_ne!(one.commitment(), Secret { salt: [2; 32], ..one.clone() }.commitment());
    }

    #[test]
    fn recorded_at_never_decreases() {
        let (_, event) = sealed();
        let next = event.tip().seal("b".to_owned(), "test".to_owned(), event.secret.clone().expect("kept"), Time(1));
        assert_eq!(next.header.recorded_at, Time(5));
    }
}
