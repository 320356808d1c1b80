//! Looking for a word in every byte of some folders and of a running process, in whatever form it may lie there.

use std::fs::File;
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// Bytes of a process that are looked at together, and how much of them again with the next.
const PART_BYTES: usize = 1 << 20;
const OVERLAP_BYTES: usize = 4096;
/// Bytes shown on each side of what was found.
const AROUND_BYTES: usize = 40;

/// A word in all its forms, in small letters: as it is, in UTF-16 of both orders, escaped in JSON, escaped in addresses.
pub struct Sought(Vec<Vec<u8>>);

impl Sought {
    pub fn new(word: &str) -> Self {
        let units: Vec<u16> = word.encode_utf16().collect();
        Self(vec![
            word.as_bytes().to_vec(),
            units.iter().flat_map(|unit| unit.to_le_bytes()).collect(),
            units.iter().flat_map(|unit| unit.to_be_bytes()).collect(),
            units.iter().flat_map(|unit| format!("\\u{unit:04x}").into_bytes()).collect(),
            word.bytes().flat_map(|byte| format!("%{byte:02x}").into_bytes()).collect(),
        ])
    }

    /// What stands around each place where it is found.
    pub fn find(&self, bytes: &[u8]) -> Vec<String> {
        let small = bytes.to_ascii_lowercase();
        let mut found = Vec::new();
        for form in &self.0 {
            let starts = small.iter().enumerate().filter(|(_, byte)| **byte == form[0]).map(|(at, _)| at);
            for at in starts.filter(|at| small[*at..].starts_with(form)) {
                let around = &bytes[at.saturating_sub(AROUND_BYTES)..bytes.len().min(at + form.len() + AROUND_BYTES)];
                found.push(around.escape_ascii().to_string());
            }
        }
        found
    }

    /// The files below a folder that have it, packed or not, in their names or in what they say.
    pub fn in_files(&self, folder: &Path) -> Vec<String> {
        let mut found = Vec::new();
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            found.extend(self.find(entry.file_name().as_encoded_bytes()).pop().map(|_| path.display().to_string()));
            if path.is_dir() {
                found.extend(self.in_files(&path));
                continue;
            }
            let bytes = std::fs::read(&path).unwrap_or_default();
            let mut unpacked = Vec::new();
            let _ = flate2::read::MultiGzDecoder::new(&bytes[..]).read_to_end(&mut unpacked);
            for around in [bytes, unpacked].iter().flat_map(|part| self.find(part)) {
                found.push(format!("{}: {around}", path.display()));
            }
        }
        found
    }

    /// Where the memory of a process has it that the process can write to; none where that cannot be read.
    pub fn in_memory(&self, process: u32) -> Option<Vec<String>> {
        let maps = std::fs::read_to_string(format!("/proc/{process}/maps")).ok()?;
        let memory = File::open(format!("/proc/{process}/mem")).ok()?;
        let (mut found, mut seen) = (Vec::new(), 0);
        for line in maps.lines().filter(|line| line.split(' ').nth(1).is_some_and(|rights| rights.starts_with("rw"))) {
            let range = line.split(' ').next()?.split_once('-')?;
            let mut at = u64::from_str_radix(range.0, 16).ok()?;
            let end = u64::from_str_radix(range.1, 16).ok()?;
            let name = line.split_whitespace().nth(5).unwrap_or("anonymous");
            while at < end {
                let mut part = vec![0; PART_BYTES.min(usize::try_from(end - at).ok()?)];
                // A range may be gone by now.
                let Ok(read) = memory.read_at(&mut part, at) else { break };
                if read == 0 {
                    break;
                }
                seen += read;
                found.extend(self.find(&part[..read]).iter().map(|around| format!("{name} {at:x}: {around}")));
                let step = if read > OVERLAP_BYTES && at + (read as u64) < end { read - OVERLAP_BYTES } else { read };
                at += step as u64;
            }
        }
        (seen > 0).then_some(found)
    }
}

#[test]
fn a_word_is_found_in_all_its_forms() {
    let sought = Sought::new("wick");
    for text in ["a Wick", "w\0i\0c\0k\0", "\0w\0i\0c\0k", r"x\u0077\u0069\u0063\u006B", "%77%69%63%6b"] {
        assert_eq!(sought.find(text.as_bytes()).len(), 1, "{text:?}");
    }
    assert_eq!(sought.find(b"wic k"), Vec::<String>::new());
}
