//! One table `[a.b]` of a TOML text, put in and taken out while the rest keeps its bytes.
//!
//! The text is read with a real parser; only what is added or taken away is done by hand, because printing a parsed
//! document would change line endings.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::Fault;

/// A table under another, with texts and lists of texts in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// The name of the table it is under, and its own.
    pub path: [&'static str; 2],
    /// The program.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
}

impl Table {
    /// The text with the table: what is there is corrected, what is missing is added.
    pub fn put_in(&self, text: &str) -> Result<String, Fault> {
        let line_end = line_end(text);
        let mut changed = text.to_owned();
        if self.read(text)?.is_none() {
            if !changed.is_empty() && !changed.ends_with('\n') {
                changed += line_end;
            }
            if !changed.trim_start_matches('\u{feff}').is_empty() {
                changed += line_end;
            }
            changed += &self.written(line_end);
        } else {
            if !headers(text).iter().any(|header| header.names == self.path) {
                return Err(self.no_table(text));
            }
            for (key, value) in self.values() {
                changed = self.correct(&changed, key, &value)?;
            }
        }
        match self.read(&changed) {
            Ok(Some(_)) => Ok(changed),
            // An inline table takes no more from outside its braces.
            _ => Err(Fault::at(text, 0, format!("'{}' is written so that nothing can be added to it", self.path[0]))),
        }
    }

    /// The command and its arguments that a text has there.
    pub fn read(&self, text: &str) -> Result<Option<(String, Vec<String>)>, Fault> {
        let document = parse(text)?;
        let Some(table) = self.find(document.get_ref()) else { return Ok(None) };
        let command = table.get("command").and_then(|value| value.get_ref().as_str()).unwrap_or_default().to_owned();
        let args = table.get("args").and_then(|value| value.get_ref().as_array());
        let args = args.into_iter().flat_map(|args| args.iter());
        Ok(Some((command, args.filter_map(|arg| arg.get_ref().as_str()).map(str::to_owned).collect())))
    }

    fn values(&self) -> [(&'static str, String); 2] {
        [("command", literal(&self.command)), ("args", list(&self.args))]
    }

    /// The table as it is put into a text that has none.
    fn written(&self, line_end: &str) -> String {
        let [parent, name] = self.path;
        let lines = self.values().map(|(key, value)| format!("{key} = {value}{line_end}"));
        format!("[{parent}.{name}]{line_end}{}", lines.concat())
    }

    /// Whether a text has the table as it is put in, and none under it.
    pub fn is_as_written(&self, text: &str) -> bool {
        let own: String = self.own(text).into_iter().map(|lines| &text[lines]).collect();
        own.trim_end() == self.written(line_end(text)).trim_end()
    }

    fn no_table(&self, text: &str) -> Fault {
        let name = self.path.join(".");
        let what = format!("'{name}' is not written as a table of its own: write it under [{name}], or remove it");
        Fault::at(text, 0, what)
    }

    /// The text without the table and those under it; what the text from before had there is put back.
    pub fn take_out(&self, text: &str, before: Option<&str>) -> Result<String, Fault> {
        let mut changed = text.to_owned();
        let original: String =
            before.map(|before| self.own(before).into_iter().map(|lines| &before[lines]).collect()).unwrap_or_default();
        if let (false, Some(first)) = (original.is_empty(), self.own(text).first()) {
            for lines in self.own(text).into_iter().rev() {
                changed.replace_range(lines, "");
            }
            changed.insert_str(first.start, &original);
            return Ok(changed);
        }
        while let Some(lines) = self.lines(&changed) {
            changed.replace_range(lines, "");
        }
        if self.read(&changed)?.is_some() {
            return Err(self.no_table(text));
        }
        Ok(changed)
    }

    fn find<'t, 's>(&self, document: &'t DeTable<'s>) -> Option<&'t DeTable<'s>> {
        let [parent, name] = self.path;
        document.get(parent)?.get_ref().as_table()?.get(name)?.get_ref().as_table()
    }

    fn correct(&self, text: &str, key: &str, value: &str) -> Result<String, Fault> {
        let document = parse(text)?;
        let table = self.find(document.get_ref());
        let Some(old) = table.and_then(|table| table.get(key)) else {
            let Some(header) = headers(text).into_iter().find(|header| header.names == self.path) else {
                return Ok(text.to_owned());
            };
            let at = text[header.start..].find('\n').map_or(text.len(), |end| header.start + end + 1);
            let missing = if text[..at].ends_with('\n') { "" } else { line_end(text) };
            return Ok(format!("{}{missing}{key} = {value}{}{}", &text[..at], line_end(text), &text[at..]));
        };
        let is_same = match (key, old.get_ref()) {
            ("command", DeValue::String(is)) => *is == self.command,
            ("args", DeValue::Array(are)) => {
                are.iter().map(|arg| arg.get_ref().as_str()).eq(self.args.iter().map(|arg| Some(arg.as_str())))
            }
            _ => false,
        };
        let span = old.span();
        Ok(if is_same { text.to_owned() } else { [&text[..span.start], value, &text[span.end..]].concat() })
    }

    /// The lines of the table and of those under it. Comments and blank lines behind the last value are not theirs.
    fn own(&self, text: &str) -> Vec<Range<usize>> {
        let headers = headers(text);
        let ends = headers.iter().skip(1).map(|next| next.start).chain([text.len()]);
        let is_own = |header: &Header| header.names.starts_with(&self.path.map(str::to_owned));
        let own = headers.iter().zip(ends).filter(|(header, _)| is_own(header));
        own.map(|(header, end)| header.start..header.start + own_lines(&text[header.start..end])).collect()
    }

    /// The lines of the first of them, with the blank line before it if nothing but another table follows.
    fn lines(&self, text: &str) -> Option<Range<usize>> {
        let own = self.own(text).into_iter().next()?;
        let line_end = line_end(text);
        let before = &text[..own.start];
        let is_blank_before =
            before.strip_suffix(line_end).is_some_and(|above| above.is_empty() || above.ends_with('\n'));
        let is_end = own.end == text.len() || headers(text).iter().any(|header| header.start == own.end);
        Some(if is_blank_before && is_end { own.start - line_end.len()..own.end } else { own })
    }
}

/// How much of the lines of a table is not blank or comment at its end.
fn own_lines(text: &str) -> usize {
    let mut end = text.len();
    for line in text.split_inclusive('\n').rev() {
        let is_own = !line.trim().is_empty() && !line.trim_start().starts_with('#');
        if is_own {
            break;
        }
        end -= line.len();
    }
    end
}

fn parse(text: &str) -> Result<Spanned<DeTable<'_>>, Fault> {
    DeTable::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        Fault::at(text, at, error.message().lines().next().unwrap_or("this is not TOML"))
    })
}

