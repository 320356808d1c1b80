//! The weights of the built-in embedding model and nothing else: 45 MB that a program carries only if it asks for them.

/// all-MiniLM-L6-v2, as `idetic-model` reads it. Nothing reads these bytes before a text is embedded.
pub static MINILM: &[u8] = include_bytes!("../assets/minilm.bin");
