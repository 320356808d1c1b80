//! The Debian package: the program, its unit with a user and a folder of its own, its settings, manual and completions.

use super::archive::{self, File};
use super::payload::{Processor, System};
use super::project::Project;
use super::{Made, Payload, notices};

/// What an administrator may change and an update leaves alone.
const SETTINGS: [&str; 2] = ["etc/default/idetic", "etc/idetic/config.toml"];

/// Refused for a program that is not for Linux.
pub fn make(project: &Project, payload: &Payload) -> Result<Made, String> {
    let System::Linux { glibc } = payload.platform.system else {
        return Err(format!("a Debian package is for Linux, but the program for {}", payload.platform.name()));
    };
    let architecture = match payload.platform.processor {
        Processor::X64 => "amd64",
        Processor::Arm64 => "arm64",
    };
    let files = content(project, payload)?;
    let kilobytes: usize = files.iter().map(|file| file.bytes.len().div_ceil(1024)).sum();
    let control = project.text("packaging/deb/control")?;
    let control = control
        .replace("@VERSION@", &project.version)
        .replace("@ARCHITECTURE@", architecture)
        .replace("@GLIBC@", &format!("2.{glibc}"))
        .replace("@KILOBYTES@", &kilobytes.to_string());
    let conffiles: String = SETTINGS.iter().map(|path| format!("/{path}\n")).collect();
    let mut about = vec![File::new("control", control), File::new("conffiles", conffiles)];
    for script in ["postinst", "prerm", "postrm"] {
        about.push(File::program(script, project.text(&format!("packaging/deb/{script}"))?));
    }
    let bytes = archive::ar(&[
        File::new("debian-binary", "2.0\n"),
        File::new("control.tar.gz", archive::tar_gz(&dotted(about))?),
        File::new("data.tar.gz", archive::tar_gz(&dotted(files))?),
    ]);
    Ok(Made { name: format!("idetic_{}_{architecture}.deb", project.version), bytes })
}

/// Everything that is unpacked, by its path from the root of the system.
fn content(project: &Project, payload: &Payload) -> Result<Vec<File>, String> {
    let [environment, settings] = SETTINGS;
    let copied = [
        ("packaging/deb/idetic.default", environment),
        ("crates/config/src/config.toml", settings),
        ("packaging/idetic.service", "usr/lib/systemd/system/idetic.service"),
        ("packaging/idetic.sysusers", "usr/lib/sysusers.d/idetic.conf"),
        ("packaging/idetic.tmpfiles", "usr/lib/tmpfiles.d/idetic.conf"),
    ];
    let mut files = vec![File::program("usr/bin/idetic", payload.bytes.clone())];
    for (from, to) in copied {
        files.push(File::new(to, project.text(from)?));
    }
    // Keys of model endpoints may stand there.
    files.iter_mut().filter(|file| file.path == environment).for_each(|file| file.mode = 0o600);
    let indented = |line: &str| if line.is_empty() { " .".to_owned() } else { format!(" {line}") };
    let licence = project.text("LICENSE-MIT")?.lines().map(indented).collect::<Vec<_>>().join("\n");
    let copyright = project.text("packaging/deb/copyright")?.replace("@MIT@", &licence);
    files.push(File::new("usr/share/doc/idetic/copyright", copyright));
    files.push(notices::others(project)?.below("usr/share/doc/idetic"));
    let changes = archive::gzip(project.text("CHANGELOG.md")?.as_bytes())?;
    files.push(File::new("usr/share/doc/idetic/changelog.gz", changes));
    files.push(File::new("usr/share/man/man1/idetic.1.gz", archive::gzip(payload.prints(&["man"])?.as_bytes())?));
    for (shell, path) in [
        ("bash", "usr/share/bash-completion/completions/idetic"),
        ("fish", "usr/share/fish/vendor_completions.d/idetic.fish"),
        ("zsh", "usr/share/zsh/vendor-completions/_idetic"),
    ] {
        files.push(File::new(path, payload.prints(&["completions", shell])?));
    }
    Ok(files)
}

fn dotted(files: Vec<File>) -> Vec<File> {
    files.into_iter().map(|file| file.below(".")).collect()
}
