//! Keys by their shape: how well-known ones begin, text that only chance can have made, hashed passwords, addresses that are
//! secret themselves, and passwords in addresses.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

use crate::words::Words;

use super::range;

/// How keys begin, and how many characters follow at least; `x` behind the number: hexadecimal digits, `a`: letters and digits.
const KEY_STARTS: Words = Words(include_str!("../../data/private/key_starts.tsv"));
/// How words begin that look like keys and are none.
const NOT_KEY_STARTS: Words = Words(include_str!("../../data/private/not_key_starts.txt"));
/// Addresses whose last parts are the secret.
const WEBHOOKS: [&str; 6] = [
    "hooks.slack.com/services/",
    "discord.com/api/webhooks/",
    "discordapp.com/api/webhooks/",
    "webhook.office.com/webhookb2/",
    "hooks.zapier.com/hooks/catch/",
    "api.telegram.org/bot",
];
/// How hashed passwords begin.
const HASHES: [&str; 9] = ["$1$", "$apr1$", "$2a$", "$2b$", "$2y$", "$5$", "$6$", "$y$", "$argon2"];
/// How much of a key is read at least.
const KEY_READ_BYTES: usize = 64;
/// Shorter than any key.
const KEY_LEAST_BYTES: usize = 12;
const HASH_LEAST_BYTES: usize = 20;
/// Least length of text that only chance can have made, alone and with `/` and `+` in it.
const RANDOM_LEAST_BYTES: usize = 24;
const RANDOM_WITH_SIGNS_LEAST_BYTES: usize = 36;

/// What separates words from each other, in code and in prose.
fn separates(c: char) -> bool {
    c.is_whitespace()
        || matches!(
            c,
            '"' | '\''
                | '`'
                | ','
                | ';'
                | '('
                | ')'
                | '['
                | ']'
                | '{'
                | '}'
                | '<'
                | '>'
                | '|'
                | '&'
                | '?'
                | '='
                | ':'
                | '@'
                | '\\'
                | '*'
                | '#'
        )
}

/// What a line holds that is looked at.
pub fn cues() -> impl Iterator<Item = &'static str> {
    ["://", "$"].into_iter()
}

pub fn find(text: &str, line: &str, found: &mut Vec<Range<usize>>) {
    for word in line.split_whitespace() {
        passwords_in_addresses(text, word, found);
        for start in WEBHOOKS.into_iter().filter(|_| word.contains('/')) {
            if let Some(at) = word.find(start) {
                let rest = &word[at + start.len()..];
                found.push(range(text, rest.split(['"', '\'', '`', ')', '>', ',']).next().unwrap_or(rest)));
            }
        }
        for start in HASHES.into_iter().filter(|_| word.contains('$')) {
            if let Some(at) = word.find(start).filter(|at| word.len() - at >= HASH_LEAST_BYTES) {
                let hash = &word[at..];
                found.push(range(text, hash.split([':', '"', '\'', '`', ',']).next().unwrap_or(hash)));
            }
        }
        telegram(text, word, found);
    }
    let mut before = "";
    for piece in line.split(separates) {
        let piece = piece.trim_matches(|c| matches!(c, '.' | '!' | '~' | '+' | '/' | '-'));
        if !piece.is_empty() {
            if !["base64", "h1", "sha256", "sha512", "sha384", "sha1"]
                .iter()
                .any(|sum| before.eq_ignore_ascii_case(sum))
            {
                key(text, piece, found);
            }
            before = piece;
        }
    }
}

fn key(text: &str, piece: &str, found: &mut Vec<Range<usize>>) {
    if piece.len() < KEY_LEAST_BYTES {
        return;
    }
    if NOT_KEY_STARTS.iter().any(|start| piece.starts_with(start)) {
        return;
    }
    for part in parts(piece) {
        if begins_like_a_key(part) {
            found.push(range(text, part));
            return;
        }
    }
    let is_word = |part: &str| part.len() >= 3 && part.bytes().all(|b| b.is_ascii_lowercase());
    if is_random(piece, RANDOM_WITH_SIGNS_LEAST_BYTES, &['+', '/']) && !piece.split('/').any(is_word) {
        found.push(range(text, piece));
    } else {
        let random = |part: &&str| is_random(part, RANDOM_LEAST_BYTES, &[]) || is_own_shape(part);
        found.extend(piece.split(['/', '.', '+']).filter(random).map(|part| range(text, part)));
    }
}

/// A piece, and what stands in it behind each sign that may stand before a key.
fn parts(piece: &str) -> impl Iterator<Item = &str> {
    let behind = piece.match_indices(['/', '!', '%', '$']).map(|(at, sign)| &piece[at + sign.len()..]);
    std::iter::once(piece).chain(behind)
}

/// Which characters follow the beginning of a key.
#[derive(Clone, Copy)]
enum Alphabet {
    Hexadecimal,
    Alphanumeric,
    WithSigns,
}

