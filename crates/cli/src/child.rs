//! A command that is run inside a trace: started, left alone, and remembered once it has ended.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io::{self, ErrorKind, IsTerminal, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ChildStderr, Command, ExitCode, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use clap::ArgMatches;
use idetic_ops::{OwnerContext, Run, new_trace, record_run};
use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
use signal_hook::iterator::Signals;

/// Most bytes of a command's standard error that are remembered.
pub const TAIL_MAX_BYTES: u32 = 256 << 10;
/// How long the rest of the standard error is waited for when something that still runs holds it open.
const LAST_WORDS: Duration = Duration::from_secs(1);
/// What is passed on to the command.
const PASSED_ON: [i32; 6] = [SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2];

/// Runs a command and remembers it. Whatever becomes of the memory, the exit code is the command's own.
pub fn run(context: &mut OwnerContext, arguments: &ArgMatches) -> ExitCode {
    let words: Vec<OsString> = arguments.get_many("command").unwrap_or_default().cloned().collect();
    let tail_bytes = arguments.get_one::<u32>("tail").copied().unwrap_or(0);
    let trace_id = context.trace_id.clone().unwrap_or_else(|| new_trace(&context.env));
    let mut run = Run {
        command: words.iter().map(|word| word.to_string_lossy().into_owned()).collect(),
        agent: arguments.get_one::<String>("agent").cloned(),
        trace_id,
        started: Some(context.env.now()),
        ..Run::default()
    };
    let began = Instant::now();
    let code = match carry_out(&words, &run.trace_id, tail_bytes as usize) {
        Ok((status, tail)) => {
            (run.exit_status, run.signal, run.tail) = (status.code(), status.signal(), tail);
            status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0))
        }
        Err(error) => {
            let code = if error.kind() == ErrorKind::NotFound { 127 } else { 126 };
            (context.notice)(&format!("cannot start {}: {error}", words[0].display()));
            run.error = Some(error.to_string());
            code
        }
    };
    run.duration_ms = i64::try_from(began.elapsed().as_millis()).unwrap_or(i64::MAX);
    if let Err(error) = context.space_or_new().and_then(|space| record_run(&space, run)) {
        (context.notice)(&format!("the run could not be remembered: {error}"));
    }
    ExitCode::from(u8::try_from(code).unwrap_or(u8::MAX))
}

/// Starts a command and waits for it; with the last bytes of its standard error where some are wanted.
fn carry_out(words: &[OsString], trace_id: &str, tail_bytes: usize) -> io::Result<(ExitStatus, Option<String>)> {
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).env("CHORA_TRACE_ID", trace_id);
    if tail_bytes > 0 {
        command.stderr(Stdio::piped());
    }
    // Heard from before the command starts, so that none is lost; acted on once there is somebody to pass it on to.
    let ignored = ignored_signals();
    let signals = Signals::new(PASSED_ON.iter().filter(|signal| !ignored.contains(signal)));
    let mut child = command.spawn()?;
    let tail = child.stderr.take().map(|stderr| Tail::follow(stderr, tail_bytes));
    let signals = signals.map(|signals| pass_on(signals, &child));
    let status = child.wait();
    if let Ok(handle) = signals {
        handle.close();
    }
    Ok((status?, tail.map(Tail::finish)))
}

/// Passes signals on to a command in a thread of its own.
fn pass_on(mut signals: Signals, child: &Child) -> signal_hook::iterator::Handle {
    let handle = signals.handle();
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    // Keys typed at a terminal reach every process there: passed on they would arrive twice.
    let at_terminal = io::stdin().is_terminal() || io::stderr().is_terminal();
    thread::spawn(move || {
        for signal in signals.forever() {
            let from_keys = at_terminal && (signal == SIGINT || signal == SIGQUIT);
            if let (Some(pid), Some(signal), false) = (pid, Signal::from_named_raw(signal), from_keys) {
                // Gone already: then there is nobody to tell.
                let _ = kill_process(pid, signal);
            }
        }
    });
    handle
}

/// Signals that this process was started to ignore, as by `nohup`: the command is to ignore them too.
fn ignored_signals() -> Vec<i32> {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    PASSED_ON.into_iter().filter(|signal| mask >> (signal - 1) & 1 == 1).collect()
}

/// The end of a stream that is passed through.
struct Tail {
    kept: Arc<Mutex<VecDeque<u8>>>,
    ended: Receiver<()>,
}

impl Tail {
    fn follow(mut from: ChildStderr, most_bytes: usize) -> Self {
        let kept = Arc::new(Mutex::new(VecDeque::with_capacity(most_bytes)));
        let (done, ended) = channel();
        let keep = Arc::clone(&kept);
        thread::spawn(move || {
            let mut buffer = vec![0; 16 << 10];
            loop {
                let count = match from.read(&mut buffer) {
                    Ok(0) => break,
                    Ok(count) => count,
                    Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                    Err(_) => break,
                };
                // Where nobody listens any more the command is not to notice.
                let _ = io::stderr().write_all(&buffer[..count]);
                let mut kept = keep.lock().unwrap_or_else(PoisonError::into_inner);
                kept.extend(&buffer[..count]);
                let over = kept.len().saturating_sub(most_bytes);
                kept.drain(..over);
            }
            let _ = done.send(());
        });
        Self { kept, ended }
    }

    /// What was kept, once the stream has ended or was waited for long enough; without half a character at its beginning.
    fn finish(self) -> String {
        let _ = self.ended.recv_timeout(LAST_WORDS);
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        while kept.front().is_some_and(|byte| byte & 0xc0 == 0x80) {
            kept.pop_front();
        }
        String::from_utf8_lossy(kept.make_contiguous()).into_owned()
    }
}
