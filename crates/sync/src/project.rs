//! Which project a folder belongs to: one name for all worktrees and clones of a repository, wherever they lie.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Longest name of a project.
const NAME_MAX_BYTES: usize = 1000;
/// Longest file of a repository that is read here.
const FILE_MAX_BYTES: u64 = 1 << 20;
/// A clone of a clone of a clone: how far a remote that is a folder is followed.
const REMOTES_MAX: usize = 4;
/// The file in a repository without a remote that keeps its name, so that it is known again when the folder was moved. A part of
/// the name is random: nobody who unpacks a folder elsewhere can give it the name of another.
const NAME_FILE: &str = "idetic-project";

/// A project, and where its repository stands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Project {
    /// Its name: `github.com/acme/shop`, or its folder where it has no remote.
    pub name: String,
    /// The name its events had where it was known by its folder only.
    pub folder_name: String,
    /// The folder that is worked in: the project's, or a worktree's.
    root: PathBuf,
    /// The branch that is checked out.
    pub branch: Option<String>,
    /// The commit, shortened.
    pub commit: Option<String>,
    /// The repository's own folder.
    repository: Option<PathBuf>,
}

impl Project {
    /// The project of a folder. `user` is the folder that names begin from.
    pub fn of(folder: &Path, user: Option<&Path>) -> Self {
        // However it was reached, it is one project.
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        let user = user.map(|user| user.canonicalize().unwrap_or_else(|_| user.to_owned()));
        find(&folder, user.as_deref(), REMOTES_MAX)
    }

    /// A project that is known by its names alone.
    pub fn named(names: &[String]) -> Self {
        let name = names.first().cloned().unwrap_or_default();
        let folder_name = names.get(1).unwrap_or(&name).clone();
        Self { name, folder_name, ..Self::default() }
    }

    /// Gives a repository without a remote a name of its own and keeps that inside of it. Where that cannot be, it is known by its
    /// folder.
    pub fn keep_name(&mut self, random: [u8; 6]) {
        let Some(repository) = self.repository.as_ref().filter(|_| self.name == self.folder_name) else { return };
        let id: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
        let name = short(&format!("{}@{id}", self.folder_name));
        // Only a file that is new: neither another's name nor what a link leads to is overwritten.
        let file = OpenOptions::new().write(true).create_new(true).open(repository.join(NAME_FILE));
        match file.and_then(|mut file| writeln!(file, "{name}")) {
            Ok(()) => self.name = name,
            // Somebody else was faster.
            Err(_) => self.name = kept_name(repository).unwrap_or_else(|| self.folder_name.clone()),
        }
    }

    /// Whether it is a repository, and not just a folder.
    pub fn has_repository(&self) -> bool {
        self.repository.is_some()
    }

    /// The names its events have.
    pub fn names(&self) -> Vec<&str> {
        let mut names = vec![self.name.as_str(), self.folder_name.as_str()];
        names.dedup();
        names
    }

    /// A line without the folder of the project in it.
    pub fn without_root(&self, line: &str) -> String {
        let root = format!("{}/", self.root.display());
        if root.len() > 1 { line.replace(&root, "") } else { line.to_owned() }
    }

    /// A file as it is named within the project.
    pub fn within(&self, file: &str) -> String {
        let path = Path::new(file);
        // What was done in the main folder or in another worktree is named alike.
        let main = self.repository.as_deref().and_then(Path::parent);
        let within = path.strip_prefix(&self.root).ok().or_else(|| path.strip_prefix(main?).ok());
        within.unwrap_or(path).to_string_lossy().into_owned()
    }

    /// Whether an event that names its source is of this project.
    pub fn is_named(&self, source: &str) -> bool {
        source == self.name || source == self.folder_name
    }
}

fn find(folder: &Path, user: Option<&Path>, remotes_left: usize) -> Project {
    let is_project =
        |folder: &&Path| folder.join(".git").exists() || folder.join(".idetic").exists() || is_bare(folder);
    let own = folder.ancestors().find(is_project);
    let git = own.and_then(|own| git_folder(&own.join(".git")).or_else(|| is_bare(own).then(|| own.to_owned())));
    let Some(git) = git else {
        let name = shown(own.unwrap_or(folder), user);
        let root = own.unwrap_or(folder).to_owned();
        return Project { folder_name: name.clone(), name, root, ..Project::default() };
    };
    // What worktrees share lies in the repository they were made from.
    let common = match read(&git.join("commondir")) {
        Some(path) => git.join(path.trim()),
        None => git.clone(),
    };
    let common = common.canonicalize().unwrap_or(common);
    let main = if common.ends_with(".git") { common.parent().unwrap_or(&common) } else { &common };
    let folder_name = shown(main, user);
    let remote = read(&common.join("config")).and_then(|config| remote(&config));
    let name = match remote {
        Some(url) => match Path::new(url.strip_prefix("file://").unwrap_or(&url)) {
            // A clone of a folder belongs to that folder's project.
            path if is_local(&url) && remotes_left > 0 => {
                let path = main.join(path);
                path.canonicalize().map_or_else(|_| shown(&path, user), |path| find(&path, user, remotes_left - 1).name)
            }
            _ => of_url(&url).map_or_else(|| folder_name.clone(), |name| short(&name)),
        },
        None => kept_name(&common).unwrap_or_else(|| folder_name.clone()),
    };
    let (branch, commit) = head(&git, &common);
    let root = own.unwrap_or(folder).to_owned();
    Project { name, folder_name, root, branch, commit, repository: Some(common) }
}

