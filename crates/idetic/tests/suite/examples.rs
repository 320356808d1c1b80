//! Every example runs and says what it promises.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

/// The example that was built beside this test.
fn program(name: &str) -> PathBuf {
    let own = std::env::current_exe().expect("a path");
    let profile = own.ancestors().nth(2).expect("target/PROFILE/deps");
    profile.join("examples").join(name)
}

fn start(name: &str, folder: &TempDir, more: &[&str]) -> Child {
    let mut command = Command::new(program(name));
    command.arg(folder.path().join("memory")).args(more);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it was built and starts")
}

fn said(name: &str, input: &str) -> String {
    let folder = TempDir::new().expect("a folder");
    let mut child = start(name, &folder, &[]);
    child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{name}: {:?}", output.status);
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn a_chat_remembers_what_was_said_before() {
    let said = said("chat_loop", "The build needs Node 20\nwhich Node does the build need?\n");
    let (first, second) = said.split_once('\n').expect("two answers");
    assert_eq!(first, "Noted: The build needs Node 20");
    assert!(second.contains("I remember") && second.contains("Node 20"), "{second}");
}

#[test]
fn the_actor_sees_nothing_of_the_subconscious() {
    let said = said("two_personas", "");
    let (actor, subconscious) = said.split_once("subconscious:\n").expect("both");
    assert!(actor.contains("faster build") && !actor.contains("impatient"), "{said}");
    assert!(subconscious.contains("impatient") && subconscious.contains("faster build"), "{said}");
}

#[test]
fn the_past_answers_as_it_did() {
    let said = said("time_travel", "");
    let mut lines = said.lines();
    assert_eq!(lines.next(), Some("then: Deploys go out on Fridays"));
    assert!(lines.nth(1).is_some_and(|line| line.contains("Tuesdays")), "{said}");
}

#[test]
fn what_is_forgotten_is_gone() {
    assert_eq!(said("forgetting", ""), "forgotten: 1 event\nfound now: 0\nchecked: 3 events\n");
}

#[test]
fn another_server_has_a_memory() {
    let folder = TempDir::new().expect("a folder");
    let mut child = start("axum_server", &folder, &["127.0.0.1:0"]);
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("it says where");
    let address = line.trim().strip_prefix("listening on ").expect("an address").to_owned();
    let ask = |request: &str| {
        let mut stream = TcpStream::connect(&address).expect("it listens");
        stream.write_all(request.as_bytes()).expect("it reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("it answers");
        answer
    };
    let text = "The build needs Node 20";
    let length = text.len();
    ask(&format!("POST /remember HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{text}"));
    let answer = ask("GET /recall?q=which+Node HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    child.kill().expect("it can be stopped");
    child.wait().expect("it is over");
    assert!(answer.ends_with("[\"The build needs Node 20\"]"), "{answer}");
}
