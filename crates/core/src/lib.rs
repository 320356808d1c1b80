//! Events, the hash chain and the views folded from it: the rules of Idetic as pure functions.

pub mod as_of;
pub mod chain;
pub mod event;
pub mod failure;
pub mod fields;
pub mod hash;
pub mod identity;
pub mod invalid;
pub mod json;
pub mod kind;
pub mod limits;
pub mod policy;
pub mod project;
pub mod quoting;
pub mod record;
pub mod time;
pub mod tokens;
pub mod trace;
pub mod transfer;
pub mod upcast;
pub mod views;
pub mod words;

mod names;

pub use chain::{Stored, Tip};
pub use event::Event;
pub use fields::Fields;
pub use hash::Hash;
pub use invalid::Invalid;
pub use names::{SpaceId, SpaceName};
pub use record::{IdKey, Record};
pub use time::Time;
pub use trace::Trace;
