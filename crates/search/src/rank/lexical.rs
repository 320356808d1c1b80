//! The words' part: how much of what the question's words could reach a document reaches, with the words that its
//! neighbours in the conversation supply.

use std::collections::HashSet;

use super::super::lanes::Lanes;
use super::super::nearest::BYTES_UP_TO;
use super::super::words::tokens;
use super::Weights;

/// How fast repeats of a word stop adding (BM25's k1): turns are short, a second mention says little.
const SATURATION: f64 = 0.9;

/// In a large lane a word that occurs in every so-manieth document says nothing about its neighbours.
const COMMON: usize = 128;

/// What the words say about every place.
#[derive(Debug, Default)]
pub struct Lexical {
    /// By place; empty if no word matched.
    cells: Vec<Cell>,
    /// The places with a sum, each once.
    reached: Vec<u32>,
    /// The largest sum possible.
    reachable: f64,
}

/// What a place has reached. Half as wide as other numbers of the ranking, because every question clears all of them.
#[derive(Debug, Default, Clone, Copy)]
struct Cell {
    /// The weighted sum of the words so far.
    sum: f32,
    /// The most that a document offered it of the present word.
    best: f32,
}

impl Lexical {
    /// Searches the words of a text.
    pub fn of(lanes: &Lanes<'_>, text: &str, weights: &Weights) -> Self {
        let mut found = Self::default();
        let lengths = Lengths::of(lanes);
        let mut touched = Vec::new();
        // Where nothing has neighbours, each place gets each word from itself alone.
        let alone = lanes.conversation_count() == 0 || weights.neighbour_words == 0.0;
        let mut seen = HashSet::new();
        for token in tokens(text) {
            // Looked up once: a question may say a word a hundred thousand times.
            if seen.contains(&token) {
                continue;
            }
            let postings = lanes.postings(&token);
            seen.insert(token);
            if postings.is_empty() {
                continue;
            }
            if found.cells.is_empty() {
                found.cells = vec![Cell::default(); lanes.len()];
            }
            let weight = rarity(lanes.live_count(), postings.len()).powf(weights.rarity);
            found.reachable += weight;
            let weight = weight as f32;
            let reach = |place: u32, count: u32| {
                let count = count as f32;
                count / (count + lengths.norm(lanes.lengths[place as usize]))
            };
            let common = lanes.live_count() > BYTES_UP_TO && postings.len() > lanes.live_count() / COMMON;
            if alone || common {
                postings.iter().for_each(|&(place, count)| found.reach(place, weight * reach(place, count)));
                continue;
            }
            touched.clear();
            for (place, count) in postings {
                let reach = reach(place, count);
                spread(lanes, place as usize, reach, weights.neighbour_words as f32, &mut found.cells, &mut touched);
            }
            for &place in &touched {
                let best = std::mem::take(&mut found.cells[place as usize].best);
                found.reach(place, weight * best);
            }
        }
        found
    }

    /// Whether any word matched.
    pub fn matched(&self) -> bool {
        self.reachable > 0.0
    }

    /// The part of a place, from 0 to 1.
    pub fn part(&self, place: usize) -> f64 {
        self.cells.get(place).map_or(0.0, |cell| f64::from(cell.sum) / self.reachable)
    }

    /// Every place that a word reached, with its sum.
    pub fn reached(&self) -> impl Iterator<Item = (f64, u32)> {
        self.reached.iter().map(|&place| (f64::from(self.cells[place as usize].sum), place))
    }

    /// Adds to the sum of a place.
    fn reach(&mut self, place: u32, amount: f32) {
        let sum = &mut self.cells[place as usize].sum;
        if *sum == 0.0 {
            self.reached.push(place);
        }
        *sum += amount;
    }
}

/// Lets a word in a document count for it and, less, for its neighbours; each place keeps the best it gets, so that a
/// neighbour supplies a missing word but never counts one twice.
fn spread(lanes: &Lanes<'_>, place: usize, reach: f32, share: f32, cells: &mut [Cell], touched: &mut Vec<u32>) {
    let all_live = lanes.live_count() == lanes.len();
    let mut offer = |place: usize, value: f32| {
        if !all_live && !lanes.is_live(place) {
            return;
        }
        let best = &mut cells[place].best;
        if *best == 0.0 {
            touched.push(place as u32);
        }
        *best = best.max(value);
    };
    offer(place, reach);
    let (near, far) = (share * reach, share * share * reach);
    if let Some(before) = lanes.before(place) {
        offer(before, near);
        lanes.before(before).into_iter().for_each(|place| offer(place, far));
    }
    if let Some(after) = lanes.after(place) {
        offer(after, near);
        lanes.after(after).into_iter().for_each(|place| offer(place, far));
    }
}

/// How rare a word is that occurs in so many of the documents: BM25's idf.
fn rarity(documents: usize, frequency: usize) -> f64 {
    let (documents, frequency) = (documents as f64, frequency as f64);
    (1.0 + (documents - frequency + 0.5) / (frequency + 0.5)).ln()
}

/// How lengths count. The wilder they are in what is visible, the more they are evened out.
struct Lengths {
    /// The constant share of the norm.
    base: f32,
    /// What a token adds to it.
    per_token: f32,
}

impl Lengths {
    fn of(lanes: &Lanes<'_>) -> Self {
        let (sum, squares) = lanes.length_sums();
        if sum == 0 {
            return Self { base: SATURATION as f32, per_token: 0.0 };
        }
        // The squared coefficient of variation from whole numbers: exact, in whatever order documents came.
        let (count, sum, squares) = (lanes.live_count() as u128, u128::from(sum), u128::from(squares));
        let variation = (count * squares - sum * sum) as f64 / (sum * sum) as f64;
        let evening = variation / (1.0 + variation);
        let (base, per_token) = (SATURATION * (1.0 - evening), SATURATION * evening * count as f64 / sum as f64);
        Self { base: base as f32, per_token: per_token as f32 }
    }

    fn norm(&self, length: u32) -> f32 {
        self.base + self.per_token * length as f32
    }
}
