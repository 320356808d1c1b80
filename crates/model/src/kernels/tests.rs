//! Every processor's kernels against the portable twin, bit for bit, and the twin against plain arithmetic.

use super::portable::{Portable, fused, widened};
use super::*;
use crate::shape::{HEAD, HEADS, HIDDEN, INTERMEDIATE, PIECES, PLACES};

/// Numbers that look random and are the same in every run.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    /// Between minus and plus `size`.
    fn floats(&mut self, count: usize, size: f32) -> Vec<f32> {
        (0..count).map(|_| (self.next() as f32 / (1_u64 << 30) as f32 - 1.0) * size).collect()
    }

    /// Halves of moderate size, as bytes.
    fn halves(&mut self, count: usize) -> Vec<u8> {
        (0..count).flat_map(|_| ((self.next() & 0xafff) as u16).to_le_bytes()).collect()
    }
}

fn bits(numbers: &[f32]) -> Vec<u32> {
    numbers.iter().map(|x| x.to_bits()).collect()
}

/// Runs a step on every processor and demands the portable twin's bits.
fn all_agree(what: &str, step: impl Fn(Kernels) -> Vec<f32>) -> Vec<f32> {
    let all = Kernels::all();
    let twin = step(*all.last().expect("the portable kernels run everywhere"));
    assert!(twin.iter().all(|x| x.is_finite()), "{what}");
    for kernels in all {
        assert!(bits(&step(kernels)) == bits(&twin), "{what}: {} differs from its twin", kernels.name());
    }
    twin
}

fn run_dense(
    kernels: Kernels,
    rows: usize,
    inner: usize,
    gelu: bool,
    parts: &(Vec<f32>, Vec<u8>, Vec<f32>),
) -> Vec<f32> {
    let (input, weights, bias) = parts;
    let outer = bias.len();
    let mut out = vec![f32::NAN; rows * outer];
    let unpacked = &mut vec![0.0; Kernels::UNPACKED];
    kernels.dense(Dense { input, rows, inner, outer, weights, bias, gelu, unpacked, out: &mut out });
    out
}

#[test]
fn dense_layers_agree_for_every_number_of_rows() {
    let mut dice = Dice(1);
    for inner in [HIDDEN, INTERMEDIATE] {
        for rows in (1..=26).chain([100]) {
            let outer = 2 * WIDTH;
            let parts = (dice.floats(rows * inner, 2.0), dice.halves(inner * outer), dice.floats(outer, 1.0));
            for gelu in [false, true] {
                all_agree("dense", |kernels| run_dense(kernels, rows, inner, gelu, &parts));
            }
        }
    }
}

#[test]
fn a_dense_layer_is_what_plain_arithmetic_gives() {
    let mut dice = Dice(2);
    let (rows, inner, outer) = (5, HIDDEN, WIDTH);
    let parts = (dice.floats(rows * inner, 2.0), dice.halves(inner * outer), dice.floats(outer, 1.0));
    let out = run_dense(Kernels::best(), rows, inner, false, &parts);
    for row in 0..rows {
        for column in 0..outer {
            let mut sum = f64::from(parts.2[column]);
            for at in 0..inner {
                let weight = &parts.1[(at * WIDTH + column) * 2..][..2];
                sum += f64::from(parts.0[row * inner + at])
                    * f64::from(widened(u16::from_le_bytes([weight[0], weight[1]])));
            }
            assert!((sum - f64::from(out[row * outer + column])).abs() < 1e-3);
        }
    }
}

#[test]
fn attention_agrees_and_is_what_plain_arithmetic_gives() {
    let mut dice = Dice(3);
    for rows in [1, 2, 5, 15, 16, 17, 20, 31, 32, 33, 64, 100, 256] {
        let qkv = dice.floats(rows * 3 * HIDDEN, 1.5);
        let out = all_agree("attention", |kernels| {
            let mut out = vec![f32::NAN; rows * HIDDEN];
            // Left over from other texts, and to be of no influence.
            let mut keys = vec![1e9; Kernels::keys_room(rows)];
            let mut scores = vec![1e9; Kernels::scores_room(rows)];
            kernels.attention(Attention { qkv: &qkv, rows, keys: &mut keys, scores: &mut scores, out: &mut out });
            out
        });
        let part = |row: usize, which: usize, head: usize| {
            let from = row * 3 * HIDDEN + which * HIDDEN + head * HEAD;
            qkv[from..from + HEAD].iter().map(|x| f64::from(*x))
        };
        let (row, head) = (rows - 1, HEADS - 1);
        let score = |key: usize| part(row, 0, head).zip(part(key, 1, head)).map(|(q, k)| q * k).sum::<f64>();
        let shares: Vec<f64> = (0..rows).map(|key| score(key).exp()).collect();
        for at in 0..HEAD {
            let value = |key: usize| part(key, 2, head).nth(at).expect("a head has so many numbers");
            let mixed = (0..rows).map(|key| shares[key] * value(key)).sum::<f64>() / shares.iter().sum::<f64>();
            assert!((mixed - f64::from(out[row * HIDDEN + head * HEAD + at])).abs() < 1e-4, "{rows}");
        }
    }
}

