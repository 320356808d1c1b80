//! One safe face for all processors: sizes are checked here, once for each call, and then trusted.

#![expect(unsafe_code, reason = "calls code built for a processor that was asked for its instructions")]

use super::work::WIDTH;
use crate::shape::{HEAD, HIDDEN, INTERMEDIATE, PIECES, PLACES};

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

/// Writes the entries of a processor: its lanes, the instructions they use, and the tile that fits its registers.
macro_rules! entries {
    (Portable, $name:literal, $rows:literal, $vectors:literal) => {
        entries!(@ [] Portable, $name, $rows, $vectors);
    };
    ($lanes:ident, $features:literal, $rows:literal, $vectors:literal) => {
        entries!(@ [#[target_feature(enable = $features)]] $lanes, $features, $rows, $vectors);
    };
    (@ [$(#[$feature:meta])?] $lanes:ident, $name:literal, $rows:literal, $vectors:literal) => {
        /// Callable where the processor has these instructions and the sizes have been checked.
        pub static TABLE: $crate::kernels::table::Table =
            $crate::kernels::table::Table { name: $name, dense, attention, norm, embed, pool };

        $(#[$feature])?
        unsafe fn dense(job: &mut $crate::kernels::Dense<'_>) {
            // SAFETY: the caller vouches for the instructions and the sizes.
            unsafe { $crate::kernels::work::dense::<$lanes, $rows, $vectors>(job) }
        }

        $(#[$feature])?
        unsafe fn attention(job: &mut $crate::kernels::Attention<'_>) {
            // SAFETY: the caller vouches for the instructions and the sizes.
            unsafe { $crate::kernels::work::attention::<$lanes, $rows, $vectors>(job) }
        }

        $(#[$feature])?
        unsafe fn norm(job: &mut $crate::kernels::Norm<'_>) {
            // SAFETY: the caller vouches for the instructions and the sizes.
            unsafe { $crate::kernels::work::norm::<$lanes>(job) }
        }

        $(#[$feature])?
        unsafe fn embed(job: &mut $crate::kernels::Embed<'_>) {
            // SAFETY: the caller vouches for the instructions and the sizes.
            unsafe { $crate::kernels::work::embed::<$lanes>(job) }
        }

        $(#[$feature])?
        unsafe fn pool(job: &mut $crate::kernels::Pool<'_>) {
            // SAFETY: the caller vouches for the instructions and the sizes.
            unsafe { $crate::kernels::work::pool::<$lanes>(job) }
        }
    };
}
pub(super) use entries;

/// The arithmetic of this machine.
#[derive(Clone, Copy)]
pub struct Kernels {
    /// Only ever the table of a processor that was asked for its instructions.
    table: &'static Table,
}

impl Kernels {
    /// The fastest that this machine can run.
    pub fn best() -> Self {
        *Self::all().first().expect("the portable kernels run everywhere")
    }

    /// All that this machine can run, fastest first; the last is the portable one.
    pub fn all() -> Vec<Self> {
        let mut tables = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx512f") {
                tables.push(&super::avx512::TABLE);
            }
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") && is_x86_feature_detected!("f16c") {
                tables.push(&super::avx2::TABLE);
            }
        }
        #[cfg(target_arch = "aarch64")]
        tables.push(&super::neon::TABLE);
        tables.push(&super::portable::TABLE);
        tables.into_iter().map(|table| Self { table }).collect()
    }

    /// The instructions they use.
    pub fn name(self) -> &'static str {
        self.table.name
    }

    /// How much room `Dense::unpacked` needs.
    pub const UNPACKED: usize = super::work::DEPTH * WIDTH + super::lanes::LANES;

    /// How much room `Attention::keys` needs for a text of so many pieces.
    pub fn keys_room(rows: usize) -> usize {
        rows.next_multiple_of(WIDTH) * HEAD
    }

    /// How much room `Attention::scores` needs for a text of so many pieces.
    pub fn scores_room(rows: usize) -> usize {
        rows.next_multiple_of(WIDTH) * STRIP_MAX
    }

    /// Runs a dense layer.
    pub fn dense(self, mut job: Dense<'_>) {
        let Dense { rows, inner, outer, .. } = job;
        assert!(inner == HIDDEN || inner == INTERMEDIATE, "a depth the kernels are not built for");
        assert_eq!(outer % WIDTH, 0, "a layer is whole panels wide");
        assert!(job.input.len() >= rows * inner && job.out.len() >= rows * outer, "rows");
        assert!(job.weights.len() == inner * outer * size_of::<u16>() && job.bias.len() == outer, "weights");
        assert!(job.unpacked.len() >= Self::UNPACKED, "room");
        // SAFETY: the table is this machine's, and the sizes have just been checked.
        unsafe { (self.table.dense)(&mut job) }
    }

    /// Runs the attention of one text.
    pub fn attention(self, mut job: Attention<'_>) {
        let rows = job.rows;
        assert!(job.qkv.len() >= rows * 3 * HIDDEN && job.out.len() >= rows * HIDDEN, "rows");
        assert!(job.keys.len() >= Self::keys_room(rows) && job.scores.len() >= Self::scores_room(rows), "room");
        // SAFETY: the table is this machine's, and the sizes have just been checked.
        unsafe { (self.table.attention)(&mut job) }
    }

    /// Adds and normalises.
    pub fn norm(self, mut job: Norm<'_>) {
        assert!(job.weight.len() == HIDDEN && job.bias.len() == HIDDEN, "weights");
        // SAFETY: the table is this machine's; the rows are cut from slices.
        unsafe { (self.table.norm)(&mut job) }
    }

    /// Looks up the first rows of a text.
    pub fn embed(self, mut job: Embed<'_>) {
        assert!(job.pieces.iter().all(|piece| (*piece as usize) < PIECES), "pieces");
        assert!(job.pieces.len() <= PLACES && job.places.len() == PLACES * HIDDEN, "places");
        assert!(job.table.len() == PIECES * HIDDEN * size_of::<u16>(), "table");
        assert!(job.weight.len() == HIDDEN && job.bias.len() == HIDDEN, "weights");
        // SAFETY: the table is this machine's, and the sizes have just been checked.
        unsafe { (self.table.embed)(&mut job) }
    }

    /// Takes the mean of a text's rows.
    pub fn pool(self, mut job: Pool<'_>) {
        assert!(!job.rows.is_empty() && job.rows.len().is_multiple_of(HIDDEN) && job.out.len() == HIDDEN, "rows");
        // SAFETY: the table is this machine's, and the sizes have just been checked.
        unsafe { (self.table.pool)(&mut job) }
    }
}
