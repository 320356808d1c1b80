//! Sixteen numbers at once without any special instruction: the twin that the others are compared with.

#![expect(unsafe_code, reason = "the trait's loads and stores go through pointers")]

use super::entries::entries;
use super::lanes::{LANES, Lanes};

#[derive(Clone, Copy)]
pub struct Portable([f32; LANES]);

impl Portable {
    #[inline(always)]
    fn each(self, other: Self, f: impl Fn(f32, f32) -> f32) -> Self {
        Self(std::array::from_fn(|at| f(self.0[at], other.0[at])))
    }

    /// What a step over lanes makes of a single number.
    #[cfg(test)]
    pub fn of_one(x: f32, step: fn(Self) -> Self) -> f32 {
        step(Self([x; LANES])).0[0]
    }
}

// SAFETY: no operation needs a special instruction.
unsafe impl Lanes for Portable {
    #[inline(always)]
    unsafe fn splat(x: f32) -> Self {
        Self([x; LANES])
    }

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: the caller vouches for sixteen numbers.
        Self(unsafe { from.cast::<[f32; LANES]>().read_unaligned() })
    }

    #[inline(always)]
    unsafe fn load_f16(from: *const u16) -> Self {
        // SAFETY: the caller vouches for sixteen numbers.
        Self(unsafe { from.cast::<[u16; LANES]>().read_unaligned() }.map(widened))
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        // SAFETY: the caller vouches for sixteen numbers.
        unsafe { to.cast::<[f32; LANES]>().write_unaligned(self.0) }
    }

    #[inline(always)]
    fn times_plus(self, by: Self, plus: Self) -> Self {
        Self(std::array::from_fn(|at| fused(self.0[at], by.0[at], plus.0[at])))
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.each(other, |a, b| a + b)
    }

    #[inline(always)]
    fn subtract(self, other: Self) -> Self {
        self.each(other, |a, b| a - b)
    }

    #[inline(always)]
    fn times(self, other: Self) -> Self {
        self.each(other, |a, b| a * b)
    }

    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        self.each(other, |a, b| if a > b { a } else { b })
    }

    #[inline(always)]
    fn smaller(self, other: Self) -> Self {
        self.each(other, |a, b| if a < b { a } else { b })
    }

    #[inline(always)]
    fn power_of_low_bits(self) -> Self {
        Self(self.0.map(|x| f32::from_bits((x.to_bits() << 23).wrapping_add(1_f32.to_bits()))))
    }

    #[inline(always)]
    fn first_or(self, count: usize, fill: Self) -> Self {
        Self(std::array::from_fn(|at| if at < count { self.0[at] } else { fill.0[at] }))
    }

    #[inline(always)]
    fn sum(self) -> f32 {
        halve(self.0, |a, b| a + b)
    }

    #[inline(always)]
    fn largest(self) -> f32 {
        halve(self.0, |a, b| if a > b { a } else { b })
    }
}

fn halve(mut lanes: [f32; LANES], f: impl Fn(f32, f32) -> f32) -> f32 {
    let mut half = LANES / 2;
    while half > 0 {
        for at in 0..half {
            lanes[at] = f(lanes[at], lanes[at + half]);
        }
        half /= 2;
    }
    lanes[0]
}

/// The half-precision number with these bits, which is never infinite here.
pub fn widened(half: u16) -> f32 {
    /// Between the two formats' exponents of the same bits.
    const TWO_TO_112: f32 = f32::from_bits((127 + 112) << 23);
    let size = f32::from_bits(u32::from(half & 0x7fff) << 13) * TWO_TO_112;
    f32::from_bits(size.to_bits() | (u32::from(half & 0x8000) << 16))
}

/// `a * b + c` rounded once, as the fused instructions do. Where there is no such instruction, `f32::mul_add` is a
/// slow call, so this takes the sum in f64: the product is exact there, and rounding the sum to odd before rounding
/// it to f32 gives what one rounding would have given.
#[inline(always)]
pub fn fused(a: f32, b: f32, c: f32) -> f32 {
    if cfg!(any(target_feature = "fma", target_arch = "aarch64")) {
        return a.mul_add(b, c);
    }
    let product = f64::from(a) * f64::from(b);
    let c = f64::from(c);
    let sum = product + c;
    let from_c = sum - product;
    let lost = (product - (sum - from_c)) + (c - from_c);
    let bits = sum.to_bits();
    let inexact_and_even = lost != 0.0 && bits & 1 == 0;
    let away_from_zero = (lost > 0.0) == (sum > 0.0);
    let odd = if away_from_zero { bits.wrapping_add(1) } else { bits.wrapping_sub(1) };
    f64::from_bits(if inexact_and_even { odd } else { bits }) as f32
}

entries!(Portable, "portable", 4, 1);
