//! Tokens of an issuer (OAuth): taken when they are signed, for this server and not over; else not.

use std::time::{SystemTime, UNIX_EPOCH};

use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use serde_json::{Value, json};

use super::stage::Stage;

/// Two private keys (PKCS #8), made for this test alone.
pub const KEY: &str =
    "302e020100300506032b65700422042008953a51c313953d960ffcf6cc9dd15b83452942e8da4e1dc4dd0849cb625f9c";
const OTHER: &str = "302e020100300506032b65700422042013c92dd46eaa1005ac173242f569fbf3ba98fbcb8d09d011f8f45271ffacde1f";
pub const PUBLIC: &str = "M7P3UvatiGnQiLV8AMmWRBno-qqgGGcUzh4nx-94OM0";
pub const CONFIG: &str = "[server]\noauth_issuer = \"https://issuer.example\"\noauth_audience = \"https://memory.example/mcp\"\n\
                      oauth_keys_file = \"jwks.json\"\n";

pub fn token(private: &str, claims: &Value) -> String {
    let header = Header { kid: Some("k1".to_owned()), ..Header::new(Algorithm::EdDSA) };
    let byte = |at| u8::from_str_radix(&private[at..at + 2], 16).expect("a byte");
    let der: Vec<u8> = (0..private.len()).step_by(2).map(byte).collect();
    encode(&header, claims, &EncodingKey::from_ed_der(&der)).expect("a token")
}

pub fn in_seconds(seconds: i64) -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_secs();
    i64::try_from(now).expect("a time") + seconds
}

#[test]
fn a_token_is_good_for_its_subject_and_its_scope() {
    let stage = Stage::with(CONFIG, None, false);
    let keys =
        json!({"keys": [{"kty": "OKP", "crv": "Ed25519", "x": PUBLIC, "kid": "k1", "alg": "EdDSA", "use": "sig"}]});
    std::fs::write(stage.folder.path().join("jwks.json"), keys.to_string()).expect("written");
    let claims = |change: &dyn Fn(&mut Value)| {
        let mut claims = json!({"iss": "https://issuer.example", "aud": "https://memory.example/mcp", "sub": "ann", "exp": in_seconds(600), "scope": "memory:write"});
        change(&mut claims);
        claims
    };
    let good = token(KEY, &claims(&|_| {}));
    stage.post("/v1/remember", &good, &json!({"text": "ann likes tea"})).ok();
    let admin = stage.admin();
    let kept = stage.post_in("ann/default", "/v1/log", &admin, &json!({})).ok();
    assert_eq!(kept["items"][0]["content"], "ann likes tea", "the subject is the user");
    assert_eq!(stage.post_in("bob/default", "/v1/remember", &good, &json!({"text": "x"})).status, 404);
    assert_eq!(stage.post("/v1/rebuild", &good, &json!({})).status, 403, "no token administers");
    let reader = token(KEY, &claims(&|c| c["scope"] = json!("openid memory:read")));
    assert_eq!(stage.post("/v1/remember", &reader, &json!({"text": "x"})).status, 403);
    assert_eq!(stage.post("/v1/recall", &reader, &json!({"query": "tea"})).status, 200);
    let wrong: [(&str, String); 8] = [
        ("another's signature", token(OTHER, &claims(&|_| {}))),
        ("over", token(KEY, &claims(&|c| c["exp"] = json!(in_seconds(-3600))))),
        ("another issuer", token(KEY, &claims(&|c| c["iss"] = json!("https://evil.example")))),
        ("for another server", token(KEY, &claims(&|c| c["aud"] = json!("https://other.example")))),
        ("no end", token(KEY, &claims(&|c| drop(c.as_object_mut().expect("claims").remove("exp"))))),
        ("no scope", token(KEY, &claims(&|c| c["scope"] = json!("openid")))),
        ("a subject that is a path", token(KEY, &claims(&|c| c["sub"] = json!("../../x")))),
        ("not signed", format!("eyJhbGciOiJub25lIn0.{}.", good.split('.').nth(1).expect("claims"))),
    ];
    for (what, token) in wrong {
        let answer = stage.post("/v1/ops", &token, &json!({}));
        assert_eq!(answer.status, 401, "{what}: {answer:?}");
        let challenge = answer.header("www-authenticate").expect("a challenge");
        assert!(challenge.contains("https://memory.example/.well-known/oauth-protected-resource"), "{challenge}");
    }
    let metadata = stage.send("GET", "/.well-known/oauth-protected-resource", &[], b"").ok();
    assert_eq!(metadata["authorization_servers"], json!(["https://issuer.example"]));
}
