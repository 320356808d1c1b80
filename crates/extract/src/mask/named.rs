//! Values by the name they are given: `DB_PASSWORD=…`, `"client_secret": "…"`, `password is …`, headers, columns.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

use crate::words::Words;

use super::shapes::{changes, is_placeholder};
use super::{clipped, range};

/// What secrets are called, and which kind of secret each is.
const NAMES: Words = Words(include_str!("../../data/private/value_names.tsv"));
/// Words after such a name that make it something else ("password manager").
const HARMLESS: Words = Words(include_str!("../../data/private/harmless.txt"));
/// What stands where a value would and is none.
const TYPES: Words = Words(
    "string|str|text|none|null|nil|true|false|required|optional|undefined|password|secret|token|wrong|invalid|input|bytes|\
     missing|unset|empty|default|incorrect|expired|valid|number|integer|boolean|object|any|char|varchar|self|this|yes|no|read-host|prompt|hidden|enabled|disabled|here|below|above",
);
/// A value that ends this near to the end of what is read may be cut off.
const CLIP_MARGIN: usize = 64;
/// Words between a name and `is`: "the password for staging is …".
const BETWEEN_MAX_WORDS: usize = 5;
/// How an authorization header begins.
const SCHEMES: Words =
    Words("basic|bearer|token|apikey|api-key|ssws|bot|key|oauth|digest|splunk|genie|gitlab|jwt|snowflake");

/// Words of lines about getting in somewhere.
const SIGNING_IN: [&str; 10] =
    ["sign in", "log in", "login", "sudo", "unzip", "encrypted", "decrypt", "unlock", "account", "credentials"];
/// What headers with secrets are called, and how they begin.
const HEADERS: [&str; 4] = ["authorization", "bearer ", "basic ", "cookie"];
/// Words of lines whose digits are a sum or a name of something, and no secret.
const SUMS: [&str; 12] =
    ["commit", "sha", "hash", "md5", "sum", "digest", "revision", "etag", "trace", "fingerprint", "cherry-pick", "_id"];

/// What a name says its value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Named {
    /// Whatever stands there is secret.
    Password,
    /// The same, where it is set: a word of its own otherwise.
    Assigned,
    /// Text made by chance.
    Key,
    /// As often something else: only what chance alone can have made.
    Weak,
    /// A few digits.
    Code,
}

/// How a value is tied to its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tie {
    /// `name=value`, `name: "value"`, `--name value`.
    Set,
    /// `name: value`.
    Colon,
    /// `name is value`.
    Is,
    /// `name value`.
    Beside,
}

/// What a line holds that is looked at.
pub fn cues() -> impl Iterator<Item = &'static str> {
    let names = NAMES.iter().filter_map(|row| row.split('\t').next()?.rsplit(' ').next());
    names.chain(SIGNING_IN).chain(HEADERS)
}

