//! Fuzz targets: each takes arbitrary bytes through one parser or door of the product and checks what must always hold.
//!
//! `cargo test -p idetic-fuzz` replays the corpus and tries some thousands of mutated inputs; with `IDETIC_LONG=1` it
//! tries a hundred times as many. `cargo xtask fuzz [TARGET] [--runs N]` builds the targets with coverage
//! instrumentation and lets libFuzzer look for inputs that reach new code. What it keeps goes to `target/fuzz/corpus`;
//! an input that found a fault belongs into `corpus/TARGET/`, where every later test run replays it.

mod amem;
#[cfg(feature = "doors")]
mod archives;
mod clients;
#[cfg(feature = "doors")]
mod doors;
#[cfg(feature = "doors")]
mod home;
mod index;
#[cfg(feature = "doors")]
mod issuer;
#[cfg(feature = "doors")]
mod lane_file;
mod language;
mod markdown;
mod otlp;
mod patch;
mod records;
#[cfg(feature = "doors")]
mod scratch;
#[cfg(feature = "doors")]
mod server;
mod table;
mod text;
#[cfg(feature = "doors")]
mod tokens;

pub use table::{Target, find, targets};
