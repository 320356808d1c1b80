//! Folders for homes and files: in memory where that can be, and cleared away by whoever comes next.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// An empty folder of this process. libFuzzer ends a process without telling it, so that folders of processes that are
/// gone are removed here.
pub fn folder(name: &str) -> PathBuf {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let memory = Path::new("/dev/shm");
    let base = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() }.join("idetic-fuzz");
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    if count == 0 {
        remove_left_over(&base);
    }
    let folder = base.join(format!("{}-{count}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for what is tried");
    folder
}

fn remove_left_over(base: &Path) {
    let Ok(entries) = std::fs::read_dir(base) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let process = name.to_str().and_then(|name| name.split('-').next()).unwrap_or_default().to_owned();
        if !Path::new("/proc").join(&process).exists() {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}
