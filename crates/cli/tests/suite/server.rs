//! The program as a server on loopback, and a client that keeps its connection.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use super::place::Place;

/// How long a client waits before it says that the server hangs.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server, killed when it is dropped.
pub struct Server {
    child: Child,
    pub address: String,
}

impl Server {
    /// Serves the place's home to whoever asks on this machine.
    pub fn open(place: &Place) -> Self {
        Self::start(place, &["--open"])
    }

    pub fn start(place: &Place, more: &[&str]) -> Self {
        Self::launch(place, &[&["--log", "off"], more].concat(), Stdio::null())
    }

    /// The same, with the lines it logs in a file.
    pub fn logging(place: &Place, more: &[&str], file: &Path) -> Self {
        let file = std::fs::File::create(file).expect("a file can be made");
        Self::launch(place, &[&["--log", "json"], more].concat(), file.into())
    }

    fn launch(place: &Place, more: &[&str], errors: Stdio) -> Self {
        let mut command = place.command(&[&["serve", "--listen", "127.0.0.1:0"], more].concat());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(errors);
        let mut child = command.spawn().expect("the program starts");
        let mut line = String::new();
        let out = child.stdout.take().expect("it was piped");
        BufReader::new(out).read_line(&mut line).expect("it says where it listens");
        let address = line.trim().strip_prefix("http://").unwrap_or_else(|| panic!("it said {line:?}")).to_owned();
        Self { child, address }
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends it a signal.
    pub fn signal(&self, signal: Signal) {
        let process = Pid::from_raw(i32::try_from(self.child.id()).expect("an id")).expect("a process");
        kill_process(process, signal).expect("it is there");
    }

    /// Waits for its end.
    pub fn wait(&mut self) -> ExitStatus {
        self.child.wait().expect("it ends")
    }

    pub fn client(&self) -> Client {
        Client::connect(&self.address).expect("it listens")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A connection that is kept.
pub struct Client {
    stream: BufReader<TcpStream>,
    address: String,
}

impl Client {
    pub fn connect(address: &str) -> std::io::Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        Ok(Self { stream: BufReader::new(stream), address: address.to_owned() })
    }

    /// Asks, and waits for the whole answer: its status and its body. An error where the server went away.
    pub fn try_post(&mut self, path: &str, headers: &str, body: &str) -> std::io::Result<(u16, String)> {
        let length = body.len();
        let head =
            format!("POST {path} HTTP/1.1\r\nHost: {}\r\n{headers}Content-Length: {length}\r\n\r\n", self.address);
        self.stream.get_mut().write_all(format!("{head}{body}").as_bytes())?;
        let gone = || std::io::Error::from(std::io::ErrorKind::UnexpectedEof);
        let mut line = String::new();
        self.stream.read_line(&mut line)?;
        let status = line.split_whitespace().nth(1).and_then(|status| status.parse().ok()).ok_or_else(gone)?;
        let mut length = 0;
        loop {
            line.clear();
            if self.stream.read_line(&mut line)? == 0 {
                return Err(gone());
            }
            if line.trim().is_empty() {
                break;
            }
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().map_err(|_| gone())?;
            }
        }
        let mut answer = vec![0; length];
        self.stream.read_exact(&mut answer)?;
        Ok((status, String::from_utf8_lossy(&answer).into_owned()))
    }

    /// Asks in a space; the answer must be a good one.
    pub fn post_in(&mut self, space: &str, path: &str, body: &Value) -> Value {
        let said = self.try_post(path, &format!("Idetic-Space: {space}\r\n"), &body.to_string());
        let (status, said) = said.expect("the server answers");
        assert_eq!(status, 200, "{path} {body}: {said}");
        serde_json::from_str(&said).expect("JSON")
    }
}
