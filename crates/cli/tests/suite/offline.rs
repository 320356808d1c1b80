//! Nothing is sent anywhere unless an endpoint is configured: no command opens a connection.

use std::process::{Command, Stdio};

use super::place::{Place, say};

/// What a person does on an ordinary day.
const COMMANDS: [&[&str]; 9] = [
    &["remember", "The build needs Node 20", "--author", "ann"],
    &["fact", "store", "Ann lives in Brno"],
    &["recall", "which Node does the build need?"],
    &["context", "where does Ann live?"],
    &["extract"],
    &["dream"],
    &["doctor"],
    &["verify"],
    &["export"],
];

/// Whether a call of the system would reach another machine, or asks for one's address.
fn is_network(line: &str) -> bool {
    line.contains("AF_INET") || line.contains("sin_addr") || line.contains("sin6_addr")
}

#[test]
fn no_command_opens_a_connection() {
    let place = Place::new();
    if Command::new("strace").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_err() {
        say("SKIPPED: strace is not here, so that nobody can see which calls of the system are made");
        return;
    }
    let seen = place.path("calls");
    for command in COMMANDS {
        let own = place.command(command);
        let mut traced = Command::new("strace");
        traced.args(["-f", "-qq", "-e", "trace=network", "-o"]).arg(&seen).arg(own.get_program()).args(own.get_args());
        traced.current_dir(own.get_current_dir().expect("a folder")).env_clear();
        traced.envs(own.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let done = traced.stdin(Stdio::null()).output().expect("it starts");
        assert!(done.status.success(), "{command:?}: {}", String::from_utf8_lossy(&done.stderr));
        let calls = std::fs::read_to_string(&seen).expect("what strace saw");
        let sent: Vec<&str> = calls.lines().filter(|line| is_network(line)).collect();
        assert!(sent.is_empty(), "{command:?}: {sent:#?}");
    }
}
