//! Sixteen numbers at once in one AVX-512 register.

#![expect(unsafe_code, reason = "processor instructions")]

use std::arch::x86_64::*;

use super::entries::entries;
use super::lanes::Lanes;

#[derive(Clone, Copy)]
pub struct Avx512(__m512);

// SAFETY: values come from `splat`, `load`, `load_f16` and operations on values only.
unsafe impl Lanes for Avx512 {
    #[inline(always)]
    unsafe fn splat(x: f32) -> Self {
        // SAFETY: the caller vouches for AVX-512F.
        Self(unsafe { _mm512_set1_ps(x) })
    }

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: the caller vouches for AVX-512F and for sixteen numbers.
        Self(unsafe { _mm512_loadu_ps(from) })
    }

    #[inline(always)]
    unsafe fn load_f16(from: *const u16) -> Self {
        // SAFETY: the caller vouches for AVX-512F and for sixteen numbers.
        Self(unsafe { _mm512_cvtph_ps(_mm256_loadu_si256(from.cast())) })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        // SAFETY: the caller vouches for sixteen numbers; `self` proves AVX-512F.
        unsafe { _mm512_storeu_ps(to, self.0) }
    }

    #[inline(always)]
    fn times_plus(self, by: Self, plus: Self) -> Self {
        // SAFETY: `self` proves AVX-512F.
        Self(unsafe { _mm512_fmadd_ps(self.0, by.0, plus.0) })
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: `self` proves AVX-512F.
        Self(unsafe { _mm512_add_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn subtract(self, other: Self) -> Self {
        // SAFETY: `self` proves AVX-512F.
        Self(unsafe { _mm512_sub_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn times(self, other: Self) -> Self {
        // SAFETY: `self` proves AVX-512F.
        Self(unsafe { _mm512_mul_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        // SAFETY: `self` proves AVX-512F.
        Self(unsafe { _mm512_max_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn smaller(self, other: Self) -> Self {
        // SAFETY: `self` proves AVX-512F.
        Self(unsafe { _mm512_min_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn power_of_low_bits(self) -> Self {
        // SAFETY: `self` proves AVX-512F.
        unsafe {
            let shifted = _mm512_slli_epi32::<23>(_mm512_castps_si512(self.0));
            let one = _mm512_castps_si512(_mm512_set1_ps(1.0));
            Self(_mm512_castsi512_ps(_mm512_add_epi32(shifted, one)))
        }
    }

    #[inline(always)]
    fn first_or(self, count: usize, fill: Self) -> Self {
        let keep = if count >= 16 { u16::MAX } else { (1_u16 << count) - 1 };
        // SAFETY: `self` proves AVX-512F.
        Self(unsafe { _mm512_mask_blend_ps(keep, fill.0, self.0) })
    }

    #[inline(always)]
    fn sum(self) -> f32 {
        // SAFETY: `self` proves AVX-512F, which includes AVX.
        unsafe {
            let high = _mm256_castpd_ps(_mm512_extractf64x4_pd::<1>(_mm512_castps_pd(self.0)));
            let eight = _mm256_add_ps(_mm512_castps512_ps256(self.0), high);
            let four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps::<1>(eight));
            let two = _mm_add_ps(four, _mm_movehl_ps(four, four));
            _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps::<1>(two, two)))
        }
    }

    #[inline(always)]
    fn largest(self) -> f32 {
        // SAFETY: `self` proves AVX-512F.
        unsafe { _mm512_reduce_max_ps(self.0) }
    }
}

entries!(Avx512, "avx512f", 12, 2);
