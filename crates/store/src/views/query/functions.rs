//! Functions of SQLite that take time beyond any measure for some texts, in versions that do not: those that search are
//! linear, and those that match patterns look at the clock.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Error, Result};

/// The longest text or row that may come up on the way: the longest event fits, and no function takes long for it.
pub const LENGTH_BYTES: usize = 2 << 20;
/// The longest pattern of LIKE and GLOB.
pub const PATTERN_BYTES: usize = 1000;

/// Whether the time is over.
type IsOver = Arc<dyn Fn() -> bool + Send + Sync>;

/// Comparisons of a pattern between two looks at the time: well under a millisecond.
const STEPS_BETWEEN_LOOKS: u32 = 50_000;
/// A text for which the time is looked at beforehand.
const LONG_BYTES: usize = 4 << 10;

/// Puts them in place of SQLite's own.
pub fn define(connection: &Connection, is_over: &IsOver) -> Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    let numbers = Arc::new(Mutex::new(Connection::open_in_memory()?));
    let scalar = |name: &str, arguments: i32, call: fn(&Call) -> Result<Option<Value>>| {
        let (is_over, numbers) = (Arc::clone(is_over), Arc::clone(&numbers));
        connection.create_scalar_function(name, arguments, flags, move |context| {
            call(&Call { context, is_over: &is_over, numbers: &numbers })
        })
    };
    scalar("replace", 3, replace)?;
    scalar("instr", 2, instr)?;
    scalar("trim", 2, |call| trim(call, true, true))?;
    scalar("ltrim", 2, |call| trim(call, true, false))?;
    scalar("rtrim", 2, |call| trim(call, false, true))?;
    scalar("like", 2, |call| matches(call, like_tokens))?;
    scalar("like", 3, |call| matches(call, like_tokens))?;
    scalar("glob", 2, |call| matches(call, glob_tokens))
}

struct Call<'a, 'b> {
    context: &'a Context<'b>,
    is_over: &'a IsOver,
    numbers: &'a Mutex<Connection>,
}

enum Value {
    Text(String),
    Int(i64),
}

impl rusqlite::ToSql for Value {
    fn to_sql(&self) -> Result<rusqlite::types::ToSqlOutput<'_>> {
        match self {
            Self::Text(text) => text.to_sql(),
            Self::Int(number) => number.to_sql(),
        }
    }
}

fn failed(what: &str) -> Error {
    Error::UserFunctionError(what.into())
}

impl Call<'_, '_> {
    /// An argument as a text; nothing where it is none.
    fn text(&self, at: usize) -> Result<Option<String>> {
        let text = match self.context.get_raw(at) {
            ValueRef::Null => return Ok(None),
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => String::from_utf8_lossy(bytes).into_owned(),
            ValueRef::Integer(number) => number.to_string(),
            // Written as SQLite does, whatever that is.
            ValueRef::Real(number) => {
                let numbers = self.numbers.lock().unwrap_or_else(PoisonError::into_inner);
                numbers.query_row("SELECT CAST(?1 AS TEXT)", [number], |row| row.get(0))?
            }
        };
        if text.len() > LONG_BYTES {
            self.look()?;
        }
        Ok(Some(text))
    }

    fn look(&self) -> Result<()> {
        if (self.is_over)() { Err(failed("the time is over")) } else { Ok(()) }
    }
}

fn replace(call: &Call) -> Result<Option<Value>> {
    let (Some(text), Some(old), Some(new)) = (call.text(0)?, call.text(1)?, call.text(2)?) else { return Ok(None) };
    if old.is_empty() {
        return Ok(Some(Value::Text(text)));
    }
    let count = text.matches(&old).count();
    let length = text.len() - count * old.len() + count.saturating_mul(new.len());
    if length > LENGTH_BYTES {
        return Err(failed("string or blob too big"));
    }
    Ok(Some(Value::Text(text.replace(&old, &new))))
}

