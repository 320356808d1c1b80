//! An issuer of tokens, made for tests alone: what it signs, and what a server knows of it.

use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use serde_json::json;

/// The private key of the issuer (PKCS #8), made for tests alone, and its public part, which the server knows.
const PRIVATE: &str =
    "302e020100300506032b65700422042008953a51c313953d960ffcf6cc9dd15b83452942e8da4e1dc4dd0849cb625f9c";
const PUBLIC: &str = "M7P3UvatiGnQiLV8AMmWRBno-qqgGGcUzh4nx-94OM0";
const KEY_ID: &str = "k1";

/// A token of these claims.
pub fn signed(claims: &serde_json::Value) -> String {
    let header = Header { kid: Some(KEY_ID.to_owned()), ..Header::new(Algorithm::EdDSA) };
    let byte = |at| u8::from_str_radix(&PRIVATE[at..at + 2], 16).expect("a byte");
    let der: Vec<u8> = (0..PRIVATE.len()).step_by(2).map(byte).collect();
    encode(&header, claims, &EncodingKey::from_ed_der(&der)).expect("a token")
}

/// What the server is to know of the issuer.
pub fn public_keys() -> String {
    json!({"keys": [{"kty": "OKP", "crv": "Ed25519", "x": PUBLIC, "kid": KEY_ID, "alg": "EdDSA", "use": "sig"}]})
        .to_string()
}
