//! Which file declares which by `mod`, as the compiler would look for them.

use std::collections::{BTreeMap, BTreeSet};

use syn::{Attribute, Expr, ExprLit, Item, ItemMod, Lit, Meta};

use super::place::{is_crate_root, join};
use super::rust_file::RustFile;
use super::test_code::cfg_implies_test;

/// An edge to a file another one declares.
struct Declared {
    file: String,
    test_only: bool,
}

pub struct Modules(BTreeMap<String, Vec<Declared>>);

impl Modules {
    pub fn of(files: &[RustFile]) -> Self {
        let known: BTreeSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
        let declared = |file: &RustFile| {
            let mut found = declared(file);
            // Two places are tried for a module; one of them usually exists.
            found.retain(|it| known.contains(it.file.as_str()));
            (file.path.clone(), found)
        };
        Self(files.iter().map(declared).collect())
    }

    /// The given files and all that `mod` declarations lead to from there.
    pub fn reachable<'a>(&'a self, from: impl IntoIterator<Item = &'a str>) -> BTreeSet<&'a str> {
        let mut waiting: Vec<&str> = from.into_iter().collect();
        let mut reached = BTreeSet::new();
        while let Some(path) = waiting.pop() {
            if reached.insert(path) {
                let declared = self.0.get(path).into_iter().flatten();
                waiting.extend(declared.map(|it| it.file.as_str()));
            }
        }
        reached
    }

    /// Files that exist only in test builds because of `#[cfg(test)] mod x;`.
    pub fn test_only(&self) -> BTreeSet<&str> {
        let declared = self.0.values().flatten();
        let direct = declared.filter(|it| it.test_only);
        self.reachable(direct.map(|it| it.file.as_str()))
    }
}

fn declared(file: &RustFile) -> Vec<Declared> {
    let (folder, name) = file.path.rsplit_once('/').unwrap_or(("", &file.path));
    let owns_folder = name == "mod.rs" || is_crate_root(&file.path);
    let stem = name.trim_end_matches(".rs");
    let base = if owns_folder { folder.to_owned() } else { join(folder, stem) };
    let mut found = Vec::new();
    collect(&file.syntax.items, folder, &base, false, &mut found);
    found
}

/// `attribute_base` is what `#[path]` is relative to: the folder of the file
/// itself, but the module's own folder inside an inline module.
fn collect(items: &[Item], attribute_base: &str, base: &str, outer_is_test: bool, found: &mut Vec<Declared>) {
    for item in items {
        let Item::Mod(module) = item else { continue };
        let test_only = outer_is_test || module.attrs.iter().any(is_cfg_test);
        let name = module.ident.to_string();
        let name = name.trim_start_matches("r#");
        let given = path_attribute(module);
        if let Some((_, items)) = &module.content {
            let inner = given.map_or_else(|| join(base, name), |path| join(attribute_base, &path));
            collect(items, &inner, &inner, test_only, found);
            continue;
        }
        let files = match given {
            Some(path) => vec![join(attribute_base, &path)],
            None => vec![join(base, &format!("{name}.rs")), join(base, &format!("{name}/mod.rs"))],
        };
        found.extend(files.into_iter().map(|file| Declared { file, test_only }));
    }
}

fn is_cfg_test(attribute: &Attribute) -> bool {
    match &attribute.meta {
        Meta::List(list) => list.path.is_ident("cfg") && cfg_implies_test(list.tokens.clone()),
        _ => false,
    }
}

fn path_attribute(module: &ItemMod) -> Option<String> {
    module.attrs.iter().find_map(|attribute| {
        let Meta::NameValue(pair) = &attribute.meta else {
            return None;
        };
        match &pair.value {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) if pair.path.is_ident("path") => Some(text.value()),
            _ => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn modules(files: &[(&str, &str)]) -> Modules {
        let parse = |(path, text): &(&str, &str)| RustFile::parse(path, text).expect("the example parses");
        Modules::of(&files.iter().map(parse).collect::<Vec<_>>())
    }

    fn reached(files: &[(&str, &str)]) -> Vec<String> {
        let modules = modules(files);
        let reached = modules.reachable([files[0].0]);
        let others = reached.into_iter().filter(|path| *path != files[0].0);
        others.map(str::to_owned).collect()
    }

    #[test]
    fn roots_mod_files_and_plain_files_look_in_different_folders() {
        let files = [
            ("crates/a/src/lib.rs", "mod b; mod c;"),
            ("crates/a/src/b.rs", "mod d;"),
            ("crates/a/src/b/d.rs", ""),
            ("crates/a/src/c/mod.rs", "mod e;"),
            ("crates/a/src/c/e.rs", ""),
            ("crates/a/src/d.rs", ""),
        ];
        let wanted = ["b.rs", "b/d.rs", "c/e.rs", "c/mod.rs"];
        assert_eq!(reached(&files), wanted.map(|it| format!("crates/a/src/{it}")));
    }

    #[test]
    fn inline_modules_and_path_attributes_are_followed() {
        let files = [
            ("crates/a/tests/all.rs", "mod cases { mod one; } #[path = \"../tests/odd/two.rs\"] mod two;"),
            ("crates/a/tests/cases/one.rs", ""),
            ("crates/a/tests/odd/two.rs", ""),
            ("crates/a/tests/odd/three.rs", ""),
        ];
        let wanted = ["crates/a/tests/cases/one.rs", "crates/a/tests/odd/two.rs"];
        assert_eq!(reached(&files), wanted);
    }

    #[test]
    fn a_test_only_declaration_covers_the_files_below_it() {
        let modules = modules(&[
            ("crates/a/src/lib.rs", "#[cfg(test)] mod t; mod b;"),
            ("crates/a/src/t.rs", "mod u;"),
            ("crates/a/src/t/u.rs", ""),
            ("crates/a/src/b.rs", ""),
        ]);
        let found: Vec<_> = modules.test_only().into_iter().collect();
        assert_eq!(found, ["crates/a/src/t.rs", "crates/a/src/t/u.rs"]);
    }
}
