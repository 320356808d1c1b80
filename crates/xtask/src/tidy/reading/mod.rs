//! Readers that turn the repository into what the checks look at.

pub mod imports;
pub mod manifest;
pub mod markdown;
pub mod modules;
pub mod place;
pub mod rust_file;
pub mod rust_paths;
pub mod sightings;
pub mod test_code;
pub mod tokens;
pub mod tree;
