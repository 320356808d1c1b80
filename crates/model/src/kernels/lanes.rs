//! Sixteen numbers at once: what a processor must offer for the forward pass.

#![expect(unsafe_code, reason = "loads and stores go through pointers; the bounds are checked in table.rs")]

/// How many numbers a vector holds, on every processor.
pub const LANES: usize = 16;

/// Sixteen f32 as one value. Every operation gives the same bits on every processor: each lane is rounded once and by
/// itself, and sums over lanes are taken in one fixed order. A text's vector is therefore the same everywhere.
///
/// # Safety
/// An implementor's values may only come from its unsafe constructors, so that a value proves that the processor has
/// the instructions the other operations use.
pub unsafe trait Lanes: Copy {
    /// The same number in every lane.
    ///
    /// # Safety
    /// The processor has the implementor's instructions, as for every constructor below.
    unsafe fn splat(x: f32) -> Self;

    /// Reads sixteen numbers.
    ///
    /// # Safety
    /// `from` may be read for sixteen numbers; it need not be aligned.
    unsafe fn load(from: *const f32) -> Self;

    /// Reads sixteen half-precision numbers, exactly.
    ///
    /// # Safety
    /// `from` may be read for sixteen numbers of two bytes, in the machine's byte order; it need not be aligned.
    unsafe fn load_f16(from: *const u16) -> Self;

    /// Writes sixteen numbers.
    ///
    /// # Safety
    /// `to` may be written for sixteen numbers; it need not be aligned.
    unsafe fn store(self, to: *mut f32);

    /// `self * by + plus`, rounded once.
    fn times_plus(self, by: Self, plus: Self) -> Self;

    /// Sum of each lane.
    fn add(self, other: Self) -> Self;

    /// Difference of each lane.
    fn subtract(self, other: Self) -> Self;

    /// Product of each lane.
    fn times(self, other: Self) -> Self;

    /// The larger of each lane; no lane is NaN.
    fn larger(self, other: Self) -> Self;

    /// The smaller of each lane; no lane is NaN.
    fn smaller(self, other: Self) -> Self;

    /// Two to the whole number that the lowest bits of each lane's pattern hold.
    fn power_of_low_bits(self) -> Self;

    /// The first `count` lanes as they are, `fill` in the others.
    fn first_or(self, count: usize, fill: Self) -> Self;

    /// Lane 0 with 8, 1 with 9 and so on, then 0 with 4, 0 with 2, 0 with 1.
    fn sum(self) -> f32;

    /// The largest lane.
    fn largest(self) -> f32;
}
