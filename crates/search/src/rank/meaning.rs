//! The vectors' part: how far a document's best passage stands out from all the reader may see.

use super::super::lanes::Lanes;
use super::super::nearest::{BYTES_UP_TO, DocPredicate, EXACT_UP_TO, approximate_cosines, nearest, sample};
use super::super::vectors::{QueryVector, best};

/// How many of the highest are compared exactly where the others are not.
const EXACT_OF_NEARLY: usize = 256;
/// Below this deviation all cosines are the same, and say nothing.
const LEAST_DEVIATION: f64 = 1e-9;

/// How close documents are to a question, and what is usual among them.
#[derive(Debug)]
pub struct Meaning<'a> {
    lanes: &'a Lanes<'a>,
    vector: &'a [f32],
    /// What the neighbours in the conversation add of their own standing.
    share: f64,
    /// The cosine of every place, not a number where there is none; empty where they are computed when asked for.
    cosines: Vec<f32>,
    mean: f64,
    /// One over the standard deviation; 0 if there is none.
    scale: f64,
}

impl<'a> Meaning<'a> {
    /// Compares a vector with all documents, or in a large lane with enough of them to know what is usual.
    pub fn of(lanes: &'a Lanes<'a>, vector: &'a [f32], share: f64) -> Self {
        let documents = lanes.live_count();
        let cosines = match () {
            () if documents <= EXACT_UP_TO => exact(lanes, vector),
            () if documents <= BYTES_UP_TO => nearly(lanes, vector),
            () => Vec::new(),
        };
        let usual = if cosines.is_empty() { &sample(lanes, vector) } else { &cosines };
        let count = sum(usual, |_| 1.0).max(1.0);
        let mean = sum(usual, |cosine| cosine) / count;
        let deviation = (sum(usual, |cosine| (cosine - mean) * (cosine - mean)) / count).sqrt();
        let scale = if deviation > LEAST_DEVIATION { 1.0 / deviation } else { 0.0 };
        Self { lanes, vector, share, cosines, mean, scale }
    }

    /// The part of a place: its own standing and a share of its neighbours'.
    pub fn part(&self, place: usize) -> f64 {
        let neighbour = |place: Option<usize>| place.map_or(0.0, |place| self.standing(place));
        let (before, after) = (self.lanes.before(place), self.lanes.after(place));
        self.standing(place) + self.share * (neighbour(before) + neighbour(after))
    }

    /// The best cosine of a place, if it has vectors.
    pub fn cosine(&self, place: usize) -> Option<f64> {
        let cosine = match self.cosines.get(place) {
            Some(cosine) => Some(*cosine).filter(|cosine| cosine.is_finite()),
            None => self.lanes.cosine(place, self.vector).filter(|_| self.lanes.is_live(place)),
        };
        cosine.map(f64::from)
    }

    /// The nearest places among those that may be chosen.
    pub fn nearest(&self, count: usize, may: Option<DocPredicate<'_>>) -> impl Iterator<Item = u32> {
        nearest(self.lanes, self.vector, count, may).into_iter().map(|(place, _)| place as u32)
    }

    /// How many standard deviations a place is above the mean; 0 without a vector.
    fn standing(&self, place: usize) -> f64 {
        self.cosine(place).map_or(0.0, |cosine| (cosine - self.mean) * self.scale)
    }
}

/// Every cosine exactly.
fn exact(lanes: &Lanes<'_>, vector: &[f32]) -> Vec<f32> {
    let cosine = |place| lanes.cosine(place, vector).filter(|_| lanes.is_live(place)).unwrap_or(f32::NAN);
    (0..lanes.len()).map(cosine).collect()
}

/// The highest cosines exactly, the others nearly.
fn nearly(lanes: &Lanes<'_>, vector: &[f32]) -> Vec<f32> {
    let mut cosines = approximate_cosines(lanes, &QueryVector::new(vector));
    for place in best(&cosines, EXACT_OF_NEARLY) {
        cosines[place] = lanes.cosine(place, vector).unwrap_or(f32::NAN);
    }
    cosines
}

/// How many running sums a sum is split into, by place: wide registers add them at once, and the result is the same on
/// every machine and however the documents are stored.
const SUMS: usize = 8;

/// The sum of a value over the places that have a cosine.
fn sum(cosines: &[f32], value: impl Fn(f64) -> f64) -> f64 {
    let value = |cosine: f32| if cosine.is_finite() { value(f64::from(cosine)) } else { 0.0 };
    let mut sums = [0.0; SUMS];
    let blocks = cosines.chunks_exact(SUMS);
    let rest: f64 = blocks.remainder().iter().map(|&cosine| value(cosine)).sum();
    for block in blocks {
        for (sum, &cosine) in sums.iter_mut().zip(block) {
            *sum += value(cosine);
        }
    }
    sums.iter().sum::<f64>() + rest
}
