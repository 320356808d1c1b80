//! Little-endian numbers at a position of a byte slice, which need not be aligned.

/// The `at`-th u16.
pub fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes(array(bytes, at))
}

/// The `at`-th u32.
pub fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(array(bytes, at))
}

/// The `at`-th f32.
pub fn f32_at(bytes: &[u8], at: usize) -> f32 {
    f32::from_le_bytes(array(bytes, at))
}

fn array<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    let mut out = [0; N];
    out.copy_from_slice(&bytes[at * N..at * N + N]);
    out
}
