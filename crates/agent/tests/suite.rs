//! The agent from outside: with scripted models that can only copy, fail or talk nonsense, and the real embedder.

mod suite {
    mod stage;

    mod coherence;
    mod copying;
    mod echoes;
    mod extraction;
    mod learning;
    mod likeness;
    mod settings;
    mod streaming;
    mod troubles;
}