fn instr(call: &Call) -> Result<Option<Value>> {
    // Bytes are searched as if each were a character.
    let wide = |bytes: &[u8]| bytes.iter().map(|byte| char::from(*byte)).collect::<String>();
    let (text, part) = match (call.context.get_raw(0), call.context.get_raw(1)) {
        (ValueRef::Blob(text), ValueRef::Blob(part)) => (wide(text), wide(part)),
        _ => match (call.text(0)?, call.text(1)?) {
            (Some(text), Some(part)) => (text, part),
            _ => return Ok(None),
        },
    };
    let at = text.find(&part).map_or(0, |at| text[..at].chars().count() + 1);
    Ok(Some(Value::Int(i64::try_from(at).unwrap_or(i64::MAX))))
}

fn trim(call: &Call, left: bool, right: bool) -> Result<Option<Value>> {
    let (Some(text), Some(which)) = (call.text(0)?, call.text(1)?) else { return Ok(None) };
    let which: HashSet<char> = which.chars().collect();
    let is_one = |char: char| which.contains(&char);
    let mut rest = text.as_str();
    if left {
        rest = rest.trim_start_matches(is_one);
    }
    if right {
        rest = rest.trim_end_matches(is_one);
    }
    Ok(Some(Value::Text(rest.to_owned())))
}

/// A part of a pattern.
enum Token {
    /// Any characters, or none.
    Many,
    /// One character.
    One,
    /// This character, in capitals or not.
    Either(char),
    /// This character.
    Exactly(char),
    /// One of these ranges, or none of them.
    Among { not: bool, ranges: Vec<(char, char)> },
}

impl Token {
    fn is(&self, char: char) -> bool {
        match self {
            Self::Many => false,
            Self::One => true,
            Self::Either(own) => own.eq_ignore_ascii_case(&char),
            Self::Exactly(own) => *own == char,
            Self::Among { not, ranges } => ranges.iter().any(|(first, last)| (*first..=*last).contains(&char)) != *not,
        }
    }
}

fn matches(call: &Call, read: fn(&str, Option<char>) -> Option<Vec<Token>>) -> Result<Option<Value>> {
    let (Some(pattern), Some(text)) = (call.text(0)?, call.text(1)?) else { return Ok(None) };
    if pattern.len() > PATTERN_BYTES {
        return Err(failed("LIKE or GLOB pattern too complex"));
    }
    let escape = match call.context.len() {
        3 => {
            let Some(escape) = call.text(2)? else { return Ok(None) };
            let mut chars = escape.chars();
            match (chars.next(), chars.next()) {
                (Some(escape), None) => Some(escape),
                _ => return Err(failed("ESCAPE expression must be a single character")),
            }
        }
        _ => None,
    };
    // A pattern that is not finished matches nothing.
    let Some(tokens) = read(&pattern, escape) else { return Ok(Some(Value::Int(0))) };
    Ok(Some(Value::Int(i64::from(compare(&tokens, &text, &mut || call.look())?))))
}

/// Whether a text matches. Where it does not go on, the last `Many` takes one character more: earlier ones need not.
fn compare(tokens: &[Token], text: &str, look: &mut dyn FnMut() -> Result<()>) -> Result<bool> {
    let (mut token, mut rest, mut steps) = (0, text, 0_u32);
    let mut again: Option<(usize, &str)> = None;
    loop {
        steps += 1;
        if steps.is_multiple_of(STEPS_BETWEEN_LOOKS) {
            look()?;
        }
        let mut chars = rest.chars();
        let next = chars.next();
        match (tokens.get(token), next) {
            (Some(Token::Many), _) => {
                token += 1;
                again = Some((token, rest));
                continue;
            }
            (None, None) => return Ok(true),
            (Some(wanted), Some(char)) if wanted.is(char) => {
                token += 1;
                rest = chars.as_str();
                continue;
            }
            _ => {}
        }
        let Some((after, from)) = again else { return Ok(false) };
        let mut chars = from.chars();
        // At its end nothing is left that could match.
        if next.is_none() || chars.next().is_none() {
            return Ok(false);
        }
        let from = skipped(tokens.get(after), chars.as_str());
        again = Some((after, from));
        (token, rest) = (after, from);
    }
}

