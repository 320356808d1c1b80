//! Evaluation of recall on conversations with known evidence, as a whole and with each part of the ranking taken away.

mod cached;
mod manners;
mod run;

pub use run::run;
