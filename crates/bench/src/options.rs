//! What a bench is told.

/// How to read the command line.
pub const USAGE: &str = "usage: cargo xtask bench <log|recall|agents|amem|md|services|server|fuzzy-equal> [--quick] [--long] [--date YYYY-MM-DD] \
    [--only SUBJECT]...\n  log          appends, reads and folds against a plain SQLite database\n  \
    recall       search against faiss, bm25s and RapidFuzz, the model against onnxruntime; needs Python\n  \
    fuzzy-equal  100 000 pairs of texts compared as RapidFuzz compares them; needs Python";

/// How many events there are in the space of each size.
const SIZES: [u64; 4] = [1_000, 10_000, 100_000, 1_000_000];

/// One run of the bench.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Stop at a hundred thousand events and repeat less.
    pub quick: bool,
    /// Feed a stream of a whole gigabyte.
    pub long: bool,
    /// The date in the document; else that of the system's clock.
    pub date: Option<String>,
    /// Only these subjects, printed and not written down.
    pub only: Vec<String>,
}

impl Options {
    /// Reads what stands behind the name of the bench.
    pub fn parse(words: &[String]) -> Result<Self, String> {
        let mut words = words.iter();
        let mut options = Self::default();
        while let Some(word) = words.next() {
            let mut value = || words.next().cloned().ok_or_else(|| format!("{word} needs a value: {USAGE}"));
            match word.as_str() {
                "--quick" => options.quick = true,
                "--long" => options.long = true,
                "--date" => options.date = Some(value()?),
                "--only" => options.only.push(value()?),
                other => return Err(format!("'{other}' is not known: {USAGE}")),
            }
        }
        Ok(options)
    }

    /// The sizes of the spaces, the largest last.
    pub fn sizes(&self) -> &'static [u64] {
        if self.quick { &SIZES[..3] } else { &SIZES }
    }

    /// How often two things are measured in turn.
    pub fn rounds(&self) -> usize {
        if self.quick { 3 } else { 5 }
    }

    /// How many bytes are fed to `append -`.
    pub fn stream_bytes(&self) -> u64 {
        match (self.long, self.quick) {
            (true, _) => 1_000_000_000,
            (false, false) => 200_000_000,
            (false, true) => 50_000_000,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Options, String> {
        Options::parse(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn flags_are_read_and_anything_else_is_refused() {
        let options = parse("--quick --date 2025-01-17 --only append --only reads").expect("valid");
        assert_eq!((options.quick, options.long), (true, false));
        assert_eq!(options.date.as_deref(), Some("2025-01-17"));
        assert_eq!(options.only, ["append", "reads"]);
        assert_eq!(options.sizes().last(), Some(&100_000));
        for bad in ["views", "--fast", "--date"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
