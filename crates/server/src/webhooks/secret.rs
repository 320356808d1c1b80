//! The secret of a webhook, and signatures with it as Standard Webhooks describes them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, Mac};
use sha2::Sha256;

/// Shortest secret.
const SECRET_MIN_BYTES: usize = 16;
/// A secret in base64 begins so.
const PREFIX: &str = "whsec_";

/// What signs messages.
pub struct Secret(Vec<u8>);

impl Secret {
    /// Reads it: base64 behind its prefix, or the letters themselves.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = match text.strip_prefix(PREFIX) {
            Some(encoded) => STANDARD.decode(encoded).ok()?,
            None => text.as_bytes().to_vec(),
        };
        (bytes.len() >= SECRET_MIN_BYTES).then_some(Self(bytes))
    }

    /// The signature of a message, for the header.
    pub fn sign(&self, id: &str, seconds: i64, body: &str) -> Option<String> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).ok()?;
        for part in [id, ".", &seconds.to_string(), ".", body] {
            mac.update(part.as_bytes());
        }
        Some(format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_signed_as_the_standard_says() {
        // The example of the standard's own libraries.
        let secret = Secret::parse("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").expect("a secret");
        let signed = secret.sign("msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, "{\"test\": 2432232314}");
        assert_eq!(signed.as_deref(), Some("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="));
        assert!(Secret::parse("whsec_short").is_none() && Secret::parse("short").is_none());
    }
}