type StartsByByte = HashMap<u8, Vec<(&'static str, usize, Alphabet)>>;

/// How keys begin, how many characters follow at least, and which; by their first byte.
static BY_START: LazyLock<StartsByByte> = LazyLock::new(|| {
    let mut starts = StartsByByte::new();
    for (start, least) in KEY_STARTS.iter().filter_map(|row| row.split_once('\t')) {
        let alphabet = match least.as_bytes().last() {
            Some(b'x') => Alphabet::Hexadecimal,
            Some(b'a') => Alphabet::Alphanumeric,
            _ => Alphabet::WithSigns,
        };
        let count = least.trim_end_matches(['x', 'a']).parse().unwrap_or(usize::MAX);
        starts.entry(start.as_bytes()[0]).or_default().push((start, count, alphabet));
    }
    starts
});

fn begins_like_a_key(part: &str) -> bool {
    let starts = part.as_bytes().first().and_then(|first| BY_START.get(first));
    starts.into_iter().flatten().any(|(start, least, alphabet)| {
        let Some(rest) = part.strip_prefix(start) else { return false };
        let belongs = |c: &char| match alphabet {
            Alphabet::Hexadecimal => c.is_ascii_hexdigit(),
            Alphabet::Alphanumeric => c.is_ascii_alphanumeric(),
            Alphabet::WithSigns => {
                c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '+' | '/' | '=' | '~' | '%' | '$')
            }
        };
        let run = &rest[..rest.chars().take_while(belongs).take((*least).max(KEY_READ_BYTES)).count()];
        // Words that people choose are in small letters.
        run.len() >= *least && run.bytes().any(|b| b.is_ascii_digit() || b.is_ascii_uppercase())
    })
}

/// Whether text mixes letters of both cases with digits as only chance does: in names and paths the kind of character changes
/// seldom.
fn is_random(part: &str, least: usize, signs: &[char]) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '=') || signs.contains(&c);
    let count = |is: fn(&char) -> bool| part.chars().filter(is).count();
    part.len() >= least
        && part.chars().all(plain)
        && count(char::is_ascii_digit) >= 2
        && count(char::is_ascii_uppercase) >= 3
        && count(char::is_ascii_lowercase) >= 3
        && changes(part) >= 0.3
}

/// How often the kind of character changes, from 0 to 1; what is neither letter nor digit is passed over.
pub fn changes(part: &str) -> f64 {
    let kind = |c: char| match c {
        _ if c.is_ascii_digit() => Some(0),
        _ if c.is_lowercase() => Some(1),
        _ if c.is_uppercase() => Some(2),
        _ => None,
    };
    let kinds: Vec<i32> = part.chars().filter_map(kind).collect();
    let changed = kinds.windows(2).filter(|pair| pair[0] != pair[1]).count();
    changed as f64 / kinds.len().max(2) as f64
}

/// Keys whose mark is not at their beginning: Mailchimp's, New Relic's, Azure's.
fn is_own_shape(part: &str) -> bool {
    let hex = |text: &str, count: usize| text.len() == count && text.bytes().all(|b| b.is_ascii_hexdigit());
    let mailchimp = part.split_once("-us").is_some_and(|(key, centre)| hex(key, 32) && centre.parse::<u8>().is_ok());
    let new_relic = part.strip_suffix("NRAL").is_some_and(|key| key.len() == 36);
    let azure = part.find("Q~").is_some_and(|at| (3..6).contains(&at) && part.len() >= 34);
    mailchimp || new_relic || azure || is_wallet_key(part)
}

/// A private key in the import format of Bitcoin's wallets.
fn is_wallet_key(part: &str) -> bool {
    let length = match part.as_bytes().first() {
        Some(b'5') => 51,
        Some(b'K' | b'L' | b'c') => 52,
        _ => return false,
    };
    part.len() == length && part.bytes().all(|b| b.is_ascii_alphanumeric() && !b"0OIl".contains(&b))
}

/// `scheme://user:password@host`.
fn passwords_in_addresses(text: &str, word: &str, found: &mut Vec<Range<usize>>) {
    if let Some((_, rest)) = word.split_once("://")
        && let Some((account, _)) = authority(rest).rsplit_once('@')
    {
        // A token may stand alone.
        let is_token = |account: &&str| account.len() >= 24 && account.bytes().any(|b| b.is_ascii_digit());
        let password = account.split_once(':').map(|(_, password)| password).or(Some(account).filter(is_token));
        let is_word =
            |password: &&str| is_placeholder(password) || matches!(*password, "password" | "pass" | "secret" | "pwd");
        found.extend(password.filter(|password| !is_word(password)).map(|password| range(text, password)));
    }
}

/// The part of an address with the account and the host: to the first `/` behind the last `@` before a query.
fn authority(rest: &str) -> &str {
    let end = rest.find(['?', '"', '\'', '`', ' ']).unwrap_or(rest.len());
    let head = &rest[..end];
    let at = head.rfind('@').unwrap_or(0);
    // A path may hold an `@` of its own: then the account ends before the first `/`, unless no host would be left.
    match head.find('/') {
        Some(slash) if slash < at && head[..slash].contains('@') => &head[..slash],
        Some(slash) if slash < at && !head[..slash].contains(':') => &head[..slash],
        _ => head,
    }
}

/// A bot's token: a number, a colon and 35 characters.
fn telegram(text: &str, word: &str, found: &mut Vec<Range<usize>>) {
    for (at, _) in word.match_indices(':') {
        let digits = word[..at].chars().rev().take_while(char::is_ascii_digit).count();
        let rest = &word[at + 1..];
        let token: usize = rest.chars().take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-')).count();
        if (8..=10).contains(&digits) && (34..=36).contains(&token) {
            found.push(range(text, &rest[..token]));
        }
    }
}

/// Whether something stands for a secret instead of being one.
pub fn is_placeholder(value: &str) -> bool {
    const WORDS: [&str; 14] = [
        "replace-me",
        "replace_me",
        "changeme",
        "example",
        "placeholder",
        "redacted",
        "xxxx",
        "your_",
        "your-",
        "masked",
        "****",
        "....",
        "…",
        "todo",
    ];
    let small = value.to_lowercase();
    value.is_empty()
        || value.starts_with(['$', '<', '%', '{'])
        || value == "..."
        || WORDS.iter().any(|word| small.contains(word))
        || small.chars().all(|c| c == 'x' || c == '*' || c == '.' || c == '-')
}