pub fn find(text: &str, line: &str, found: &mut Vec<Range<usize>>) {
    // ASCII letters are as long in either case.
    let small = line.to_ascii_lowercase();
    header(text, line, &small, found);
    let (mut is_named, mut has_password) = (false, false);
    let mut masked_to = 0;
    for (start, end) in names(line) {
        // What stands in a secret names nothing.
        let Some(named) = kind_of(line, start, end).filter(|_| start >= masked_to) else { continue };
        is_named |= named != Named::Code;
        has_password |= matches!(named, Named::Password | Named::Assigned);
        for (tie, value) in values(line, start, end) {
            let is_place = is_placeholder(value);
            let value = trimmed(value);
            if !is_place && is_secret(value, named, tie) {
                let secret = range(line, value);
                let ends = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`');
                let read_to = end + clipped(&line[end..]).len();
                let is_cut = read_to < line.len() && secret.end + CLIP_MARGIN >= read_to;
                let rest = if is_cut { line[secret.end..].find(ends).unwrap_or(line.len() - secret.end) } else { 0 };
                masked_to = secret.end + rest;
                found.push(range(text, &line[secret.start..masked_to]));
                break;
            }
        }
    }
    if is_named {
        somewhere(text, line, &small, has_password, found);
    }
    if is_named || SIGNING_IN.iter().any(|words| small.contains(words)) {
        handed_over(text, line, found);
    }
}

/// Whether a value is a secret by the name it is given.
pub fn is_secret_by(name: &str, value: &str) -> bool {
    kind_of(name, 0, name.len()).is_some_and(|named| !is_placeholder(value) && is_secret(value, named, Tie::Set))
}

/// Values below their name: alone on the next line, or in a column.
pub fn below(text: &str, found: &mut Vec<Range<usize>>) {
    let mut awaited = None;
    let mut column: Option<(usize, Named)> = None;
    let is_rule = |line: &str| line.chars().all(|c| c.is_whitespace() || matches!(c, '-' | '+' | '|' | '=' | ':'));
    for line in text.lines().filter(|line| !is_rule(line)) {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let own = |text: &str| names(text).last().and_then(|(start, end)| kind_of(text, *start, *end));
        match (awaited.take(), column) {
            (Some(named), _)
                if !line.trim().contains(char::is_whitespace) && is_secret(line.trim(), named, Tie::Colon) =>
            {
                found.push(range(text, line.trim()));
            }
            (_, Some((at, named))) if cells.len() > at => {
                found.extend(
                    cells.get(at).filter(|value| is_secret(value, named, Tie::Colon)).map(|value| range(text, value)),
                );
            }
            _ => {
                column = if cells.len() < 2 {
                    None
                } else {
                    cells
                        .iter()
                        .enumerate()
                        .find_map(|(at, cell)| Some((at, own(cell)?)).filter(|_| !cell.contains(' ')))
                };
                if line.trim_end().ends_with(':') {
                    let mut within = names(line).into_iter().filter_map(|(start, end)| kind_of(line, start, end));
                    awaited = within.rfind(|named| matches!(named, Named::Password | Named::Key));
                }
            }
        }
    }
}

/// Values in a line that names a secret, but not right behind the name: hexadecimal digits, and passwords in quotes.
fn somewhere(text: &str, line: &str, small: &str, has_password: bool, found: &mut Vec<Range<usize>>) {
    let is_sum = SUMS.iter().any(|word| small.contains(word));
    for word in line.split(|c: char| !c.is_ascii_alphanumeric()) {
        let is_hex = word.len() >= 32 && word.bytes().all(|b| b.is_ascii_hexdigit());
        if is_hex
            && !is_sum
            && word.bytes().any(|b| b.is_ascii_digit())
            && word.bytes().any(|b| b.is_ascii_alphabetic())
        {
            found.push(range(text, word));
        }
    }
    for quote in ['\'', '"'].into_iter().filter(|_| has_password) {
        found.extend(
            line.split(quote).skip(1).step_by(2).filter(|value| is_password(value)).map(|value| range(text, value)),
        );
    }
}

/// "sign in with …", "if sudo asks, type …".
fn handed_over(text: &str, line: &str, found: &mut Vec<Range<usize>>) {
    let words: Vec<&str> = line.split_whitespace().collect();
    for pair in words.windows(2) {
        let gives = matches!(
            pair[0].to_lowercase().as_str(),
            "with" | "type" | "enter" | "use" | "using" | "it's" | "is" | "try"
        );
        let value = pair[1].trim_matches(|c: char| matches!(c, '"' | '\'' | '`' | ',' | ';' | '(' | ')' | '.' | '?'));
        if gives && (is_password(value) || is_diceware(value)) {
            found.push(range(text, value));
        }
    }
}

/// Whether a word looks like a password by itself: letters and digits, with a sign or in no order.
fn is_password(value: &str) -> bool {
    let has = |is: fn(char) -> bool| value.chars().any(is);
    let sign = has(|c| "!@$%^&*+~".contains(c)) || has(|c| c == '_' || c == '#') && has(char::is_uppercase);
    let digits = value.chars().filter(char::is_ascii_digit).count();
    (8..=64).contains(&value.chars().count())
        && has(|c| c.is_ascii_digit())
        && has(char::is_alphabetic)
        && !has(|c| c.is_whitespace() || "/\\(){}<>=:,;.|".contains(c))
        && (sign || digits > 1 && changes(value) >= 0.25 && has(char::is_uppercase) && has(char::is_lowercase))
        && !is_placeholder(value)
}

/// Three words or more and a number, joined.
fn is_diceware(value: &str) -> bool {
    let parts: Vec<&str> = value.split('-').collect();
    let (last, rest) = parts.split_last().unwrap_or((&"", &[]));
    let is_word = |part: &&str| part.len() >= 3 && part.bytes().all(|b| b.is_ascii_lowercase());
    rest.len() >= 3 && rest.iter().all(is_word) && !last.is_empty() && last.bytes().all(|b| b.is_ascii_digit())
}

/// Runs of the characters that names are made of.
fn names(line: &str) -> Vec<(usize, usize)> {
    let mut runs = Vec::new();
    let mut start = None;
    for (at, c) in line.char_indices().chain([(line.len(), ' ')]) {
        let belongs = c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '$');
        match (start, belongs) {
            (None, true) => start = Some(at),
            (Some(from), false) => {
                runs.push((from, at));
                start = None;
            }
            _ => {}
        }
    }
    runs
}

type NamesByEnd = HashMap<[u8; 2], Vec<(&'static str, Named)>>;

/// The names by how they end: most words end like none of them.
static BY_END: LazyLock<NamesByEnd> = LazyLock::new(|| {
    let mut names = NamesByEnd::new();
    for (name, kind) in NAMES.iter().filter_map(|row| row.split_once('\t')) {
        let kind = match kind {
            "password" => Named::Password,
            "assigned" => Named::Assigned,
            "key" => Named::Key,
            "code" => Named::Code,
            _ => Named::Weak,
        };
        if let Some(end) = ending(name) {
            names.entry(end).or_default().push((name, kind));
        }
    }
    names.values_mut().for_each(|names| names.sort_by_key(|(name, _)| std::cmp::Reverse(name.len())));
    names
});

/// The last two bytes of a name, in small letters.
fn ending(name: &str) -> Option<[u8; 2]> {
    name.as_bytes().last_chunk::<2>().map(|end| end.map(|b| b.to_ascii_lowercase()))
}

/// What the name that ends here says its value is: one word, or one together with the word before it.
fn kind_of(line: &str, start: usize, end: usize) -> Option<Named> {
    let name = line[start..end].trim_end_matches('.');
    let names = BY_END.get(&ending(name)?)?;
    let name = name.to_lowercase();
    let before = line[..start].trim_end();
    let pair = before.rsplit(|c: char| !c.is_alphanumeric() && c != '-').next().filter(|word| !word.is_empty());
    let pair = pair.map(|word| format!("{} {name}", word.to_lowercase()));
    let fits = |own: &str| {
        let ends = |name: &str| {
            name.strip_suffix(own).is_some_and(|rest| {
                // `API_TOKEN`, `dbPassword`, `PGPASSWORD`; but "tokenize" and "monkey" are names of their own.
                own.len() > 4
                    || rest.is_empty()
                    || rest.ends_with(['_', '-', '.', '$'])
                    || is_camel(&line[start..end], own.len())
            })
        };
        ends(&name) || pair.as_deref() == Some(own)
    };
    names.iter().find(|(own, _)| fits(own)).map(|(_, kind)| *kind)
}

fn is_camel(name: &str, own: usize) -> bool {
    let at = name.len().checked_sub(own).filter(|at| name.is_char_boundary(*at));
    at.is_some_and(|at| name[at..].starts_with(char::is_uppercase) && !name[..at].ends_with(char::is_uppercase))
}

/// What may be the value of a name, the likeliest first.
fn values(line: &str, start: usize, end: usize) -> Vec<(Tie, &str)> {
    let rest = clipped(&line[end..]);
    let rest = rest.strip_prefix("'s ").map_or(rest, |_| &rest[2..]);
    let rest = rest.trim_start_matches(['"', '\'', '`', ']', ')', '\\']);
    let is_option = line[..start].ends_with("--") || line[start..end].starts_with("--");
    let spaced = rest.trim_start();
    // `("password", "…")`
    if let Some(value) =
        rest.strip_prefix(',').filter(|_| line[..start].ends_with("(\"") || line[..start].ends_with("('"))
    {
        return if value.trim_start().starts_with(['"', '\'']) {
            vec![(Tie::Colon, quoted(value.trim_start()))]
        } else {
            Vec::new()
        };
    }
    // `<password>…</password>`
    if let Some(value) = clipped(&line[end..]).strip_prefix('>').filter(|_| line[..start].ends_with('<')) {
        return vec![(Tie::Set, quoted(value))];
    }
    if let Some(value) = ["=>", ":=", "==", "=", ":", "->"].iter().find_map(|sign| spaced.strip_prefix(sign)) {
        if spaced.starts_with("==") || spaced.starts_with("::") {
            return Vec::new();
        }
        let sets = !spaced.starts_with(':') || spaced.starts_with(":=");
        let value = value.trim_start();
        // A cast or a generic type: `password: &str = "…"`.
        let typed = value.split_once('=').filter(|(kind, _)| {
            !sets && kind.len() < 24 && kind.trim_end().chars().all(|c| c.is_alphanumeric() || "&<>_ ':?|".contains(c))
        });
        let value = typed.map_or(value, |(_, value)| value.trim_start());
        let value = value.trim_start_matches("b\"").trim_start_matches("r\"");
        let is_quoted = value.starts_with(['"', '\'', '`', '\\']);
        let tie = if sets || is_quoted || typed.is_some() { Tie::Set } else { Tie::Colon };
        return vec![(tie, quoted(value))];
    }
    if rest.len() == spaced.len() {
        return Vec::new();
    }
    let mut words = spaced.split_whitespace();
    let first = words.next().unwrap_or_default();
    if HARMLESS.contains(first.trim_matches(|c: char| !c.is_alphanumeric())) {
        return Vec::new();
    }
    let mut values = Vec::new();
    if is_option {
        values.push((Tie::Set, quoted(spaced)));
    } else {
        for (at, word) in spaced.split_whitespace().enumerate().take(BETWEEN_MAX_WORDS) {
            let joins = matches!(word, "is" | "was" | "=" | ":" | "to" | "are" | "ist" | "lautet" | "est" | "es" | "è")
                || at > 0 && word.ends_with(':');
            if joins {
                let behind = &spaced[super::offset(spaced, word) + word.len()..];
                values.push((Tie::Is, spoken(behind.trim_start())));
                break;
            }
        }
        values.push((Tie::Beside, spoken(spaced)));
    }
    values
}

/// A value in a sentence: what stands in quotes, or a word with whatever signs are in it.
fn spoken(value: &str) -> &str {
    if value.starts_with(['"', '\'', '`']) {
        quoted(value)
    } else {
        value.split_whitespace().next().unwrap_or_default()
    }
}

/// A value: what stands in quotes, or a word.
fn quoted(value: &str) -> &str {
    let value = value.trim_start_matches(['[', '(', ' ', '\\']);
    if let Some(quote) = value.chars().next().filter(|c| matches!(c, '"' | '\'' | '`')) {
        let inner = &value[1..];
        return inner[..inner.find([quote, '\\']).unwrap_or(inner.len())].trim();
    }
    value
        .split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '&' | '"' | '\'' | '`' | '<' | '|'))
        .next()
        .unwrap_or_default()
}

