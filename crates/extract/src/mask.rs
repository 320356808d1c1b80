//! A text without the secrets in it: keys by their shape, values by the name they are given, what commands take as passwords,
//! and numbers of cards and accounts. The rest stays as it is, because what tools say is full of words that only sound like
//! secrets.

mod blocks;
mod commands;
mod named;
mod numbers;
mod shapes;

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

/// Stands for a secret.
pub const MASK: &str = "[masked]";
/// Shorter than any text that can hold a secret.
const LEAST_BYTES: usize = 8;
/// How often a text is looked through again after something was masked.
const PASSES: usize = 8;
/// How much of a value decides whether it is a secret.
const CLIPPED_BYTES: usize = 512;
/// Length of words that may be keys, and digits of numbers that may be a person's, an account's or a card's.
const LONG_WORD_BYTES: usize = 12;
const NUMBER_LEAST_DIGITS: usize = 9;

/// What lines with secrets hold, unless a word in them is long; a line without it is not looked at any further.
static CUES: LazyLock<AhoCorasick> = LazyLock::new(|| {
    let cues = named::cues().chain(commands::cues()).chain(shapes::cues());
    #[expect(clippy::expect_used, reason = "the words are our own")]
    AhoCorasick::builder().ascii_case_insensitive(true).build(cues).expect("words to look for")
});

/// Whether a line holds a word that may be a key, or the digits of a card.
fn has_long_word(line: &str) -> bool {
    let (mut run, mut odd, mut digits) = (0, 0, 0);
    for byte in line.bytes() {
        let belongs = byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'+' | b'/' | b'%' | b'~');
        (run, odd) = if belongs {
            (run + 1, odd + usize::from(byte.is_ascii_digit() || byte.is_ascii_uppercase()))
        } else {
            (0, 0)
        };
        digits += usize::from(byte.is_ascii_digit());
        if run >= LONG_WORD_BYTES && odd > 0 || digits >= NUMBER_LEAST_DIGITS {
            return true;
        }
    }
    false
}

/// The text with every secret masked.
pub fn without_secrets(text: &str) -> String {
    let mut masked = masked_once(text, secrets(text));
    // A mask may bring to light what stood beside a secret.
    for _ in 0..PASSES {
        let left = secrets(&masked);
        if left.is_empty() {
            break;
        }
        masked = masked_once(&masked, left);
    }
    masked
}

fn masked_once(text: &str, secrets: Vec<Range<usize>>) -> String {
    let (mut masked, mut end) = (String::with_capacity(text.len()), 0);
    for secret in secrets {
        if secret.start >= end {
            masked.push_str(&text[end..secret.start]);
            masked.push_str(MASK);
        }
        end = end.max(secret.end);
    }
    masked.push_str(&text[end..]);
    masked
}

/// The value of a name with every secret masked.
pub fn without_secrets_named(name: &str, text: &str) -> String {
    if named::is_secret_by(name, text) { MASK.to_owned() } else { without_secrets(text) }
}

/// The secrets of a text. Where it is the value of a name that says so, all of it is one.
pub fn secrets_in<'t>(name: &str, text: &'t str) -> Vec<&'t str> {
    if named::is_secret_by(name, text) {
        return vec![text];
    }
    secrets(text).into_iter().map(|secret| &text[secret]).collect()
}

/// Whether something in a text would be masked.
pub(super) fn is_to_be_masked(text: &str) -> bool {
    !secrets(text).is_empty()
}

/// Where the secrets of a text stand, in order; some may overlap.
fn secrets(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    if text.len() < LEAST_BYTES {
        return found;
    }
    blocks::find(text, &mut found);
    named::below(text, &mut found);
    for line in text.lines().filter(|line| CUES.is_match(line) || has_long_word(line) || !line.is_ascii()) {
        shapes::find(text, line, &mut found);
        named::find(text, line, &mut found);
        commands::find(text, line, &mut found);
        numbers::find(text, line, &mut found);
    }
    // What was masked once stays as it is: half of it may be all that is left of a name and its value.
    let public = blocks::public(text);
    let is_public = |secret: &Range<usize>| public.iter().any(|block| block.contains(&secret.start));
    found.retain(|secret| !secret.is_empty() && !MASK.contains(&text[secret.clone()]) && !is_public(secret));
    found.sort_by_key(|secret| secret.start);
    found
}

/// Where a part of a text begins in it.
fn offset(text: &str, part: &str) -> usize {
    part.as_ptr().addr() - text.as_ptr().addr()
}

