//! The licences of everything inside the program, which whoever passes it on must pass on with it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value;

use super::archive::File;
use super::project::Project;
use crate::licences;

/// How the files are called that have a licence or name authors.
const NAMES: [&str; 6] = ["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE"];
const PROGRAM: &str = "idetic-cli";

/// Our licences, for a package without the program.
pub fn ours(project: &Project) -> Result<Vec<File>, String> {
    ["LICENSE-APACHE", "LICENSE-MIT"].into_iter().map(|name| Ok(File::new(name, project.text(name)?))).collect()
}

/// Those of everything inside the program, for a package that has it.
pub fn others(project: &Project) -> Result<File, String> {
    collect(project).map(|text| File::new("THIRD-PARTY-LICENSES", text))
}

/// Each text once, below the packages that have it.
fn collect(project: &Project) -> Result<String, String> {
    let metadata = licences::metadata(&project.path("."))?;
    let used = used(&metadata);
    let mut texts: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for package in list(&metadata["packages"]).filter(|package| used.contains(text(&package["id"]))) {
        // What is ours has no source, and both of our licences lie beside this file.
        if package["source"].is_null() {
            continue;
        }
        let name = format!("{} {} ({})", text(&package["name"]), text(&package["version"]), text(&package["license"]));
        let folder = Path::new(text(&package["manifest_path"])).parent().unwrap_or(Path::new(""));
        let mut found = licence_texts(folder)?;
        if found.is_empty() {
            found.push(format!("No text comes with it; its source: {}", text(&package["repository"])));
        }
        for text in found {
            texts.entry(text).or_default().insert(name.clone());
        }
    }
    let model = project.text("crates/weights/assets/NOTICE")?;
    texts.entry(model).or_default().insert("The built-in embedding model".to_owned());
    let parts = texts.into_iter().map(|(text, names)| {
        let names: Vec<String> = names.into_iter().collect();
        format!("{}\n\n{}\n", names.join("\n"), text.trim_end())
    });
    Ok(parts.collect::<Vec<_>>().join(&format!("\n{}\n\n", "-".repeat(80))))
}

/// The packages that end up in the program: not those that only build or test it.
fn used(metadata: &Value) -> BTreeSet<&str> {
    let nodes: BTreeMap<&str, &Value> =
        list(&metadata["resolve"]["nodes"]).map(|node| (text(&node["id"]), node)).collect();
    let program = list(&metadata["packages"]).find(|package| package["name"] == PROGRAM);
    let mut open: Vec<&str> = program.map(|package| text(&package["id"])).into_iter().collect();
    let mut used = BTreeSet::new();
    while let Some(id) = open.pop() {
        if used.insert(id) {
            let dependencies = nodes.get(id).map(|node| &node["deps"]).into_iter().flat_map(list);
            let linked = dependencies.filter(|it| list(&it["dep_kinds"]).any(|kind| kind["kind"].is_null()));
            open.extend(linked.map(|it| text(&it["pkg"])));
        }
    }
    used
}

fn licence_texts(folder: &Path) -> Result<Vec<String>, String> {
    let failed = |error: std::io::Error| format!("cannot read {}: {error}", folder.display());
    let mut texts = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)?.flatten() {
        let name = entry.file_name().to_string_lossy().to_uppercase();
        if NAMES.iter().any(|start| name.starts_with(start)) && entry.path().is_file() {
            texts.push(String::from_utf8_lossy(&std::fs::read(entry.path()).map_err(failed)?).replace('\r', ""));
        }
    }
    Ok(texts)
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_only_builds_or_tests_is_not_in_the_program() {
        let needs = |kind: Value, id: &str| json!({ "pkg": id, "dep_kinds": [{ "kind": kind }] });
        let metadata = json!({
            "packages": [{ "name": PROGRAM, "id": "own" }],
            "resolve": { "nodes": [
                { "id": "own", "deps": [needs(Value::Null, "a"), needs(json!("dev"), "b"), needs(json!("build"), "c")] },
                { "id": "a", "deps": [needs(Value::Null, "d")] },
                { "id": "b", "deps": [needs(Value::Null, "e")] },
            ] },
        });
        assert_eq!(used(&metadata), ["a", "d", "own"].into());
    }
}
