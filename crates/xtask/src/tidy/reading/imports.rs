//! What each file of a crate uses of the others, with `pub use` followed to where a name is defined.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{TokenStream, TokenTree};
use syn::Item;

use super::rust_file::RustFile;
use super::rust_paths::{RustPath, read, read_import};
use super::test_code;
use super::tokens::{group, is_ident, is_path_separator, is_punct};

/// How often a name is followed from one `pub use` to the next.
const FOLLOWED: usize = 8;

/// The path of a module, from the crate's root.
pub type Module = Vec<String>;

/// The files of one crate, by module.
pub struct Crate {
    files: BTreeMap<Module, Uses>,
}

/// What one file says about names.
#[derive(Default)]
struct Uses {
    path: String,
    /// Paths that lead to other modules of the crate, from its root.
    used: Vec<(Module, usize)>,
    /// Names that are passed on, and where each leads.
    passed_on: BTreeMap<String, Module>,
    /// Names of other crates that are passed on.
    foreign: BTreeSet<String>,
    /// Modules of which everything is passed on.
    globs: Vec<Module>,
    defined: BTreeSet<String>,
}

/// A use of another file: which, and on what line.
pub struct Edge {
    pub to: Module,
    pub line: usize,
}

impl Crate {
    /// The files of a crate's `src`, without those that are compiled for tests only.
    pub fn of(files: &[&RustFile]) -> Self {
        let modules: BTreeSet<Module> = files.iter().map(|file| module_of(&file.path)).collect();
        let mut all = BTreeMap::new();
        for file in files {
            let own = module_of(&file.path);
            let mut reader = Reader { own: &own, modules: &modules, uses: Uses::default() };
            reader.uses.path.clone_from(&file.path);
            reader.uses.defined = file.syntax.items.iter().filter_map(defined).collect();
            reader.level(file.tokens.clone());
            let uses = reader.uses;
            all.insert(own, uses);
        }
        Self { files: all }
    }

    /// The file of a module.
    pub fn path(&self, module: &Module) -> &str {
        self.files.get(module).map_or("", |uses| &uses.path)
    }

    /// For each file the files it uses.
    pub fn edges(&self) -> BTreeMap<&Module, Vec<Edge>> {
        let edges = |(own, uses): (&'_ Module, &'_ Uses)| -> Vec<Edge> {
            let found = uses.used.iter().filter_map(|(path, line)| {
                let to = self.resolve(path, 0)?;
                (to != *own).then_some(Edge { to, line: *line })
            });
            found.collect()
        };
        self.files.iter().map(|(own, uses)| (own, edges((own, uses)))).collect()
    }

    /// The file that defines what a path leads to; none where another crate does.
    fn resolve(&self, path: &[String], depth: usize) -> Option<Module> {
        let length = (0..=path.len()).rev().find(|length| self.files.contains_key(&path[..*length]))?;
        let (module, uses) = self.files.get_key_value(&path[..length])?;
        let Some(name) = path.get(length).filter(|name| *name != "*" && depth < FOLLOWED) else {
            return Some(module.clone());
        };
        if let Some(target) = uses.passed_on.get(name) {
            let rest = target.iter().chain(&path[length + 1..]).cloned().collect::<Vec<_>>();
            return self.resolve(&rest, depth + 1);
        }
        if uses.foreign.contains(name) {
            return None;
        }
        if uses.defined.contains(name) {
            return Some(module.clone());
        }
        let through = uses.globs.iter().find_map(|glob| {
            let rest = glob.iter().chain(&path[length..]).cloned().collect::<Vec<_>>();
            let found = self.resolve(&rest, depth + 1)?;
            let defines = self.files.get(&found).is_some_and(|uses| uses.defined.contains(name));
            (found != *module && defines).then_some(found)
        });
        Some(through.unwrap_or_else(|| module.clone()))
    }
}

/// `crates/a/src/b/c.rs` is `b::c`; the root is empty.
fn module_of(path: &str) -> Module {
    let inner = path.splitn(4, '/').nth(3).unwrap_or_default().trim_end_matches(".rs");
    inner.split('/').filter(|part| !matches!(*part, "lib" | "main" | "mod")).map(str::to_owned).collect()
}

