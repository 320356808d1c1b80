//! The arithmetic of the forward pass, once, for every kind of processor.

mod entries;
mod jobs;
mod lanes;
mod portable;
mod table;
mod work;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;

#[cfg(test)]
mod tests;

pub use jobs::WIDTH;
pub use jobs::{Attention, Dense, Embed, Norm, Pool};
pub use table::Kernels;
