//! A text without the secrets in it: keys by their shape, and values by the name they are given. The rest stays as it is,
//! because what tools say is full of words that only sound like secrets.

use std::ops::Range;

use super::private::{MASK, is_key};

/// How the names of what is always secret end, and of what often only counts or describes.
const PASSWORDS: [&str; 8] = ["password", "passwd", "passphrase", "passcode", "pwd", "_pass", "secret", "credential"];
const KEYS: [&str; 5] = ["token", "key", "bearer", "auth", "cookie"];
/// Shortest values that are taken for one of the two.
const PASSWORD_LEAST_CHARS: usize = 4;
const KEY_LEAST_CHARS: usize = 12;
/// What stands where a value would and is none.
const TYPES: [&str; 16] = [
    "string",
    "text",
    "none",
    "null",
    "true",
    "false",
    "required",
    "optional",
    "undefined",
    "password",
    "secret",
    "changeme",
    "wrong",
    "invalid",
    "input",
    "bytes",
];
/// What stands around words in code and in prose.
const AROUND: [char; 12] = ['"', '\'', '`', ',', ';', '(', ')', '[', ']', '{', '}', '.'];

/// The text with every secret masked.
pub fn without_secrets(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut is_in_key = false;
    for line in text.split_inclusive('\n') {
        let ends = line.contains("-----END ");
        match (is_in_key, line.find("-----BEGIN ").filter(|_| line.contains("PRIVATE KEY"))) {
            (true, _) => is_in_key = !ends,
            (false, Some(start)) => {
                kept.push_str(&line[..start]);
                kept.push_str(MASK);
                // On one line the rest is not worth the risk.
                kept.push_str(if line.ends_with('\n') { "\n" } else { "" });
                is_in_key = !ends;
            }
            (false, None) => mask_line(line, &mut kept),
        }
    }
    kept
}

fn mask_line(line: &str, kept: &mut String) {
    let (mut name, mut last) = (None, "");
    for part in line.split_inclusive(char::is_whitespace) {
        let word = part.trim_end();
        let blank = &part[word.len()..];
        if word.is_empty() {
            kept.push_str(part);
            continue;
        }
        kept.push_str(&mask_word(word, name));
        kept.push_str(blank);
        // `name = value`, `name: value`, `name is value`, `Bearer value`.
        let joins = matches!(word, "=" | ":" | ":=" | "is" | "was");
        let named = if joins { last } else { word };
        let introduces = joins || word.ends_with([':', '=']) || word.eq_ignore_ascii_case("bearer");
        name = kind_of(named.trim_end_matches([':', '='])).filter(|_| introduces);
        // "The primary key is" tells of much that nobody has to hide.
        name = name.filter(|named| *named == Named::Password || !matches!(word, "is" | "was"));
        last = word;
    }
}

/// What a name says its value is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Named {
    /// A password that is set in so many words: `DB_PASSWORD=…`, `"password": "…"`.
    Literal,
    Password,
    Key,
}

fn kind_of(name: &str) -> Option<Named> {
    let name = name.trim_matches(AROUND).to_ascii_lowercase();
    let ends = |names: &[&str]| names.iter().any(|own| name.ends_with(own));
    match () {
        () if ends(&PASSWORDS) => Some(Named::Password),
        () if ends(&KEYS) => Some(Named::Key),
        () => None,
    }
}

/// Whether a value is one, and not the type, the place or the state of one.
fn is_secret(value: &str, named: Named) -> bool {
    let has = |is: fn(char) -> bool| value.chars().any(is);
    let (digit, letter) = (has(|c| c.is_ascii_digit()), has(char::is_alphabetic));
    let is_read = value.contains("env.") || value.contains("environ") || value.contains('(');
    let is_place = value.starts_with(['$', '<', '%']) || is_read || value.contains("://") || value == MASK;
    match named {
        _ if is_place => false,
        Named::Literal => value.chars().count() >= PASSWORD_LEAST_CHARS && !TYPES.contains(&&*value.to_lowercase()),
        Named::Password => value.chars().count() >= PASSWORD_LEAST_CHARS && (digit || has(|c| "!@#$%^&*".contains(c))),
        Named::Key => value.chars().count() >= KEY_LEAST_CHARS && digit && letter,
    }
}

fn mask_word(word: &str, named: Option<Named>) -> String {
    let mut secrets: Vec<Range<usize>> = Vec::new();
    // Every part is a slice of the word: where it stands is how far it begins behind the word's beginning.
    let mut mask = |secret: &str| {
        let start = secret.as_ptr().addr() - word.as_ptr().addr();
        secrets.push(start..start + secret.len());
    };
    if let Some((_, rest)) = word.split_once("://")
        && let Some((account, _)) = rest.split('/').next().and_then(|host| host.rsplit_once('@'))
        && let Some((_, password)) = account.split_once(':').filter(|(_, password)| !password.is_empty())
    {
        mask(password);
    }
    let pairs = word.split([',', '{', '}', '&', '?', ';']).filter_map(|pair| pair.split_once(['=', ':']));
    let own = pairs.filter_map(|(name, value)| {
        let is_set = word.contains('=') || value.starts_with(['"', '\'']);
        let named = kind_of(name)?;
        Some((if is_set && named == Named::Password { Named::Literal } else { named }, value))
    });
    // In quotes behind a name it is a value, whatever it looks like.
    let named = named
        .map(|named| if named == Named::Password && word.starts_with(['"', '\'']) { Named::Literal } else { named });
    for (named, value) in own.chain(named.map(|named| (named, word))) {
        let value = value.trim_matches(AROUND);
        if is_secret(value, named) {
            mask(value);
        }
    }
    for piece in word.split(['=', ':', '"', '\'', '`', ',', '&', '?', '/', '@']).filter(|piece| is_key(piece)) {
        mask(piece.trim_matches(AROUND));
    }
    without(word, secrets)
}

/// A word with other words in the place of some parts of it.
fn without(word: &str, mut secrets: Vec<Range<usize>>) -> String {
    secrets.sort_by_key(|secret| secret.start);
    let (mut masked, mut end) = (String::with_capacity(word.len()), 0);
    for secret in secrets {
        if secret.start >= end {
            masked.push_str(&word[end..secret.start]);
            masked.push_str(MASK);
        }
        end = end.max(secret.end);
    }
    masked.push_str(&word[end..]);
    masked
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