fn defined(item: &Item) -> Option<String> {
    let name = match item {
        Item::Const(it) => &it.ident,
        Item::Enum(it) => &it.ident,
        Item::Fn(it) => &it.sig.ident,
        Item::Macro(it) => it.ident.as_ref()?,
        Item::Static(it) => &it.ident,
        Item::Struct(it) => &it.ident,
        Item::Trait(it) => &it.ident,
        Item::Type(it) => &it.ident,
        _ => return None,
    };
    Some(name.to_string())
}

struct Reader<'a> {
    own: &'a Module,
    modules: &'a BTreeSet<Module>,
    uses: Uses,
}

impl Reader<'_> {
    fn level(&mut self, tokens: TokenStream) {
        let trees: Vec<TokenTree> = tokens.into_iter().collect();
        let mask = test_code::mask(&trees);
        let mut at = 0;
        while at < trees.len() {
            if mask[at] {
                at += 1;
                continue;
            }
            if let TokenTree::Group(inner) = &trees[at] {
                self.level(inner.stream());
            } else if is_ident(trees.get(at), "use") {
                let (paths, next) = read_import(&trees, at + 1);
                let is_public = is_public(&trees, at);
                paths.iter().for_each(|path| self.import(path, is_public));
                at = next.max(at + 1);
                continue;
            } else if is_path_separator(&trees, at + 1) && self.begins_here(&trees, at) {
                let (path, next) = read(&trees, at);
                if let Some(path) = path {
                    self.uses.used.extend(self.absolute(&path.segments).map(|target| (target, path.line)));
                }
                at = next.max(at + 1);
                continue;
            }
            at += 1;
        }
    }

    /// Whether a path of this crate begins here: from its root or from here, or by the name of a child. `$crate` is the crate
    /// of whoever calls a macro.
    fn begins_here(&self, trees: &[TokenTree], at: usize) -> bool {
        let before = |steps: usize| at.checked_sub(steps).and_then(|before| trees.get(before));
        let Some(TokenTree::Ident(first)) = trees.get(at) else { return false };
        if is_punct(before(1), '$') || is_punct(before(1), ':') && is_punct(before(2), ':') {
            return false;
        }
        let first = first.to_string();
        let child: Module = self.own.iter().cloned().chain([first.clone()]).collect();
        ["crate", "super", "self"].contains(&first.as_str()) || self.modules.contains(&child)
    }

    fn import(&mut self, path: &RustPath, is_public: bool) {
        let name = path.local_name().unwrap_or_default().to_owned();
        let Some(target) = self.absolute(&path.segments) else {
            if is_public {
                self.uses.foreign.insert(name);
            }
            return;
        };
        self.uses.used.push((target.clone(), path.line));
        if is_public && name == "*" {
            self.uses.globs.push(target[..target.len() - 1].to_vec());
        } else if is_public {
            self.uses.passed_on.insert(name, target);
        }
    }

    /// A path as it is from the crate's root; none where it leads to another crate.
    fn absolute(&self, segments: &[String]) -> Option<Module> {
        let joined = |base: &[String], rest: &[String]| base.iter().chain(rest).cloned().collect();
        match segments.first().map(String::as_str)? {
            "crate" => Some(joined(&[], &segments[1..])),
            "self" => Some(joined(self.own, &segments[1..])),
            "super" => {
                let up = segments.iter().take_while(|segment| *segment == "super").count();
                let base = self.own.len().checked_sub(up)?;
                Some(joined(&self.own[..base], &segments[up..]))
            }
            first => {
                let child: Module = joined(self.own, &[first.to_owned()]);
                self.modules.contains(&child).then(|| joined(self.own, segments))
            }
        }
    }
}

/// Whether a `use` is behind `pub` or `pub(..)`.
fn is_public(trees: &[TokenTree], at: usize) -> bool {
    let back = |steps: usize| at.checked_sub(steps).and_then(|at| trees.get(at));
    is_ident(back(1), "pub")
        || group(back(1), proc_macro2::Delimiter::Parenthesis).is_some() && is_ident(back(2), "pub")
}
