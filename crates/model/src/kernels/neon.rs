//! Sixteen numbers at once in four NEON registers.

#![expect(unsafe_code, reason = "processor instructions")]

use std::arch::aarch64::*;

use super::entries::entries;
use super::lanes::Lanes;

#[derive(Clone, Copy)]
pub struct Neon([float32x4_t; 4]);

/// The same operation on each of the four registers.
macro_rules! each {
    ($f:ident, $a:expr $(, $more:expr)*) => {
        // SAFETY: every 64-bit ARM processor has NEON.
        unsafe { Neon([$f($a.0[0] $(, $more.0[0])*), $f($a.0[1] $(, $more.0[1])*),
                       $f($a.0[2] $(, $more.0[2])*), $f($a.0[3] $(, $more.0[3])*)]) }
    };
}

// SAFETY: every 64-bit ARM processor has NEON.
unsafe impl Lanes for Neon {
    #[inline(always)]
    unsafe fn splat(x: f32) -> Self {
        // SAFETY: every 64-bit ARM processor has NEON.
        Self([unsafe { vdupq_n_f32(x) }; 4])
    }

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: the caller vouches for sixteen numbers.
        Self(unsafe { [vld1q_f32(from), vld1q_f32(from.add(4)), vld1q_f32(from.add(8)), vld1q_f32(from.add(12))] })
    }

    #[inline(always)]
    unsafe fn load_f16(from: *const u16) -> Self {
        // SAFETY: the caller vouches for sixteen numbers. The steps are those of `portable::widened`.
        unsafe {
            let widened = |at: usize| {
                let half = vmovl_u16(vld1_u16(from.add(4 * at)));
                let size = vshlq_n_u32::<13>(vandq_u32(half, vdupq_n_u32(0x7fff)));
                let sign = vshlq_n_u32::<16>(vandq_u32(half, vdupq_n_u32(0x8000)));
                let size = vmulq_f32(vreinterpretq_f32_u32(size), vdupq_n_f32(f32::from_bits((127 + 112) << 23)));
                vreinterpretq_f32_u32(vorrq_u32(vreinterpretq_u32_f32(size), sign))
            };
            Self([widened(0), widened(1), widened(2), widened(3)])
        }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        for (at, part) in self.0.into_iter().enumerate() {
            // SAFETY: the caller vouches for sixteen numbers.
            unsafe { vst1q_f32(to.add(4 * at), part) }
        }
    }

    #[inline(always)]
    fn times_plus(self, by: Self, plus: Self) -> Self {
        each!(vfmaq_f32, plus, self, by)
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        each!(vaddq_f32, self, other)
    }

    #[inline(always)]
    fn subtract(self, other: Self) -> Self {
        each!(vsubq_f32, self, other)
    }

    #[inline(always)]
    fn times(self, other: Self) -> Self {
        each!(vmulq_f32, self, other)
    }

    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        each!(vmaxq_f32, self, other)
    }

    #[inline(always)]
    fn smaller(self, other: Self) -> Self {
        each!(vminq_f32, self, other)
    }

    #[inline(always)]
    fn power_of_low_bits(self) -> Self {
        Self(self.0.map(|part| {
            // SAFETY: every 64-bit ARM processor has NEON.
            unsafe {
                let shifted = vshlq_n_u32::<23>(vreinterpretq_u32_f32(part));
                vreinterpretq_f32_u32(vaddq_u32(shifted, vdupq_n_u32(1_f32.to_bits())))
            }
        }))
    }

    #[inline(always)]
    fn first_or(self, count: usize, fill: Self) -> Self {
        let mask: [u32; 16] = std::array::from_fn(|at| if at < count { u32::MAX } else { 0 });
        // SAFETY: every 64-bit ARM processor has NEON, and the mask has sixteen numbers.
        unsafe {
            let pick = |at: usize| vbslq_f32(vld1q_u32(mask.as_ptr().add(4 * at)), self.0[at], fill.0[at]);
            Self([pick(0), pick(1), pick(2), pick(3)])
        }
    }

    #[inline(always)]
    fn sum(self) -> f32 {
        // SAFETY: every 64-bit ARM processor has NEON.
        unsafe {
            let low = vaddq_f32(self.0[0], self.0[2]);
            let high = vaddq_f32(self.0[1], self.0[3]);
            let four = vaddq_f32(low, high);
            let two = vadd_f32(vget_low_f32(four), vget_high_f32(four));
            vget_lane_f32::<0>(two) + vget_lane_f32::<1>(two)
        }
    }

    #[inline(always)]
    fn largest(self) -> f32 {
        // SAFETY: every 64-bit ARM processor has NEON.
        unsafe {
            let four = vmaxq_f32(vmaxq_f32(self.0[0], self.0[1]), vmaxq_f32(self.0[2], self.0[3]));
            vmaxvq_f32(four)
        }
    }
}

entries!(Neon, "neon", 6, 1);