/// The folder that `.git` is, or names.
fn git_folder(dot_git: &Path) -> Option<PathBuf> {
    if dot_git.is_dir() {
        return Some(dot_git.to_owned());
    }
    let text = read(dot_git)?;
    let named = text.trim().strip_prefix("gitdir:")?.trim().to_owned();
    Some(dot_git.parent()?.join(named))
}

fn is_bare(folder: &Path) -> bool {
    folder.join("HEAD").is_file() && folder.join("objects").is_dir()
}

/// The name that was kept: a folder and something random behind it, so that it is nobody else's.
fn kept_name(common: &Path) -> Option<String> {
    let name = read(&common.join(NAME_FILE))?;
    let name: String = name.lines().next()?.chars().filter(|c| !c.is_control()).collect();
    let (folder, id) = name.trim().rsplit_once('@')?;
    let is_own = folder.starts_with(['~', '/']) && id.len() == 12 && id.bytes().all(|b| b.is_ascii_hexdigit());
    (is_own && name.len() <= NAME_MAX_BYTES).then(|| name.trim().to_owned())
}

/// A path as a name: from the user's folder where it is below that.
fn shown(path: &Path, user: Option<&Path>) -> String {
    let below = user.and_then(|user| path.strip_prefix(user).ok());
    let path = below.map_or_else(|| path.to_owned(), |below| Path::new("~").join(below));
    short(&path.to_string_lossy())
}

/// A name that is too long keeps its first letter, by which it is known for a project, and its end, which tells most.
fn short(name: &str) -> String {
    if name.len() <= NAME_MAX_BYTES {
        return name.to_owned();
    }
    let first = name.chars().next().unwrap_or('/');
    let from = name.char_indices().map(|(at, _)| at).find(|at| name.len() - at <= NAME_MAX_BYTES - 8);
    format!("{first}/…{}", &name[from.unwrap_or(0)..])
}

/// The address of `origin`, else of the first remote.
fn remote(config: &str) -> Option<String> {
    let (mut section, mut first) = (None, None);
    for line in config.lines().map(str::trim) {
        if line.starts_with('[') {
            section = line.strip_prefix("[remote \"").and_then(|rest| rest.strip_suffix("\"]"));
            continue;
        }
        let Some((_, value)) = line.split_once('=').filter(|(key, _)| key.trim() == "url") else { continue };
        let Some(name) = section else { continue };
        let url = value.trim().trim_matches('"').to_owned();
        if name == "origin" && !url.is_empty() {
            return Some(url);
        }
        first.get_or_insert(url);
    }
    first.filter(|url| !url.is_empty())
}

fn is_local(url: &str) -> bool {
    url.starts_with("file://") || url.starts_with(['/', '.', '~']) || !url.contains([':', '@'])
}

/// `git@github.com:acme/shop.git` and `https://token@github.com/acme/shop` are one place, and no part of that is a secret.
fn of_url(url: &str) -> Option<String> {
    let bare = url.split_once("://").map_or(url, |(_, rest)| rest);
    let has_scheme = bare.len() < url.len();
    let bare = bare.split(['?', '#']).next().unwrap_or_default();
    let (host, path) = if has_scheme { bare.split_once('/') } else { bare.split_once(':').or(bare.split_once('/')) }
        .unwrap_or((bare, ""));
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    let host = host.split(':').next().unwrap_or_default().to_lowercase();
    let path = path.trim_matches('/');
    // A name without a dot would be taken for that of a component.
    let mark = if host.contains('.') { "" } else { "//" };
    let path = path.strip_suffix(".git").unwrap_or(path);
    (!host.is_empty() && !path.is_empty()).then(|| format!("{mark}{host}/{path}"))
}

/// The branch and the commit that are checked out.
fn head(git: &Path, common: &Path) -> (Option<String>, Option<String>) {
    let Some(head) = read(&git.join("HEAD")) else { return (None, None) };
    let Some(reference) = head.trim().strip_prefix("ref: ") else { return (None, abbreviated(&head)) };
    let branch = reference.strip_prefix("refs/heads/").unwrap_or(reference).to_owned();
    let loose = read(&git.join(reference)).or_else(|| read(&common.join(reference)));
    let packed = || {
        let packed = read(&common.join("packed-refs"))?;
        let line = packed.lines().find(|line| line.split_once(' ').is_some_and(|(_, name)| name == reference))?;
        Some(line.to_owned())
    };
    (Some(branch), loose.or_else(packed).and_then(|text| abbreviated(&text)))
}

