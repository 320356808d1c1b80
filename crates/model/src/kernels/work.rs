//! The steps of the forward pass, written once over sixteen lanes.
//!
//! Every function here is always inlined into the entries of one processor (see `entries!`), where the instructions
//! of its `Lanes` are known; left on its own it would be slow. Each number of a result is accumulated in an order that
//! depends on nothing but its own row, so a text's vector is the same alone and in any batch.

#![expect(unsafe_code, reason = "the inner loops run over pointers; the bounds are checked in table.rs")]

use super::jobs::{Attention, Dense, Embed, Norm, Pool, WIDTH};
use super::lanes::{LANES, Lanes};
use crate::shape::{HEAD, HEADS, HIDDEN, INTERMEDIATE};

/// Rows of a panel that are unpacked at a time: small enough to stay in the first cache beside the input.
pub const DEPTH: usize = 192;

const QKV: usize = 3 * HIDDEN;

/// Adds `R` rows of `a` times `k` rows of `b` to `R` rows of `c`, `N` vectors wide, or starts from zero.
///
/// # Safety
/// The processor has `V`; `a` has `R` rows of `k` at distance `a_step`, `b` has `k` rows and `c` has `R` rows of
/// `N` vectors at distances `b_step` and `c_step`.
#[inline(always)]
unsafe fn tile<V: Lanes, const R: usize, const N: usize>(
    (a, a_step): (*const f32, usize),
    k: usize,
    (b, b_step): (*const f32, usize),
    (c, c_step): (*mut f32, usize),
    from_zero: bool,
) {
    // SAFETY: the caller vouches for the three blocks; every access below is inside one of them.
    unsafe {
        let mut sums = [[V::splat(0.0); N]; R];
        if !from_zero {
            for (row, sums) in sums.iter_mut().enumerate() {
                for (at, sum) in sums.iter_mut().enumerate() {
                    *sum = V::load(c.add(row * c_step + at * LANES));
                }
            }
        }
        for step in 0..k {
            let mut weights = [V::splat(0.0); N];
            for (at, weight) in weights.iter_mut().enumerate() {
                *weight = V::load(b.add(step * b_step + at * LANES));
            }
            for (row, sums) in sums.iter_mut().enumerate() {
                let x = V::splat(*a.add(row * a_step + step));
                for (sum, weight) in sums.iter_mut().zip(weights) {
                    *sum = x.times_plus(weight, *sum);
                }
            }
        }
        for (row, sums) in sums.iter().enumerate() {
            for (at, sum) in sums.iter().enumerate() {
                sum.store(c.add(row * c_step + at * LANES));
            }
        }
    }
}

/// `tile` for any number of rows up to `most`, over one panel's width.
///
/// # Safety
/// As for `tile`, with `rows` for `R` and `WIDTH` for the width of `N` vectors.
#[inline(always)]
unsafe fn strip<V: Lanes, const N: usize>(
    rows: usize,
    a: (*const f32, usize),
    k: usize,
    b: (*const f32, usize),
    c: (*mut f32, usize),
    from_zero: bool,
) {
    for part in (0..WIDTH).step_by(N * LANES) {
        // SAFETY: the caller vouches for a whole panel, and this is a part of it.
        unsafe {
            let b = (b.0.add(part), b.1);
            let c = (c.0.add(part), c.1);
            match rows {
                1 => tile::<V, 1, N>(a, k, b, c, from_zero),
                2 => tile::<V, 2, N>(a, k, b, c, from_zero),
                3 => tile::<V, 3, N>(a, k, b, c, from_zero),
                4 => tile::<V, 4, N>(a, k, b, c, from_zero),
                5 => tile::<V, 5, N>(a, k, b, c, from_zero),
                6 => tile::<V, 6, N>(a, k, b, c, from_zero),
                7 => tile::<V, 7, N>(a, k, b, c, from_zero),
                8 => tile::<V, 8, N>(a, k, b, c, from_zero),
                9 => tile::<V, 9, N>(a, k, b, c, from_zero),
                10 => tile::<V, 10, N>(a, k, b, c, from_zero),
                11 => tile::<V, 11, N>(a, k, b, c, from_zero),
                _ => tile::<V, 12, N>(a, k, b, c, from_zero),
            }
        }
    }
}

/// Cuts `rows` into the fewest strips of at most `most` rows, as equal as they can be.
#[inline(always)]
fn strips(rows: usize, most: usize) -> impl Iterator<Item = (usize, usize)> {
    let count = rows.div_ceil(most);
    (0..count).map(move |at| {
        let first = at * rows / count;
        (first, (at + 1) * rows / count - first)
    })
}

