//! Operations on the home and its spaces: making one, how they stand, what can be asked.

pub mod config_show;
pub mod doctor;
pub mod file_system;
pub mod init;
pub mod migrate;
pub mod move_logs;
pub mod operations;
pub mod spaces;
pub mod stats;
pub mod status;
