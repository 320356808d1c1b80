//! The program that is packed: what it runs on, read from its own header, and what it tells of itself.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A built program.
pub struct Payload {
    pub path: PathBuf,
    pub bytes: Vec<u8>,
    pub platform: Platform,
}

/// Where a program runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Platform {
    pub system: System,
    pub processor: Processor,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum System {
    /// With the GNU C library, 2.`glibc` or newer.
    Linux {
        glibc: u32,
    },
    MacOs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Processor {
    X64,
    Arm64,
}

/// Every platform that is built for, by the name it has in npm and in the names of files.
pub const PLATFORMS: [&str; 4] = ["darwin-arm64", "darwin-x64", "linux-arm64", "linux-x64"];

impl Platform {
    /// As npm names it: its system and its processor.
    pub fn name(self) -> &'static str {
        let [mac_arm, mac, linux_arm, linux] = PLATFORMS;
        match (self.system, self.processor) {
            (System::MacOs, Processor::Arm64) => mac_arm,
            (System::MacOs, Processor::X64) => mac,
            (System::Linux { .. }, Processor::Arm64) => linux_arm,
            (System::Linux { .. }, Processor::X64) => linux,
        }
    }
}

impl Payload {
    pub fn read(path: &Path) -> Result<Self, String> {
        let bytes = std::fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        let platform = platform(&bytes).map_err(|why| format!("{}: {why}", path.display()))?;
        Ok(Self { path: path.to_owned(), bytes, platform })
    }

    /// What the program prints, so only one that runs here can be asked.
    pub fn prints(&self, arguments: &[&str]) -> Result<String, String> {
        let failed = |why: String| format!("{} {}: {why}", self.path.display(), arguments.join(" "));
        let output = Command::new(&self.path).args(arguments).output().map_err(|error| failed(error.to_string()))?;
        if !output.status.success() {
            return Err(failed(output.status.to_string()));
        }
        String::from_utf8(output.stdout).map_err(|error| failed(error.to_string()))
    }
}

fn platform(bytes: &[u8]) -> Result<Platform, String> {
    let half = |at: usize| bytes.get(at..at + 2).map(|b| u16::from_le_bytes([b[0], b[1]]));
    let word = |at: usize| bytes.get(at..at + 4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
    let (system, processor) = match (bytes.get(..4), half(18), word(4)) {
        (Some(b"\x7fELF"), Some(0x3e), _) => (linux(bytes)?, Processor::X64),
        (Some(b"\x7fELF"), Some(0xb7), _) => (linux(bytes)?, Processor::Arm64),
        (Some([0xcf, 0xfa, 0xed, 0xfe]), _, Some(0x0100_0007)) => (System::MacOs, Processor::X64),
        (Some([0xcf, 0xfa, 0xed, 0xfe]), _, Some(0x0100_000c)) => (System::MacOs, Processor::Arm64),
        _ => return Err("not a program for Linux or macOS on x86-64 or arm64".to_owned()),
    };
    Ok(Platform { system, processor })
}

/// The newest version of the C library that a symbol asks for. Versions are strings of their own in the program, ended by a
/// zero; one that stands there by chance could only make the answer stricter.
fn linux(bytes: &[u8]) -> Result<System, String> {
    const NAME: &[u8] = b"GLIBC_2.";
    let versions = bytes.windows(NAME.len()).enumerate().filter(|(_, window)| *window == NAME).filter_map(|(at, _)| {
        let rest = &bytes[at + NAME.len()..];
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        // 2.2.5 is as good as 2.2.
        let ends = matches!(rest.get(digits), Some(0 | b'.'));
        std::str::from_utf8(&rest[..digits]).ok().filter(|_| ends)?.parse().ok()
    });
    let glibc = versions.max().ok_or("it does not use the GNU C library: such a program is not packed")?;
    Ok(System::Linux { glibc })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn elf(machine: u8, text: &[u8]) -> Vec<u8> {
        let mut bytes = b"\x7fELF".to_vec();
        bytes.resize(18, 0);
        bytes.extend([machine, 0]);
        bytes.extend(text);
        bytes
    }

    #[test]
    fn the_header_says_where_a_program_runs() {
        let text = b"\0GLIBC_2.2.5\0GLIBC_2.28\0GLIBC_2.99x\0GLIBC_PRIVATE\0";
        let found = platform(&elf(0x3e, text)).expect("x86-64");
        assert_eq!((found.name(), found.system), ("linux-x64", System::Linux { glibc: 28 }));
        assert_eq!(platform(&elf(0xb7, text)).expect("arm64").name(), "linux-arm64");
        let mac = [0xcf, 0xfa, 0xed, 0xfe, 0x0c, 0, 0, 1];
        assert_eq!(platform(&mac).expect("macOS").name(), "darwin-arm64");
    }

    #[test]
    fn other_programs_are_refused() {
        assert!(platform(b"MZ, a program for Windows").is_err() && platform(b"").is_err());
        assert!(platform(&elf(0x3e, b"no C library")).is_err());
    }
}
