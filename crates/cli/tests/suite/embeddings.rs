//! A small embeddings endpoint that fails in the ways it is told to, and homes that use it.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};

use super::place::Place;
use super::random::Random;

/// How many numbers its vectors have.
pub const DIMENSIONS: usize = 512;
/// What this endpoint takes for the same: a question with one finds a text with the other, by meaning alone.
pub const SAME_MEANING: (&str, &str) = ("automobile", "car");

/// What the endpoint does with a request.
#[derive(Debug, Clone, PartialEq)]
pub enum Deed {
    /// Vectors made of the words.
    Embed,
    /// Nothing, for longer than anybody waits.
    Hang,
    /// This status and body.
    Say(u16, &'static str),
    /// Vectors of another length.
    WrongDimensions,
    /// One vector too few.
    TooFew,
    /// Vectors, unless a text has this word: then this status.
    Refuse(&'static str, u16),
}

/// A running endpoint.
pub struct Endpoint {
    url: String,
    deed: Arc<Mutex<Deed>>,
}

impl Endpoint {
    /// Starts it.
    pub fn start(deed: Deed) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let url = url(&listener);
        let deed = Arc::new(Mutex::new(deed));
        let doing = Arc::clone(&deed);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let deed = doing.lock().unwrap_or_else(PoisonError::into_inner).clone();
                // A process that is killed while it asks hears nothing: that is no concern of the endpoint.
                std::thread::spawn(move || serve(stream, &deed));
            }
        });
        Self { url, deed }
    }

    /// From now on does something else.
    pub fn now(&self, deed: Deed) {
        *self.deed.lock().unwrap_or_else(PoisonError::into_inner) = deed;
    }

    /// Where it is.
    pub fn url(&self) -> &str {
        &self.url
    }
}

fn url(listener: &TcpListener) -> String {
    format!("http://{}/v1", listener.local_addr().expect("it is bound"))
}

/// Where nobody listens.
pub fn nowhere() -> String {
    url(&TcpListener::bind("127.0.0.1:0").expect("a port is free"))
}

/// Makes a home use an endpoint, impatiently.
pub fn use_endpoint(place: &Place, url: &str) {
    let config = format!(
        "[embedding]\nmodel = \"endpoint\"\nbase_url = \"{url}\"\nname = \"words\"\ndimensions = {DIMENSIONS}\n\
         timeout_seconds = 1\nretries = 0\n"
    );
    std::fs::write(place.home().join("config.toml"), config).expect("the home can be written to");
}

/// Makes a home use the built-in model, or none.
pub fn use_model(place: &Place, model: &str) {
    let config = format!("[embedding]\nmodel = \"{model}\"\n");
    std::fs::write(place.home().join("config.toml"), config).expect("the home can be written to");
}

fn serve(mut stream: TcpStream, deed: &Deed) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut length = 0;
    let mut line = String::new();
    while reader.read_line(&mut line)? > 2 {
        if let Some(("content-length", value)) = line.to_ascii_lowercase().trim().split_once(": ") {
            length = value.parse().unwrap_or(0);
        }
        line.clear();
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let question: Value = serde_json::from_slice(&body).unwrap_or_default();
    let texts: Vec<&str> = question["input"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let (status, answer) = match deed {
        Deed::Hang => {
            std::thread::sleep(Duration::from_secs(20));
            return Ok(());
        }
        Deed::Say(status, body) => (*status, (*body).to_owned()),
        Deed::Refuse(word, status) if texts.iter().any(|text| text.contains(word)) => {
            (*status, "that text is refused".to_owned())
        }
        Deed::WrongDimensions => (200, embeddings(texts.iter().map(|text| vector(text)[1..].to_vec()))),
        Deed::TooFew => (200, embeddings(texts.iter().skip(1).map(|text| vector(text)))),
        Deed::Embed | Deed::Refuse(..) => (200, embeddings(texts.iter().map(|text| vector(text)))),
    };
    let head = format!("HTTP/1.1 {status} X\r\nconnection: close\r\ncontent-length: {}\r\n\r\n", answer.len());
    stream.write_all(format!("{head}{answer}").as_bytes())
}

fn embeddings(vectors: impl Iterator<Item = Vec<f64>>) -> String {
    let data: Vec<Value> =
        vectors.enumerate().map(|(index, vector)| json!({ "index": index, "embedding": vector })).collect();
    json!({ "data": data }).to_string()
}

/// Each word points in a direction of its own, as good as at right angles to all others.
fn vector(text: &str) -> Vec<f64> {
    let mut vector = vec![0.001; DIMENSIONS];
    for word in text.to_lowercase().split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 2) {
        let word = if word == SAME_MEANING.0 { SAME_MEANING.1 } else { word };
        let mut hasher = DefaultHasher::new();
        word.hash(&mut hasher);
        let mut signs = Random::new(hasher.finish());
        vector.iter_mut().for_each(|x| *x += if signs.one_in(2) { 1.0 } else { -1.0 });
    }
    vector
}
