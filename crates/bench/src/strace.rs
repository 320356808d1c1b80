//! Flushes counted from outside: every `fsync` and `fdatasync` a child makes, told apart by the file it flushes.

use std::fs;
use std::process::{Command, Stdio};

use super::ground::{Ground, succeed};
use super::task::Task;
use super::tasks::append::MARKS;

/// What was seen between the two marks.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Flushes {
    /// Transactions: the log takes its lock once for each.
    pub commits: u64,
    /// Flushes of the write-ahead log.
    pub wal: u64,
    /// Flushes of the database itself, which only a checkpoint makes.
    pub database: u64,
    /// Any other.
    pub other: u64,
}

/// Whether flushes can be counted here at all.
pub fn is_there() -> bool {
    Command::new("strace").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

/// Runs a task and counts.
pub fn count(ground: &Ground, task: &Task) -> Result<Flushes, String> {
    let trace = ground.folder().join("strace.out");
    let child = ground.child(task)?;
    let mut command = Command::new("strace");
    // The filter in the kernel lets every other call pass at full speed.
    command.args(["-f", "--seccomp-bpf", "-y", "-e", "trace=fsync,fdatasync,flock", "-o"]).arg(&trace);
    command.arg(child.get_program()).args(child.get_args());
    succeed(command.stdout(Stdio::null()), "strace")?;
    let text = fs::read_to_string(&trace).map_err(|e| format!("{}: {e}", trace.display()))?;
    parse(&text)
}

fn parse(trace: &str) -> Result<Flushes, String> {
    let mut lines = trace.lines();
    let mut until = |mark: &str| lines.by_ref().take_while(|line| !line.contains(mark)).collect::<Vec<_>>();
    until(MARKS[0]);
    let measured = until(MARKS[1]);
    if !trace.contains(MARKS[1]) {
        return Err("the trace has no marks".to_owned());
    }
    let mut flushes = Flushes::default();
    // A call that another thread interrupts has a second line, which says `resumed` instead of the call.
    for line in measured {
        let is_flush = line.contains(" fdatasync(") || line.contains(" fsync(");
        match line {
            line if line.contains(" flock(") => {
                flushes.commits += u64::from(line.contains("log.lock>, LOCK_EX"));
            }
            line if is_flush && line.contains(".db-wal>") => flushes.wal += 1,
            line if is_flush && line.contains(".db>") => flushes.database += 1,
            _ => flushes.other += u64::from(is_flush),
        }
    }
    Ok(flushes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_lies_between_the_marks_counts_and_each_call_once() {
        let trace = "7 fdatasync(3</x/log.db-wal>) = 0\n7 fdatasync(3</x/mark-begin>) = 0\n\
            7 flock(5</x/log.lock>, LOCK_EX) = 0\n8 fdatasync(3</x/log.db-wal> <unfinished ...>\n\
            7 flock(5</x/log.lock>, LOCK_UN) = 0\n8 <... fdatasync resumed>) = 0\n\
            7 fdatasync(4</x/log.db>) = 0\n7 fsync(9</x>) = 0\n7 fdatasync(3</x/mark-end>) = 0\n\
            7 fdatasync(3</x/log.db-wal>) = 0\n";
        assert_eq!(parse(trace), Ok(Flushes { commits: 1, wal: 1, database: 1, other: 1 }));
        assert!(parse("").is_err());
    }
}
