//! A small linear model: texts weighed by their words with weights that were learned from labelled ones.

use std::cmp::Ordering;

/// Weights as a table: a feature and its weight for each class, with tabs between, in order of the features.
pub struct Linear(pub &'static str);

impl Linear {
    /// How likely each class is; what is left is that it is none of them.
    pub fn likely<const CLASSES: usize>(&self, features: &[String]) -> [f64; CLASSES] {
        let mut sums = [0.0; CLASSES];
        for weights in features.iter().filter_map(|feature| self.weights(feature)) {
            sums.iter_mut().zip(numbers(weights)).for_each(|(sum, weight)| *sum += weight);
        }
        let odds = sums.map(f64::exp);
        let whole = 1.0 + odds.iter().sum::<f64>();
        odds.map(|odds| odds / whole)
    }

    /// The weights of a feature, looked up where they lie: nothing is read before it is needed.
    fn weights(&self, feature: &str) -> Option<&'static str> {
        let table = self.0;
        let (mut low, mut high) = (0, table.len());
        while low < high {
            let before = &table.as_bytes()[..low + (high - low) / 2];
            let begin = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1).max(low);
            let end = table[begin..].find('\n').map_or(table.len(), |at| begin + at);
            let (name, weights) = table[begin..end].split_once('\t')?;
            match name.cmp(feature) {
                Ordering::Less => low = end + 1,
                Ordering::Greater => high = begin,
                Ordering::Equal => return Some(weights),
            }
        }
        None
    }
}

fn numbers(weights: &str) -> impl Iterator<Item = f64> + '_ {
    weights.split('\t').map(|number| number.parse().unwrap_or(0.0))
}

/// Words as they are, and names and numbers by their shape as well: any library may be chosen, any variable be set.
pub fn of_words(marks: &[Mark]) -> Vec<String> {
    let mut features: Vec<String> = marks.iter().map(|mark| format!("1 {}", mark.word)).collect();
    let plain: Vec<&str> = marks.iter().map(|mark| mark.word.as_str()).collect();
    let shaped: Vec<&str> = marks.iter().map(|mark| mark.shape.unwrap_or(&mark.word)).collect();
    for words in [plain, shaped] {
        let around: Vec<&str> = std::iter::once("<").chain(words.iter().copied()).chain(std::iter::once(">")).collect();
        features.extend(around.windows(2).map(|pair| format!("2 {}", pair.join(" "))));
        features.extend(around.windows(3).map(|three| format!("3 {}", three.join(" "))));
        features.extend(words.get(..2).map(|two| format!("begins {}", two.join(" "))));
    }
    features
}

/// A word or a mark of punctuation.
pub struct Mark {
    /// In lower case.
    pub word: String,
    /// What stands for it where it is a name or a number.
    shape: Option<&'static str>,
}

/// The shape of a word as it is written; a capital letter says nothing at the beginning of a sentence.
fn shape(written: &str, is_first: bool) -> Option<&'static str> {
    let has = |is: fn(char) -> bool| written.chars().any(is);
    let (capital, small) = (has(char::is_uppercase), has(char::is_lowercase));
    match written {
        _ if written.chars().all(|c| c.is_ascii_digit()) => Some("NUMBER"),
        _ if written.contains('_') || has(|c| c.is_ascii_digit()) => Some("CODE"),
        _ if capital && !small && written.len() > 1 => Some("CODE"),
        _ if capital && !is_first && written.len() > 1 => Some("NAME"),
        _ => None,
    }
}

/// The words and marks of a sentence; apostrophes belong to their words.
pub fn marks(sentence: &str) -> Vec<Mark> {
    let mut written: Vec<String> = Vec::new();
    let mut is_open = false;
    for c in sentence.chars().map(|c| if c == '’' { '\'' } else { c }) {
        let is_part = c.is_alphanumeric() || matches!(c, '_' | '\'');
        match (is_part, is_open, written.last_mut()) {
            (true, true, Some(word)) => word.push(c),
            (true, ..) => written.push(c.to_string()),
            (false, ..) if !c.is_whitespace() && !c.is_control() => written.push(c.to_string()),
            _ => {}
        }
        is_open = is_part;
    }
    let mark = |(at, written): (usize, String)| Mark { word: written.to_lowercase(), shape: shape(&written, at == 0) };
    written.into_iter().enumerate().map(mark).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_weight_is_found_by_its_feature() {
        let tables = [include_str!("../data/directives/weights.tsv"), include_str!("../data/private/weights.tsv")];
        for (table, classes) in tables.into_iter().zip([3, 1]) {
            let (mut last, model) = ("", Linear(table));
            for line in table.lines() {
                let (feature, weights) = line.split_once('\t').expect(line);
                assert!(last < feature, "in order: {line}");
                last = feature;
                assert!(weights.split('\t').all(|number| number.parse::<f64>().is_ok()), "{line}");
                assert_eq!((model.weights(feature), weights.split('\t').count()), (Some(weights), classes));
            }
            assert_eq!(model.weights("no such feature"), None);
        }
    }
}
