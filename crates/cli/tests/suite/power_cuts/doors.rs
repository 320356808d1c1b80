//! The three doors to a log: a stream of lines, HTTP, and MCP. Each can be killed at any moment.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::super::place::Place;
use super::super::server::Client;
use super::history::{Attempt, Outcome};

/// Through which the events come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Door {
    /// `idetic append -`, a process for each writer.
    Stream,
    /// `idetic serve`, one process for all.
    Http,
    /// `idetic mcp`, a process for each writer.
    Mcp,
}

/// What a writer has open.
pub trait Session {
    /// Hands an event in and waits for the answer.
    fn append(&mut self, attempt: &Attempt) -> Outcome;

    /// The number of the event with an id; an error where whoever is asked is gone.
    fn read(&mut self, id: &str) -> Result<Option<u64>, Gone>;
}

/// Whoever was asked is gone, or its disk.
#[derive(Debug)]
pub struct Gone;

/// The processes that run, for whoever kills them. One that has ended is taken out before it is waited for.
#[derive(Default)]
pub struct Running(Mutex<Vec<u32>>);

impl Running {
    fn list(&self) -> MutexGuard<'_, Vec<u32>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Kills all of them, or those that are chosen.
    pub fn kill(&self, chosen: impl Fn(usize) -> bool) {
        for (_, process) in self.list().iter().enumerate().filter(|(at, _)| chosen(*at)) {
            let process = i32::try_from(*process).ok().and_then(Pid::from_raw).expect("a process");
            let _ = kill_process(process, Signal::KILL);
        }
    }
}

/// A process of ours, killed when it is dropped.
pub struct Process<'a> {
    child: Child,
    running: &'a Running,
}

impl<'a> Process<'a> {
    fn start(place: &Place, running: &'a Running, args: &[&str]) -> Self {
        let mut command = place.command(args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let child = command.spawn().expect("the program starts");
        running.list().push(child.id());
        Self { child, running }
    }

    fn pipes(&mut self) -> (ChildStdin, BufReader<ChildStdout>) {
        let (input, output) = (self.child.stdin.take().expect("piped"), self.child.stdout.take().expect("piped"));
        (input, BufReader::new(output))
    }
}

impl Drop for Process<'_> {
    fn drop(&mut self) {
        self.running.list().retain(|process| *process != self.child.id());
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A line that came whole.
fn line(output: &mut impl BufRead) -> Result<Value, Gone> {
    let mut line = String::new();
    output.read_line(&mut line).map_err(|_| Gone)?;
    if line.ends_with('\n') { serde_json::from_str(&line).map_err(|_| Gone) } else { Err(Gone) }
}

fn record(attempt: &Attempt) -> Value {
    json!({"id": attempt.id, "kind": "user_input", "content": attempt.content})
}

/// `idetic append -`.
pub struct Stream<'a> {
    place: &'a Place,
    _process: Process<'a>,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl<'a> Stream<'a> {
    pub fn open(place: &'a Place, running: &'a Running) -> Self {
        let mut process = Process::start(place, running, &["append", "-"]);
        let (input, output) = process.pipes();
        Self { place, _process: process, input, output }
    }
}

impl Session for Stream<'_> {
    fn append(&mut self, attempt: &Attempt) -> Outcome {
        if let Some(expect) = attempt.expect {
            // What is expected is an argument, so a process of its own.
            let text = format!("{}\n", record(attempt));
            let answer = self.place.feed(&["append", "-", "--expect", &expect.to_string()], text);
            let ack: Option<Value> = serde_json::from_str(&answer.out).ok();
            return match (answer.code, ack.and_then(|ack| ack["seq"].as_u64())) {
                (_, Some(seq)) => Outcome::Acknowledged(seq),
                (4, None) => Outcome::Refused,
                _ => Outcome::Unknown,
            };
        }
        let sent = self.input.write_all(format!("{}\n", record(attempt)).as_bytes());
        let ack = sent.map_err(|_| Gone).and_then(|()| line(&mut self.output));
        match ack.ok().and_then(|ack| ack["seq"].as_u64()) {
            Some(seq) => Outcome::Acknowledged(seq),
            None => Outcome::Unknown,
        }
    }

