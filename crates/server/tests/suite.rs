//! The server as its callers meet it, over real connections.

mod suite {
    mod random;
    mod stage;

    mod agent;
    mod calls;
    mod document;
    mod hostile;
    mod isolation;
    mod keys;
    mod mcp;
    mod tokens;
}
