//! What changes between two texts, line by line, as people read it.

/// Unchanged lines that are shown around a change.
const AROUND: usize = 3;
/// Most pairs of lines that are compared to find what stayed; beyond that the whole middle counts as changed.
const PAIRS_MAX: usize = 4_000_000;

/// The changed lines with some around them; empty where nothing changed.
pub fn lines(before: &str, after: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let edits = edits(&old, &new);
    let is_near = |at: usize| {
        let (from, to) = (at.saturating_sub(AROUND), (at + AROUND + 1).min(edits.len()));
        edits[from..to].iter().any(|(mark, _)| *mark != ' ')
    };
    let mut out = String::new();
    let mut is_gap = false;
    for (at, (mark, line)) in edits.iter().enumerate() {
        if is_near(at) {
            out += &format!("{}{mark} {line}\n", if is_gap && !out.is_empty() { "…\n" } else { "" });
        }
        is_gap = !is_near(at);
    }
    out
}

/// Every line of both: kept, taken away or added.
fn edits<'t>(old: &[&'t str], new: &[&'t str]) -> Vec<(char, &'t str)> {
    let same = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let most = old.len().min(new.len()) - same;
    let same_end = old.iter().rev().zip(new.iter().rev()).take(most).take_while(|(a, b)| a == b).count();
    let (old_middle, new_middle) = (&old[same..old.len() - same_end], &new[same..new.len() - same_end]);
    let mut edits: Vec<(char, &str)> = old[..same].iter().map(|line| (' ', *line)).collect();
    edits.extend(middle(old_middle, new_middle));
    edits.extend(old[old.len() - same_end..].iter().map(|line| (' ', *line)));
    edits
}

/// The longest common part of the lines between stays.
fn middle<'t>(old: &[&'t str], new: &[&'t str]) -> Vec<(char, &'t str)> {
    let width = new.len() + 1;
    if old.len().saturating_mul(width) > PAIRS_MAX {
        let gone = old.iter().map(|line| ('-', *line));
        return gone.chain(new.iter().map(|line| ('+', *line))).collect();
    }
    let mut longest = vec![0_usize; (old.len() + 1) * width];
    for (row, a) in old.iter().enumerate().rev() {
        for (column, b) in new.iter().enumerate().rev() {
            let at = row * width + column;
            longest[at] = if a == b { longest[at + width + 1] + 1 } else { longest[at + width].max(longest[at + 1]) };
        }
    }
    let (mut row, mut column, mut edits) = (0, 0, Vec::new());
    while row < old.len() || column < new.len() {
        let at = row * width + column;
        if row < old.len() && column < new.len() && old[row] == new[column] {
            edits.push((' ', old[row]));
            (row, column) = (row + 1, column + 1);
        } else if column < new.len() && (row == old.len() || longest[at + 1] >= longest[at + width]) {
            edits.push(('+', new[column]));
            column += 1;
        } else {
            edits.push(('-', old[row]));
            row += 1;
        }
    }
    edits
}