    fn read(&mut self, id: &str) -> Result<Option<u64>, Gone> {
        let answer = self.place.run(&["--json", "get", id]);
        match answer.code {
            0 => Ok(serde_json::from_str::<Value>(&answer.out).map_err(|_| Gone)?["seq"].as_u64()),
            3 => Ok(None),
            _ => Err(Gone),
        }
    }
}

/// `idetic serve`, and where it listens.
pub struct Served<'a> {
    _process: Process<'a>,
    pub address: String,
}

impl<'a> Served<'a> {
    pub fn start(place: &Place, running: &'a Running) -> Option<Self> {
        let args = ["serve", "--listen", "127.0.0.1:0", "--log", "off", "--open"];
        let mut process = Process::start(place, running, &args);
        let (_, mut output) = process.pipes();
        let mut line = String::new();
        output.read_line(&mut line).ok()?;
        let address = line.trim().strip_prefix("http://")?.to_owned();
        Some(Self { _process: process, address })
    }
}

impl Session for Client {
    fn append(&mut self, attempt: &Attempt) -> Outcome {
        let mut asked = json!({"events": [record(attempt)]});
        if let Some(expect) = attempt.expect {
            asked["expect"] = expect.into();
        }
        match self.try_post("/v1/append", "", &asked.to_string()) {
            Ok((200, said)) => seq_in(&said).map_or(Outcome::Unknown, Outcome::Acknowledged),
            Ok((409, _)) => Outcome::Refused,
            _ => Outcome::Unknown,
        }
    }

    fn read(&mut self, id: &str) -> Result<Option<u64>, Gone> {
        match self.try_post("/v1/get", "", &json!({"event": id}).to_string()) {
            Ok((200, said)) => Ok(seq_in(&said)),
            Ok((404, _)) => Ok(None),
            _ => Err(Gone),
        }
    }
}

/// The first number of an event in an answer.
fn seq_in(said: &str) -> Option<u64> {
    let (_, rest) = said.split_once("\"seq\":")?;
    let digits: String = rest.trim_start().chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

/// `idetic mcp`.
pub struct Mcp<'a> {
    _process: Process<'a>,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    asked: u64,
}

impl<'a> Mcp<'a> {
    pub fn open(place: &Place, running: &'a Running) -> Option<Self> {
        let mut process = Process::start(place, running, &["mcp"]);
        let (input, output) = process.pipes();
        let mut mcp = Self { _process: process, input, output, asked: 0 };
        let client = json!({"name": "writer", "version": "1"});
        let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
        mcp.ask("initialize", &hello).ok()?;
        writeln!(mcp.input, r#"{{"jsonrpc":"2.0","method":"notifications/initialized"}}"#).ok()?;
        Some(mcp)
    }

    fn ask(&mut self, method: &str, params: &Value) -> Result<Value, Gone> {
        self.asked += 1;
        let asked = json!({"jsonrpc": "2.0", "id": self.asked, "method": method, "params": params});
        writeln!(self.input, "{asked}").map_err(|_| Gone)?;
        line(&mut self.output)
    }

    /// What a tool said, and whether that is an error.
    fn call(&mut self, tool: &str, arguments: &Value) -> Result<(bool, String), Gone> {
        let answer = self.ask("tools/call", &json!({"name": tool, "arguments": arguments}))?;
        Ok((answer["result"]["isError"] == true || answer.get("error").is_some(), answer["result"].to_string()))
    }
}

impl Session for Mcp<'_> {
    fn append(&mut self, attempt: &Attempt) -> Outcome {
        let said = self.call("remember", &json!({"text": attempt.content, "id": attempt.id}));
        match said {
            Ok((false, said)) => seq_in(&said.replace('\\', "")).map_or(Outcome::Unknown, Outcome::Acknowledged),
            _ => Outcome::Unknown,
        }
    }

    fn read(&mut self, id: &str) -> Result<Option<u64>, Gone> {
        match self.call("get", &json!({"event": id}))? {
            (false, said) => Ok(seq_in(&said.replace('\\', ""))),
            (true, said) if said.contains("there is no event") => Ok(None),
            (true, _) => Err(Gone),
        }
    }
}
