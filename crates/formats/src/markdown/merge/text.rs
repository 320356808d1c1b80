//! Text that is no event, merged by lines.

use std::ops::Range;

use super::Conflict;

/// The one change that turns a base into another text: which of its lines are replaced, and by what.
struct Change<'t> {
    lines: Range<usize>,
    by: &'t [&'t str],
}

fn change<'t>(base: &[&str], other: &'t [&'t str]) -> Change<'t> {
    let start = base.iter().zip(other).take_while(|(a, b)| a == b).count();
    let most = base.len().min(other.len()) - start;
    let same = base.iter().rev().zip(other.iter().rev()).take(most).take_while(|(a, b)| a == b).count();
    Change { lines: start..base.len() - same, by: &other[start..other.len() - same] }
}

/// What one side changed is taken; what both changed in different places is taken from both; what both changed in one
/// place stands behind each other and is told.
pub(super) fn three_way(base: &str, ours: &str, theirs: &str, conflicts: &mut Vec<Conflict>) -> String {
    if ours == theirs || theirs == base {
        return ours.to_owned();
    }
    if ours == base {
        return theirs.to_owned();
    }
    let lines = |text| str::split_inclusive(text, '\n').collect::<Vec<&str>>();
    let (base, ours, theirs) = (lines(base), lines(ours), lines(theirs));
    let (one, other) = (change(&base, &ours), change(&base, &theirs));
    let (from, to) = (one.lines.start.min(other.lines.start), one.lines.end.max(other.lines.end));
    let is_apart = one.lines.start != other.lines.start
        && (one.lines.end <= other.lines.start || other.lines.end <= one.lines.start);
    let version = |change: &Change| -> String {
        let before = &base[from..change.lines.start];
        let behind = &base[change.lines.end..to];
        [before, change.by, behind].concat().concat()
    };
    let middle = if is_apart {
        let (first, second) = if one.lines.start < other.lines.start { (&one, &other) } else { (&other, &one) };
        [first.by, &base[first.lines.end..second.lines.start], second.by].concat().concat()
    } else {
        let (ours, theirs) = (version(&one), version(&other));
        let glue = if ours.is_empty() || ours.ends_with('\n') || theirs.is_empty() { "" } else { "\n" };
        let both = format!("{ours}{glue}{theirs}");
        conflicts.push(Conflict::Text { ours, theirs });
        both
    };
    let glue = if middle.is_empty() || middle.ends_with('\n') || to == base.len() { "" } else { "\n" };
    format!("{}{middle}{glue}{}", base[..from].concat(), base[to..].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merged(base: &str, ours: &str, theirs: &str) -> (String, usize) {
        let mut conflicts = Vec::new();
        let text = three_way(base, ours, theirs, &mut conflicts);
        (text, conflicts.len())
    }

    #[test]
    fn changes_of_one_side_and_changes_apart_are_taken() {
        assert_eq!(merged("a\nb\n", "a\nb\n", "a\nc\n"), ("a\nc\n".to_owned(), 0));
        assert_eq!(merged("a\nb\nc\n", "x\na\nb\nc\n", "a\nb\nd\n"), ("x\na\nb\nd\n".to_owned(), 0));
        assert_eq!(merged("a\nb\nc\n", "a\nb\n", "c\n"), ("".to_owned(), 0));
        assert_eq!(merged("a\n", "b\n", "b\n"), ("b\n".to_owned(), 0));
    }

    #[test]
    fn changes_of_one_place_stand_behind_each_other() {
        assert_eq!(merged("a\nz\n", "a\nb\nz\n", "a\nc\nz\n"), ("a\nb\nc\nz\n".to_owned(), 1));
        assert_eq!(merged("a", "b", "c"), ("b\nc".to_owned(), 1));
    }
}
