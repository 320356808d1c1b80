//! Small codes of one vector: a signed byte or a single bit per component, computed from that vector alone.

/// The most dimensions a vector may have: a Hamming distance and its sixteen-bit sum then never overflow.
pub const MAX_DIMS: usize = 1023 * 64;

/// The greatest code; the least is its negative, so a code never is -128.
const GREATEST: f32 = 127.0;

/// The scale and the signed bytes of a vector: `scale * code` is the component to within half a scale.
///
/// One division, one multiplication and one rounding per component, each exact to the last bit by IEEE 754, make the
/// codes the same on every machine. A component that is not finite counts as zero.
pub fn quantise(vector: &[f32]) -> (f32, Vec<i8>) {
    let largest = vector.iter().map(|x| x.abs()).filter(|x| x.is_finite()).fold(0.0, f32::max);
    if largest == 0.0 {
        return (0.0, vec![0; vector.len()]);
    }
    // Dividing first keeps the smallest numbers from overflowing; the conversion takes what is not a number as zero.
    let code = |&x: &f32| if x.is_finite() { (x / largest * GREATEST).round() as i8 } else { 0 };
    (largest / GREATEST, vector.iter().map(code).collect())
}

/// How many words hold the sign bits of a vector of so many dimensions.
pub fn words(dims: usize) -> usize {
    dims.div_ceil(64)
}

/// One bit per component, set where it is below zero: component `i` is bit `i % 64` of word `i / 64`, counted from the
/// lowest; the bits after the last component are zero.
pub fn sign_bits(vector: &[f32]) -> Vec<u64> {
    let word = |part: &[f32]| part.iter().enumerate().fold(0, |word, (at, &x)| word | u64::from(x < 0.0) << at);
    vector.chunks(64).map(word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_within_half_a_scale() {
        let vector: Vec<f32> = (0..385).map(|i| (i as f32 * 0.37).sin() * 0.1).collect();
        let (scale, codes) = quantise(&vector);
        assert_eq!(codes.len(), vector.len());
        for (x, code) in vector.iter().zip(codes) {
            assert!((x - scale * f32::from(code)).abs() <= scale * 0.5001, "{x} became {code}");
        }
    }

    #[test]
    fn the_largest_component_is_the_greatest_code() {
        assert_eq!(quantise(&[0.5, -0.25, 0.0]), (0.5 / 127.0, vec![127, -64, 0]));
        assert_eq!(quantise(&[-3.0, 3.0]).1, [-127, 127]);
    }

    #[test]
    fn nothing_and_zeros_and_infinities_have_codes() {
        assert_eq!(quantise(&[]), (0.0, vec![]));
        assert_eq!(quantise(&[0.0, -0.0]), (0.0, vec![0, 0]));
        assert_eq!(quantise(&[f32::NAN, f32::INFINITY, 1.0, -1.0]).1, [0, 0, 127, -127]);
        assert_eq!(quantise(&[f32::MIN_POSITIVE / 4.0, 0.0]).1, [127, 0]);
        assert_eq!(quantise(&[f32::MAX, f32::MIN]).1, [127, -127]);
    }

    #[test]
    fn sign_bits_count_from_the_lowest() {
        assert_eq!(sign_bits(&[]), Vec::<u64>::new());
        assert_eq!(sign_bits(&[-1.0, 1.0, -0.0, f32::NAN, -0.1]), [0b10001]);
        let mut vector = vec![1.0; 65];
        vector[64] = -1.0;
        assert_eq!(sign_bits(&vector), [0, 1]);
        assert_eq!(words(65), 2);
    }
}
