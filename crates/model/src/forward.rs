//! The forward pass: word pieces in, vectors out.

use crate::kernels::{Attention, Dense, Embed, Kernels, Norm, Pool};
use crate::shape::{HIDDEN, INTERMEDIATE, PLACES};
use crate::weights::{LayerNorm, Linear, Weights};

/// Rows that go through the layers together: enough to make the unpacking of weights cheap, few enough that what lies
/// between two layers stays in the second cache. A single text may be longer.
pub const GROUP_ROWS: usize = 192;

/// Room for the numbers between the layers, kept from one text to the next.
#[derive(Default)]
pub struct Room {
    rows: Vec<f32>,
    qkv: Vec<f32>,
    mixed: Vec<f32>,
    wide: Vec<f32>,
    keys: Vec<f32>,
    scores: Vec<f32>,
    unpacked: Vec<f32>,
}

impl Room {
    fn fit(&mut self, rows: usize) {
        grow(&mut self.rows, rows * HIDDEN);
        grow(&mut self.qkv, rows * 3 * HIDDEN);
        grow(&mut self.mixed, rows * HIDDEN);
        grow(&mut self.wide, rows * INTERMEDIATE);
        grow(&mut self.keys, Kernels::keys_room(PLACES));
        grow(&mut self.scores, Kernels::scores_room(PLACES));
        grow(&mut self.unpacked, Kernels::UNPACKED);
    }
}

fn grow(room: &mut Vec<f32>, length: usize) {
    if room.len() < length {
        room.resize(length, 0.0);
    }
}

/// The vectors of some texts, each given as its word pieces. The texts share the dense layers, row by row and without
/// any filling, and nothing else.
pub fn forward(kernels: Kernels, weights: &Weights, texts: &[Vec<u32>], room: &mut Room) -> Vec<Vec<f32>> {
    let count: usize = texts.iter().map(Vec::len).sum();
    room.fit(count);
    let Room { rows, qkv, mixed, wide, keys, scores, unpacked } = room;
    let rows = &mut rows[..count * HIDDEN];
    let mixed = &mut mixed[..count * HIDDEN];
    for (text, from) in with_starts(texts) {
        kernels.embed(Embed {
            pieces: text,
            table: weights.table,
            places: &weights.places,
            weight: &weights.first.weight,
            bias: &weights.first.bias,
            out: &mut rows[from * HIDDEN..(from + text.len()) * HIDDEN],
        });
    }
    for layer in &weights.layers {
        dense(kernels, &layer.qkv, false, unpacked, (rows, &mut *qkv), count);
        for (text, from) in with_starts(texts) {
            let out = &mut mixed[from * HIDDEN..];
            let qkv = &qkv[from * 3 * HIDDEN..];
            kernels.attention(Attention { qkv, rows: text.len(), keys, scores, out });
        }
        dense(kernels, &layer.mix, false, unpacked, (mixed, &mut *qkv), count);
        norm(kernels, &layer.mixed, rows, &qkv[..count * HIDDEN]);
        dense(kernels, &layer.up, true, unpacked, (rows, &mut *wide), count);
        dense(kernels, &layer.down, false, unpacked, (wide, &mut *mixed), count);
        norm(kernels, &layer.done, rows, mixed);
    }
    with_starts(texts)
        .map(|(text, from)| {
            let mut vector = vec![0.0; HIDDEN];
            kernels.pool(Pool { rows: &rows[from * HIDDEN..(from + text.len()) * HIDDEN], out: &mut vector });
            vector
        })
        .collect()
}

/// Each text with the number of its first row.
fn with_starts(texts: &[Vec<u32>]) -> impl Iterator<Item = (&Vec<u32>, usize)> {
    texts.iter().scan(0, |next, text| {
        let start = *next;
        *next += text.len();
        Some((text, start))
    })
}

fn dense(
    kernels: Kernels,
    layer: &Linear,
    gelu: bool,
    unpacked: &mut [f32],
    (input, out): (&[f32], &mut [f32]),
    rows: usize,
) {
    let Linear { inner, outer, bias, panels } = layer;
    let (inner, outer) = (*inner, *outer);
    kernels.dense(Dense { input, rows, inner, outer, weights: panels, bias, gelu, unpacked, out });
}

fn norm(kernels: Kernels, layer: &LayerNorm, rows: &mut [f32], add: &[f32]) {
    kernels.norm(Norm { rows, add, weight: &layer.weight, bias: &layer.bias });
}
