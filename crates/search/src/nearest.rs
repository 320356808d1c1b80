//! The documents nearest to a question: quick scans of codes leave a few candidates, which are then compared exactly.

use super::lanes::Lanes;
use super::segment::NONE;
use super::vectors::{
    DistanceKernel, DotKernel, EXCLUDED_DISTANCE, EXCLUDED_SCORE, Part, QueryVector, best, better_first, closest,
};

/// Up to so many documents all are compared exactly.
pub const EXACT_UP_TO: usize = 2_000;
/// Up to so many documents all are scanned by signed bytes, more by single bits.
pub const BYTES_UP_TO: usize = 20_000;
/// How many documents tell what is usual where not all are looked at.
const SAMPLE: usize = 2_048;

/// Which processor instructions the scans use.
pub fn instructions() -> String {
    let (bytes, bits) = (DotKernel::best().name, DistanceKernel::best().name);
    if bytes == bits { bytes.to_owned() } else { format!("{bytes} and {bits}") }
}

/// How many candidates are compared exactly. Signed bytes order real vectors almost as the vectors do: for 200 questions
/// to 100 000 sentences the ten nearest were always among the twelve nearest by bytes.
fn compared_exactly(count: usize) -> usize {
    count.saturating_mul(2).max(32)
}

/// How many candidates are compared by their signed bytes, if not all are. For 600 questions to 100 000 sentences 2 000
/// candidates by single bits held 0.999 of the ten nearest.
fn compared_by_bytes(count: usize, documents: usize) -> usize {
    compared_exactly(count).max(2_000).max(documents / 200)
}

/// Says of a place whether it may be found.
pub type DocPredicate<'a> = &'a dyn Fn(usize) -> bool;

/// The nearest documents that may be found, the nearest first, of equally near ones the newer. A function of the vectors
/// alone, however they are stored.
pub fn nearest(lanes: &Lanes<'_>, vector: &[f32], count: usize, may: Option<DocPredicate<'_>>) -> Vec<(usize, f32)> {
    if count == 0 || lanes.dimensions() != Some(vector.len()) {
        return Vec::new();
    }
    let question = QueryVector::new(vector);
    let documents = lanes.live_count();
    let places = if documents <= BYTES_UP_TO {
        let mut scores = approximate_cosines(lanes, &question);
        exclude(&mut scores, EXCLUDED_SCORE, may);
        best(&scores, compared_exactly(count))
    } else {
        let mut distances = distances(lanes, &question);
        exclude(&mut distances, EXCLUDED_DISTANCE, may);
        let places = closest(&distances, question.bits().len() * 64, compared_by_bytes(count, documents));
        let score = |place: &usize| lanes.approximate_cosine(*place, &question).unwrap_or(EXCLUDED_SCORE);
        let scores: Vec<f32> = places.iter().map(score).collect();
        best(&scores, compared_exactly(count)).into_iter().map(|at| places[at]).collect()
    };
    let cosine = |place: usize| lanes.cosine(place, vector).map(|cosine| (place, cosine));
    let mut found: Vec<(usize, f32)> = places.into_iter().filter_map(cosine).collect();
    found.sort_unstable_by(|a, b| better_first((a.1, a.0), (b.1, b.0)));
    found.truncate(count);
    found
}

/// The approximate cosine of every place; of one that ceased to count or has no vectors, one that is below all.
pub fn approximate_cosines(lanes: &Lanes<'_>, question: &QueryVector<'_>) -> Vec<f32> {
    let scan = |part: &Part<'_>, out: &mut [f32]| part.approximate_cosines(question, out);
    by_place(lanes, question, EXCLUDED_SCORE, scan, |own, best| own > best)
}

/// The Hamming distance of every place; of one that ceased to count or has no vectors, one that is above all.
fn distances(lanes: &Lanes<'_>, question: &QueryVector<'_>) -> Vec<u16> {
    let kernel = DistanceKernel::best();
    let scan = |part: &Part<'_>, out: &mut [u16]| kernel.run(question.bits(), part.bits(), out);
    by_place(lanes, question, EXCLUDED_DISTANCE, scan, |own, best| own < best)
}

/// What a scan says of every place: the best of its passages.
fn by_place<T: Copy + Default>(
    lanes: &Lanes<'_>,
    question: &QueryVector<'_>,
    excluded: T,
    scan: impl Fn(&Part<'_>, &mut [T]),
    is_better: impl Fn(T, T) -> bool,
) -> Vec<T> {
    let mut all = vec![excluded; lanes.len()];
    let mut of_passages = Vec::new();
    for block in lanes.codes.iter().filter(|block| block.codes.dimensions == question.vector().len()) {
        let visible = block.codes.vectors.first(block.codes.passages_of(block.places.len()));
        if let Some(first) = block.run {
            scan(&visible, &mut all[first..first + visible.passages()]);
            continue;
        }
        of_passages.resize(visible.passages(), T::default());
        scan(&visible, &mut of_passages);
        for (document, &place) in block.places.iter().enumerate().filter(|(_, place)| **place != NONE) {
            let best = &mut all[place as usize];
            for &own in &of_passages[block.codes.passages(document)] {
                *best = if is_better(own, *best) { own } else { *best };
            }
        }
    }
    if lanes.live_count() < lanes.len() {
        exclude(&mut all, excluded, Some(&|place| lanes.is_live(place)));
    }
    all
}

/// Exact cosines of some documents from all over, by which one can tell what is usual.
pub fn sample(lanes: &Lanes<'_>, vector: &[f32]) -> Vec<f32> {
    let step = (lanes.len() / SAMPLE).max(1);
    let live = (0..lanes.len()).step_by(step).filter(|place| lanes.is_live(*place));
    live.filter_map(|place| lanes.cosine(place, vector)).collect()
}

/// Marks what may not be found.
fn exclude<T: Copy>(marks: &mut [T], excluded: T, may: Option<DocPredicate<'_>>) {
    let Some(may) = may else { return };
    marks.iter_mut().enumerate().filter(|(place, _)| !may(*place)).for_each(|(_, mark)| *mark = excluded);
}
