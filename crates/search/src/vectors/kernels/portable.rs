//! The kernels in plain Rust: they run everywhere, and the others are tested against them.

/// The dot product of the query with each row of codes.
#[inline(always)]
pub fn dots(query: &[i8], rows: &[i8], out: &mut [i32]) {
    for (row, out) in rows.chunks_exact(query.len()).zip(out) {
        // Wrapping, because a check for overflow at every step would keep the loop out of wide registers.
        *out = query.iter().zip(row).fold(0, |sum, (&a, &b)| sum.wrapping_add(i32::from(a) * i32::from(b)));
    }
}

/// The number of bits in which the query differs from each row.
#[inline(always)]
pub fn distances(query: &[u64], rows: &[u64], out: &mut [u16]) {
    for (row, out) in rows.chunks_exact(query.len()).zip(out) {
        *out = query.iter().zip(row).fold(0, |sum: u16, (a, b)| sum.wrapping_add((a ^ b).count_ones() as u16));
    }
}
