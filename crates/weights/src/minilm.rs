//! The weights as bytes of the program.

/// all-MiniLM-L6-v2, as `idetic-model` reads it. Nothing reads these bytes before a text is embedded.
pub static MINILM: &[u8] = include_bytes!("../assets/minilm.bin");
