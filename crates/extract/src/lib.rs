//! Facts and preferences that someone plainly states, found by rules alone: few, right, and with the words they stand in.
//!
//! A sentence yields something only if a clause of it follows a row of the table in `patterns`, and nothing in it casts
//! doubt (`doubt`). Each statement is told again in the third person, and kept only if the rules read the same from
//! what they told: so that a statement that is repeated is the same statement.

mod clause;
mod cut;
mod directives;
mod doubt;
pub mod ending;
mod exchange;
mod explicit;
mod kind;
mod linear;
mod mask;
mod names;
mod nouns;
mod patterns;
mod plain;
mod private;
mod reword;
pub mod sameness;
mod statement;
mod statements;
mod subject;
mod tell;
#[cfg(test)]
mod tests;
mod token;
mod value;
mod vocabulary;
mod words;

pub use cut::{SENTENCE_MAX_BYTES, own_sentences, quotes_others};
pub use directives::{Directive, DirectiveKind, SentenceFeatures, directives, replaced, sentence_features};
pub use exchange::Before;
pub use mask::{MASK, secrets_in, without_secrets, without_secrets_named};
pub use names::{is_single, normal_attribute, normal_subject};
pub use private::{holds_secret, is_marked_private, kept_of, request_features};
pub use statement::Statement;
pub use statements::{STATEMENTS_MAX, is_doubtful, statements, statements_after};
