//! Tokens of remote clients (OAuth): nothing but what the issuer signed, as it was signed, is taken.

use std::sync::{LazyLock, Mutex, PoisonError};

use serde_json::json;

use crate::issuer::signed;
use crate::patch::damaged;
use crate::server::Connection;

static CONNECTION: LazyLock<Mutex<Connection>> = LazyLock::new(|| Mutex::new(Connection::new()));

/// A token that is good: what is made of it by any change is not.
static GOOD: LazyLock<String> = LazyLock::new(|| {
    let claims = json!({
        "iss": "https://issuer.example", "aud": "https://memory.example/mcp", "sub": "ann",
        "exp": 4_000_000_000_u64, "scope": "memory:read",
    });
    signed(&claims)
});

/// A token is refused unless it is the one that was signed. Input that begins with a zero is taken for a token as it is,
/// input that begins with a one for the JSON of its head, its claims and its signature on three lines; all other input
/// is damage to a good token.
pub fn token(data: &[u8]) {
    let shown = match data {
        [1, rest @ ..] => {
            let mut parts = rest.splitn(3, |byte| *byte == b'\n');
            let mut part = || base64(parts.next().unwrap_or_default());
            [part(), part(), part()].join(".").into_bytes()
        }
        _ => damaged(GOOD.as_bytes(), data),
    };
    // What cannot stand in a header never reaches the check.
    if shown.iter().any(|byte| !matches!(byte, b' '..=b'~')) {
        return;
    }
    let shown = String::from_utf8_lossy(&shown);
    let mut connection = CONNECTION.lock().unwrap_or_else(PoisonError::into_inner);
    let head = format!("POST /v1/ops\nAuthorization: Bearer {shown}");
    let answer = connection.ask(&head, b"{}");
    // Blanks around a token are no part of it.
    let is_good = shown.trim() == GOOD.as_str();
    let wanted: &[u16] = if is_good { &[200] } else { &[401, 431] };
    assert!(wanted.contains(&answer.status), "{shown:?}: {answer:?}");
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let word = chunk.iter().fold(0_u32, |word, byte| word << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for at in 0..=chunk.len() {
            text.push(char::from(DIGITS[(word >> (18 - 6 * at) & 63) as usize]));
        }
    }
    text
}
