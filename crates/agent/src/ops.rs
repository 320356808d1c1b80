//! The operations of the agent. With those of the memory they are the table that every face walks.

mod ask;
mod asking;
mod chat;
mod do_task;
mod extract;
mod learn;
mod usage;

use idetic_ops::Operation;

/// The agent's own operations, in the order a person meets them.
pub const OPERATIONS: &[Operation] =
    &[ask::OPERATION, do_task::OPERATION, chat::OPERATION, learn::OPERATION, extract::OPERATION, usage::OPERATION];

/// Every operation there is: the agent's, and those of the memory.
pub fn all() -> impl Iterator<Item = &'static Operation> {
    let (first, rest) = idetic_ops::OPERATIONS.split_at(1);
    first.iter().chain(OPERATIONS).chain(rest)
}

/// The operation with a name.
pub fn find(name: &str) -> Option<&'static Operation> {
    all().find(|operation| operation.name == name)
}
