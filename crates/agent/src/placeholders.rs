//! Texts with places such as `{{question}}`: read once, so that what is put in is never expanded again.

use idetic_core::{Invalid, invalid};

/// A part of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Text that stays as it is.
    Text(String),
    /// The name of what is put in here, with `-` written as `_`.
    Place(String),
}

/// Reads a template. `{{` opens a place wherever it stands; a single brace is text.
pub fn read(text: &str) -> Result<Vec<Piece>, Invalid> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(open) = rest.find("{{") {
        if open > 0 {
            pieces.push(Piece::Text(rest[..open].to_owned()));
        }
        let after = &rest[open + 2..];
        let close = after.find("}}").ok_or_else(|| {
            Invalid::new(format!("'{}' opens a placeholder that is not closed", invalid::excerpt(&rest[open..])))
                .hint("write {{name}}")
        })?;
        pieces.push(Piece::Place(name(&after[..close])?));
        rest = &after[close + 2..];
    }
    if !rest.is_empty() {
        pieces.push(Piece::Text(rest.to_owned()));
    }
    Ok(pieces)
}

fn name(text: &str) -> Result<String, Invalid> {
    let name = text.trim();
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if name.is_empty() || !name.chars().all(plain) {
        return Err(Invalid::new(format!("'{{{{{}}}}}' is not the name of a placeholder", invalid::excerpt(text)))
            .hint("a name has letters, digits, - and _: {{name}}"));
    }
    Ok(name.replace('-', "_"))
}

/// The names of the places, in order.
pub fn names(pieces: &[Piece]) -> impl Iterator<Item = &str> {
    pieces.iter().filter_map(|piece| match piece {
        Piece::Place(name) => Some(name.as_str()),
        Piece::Text(_) => None,
    })
}

/// The text with every place filled.
pub fn fill(pieces: &[Piece], mut value: impl FnMut(&str) -> String) -> String {
    let parts = pieces.iter().map(|piece| match piece {
        Piece::Text(text) => text.clone(),
        Piece::Place(name) => value(name),
    });
    parts.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_in_is_not_expanded() {
        let pieces = read("a {b} {{ one-place }}{{two}}}").expect("it is well formed");
        assert_eq!(names(&pieces).collect::<Vec<_>>(), ["one_place", "two"]);
        assert_eq!(fill(&pieces, |name| format!("{{{{{name}}}}}")), "a {b} {{one_place}}{{two}}}");
    }

    #[test]
    fn places_that_are_none_are_refused() {
        for bad in ["{{", "a {{b", "{{}}", "{{a b}}", "{{{a}}}", "{{a\n}b}}"] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }
}