/// A dense layer: `out = activation(input × weights + bias)`.
///
/// # Safety
/// The processor has `V`, and the sizes are as `Kernels::dense` checks them.
#[inline(always)]
pub unsafe fn dense<V: Lanes, const R: usize, const N: usize>(job: &mut Dense<'_>) {
    // SAFETY: the caller vouches for all of it. The two depths are constants so that addresses are, too.
    unsafe {
        if job.inner == HIDDEN {
            dense_of_depth::<V, R, N, HIDDEN>(job);
        } else {
            dense_of_depth::<V, R, N, INTERMEDIATE>(job);
        }
    }
}

/// # Safety
/// As for `dense`, and the layer's depth is `K`.
#[inline(always)]
unsafe fn dense_of_depth<V: Lanes, const R: usize, const N: usize, const K: usize>(job: &mut Dense<'_>) {
    let input = job.input.as_ptr();
    let unpacked = job.unpacked.as_mut_ptr();
    // A vector that straddles two cache lines is read twice; `Kernels::UNPACKED` has room for this step.
    let unpacked = unpacked.wrapping_add(unpacked.align_offset(LANES * size_of::<f32>()) % LANES);
    for panel in 0..job.outer / WIDTH {
        for from in (0..K).step_by(DEPTH) {
            // SAFETY: `weights` has `outer / WIDTH` panels of `K * WIDTH`, `unpacked` has `DEPTH * WIDTH` from
            // its first whole vector on, `input` and `out` have `rows` rows of `K` and of `outer`.
            unsafe {
                let packed = job.weights.as_ptr().cast::<u16>().add((panel * K + from) * WIDTH);
                for at in (0..DEPTH * WIDTH).step_by(LANES) {
                    V::load_f16(packed.add(at)).store(unpacked.add(at));
                }
                let out = job.out.as_mut_ptr().add(panel * WIDTH);
                for (first, rows) in strips(job.rows, R) {
                    let a = (input.add(first * K + from), K);
                    let c = (out.add(first * job.outer), job.outer);
                    strip::<V, N>(rows, a, DEPTH, (unpacked, WIDTH), c, from == 0);
                    if from + DEPTH == K {
                        finish::<V>(job, panel, rows, c.0);
                    }
                }
            }
        }
    }
}

/// Bias and activation for the columns of one panel, while they are still in the first cache.
///
/// # Safety
/// As for `dense`; `c` is inside `job.out`, `rows` rows above its end.
#[inline(always)]
unsafe fn finish<V: Lanes>(job: &Dense<'_>, panel: usize, rows: usize, c: *mut f32) {
    for at in (0..WIDTH).step_by(LANES) {
        // SAFETY: `bias` has `outer` numbers; the caller vouches for `c`.
        unsafe {
            let bias = V::load(job.bias.as_ptr().add(panel * WIDTH + at));
            for row in 0..rows {
                let place = c.add(row * job.outer + at);
                let x = V::load(place).add(bias);
                let x = if job.gelu { gelu(x) } else { x };
                x.store(place);
            }
        }
    }
}

/// Beyond this the normal distribution is 0 or 1 as far as f32 can tell here.
const GELU_END: f32 = 5.0;
/// (Φ(x) − ½) / x as a polynomial of x² mapped to −1 … 1, highest power first: our own least-maximum fit, with which
/// the whole function is within 2e-6 of the exact one.
const GELU: [f32; 13] = [
    0.000_492_917,
    -0.001_514_108_3,
    0.002_001_984_7,
    -0.002_915_777_3,
    0.006_165_323_3,
    -0.010_973_146,
    0.016_497_698,
    -0.023_336_76,
    0.031_426_22,
    -0.040_432_945,
    0.051_521_42,
    -0.070_296_65,
    0.141_363_78,
];

/// `x` times the normal distribution at `x`.
#[inline(always)]
pub fn gelu<V: Lanes>(x: V) -> V {
    // SAFETY: `x` proves that the processor has `V`.
    unsafe {
        let end = V::splat(GELU_END);
        let near = x.smaller(end).larger(V::splat(-GELU_END));
        let mapped = near.times(near).times_plus(V::splat(2.0 / (GELU_END * GELU_END)), V::splat(-1.0));
        let mut slope = V::splat(GELU[0]);
        for power in &GELU[1..] {
            slope = slope.times_plus(mapped, V::splat(*power));
        }
        x.times(slope.times_plus(near, V::splat(0.5)))
    }
}

