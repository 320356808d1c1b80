//! Members take every dependency from the workspace, so a version stands once.

use crate::tidy::finding::Finding;
use crate::tidy::reading::manifest::Manifest;

pub fn check(member: &Manifest) -> Vec<Finding> {
    let own = member.dependencies.iter().filter(|it| !it.inherited);
    own.map(|it| {
        let message = format!("`{}` must be `workspace = true`, with its version in the root", it.key);
        Finding::new(&member.path, it.line, "inherited-dependency", message)
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(text: &str) -> Vec<Finding> {
        check(&Manifest::parse("crates/core/Cargo.toml", text).expect("the example parses"))
    }

    #[test]
    fn a_version_a_path_and_a_refusal_are_findings() {
        for own in ["\"1\"", "{ path = \"../a\" }", "{ version = \"1\", workspace = false }"] {
            let found = findings(&format!("[dev-dependencies]\na = {own}\n"));
            assert_eq!(found.len(), 1, "{own}");
            assert_eq!(found[0].line, 2);
        }
    }

    #[test]
    fn inherited_ones_may_add_features() {
        let text = "[dependencies]\na.workspace = true\nb = { workspace = true, features = [] }\n";
        assert!(findings(text).is_empty());
    }
}
