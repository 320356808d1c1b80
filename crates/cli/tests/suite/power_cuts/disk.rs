//! A real ext4 file system on an image file, whose power can be cut: what was not flushed is gone, and the journal is replayed.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tempfile::TempDir;

/// Room for a home and what it grows by between two new ones.
const IMAGE_BYTES: u64 = 256 << 20;
/// A journal that is replayed in no time.
const JOURNAL_MIB: &str = "4";
/// How often it is tried to unmount: a process that was killed lets go of its files a moment later.
const TRIES: u32 = 200;

/// The ioctl by which ext4 gives up at once, and the flag by which it does not even flush its journal. Says when it began.
const SHUTDOWN: &str = "import fcntl, os, struct, sys, time\n\
    folder = os.open(sys.argv[1], os.O_RDONLY)\n\
    began = time.time_ns()\n\
    fcntl.ioctl(folder, 0x8004587D, struct.pack('I', 2))\n\
    print(began)";

/// The file system, mounted; unmounted when it is dropped, which frees its loop device.
pub struct Disk {
    folder: TempDir,
}

impl Disk {
    /// A new one, or why there can be none here.
    pub fn new() -> Result<Self, String> {
        if !rustix::process::geteuid().is_root() {
            return Err("only root may mount".to_owned());
        }
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let image = folder.path().join("image");
        let made = std::fs::File::create(&image).and_then(|file| file.set_len(IMAGE_BYTES));
        made.and_then(|()| std::fs::create_dir(folder.path().join("mount"))).map_err(|error| error.to_string())?;
        let journal = format!("size={JOURNAL_MIB}");
        run(Command::new("mkfs.ext4").args(["-q", "-F", "-J", &journal]).arg(&image))?;
        run(Command::new("python3").args(["-c", ""]))?;
        let disk = Self { folder };
        disk.mount()?;
        Ok(disk)
    }

    pub fn path(&self) -> PathBuf {
        self.folder.path().join("mount")
    }

    fn image(&self) -> PathBuf {
        self.folder.path().join("image")
    }

    fn mount(&self) -> Result<(), String> {
        run(Command::new("mount").args(["-o", "loop"]).arg(self.image()).arg(self.path())).map(drop)
    }

    /// From here on nothing reaches the disk any more, and every flush fails. Gives the moment from which that may be so.
    pub fn cut_power(&self) -> SystemTime {
        let said = run(Command::new("python3").args(["-c", SHUTDOWN]).arg(self.path())).expect("the power can be cut");
        let nanos = said.trim().parse().expect("a time");
        UNIX_EPOCH + Duration::from_nanos(nanos)
    }

    /// Starts anew from what is on the disk. Nobody may have a file of it open.
    pub fn restart(&self) {
        assert!(is_unmounted(&self.path()), "somebody still has a file open");
        self.mount().expect("it can be mounted again");
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        if !is_unmounted(&self.path()) {
            let _ = run(Command::new("umount").arg("--lazy").arg(self.path()));
        }
    }
}

fn is_unmounted(path: &Path) -> bool {
    (0..TRIES).any(|_| {
        let done = run(Command::new("umount").arg(path)).is_ok();
        if !done {
            std::thread::sleep(Duration::from_millis(10));
        }
        done
    })
}

/// What a command printed.
fn run(command: &mut Command) -> Result<String, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    match command.stdin(Stdio::null()).output() {
        Ok(output) if output.status.success() => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        Ok(output) => Err(format!("{name}: {}", String::from_utf8_lossy(&output.stderr).trim())),
        Err(error) => Err(format!("{name}: {error}")),
    }
}