/// e to the `x` for `x` of at most zero, within two units in the last place; below −87 it stays at e to the −87.
#[inline(always)]
pub fn exponential<V: Lanes>(x: V) -> V {
    /// Adding it leaves the rounded number in the lowest bits.
    const ROUNDING: f32 = 12_582_912.0;
    const LN2_HIGH: f32 = 0.693_145_75;
    const LN2_LOW: f32 = 1.428_606_8e-6;
    /// Our own fit of e to the x on ±½ ln 2, highest power first.
    const POWERS: [f32; 7] = [0.001_394_858_8, 0.008_375_135, 0.041_666_217, 0.166_664_15, 0.5, 1.0, 1.0];
    // SAFETY: `x` proves that the processor has `V`.
    unsafe {
        let x = x.larger(V::splat(-87.0));
        let rounded = x.times_plus(V::splat(std::f32::consts::LOG2_E), V::splat(ROUNDING));
        let whole = rounded.subtract(V::splat(ROUNDING));
        let rest = whole.times_plus(V::splat(-LN2_HIGH), x);
        let rest = whole.times_plus(V::splat(-LN2_LOW), rest);
        let mut power = V::splat(POWERS[0]);
        for next in &POWERS[1..] {
            power = power.times_plus(rest, V::splat(*next));
        }
        power.times(rounded.power_of_low_bits())
    }
}

/// Every token of one text looks at every token of it.
///
/// # Safety
/// The processor has `V`, and the sizes are as `Kernels::attention` checks them.
#[inline(always)]
pub unsafe fn attention<V: Lanes, const R: usize, const N: usize>(job: &mut Attention<'_>) {
    let rows = job.rows;
    let padded = rows.next_multiple_of(WIDTH);
    let scores = job.scores.as_mut_ptr();
    for head in 0..HEADS {
        turn_keys(job, head);
        // SAFETY: `qkv` has `rows` rows of three times `HIDDEN`, `keys` has `padded * HEAD`, `scores` has twelve rows
        // of `padded`, `out` has `rows` rows of `HIDDEN`; a strip has at most twelve rows.
        unsafe {
            let queries = job.qkv.as_ptr().add(head * HEAD);
            let values = queries.add(2 * HIDDEN);
            for (first, count) in strips(rows, R) {
                for key in (0..padded).step_by(WIDTH) {
                    let a = (queries.add(first * QKV), QKV);
                    let b = (job.keys.as_ptr().add(key * HEAD), WIDTH);
                    strip::<V, N>(count, a, HEAD, b, (scores.add(key), padded), true);
                }
                for row in 0..count {
                    soften::<V>(scores.add(row * padded), rows);
                }
                let out = (job.out.as_mut_ptr().add(first * HIDDEN + head * HEAD), HIDDEN);
                strip::<V, N>(count, (scores, padded), rows, (values, QKV), out, true);
            }
        }
    }
}

/// Lays the keys of one head out as panels: `WIDTH` tokens side by side for each of the head's numbers.
#[inline(always)]
fn turn_keys(job: &mut Attention<'_>, head: usize) {
    for (block, panel) in job.keys.chunks_exact_mut(WIDTH * HEAD).enumerate() {
        let first = block * WIDTH;
        if first >= job.rows {
            break;
        }
        let tokens = (job.rows - first).min(WIDTH);
        for token in 0..tokens {
            let from = (first + token) * QKV + HIDDEN + head * HEAD;
            let key = &job.qkv[from..from + HEAD];
            for (at, x) in key.iter().enumerate() {
                panel[at * WIDTH + token] = *x;
            }
        }
    }
}

/// Turns `count` scores into shares that add up to one.
///
/// # Safety
/// The processor has `V`; `scores` has `count` numbers, rounded up to whole vectors.
#[inline(always)]
unsafe fn soften<V: Lanes>(scores: *mut f32, count: usize) {
    // SAFETY: the caller vouches for whole vectors.
    unsafe {
        let lowest = V::splat(f32::MIN);
        let mut top = lowest;
        for at in (0..count).step_by(LANES) {
            top = top.larger(V::load(scores.add(at)).first_or(count - at, lowest));
        }
        let top = V::splat(top.largest());
        let mut sum = V::splat(0.0);
        for at in (0..count).step_by(LANES) {
            let x = V::load(scores.add(at)).first_or(count - at, lowest);
            let share = exponential(x.subtract(top)).first_or(count - at, V::splat(0.0));
            share.store(scores.add(at));
            sum = sum.add(share);
        }
        let part = V::splat(1.0 / sum.sum());
        for at in (0..count).step_by(LANES) {
            V::load(scores.add(at)).times(part).store(scores.add(at));
        }
    }
}

