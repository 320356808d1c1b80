//! A server that is our child: started with what it is given and nothing else, listened to, and always brought to an end.

use std::collections::VecDeque;
use std::io;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::AsyncReadExt;
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;

/// What is kept of its standard error, for the message about its end.
const LAST_WORDS_MAX_BYTES: usize = 2 << 10;
/// How much of it is shown.
const SHOWN_MAX_CHARS: usize = 600;
/// One look at its standard error.
const READ_BYTES: usize = 4 << 10;
/// How long a server may take to end once its input has.
const END_WAIT: Duration = Duration::from_secs(2);
/// And how long the system may take to end one that was killed.
const KILL_WAIT: Duration = Duration::from_secs(2);
/// How long the last words of one that has ended are waited for.
const WORDS_WAIT: Duration = Duration::from_millis(200);

type Words = Arc<Mutex<VecDeque<u8>>>;

/// A running server.
pub struct ServerProcess {
    child: Child,
    status: Option<ExitStatus>,
    words: Words,
    listener: tokio::task::JoinHandle<()>,
}

/// Starts a server in a process group of its own, so that what it starts can be ended with it.
pub fn start(
    program: &str,
    arguments: &[String],
    env: &[(String, String)],
    folder: Option<&Path>,
) -> io::Result<(ServerProcess, ChildStdout, ChildStdin)> {
    let mut command = Command::new(program);
    command.args(arguments).env_clear().envs(env.iter().map(|(name, value)| (name, value)));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.process_group(0).kill_on_drop(true);
    if let Some(folder) = folder {
        command.current_dir(folder);
    }
    let mut child = command.spawn()?;
    let missing = || io::Error::other("a pipe to it is missing");
    let input = child.stdin.take().ok_or_else(missing)?;
    let output = child.stdout.take().ok_or_else(missing)?;
    let complaints = child.stderr.take().ok_or_else(missing)?;
    let words = Words::default();
    let listener = tokio::spawn(listen(complaints, Arc::clone(&words)));
    Ok((ServerProcess { child, status: None, words, listener }, output, input))
}

/// Keeps the end of what is said.
async fn listen(mut complaints: ChildStderr, words: Words) {
    let mut piece = vec![0; READ_BYTES];
    while let Ok(bytes @ 1..) = complaints.read(&mut piece).await {
        let mut words = words.lock().unwrap_or_else(PoisonError::into_inner);
        words.extend(&piece[..bytes]);
        let surplus = words.len().saturating_sub(LAST_WORDS_MAX_BYTES);
        words.drain(..surplus);
    }
}

impl ServerProcess {
    /// How it ended, if that is known.
    pub fn status(&self) -> Option<ExitStatus> {
        self.status
    }

    /// Waits for its end. May be dropped and asked again.
    pub async fn ended(&mut self) {
        while self.status.is_none() {
            match self.child.wait().await {
                Ok(status) => self.status = Some(status),
                // Nothing is known then, and the limits of time still hold.
                Err(_) => std::future::pending::<()>().await,
            }
        }
    }

    /// The end of its standard error, on one line; nothing if it said nothing.
    pub async fn last_words(&mut self) -> Option<String> {
        if self.status.is_some() && !self.listener.is_finished() {
            // Something it started may hold the pipe open.
            let _ = timeout(WORDS_WAIT, &mut self.listener).await;
        }
        let bytes: Vec<u8> = self.words.lock().unwrap_or_else(PoisonError::into_inner).iter().copied().collect();
        let text = String::from_utf8_lossy(&bytes);
        let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let line = lines.join(" | ");
        let surplus = line.chars().count().saturating_sub(SHOWN_MAX_CHARS);
        let shown: String = line.chars().skip(surplus).filter(|c| !c.is_control()).collect();
        (!shown.is_empty()).then_some(shown)
    }

    /// Waits a little for the end of a server whose input is closed, then kills it with all it started.
    pub async fn end(mut self) {
        if timeout(END_WAIT, self.ended()).await.is_err() {
            self.kill();
            let _ = timeout(KILL_WAIT, self.ended()).await;
        }
        self.listener.abort();
    }

    fn kill(&mut self) {
        // The number is known only as long as nobody has waited for the child, so it is no other's.
        let number = self.child.id().and_then(|number| i32::try_from(number).ok());
        if let Some(group) = number.and_then(Pid::from_raw) {
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}
