//! A tool that calls an address: what is configured, and the request it becomes.

use std::fmt;

use idetic_core::{Invalid, invalid};
use serde_json::{Map, Value, json};

use super::{Argument, ArgumentType, Template, plain};
use crate::placeholders::{self, Piece};

/// The methods there are.
const METHODS: [&str; 5] = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/// An address that is called.
#[derive(Debug, Clone, PartialEq)]
pub struct Http {
    /// One of GET, POST, PUT, PATCH and DELETE.
    pub method: String,
    /// What is sent with it.
    pub headers: Vec<Header>,
    url: Template,
    /// JSON, with places that each become a JSON value, a text with its quotes.
    body: Option<Template>,
}

/// A header. Keys do not stand in the configuration: it names the variable that holds one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Header {
    /// A value that is no secret.
    Plain {
        /// The header's name.
        name: String,
        /// Its value.
        value: String,
    },
    /// A value from the environment.
    Variable {
        /// The header's name.
        name: String,
        /// The variable's name.
        variable: String,
        /// What stands before its value, such as `Bearer `.
        prefix: String,
    },
}

/// A request that is ready to be sent. Shown without the values of its headers: one may be a key.
#[derive(Clone, PartialEq, Eq)]
pub struct HttpRequest {
    /// The method.
    pub method: String,
    /// The address.
    pub url: String,
    /// Names and values.
    pub headers: Vec<(String, String)>,
    /// JSON.
    pub body: Option<String>,
}

impl fmt::Debug for HttpRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.headers.iter().map(|(name, _)| name.as_str()).collect();
        let mut shown = f.debug_struct("HttpRequest");
        shown.field("method", &self.method).field("url", &self.url).field("headers", &names);
        shown.field("body", &self.body).finish()
    }
}

/// Why no request could be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HttpTrouble {
    /// The variable that should hold a header's value is not set.
    MissingVariable(String),
    /// The value of this variable cannot stand in a header.
    UnusableVariable(String),
    /// An argument would lead to another part of the server.
    Path,
}

impl fmt::Display for HttpTrouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MissingVariable(name) => write!(f, "the environment variable {name} is not set"),
            Self::UnusableVariable(name) => {
                write!(f, "the environment variable {name} has characters that are not allowed in a header")
            }
            Self::Path => f.write_str("an argument may not make '.' or '..' a part of the address"),
        }
    }
}

impl std::error::Error for HttpTrouble {}

impl Http {
    /// Checks a configuration. The places in the address and the body are the tool's arguments.
    pub(super) fn new(
        url: &str,
        method: Option<&str>,
        headers: Vec<Header>,
        body: Option<&str>,
        arguments: &[Argument],
    ) -> Result<Self, Invalid> {
        let method = method.unwrap_or(if body.is_some() { "POST" } else { "GET" }).to_ascii_uppercase();
        if !METHODS.contains(&method.as_str()) {
            return Err(Invalid::new(format!("method '{}' is not known", invalid::excerpt(&method)))
                .hint(format!("one of {}", METHODS.join(", "))));
        }
        headers.iter().try_for_each(check_header)?;
        let url = address(url)?;
        let body = body.map(|body| json_body(body, arguments)).transpose()?;
        Ok(Self { method, headers, url, body })
    }

    /// The places in the address and the body.
    pub(super) fn places(&self) -> impl Iterator<Item = &str> {
        let body = self.body.iter().flat_map(|body| placeholders::names(&body.0));
        placeholders::names(&self.url.0).chain(body)
    }

