//! The page: static files that show a memory in a browser, made of nothing but what the HTTP interface answers.

mod files;
#[cfg(test)]
mod tests;

pub use files::{CONTENT_SECURITY_POLICY, File, file, paths};
