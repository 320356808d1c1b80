//! Words that values are told by: what none begins or ends with, and what is no place, no liking, no setting.

use super::super::super::words::Words;

/// Words no value begins with: what they mean stands elsewhere.
pub const NO_FIRST: Words = Words(include_str!("../../../data/value/no_first.txt"));

/// Words no value ends with: something is missing behind them.
pub const NO_LAST: Words = Words(include_str!("../../../data/value/no_last.txt"));

/// Words that point at someone or something outside of the value.
pub const OTHERS: Words = Words(include_str!("../../../data/value/others.txt"));

/// What a setting is said to be like, and not to be.
pub const LIKE_WORDS: Words = Words(include_str!("../../../data/value/like_words.txt"));

/// What one "lives in" or "works in" without being there.
pub const NO_PLACE: Words = Words(include_str!("../../../data/value/no_place.txt"));

/// What is liked at the moment, or not meant.
pub const NO_LIKING: Words = Words(include_str!("../../../data/value/no_liking.txt"));

/// What is only one of the choices at hand.
pub const NO_PREFERENCE: Words = Words(include_str!("../../../data/value/no_preference.txt"));

/// Where things are kept in a house.
pub const ROOMS: Words = Words(include_str!("../../../data/value/rooms.txt"));

/// What "the X is" is said of in passing, by its last word.
pub const PASSING: Words = Words(include_str!("../../../data/value/passing.txt"));

/// What has a number and no version: "line 212".
pub const PLACES_IN_TEXT: Words = Words(include_str!("../../../data/value/places_in_text.txt"));

/// What people travel by.
pub const WAYS: Words = Words(include_str!("../../../data/value/ways.txt"));
