//! No circle of files that use each other, but a module with its own children: whoever changes one would have to know all.

use std::collections::{BTreeMap, BTreeSet};

use crate::tidy::finding::Finding;
use crate::tidy::reading::imports::{Crate, Edge, Module};
use crate::tidy::reading::place::crate_of;
use crate::tidy::reading::rust_file::RustFile;

const RULE: &str = "circle";

pub fn check(files: &[RustFile], test_only: &BTreeSet<&str>) -> Vec<Finding> {
    let mut crates: BTreeMap<&str, Vec<&RustFile>> = BTreeMap::new();
    for file in files.iter().filter(|file| file.path.contains("/src/") && !test_only.contains(file.path.as_str())) {
        if let Some(name) = crate_of(&file.path) {
            crates.entry(name).or_default().push(file);
        }
    }
    crates.values().flat_map(|files| check_crate(&Crate::of(files))).collect()
}

fn check_crate(files: &Crate) -> Vec<Finding> {
    let edges = files.edges();
    circles(&edges.keys().copied().collect(), &edges)
        .into_iter()
        .map(|circle| {
            let next = edges[circle[0]].iter().find(|edge| circle.contains(&&edge.to));
            let names: Vec<String> = circle.iter().map(|module| shown(module)).collect();
            let message = format!("these files use each other in a circle: {}", names.join(", "));
            Finding::new(files.path(circle[0]), next.map_or(1, |edge| edge.line), RULE, message)
        })
        .collect()
}

/// The circles among some modules, each told once. What is a circle only through the parent of all of it is none.
fn circles<'a>(among: &BTreeSet<&'a Module>, edges: &BTreeMap<&'a Module, Vec<Edge>>) -> Vec<Vec<&'a Module>> {
    let reached: BTreeMap<&Module, BTreeSet<&Module>> = among
        .iter()
        .map(|from| {
            let (mut waiting, mut seen) = (vec![*from], BTreeSet::new());
            while let Some(module) = waiting.pop() {
                for edge in edges.get(module).into_iter().flatten() {
                    if let Some(to) = among.get(&edge.to).filter(|to| !seen.contains(**to)) {
                        seen.insert(*to);
                        waiting.push(to);
                    }
                }
            }
            (*from, seen)
        })
        .collect();
    let mut found = Vec::new();
    let mut told: BTreeSet<&Module> = BTreeSet::new();
    for (module, all) in &reached {
        if told.contains(module) || !all.contains(module) {
            continue;
        }
        let circle: Vec<&Module> = all.iter().filter(|other| reached[**other].contains(module)).copied().collect();
        told.extend(&circle);
        match parent(&circle) {
            Some(parent) => {
                found.extend(circles(&circle.iter().copied().filter(|module| *module != parent).collect(), edges));
            }
            None => found.push(circle),
        }
    }
    found
}

/// The one of them that is the parent of all others. A crate's root is everybody's parent, and does not count.
fn parent<'a>(circle: &[&'a Module]) -> Option<&'a Module> {
    circle.iter().find(|parent| !parent.is_empty() && circle.iter().all(|other| other.starts_with(parent))).copied()
}

fn shown(module: &Module) -> String {
    if module.is_empty() { "the root".to_owned() } else { module.join("::") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let parse = |(path, text): &(&str, &str)| {
            RustFile::parse(&format!("crates/a/src/{path}"), text).expect("the example parses")
        };
        let files: Vec<RustFile> = files.iter().map(parse).collect();
        check(&files, &BTreeSet::new()).iter().map(ToString::to_string).collect()
    }

    const ROOT: (&str, &str) = ("lib.rs", "mod b; mod c; mod d; pub use b::B; pub use c::*;");

    #[test]
    fn a_circle_is_found_also_behind_what_the_root_passes_on() {
        for circle in ["use crate::b::B;", "use crate::B;", "use super::b;", "fn f() -> crate::B { todo!() }"] {
            let files = [ROOT, ("b.rs", "use crate::C; pub struct B;"), ("c.rs", circle), ("d.rs", "use crate::B;")];
            let files: Vec<(&str, String)> = files
                .map(|(path, text)| {
                    (path, if path == "c.rs" { format!("{text} pub struct C;") } else { text.to_owned() })
                })
                .into();
            let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
            let wanted = ["crates/a/src/b.rs:1: circle: these files use each other in a circle: b, c"];
            assert_eq!(found(&files), wanted, "{circle}");
        }
    }

    #[test]
    fn a_module_and_its_children_may_and_so_may_tests() {
        let files = [
            ROOT,
            ("b.rs", "mod e; use e::E; pub struct B;"),
            ("b/e.rs", "use super::B; pub struct E;"),
            ("c.rs", "#[cfg(test)] mod tests { use crate::d::D; } pub struct C;"),
            ("d.rs", "use crate::C; pub struct D;"),
        ];
        assert_eq!(found(&files), Vec::<String>::new());
    }

    #[test]
    fn siblings_may_not_though_they_have_a_parent() {
        let files = [
            ROOT,
            ("b.rs", "mod e; mod f; fn g() { e::g() } pub struct B;"),
            ("b/e.rs", "use super::f::F; pub struct E;"),
            ("b/f.rs", "use super::e::E; pub struct F;"),
        ];
        assert_eq!(found(&files).len(), 1);
    }

    #[test]
    fn what_another_crate_has_is_no_part_of_a_circle() {
        let files = [("lib.rs", "mod b; pub use other::Env; pub use b::B;"), ("b.rs", "use crate::Env; pub struct B;")];
        assert_eq!(found(&files), Vec::<String>::new());
    }
}