/// Passes over what cannot be the beginning of what is looked for.
fn skipped<'a>(wanted: Option<&Token>, text: &'a str) -> &'a str {
    let at = match wanted {
        Some(Token::Exactly(char)) => text.find(*char),
        Some(Token::Either(char)) => text.find([char.to_ascii_lowercase(), char.to_ascii_uppercase()]),
        _ => Some(0),
    };
    &text[at.unwrap_or(text.len())..]
}

fn like_tokens(pattern: &str, escape: Option<char>) -> Option<Vec<Token>> {
    let (mut tokens, mut chars) = (Vec::new(), pattern.chars());
    while let Some(char) = chars.next() {
        tokens.push(match char {
            char if Some(char) == escape => Token::Either(chars.next()?),
            '%' => Token::Many,
            '_' => Token::One,
            char => Token::Either(char),
        });
    }
    Some(tokens)
}

fn glob_tokens(pattern: &str, _: Option<char>) -> Option<Vec<Token>> {
    let (mut tokens, mut chars) = (Vec::new(), pattern.chars().peekable());
    while let Some(char) = chars.next() {
        tokens.push(match char {
            '*' => Token::Many,
            '?' => Token::One,
            '[' => {
                let not = chars.next_if_eq(&'^').is_some();
                let mut ranges: Vec<(char, char)> = Vec::new();
                // A bracket that comes first is one of those that are meant.
                if chars.next_if_eq(&']').is_some() {
                    ranges.push((']', ']'));
                }
                loop {
                    match chars.next()? {
                        ']' => break,
                        '-' if !ranges.is_empty() && chars.peek().is_some_and(|next| *next != ']') => {
                            let last = chars.next()?;
                            let (first, _) = ranges.pop()?;
                            ranges.push((first, last));
                        }
                        char => ranges.push((char, char)),
                    }
                }
                Token::Among { not, ranges }
            }
            char => Token::Exactly(char),
        });
    }
    Some(tokens)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair() -> (Connection, Connection) {
        let (own, ours) = (Connection::open_in_memory(), Connection::open_in_memory());
        let (own, ours) = (own.expect("a database"), ours.expect("a database"));
        let is_over: IsOver = Arc::new(|| false);
        define(&ours, &is_over).expect("defined");
        (own, ours)
    }

    #[test]
    fn ours_answer_as_those_of_sqlite() {
        let (own, ours) = pair();
        let texts = [
            "''",
            "'a'",
            "'aB'",
            "'abcabc'",
            "'%'",
            "'a%b'",
            "'ümläut'",
            "NULL",
            "12",
            "1.5",
            "x'6162'",
            "'[a]'",
            "'a-b]'",
        ];
        let patterns = [
            "''", "'%'", "'a%'", "'%B'", "'_b%'", "'%c_b%'", "'a\\%b'", "'%ä%'", "NULL", "'1%'", "'*'", "'a*'",
            "'?b*'", "'[a-c]*'", "'[^a]*'", "'*[]]'", "'[]a-]*'", "'*b*c'", "'[a'", "'a_c%c'",
        ];
        let mut count = 0;
        for text in texts {
            for pattern in patterns {
                for expression in [
                    format!("{text} LIKE {pattern}"),
                    format!("{text} LIKE {pattern} ESCAPE '\\'"),
                    format!("{text} GLOB {pattern}"),
                    format!("replace({text}, {pattern}, 'xy')"),
                    format!("instr({text}, {pattern})"),
                    format!("trim({text}, {pattern})"),
                    format!("ltrim({text}, {pattern})"),
                    format!("rtrim({text}, {pattern})"),
                ] {
                    let ask = |connection: &Connection| {
                        let sql = format!("SELECT quote(CAST({expression} AS TEXT))");
                        connection.query_row(&sql, [], |row| row.get::<_, String>(0)).ok()
                    };
                    assert_eq!(ask(&ours), ask(&own), "{expression}");
                    count += 1;
                }
            }
        }
        assert!(count > 2_000);
    }
}