fn abbreviated(text: &str) -> Option<String> {
    let hash = text.split_whitespace().next()?;
    (hash.len() >= 40 && hash.bytes().all(|b| b.is_ascii_hexdigit())).then(|| hash[..9].to_owned())
}

fn read(file: &Path) -> Option<String> {
    let is_short = fs::metadata(file).ok().filter(|data| data.is_file() && data.len() <= FILE_MAX_BYTES).is_some();
    is_short.then(|| fs::read_to_string(file).ok())?
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    fn git(folder: &Path, arguments: &[&str]) {
        let done = Command::new("git")
            .args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always"])
            .args(arguments)
            .current_dir(folder)
            .output();
        let done = done.expect("git runs");
        assert!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
    }

    fn repository(at: &Path) {
        fs::create_dir_all(at).expect("a folder");
        git(at, &["init", "-q", "-b", "main"]);
        git(at, &["commit", "-q", "--allow-empty", "-m", "one"]);
    }

    #[test]
    fn an_address_is_one_name_however_it_is_written() {
        assert_eq!(of_url("git@box:shop.git").as_deref(), Some("//box/shop"));
        assert_eq!(of_url("https://git.example.com/"), None, "a host is no project");
        for url in [
            "git@github.com:acme/Shop.git",
            "https://github.com/acme/Shop",
            "https://user:secret@GitHub.com/acme/Shop.git/",
            "ssh://git@github.com:22/acme/Shop.git",
            "git://github.com/acme/Shop.git?x=1",
        ] {
            assert_eq!(of_url(url.trim_end_matches('/')).as_deref(), Some("github.com/acme/Shop"), "{url}");
        }
    }

    #[test]
    fn worktrees_clones_and_moved_folders_are_one_project() {
        let folder = tempfile::tempdir().expect("a folder");
        let user = folder.path().canonicalize().expect("a path");
        let of = |path: &Path| Project::of(path, Some(&user));
        let shop = user.join("apps/shop");
        repository(&shop);
        let mut first = of(&shop.join("."));
        assert_eq!((first.name.as_str(), first.branch.as_deref()), ("~/apps/shop", Some("main")));
        assert_eq!(first.commit.as_ref().map(String::len), Some(9));
        fs::create_dir_all(shop.join("packages/a")).expect("a folder");
        assert_eq!(of(&shop.join("packages/a")).name, first.name, "a package of a repository");

        git(&shop, &["worktree", "add", "-q", "-b", "try", "../shop-try"]);
        let tree = of(&user.join("apps/shop-try"));
        assert_eq!((tree.name.as_str(), tree.branch.as_deref()), ("~/apps/shop", Some("try")));
        git(&user, &["clone", "-q", "apps/shop", "copy"]);
        assert_eq!(of(&user.join("copy")).name, "~/apps/shop", "a clone of a folder");

        first.keep_name([7; 6]);
        assert_eq!(first.name, "~/apps/shop@070707070707");
        assert!(of(&shop).is_named("~/apps/shop"), "what it was called before");
        fs::rename(&shop, user.join("moved")).expect("moves");
        assert_eq!(of(&user.join("moved")).name, first.name, "moved");
        repository(&shop);
        assert_ne!(of(&shop).name, first.name, "another one in its place");

        // A name is not to be guessed, and no link is followed to write it.
        repository(&user.join("forged"));
        fs::write(user.join("forged/.git/idetic-project"), "~/apps/shop\n").expect("written");
        let mut forged = of(&user.join("forged"));
        forged.keep_name([1; 6]);
        assert_eq!(forged.name, "~/forged");
        repository(&user.join("linked"));
        std::os::unix::fs::symlink(user.join("elsewhere"), user.join("linked/.git/idetic-project")).expect("a link");
        of(&user.join("linked")).keep_name([1; 6]);
        assert!(!user.join("elsewhere").exists());

        // A bare repository is a project of its own, also below another one.
        repository(&user.join("dots"));
        git(&user.join("dots"), &["init", "-q", "--bare", "git/a.git"]);
        git(&user.join("dots"), &["clone", "-q", "git/a.git", "../of-bare"]);
        assert_eq!(of(&user.join("of-bare")).name, "~/dots/git/a.git");

        let remote = "git@example.com:acme/shop.git";
        for name in ["one", "two"] {
            repository(&user.join(name));
            git(&user.join(name), &["remote", "add", "origin", remote]);
            assert_eq!(of(&user.join(name)).name, "example.com/acme/shop");
            assert!(of(&user.join(name)).is_named(&format!("~/{name}")), "what it was called before");
        }
        git(&user.join("two"), &["pack-refs", "--all"]);
        assert!(of(&user.join("two")).commit.is_some());

        fs::create_dir_all(user.join("plain/below")).expect("a folder");
        assert_eq!(of(&user.join("plain")).name, "~/plain", "without git it is the folder");
        assert_eq!(of(&user.join("plain/below")).name, "~/plain/below");
        fs::create_dir_all(user.join("plain/.idetic")).expect("a folder");
        assert_eq!(of(&user.join("plain/below")).name, "~/plain", "or the one with a home");
    }
}
