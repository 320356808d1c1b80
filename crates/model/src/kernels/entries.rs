//! The functions of one processor, written out from its lanes.

/// Writes the entries of a processor: its lanes, the instructions they use, and the tile that fits its registers.
macro_rules! entries {
    (Portable, $name:literal, $rows:literal, $vectors:literal) => {
        entries!(@ [] Portable, $name, $rows, $vectors);
    };
    ($lanes:ident, $features:literal, $rows:literal, $vectors:literal) => {
        entries!(@ [#[target_feature(enable = $features)]] $lanes, $features, $rows, $vectors);
    };
    (@ [$(#[$feature:meta])?] $lanes:ident, $name:literal, $rows:literal, $vectors:literal) => {
        /// Callable where the processor has these instructions and the sizes have been checked.
        pub static TABLE: $crate::kernels::jobs::Table =
            $crate::kernels::jobs::Table { name: $name, dense, attention, norm, embed, pool };

        $(#[$feature])?
        unsafe fn dense(job: &mut $crate::kernels::Dense<'_>) {
            // SAFETY: the caller vouches for the instructions and the sizes.
            unsafe { $crate::kernels::work::dense::<$lanes, $rows, $vectors>(job) }
        }

        $(#[$feature])?
        unsafe fn attention(job: &mut $crate::kernels::Attention<'_>) {
            // SAFETY: the caller vouches for the instructions and the sizes.
            unsafe { $crate::kernels::work::attention::<$lanes, $rows, $vectors>(job) }
        }

        $(#[$feature])?
        unsafe fn norm(job: &mut $crate::kernels::Norm<'_>) {
            // SAFETY: the caller vouches for the instructions and the sizes.
            unsafe { $crate::kernels::work::norm::<$lanes>(job) }
        }

        $(#[$feature])?
        unsafe fn embed(job: &mut $crate::kernels::Embed<'_>) {
            // SAFETY: the caller vouches for the instructions and the sizes.
            unsafe { $crate::kernels::work::embed::<$lanes>(job) }
        }

        $(#[$feature])?
        unsafe fn pool(job: &mut $crate::kernels::Pool<'_>) {
            // SAFETY: the caller vouches for the instructions and the sizes.
            unsafe { $crate::kernels::work::pool::<$lanes>(job) }
        }
    };
}
pub(super) use entries;
