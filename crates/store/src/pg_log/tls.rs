//! TLS on the way to PostgreSQL. A connection that is to be encrypted gets all of it: the server's certificate and its host name are checked.

use std::borrow::Cow;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore};
use tokio_postgres_rustls::MakeRustlsConnect;

/// What an address says of TLS, in the words of libpq.
const MODE: &str = "sslmode";
const ROOTS: &str = "sslrootcert";
const CERTIFICATE: &str = "sslcert";
const KEY: &str = "sslkey";

/// What an address says of TLS.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct TlsOptions {
    /// Whether connections are encrypted.
    is_on: bool,
    roots: Option<PathBuf>,
    certificate: Option<PathBuf>,
    key: Option<PathBuf>,
}

impl TlsOptions {
    /// Takes them out of an address: the rest is for the client, which does not know them.
    pub fn take(url: &str) -> Result<(String, Self), String> {
        // A password may have a question mark in it, as far as the client is concerned.
        let host = url.find('@').map_or(0, |at| at + 1);
        let Some(at) = url[host..].find('?').map(|at| host + at) else { return Ok((url.to_owned(), Self::default())) };
        let (place, query) = (&url[..at], &url[at + 1..]);
        let mut options = Self::default();
        let mut rest = Vec::new();
        for part in query.split('&') {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            match decoded(name, name)?.as_ref() {
                MODE => options.is_on = is_on(value)?,
                ROOTS => options.roots = Some(path(ROOTS, value)?),
                CERTIFICATE => options.certificate = Some(path(CERTIFICATE, value)?),
                KEY => options.key = Some(path(KEY, value)?),
                _ => rest.push(part),
            }
        }
        let names_files = options.roots.is_some() || options.certificate.is_some() || options.key.is_some();
        if names_files && !options.is_on {
            return Err(format!("{ROOTS}, {CERTIFICATE} and {KEY} need {MODE}=require"));
        }
        if options.certificate.is_some() != options.key.is_some() {
            return Err(format!("{CERTIFICATE} and {KEY} belong together"));
        }
        let rest = rest.join("&");
        Ok((if rest.is_empty() { place.to_owned() } else { format!("{place}?{rest}") }, options))
    }

    /// What makes connections encrypted; `None` where they are not.
    pub fn connector(&self) -> Result<Option<MakeRustlsConnect>, String> {
        if !self.is_on {
            return Ok(None);
        }
        let mut roots = RootCertStore::empty();
        match &self.roots {
            None => roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned()),
            Some(file) => {
                for certificate in certificates(ROOTS, file)? {
                    roots.add(certificate).map_err(|error| format!("{ROOTS} {}: {error}", file.display()))?;
                }
            }
        }
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?
            .with_root_certificates(roots);
        let config = match self.certificate.as_deref().zip(self.key.as_deref()) {
            None => config.with_no_client_auth(),
            Some((certificate, key)) => {
                let wrong = |error| format!("{KEY} {}: {error}", key.display());
                let private =
                    PrivateKeyDer::from_pem_slice(&read(KEY, key)?).map_err(|error| wrong(error.to_string()))?;
                config
                    .with_client_auth_cert(certificates(CERTIFICATE, certificate)?, private)
                    .map_err(|error| wrong(error.to_string()))?
            }
        };
        Ok(Some(MakeRustlsConnect::new(config)))
    }
}

fn is_on(mode: &str) -> Result<bool, String> {
    match mode {
        "disable" => Ok(false),
        "require" | "verify-ca" | "verify-full" => Ok(true),
        "allow" | "prefer" => {
            Err(format!("{MODE}={mode} protects nothing, because it goes on without TLS: use require or disable"))
        }
        _ => Err(format!("{MODE}={mode} is not known: use require or disable")),
    }
}

/// A path as it stands in an address, percent-encoded.
fn path(name: &str, value: &str) -> Result<PathBuf, String> {
    let path = decoded(name, value)?;
    if path.is_empty() {
        return Err(format!("{name} names no file"));
    }
    Ok(PathBuf::from(path.as_ref()))
}

fn decoded<'a>(name: &str, text: &'a str) -> Result<Cow<'a, str>, String> {
    percent_encoding::percent_decode_str(text).decode_utf8().map_err(|error| format!("{name}: {error}"))
}

fn read(name: &str, file: &Path) -> Result<Vec<u8>, String> {
    fs::read(file).map_err(|error| format!("{name} {}: {error}", file.display()))
}

fn certificates(name: &str, file: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let text = read(name, file)?;
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&text).collect();
    match found {
        Ok(found) if !found.is_empty() => Ok(found),
        Ok(_) => Err(format!("{name} {} holds no certificate in PEM", file.display())),
        Err(error) => Err(format!("{name} {}: {error}", file.display())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_address_says_of_tls_is_taken_out_of_it() {
        let (rest, options) = TlsOptions::take(
            "postgres://ann:p@db/memory?sslmode=verify-full&connect_timeout=3&sslrootcert=%2Fetc%2Fmy%20ca.pem",
        )
        .expect("it is right");
        assert_eq!(rest, "postgres://ann:p@db/memory?connect_timeout=3");
        assert_eq!(options, TlsOptions { is_on: true, roots: Some("/etc/my ca.pem".into()), ..TlsOptions::default() });
        for plain in ["postgres://db/m", "postgres://db/m?sslmode=disable"] {
            assert_eq!(TlsOptions::take(plain), Ok(("postgres://db/m".to_owned(), TlsOptions::default())), "{plain}");
        }
    }

    #[test]
    fn a_question_mark_in_a_password_and_an_encoded_name_hide_nothing() {
        for url in ["postgres://ann:pa?ss@db/m?sslmode=require", "postgres://ann@db/m?%73slmode=require"] {
            let (rest, options) = TlsOptions::take(url).expect("it is right");
            assert!(options.is_on && rest.ends_with("@db/m"), "{rest}");
        }
    }

    #[test]
    fn what_makes_no_sense_is_refused_with_its_reason() {
        for (query, why) in [
            ("sslmode=prefer", "protects nothing"),
            ("sslmode=banana", "sslmode=banana is not known"),
            ("sslrootcert=/etc/ca.pem", "need sslmode=require"),
            ("sslmode=require&sslcert=/etc/own.pem", "belong together"),
            ("sslmode=require&sslrootcert=", "names no file"),
        ] {
            let refused = TlsOptions::take(&format!("postgres://db/m?{query}")).expect_err(query);
            assert!(refused.contains(why), "{refused}");
        }
    }

    #[test]
    fn a_file_that_holds_no_certificate_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("ca.pem");
        let connector = || {
            let options = TlsOptions { is_on: true, roots: Some(file.clone()), ..TlsOptions::default() };
            options.connector().err().expect("refused")
        };
        assert!(connector().contains("ca.pem"), "it is not there");
        fs::write(&file, "no certificate").expect("written");
        assert!(connector().contains("holds no certificate"), "{}", connector());
    }
}
