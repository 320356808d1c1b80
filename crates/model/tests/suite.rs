//! The model crate from outside: golden values of the reference, batches, passages, endpoints.

mod suite {
    mod server;

    mod assets;
    mod endpoints;
    mod pieces;
    mod vectors;
}