/// Adds `job.add` to each row of `job.rows` and normalises the row to the layer's mean and spread.
///
/// # Safety
/// The processor has `V`, and the sizes are as `Kernels::norm` checks them.
#[inline(always)]
pub unsafe fn norm<V: Lanes>(job: &mut Norm<'_>) {
    for (row, add) in job.rows.chunks_exact_mut(HIDDEN).zip(job.add.chunks_exact(HIDDEN)) {
        // SAFETY: each chunk has `HIDDEN` numbers, a multiple of `LANES`, as have `weight` and `bias`.
        unsafe {
            let mut sum = V::splat(0.0);
            for at in (0..HIDDEN).step_by(LANES) {
                let x = V::load(row.as_ptr().add(at)).add(V::load(add.as_ptr().add(at)));
                x.store(row.as_mut_ptr().add(at));
                sum = sum.add(x);
            }
            norm_row::<V>(row.as_mut_ptr(), sum.sum(), job.weight.as_ptr(), job.bias.as_ptr());
        }
    }
}

/// # Safety
/// The processor has `V`; each pointer has `HIDDEN` numbers.
#[inline(always)]
unsafe fn norm_row<V: Lanes>(row: *mut f32, sum: f32, weight: *const f32, bias: *const f32) {
    /// The model's own guard against dividing by zero.
    const EPSILON: f32 = 1e-12;
    // SAFETY: the caller vouches for the pointers.
    unsafe {
        let mean = V::splat(sum / HIDDEN as f32);
        let mut squares = V::splat(0.0);
        for at in (0..HIDDEN).step_by(LANES) {
            let x = V::load(row.add(at)).subtract(mean);
            squares = x.times_plus(x, squares);
        }
        let spread = V::splat(1.0 / (squares.sum() / HIDDEN as f32 + EPSILON).sqrt());
        for at in (0..HIDDEN).step_by(LANES) {
            let x = V::load(row.add(at)).subtract(mean).times(spread);
            x.times_plus(V::load(weight.add(at)), V::load(bias.add(at))).store(row.add(at));
        }
    }
}

/// The first rows of a text: each piece's own row and the row of its place, normalised.
///
/// # Safety
/// The processor has `V`, and the sizes are as `Kernels::embed` checks them.
#[inline(always)]
pub unsafe fn embed<V: Lanes>(job: &mut Embed<'_>) {
    for (place, (row, piece)) in job.out.chunks_exact_mut(HIDDEN).zip(job.pieces).enumerate() {
        // SAFETY: the table has a row for every piece and the places have one for every place; each has `HIDDEN`.
        unsafe {
            let own = job.table.as_ptr().cast::<u16>().add(*piece as usize * HIDDEN);
            let place = job.places.as_ptr().add(place * HIDDEN);
            let mut sum = V::splat(0.0);
            for at in (0..HIDDEN).step_by(LANES) {
                let x = V::load_f16(own.add(at)).add(V::load(place.add(at)));
                x.store(row.as_mut_ptr().add(at));
                sum = sum.add(x);
            }
            norm_row::<V>(row.as_mut_ptr(), sum.sum(), job.weight.as_ptr(), job.bias.as_ptr());
        }
    }
}

/// The mean of a text's rows, of length one.
///
/// # Safety
/// The processor has `V`, and the sizes are as `Kernels::pool` checks them.
#[inline(always)]
pub unsafe fn pool<V: Lanes>(job: &mut Pool<'_>) {
    let out = job.out.as_mut_ptr();
    // SAFETY: `rows` is whole rows of `HIDDEN`, and `out` is one.
    unsafe {
        let mut squares = V::splat(0.0);
        let part = V::splat(1.0 / (job.rows.len() / HIDDEN) as f32);
        for at in (0..HIDDEN).step_by(LANES) {
            let mut sum = V::splat(0.0);
            for row in job.rows.chunks_exact(HIDDEN) {
                sum = sum.add(V::load(row.as_ptr().add(at)));
            }
            let mean = sum.times(part);
            mean.store(out.add(at));
            squares = mean.times_plus(mean, squares);
        }
        let length = V::splat(1.0 / squares.sum().sqrt().max(1e-12));
        for at in (0..HIDDEN).step_by(LANES) {
            V::load(out.add(at)).times(length).store(out.add(at));
        }
    }
}
