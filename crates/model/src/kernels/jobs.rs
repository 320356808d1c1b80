//! The jobs of the kernels, each with its buffers, and the functions that do them on one processor.

/// Columns of one panel of packed weights.
pub const WIDTH: usize = 32;

/// Rows that a strip has at most, on any processor.
pub const STRIP_MAX: usize = 12;

/// A dense layer over some rows.
pub struct Dense<'a> {
    /// `rows` rows of `inner`.
    pub input: &'a [f32],
    /// How many rows.
    pub rows: usize,
    /// Numbers of an input row: `HIDDEN` or `INTERMEDIATE`.
    pub inner: usize,
    /// Numbers of an output row.
    pub outer: usize,
    /// `outer / WIDTH` panels; each has, for each of the `inner` numbers, the weights of `WIDTH` columns
    /// in half precision.
    pub weights: &'a [u8],
    /// What is added to each column.
    pub bias: &'a [f32],
    /// Whether the activation follows.
    pub gelu: bool,
    /// Room for a part of a panel.
    pub unpacked: &'a mut [f32],
    /// `rows` rows of `outer`.
    pub out: &'a mut [f32],
}

/// Attention inside one text.
pub struct Attention<'a> {
    /// Query, key and value of each token, each `HIDDEN`.
    pub qkv: &'a [f32],
    /// How many tokens.
    pub rows: usize,
    /// Room for the keys of one head.
    pub keys: &'a mut [f32],
    /// Room for the scores of one strip.
    pub scores: &'a mut [f32],
    /// `rows` rows of `HIDDEN`.
    pub out: &'a mut [f32],
}

/// Adding and normalising rows of `HIDDEN`.
pub struct Norm<'a> {
    /// What is normalised, in place.
    pub rows: &'a mut [f32],
    /// What is added before.
    pub add: &'a [f32],
    /// The layer's spread.
    pub weight: &'a [f32],
    /// The layer's mean.
    pub bias: &'a [f32],
}

/// The first rows of one text.
pub struct Embed<'a> {
    /// The text's word pieces.
    pub pieces: &'a [u32],
    /// A row of `HIDDEN` for each piece of the vocabulary, in half precision.
    pub table: &'a [u8],
    /// A row of `HIDDEN` for each place in a text.
    pub places: &'a [f32],
    /// The layer's spread.
    pub weight: &'a [f32],
    /// The layer's mean.
    pub bias: &'a [f32],
    /// A row for each piece.
    pub out: &'a mut [f32],
}

/// The mean of one text's rows.
pub struct Pool<'a> {
    /// The text's rows.
    pub rows: &'a [f32],
    /// The vector.
    pub out: &'a mut [f32],
}

/// The entries of one processor.
pub struct Table {
    pub name: &'static str,
    pub dense: unsafe fn(&mut Dense<'_>),
    pub attention: unsafe fn(&mut Attention<'_>),
    pub norm: unsafe fn(&mut Norm<'_>),
    pub embed: unsafe fn(&mut Embed<'_>),
    pub pool: unsafe fn(&mut Pool<'_>),
}
