//! Which project an event came from, by what it says of its source and its origin.

/// What the origin of a file in a project begins with.
pub const FILE_OF: &str = "file:";

/// The project that something came from: that of its file, or its source where that is a project and not the name of a component.
pub fn project_of<'a>(source: Option<&'a str>, origin: &'a str) -> Option<&'a str> {
    origin.strip_prefix(FILE_OF).or(source.filter(|source| is_project(source)))
}

/// Whether a source is a project: a folder, or the address of a repository such as `github.com/acme/shop`.
fn is_project(source: &str) -> bool {
    let has_host = || source.split_once('/').is_some_and(|(host, path)| host.contains('.') && !path.is_empty());
    source.starts_with(['~', '/']) || has_host()
}

/// The project that is worked in, by all its names; none where that is not known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProjectScope {
    /// Its names, or the last part of one.
    pub own: Vec<String>,
    /// Whether what is of another project is left out, and not only put last.
    pub only: bool,
}

impl ProjectScope {
    /// Whether no project is named.
    pub fn is_empty(&self) -> bool {
        self.own.is_empty()
    }

    /// Whether a project is the one that is worked in.
    pub fn is_own(&self, project: &str) -> bool {
        let bare = project.rsplit_once('@').map_or(project, |(bare, _)| bare);
        self.own.iter().any(|own| {
            let is_end = |name: &str| name.strip_suffix(own.as_str()).is_some_and(|before| before.ends_with('/'));
            own == project || self.only && (own == bare || is_end(project) || is_end(bare))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_and_addresses_are_projects_and_components_are_not() {
        for project in ["~/shop", "/srv/shop", "github.com/acme/shop", "//box/shop"] {
            assert_eq!(project_of(Some(project), "user"), Some(project));
        }
        for component in ["billing", "billing/api", "v1.2", ""] {
            assert_eq!(project_of(Some(component), "user"), None);
        }
        assert_eq!(project_of(None, "file:~/shop"), Some("~/shop"));
    }
}
