//! The house rules of this repository, checked by a program instead of a reviewer.

mod checks;
mod finding;
mod reading;
mod run;
#[cfg(test)]
pub mod scratch;

pub use finding::Finding;
pub use run::run;
