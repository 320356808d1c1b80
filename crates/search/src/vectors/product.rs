//! The inner product of two vectors, the same to the last bit on every machine.

/// How many sums run side by side.
const SUMS: usize = 16;

/// The inner product; for unit vectors it is the cosine.
///
/// Component `i` is multiplied, rounded, and added to sum `i % 16`; the sixteen sums are then added in halves. The
/// order is written out, so a compiler may use wide registers but cannot change a bit of the result.
pub fn product(a: &[f32], b: &[f32]) -> f32 {
    assert_eq!(a.len(), b.len(), "vectors of different dimensions");
    let mut sums = [0.0_f32; SUMS];
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<SUMS>(), b.as_chunks::<SUMS>());
    for (a, b) in a.iter().zip(b) {
        for i in 0..SUMS {
            sums[i] += a[i] * b[i];
        }
    }
    for ((sum, a), b) in sums.iter_mut().zip(a_rest).zip(b_rest) {
        *sum += a * b;
    }
    for half in [8, 4, 2, 1] {
        for i in 0..half {
            sums[i] += sums[i + half];
        }
    }
    sums[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_additions_is_the_documented_one() {
        let numbers = |step: f32| (0..401).map(|i| (i as f32 * step).sin()).collect::<Vec<f32>>();
        let (a, b) = (numbers(0.7), numbers(1.3));
        for dims in 0..a.len() {
            let mut sums = [0.0_f32; 16];
            for i in 0..dims {
                sums[i % 16] += a[i] * b[i];
            }
            let eight: Vec<f32> = (0..8).map(|i| sums[i] + sums[i + 8]).collect();
            let four: Vec<f32> = (0..4).map(|i| eight[i] + eight[i + 4]).collect();
            let expected = (four[0] + four[2]) + (four[1] + four[3]);
            assert_eq!(product(&a[..dims], &b[..dims]).to_bits(), expected.to_bits(), "{dims} dimensions");
        }
    }
}
