//! What kind of file system a home lies on, and whether its locks reach as far as its files do.

use std::path::Path;

/// A file system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileSystem {
    /// As the system calls it.
    pub name: String,
    /// Who can have it open.
    pub locality: Locality,
}

/// Who can have the files of a file system open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Locality {
    /// Processes of this machine, and its locks hold between them.
    Local,
    /// The same, until the machine is restarted.
    Memory,
    /// Other machines too, and locks or shared memory do not hold between them.
    Network,
    /// Nobody can tell.
    Unknown,
}

/// The numbers by which statfs tells file systems, and their names.
const KNOWN: &[(u64, &str, Locality)] = &[
    (0xef53, "ext4", Locality::Local),
    (0x5846_5342, "xfs", Locality::Local),
    (0x9123_683e, "btrfs", Locality::Local),
    (0x2fc1_2fc1, "zfs", Locality::Local),
    (0xf2f5_2010, "f2fs", Locality::Local),
    (0xca45_1a4e, "bcachefs", Locality::Local),
    (0x794c_7630, "overlay", Locality::Local),
    (0x0102_1994, "tmpfs", Locality::Memory),
    (0x8584_58f6, "ramfs", Locality::Memory),
    (0x6969, "nfs", Locality::Network),
    (0x517b, "smb", Locality::Network),
    (0xff53_4d42, "cifs", Locality::Network),
    (0xfe53_4d42, "smb2", Locality::Network),
    (0x0102_1997, "9p", Locality::Network),
    (0x00c3_6400, "ceph", Locality::Network),
    (0x5346_414f, "afs", Locality::Network),
    (0x7375_7245, "coda", Locality::Network),
    (0x0bd0_0bd0, "lustre", Locality::Network),
];

/// Everything that a program and not the system provides has this number.
const FUSE: u64 = 0x6573_5546;
/// Those of them that have their files from other machines.
const FUSE_NETWORK: [&str; 7] =
    ["fuse.sshfs", "fuse.rclone", "fuse.s3fs", "fuse.gcsfuse", "fuse.glusterfs", "fuse.ceph", "fuse.mfs"];

impl FileSystem {
    /// That of a folder, where the system tells.
    #[cfg(target_os = "linux")]
    pub fn of(folder: &Path) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        let magic = rustix::fs::statfs(folder).ok()?.f_type;
        let device = std::fs::metadata(folder).ok()?.dev();
        let mounts = std::fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
        // The number has 32 bits, whatever the type that the system has for it.
        Some(Self::told(magic.cast_unsigned() & 0xffff_ffff, device, &mounts))
    }

    /// That of a folder, where the system tells.
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn of(_: &Path) -> Option<Self> {
        None
    }

    #[cfg(target_os = "linux")]
    fn told(magic: u64, device: u64, mounts: &str) -> Self {
        if let Some((_, name, locality)) = KNOWN.iter().find(|(known, ..)| *known == magic) {
            return Self { name: (*name).to_owned(), locality: *locality };
        }
        let number = format!("{}:{}", rustix::fs::major(device), rustix::fs::minor(device));
        let name = mounts.lines().find_map(|line| {
            let is_it = line.split(' ').nth(2) == Some(number.as_str());
            line.split_once(" - ").filter(|_| is_it)?.1.split(' ').next()
        });
        let is_network = magic == FUSE && name.is_some_and(|name| FUSE_NETWORK.contains(&name));
        let locality = if is_network { Locality::Network } else { Locality::Unknown };
        Self { name: name.map_or_else(|| format!("file system {magic:#x}"), str::to_owned), locality }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    const MOUNTS: &str = "22 1 0:20 / /proc rw - proc proc rw\n\
        40 1 0:45 / /mnt/far rw,nosuid shared:5 - fuse.sshfs far:/home rw,user_id=0\n\
        41 1 0:46 / /mnt/near rw - fuse.gocryptfs /crypt rw\n";

    #[test]
    fn network_file_systems_are_told_from_local_ones() {
        let told = |magic, minor| FileSystem::told(magic, rustix::fs::makedev(0, minor), MOUNTS);
        for (magic, minor, name, locality) in [
            (0x6969, 1, "nfs", Locality::Network),
            (0xff53_4d42, 1, "cifs", Locality::Network),
            (0xfe53_4d42, 1, "smb2", Locality::Network),
            (FUSE, 45, "fuse.sshfs", Locality::Network),
            (FUSE, 46, "fuse.gocryptfs", Locality::Unknown),
            (FUSE, 47, "file system 0x65735546", Locality::Unknown),
            (0xef53, 1, "ext4", Locality::Local),
            (0x0102_1994, 1, "tmpfs", Locality::Memory),
        ] {
            assert_eq!(told(magic, minor), FileSystem { name: name.to_owned(), locality });
        }
    }

    #[test]
    fn the_system_tells_where_a_folder_lies() {
        assert!(FileSystem::of(Path::new("/proc")).is_some_and(|found| found.name == "proc"));
    }
}
