//! A running `idetic append -`: lines in, acknowledgements out, while the pipe stays open.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use super::place::{Answer, Place};

/// No acknowledgement takes this long on any disk; a test that waits for ever says nothing.
const PATIENCE: Duration = Duration::from_secs(60);

/// The process and its pipes.
pub struct Stream {
    child: Child,
    stdin: Option<ChildStdin>,
    acks: Receiver<Ack>,
    complaints: Option<JoinHandle<String>>,
}

/// An acknowledgement as it was printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ack {
    /// The number of the event.
    pub seq: u64,
    /// Its id.
    pub id: String,
}

impl Stream {
    /// Starts `append -` with more arguments.
    pub fn start(place: &Place, args: &[&str]) -> Self {
        let mut command = place.command(&[&["append", "-"], args].concat());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let stdin = child.stdin.take();
        let mut out = BufReader::new(child.stdout.take().expect("it was piped"));
        let mut err = child.stderr.take().expect("it was piped");
        let (sender, acks) = channel();
        std::thread::spawn(move || {
            let mut line = String::new();
            // What a killed process left without a line break acknowledges nothing.
            while out.read_line(&mut line).is_ok_and(|n| n > 0) && line.ends_with('\n') {
                if sender.send(Ack::read(&line)).is_err() {
                    return;
                }
                line.clear();
            }
        });
        let complaints = std::thread::spawn(move || {
            let mut text = String::new();
            err.read_to_string(&mut text).expect("the messages are UTF-8");
            text
        });
        Self { child, stdin, acks, complaints: Some(complaints) }
    }

    /// Sends bytes in one write; false when the process is gone.
    pub fn send(&mut self, bytes: impl AsRef<[u8]>) -> bool {
        let stdin = self.stdin.as_mut().expect("the input is open");
        stdin.write_all(bytes.as_ref()).is_ok()
    }

    /// Sends one line.
    pub fn line(&mut self, line: &str) {
        assert!(self.send(format!("{line}\n")), "the process is gone");
    }

    /// The next acknowledgement.
    pub fn ack(&mut self) -> Ack {
        self.acks.recv_timeout(PATIENCE).expect("an acknowledgement comes")
    }

    /// Sends one line and waits for its acknowledgement.
    pub fn one(&mut self, line: &str) -> Ack {
        self.line(line);
        self.ack()
    }

    /// The next acknowledgement, or none when the process ends without one.
    pub fn try_ack(&mut self) -> Option<Ack> {
        match self.acks.recv_timeout(PATIENCE) {
            Err(RecvTimeoutError::Timeout) => panic!("neither an acknowledgement nor an end"),
            answer => answer.ok(),
        }
    }

    /// The number of the process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Closes the input and waits for the end; gives what was not read yet.
    pub fn close(mut self) -> (Vec<Ack>, Answer) {
        self.stdin = None;
        self.end()
    }

    /// Waits for the process to end by itself; gives what was not read yet.
    pub fn end(mut self) -> (Vec<Ack>, Answer) {
        let acks = self.acks.iter().collect();
        let status = self.child.wait().expect("the process ends");
        let err = self.complaints.take().expect("taken once").join().expect("the messages are read");
        (acks, Answer { code: status.code().unwrap_or(-1), out: String::new(), err })
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        // After a failed assertion nothing may stay behind.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Ack {
    /// Reads a line: exactly the number and the id.
    pub fn read(line: &str) -> Self {
        let value: serde_json::Value = serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
        let (seq, id) = (value["seq"].as_u64().expect("a seq"), value["id"].as_str().expect("an id").to_owned());
        assert_eq!(line.trim_end(), format!("{{\"seq\":{seq},\"id\":{}}}", serde_json::Value::from(id.as_str())));
        Self { seq, id }
    }
}