/// The beginning of a text, as far as anything in it is looked at: what is longer is a secret or none by its beginning.
fn clipped(text: &str) -> &str {
    &text[..boundary(text, CLIPPED_BYTES)]
}

/// The last boundary of a character up to a place.
fn boundary(text: &str, place: usize) -> usize {
    let place = place.min(text.len());
    (0..=place).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// The range of a part of a text.
fn range(text: &str, part: &str) -> Range<usize> {
    let start = offset(text, part);
    start..start + part.len()
}
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_masked_and_nothing_around_them() {
        for (text, masked) in [
            ("the password is hunter2, go on", "the password is [masked], go on"),
            ("export API_KEY=abc123def456ghi && run", "export API_KEY=[masked] && run"),
            (r#"{"password": "s3cret!", "user": "ann"}"#, r#"{"password": "[masked]", "user": "ann"}"#),
            (r#"{"password":"s3cret!","user":"ann"}"#, r#"{"password":"[masked]","user":"ann"}"#),
            ("Authorization: Bearer abcDEF1234567890", "Authorization: Bearer [masked]"),
            ("push with ghp_16C7e42F292c6912E7710c838347Ae178B4a now", "push with [masked] now"),
            ("postgres://ann:pa55@db/shop", "postgres://ann:[masked]@db/shop"),
            ("redis://:hunter2@cache:6379", "redis://:[masked]@cache:6379"),
            ("postgres://ann:p@ss@db/shop?a=b@c", "postgres://ann:[masked]@db/shop?a=b@c"),
            (r#"{"user":"admin","password":"admin"}"#, r#"{"user":"admin","password":"[masked]"}"#),
            ("password=pass", "password=[masked]"),
            ("DB_PASSWORD=hunter22aa", "DB_PASSWORD=[masked]"),
            ("AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfi", "AWS_SECRET_ACCESS_KEY=[masked]"),
            (
                "MYSQL_PWD=abc1 DATABASE_PASS=x!yz dbPassword = 'hunter2'",
                "MYSQL_PWD=[masked] DATABASE_PASS=[masked] dbPassword = '[masked]'",
            ),
            ("PASSWORD=swordfish go", "PASSWORD=[masked] go"),
            ("DB_PASSWORD=s3venv1per PGPASSWORD=denver", "DB_PASSWORD=[masked] PGPASSWORD=[masked]"),
            (r#"{"password": "swordfish", "n": 1}"#, r#"{"password": "[masked]", "n": 1}"#),
            (r#"{"client_secret":"swordfish"}"#, r#"{"client_secret":"[masked]"}"#),
            (r#"{"stripeKey":"sk_live_4eC39HqLyjWD","n":1}"#, r#"{"stripeKey":"[masked]","n":1}"#),
            (
                "-----BEGIN CERTIFICATE-----\nMIIDhGMBu0Vof\n-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----\nDB_PASSWORD=otter77",
                "-----BEGIN CERTIFICATE-----\nMIIDhGMBu0Vof\n[masked]\nDB_PASSWORD=[masked]",
            ),
            ("4111111111111111 and 5500000000000004", "[masked] and [masked]"),
            ("use idk_0f3a9c12bd44_5d41402abc4b2a76b9719d911017c5925d41402abc4b2a76b9719d911017c592", "use [masked]"),
            ("-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc\n-----END RSA PRIVATE KEY-----\nok", "[masked]\nok"),
        ] {
            assert_eq!(without_secrets(text), masked);
        }
    }

    #[test]
    fn what_only_sounds_like_a_secret_stays() {
        for text in [
            "The login test passes now: the cookie was named wrongly.",
            "token: string;\n  password: string;\tmax_tokens=4096",
            "the token count is 120000 and the password is wrong",
            "const token = process.env.API_TOKEN_2; pwd=$HOME/2",
            r#"{"types":["tab","dev","session"],"status":"pilot","phase":"Phase_1_Definition"}"#,
            "see https://example.com/a:1@2 and commit 5f3ce93d1c0e4b7a9f8e6d5c4b3a29180f7e6d5c",
            "The login button is broken on mobile, fix it. Pin the dependency to 1.2.3",
            "let token = self.peek(); // line 12; the primary key is user_id_2024",
            "password=None, secret=required, passwd = getpass.getpass()",
            "Password hashing is done with bcrypt; switch to argon2",
            "  indented\r\n\r\n\ttext  with   blanks\n",
        ] {
            assert_eq!(without_secrets(text), text);
        }
    }
}
