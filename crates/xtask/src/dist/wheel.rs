//! The Python wheel: the client with the program beside it, so that `pip install idetic` puts `idetic` on the PATH.
//!
//! It is written here and not by maturin, which would build the program once more, or by setuptools, which takes scripts for
//! Python. A wheel is a zip with three more files; `dist try` has pip install it and auditwheel check its tag.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use toml::{Table, Value};

use super::archive::{self, File};
use super::payload::{Platform, Processor, System};
use super::project::{Project, files_below};
use super::{Made, Payload, notices};

/// A wheel for the platform of the program, and one without it, which pip takes where there is none.
pub fn make(project: &Project, payload: &Payload) -> Result<Vec<Made>, String> {
    let version = &project.version;
    let script = File::program(format!("idetic-{version}.data/scripts/idetic"), payload.bytes.clone());
    let platform = tag(payload.platform);
    Ok(vec![wheel(project, &platform, Some(script))?, wheel(project, "any", None)?])
}

/// The oldest systems that the program runs on, as pip names them. Those of macOS are what Rust builds for.
fn tag(platform: Platform) -> String {
    match (platform.system, platform.processor) {
        (System::Linux { glibc }, Processor::X64) => format!("manylinux_2_{glibc}_x86_64"),
        (System::Linux { glibc }, Processor::Arm64) => format!("manylinux_2_{glibc}_aarch64"),
        (System::MacOs, Processor::X64) => "macosx_10_12_x86_64".to_owned(),
        (System::MacOs, Processor::Arm64) => "macosx_11_0_arm64".to_owned(),
    }
}

fn wheel(project: &Project, platform: &str, script: Option<File>) -> Result<Made, String> {
    let version = &project.version;
    let info = format!("idetic-{version}.dist-info");
    let mut files = files_below(&project.path("clients/python/src/idetic"))?;
    files.retain(|file| !file.path.contains("__pycache__"));
    files = files.into_iter().map(|file| file.below("idetic")).collect();
    let is_pure = script.is_none();
    files.extend(script);
    let mut licences = notices::ours(project)?;
    if !is_pure {
        licences.push(notices::others(project)?);
    }
    files.push(File::new(format!("{info}/METADATA"), metadata(project, &licences)?));
    files.extend(licences.into_iter().map(|file| file.below(&format!("{info}/licenses"))));
    let kind = format!("Wheel-Version: 1.0\nGenerator: idetic\nRoot-Is-Purelib: {is_pure}\nTag: py3-none-{platform}\n");
    files.push(File::new(format!("{info}/WHEEL"), kind));
    let record = format!("{info}/RECORD");
    let lines = files.iter().map(|file| {
        let sum = URL_SAFE_NO_PAD.encode(archive::sha256(&file.bytes));
        format!("{},sha256={sum},{}\n", file.path, file.bytes.len())
    });
    let lines: String = lines.chain([format!("{record},,\n")]).collect();
    files.push(File::new(record, lines));
    Ok(Made { name: format!("idetic-{version}-py3-none-{platform}.whl"), bytes: archive::zip(&files)? })
}

/// What `pyproject.toml` says, as an index reads it.
fn metadata(project: &Project, licences: &[File]) -> Result<String, String> {
    let manifest = project.toml("clients/python/pyproject.toml")?;
    let about = manifest["project"].as_table().ok_or("pyproject.toml has no table [project]")?;
    let text = |key: &str| {
        about.get(key).and_then(Value::as_str).ok_or_else(|| format!("pyproject.toml has no text project.{key}"))
    };
    let mut lines = vec![
        "Metadata-Version: 2.4".to_owned(),
        format!("Name: {}", text("name")?),
        format!("Version: {}", text("version")?),
        format!("Summary: {}", text("description")?),
        format!("License-Expression: {}", text("license")?),
        format!("Requires-Python: {}", text("requires-python")?),
    ];
    lines.extend(licences.iter().map(|file| format!("License-File: {}", file.path)));
    lines.extend(texts(about.get("dependencies")).map(|needed| format!("Requires-Dist: {needed}")));
    let none = Table::new();
    for (extra, needed) in about.get("optional-dependencies").and_then(Value::as_table).unwrap_or(&none) {
        lines.push(format!("Provides-Extra: {extra}"));
        lines.extend(texts(Some(needed)).map(|needed| format!("Requires-Dist: {needed}; extra == '{extra}'")));
    }
    lines.push("Description-Content-Type: text/markdown".to_owned());
    Ok(format!("{}\n\n{}", lines.join("\n"), project.text("clients/python/README.md")?))
}

fn texts(list: Option<&Value>) -> impl Iterator<Item = &str> {
    list.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}
