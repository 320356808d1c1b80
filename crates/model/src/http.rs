//! What the endpoints share: one address and its key, requests that are tried again, and errors that show no secret.

use std::fmt;
use std::time::Duration;

use ureq::http::{HeaderMap, Response};
use ureq::{Agent, Body};

/// The first pause between two tries; each further one is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(200);
/// No pause of our own is longer.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// A server that asks for a longer pause than this is left alone.
const LONGEST_WAIT: Duration = Duration::from_secs(30);
/// How much of what an endpoint said is repeated in an error.
const SHOWN_CHARS: usize = 200;

/// How a try failed.
#[derive(Debug)]
pub enum Failure<E> {
    /// Trying again may help, after the pause the server asked for.
    Passing(E, Option<Duration>),
    /// It will not.
    Final(E),
}

/// What must not be shown.
#[derive(Clone, Default)]
pub struct Secrets(Vec<String>);

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secrets")
    }
}

impl Secrets {
    fn new(base_url: &str, key: &str) -> Self {
        let all = [key, userinfo(base_url).unwrap_or_default()];
        Self(all.into_iter().filter(|secret| !secret.is_empty()).map(str::to_owned).collect())
    }

    /// An endpoint may repeat the key it refuses; we do not.
    pub fn hide(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, secret| text.replace(secret.as_str(), "[key]"))
    }

    /// The beginning of what the endpoint said: it may explain itself. Hidden first and cut then, since half a key is a
    /// secret too.
    pub fn excerpt(&self, said: &[u8]) -> String {
        let text = self.hide(&String::from_utf8_lossy(said));
        text.chars().take(SHOWN_CHARS).flat_map(char::escape_debug).collect()
    }
}

/// One server with an OpenAI-compatible interface.
pub struct Peer {
    base: String,
    key: String,
    agent: Agent,
    /// What its errors must not show.
    pub secrets: Secrets,
}

impl Peer {
    /// `timeout` is for one try from the first to the last byte.
    pub fn new(base_url: &str, key: &str, timeout: Duration) -> Self {
        let config = Agent::config_builder()
            .timeout_global(Some(timeout))
            .http_status_as_error(false)
            // A redirected key is a key given away.
            .max_redirects(0)
            .max_redirects_will_error(false)
            // A library reads no environment.
            .proxy(None)
            .build();
        let secrets = Secrets::new(base_url, key);
        Self { base: trimmed(base_url).to_owned(), key: key.to_owned(), agent: config.into(), secrets }
    }

    /// Sends a JSON body; with `idle`, the server may never be silent for longer.
    pub fn post(&self, path: &str, body: &[u8], idle: Option<Duration>) -> Result<Response<Body>, ureq::Error> {
        let url = format!("{}/{path}", self.base);
        let mut request = self.agent.post(url).header("content-type", "application/json");
        if !self.key.is_empty() {
            request = request.header("authorization", format!("Bearer {}", self.key));
        }
        request.config().timeout_per_read(idle).build().send(body)
    }
}

/// Whether a status may be another one next time.
pub fn passes(status: u16) -> bool {
    matches!(status, 408 | 425 | 429 | 500..)
}

/// Whether an error may not happen next time.
pub fn may_pass(error: &ureq::Error) -> bool {
    use ureq::Error;
    !matches!(error, Error::BodyExceedsLimit(_) | Error::BadUri(_) | Error::Http(_))
}

/// The pause a server asks for, in seconds. A date is not understood: it would need a clock.
pub fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    headers.get("retry-after")?.to_str().ok()?.trim().parse().ok().map(Duration::from_secs)
}

/// Tries until it works, cannot work, or was tried again `retries` times.
pub fn patiently<T, E>(retries: u32, mut once: impl FnMut() -> Result<T, Failure<E>>) -> Result<T, E> {
    let mut own = FIRST_PAUSE;
    let mut left = retries;
    loop {
        let (error, asked) = match once() {
            Ok(answer) => return Ok(answer),
            Err(Failure::Final(error)) => return Err(error),
            Err(Failure::Passing(error, asked)) => (error, asked),
        };
        match pause(own, asked) {
            Some(pause) if left > 0 => std::thread::sleep(pause),
            _ => return Err(error),
        }
        own = (own * 2).min(LONGEST_PAUSE);
        left -= 1;
    }
}

/// How long to wait before the next try; none if the server asks for more patience than there is.
fn pause(own: Duration, asked: Option<Duration>) -> Option<Duration> {
    let pause = asked.map_or(own, |asked| asked.max(own));
    (pause <= LONGEST_WAIT).then_some(pause)
}

/// The address without the slashes that change nothing.
pub fn trimmed(base_url: &str) -> &str {
    base_url.trim_end_matches('/')
}

/// The address as it may be shown: without a name and a password in it.
pub fn shown(base_url: &str) -> String {
    Secrets::new(base_url, "").hide(base_url)
}

fn userinfo(base_url: &str) -> Option<&str> {
    let (_, rest) = base_url.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    authority.rsplit_once('@').map(|(userinfo, _)| userinfo)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_waited_for_as_long_as_it_asks_but_not_forever() {
        let seconds = Duration::from_secs;
        assert_eq!(pause(seconds(1), None), Some(seconds(1)));
        assert_eq!(pause(seconds(1), Some(seconds(7))), Some(seconds(7)));
        assert_eq!(pause(seconds(1), Some(seconds(0))), Some(seconds(1)), "a hurried server is not hammered");
        assert_eq!(pause(seconds(1), Some(seconds(3600))), None);
    }

    #[test]
    fn a_pause_is_read_in_seconds_only() {
        let asked = |value: &'static str| {
            let value = ureq::http::HeaderValue::from_static(value);
            retry_after(&HeaderMap::from_iter([(ureq::http::header::RETRY_AFTER, value)]))
        };
        assert_eq!(asked(" 12 "), Some(Duration::from_secs(12)));
        assert_eq!(asked("Wed, 21 Oct 2026 07:28:00 GMT"), None);
        assert_eq!(asked("-1"), None);
        assert_eq!(retry_after(&HeaderMap::new()), None);
    }

    #[test]
    fn secrets_are_hidden_before_anything_is_cut() {
        let secrets = Secrets::new("http://me:pass@host/v1", "sk-key");
        assert_eq!(secrets.hide("sk-key at me:pass@host"), "[key] at [key]@host");
        let long = format!("{}sk-key", "x".repeat(SHOWN_CHARS - 3));
        assert!(secrets.excerpt(long.as_bytes()).ends_with("x[ke"), "half a key is not shown");
        assert_eq!(shown("http://me:pass@host/v1"), "http://[key]@host/v1");
        assert_eq!(shown("http://host/v1/@"), "http://host/v1/@");
        assert_eq!(format!("{secrets:?}"), "Secrets");
    }
}