    /// The request for checked arguments. The caller looks up the variables.
    pub fn request(
        &self,
        arguments: &Map<String, Value>,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<HttpRequest, HttpTrouble> {
        let url = self.url.fill_with(arguments, |value| percent_encoded(&plain(value)));
        if steps_out(&url) {
            return Err(HttpTrouble::Path);
        }
        let header = |header: &Header| match header {
            Header::Plain { name, value } => Ok((name.clone(), value.clone())),
            Header::Variable { name, variable: key, prefix } => {
                let value = variable(key).ok_or_else(|| HttpTrouble::MissingVariable(key.clone()))?;
                let usable = !value.is_empty() && value.chars().all(is_header_char);
                if usable {
                    Ok((name.clone(), prefix.clone() + &value))
                } else {
                    Err(HttpTrouble::UnusableVariable(key.clone()))
                }
            }
        };
        let headers = self.headers.iter().map(header).collect::<Result<_, _>>()?;
        let body = self.body.as_ref().map(|body| body.fill_with(arguments, Value::to_string));
        Ok(HttpRequest { method: self.method.clone(), url, headers, body })
    }
}

fn json_body(text: &str, arguments: &[Argument]) -> Result<Template, Invalid> {
    let template = Template(placeholders::read(text)?);
    let example = |argument: &Argument| match argument.kind {
        ArgumentType::String => json!("text"),
        ArgumentType::Number => json!(1),
    };
    let examples = arguments.iter().map(|argument| (argument.name.clone(), example(argument))).collect();
    let filled = template.fill_with(&examples, Value::to_string);
    if serde_json::from_str::<Value>(&filled).is_err() {
        return Err(Invalid::new("body is not JSON when its placeholders are filled")
            .hint("a placeholder becomes a JSON value, a text with its quotes: {\"q\": {{query}}}"));
    }
    Ok(template)
}

/// An address over http or https, whose server no argument can change.
fn address(text: &str) -> Result<Template, Invalid> {
    let refuse = |why: &str| {
        Err(Invalid::new(format!("url '{}' {why}", invalid::excerpt(text)))
            .hint("write https://server/path?query={{argument}}"))
    };
    let scheme = ["http://", "https://"]
        .into_iter()
        .find(|scheme| text.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme)));
    let Some(scheme) = scheme else { return refuse("is not http or https") };
    let rest = &text[scheme.len()..];
    let server = &rest[..rest.find(['/', '?', '#']).unwrap_or(rest.len())];
    if server.is_empty() {
        return refuse("names no server");
    }
    if server.contains("{{") {
        return refuse("has a placeholder in the server's name, so an argument would choose which server to call");
    }
    if server.contains(['@', '\\']) {
        return refuse("has a user or a backslash before the server's name; send a key in a header");
    }
    let pieces = placeholders::read(text)?;
    let is_bad = |c: char| c.is_whitespace() || c.is_control() || !c.is_ascii();
    let text_pieces = pieces.iter().filter_map(|piece| match piece {
        Piece::Text(text) => Some(text),
        Piece::Place(_) => None,
    });
    if text_pieces.into_iter().any(|text| text.contains(is_bad)) {
        return refuse("has characters that must be percent-encoded");
    }
    Ok(Template(pieces))
}

fn is_header_char(c: char) -> bool {
    c == ' ' || c.is_ascii_graphic()
}

fn check_header(header: &Header) -> Result<(), Invalid> {
    let (name, value) = match header {
        Header::Plain { name, value } => (name, value),
        Header::Variable { name, prefix, .. } => (name, prefix),
    };
    let is_token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    if name.is_empty() || !name.chars().all(is_token) {
        return Err(Invalid::new(format!("'{}' is not the name of a header", invalid::excerpt(name))));
    }
    if !value.chars().all(is_header_char) {
        return Err(Invalid::new(format!("the header {name} has characters that are not allowed in a header")));
    }
    Ok(())
}

fn percent_encoded(text: &str) -> String {
    let encode = |byte: u8| match byte {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    text.bytes().map(encode).collect()
}

/// Clients take such parts of a path out, and the ones before them with it.
fn steps_out(url: &str) -> bool {
    let path = &url[..url.find(['?', '#']).unwrap_or(url.len())];
    path.split('/').any(|part| {
        let part = part.to_ascii_lowercase().replace("%2e", ".");
        part == "." || part == ".."
    })
}
