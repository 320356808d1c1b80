//! Every operation, one file each. The table below is what the command line and the servers walk.

mod append;
mod backup;
mod config_show;
mod digest;
mod doctor;
mod export;
mod get;
mod import;
mod init;
mod list;
mod log;
mod rebuild;
mod remember;
mod repair;
mod restore;
mod spaces;
mod stats;
mod status;
mod trace;
mod verify;

use crate::Operation;

/// Every operation, in the order a person meets them.
pub const OPERATIONS: &[Operation] = &[
    init::OPERATION,
    remember::OPERATION,
    append::OPERATION,
    get::OPERATION,
    log::OPERATION,
    trace::OPERATION,
    stats::OPERATION,
    status::OPERATION,
    spaces::OPERATION,
    verify::OPERATION,
    digest::OPERATION,
    rebuild::OPERATION,
    backup::OPERATION,
    restore::OPERATION,
    export::OPERATION,
    import::OPERATION,
    repair::OPERATION,
    doctor::OPERATION,
    config_show::OPERATION,
    list::OPERATION,
];

/// The operation with a name.
pub fn find(name: &str) -> Option<&'static Operation> {
    OPERATIONS.iter().find(|o| o.name == name)
}
