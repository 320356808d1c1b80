//! Rows of a query as a table for people, or as comma-separated values for other programs.

use std::io::{self, Write};

use idetic_ops::{Datum, Rows};

use super::plain;

/// The widest a column is shown.
const WIDEST_CHARS: usize = 60;

/// Rows under their columns, numbers to the right. What is too long for its column is cut.
pub fn table(out: &mut dyn Write, rows: &Rows, title: impl Fn(&str) -> String) -> io::Result<()> {
    if rows.rows.is_empty() {
        return writeln!(out, "nothing was found");
    }
    let titles: Vec<String> = rows.columns.iter().map(|name| short(name)).collect();
    let mut widths: Vec<usize> = titles.iter().map(|name| name.chars().count()).collect();
    for row in &rows.rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(short(&text(cell)).chars().count());
        }
    }
    let line = |cells: Vec<(String, bool)>| {
        let laid: Vec<String> = cells
            .into_iter()
            .zip(&widths)
            .map(|((cell, right), &width)| if right { format!("{cell:>width$}") } else { format!("{cell:<width$}") })
            .collect();
        laid.join("  ").trim_end().to_owned()
    };
    writeln!(out, "{}", title(&line(titles.iter().map(|name| (name.clone(), false)).collect())))?;
    for row in &rows.rows {
        let is_number = |cell: &Datum| matches!(cell, Datum::Int(_) | Datum::Real(_));
        writeln!(out, "{}", line(row.iter().map(|cell| (short(&text(cell)), is_number(cell))).collect()))?;
    }
    Ok(())
}

/// Rows as RFC 4180 has them. A terminal is not sent control characters; a file gets every byte.
pub fn csv(out: &mut dyn Write, rows: &Rows, terminal: bool) -> io::Result<()> {
    let mut line = |cells: &mut dyn Iterator<Item = String>| {
        let quoted: Vec<String> = cells.map(|cell| quote(if terminal { plain(&cell) } else { cell })).collect();
        write!(out, "{}\r\n", quoted.join(","))
    };
    line(&mut rows.columns.iter().cloned())?;
    rows.rows.iter().try_for_each(|row| line(&mut row.iter().map(text)))
}

fn quote(cell: String) -> String {
    if cell.contains([',', '"', '\n', '\r']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell }
}

fn text(cell: &Datum) -> String {
    match cell {
        Datum::Null => String::new(),
        Datum::Int(number) => number.to_string(),
        Datum::Real(number) => number.to_string(),
        Datum::Text(text) => text.clone(),
    }
}

fn short(text: &str) -> String {
    // No more of a long text than is shown.
    let mut line = plain(&text.chars().take(WIDEST_CHARS + 1).collect::<String>());
    if line.chars().count() > WIDEST_CHARS {
        line = line.chars().take(WIDEST_CHARS - 1).collect::<String>() + "…";
    }
    line
}
