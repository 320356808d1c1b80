//! What a process used: processor time of all its threads, the most memory, the time on the wall.

use std::fs;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};

/// The unit of the times in /proc: the kernel promises a hundred a second to programs on every machine.
const TICK: Duration = Duration::from_millis(10);

/// What a piece of work took.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Measured {
    /// How many things were done.
    pub units: u64,
    /// Processor time, user and system, in microseconds.
    pub cpu_us: f64,
    /// When it began, in microseconds since 1970.
    pub began_us: f64,
    /// When it ended.
    pub ended_us: f64,
    /// The most memory the process ever held, in KiB.
    pub peak_kib: u64,
}

impl Measured {
    /// Processor time for each thing.
    pub fn cpu_each(&self) -> f64 {
        self.cpu_us / self.units.max(1) as f64
    }

    /// Time on the wall for each thing.
    pub fn wall_each(&self) -> f64 {
        (self.ended_us - self.began_us) / self.units.max(1) as f64
    }

    /// What several processes did at the same time.
    pub fn together(all: &[Self]) -> Self {
        let first = |pick: fn(&Self) -> f64| all.iter().map(pick).fold(f64::INFINITY, f64::min);
        Self {
            units: all.iter().map(|m| m.units).sum(),
            cpu_us: all.iter().map(|m| m.cpu_us).sum(),
            began_us: first(|m| m.began_us),
            ended_us: -first(|m| -m.ended_us),
            peak_kib: all.iter().map(|m| m.peak_kib).max().unwrap_or(0),
        }
    }
}

/// Runs from `start` to `stop`.
pub struct Stopwatch {
    cpu: Duration,
    began: Duration,
}

impl Stopwatch {
    /// Starts.
    pub fn start() -> Self {
        Self { began: since_1970(), cpu: own_cpu() }
    }

    /// Stops, after so many things were done.
    pub fn stop(&self, units: u64) -> Measured {
        Measured {
            units,
            cpu_us: micros(own_cpu() - self.cpu),
            began_us: micros(self.began),
            ended_us: micros(since_1970()),
            peak_kib: peak_kib("self"),
        }
    }
}

/// Processor time of this process, all threads, user and system, to the nanosecond.
pub fn own_cpu() -> Duration {
    clock(ClockId::ProcessCPUTime)
}

/// Processor time of this thread in microseconds, and what the work gave.
pub fn thread_cpu_us<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let before = clock(ClockId::ThreadCPUTime);
    let result = work();
    (micros(clock(ClockId::ThreadCPUTime) - before), result)
}

fn clock(which: ClockId) -> Duration {
    let time = clock_gettime(which);
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    Duration::from_secs(seconds) + Duration::from_nanos(u64::try_from(time.tv_nsec).unwrap_or(0))
}

/// Processor time of the children that ended. The kernel sums nanoseconds and shows ticks, so over many children it is
/// exact to one tick in all.
pub fn children_cpu() -> Result<Duration, String> {
    let stat = fs::read_to_string("/proc/self/stat").map_err(|e| format!("/proc/self/stat: {e}"))?;
    // The name in the second field may hold anything, a bracket too.
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let fields: Vec<&str> = after_name.split_whitespace().collect();
    let ticks = |at: usize| fields.get(at).and_then(|f| f.parse::<u32>().ok()).ok_or("/proc/self/stat is too short");
    Ok(TICK * (ticks(13)? + ticks(14)?))
}

/// The most memory a process ever held; 0 when it cannot be told any more.
pub fn peak_kib(process: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|l| l.split_whitespace().next()).and_then(|n| n.parse().ok()).unwrap_or(0)
}

/// The time now.
pub fn since_1970() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_costs_processor_time_and_waiting_does_not() {
        let watch = Stopwatch::start();
        let mut sum = 0_u64;
        while watch.stop(1).cpu_us < 2000.0 {
            sum = sum.wrapping_mul(31).wrapping_add(1);
        }
        let worked = watch.stop(4);
        assert!(worked.cpu_each() >= 500.0 && worked.wall_each() > 0.0 && sum > 0);
        assert!(worked.peak_kib > 100 && children_cpu().is_ok());
    }

    #[test]
    fn what_runs_at_once_lasts_from_the_first_start_to_the_last_end() {
        let one = |began_us, ended_us| Measured { units: 5, cpu_us: 1.0, began_us, ended_us, peak_kib: 1 };
        let both = Measured::together(&[one(10.0, 30.0), one(15.0, 40.0)]);
        assert_eq!((both.units, both.wall_each(), both.cpu_us), (10, 3.0, 2.0));
    }
}
