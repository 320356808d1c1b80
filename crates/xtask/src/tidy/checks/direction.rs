//! Which crate of this workspace may depend on which.

use std::collections::{BTreeMap, BTreeSet};

use crate::tidy::finding::Finding;
use crate::tidy::reading::manifest::{Dependency, Manifest};
use crate::tidy::reading::place::crate_of;

const RULE: &str = "direction";

/// Folders under `crates/` and the folders each may depend on, lowest layer
/// first. Development dependencies count: a test that needs a higher layer
/// belongs to that layer.
const LAYERS: &[(&str, &[&str])] = &[
    ("core", &[]),
    ("weights", &[]),
    ("page", &[]),
    ("tools", &[]),
    ("search", &["core"]),
    ("extract", &["core", "search"]),
    ("store", &["core", "search"]),
    ("error", &["core", "store"]),
    ("folder", &["error"]),
    ("config", &["core", "search", "store"]),
    ("formats", &["core"]),
    ("otlp", &["core", "formats"]),
    ("clients", &["core", "formats"]),
    ("model", &["core"]),
    ("memory", &["core", "search", "extract", "store", "error", "folder", "config", "formats", "model"]),
    ("sync", &["core", "search", "extract", "store", "formats", "clients", "memory"]),
    ("sql", &["core", "store", "memory", "sync"]),
    ("ops", &["core", "search", "extract", "store", "formats", "model", "clients", "memory", "sync", "sql"]),
    ("idetic", &["core", "memory", "sync", "weights"]),
    ("agent", &["core", "search", "extract", "store", "formats", "model", "ops", "tools", "weights"]),
    ("server", &["core", "search", "extract", "store", "formats", "otlp", "model", "ops", "tools", "page", "agent"]),
    ("cli", &["core", "search", "extract", "store", "formats", "model", "ops", "tools", "weights", "agent", "server"]),
];

/// What is no part of the product may look at all of it.
const UNBOUND: &[&str] = &["xtask", "bench", "fuzz"];

/// Folders under `crates/` that the table does not know.
pub fn unknown_crates(paths: &BTreeSet<String>) -> Vec<Finding> {
    let folders: BTreeSet<&str> = paths.iter().filter_map(|path| crate_of(path)).collect();
    let unknown = folders.into_iter().filter(|folder| !UNBOUND.contains(folder) && allowed(folder).is_none());
    unknown
        .map(|folder| {
            let message = "no layer is known for this crate: add it to the table in direction.rs";
            Finding::new(&format!("crates/{folder}"), 1, RULE, message)
        })
        .collect()
}

/// `root` is needed because an alias may be given in `[workspace.dependencies]`.
pub fn check(root: &Manifest, members: &[Manifest]) -> Vec<Finding> {
    let folder_of: BTreeMap<&str, &str> =
        members.iter().filter_map(|member| Some((member.package.as_deref()?, crate_of(&member.path)?))).collect();
    let mut findings = Vec::new();
    for member in members {
        let folder = crate_of(&member.path).unwrap_or_default();
        let Some(allowed) = allowed(folder) else {
            continue;
        };
        for dependency in &member.dependencies {
            let Some(target) = folder_of.get(package_name(dependency, root)) else {
                continue;
            };
            if !allowed.contains(target) {
                let message = format!("`{folder}` must not depend on `{target}`");
                findings.push(Finding::new(&member.path, dependency.line, RULE, message));
            }
        }
    }
    findings
}

fn allowed(folder: &str) -> Option<&'static [&'static str]> {
    let layer = LAYERS.iter().find(|(name, _)| *name == folder);
    layer.map(|(_, allowed)| *allowed)
}

fn package_name<'a>(dependency: &'a Dependency, root: &'a Manifest) -> &'a str {
    let inherited = root
        .workspace_dependencies
        .iter()
        .find(|it| dependency.inherited && it.key == dependency.key)
        .and_then(|it| it.package.as_deref());
    let own = dependency.package.as_deref();
    own.or(inherited).unwrap_or(&dependency.key)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest(path: &str, text: &str) -> Manifest {
        Manifest::parse(path, text).expect("the example parses")
    }

    fn check_with(root: &str, core: &str, memory: &str) -> Vec<String> {
        let core = format!("[package]\nname = \"idetic-core\"\n{core}");
        let memory = format!("[package]\nname = \"idetic-memory\"\n{memory}");
        let members = [manifest("crates/core/Cargo.toml", &core), manifest("crates/memory/Cargo.toml", &memory)];
        let findings = check(&manifest("Cargo.toml", root), &members);
        findings.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_lower_layer_must_not_use_a_higher_one() {
        for section in ["dependencies", "dev-dependencies", "build-dependencies"] {
            let core = format!("[{section}]\nidetic-memory.workspace = true\n");
            let wanted = "crates/core/Cargo.toml:4: direction: `core` must not depend on `memory`";
            assert_eq!(check_with("", &core, ""), [wanted]);
        }
    }

    #[test]
    fn an_alias_does_not_hide_the_dependency() {
        let root = "[workspace.dependencies]\nm = { package = \"idetic-memory\", version = \"1\" }";
        let core = "[dependencies]\nm.workspace = true\n";
        assert_eq!(check_with(root, core, "").len(), 1);
        let core = "[dependencies]\nm = { package = \"idetic-memory\", path = \"../memory\" }\n";
        assert_eq!(check_with("", core, "").len(), 1);
    }

    #[test]
    fn the_right_direction_and_foreign_crates_are_fine() {
        let memory = "[dependencies]\nidetic-core.workspace = true\nserde.workspace = true\n";
        assert!(check_with("", "", memory).is_empty());
    }

    #[test]
    fn a_crate_without_a_layer_is_a_finding() {
        let paths = ["crates/core/Cargo.toml", "crates/xtask/a", "crates/odd/a"];
        let findings = unknown_crates(&paths.map(str::to_owned).into());
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].path, "crates/odd");
    }

    #[test]
    fn every_layer_rests_only_on_layers_above_it_in_the_table() {
        for (index, (folder, allowed)) in LAYERS.iter().enumerate() {
            let earlier: Vec<_> = LAYERS[..index].iter().map(|(name, _)| *name).collect();
            let known = allowed.iter().all(|name| earlier.contains(name));
            assert!(known, "{folder}");
        }
    }
}
