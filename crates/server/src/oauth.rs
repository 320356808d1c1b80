//! Tokens of remote MCP clients: a resource server in the sense of OAuth takes what a trusted issuer signed for it.

use std::path::PathBuf;

use idetic_ops::core::{SpaceName, Time};
use idetic_ops::{Grant, Rights};
use jsonwebtoken::jwk::JwkSet;
use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode, decode_header};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::Principal;

/// Signatures that are taken: of a private key that only the issuer has.
const ALGORITHMS: [Algorithm; 5] =
    [Algorithm::RS256, Algorithm::PS256, Algorithm::ES256, Algorithm::ES384, Algorithm::EdDSA];
/// The scopes by which a token allows reading and writing. None allows administering.
pub const READ: &str = "memory:read";
pub const WRITE: &str = "memory:write";
/// How much the issuer's clock may differ, as the check of a token allows.
const LEEWAY_SECONDS: f64 = 60.0;
/// Largest file of public keys.
const KEYS_MAX_BYTES: u64 = 1 << 20;

/// Whose tokens are taken, and for whom they must be.
pub struct OAuth {
    issuer: String,
    audience: String,
    keys_file: PathBuf,
}

#[derive(Deserialize)]
struct Claims {
    sub: String,
    /// When it ends, in seconds.
    exp: f64,
    #[serde(default)]
    scope: String,
    #[serde(default)]
    idetic_user: Option<String>,
    #[serde(default)]
    idetic_collection: Option<String>,
    #[serde(default)]
    idetic_agent: Option<String>,
}

impl OAuth {
    /// As the configuration says; none where it says nothing.
    pub fn of(config: &idetic_ops::config::Server, home: &std::path::Path) -> Option<Self> {
        (!config.oauth_issuer.is_empty()).then(|| Self {
            issuer: config.oauth_issuer.clone(),
            audience: config.oauth_audience.clone(),
            keys_file: home.join(&config.oauth_keys_file),
        })
    }

    /// What tells a client where to get a token (RFC 9728).
    pub fn metadata(&self) -> Value {
        json!({
            "resource": self.audience,
            "authorization_servers": [self.issuer],
            "scopes_supported": [READ, WRITE],
            "bearer_methods_supported": ["header"],
            "resource_name": "Idetic",
        })
    }

    /// Where those metadata are.
    pub fn metadata_url(&self) -> String {
        let end =
            self.audience.find("://").and_then(|at| self.audience[at + 3..].find('/').map(|slash| at + 3 + slash));
        format!("{}/.well-known/oauth-protected-resource", &self.audience[..end.unwrap_or(self.audience.len())])
    }

    /// Who shows a token, if it is good: signed by the issuer, for this server, not expired. Its user is the subject.
    pub fn check(&self, token: &str) -> Option<Principal> {
        let header = decode_header(token).ok().filter(|header| ALGORITHMS.contains(&header.alg))?;
        let set = self.keys()?;
        let jwk = match &header.kid {
            Some(kid) => set.find(kid)?,
            None => set.keys.first().filter(|_| set.keys.len() == 1)?,
        };
        let mut validation = Validation::new(header.alg);
        validation.set_issuer(&[&self.issuer]);
        validation.set_audience(&[&self.audience]);
        validation.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
        validation.validate_nbf = true;
        let claims = decode::<Claims>(token, &DecodingKey::from_jwk(jwk).ok()?, &validation).ok()?.claims;
        let rights = claims.scope.split_whitespace().filter_map(right).max()?;
        let user = claims.idetic_user.unwrap_or_else(|| claims.sub.clone());
        // A subject that cannot be a user has no memory here.
        SpaceName::parse(&format!("{user}/default")).ok()?;
        let grant = Grant {
            user: Some(user),
            collection: claims.idetic_collection,
            agent: claims.idetic_agent,
            ..Grant::default()
        };
        #[expect(clippy::cast_possible_truncation, reason = "a time beyond what can be told is the last there is")]
        let until = Time(((claims.exp + LEEWAY_SECONDS) * 1e6) as i64);
        Some(Principal::of_token(format!("oauth:{}", claims.sub), rights, grant, until))
    }

    fn keys(&self) -> Option<JwkSet> {
        let short = std::fs::metadata(&self.keys_file).ok()?.len() <= KEYS_MAX_BYTES;
        let text = short.then(|| std::fs::read_to_string(&self.keys_file).ok())??;
        serde_json::from_str(&text).ok()
    }
}

fn right(scope: &str) -> Option<Rights> {
    match scope {
        READ => Some(Rights::Read),
        WRITE => Some(Rights::Write),
        _ => None,
    }
}
