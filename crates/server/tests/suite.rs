//! The server as its callers meet it, over real connections.

mod suite {
    mod random;
    mod stage;

    mod administration;
    mod agent;
    mod calls;
    mod document;
    mod hostile;
    mod idempotency;
    mod isolation;
    mod keys;
    mod mcp;
    mod mem0;
    mod origins;
    mod overload;
    mod pipe;
    mod quotas;
    mod socket;
    mod sql_time;
    mod tokens;
    mod webhooks;
}
