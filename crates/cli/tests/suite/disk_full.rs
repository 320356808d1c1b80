//! A full disk: exit 5, nothing that is there is harmed, and work goes on once there is room again.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::place::{Answer, Place, number, said, say};
use super::stream::Stream;

/// A small file system of its own, taken away at the end.
struct SmallDisk(PathBuf);

impl SmallDisk {
    /// Mounts it, which only the superuser may do; else says why not.
    fn mount(folder: &Path) -> Result<Self, String> {
        std::fs::create_dir_all(folder).map_err(|e| e.to_string())?;
        let mut mount = Command::new("mount");
        let mounted = mount.args(["-t", "tmpfs", "-o", "size=2m", "tmpfs"]).arg(folder).output();
        match mounted {
            Ok(output) if output.status.success() => Ok(Self(folder.to_owned())),
            Ok(output) => Err(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
            Err(error) => Err(error.to_string()),
        }
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).output();
    }
}

/// Appends until the disk is full; gives how many were acknowledged and how it ended.
fn fill(place: &Place, line: &str) -> (u64, Answer) {
    let mut stream = Stream::start(place, &[]);
    let mut acknowledged = 0;
    for _ in 0..5000 {
        if !stream.send(format!("{line}\n")) {
            break;
        }
        match stream.try_ack() {
            Some(_) => acknowledged += 1,
            None => break,
        }
    }
    let (rest, end) = stream.close();
    (acknowledged + rest.len() as u64, end)
}

#[test]
fn a_full_disk_is_unavailable_harms_nothing_and_work_goes_on_after_it() {
    let place = Place::bare();
    let disk = match SmallDisk::mount(&place.home()) {
        Ok(disk) => disk,
        Err(why) => return say(&format!("the disk-full test is skipped, a tmpfs cannot be mounted: {why}")),
    };
    let ballast = place.home().join("ballast");
    std::fs::write(&ballast, vec![0; 1200 << 10]).expect("there is room yet");
    place.ok(&["init", &place.arg("home")]);
    place.append(&[said("the first")]);
    place.ok(&["log"]);
    let mut events = 1;
    // Long lines until they no longer fit, then short ones, so that nothing but crumbs is left.
    for line in [said(&"x".repeat(8000)), said("short")] {
        let (acknowledged, end) = fill(&place, &line);
        let (what, hint) = end.refused(5);
        assert!(what.contains("the disk is full") && hint.contains("free some space"), "{what} / {hint}");
        events += acknowledged;
    }
    assert!(events > 20, "only {events} events fitted");
    let before = still_intact(&place, events);
    let (what, _) = place.run(&["remember", "no room"]).refused(5);
    assert!(what.contains("the disk is full"), "{what}");
    let backup = place.home().join("backup.gz");
    place.run(&["backup", backup.to_str().expect("a plain name")]).refused(5);
    assert_eq!(still_intact(&place, events), before);

    std::fs::remove_file(&ballast).expect("it was made above");
    for n in 1..=5 {
        let ack = place.json(&["remember", "there is room again"]);
        assert_eq!(number(&ack["seq"]), events + n);
    }
    let after = still_intact(&place, events + 5);
    assert!(after.starts_with(&before), "nothing that was there was changed");
    let digest = place.ok(&["digest"]);
    place.ok(&["rebuild"]);
    assert_eq!(place.ok(&["digest"]), digest);
    drop(disk);
}

/// Everything that was acknowledged can be read and is sound, on the full disk too; gives the export.
fn still_intact(place: &Place, events: u64) -> String {
    let exported = place.ok(&["export"]);
    assert_eq!(exported.lines().count() as u64, events, "exactly what was acknowledged");
    place.verify();
    assert_eq!(place.lines(&["log"]).len() as u64, events);
    assert_eq!(number(&place.json(&["stats"])["events"]), events);
    assert_eq!(number(&place.json(&["get", &events.to_string()])["seq"]), events);
    exported
}
