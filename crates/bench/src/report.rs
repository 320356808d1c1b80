//! What a run found: tables, and which targets were met.

use std::fmt::Write;

/// Everything one run found.
#[derive(Default)]
pub struct Report {
    /// The tables, in order.
    pub tables: Vec<Table>,
    /// The targets, in order.
    pub targets: Vec<Target>,
}

/// One subject in figures.
pub struct Table {
    /// What it is about.
    pub heading: String,
    /// How it was measured, and what to know about it.
    pub notes: Vec<String>,
    /// The heads of the columns.
    pub columns: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<String>>,
}

/// Something that was promised.
pub struct Target {
    /// What.
    pub what: String,
    /// What was promised of it.
    pub wanted: String,
    /// What was measured.
    pub measured: String,
    /// Whether it holds.
    pub met: bool,
}

impl Table {
    /// A table without rows.
    pub fn new(heading: &str, columns: &[&str]) -> Self {
        let columns = columns.iter().map(|c| (*c).to_owned()).collect();
        Self { heading: heading.to_owned(), notes: Vec::new(), columns, rows: Vec::new() }
    }

    /// A table with one column for each size.
    pub fn by_size(heading: &str, first: &str, sizes: &[u64]) -> Self {
        let mut table = Self::new(heading, &[first]);
        table.columns.extend(sizes.iter().map(|size| format!("{} events", grouped(*size))));
        table
    }

    /// Adds a sentence below the heading.
    pub fn note(&mut self, text: impl Into<String>) {
        self.notes.push(text.into());
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }
}

impl Report {
    /// Something that was promised to be at most so much.
    pub fn at_most(&mut self, what: impl Into<String>, limit: f64, measured: f64, unit: &str) {
        let say = |number: f64| format!("{}{unit}", figure(number));
        let target = Target {
            what: what.into(),
            wanted: format!("at most {}", say(limit)),
            measured: say(measured),
            met: measured <= limit,
        };
        self.targets.push(target);
    }

    /// Something that was promised to be at least so much.
    pub fn at_least(&mut self, what: impl Into<String>, limit: f64, measured: f64, unit: &str) {
        let say = |number: f64| format!("{}{unit}", figure(number));
        let target = Target {
            what: what.into(),
            wanted: format!("at least {}", say(limit)),
            measured: say(measured),
            met: measured >= limit,
        };
        self.targets.push(target);
    }

    /// The whole report as Markdown, the targets first.
    pub fn markdown(&self) -> String {
        let mut text = String::new();
        let missed: Vec<&Target> = self.targets.iter().filter(|t| !t.met).collect();
        if !self.targets.is_empty() {
            let mut table = Table::new("Targets", &["what", "target", "measured", ""]);
            for t in &self.targets {
                let verdict = if t.met { "met" } else { "**missed**" };
                table.row([t.what.clone(), t.wanted.clone(), t.measured.clone(), verdict.to_owned()]);
            }
            for t in &missed {
                table.note(format!("**Missed:** {}: {} measured, {} wanted.", t.what, t.measured, t.wanted));
            }
            if missed.is_empty() {
                table.note("Every target is met.");
            }
            push_table(&mut text, &table);
        }
        self.tables.iter().for_each(|table| push_table(&mut text, table));
        text
    }
}

fn push_table(text: &mut String, table: &Table) {
    let _ = write!(text, "\n### {}\n\n", table.heading);
    for note in &table.notes {
        let _ = writeln!(text, "- {note}");
    }
    if !table.notes.is_empty() {
        text.push('\n');
    }
    let mut push_row = |cells: &[String]| {
        let _ = writeln!(text, "| {} |", cells.join(" | "));
    };
    push_row(&table.columns);
    let rules: Vec<String> =
        (0..table.columns.len()).map(|at| if at == 0 { "---" } else { "---:" }.to_owned()).collect();
    push_row(&rules);
    table.rows.iter().for_each(|row| push_row(row));
}

/// The middle of some figures; the lower one of two.
pub fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len().saturating_sub(1) / 2).copied().unwrap_or(f64::NAN)
}

/// A figure with three digits that mean something.
pub fn figure(number: f64) -> String {
    match number.abs() {
        n if n >= 100.0 => grouped(number.round().max(0.0) as u64),
        n if n >= 10.0 => format!("{number:.1}"),
        n if n == n.trunc() => format!("{number:.0}"),
        n if n >= 1.0 => format!("{number:.2}"),
        _ => format!("{number:.3}"),
    }
}

/// A whole number with its thousands apart.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_short_and_thousands_apart() {
        let said: Vec<_> = [1234567.0, 123.4, 45.67, 2.0, 0.1261].map(figure).into();
        assert_eq!(said, ["1 234 567", "123", "45.7", "2", "0.126"]);
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
    }

    #[test]
    fn a_missed_target_is_said_in_a_sentence() {
        let mut report = Report::default();
        report.at_most("one thing", 2.5, 3.0, " ×");
        report.at_most("another", 2.0, 2.0, " ×");
        let text = report.markdown();
        assert!(text.contains("- **Missed:** one thing: 3 × measured, at most 2.50 × wanted."), "{text}");
        assert!(text.contains("| another | at most 2 × | 2 × | met |"), "{text}");
    }
}
