//! Which home a command uses.

use std::path::{Path, PathBuf};

use clap::ArgMatches;
use idetic_ops::Home;

use crate::environment::Environment;

/// The home by flag, then by the environment, then the nearest `.idetic` upward, then the user's data folder.
pub fn find(flag: Option<&PathBuf>, around: &Environment) -> Home {
    if let Some(home) = named(flag, around) {
        return home;
    }
    if let Some(folder) = nearest(&around.current_folder) {
        return found(folder, "the nearest .idetic", around);
    }
    Home { make_on_use: true, ..found(around.data_folder.clone(), "your data folder", around) }
}

/// The home that `init` makes: the one that was named, or `.idetic` right here, even inside another.
pub fn to_make(flag: Option<&PathBuf>, around: &Environment) -> Home {
    named(flag, around).unwrap_or_else(|| found(around.current_folder.join(".idetic"), "the current folder", around))
}

/// The home of a command about a project: found from the project's folder upward, and made there by `md init`.
pub fn of_project(flag: Option<&PathBuf>, around: &Environment, arguments: &ArgMatches) -> Home {
    let inner = arguments.subcommand();
    let project = inner.and_then(|(_, arguments)| arguments.get_one::<PathBuf>("project"));
    let folder = project.map_or_else(|| around.current_folder.clone(), |project| around.current_folder.join(project));
    if let Some(home) = named(flag, around) {
        return home;
    }
    if let Some(folder) = nearest(&folder) {
        return found(folder, "the nearest .idetic", around);
    }
    if inner.is_some_and(|(name, _)| name == "init") {
        return found(folder.join(".idetic"), "the folder of the project", around);
    }
    Home { make_on_use: true, ..found(around.data_folder.clone(), "your data folder", around) }
}

fn named(flag: Option<&PathBuf>, around: &Environment) -> Option<Home> {
    let by_flag = flag.map(|folder| found(folder.clone(), "--home", around));
    by_flag.or_else(|| around.home_variable.as_ref().map(|folder| found(folder.clone(), "IDETIC_HOME", around)))
}

fn found(folder: PathBuf, by: &str, around: &Environment) -> Home {
    Home { folder, found_by: by.to_owned(), make_on_use: false, log_url: around.log_variable.clone() }
}

fn nearest(from: &Path) -> Option<PathBuf> {
    from.ancestors().map(|folder| folder.join(".idetic")).find(|folder| folder.join("config.toml").is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_flag_comes_first_and_the_data_folder_last() {
        let project = tempfile::tempdir().expect("a folder");
        let deep = project.path().join("a/b");
        std::fs::create_dir_all(&deep).expect("folders");
        let mut around = Environment {
            home_variable: Some(PathBuf::from("/variable")),
            current_folder: deep,
            data_folder: PathBuf::from("/data"),
            scratch_folder: PathBuf::from("/scratch"),
            user_folder: None,
            log_variable: None,
        };
        assert_eq!(find(Some(&PathBuf::from("/flag")), &around).folder, Path::new("/flag"));
        assert_eq!(find(None, &around).folder, Path::new("/variable"));
        around.home_variable = None;
        let last = find(None, &around);
        assert_eq!((last.folder.as_path(), last.make_on_use), (Path::new("/data"), true));
        let home = project.path().join(".idetic");
        std::fs::create_dir(&home).expect("a folder");
        assert_eq!(find(None, &around).folder, Path::new("/data"), "a folder of that name is not yet a home");
        std::fs::write(home.join("config.toml"), "").expect("a file");
        assert_eq!(find(None, &around).folder, project.path().join(".idetic"));
    }
}
