//! Tests that the files are complete, small, and ask for nothing from elsewhere.

use std::collections::BTreeSet;
use std::io::Write as _;

use super::*;

/// What all files together may weigh, compressed.
const BYTES_MAX: usize = 400 * 1024;

fn text(path: &str) -> &'static str {
    let found = file(path).unwrap_or_else(|| panic!("there is no {path}"));
    std::str::from_utf8(found.bytes).expect("a text")
}

/// What stands between each `before` and the next quotation mark.
fn quoted<'a>(text: &'a str, before: &str) -> Vec<&'a str> {
    text.split(before).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

#[test]
fn every_file_in_the_folder_is_served() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
    let entries = std::fs::read_dir(folder).expect("the folder of the assets");
    let there: BTreeSet<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    assert_eq!(there, paths().map(str::to_owned).collect());
}

#[test]
fn whatever_is_referred_to_exists() {
    let mut referred = quoted(text("index.html"), "\"/page/");
    for path in paths().filter(|path| path.ends_with(".js")) {
        referred.extend(quoted(text(path), "from \"./"));
        referred.extend(quoted(text(path), "new Worker(\"/page/"));
    }
    assert!(referred.len() > 20, "{referred:?}");
    for path in referred {
        assert!(file(path).is_some(), "{path} is referred to and not there");
    }
}

#[test]
fn nothing_is_loaded_from_elsewhere() {
    // Names of the SVG vocabulary are no addresses, and a pattern that recognises links is none either.
    let allowed = ["http://www.w3.org/2000/svg"];
    for path in paths() {
        let rest = allowed.iter().fold(text(path).to_owned(), |rest, it| rest.replace(it, ""));
        assert!(!rest.contains("http://") && !rest.contains("https://"), "{path} names an address");
    }
}

#[test]
fn stored_text_is_never_parsed_as_html() {
    let ways = [
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "DOMParser",
        "eval(",
        "new Function",
        "srcdoc",
    ];
    for path in paths().filter(|path| path.ends_with(".js")) {
        for way in ways {
            assert!(!text(path).contains(way), "{path} uses {way}");
        }
    }
    let page = text("index.html");
    assert!(!page.contains("style=") && !page.contains("<style"), "the policy allows no inline styles");
    assert!(
        page.matches("<script").count() == 1 && page.contains("\"></script>"),
        "the policy allows no inline scripts"
    );
}

#[test]
fn every_file_says_what_it_is() {
    for path in paths() {
        let comment = text(path)
            .lines()
            .take(2)
            .any(|line| line.starts_with("//") || line.contains("/*") || line.contains("<!-- "));
        assert!(comment, "{path} does not begin with a line on what it is");
        assert!(text(path).lines().count() <= 600, "{path} is too long");
    }
}

#[test]
fn all_files_together_are_small() {
    let packed = |bytes: &[u8]| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(bytes).expect("written to memory");
        encoder.finish().expect("finished in memory").len()
    };
    let sum: usize = paths().filter_map(file).map(|it| packed(it.bytes)).sum();
    assert!(sum <= BYTES_MAX, "{sum} bytes compressed");
}

#[test]
fn a_hash_names_the_bytes() {
    let page = file("index.html").expect("the page");
    assert_eq!(page.hash, blake3::hash(page.bytes).to_hex().as_str());
    assert!(file("../Cargo.toml").is_none() && file("").is_none());
}