/// A line `[a.b]`.
struct Header {
    start: usize,
    names: Vec<String>,
}

/// The lines that begin a table; what looks like one inside a text of several lines is none.
fn headers(text: &str) -> Vec<Header> {
    let mut found = Vec::new();
    let (mut at, mut inside) = (0, None);
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim_start_matches('\u{feff}').trim_start();
        if inside.is_none() && trimmed.starts_with('[') {
            found.extend(names(trimmed).map(|names| Header { start: at, names }));
        }
        inside = still_inside(line, inside);
        at += line.len();
    }
    found
}

/// The names of a header, read by the parser itself.
fn names(line: &str) -> Option<Vec<String>> {
    let header = DeTable::parse(line.trim_end()).ok()?;
    let mut names = Vec::new();
    let mut table = header.get_ref();
    while let Some((name, inner)) = table.iter().next() {
        names.push(name.get_ref().to_string());
        let inner = match inner.get_ref() {
            DeValue::Array(items) => items.iter().next().map(Spanned::get_ref),
            inner => Some(inner),
        };
        match inner {
            Some(DeValue::Table(inner)) => table = inner,
            _ => break,
        }
    }
    Some(names)
}

/// Whether the end of a line is inside a text of several lines, and by which quotes.
fn still_inside(line: &str, mut inside: Option<&'static [u8]>) -> Option<&'static [u8]> {
    let mut rest = line.as_bytes();
    while let Some(first) = rest.first() {
        let long: &[u8] = if *first == b'"' { b"\"\"\"" } else { b"'''" };
        let step = match inside {
            Some(quotes) if rest.starts_with(quotes) => {
                inside = None;
                quotes.len()
            }
            Some(b"\"\"\"") if *first == b'\\' => 2,
            Some(_) => 1,
            None if *first == b'#' => break,
            None if rest.starts_with(long) => {
                inside = Some(long);
                long.len()
            }
            None if matches!(first, b'"' | b'\'') => length_in_line(rest),
            None => 1,
        };
        rest = rest.get(step..).unwrap_or_default();
    }
    inside
}

/// How long a text in one line is, with its quotes.
fn length_in_line(text: &[u8]) -> usize {
    let mut at = 1;
    while let Some(byte) = text.get(at) {
        match byte {
            b'\\' if text[0] == b'"' => at += 2,
            byte if *byte == text[0] => return at + 1,
            _ => at += 1,
        }
    }
    text.len()
}

fn line_end(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

/// A text as TOML writes it.
fn literal(text: &str) -> String {
    let is_plain = |c: char| !c.is_control() && c != '\'';
    // Without escapes a path reads as it is.
    if text.contains('\\') && text.chars().all(is_plain) {
        return format!("'{text}'");
    }
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => out += &format!("\\u{:04X}", u32::from(c)),
            c => out.push(c),
        }
    }
    out + "\""
}

fn list(texts: &[String]) -> String {
    format!("[{}]", texts.iter().map(|text| literal(text)).collect::<Vec<_>>().join(", "))
}
