//! Vectors as small codes: scanned quickly in whole numbers, compared exactly where it counts.
//!
//! Each vector is kept three times, each time as one run of rows without gaps, in the order of the passages:
//!
//! | what      | of each vector of `d` dimensions         | from        | used to                               |
//! |-----------|------------------------------------------|-------------|---------------------------------------|
//! | `bits`    | `d / 64` words, rounded up, of sign bits | `sign_bits` | find candidates among many            |
//! | `codes`   | `d` signed bytes, and one scale          | `quantise`  | find candidates among few; fast lanes |
//! | `vectors` | `d` numbers                              |             | compare the candidates exactly        |
//!
//! The codes of a vector depend on that vector alone. All scores are the same to the last bit on every machine: the
//! scans count in whole numbers, and `product` adds in a fixed order.

mod kernels;
mod product;
mod quantise;
mod scan;
mod select;

pub use kernels::{DistanceKernel, DotKernel};
pub use quantise::{quantise, sign_bits};
pub use scan::{Part, QueryVector};
pub use select::{EXCLUDED_DISTANCE, EXCLUDED_SCORE, best, better_first, closest};
