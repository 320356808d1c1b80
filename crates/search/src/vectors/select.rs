//! Choosing the best of many scores or distances without sorting them all. Of equals the later place is the better.

use std::cmp::Ordering;

/// The distance of a passage that is not to be found; no real distance is as great.
pub const EXCLUDED_DISTANCE: u16 = u16::MAX;
/// The score of a passage that is not to be found.
pub const EXCLUDED_SCORE: f32 = f32::NEG_INFINITY;

/// How many neighbours are looked at as one.
const BLOCK: usize = 16;

/// The places of the `most` smallest distances, in order of place; `greatest` is the greatest distance there can be.
pub fn closest(distances: &[u16], greatest: usize, most: usize) -> Vec<usize> {
    let Some((cut, mut surplus)) = distance_cut(distances, greatest, most) else { return Vec::new() };
    let mut places = Vec::with_capacity(most.min(distances.len()));
    let mut take = |first: usize, distances: &[u16]| {
        for (at, &distance) in distances.iter().enumerate() {
            // The earliest of those at the cut are the surplus.
            if distance == cut && surplus > 0 {
                surplus -= 1;
            } else if distance <= cut {
                places.push(first + at);
            }
        }
    };
    let (blocks, rest) = distances.as_chunks::<BLOCK>();
    for (block, distances) in blocks.iter().enumerate() {
        // Most blocks hold nothing, which one wide comparison without an early end tells.
        if distances.iter().fold(false, |any, &distance| any | (distance <= cut)) {
            take(block * BLOCK, distances);
        }
    }
    take(blocks.len() * BLOCK, rest);
    places
}

/// The greatest distance to take, and how many of the places at this distance are too many; nothing if there are none.
fn distance_cut(distances: &[u16], greatest: usize, most: usize) -> Option<(u16, usize)> {
    if most == 0 {
        return None;
    }
    // Four counts of each distance, because counting the same one twice in a row has to wait for the memory. An
    // excluded one is greater than all and is not counted; wrapping leaves out a check, and no count is that great.
    let mut counts = vec![[0_u32; 4]; greatest + 1];
    let (whole, rest) = distances.as_chunks::<4>();
    let mut count = |lane: usize, distance: u16| {
        if let Some(counts) = counts.get_mut(usize::from(distance)) {
            counts[lane] = counts[lane].wrapping_add(1);
        }
    };
    for &[a, b, c, d] in whole {
        count(0, a);
        count(1, b);
        count(2, c);
        count(3, d);
    }
    for &distance in rest {
        count(0, distance);
    }
    let (mut taken, mut last) = (0, None);
    for (distance, counts) in (0_u16..).zip(&counts) {
        let here: usize = counts.iter().map(|&count| count as usize).sum();
        if here == 0 {
            continue;
        }
        taken += here;
        last = Some((distance, taken.saturating_sub(most)));
        if taken >= most {
            break;
        }
    }
    last
}

/// The places of the `most` greatest scores, in order of place.
pub fn best(scores: &[f32], most: usize) -> Vec<usize> {
    let threshold = score_threshold(scores, most);
    let mut places = Vec::new();
    for (block, scores) in scores.chunks(BLOCK).enumerate() {
        if greatest(scores) < threshold {
            continue;
        }
        for (at, &score) in scores.iter().enumerate() {
            if score >= threshold && score > EXCLUDED_SCORE {
                places.push(block * BLOCK + at);
            }
        }
    }
    let order = |a: &usize, b: &usize| better_first((scores[*a], *a), (scores[*b], *b));
    if most < places.len() {
        places.select_nth_unstable_by(most, order);
        places.truncate(most);
        places.sort_unstable();
    }
    places
}

/// The order of two places with their scores: the greater score first, of equal ones the later place.
pub fn better_first<P: Ord>((score_a, place_a): (f32, P), (score_b, place_b): (f32, P)) -> Ordering {
    score_b.total_cmp(&score_a).then(place_b.cmp(&place_a))
}

/// A score that at least `most` scores reach, if there are so many: the one that `most` blocks reach with their best.
fn score_threshold(scores: &[f32], most: usize) -> f32 {
    let blocks = scores.len().div_ceil(BLOCK);
    if most == 0 || most > blocks {
        return EXCLUDED_SCORE;
    }
    let mut greatest: Vec<f32> = scores.chunks(BLOCK).map(greatest).collect();
    *greatest.select_nth_unstable_by(most - 1, |a, b| b.total_cmp(a)).1
}

/// The greatest of some scores.
fn greatest(scores: &[f32]) -> f32 {
    // Eight at a time, each by a plain comparison: that is what wide registers can do.
    let (whole, rest) = scores.as_chunks::<8>();
    let greater = |a: f32, b: f32| if a > b { a } else { b };
    let mut greatest = [EXCLUDED_SCORE; 8];
    for scores in whole {
        for (greatest, &score) in greatest.iter_mut().zip(scores) {
            *greatest = greater(*greatest, score);
        }
    }
    greatest.iter().chain(rest).fold(EXCLUDED_SCORE, |greatest, &score| greater(greatest, score))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers below `below` that repeat themselves in no simple way.
    fn numbers(len: usize, below: u64) -> Vec<u64> {
        let mut state = len as u64;
        let next = |_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        (0..len).map(next).collect()
    }

    #[test]
    fn the_closest_are_those_of_a_sort() {
        for (len, below) in [(0, 1), (1, 1), (31, 5), (33, 40), (500, 385), (500, 3), (97, 1)] {
            let mut distances: Vec<u16> = numbers(len, below).iter().map(|&x| x as u16).collect();
            for excluded in [false, true] {
                if excluded {
                    distances.iter_mut().step_by(3).for_each(|distance| *distance = EXCLUDED_DISTANCE);
                }
                let mut sorted: Vec<usize> = (0..len).filter(|&at| distances[at] != EXCLUDED_DISTANCE).collect();
                sorted.sort_by_key(|&at| (distances[at], std::cmp::Reverse(at)));
                for most in [0, 1, 2, 10, 31, 100, 498, 499, 500, 501] {
                    let mut expected = sorted[..most.min(sorted.len())].to_vec();
                    expected.sort_unstable();
                    assert_eq!(closest(&distances, 384, most), expected, "{most} of {len} below {below}");
                }
            }
        }
    }

    #[test]
    fn the_best_are_those_of_a_sort() {
        for (len, below) in [(0, 1), (1, 1), (31, 5), (33, 40), (1000, 100_000), (1000, 7), (97, 1)] {
            let mut scores: Vec<f32> = numbers(len, below).iter().map(|&x| x as f32 - 20.0).collect();
            for excluded in [false, true] {
                if excluded {
                    scores.iter_mut().step_by(3).for_each(|score| *score = EXCLUDED_SCORE);
                }
                let mut sorted: Vec<usize> = (0..len).filter(|&at| scores[at] > EXCLUDED_SCORE).collect();
                sorted.sort_by(|&a, &b| better_first((scores[a], a), (scores[b], b)));
                for most in [0, 1, 2, 10, 31, 32, 33, 500, 999, 1000, 1001] {
                    let mut expected = sorted[..most.min(sorted.len())].to_vec();
                    expected.sort_unstable();
                    assert_eq!(best(&scores, most), expected, "{most} of {len} below {below}");
                }
            }
        }
    }
}
