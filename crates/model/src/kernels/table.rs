//! One safe face for all processors: sizes are checked here, once for each call, and then trusted.

#![expect(unsafe_code, reason = "calls code built for a processor that was asked for its instructions")]

use super::jobs::{Attention, Dense, Embed, Norm, Pool, STRIP_MAX, Table, WIDTH};
use crate::shape::{HEAD, HIDDEN, INTERMEDIATE, PIECES, PLACES};

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
