//! Every line of the files that say what the rules know.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use idetic_extract::statements;

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            files(&path, found);
        } else {
            found.push(path);
        }
    }
}

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("data")
}

fn lines(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).expect("text");
    assert!(text.ends_with('\n'), "{}: the last line ends", path.display());
    text.lines().map(str::to_owned).collect()
}

#[test]
fn a_list_has_one_entry_a_line_and_none_twice() {
    let mut found = Vec::new();
    files(&data(), &mut found);
    let lists: Vec<PathBuf> = found.into_iter().filter(|path| path.extension().is_some_and(|e| e == "txt")).collect();
    assert!(lists.len() > 90, "{} lists", lists.len());
    for path in lists {
        let mut known = BTreeSet::new();
        for (number, line) in (1..).zip(lines(&path)) {
            let place = format!("{}:{number}: {line:?}", path.display());
            assert!(!line.is_empty() && line.trim() == line && !line.contains('|'), "{place}");
            assert!(known.insert(line), "{place} stands there twice");
        }
    }
}

#[test]
fn a_row_names_what_there_is_and_stands_there_once() {
    let rows = |name: &str| -> Vec<String> {
        lines(&data().join(name)).into_iter().filter(|line| !line.starts_with('#')).collect()
    };
    let nouns = rows("nouns.tsv");
    assert_eq!(nouns.iter().collect::<BTreeSet<_>>().len(), nouns.len());
    let patterns = rows("patterns.tsv");
    assert_eq!(patterns.iter().collect::<BTreeSet<_>>().len(), patterns.len());
    for row in patterns {
        let columns: Vec<&str> = row.split('\t').collect();
        assert!(matches!(columns.len(), 5 | 6), "{row}");
        let is_name = |c: char| c.is_ascii_lowercase() || c == '_';
        assert!(columns[1].chars().all(is_name), "the attribute of {row}");
        assert_eq!(columns[0].to_lowercase(), columns[0], "the phrase of {row}");
    }
    // Both tables are read whole with the first sentence; a kind or a form that there is not stops that.
    assert_eq!(statements("I live in Brno.", Some("Ann")).len(), 1);
    assert_eq!(statements("My birthday is 3 May.", Some("Ann")).len(), 1);
}
