//! docs/benchmarks.md: each bench owns the section between its two marks and leaves the others as they are.

use std::fs;
use std::path::Path;

/// The document, below the root of the repository.
pub const PATH: &str = "docs/benchmarks.md";

const HEAD: &str = "# Benchmarks\n\nWritten by `cargo xtask bench` and `cargo xtask eval`: each section by the one named in its marks, \
    figures and sentences alike. Ratios are of processor time, user and system together, inside one run, \
    and hold on other machines too; times are those of the machine named.\n";

/// Puts a section in place of the old one, or at the end.
pub fn write_section(root: &Path, bench: &str, section: &str) -> Result<(), String> {
    let path = root.join(PATH);
    let old = fs::read_to_string(&path).unwrap_or_else(|_| HEAD.to_owned());
    fs::write(&path, with_section(&old, bench, section)?).map_err(|e| format!("{PATH}: {e}"))
}

fn with_section(document: &str, bench: &str, section: &str) -> Result<String, String> {
    let (begin, end) = (format!("<!-- bench {bench}: begin -->"), format!("<!-- bench {bench}: end -->"));
    let new = format!("{begin}\n{}\n{end}", section.trim());
    match (document.find(&begin), document.find(&end)) {
        (Some(from), Some(to)) if from < to => Ok(format!("{}{new}{}", &document[..from], &document[to + end.len()..])),
        (None, None) => Ok(format!("{}\n\n{new}\n", document.trim_end())),
        _ => Err(format!("{PATH} has one mark of '{bench}' without the other: repair it by hand")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_replaces_itself_and_nothing_else() {
        let one = with_section(HEAD, "log", "first").expect("written");
        let two = with_section(&one, "recall", "other").expect("written");
        let three = with_section(&two, "log", "second").expect("written");
        assert!(three.starts_with("# Benchmarks") && three.contains("other") && three.contains("second"));
        assert!(!three.contains("first"));
        assert_eq!(with_section(&three, "log", "second").as_deref(), Ok(three.as_str()));
        assert!(with_section("<!-- bench log: begin -->", "log", "x").is_err());
    }
}
