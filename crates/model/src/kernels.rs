//! The arithmetic of the forward pass, once, for every kind of processor.

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

pub use table::{Attention, Dense, Embed, Kernels, Norm, Pool};
pub use work::WIDTH;
