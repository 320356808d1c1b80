//! The machine a run was made on, and how busy others kept it meanwhile.

use std::fs;
use std::path::Path;
use std::thread::available_parallelism;
use std::time::Instant;

use super::clocks::{children_cpu, own_cpu};
use super::report::grouped;

/// What the figures were measured on, one sentence a line.
pub fn describe(data: &Path) -> Vec<String> {
    let cores = available_parallelism().map_or(0, usize::from);
    let memory_kib = field("/proc/meminfo", "MemTotal").and_then(|m| m.split(' ').next()?.parse::<u64>().ok());
    let processor = field("/proc/cpuinfo", "model name").unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    vec![
        format!("Machine: {processor}, {cores} cores, {} MiB of memory.", grouped(memory_kib.unwrap_or(0) / 1024)),
        format!("Kernel: {} {}.", std::env::consts::OS, line("/proc/sys/kernel/osrelease")),
        format!("SQLite {}, built into the program.", rusqlite::version()),
        format!("Disk: {}.", disk(data).unwrap_or_else(|| "unknown".to_owned())),
    ]
}

/// The file system a folder lies on and the device below it.
fn disk(data: &Path) -> Option<String> {
    let data = data.canonicalize().ok()?;
    let mounts = fs::read_to_string("/proc/self/mounts").ok()?;
    let mounted = mounts.lines().filter_map(|line| {
        let mut words = line.split(' ');
        let (device, place, kind) = (words.next()?, words.next()?, words.next()?);
        data.starts_with(place).then_some((place.len(), device, kind))
    });
    let (_, device, kind) = mounted.max_by_key(|(depth, ..)| *depth)?;
    let name = device.rsplit('/').next().unwrap_or(device);
    let block = format!("/sys/class/block/{name}");
    let virtio = fs::read_link(&block).is_ok_and(|link| link.to_string_lossy().contains("virtio"));
    let bus = if virtio { "a virtual disk" } else { "a disk" };
    let spins = if line(&format!("{block}/queue/rotational")) == "1" { "rotating" } else { "solid-state" };
    let cache = line(&format!("{block}/queue/write_cache"));
    Some(format!("{kind} on {name}, {bus} that calls itself {spins}, write cache: {cache}"))
}

fn line(path: &str) -> String {
    fs::read_to_string(path).map_or_else(|_| "unknown".to_owned(), |text| text.trim().to_owned())
}

fn field(path: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let value = text.lines().find_map(|line| line.strip_prefix(name)?.split_once(':'))?.1;
    Some(value.trim().to_owned())
}

/// Notes what the whole machine did from now on.
pub struct Load {
    busy_seconds: f64,
    own_seconds: f64,
    began: Instant,
}

impl Load {
    /// Starts to look.
    pub fn watch() -> Self {
        Self { busy_seconds: busy_seconds(), own_seconds: own_seconds(), began: Instant::now() }
    }

    /// How much of the machine others used.
    pub fn say(&self) -> String {
        let cores = available_parallelism().map_or(1, usize::from) as f64;
        let wall = self.began.elapsed().as_secs_f64();
        let own = own_seconds() - self.own_seconds;
        let others = (busy_seconds() - self.busy_seconds - own).max(0.0);
        format!(
            "The run took {:.0} s and {own:.0} s of processor time; meanwhile other processes and the kernel used \
             {:.0} % of the machine's {cores} cores.",
            wall,
            others / (wall * cores) * 100.0
        )
    }
}

/// Processor time of everything on the machine: user, nice, system, interrupts, stolen.
fn busy_seconds() -> f64 {
    let stat = line("/proc/stat");
    let ticks: Vec<f64> =
        stat.lines().next().unwrap_or_default().split_whitespace().filter_map(|w| w.parse().ok()).collect();
    [0, 1, 2, 5, 6, 7].iter().filter_map(|at| ticks.get(*at)).sum::<f64>() / 100.0
}

fn own_seconds() -> f64 {
    (own_cpu() + children_cpu().unwrap_or_default()).as_secs_f64()
}
