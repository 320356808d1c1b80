//! A real, small HTTP server that answers as it is told to.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What the server does with one request.
#[derive(Clone)]
pub enum Deed {
    /// Status and body.
    Answer(u16, String),
    /// Status, a header and body.
    Headed(u16, &'static str, String),
    /// A stream in these pieces.
    Stream(Vec<Vec<u8>>),
    /// A stream in these pieces, each but the first only when the test lets it go.
    Led(Vec<Vec<u8>>, Arc<Mutex<Receiver<()>>>),
    /// A stream that begins like this and then says nothing for this long.
    Stall(Vec<u8>, Duration),
    /// A stream whose length was promised but does not come.
    Break(Vec<u8>),
    /// This, and then that so many times.
    Endless(String, String, usize),
    /// A proper answer: for each text, its length and ones, so that order can be told.
    Embed { dimensions: usize },
    /// Says nothing for this long.
    Hang(Duration),
    /// Closes the connection without a word.
    Close,
}

/// What came in.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    pub line: String,
    pub authorization: Option<String>,
    pub body: serde_json::Value,
}

/// The address, and the requests so far. The deeds are done one by one; the last is repeated.
pub struct Server {
    pub url: String,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    pub fn start(deeds: Vec<Deed>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("the test speaks proper HTTP");
        let url = format!("http://{}/v1", listener.local_addr().expect("the test speaks proper HTTP"));
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&requests);
        std::thread::spawn(move || {
            for (at, stream) in listener.incoming().enumerate() {
                let deed = deeds[at.min(deeds.len() - 1)].clone();
                let seen = Arc::clone(&seen);
                std::thread::spawn(move || serve(stream.expect("the test speaks proper HTTP"), &deed, &seen));
            }
        });
        Self { url, requests }
    }

    pub fn requests(&self) -> Vec<Request> {
        self.requests.lock().expect("the test speaks proper HTTP").clone()
    }
}

fn serve(mut stream: TcpStream, deed: &Deed, seen: &Mutex<Vec<Request>>) {
    let mut reader = BufReader::new(stream.try_clone().expect("the test speaks proper HTTP"));
    let mut line = String::new();
    reader.read_line(&mut line).expect("the test speaks proper HTTP");
    let mut length = 0;
    let mut authorization = None;
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).expect("the test speaks proper HTTP");
        let Some((name, value)) = header.trim().split_once(": ") else { break };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.parse().expect("the test speaks proper HTTP"),
            "authorization" => authorization = Some(value.to_owned()),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).expect("the test speaks proper HTTP");
    let body: serde_json::Value = serde_json::from_slice(&body).expect("the test speaks proper HTTP");
    seen.lock().expect("the test speaks proper HTTP").push(Request {
        line: line.trim().to_owned(),
        authorization,
        body: body.clone(),
    });
    let (status, header, answer) = match deed {
        Deed::Answer(status, answer) => (*status, "x-test: 1", answer.clone()),
        Deed::Headed(status, header, answer) => (*status, *header, answer.clone()),
        Deed::Embed { dimensions } => (200, "x-test: 1", embeddings(&body, *dimensions)),
        Deed::Hang(pause) => return std::thread::sleep(*pause),
        Deed::Close => return,
        // Who was heard enough is hung up on, which is no trouble of the server's.
        streamed => return stream_out(&mut stream, streamed).unwrap_or_default(),
    };
    let length = answer.len();
    let head = format!("HTTP/1.1 {status} X\r\nconnection: close\r\n{header}\r\ncontent-length: {length}\r\n\r\n");
    stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(answer.as_bytes())).unwrap_or_default();
}

fn stream_out(stream: &mut TcpStream, deed: &Deed) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let head =
        |more: &str| format!("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: text/event-stream{more}\r\n\r\n");
    let chunk = |piece: &[u8]| [format!("{:x}\r\n", piece.len()).as_bytes(), piece, b"\r\n"].concat();
    match deed {
        Deed::Stream(pieces) => {
            stream.write_all(head("").as_bytes())?;
            pieces.iter().try_for_each(|piece| stream.write_all(piece))
        }
        Deed::Led(pieces, leave) => {
            stream.write_all(head("\r\ntransfer-encoding: chunked").as_bytes())?;
            for (at, piece) in pieces.iter().enumerate() {
                if at > 0 {
                    leave.lock().expect("the test leads").recv().expect("the test leads");
                }
                stream.write_all(&chunk(piece))?;
            }
            stream.write_all(b"0\r\n\r\n")
        }
        Deed::Stall(beginning, pause) => {
            stream.write_all(head("").as_bytes())?;
            stream.write_all(beginning)?;
            std::thread::sleep(*pause);
            Ok(())
        }
        Deed::Break(beginning) => {
            stream.write_all(head("\r\ntransfer-encoding: chunked").as_bytes())?;
            stream.write_all(&chunk(beginning))
        }
        Deed::Endless(beginning, rest, times) => {
            stream.write_all(head("").as_bytes())?;
            stream.write_all(beginning.as_bytes())?;
            (0..*times).try_for_each(|_| stream.write_all(rest.as_bytes()))
        }
        _ => Ok(()),
    }
}

/// In reverse order, since an endpoint may answer in any.
fn embeddings(question: &serde_json::Value, dimensions: usize) -> String {
    let texts = question["input"].as_array().expect("the test speaks proper HTTP");
    let data = texts.iter().enumerate().rev().map(|(index, text)| {
        let mut vector = vec![1.0; dimensions];
        vector[0] = text.as_str().expect("the test speaks proper HTTP").len() as f64;
        serde_json::json!({ "object": "embedding", "index": index, "embedding": vector })
    });
    serde_json::json!({ "object": "list", "data": data.collect::<Vec<_>>(), "model": "m" }).to_string()
}
