//! The sizes of all-MiniLM-L6-v2. They are constants because the kernels are built for them.

/// Numbers of a vector, and of a token on its way through the layers.
pub const HIDDEN: usize = 384;
/// Numbers between the two halves of a feed-forward step.
pub const INTERMEDIATE: usize = 1536;
/// Layers.
pub const LAYERS: usize = 6;
/// Attention heads of a layer.
pub const HEADS: usize = 12;
/// Numbers of one head.
pub const HEAD: usize = HIDDEN / HEADS;
/// Word pieces in the vocabulary.
pub const PIECES: usize = 30_522;
/// Word pieces the model reads of a text, the two of the frame included.
pub const PLACES: usize = 256;
