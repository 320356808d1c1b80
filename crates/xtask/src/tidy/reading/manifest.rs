//! The parts of a `Cargo.toml` that the checks ask about, with their lines.

use toml::de::{DeTable, DeValue};

use crate::tidy::finding::Finding;

const SECTIONS: &[&str] = &["dependencies", "dev-dependencies", "build-dependencies"];

pub struct Manifest {
    pub path: String,
    pub package: Option<String>,
    /// All sections together, those under `[target]` included.
    pub dependencies: Vec<Dependency>,
    pub workspace_dependencies: Vec<Dependency>,
}

pub struct Dependency {
    /// The name on the left, which may be an alias.
    pub key: String,
    /// The value of `package`, if the name is an alias.
    pub package: Option<String>,
    /// Whether it says `workspace = true`.
    pub inherited: bool,
    pub line: usize,
    /// The byte behind the value, where a trailing comment could start.
    pub end: usize,
}

impl Manifest {
    pub fn parse(path: &str, text: &str) -> Result<Self, Finding> {
        let document = DeTable::parse(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            let message = error.message().to_owned();
            Finding::new(path, line_of(text, at), "manifest", message)
        })?;
        let document = document.get_ref();
        let package = table(document, "package").and_then(|it| string(it, "name"));
        let mut dependencies = sections(document, text);
        for (_, target) in table(document, "target").into_iter().flatten() {
            if let Some(target) = target.get_ref().as_table() {
                dependencies.extend(sections(target, text));
            }
        }
        let workspace = table(document, "workspace");
        Ok(Self {
            path: path.to_owned(),
            package,
            dependencies,
            workspace_dependencies: workspace
                .and_then(|it| table(it, "dependencies"))
                .map_or_else(Vec::new, |it| entries(it, text)),
        })
    }
}

fn sections(parent: &DeTable<'_>, text: &str) -> Vec<Dependency> {
    let found = SECTIONS.iter().filter_map(|name| table(parent, name));
    found.flat_map(|section| entries(section, text)).collect()
}

fn entries(section: &DeTable<'_>, text: &str) -> Vec<Dependency> {
    let read = section.iter().map(|(key, value)| {
        let details = value.get_ref().as_table();
        Dependency {
            key: key.get_ref().to_string(),
            package: details.and_then(|it| string(it, "package")),
            inherited: details
                .and_then(|it| it.get("workspace"))
                .is_some_and(|it| it.get_ref().as_bool() == Some(true)),
            line: line_of(text, key.span().start),
            end: value.span().end,
        }
    });
    read.collect()
}

fn table<'a, 'text>(parent: &'a DeTable<'text>, name: &str) -> Option<&'a DeTable<'text>> {
    parent.get(name)?.get_ref().as_table()
}

fn string(parent: &DeTable<'_>, name: &str) -> Option<String> {
    let value: &DeValue<'_> = parent.get(name)?.get_ref();
    value.as_str().map(str::to_owned)
}

fn line_of(text: &str, byte: usize) -> usize {
    let before = text.as_bytes().iter().take(byte);
    1 + before.filter(|byte| **byte == b'\n').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_dependency_sections_are_read() {
        let text = "[package]\nname = \"a\"\n\
            [dependencies]\nb.workspace = true\n\
            [dev-dependencies]\nc = { package = \"d\", version = \"1\" }\n\
            [build-dependencies]\ne = \"1\"\n\
            [target.'cfg(unix)'.dependencies]\nf = { workspace = true }\n";
        let manifest = Manifest::parse("Cargo.toml", text).expect("the example parses");
        assert_eq!(manifest.package.as_deref(), Some("a"));
        let read: Vec<_> = manifest.dependencies.iter().map(|it| (it.key.as_str(), it.inherited, it.line)).collect();
        let wanted = [("b", true, 4), ("c", false, 6), ("e", false, 8), ("f", true, 10)];
        assert_eq!(read, wanted);
        assert_eq!(manifest.dependencies[1].package.as_deref(), Some("d"));
    }

    #[test]
    fn a_broken_manifest_is_a_finding_with_its_line() {
        let finding = Manifest::parse("Cargo.toml", "[package]\nname = \n");
        let finding = finding.err().expect("the example is broken");
        assert_eq!((finding.rule, finding.line), ("manifest", 2));
    }
}
