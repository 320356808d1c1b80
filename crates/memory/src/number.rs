//! The number under which a reader knows an event, and the acknowledgement of one.

use serde::Serialize;

impl From<(EventNumber, String)> for Ack {
    fn from((place, id): (EventNumber, String)) -> Self {
        Self { place, id }
    }
}

/// The number under which a reader knows an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum EventNumber {
    /// The log's number, for the owner.
    Seq(u64),
    /// Its number among what a persona's view can see.
    Pos(u64),
}

impl EventNumber {
    /// The number.
    pub fn number(self) -> u64 {
        match self {
            Self::Seq(number) | Self::Pos(number) => number,
        }
    }
}

/// The acknowledgement of one event.
#[derive(Debug, Clone, Serialize)]
pub struct Ack {
    /// Its number.
    #[serde(flatten)]
    pub place: EventNumber,
    /// Its id.
    pub id: String,
}
