//! What is measured: one subject a file, each adding its tables and targets to the report.

pub mod append;
pub mod flushes;
pub mod folds;
pub mod memory;
pub mod reads;
pub mod wall;