fn trimmed(value: &str) -> &str {
    let value = value.trim_end_matches([',', ';', ')', ']', '}', '\\', '*', ':', '`']);
    let value = value.strip_suffix('.').unwrap_or(value);
    value.trim_start_matches(['(', '[', '{'])
}

/// Whether a value is one, and not the type, the place or the state of one.
fn is_secret(value: &str, named: Named, tie: Tie) -> bool {
    let length = value.chars().count();
    let has = |is: fn(char) -> bool| value.chars().any(is);
    let (digit, letter) = (has(|c| c.is_ascii_digit()), has(char::is_alphabetic));
    let sign = has(|c| "!@#$%^&*+~".contains(c));
    let is_read = ["env.", "environ", "getenv", "secrets.", "::", "process.", "config.", "settings.", "self.", "this."]
        .iter()
        .any(|word| value.contains(word))
        || value.contains(['(', '{']) && value.contains([')', '}']) && !sign
        || value.ends_with('(')
        || value.ends_with("()");
    let is_place = is_placeholder(value) && !(tie == Tie::Set && value.len() > 40 && digit)
        || is_read
        || value.contains("://")
        || value.starts_with(['/', '.', '~']) && !digit;
    if is_place || is_reference(value) || TYPES.contains(&value.to_lowercase()) {
        return false;
    }
    let is_hex = length >= 16
        && digit
        && letter
        && value.trim_start_matches("0x").bytes().all(|b| b.is_ascii_hexdigit() || b == b'-');
    let is_chance = |least: usize, often: f64| {
        length >= least && digit && letter && changes(value) >= often && !value.contains(' ')
    };
    match (named, tie) {
        (Named::Password | Named::Assigned, Tie::Set) => length >= 4 && value.split(' ').count() <= 8,
        (Named::Password | Named::Assigned, Tie::Colon) => length >= 6 && (digit || sign || is_chance(8, 0.1)),
        (Named::Password, _) if is_diceware(value) => true,
        (Named::Password, Tie::Is) if value.contains(' ') => value.split(' ').count() >= 3,
        (Named::Password, Tie::Is) => length >= 4 && (digit || sign),
        (Named::Password, Tie::Beside) => length >= 6 && letter && (digit || sign && length >= 8) && !is_name(value),
        (Named::Assigned, _) => false,
        (Named::Key, Tie::Set) => {
            length >= 8
                && (is_hex
                    || is_chance(8, 0.08) && !is_name(value)
                    || is_chance(12, 0.2)
                    || length >= 20 && letter && changes(value) >= 0.25)
        }
        (Named::Key, Tie::Colon) => {
            is_hex || is_chance(12, 0.12) && !is_name(value) || length >= 20 && changes(value) >= 0.3
        }
        (Named::Key, Tie::Is | Tie::Beside) => is_hex && length >= 24 || is_chance(14, 0.25),
        (Named::Weak, Tie::Set | Tie::Colon) => {
            is_chance(16, 0.3) || is_hex && length >= 24 && tie == Tie::Set && !value.contains('-')
        }
        (Named::Weak, _) => is_chance(20, 0.35),
        (Named::Code, Tie::Set | Tie::Colon | Tie::Is) => {
            (3..=12).contains(&length)
                && digit
                && value.chars().all(|c| c.is_ascii_digit() || c == '-' || c.is_ascii_uppercase())
        }
        (Named::Code, Tie::Beside) => (4..=8).contains(&length) && value.bytes().all(|b| b.is_ascii_digit()),
    }
}

