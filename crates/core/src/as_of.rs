//! `--as-of`: a seq, or the moment until which events had been written.

use std::str::FromStr;

use serde::{Deserialize, Deserializer, de};

use crate::{Invalid, Time};

/// A point in a space's past.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AsOf {
    /// Right after this event.
    Seq(u64),
    /// What had been written by this moment.
    Time(Time),
}

impl FromStr for AsOf {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) {
            return text.parse().map(Self::Seq).map_err(|_| format!("'{text}' is too large for a seq"));
        }
        Time::parse(text).map(Self::Time).map_err(|Invalid { message, .. }| {
            format!("{message}, nor a seq: write a number such as 42, or a time such as 2025-01-17T12:00:00Z")
        })
    }
}

impl<'de> Deserialize<'de> for AsOf {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Said {
            Number(u64),
            Text(String),
        }
        match Said::deserialize(deserializer)? {
            Said::Number(seq) => Ok(Self::Seq(seq)),
            Said::Text(text) => text.parse().map_err(de::Error::custom),
        }
    }
}
