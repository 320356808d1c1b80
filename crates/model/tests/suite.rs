//! The model crate from outside: golden values of the reference, batches, passages, endpoints, chats.

mod suite {
    mod server;

    mod assets;
    mod chats;
    mod endpoints;
    mod ledger;
    mod pieces;
    mod scripted;
    mod vectors;
}
