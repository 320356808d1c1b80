//! The npm packages: `idetic`, which is the TypeScript client and a small starter, and one with the program for each platform.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::archive::{self, File};
use super::payload::PLATFORMS;
use super::project::{Project, files_below};
use super::{Made, Payload, notices, run};

/// The package of the platform, which npm installs only there, and the one that people name.
pub fn make(project: &Project, payload: &Payload, scratch: &Path) -> Result<Vec<Made>, String> {
    Ok(vec![platform_package(project, payload)?, main_package(project, scratch)?])
}

fn platform_package(project: &Project, payload: &Payload) -> Result<Made, String> {
    let (version, name) = (&project.version, payload.platform.name());
    let (system, processor) = name.split_once('-').unwrap_or_default();
    let mut manifest = json!({
        "name": format!("@idetic/{name}"),
        "version": version,
        "description": format!("The program of the package idetic, for {name}"),
        "license": "MIT OR Apache-2.0",
        "repository": repository(project)?,
        "os": [system],
        "cpu": [processor],
        "preferUnplugged": true,
    });
    if system == "linux" {
        manifest["libc"] = json!(["glibc"]);
    }
    let mut files = vec![File::program("bin/idetic", payload.bytes.clone())];
    files.extend(notices::ours(project)?);
    files.push(notices::others(project)?);
    package(&format!("idetic-{name}-{version}.tgz"), &manifest, files)
}

fn main_package(project: &Project, scratch: &Path) -> Result<Made, String> {
    let version = &project.version;
    let mut manifest: Value = serde_json::from_str(&project.text("clients/typescript/package.json")?)
        .map_err(|error| format!("package.json: {error}"))?;
    // In the sources these would make `npm ci` ask for packages that are not published yet.
    let programs: serde_json::Map<String, Value> =
        PLATFORMS.iter().map(|name| (format!("@idetic/{name}"), json!(version))).collect();
    manifest["optionalDependencies"] = Value::Object(programs);
    manifest["bin"] = json!({ "idetic": "bin/idetic.mjs" });
    manifest["repository"] = repository(project)?;
    if let Some(manifest) = manifest.as_object_mut() {
        manifest.retain(|key, _| !["devDependencies", "scripts", "files"].contains(&key.as_str()));
    }
    let mut files = vec![File::program("bin/idetic.mjs", project.text("packaging/npm/idetic.mjs")?)];
    files.extend(compiled_client(project, scratch)?.into_iter().map(|file| file.below("dist")));
    files.push(File::new("README.md", project.text("clients/typescript/README.md")?));
    files.extend(notices::ours(project)?);
    package(&format!("idetic-{version}.tgz"), &manifest, files)
}

/// The client as JavaScript, compiled in a folder of its own so that nothing is written beside the sources.
fn compiled_client(project: &Project, scratch: &Path) -> Result<Vec<File>, String> {
    let folder = scratch.join("typescript");
    let sources = project.path("clients/typescript");
    let mut wanted = files_below(&sources.join("src"))?.into_iter().map(|file| file.below("src")).collect::<Vec<_>>();
    for name in ["package.json", "package-lock.json", "tsconfig.json"] {
        wanted.push(File::new(name, project.text(&format!("clients/typescript/{name}"))?));
    }
    for file in wanted {
        super::write(&folder.join(&file.path), &file.bytes)?;
    }
    let quiet = ["--silent", "--no-audit", "--no-fund", "--ignore-scripts"];
    run(Command::new("npm").arg("ci").args(quiet).current_dir(&folder))?;
    run(Command::new("npm").args(["exec", "--", "tsc"]).current_dir(&folder))?;
    files_below(&folder.join("dist"))
}

fn repository(project: &Project) -> Result<Value, String> {
    let cargo = project.toml("Cargo.toml")?;
    let address = cargo["workspace"]["package"]["repository"].as_str().ok_or("Cargo.toml names no repository")?;
    Ok(json!({ "type": "git", "url": format!("git+{address}.git") }))
}

/// A package is a tar whose files stand in a folder `package`.
fn package(name: &str, manifest: &Value, mut files: Vec<File>) -> Result<Made, String> {
    files.insert(0, File::new("package.json", format!("{manifest:#}\n")));
    let files: Vec<File> = files.into_iter().map(|file| file.below("package")).collect();
    Ok(Made { name: name.to_owned(), bytes: archive::tar_gz(&files)? })
}
