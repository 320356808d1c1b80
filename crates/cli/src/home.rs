//! Which home a command uses.

use std::path::{Path, PathBuf};

use idetic_memory::Home;

use crate::surroundings::Surroundings;

/// The home by flag, then by the environment, then the nearest `.idetic` upward, then the user's data folder.
pub fn find(flag: Option<&PathBuf>, around: &Surroundings) -> Home {
    let found = |folder: PathBuf, by: &str| Home { folder, found_by: by.to_owned(), make_on_use: false };
    if let Some(folder) = flag {
        return found(folder.clone(), "--home");
    }
    if let Some(folder) = &around.home_variable {
        return found(folder.clone(), "IDETIC_HOME");
    }
    if let Some(folder) = nearest(&around.current_folder) {
        return found(folder, "the nearest .idetic");
    }
    Home { make_on_use: true, ..found(around.data_folder.clone(), "your data folder") }
}

fn nearest(from: &Path) -> Option<PathBuf> {
    from.ancestors().map(|folder| folder.join(".idetic")).find(|folder| folder.is_dir())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_flag_comes_first_and_the_data_folder_last() {
        let project = tempfile::tempdir().expect("a folder");
        let deep = project.path().join("a/b");
        std::fs::create_dir_all(&deep).expect("folders");
        let mut around = Surroundings {
            home_variable: Some(PathBuf::from("/variable")),
            current_folder: deep,
            data_folder: PathBuf::from("/data"),
        };
        assert_eq!(find(Some(&PathBuf::from("/flag")), &around).folder, Path::new("/flag"));
        assert_eq!(find(None, &around).folder, Path::new("/variable"));
        around.home_variable = None;
        let last = find(None, &around);
        assert_eq!((last.folder.as_path(), last.make_on_use), (Path::new("/data"), true));
        std::fs::create_dir(project.path().join(".idetic")).expect("a folder");
        assert_eq!(find(None, &around).folder, project.path().join(".idetic"));
    }
}
