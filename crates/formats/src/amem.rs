//! The A-MEM folder of specification 000: event files, notes, links, tags, profiles, and the index over the events.

pub mod catalogue;
pub mod event;
pub mod graph;
pub mod index;
pub mod links;
pub mod names;
pub mod note;
pub mod problem;
pub mod profile;
pub mod scan;
pub mod tags;

pub use problem::Problem;
