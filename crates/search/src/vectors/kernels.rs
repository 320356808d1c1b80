//! One query against many rows of codes, with the widest instructions of this machine, chosen once at run time.

#![expect(unsafe_code, reason = "calls of functions that need certain instructions")]

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;

#[cfg(test)]
mod tests;

use std::sync::LazyLock;

use super::quantise::MAX_DIMS;

/// A way to compute the dot products of one query with many rows of signed bytes; all ways give the same numbers.
#[derive(Clone, Copy, Debug)]
pub struct DotKernel {
    /// The instructions it uses.
    pub name: &'static str,
    /// Only ever the function of a processor that was asked for its instructions.
    run: unsafe fn(query: &[i8], rows: &[i8], out: &mut [i32]),
}

impl DotKernel {
    /// The fastest that this machine can run.
    pub fn best() -> Self {
        static BEST: LazyLock<DotKernel> = LazyLock::new(|| DotKernel::all().remove(0));
        *BEST
    }

    /// All that this machine can run, fastest first; the last is the portable one.
    pub fn all() -> Vec<Self> {
        let mut kernels = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512vnni")
            {
                kernels.push(Self { name: "AVX-512 VNNI", run: avx512::dots });
            }
            if is_x86_feature_detected!("avx2") {
                kernels.push(Self { name: "AVX2", run: avx2::dots });
            }
        }
        #[cfg(target_arch = "aarch64")]
        kernels.push(Self { name: "NEON", run: neon::dots });
        kernels.push(Self { name: "portable", run: portable::dots });
        kernels
    }

    /// Writes the dot product of the query with each row; rows lie one after another, each as long as the query.
    pub fn run(self, query: &[i8], rows: &[i8], out: &mut [i32]) {
        assert!(query.len() <= MAX_DIMS, "more dimensions than a sum can hold");
        assert_eq!(rows.len(), query.len() * out.len(), "one row of codes for each result");
        if query.is_empty() {
            return out.fill(0);
        }
        // SAFETY: `all` asked the processor for the instructions before it named the function.
        unsafe { (self.run)(query, rows, out) }
    }
}

/// A way to compute the Hamming distances of one query to many rows of bits; all ways give the same numbers.
#[derive(Clone, Copy, Debug)]
pub struct DistanceKernel {
    /// The instructions it uses.
    pub name: &'static str,
    /// Only ever the function of a processor that was asked for its instructions.
    run: unsafe fn(query: &[u64], rows: &[u64], out: &mut [u16]),
}

impl DistanceKernel {
    /// The fastest that this machine can run.
    pub fn best() -> Self {
        static BEST: LazyLock<DistanceKernel> = LazyLock::new(|| DistanceKernel::all().remove(0));
        *BEST
    }

    /// All that this machine can run, fastest first; the last is the portable one.
    pub fn all() -> Vec<Self> {
        let mut kernels = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vpopcntdq") {
                kernels.push(Self { name: "AVX-512 VPOPCNTDQ", run: avx512::distances });
            }
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("popcnt") {
                kernels.push(Self { name: "AVX2", run: avx2::distances });
            }
        }
        #[cfg(target_arch = "aarch64")]
        kernels.push(Self { name: "NEON", run: neon::distances });
        kernels.push(Self { name: "portable", run: portable::distances });
        kernels
    }

    /// Writes the number of bits in which the query differs from each row; rows lie one after another, each as long as
    /// the query.
    pub fn run(self, query: &[u64], rows: &[u64], out: &mut [u16]) {
        assert!(query.len() <= MAX_DIMS / 64, "more dimensions than a distance can count");
        assert_eq!(rows.len(), query.len() * out.len(), "one row of bits for each result");
        if query.is_empty() {
            return out.fill(0);
        }
        // SAFETY: `all` asked the processor for the instructions before it named the function.
        unsafe { (self.run)(query, rows, out) }
    }
}
