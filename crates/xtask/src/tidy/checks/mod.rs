//! One file for each house rule.

pub mod banned;
pub mod circles;
pub mod declaration_files;
pub mod dependency_reasons;
pub mod direction;
pub mod documents;
pub mod first_line;
pub mod inherited_dependencies;
pub mod integration_tests;
pub mod machine_paths;
pub mod names;
pub mod promises;
pub mod root_entries;
pub mod sizes;
pub mod style_words;
pub mod word_lists;
