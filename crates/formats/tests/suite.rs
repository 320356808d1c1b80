//! The published files and the document's own examples, in one binary: one file for each subject.

#[path = "suite/document.rs"]
mod document;
#[path = "suite/markdown.rs"]
mod markdown;
#[path = "suite/samples.rs"]
mod samples;
#[path = "suite/shared.rs"]
mod shared;
