//! How far a long piece of work is.

/// Hears how far a long piece of work is: done, of how many.
pub type Progress<'a> = &'a mut dyn FnMut(u64, u64);
