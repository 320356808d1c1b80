//! How far a run is.

/// A line about how far the run is.
pub fn progress(text: &str) {
    eprintln!("bench: {text}");
}
