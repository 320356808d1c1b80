//! Sixteen numbers at once in two AVX registers, with fused multiply-add.

#![expect(unsafe_code, reason = "processor instructions")]

use std::arch::x86_64::*;

use super::entries::entries;
use super::lanes::Lanes;

/// Lanes 0 to 7 and 8 to 15.
#[derive(Clone, Copy)]
pub struct Avx2(__m256, __m256);

// SAFETY: values come from `splat`, `load`, `load_f16` and operations on values only.
unsafe impl Lanes for Avx2 {
    #[inline(always)]
    unsafe fn splat(x: f32) -> Self {
        // SAFETY: the caller vouches for AVX2.
        let one = unsafe { _mm256_set1_ps(x) };
        Self(one, one)
    }

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: the caller vouches for AVX2 and for sixteen numbers.
        unsafe { Self(_mm256_loadu_ps(from), _mm256_loadu_ps(from.add(8))) }
    }

    #[inline(always)]
    unsafe fn load_f16(from: *const u16) -> Self {
        // SAFETY: the caller vouches for F16C and for sixteen numbers.
        unsafe {
            let low = _mm256_cvtph_ps(_mm_loadu_si128(from.cast()));
            Self(low, _mm256_cvtph_ps(_mm_loadu_si128(from.add(8).cast())))
        }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        // SAFETY: the caller vouches for sixteen numbers; `self` proves AVX2.
        unsafe {
            _mm256_storeu_ps(to, self.0);
            _mm256_storeu_ps(to.add(8), self.1);
        }
    }

    #[inline(always)]
    fn times_plus(self, by: Self, plus: Self) -> Self {
        // SAFETY: `self` proves FMA, which is only ever used together with AVX2.
        unsafe { Self(_mm256_fmadd_ps(self.0, by.0, plus.0), _mm256_fmadd_ps(self.1, by.1, plus.1)) }
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: `self` proves AVX2.
        unsafe { Self(_mm256_add_ps(self.0, other.0), _mm256_add_ps(self.1, other.1)) }
    }

    #[inline(always)]
    fn subtract(self, other: Self) -> Self {
        // SAFETY: `self` proves AVX2.
        unsafe { Self(_mm256_sub_ps(self.0, other.0), _mm256_sub_ps(self.1, other.1)) }
    }

    #[inline(always)]
    fn times(self, other: Self) -> Self {
        // SAFETY: `self` proves AVX2.
        unsafe { Self(_mm256_mul_ps(self.0, other.0), _mm256_mul_ps(self.1, other.1)) }
    }

    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        // SAFETY: `self` proves AVX2.
        unsafe { Self(_mm256_max_ps(self.0, other.0), _mm256_max_ps(self.1, other.1)) }
    }

    #[inline(always)]
    fn smaller(self, other: Self) -> Self {
        // SAFETY: `self` proves AVX2.
        unsafe { Self(_mm256_min_ps(self.0, other.0), _mm256_min_ps(self.1, other.1)) }
    }

    #[inline(always)]
    fn power_of_low_bits(self) -> Self {
        // SAFETY: `self` proves AVX2.
        unsafe {
            let one = _mm256_castps_si256(_mm256_set1_ps(1.0));
            let low = _mm256_slli_epi32::<23>(_mm256_castps_si256(self.0));
            let high = _mm256_slli_epi32::<23>(_mm256_castps_si256(self.1));
            let (low, high) = (_mm256_add_epi32(low, one), _mm256_add_epi32(high, one));
            Self(_mm256_castsi256_ps(low), _mm256_castsi256_ps(high))
        }
    }

    #[inline(always)]
    fn first_or(self, count: usize, fill: Self) -> Self {
        let count = i32::try_from(count.min(16)).unwrap_or(16);
        // SAFETY: `self` proves AVX2.
        unsafe {
            let places = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
            let low = _mm256_cmpgt_epi32(_mm256_set1_epi32(count), places);
            let high = _mm256_cmpgt_epi32(_mm256_set1_epi32(count - 8), places);
            let (low, high) = (_mm256_castsi256_ps(low), _mm256_castsi256_ps(high));
            Self(_mm256_blendv_ps(fill.0, self.0, low), _mm256_blendv_ps(fill.1, self.1, high))
        }
    }

    #[inline(always)]
    fn sum(self) -> f32 {
        // SAFETY: `self` proves AVX2.
        unsafe {
            let eight = _mm256_add_ps(self.0, self.1);
            let four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps::<1>(eight));
            let two = _mm_add_ps(four, _mm_movehl_ps(four, four));
            _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps::<1>(two, two)))
        }
    }

    #[inline(always)]
    fn largest(self) -> f32 {
        // SAFETY: `self` proves AVX2.
        unsafe {
            let eight = _mm256_max_ps(self.0, self.1);
            let four = _mm_max_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps::<1>(eight));
            let two = _mm_max_ps(four, _mm_movehl_ps(four, four));
            _mm_cvtss_f32(_mm_max_ss(two, _mm_shuffle_ps::<1>(two, two)))
        }
    }
}

entries!(Avx2, "avx2,fma,f16c", 6, 1);
