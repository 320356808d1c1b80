//! What happened to a file that only grows: which of its lines are new, and which old ones were changed or are gone.

use std::collections::HashMap;

/// What tells one object of a file from another.
pub type Print = [u8; 16];

/// What a comparison found. Lines are numbers in the lists that were compared.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Diff {
    /// New ones, in the new list.
    pub added: Vec<usize>,
    /// Those that stand where an old one is gone: its place in the new list and in the old one.
    pub changed: Vec<(usize, usize)>,
    /// Old ones that are gone.
    pub deleted: Vec<usize>,
    /// Old ones that stand elsewhere now, in the new list.
    pub moved: Vec<usize>,
}

/// Compares what a file had with what it has. Between two old lines that are still there, new ones that are as many as are
/// gone are taken for changes; more than that were added, as a merge of two branches does.
pub fn diff(old: &[Print], new: &[Print]) -> Diff {
    let mut places: HashMap<Print, Vec<usize>> = HashMap::new();
    old.iter().enumerate().rev().for_each(|(at, print)| places.entry(*print).or_default().push(at));
    // The old place of each new line, the earliest first among equal ones.
    let from: Vec<Option<usize>> = new.iter().map(|print| places.get_mut(print).and_then(Vec::pop)).collect();
    let mut gone = vec![true; old.len()];
    from.iter().flatten().for_each(|at| gone[*at] = false);
    let mut diff = Diff::default();
    let mut waiting: Vec<usize> = Vec::new();
    let mut reached = 0;
    for (at, from) in from.iter().enumerate() {
        match from {
            Some(old) if *old < reached => diff.moved.push(at),
            Some(old) => {
                close(&mut waiting, &mut diff, (reached..*old).filter(|at| gone[*at]));
                reached = old + 1;
            }
            None => waiting.push(at),
        }
    }
    close(&mut waiting, &mut diff, (reached..old.len()).filter(|at| gone[*at]));
    diff.added.sort_unstable();
    diff
}

/// Sets what is new between two old lines against what is gone there.
fn close(waiting: &mut Vec<usize>, diff: &mut Diff, gone: impl Iterator<Item = usize>) {
    let mut new = waiting.drain(..);
    for old in gone {
        match new.next() {
            Some(at) => diff.changed.push((at, old)),
            None => diff.deleted.push(old),
        }
    }
    diff.added.extend(new);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prints(text: &str) -> Vec<Print> {
        text.bytes().map(|byte| [byte; 16]).collect()
    }

    fn of(old: &str, new: &str) -> Diff {
        diff(&prints(old), &prints(new))
    }

    #[test]
    fn appended_changed_deleted_moved_and_merged_lines_are_told_apart() {
        assert_eq!(of("abc", "abcde"), Diff { added: vec![3, 4], ..Diff::default() });
        assert_eq!(of("abc", "axc"), Diff { changed: vec![(1, 1)], ..Diff::default() });
        assert_eq!(of("abc", "ac"), Diff { deleted: vec![1], ..Diff::default() });
        assert_eq!(of("abc", "axyc"), Diff { changed: vec![(1, 1)], added: vec![2], ..Diff::default() });
        assert_eq!(of("abc", "axbc"), Diff { added: vec![1], ..Diff::default() }, "a merge puts lines between");
        assert_eq!(of("abc", "bca"), Diff { moved: vec![2], ..Diff::default() });
        assert_eq!(of("aab", "aaab"), Diff { added: vec![2], ..Diff::default() });
        assert_eq!(of("abc", "abx"), Diff { changed: vec![(2, 2)], ..Diff::default() }, "the last line, too");
        assert_eq!(of("", "ab"), Diff { added: vec![0, 1], ..Diff::default() });
        assert_eq!(of("ab", ""), Diff { deleted: vec![0, 1], ..Diff::default() });
    }
}
