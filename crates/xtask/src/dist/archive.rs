//! Archives written byte for byte the same each time: zip for wheels, tar for the rest, ar for Debian.

use std::io::Write;

use flate2::write::{DeflateEncoder, GzEncoder};
use flate2::{Compression, Crc, GzBuilder};
use sha2::{Digest, Sha256};

/// When everything in an archive was last changed: 1980-01-01, the first day that a zip can say.
const CHANGED: u64 = 315_532_800;
const TAR_BLOCK: usize = 512;

/// One file of an archive.
#[derive(Debug, Clone)]
pub struct File {
    /// Its path, relative and with `/`.
    pub path: String,
    /// Its permissions.
    pub mode: u32,
    pub bytes: Vec<u8>,
}

impl File {
    pub fn new(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self { path: path.into(), mode: 0o644, bytes: bytes.into() }
    }

    pub fn program(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self { mode: 0o755, ..Self::new(path, bytes) }
    }

    /// The same file below a folder.
    pub fn below(mut self, folder: &str) -> Self {
        self.path = format!("{folder}/{}", self.path);
        self
    }
}

pub fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub fn gzip(bytes: &[u8]) -> Result<Vec<u8>, String> {
    let mut encoder: GzEncoder<Vec<u8>> = GzBuilder::new().write(Vec::new(), Compression::default());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).map_err(|error| format!("cannot compress: {error}"))
}

/// A compressed tar whose files belong to root; each folder stands before what is in it, as dpkg wants it.
pub fn tar_gz(files: &[File]) -> Result<Vec<u8>, String> {
    let mut tar = Vec::new();
    let mut folders = Vec::new();
    for file in files {
        let parents = file.path.match_indices('/').map(|(at, _)| &file.path[..=at]).filter(|it| *it != "./");
        for folder in parents {
            if !folders.contains(&folder) {
                folders.push(folder);
                tar.extend(tar_header(folder, 0o755, 0, b'5')?);
            }
        }
        tar.extend(tar_header(&file.path, file.mode, file.bytes.len(), b'0')?);
        tar.extend(&file.bytes);
        tar.resize(tar.len().next_multiple_of(TAR_BLOCK), 0);
    }
    tar.resize(tar.len() + 2 * TAR_BLOCK, 0);
    gzip(&tar)
}

fn tar_header(path: &str, mode: u32, size: usize, kind: u8) -> Result<[u8; TAR_BLOCK], String> {
    if path.len() > 100 {
        return Err(format!("{path} is too long a name for a tar of this kind"));
    }
    let mut header = [0; TAR_BLOCK];
    let mut put = |at: usize, text: &str| header[at..at + text.len()].copy_from_slice(text.as_bytes());
    put(0, path);
    put(100, &format!("{mode:07o}"));
    put(108, "0000000");
    put(116, "0000000");
    put(124, &format!("{size:011o}"));
    put(136, &format!("{CHANGED:011o}"));
    // The checksum is taken with blanks where it will stand.
    put(148, "        ");
    put(257, "ustar\x0000");
    put(265, "root");
    put(297, "root");
    header[156] = kind;
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    header[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
    Ok(header)
}

/// An ar archive, which is what a `.deb` is.
pub fn ar(files: &[File]) -> Vec<u8> {
    let mut ar = b"!<arch>\n".to_vec();
    for File { path, mode, bytes } in files {
        ar.extend(format!("{path:<16}{CHANGED:<12}0     0     {:<8o}{:<10}`\n", 0o100_000 | mode, bytes.len()).bytes());
        ar.extend(bytes);
        ar.resize(ar.len().next_multiple_of(2), b'\n');
    }
    ar
}

/// A zip of files that are smaller than 4 GiB.
pub fn zip(files: &[File]) -> Result<Vec<u8>, String> {
    let (mut zip, mut directory) = (Vec::new(), Vec::new());
    for file in files {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
        let packed = encoder.write_all(&file.bytes).and_then(|()| encoder.finish());
        let packed = packed.map_err(|error| format!("cannot compress {}: {error}", file.path))?;
        let mut crc = Crc::new();
        crc.update(&file.bytes);
        let offset = number(zip.len())?;
        // Version, flags, method, time and day (1980-01-01), checksum, sizes, length of the name, nothing extra.
        let mut common = Vec::new();
        for half in [20_u16, 0, 8, 0, 0x21] {
            common.extend(half.to_le_bytes());
        }
        for word in [crc.sum(), number(packed.len())?, number(file.bytes.len())?, number(file.path.len())?] {
            common.extend(word.to_le_bytes());
        }
        zip.extend(b"PK\x03\x04");
        zip.extend(&common);
        zip.extend(file.path.bytes());
        zip.extend(packed);
        // Made by Unix, so that the permissions count.
        directory.extend(b"PK\x01\x02\x14\x03");
        directory.extend(&common);
        // No comment, the first disk, no attributes but those of Unix.
        directory.extend([0; 6]);
        directory.extend(((0o100_000 | file.mode) << 16).to_le_bytes());
        directory.extend(offset.to_le_bytes());
        directory.extend(file.path.bytes());
    }
    let (start, size) = (number(zip.len())?, number(directory.len())?);
    let count = u16::try_from(files.len()).map_err(|_| "too many files for a zip")?;
    zip.extend(directory);
    zip.extend(b"PK\x05\x06\0\0\0\0");
    zip.extend(count.to_le_bytes());
    zip.extend(count.to_le_bytes());
    zip.extend(size.to_le_bytes());
    zip.extend(start.to_le_bytes());
    zip.extend([0; 2]);
    Ok(zip)
}

fn number(size: usize) -> Result<u32, String> {
    u32::try_from(size).map_err(|_| "a zip of this kind holds less than 4 GiB".to_owned())
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn a_tar_has_folders_first_and_sums_that_hold() {
        let packed = tar_gz(&[File::program("./usr/bin/a", "text"), File::new("./usr/b", "")]).expect("a tar");
        let mut tar = Vec::new();
        flate2::read::GzDecoder::new(&packed[..]).read_to_end(&mut tar).expect("gzip");
        let name = |at: usize| tar[at..].split(|byte| *byte == 0).next().map(String::from_utf8_lossy);
        let names: Vec<_> = [0, 512, 1024, 2048].into_iter().filter_map(name).collect();
        assert_eq!(names, ["./usr/", "./usr/bin/", "./usr/bin/a", "./usr/b"]);
        assert_eq!(tar.len(), 7 * TAR_BLOCK);
        let sum: u32 = (0..TAR_BLOCK).map(|at| if (148..156).contains(&at) { 32 } else { u32::from(tar[at]) }).sum();
        assert_eq!(tar[148..154], *format!("{sum:06o}").as_bytes());
        assert!(tar_gz(&[File::new("a".repeat(101), "")]).is_err());
    }

    #[test]
    fn the_same_files_are_the_same_bytes() {
        let files = [File::new("a", "odd"), File::program("b", "text")];
        assert_eq!(zip(&files), zip(&files));
        assert_eq!(tar_gz(&files), tar_gz(&files));
        let ar = ar(&files);
        assert_eq!((ar.len(), &ar[8 + 60..8 + 60 + 4]), (8 + 60 + 4 + 60 + 4, &b"odd\n"[..]));
    }
}