#[test]
fn norms_lookups_and_means_agree() {
    let mut dice = Dice(4);
    let (weight, bias) = (dice.floats(HIDDEN, 1.0), dice.floats(HIDDEN, 1.0));
    let places = dice.floats(PLACES * HIDDEN, 0.1);
    let table = dice.halves(PIECES * HIDDEN);
    for rows in [1, 3, 20] {
        let start = dice.floats(rows * HIDDEN, 3.0);
        let add = dice.floats(rows * HIDDEN, 3.0);
        let normed = all_agree("norm", |kernels| {
            let mut rows = start.clone();
            kernels.norm(Norm { rows: &mut rows, add: &add, weight: &weight, bias: &bias });
            rows
        });
        let row: Vec<f64> = start.iter().zip(&add).take(HIDDEN).map(|(a, b)| f64::from(*a) + f64::from(*b)).collect();
        let mean = row.iter().sum::<f64>() / HIDDEN as f64;
        let spread = (row.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / HIDDEN as f64).sqrt();
        for at in 0..HIDDEN {
            let wanted = (row[at] - mean) / spread * f64::from(weight[at]) + f64::from(bias[at]);
            assert!((wanted - f64::from(normed[at])).abs() < 1e-5);
        }
        let pieces: Vec<u32> = (0..rows).map(|_| (dice.next() % PIECES as u64) as u32).collect();
        all_agree("embed", |kernels| {
            let mut out = vec![f32::NAN; rows * HIDDEN];
            let (places, weight, bias) = (&places, &weight, &bias);
            kernels.embed(Embed { pieces: &pieces, table: &table, places, weight, bias, out: &mut out });
            out
        });
        all_agree("pool", |kernels| {
            let mut out = vec![f32::NAN; HIDDEN];
            kernels.pool(Pool { rows: &start, out: &mut out });
            out
        });
    }
}

#[test]
fn the_activation_and_the_exponential_are_close_to_the_exact_ones() {
    // Φ by its series, which is exact enough far beyond where it is asked.
    let normal = |x: f64| {
        let (mut term, mut sum) = (x, x);
        for n in 1..200 {
            term *= -x * x / (2.0 * f64::from(n));
            sum += term / f64::from(2 * n + 1);
        }
        0.5 + sum / (2.0 * std::f64::consts::PI).sqrt()
    };
    for step in -600..=600 {
        let x = step as f32 / 100.0;
        let wanted = f64::from(x) * normal(f64::from(x));
        assert!((f64::from(Portable::of_one(x, work::gelu)) - wanted).abs() < 4e-6, "{x}");
    }
    for step in -8600..=0 {
        let x = step as f32 / 100.0;
        let exact = f64::from(x).exp();
        assert!((f64::from(Portable::of_one(x, work::exponential)) / exact - 1.0).abs() < 3e-7, "{x}");
    }
}

#[test]
fn the_twin_rounds_once() {
    let mut dice = Dice(5);
    for _ in 0..2_000_000 {
        let mut one = || f32::from_bits(((dice.next() << 16) ^ dice.next()) as u32 & 0xcfff_ffff | 0x2000_0000);
        let (a, b, c) = (one(), one(), one());
        let (ours, exact) = (fused(a, b, c), a.mul_add(b, c));
        assert!(ours.to_bits() == exact.to_bits() || (ours.is_nan() && exact.is_nan()), "{a:e} * {b:e} + {c:e}");
    }
    for c in [1.0_f32, -1.0, 1e-3, f32::MIN_POSITIVE] {
        for a in [1.0 + f32::EPSILON, 1.0 - f32::EPSILON, -0.5, 3.0 * f32::EPSILON] {
            assert_eq!(fused(a, a, c).to_bits(), a.mul_add(a, c).to_bits());
            assert_eq!(fused(a, -a, a * a).to_bits(), a.mul_add(-a, a * a).to_bits());
        }
    }
}

#[test]
fn halves_widen_exactly() {
    for (bits, x) in [
        (0, 0.0),
        (1, 2_f32.powi(-24)),
        (0x3ff, 1023.0 * 2_f32.powi(-24)),
        (0x400, 2_f32.powi(-14)),
        (0x3c00, 1.0),
        (0xc000, -2.0),
        (0x7bff, 65504.0),
    ] {
        assert_eq!(widened(bits), x);
    }
}
