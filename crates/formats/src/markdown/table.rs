//! Rows of Markdown tables: cells with a bar in them, and cells that say nothing.

/// The cells of a row, trimmed, `\|` read as a bar; `None` for a line that is no row.
pub(crate) fn cells(line: &str) -> Option<Vec<String>> {
    let inner = line.trim().strip_prefix('|')?;
    let mut cells = vec![String::new()];
    let mut chars = inner.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' if chars.peek() == Some(&'|') => {
                chars.next();
                if let Some(cell) = cells.last_mut() {
                    cell.push('|');
                }
            }
            '|' => cells.push(String::new()),
            // What no file shows says nothing.
            c if c.is_control() && c != '\t' => {}
            c => {
                if let Some(cell) = cells.last_mut() {
                    cell.push(c);
                }
            }
        }
    }
    let mut cells: Vec<String> = cells.iter().map(|cell| cell.trim().to_owned()).collect();
    // Behind the bar that ends the row there is no cell.
    if cells.len() > 1 && cells.last().is_some_and(String::is_empty) {
        cells.pop();
    }
    Some(cells)
}

/// Whether a row only separates the names of the columns from the rest: `|---|:--|`.
pub(crate) fn is_ruler(cells: &[String]) -> bool {
    let rules = |cell: &String| cell.contains('-') && cell.chars().all(|c| matches!(c, '-' | ':'));
    !cells.is_empty() && cells.iter().all(rules)
}

/// A cell that says something. The word none does: a node may be called that.
pub(crate) fn said(cells: &[String], at: usize) -> Option<&str> {
    cells.get(at).map(String::as_str).filter(|cell| says_something(cell))
}

/// Whether the text of a cell is more than the sign that there is nothing.
pub(crate) fn says_something(cell: &str) -> bool {
    !matches!(cell, "" | "—" | "–" | "-" | "(none)")
}

/// A row, its cells made safe.
pub(crate) fn row<S: AsRef<str>>(cells: &[S]) -> String {
    let mut out = String::from("|");
    for cell in cells {
        let cell = super::write::one_line(cell.as_ref()).replace('|', "\\|");
        out.push_str(if cell.is_empty() { " |" } else { " " });
        if !cell.is_empty() {
            out.push_str(&cell);
            out.push_str(" |");
        }
    }
    out.push('\n');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_in_a_cell_stays_in_it() {
        let line = row(&["a|b", "", "c\nd", "e\\|"]);
        assert_eq!(line, "| a\\|b | | c d | e\\\\| |\n");
        assert_eq!(cells(&line), Some(["a|b", "", "c d", "e\\|"].map(str::to_owned).to_vec()));
        assert_eq!(cells("text"), None);
        assert!(is_ruler(&cells("|---|:--:|").expect("a row")));
        let cells = ["—", "none", "(none)"].map(str::to_owned);
        assert_eq!(
            (said(&cells, 0), said(&cells, 1), said(&cells, 2), said(&cells, 3)),
            (None, Some("none"), None, None)
        );
    }
}
