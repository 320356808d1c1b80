//! The example in the README compiles.

#[doc = include_str!("../../../README.md")]
struct Readme;