/// Whether a value is a name in a program: `var.db_password`, `passwordHash`.
fn is_reference(value: &str) -> bool {
    let small = value.to_lowercase();
    let is_name_char = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.');
    if let Some((name, _)) = value.split_once(['[', '(']) {
        return name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.chars().all(is_name_char);
    }
    let is_name = !value.is_empty() && value.chars().all(|c| c.is_ascii_alphabetic() || matches!(c, '_' | '.'));
    let says_so = ["password", "passwd", "secret", "token", "credential"].iter().any(|name| small.contains(name));
    is_name && (value.contains('.') && small == value || says_so)
}

/// Whether a value is a name that people chose: words in small letters, joined, with a number at most at their end.
fn is_name(value: &str) -> bool {
    let small = |part: &str| part.chars().all(|c| c.is_ascii_lowercase());
    let parts: Vec<&str> = value.split(['_', '-', '.', '/', ':']).collect();
    let (last, rest) = parts.split_last().unwrap_or((&"", &[]));
    let number = |part: &str| part.trim_start_matches('v').chars().all(|c| c.is_ascii_digit());
    parts.len() > 1 && rest.iter().all(|part| small(part) || number(part)) && (small(last) || number(last))
        || number(value)
}

/// `Authorization: Basic …`, `Cookie: a=…; b=…`.
fn header(text: &str, line: &str, small: &str, found: &mut Vec<Range<usize>>) {
    for (at, name) in small.match_indices("authorization") {
        let rest = clipped(&line[at + name.len()..]).trim_start_matches(['"', '\'', '\\']).trim_start();
        let Some(rest) = rest.strip_prefix([':', '=', ',']) else { continue };
        let mut words =
            rest.split_whitespace().map(|word| word.trim_matches(['"', '\'', '\\', ',', ')', '}', '`', '(', '{']));
        let first = words.next().unwrap_or_default();
        let value = if SCHEMES.contains(&first.to_lowercase()) { words.next().unwrap_or_default() } else { first };
        if value.len() >= 8
            && !is_placeholder(value)
            && value.chars().any(|c| c.is_ascii_digit() || c.is_ascii_uppercase())
            && !value.contains('(')
        {
            found.push(range(text, value));
        }
    }
    for scheme in ["bearer ", "basic "] {
        for (at, _) in small.match_indices(scheme) {
            let rest = line[at + scheme.len()..].trim_start();
            let value = rest
                .split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | ',' | ')'))
                .next()
                .unwrap_or_default();
            if value.len() >= 12
                && value.chars().any(|c| c.is_ascii_digit())
                && value.chars().any(char::is_alphabetic)
                && !is_placeholder(value)
            {
                found.push(range(text, value));
            }
        }
    }
    if let Some(at) = small.find("cookie") {
        for pair in line[at..].split([';', ' ', '"', '\'']) {
            if let Some((_, value)) = pair.split_once('=')
                && value.len() >= 16
                && changes(value) >= 0.2
                && !is_placeholder(value)
            {
                found.push(range(text, value));
            }
        }
    }
}
