//! Which home and which space a command uses, how they come to be, and what the configuration says of itself.

use std::path::Path;
use std::process::{Command, Stdio};

use super::place::{Answer, Place, json_lines, one, text};

/// Runs a command that was prepared and takes its one JSON object.
fn object(command: &mut Command) -> serde_json::Value {
    one(json_lines(&answer(command).ok()))
}

fn answer(command: &mut Command) -> Answer {
    Answer::of(command.stdin(Stdio::null()).output().expect("the program starts"))
}

fn same_folder(shown: &str, folder: &Path) -> bool {
    Path::new(shown).canonicalize().expect("it is there") == folder.canonicalize().expect("it is there")
}

#[test]
fn a_home_is_found_by_flag_then_variable_then_nearest_folder_then_data_folder() {
    let place = Place::bare();
    let deep = place.path("project/a/b");
    std::fs::create_dir_all(&deep).expect("folders");
    for home in ["flag", "variable", "project/.idetic", "data/idetic"] {
        place.ok(&["init", &place.arg(home)]);
    }
    let flag = place.arg("flag");
    let status = |args: &[&str], variable: Option<&str>| {
        let mut command = place.command(&[&["--json", "status"], args].concat());
        command.current_dir(&deep).env_remove("IDETIC_HOME");
        command.envs(variable.map(|v| ("IDETIC_HOME", v.to_owned())));
        object(&mut command)
    };
    let check = |found: serde_json::Value, home: &str, by: &str| {
        assert!(same_folder(text(&found, "home"), &place.path(home)), "{found}");
        assert_eq!(text(&found, "home_found_by"), by);
    };
    let variable = place.arg("variable");
    check(status(&["--home", &flag], Some(&variable)), "flag", "--home");
    check(status(&[], Some(&variable)), "variable", "IDETIC_HOME");
    check(status(&[], None), "project/.idetic", "the nearest .idetic");
    check(status(&[], Some("")), "project/.idetic", "the nearest .idetic");
    place.ok(&["init", &place.arg("project/a/.idetic")]);
    check(status(&[], None), "project/a/.idetic", "the nearest .idetic");
    for nearer in ["project/a/.idetic", "project/.idetic"] {
        std::fs::remove_dir_all(place.path(nearer)).expect("it was made above");
    }
    check(status(&[], None), "data/idetic", "your data folder");
}

#[test]
fn global_flags_stand_before_or_behind_the_command() {
    let place = Place::new();
    let other = place.arg("other");
    place.ok(&["init", &other]);
    place.ok(&["remember", "x", "--home", &other, "--space", "a/b"]);
    let before = place.ok(&["--home", &other, "--space", "a/b", "--json", "log"]);
    let behind = place.ok(&["log", "--json", "--space", "a/b", "--home", &other]);
    assert_eq!(before, behind);
    assert_eq!(json_lines(&before).len(), 1);
}

#[test]
fn only_the_data_folder_is_made_on_first_use() {
    let place = Place::bare();
    let mut command = place.command(&["remember", "x", "--json"]);
    assert_eq!(object(command.env_remove("IDETIC_HOME"))["seq"], 1);
    assert!(place.path("data/idetic/config.toml").exists());

    let mut command = place.command(&["remember", "x", "--json"]);
    assert_eq!(object(command.env_remove("IDETIC_HOME").env_remove("XDG_DATA_HOME"))["seq"], 1);
    let below = if cfg!(target_os = "macos") { "Library/Application Support" } else { ".local/share" };
    assert!(place.path("user").join(below).join("idetic/config.toml").exists());

    let (what, hint) = place.run(&["remember", "x"]).refused(3);
    assert!(what.contains("no Idetic home") && what.contains(&place.arg("home")), "{what}");
    assert!(hint.contains(&format!("idetic init {}", place.arg("home"))), "{hint}");
    let missing = place.arg("missing");
    place.run(&["--home", &missing, "append", "-"]).refused(3);
    assert!(
        !place.home().exists() && !place.path("missing").exists(),
        "a home that was named is never made by the way"
    );
}

#[test]
fn init_makes_a_home_once_and_leaves_it_as_it_is() {
    let place = Place::bare();
    let made = place.json(&["init", &place.arg("home")]);
    assert_eq!(text(&made, "done"), format!("created a home in {}", place.arg("home")));
    assert_eq!(place.events(), 0, "its default space is there and empty");
    let config = place.home().join("config.toml");
    std::fs::write(&config, "author = \"ann\"\n").expect("the configuration can be changed");
    place.ok(&["remember", "kept"]);
    let again = place.json(&["init", &place.arg("home")]);
    assert!(text(&again, "done").starts_with("there is a home already"), "{again}");
    assert_eq!(std::fs::read_to_string(config).expect("it is there"), "author = \"ann\"\n");
    assert_eq!(place.events(), 1);
}

#[test]
fn init_without_a_folder_makes_the_home_that_was_named_or_one_right_here() {
    let place = Place::bare();
    place.ok(&["init", "--home", &place.arg("flag")]);
    assert!(place.path("flag/config.toml").exists(), "--home names the home to make");
    place.ok(&["init"]);
    assert!(place.home().join("config.toml").exists(), "IDETIC_HOME names the home to make");
    assert!(!place.path(".idetic").exists(), "nothing was made that was not asked for");

    std::fs::create_dir_all(place.path("project/inner")).expect("folders");
    for folder in ["project", "project/inner"] {
        let mut command = place.command(&["init"]);
        answer(command.current_dir(place.path(folder)).env_remove("IDETIC_HOME")).ok();
        assert!(place.path(folder).join(".idetic/config.toml").exists(), "a project in a project has its own home");
        assert!(place.path(folder).join(".idetic/.gitignore").exists(), "git does not take it along");
    }
}

#[test]
fn init_refuses_a_file_in_the_place_of_the_folder() {
    let place = Place::bare();
    let file = place.write("file", "mine");
    let (what, _) = place.run(&["init", &file]).refused(2);
    assert!(what.contains(&file), "{what}");
    assert_eq!(std::fs::read_to_string(place.path("file")).expect("it is there"), "mine");
}

#[test]
fn a_space_that_is_not_there_is_not_found_and_not_made_by_reading() {
    let place = Place::new();
    let backup = place.arg("backup.gz");
    let readings: [&[&str]; 10] = [
        &["get", "1"],
        &["trace"],
        &["stats"],
        &["status"],
        &["verify"],
        &["digest"],
        &["rebuild"],
        &["backup", &backup],
        &["export"],
        &["repair", "--accept-loss"],
    ];
    for reading in readings {
        let args = [reading, &["--space", "ann/notes"]].concat();
        let (what, hint) = place.run(&args).refused(3);
        assert!(what.contains("no space ann/notes"), "{reading:?}: {what}");
        assert!(hint.contains("idetic remember"), "{reading:?}: {hint}");
    }
    for searching in
        [&["log"][..], &["recall", "tea"], &["fact", "retrieve", "tea"], &["fact", "list"], &["note", "list"]]
    {
        let answer = place.run(&[searching, &["--space", "ann/notes", "--json"]].concat());
        assert!(answer.code == 0 && answer.err.contains("no space ann/notes"), "{searching:?}: {answer:?}");
    }
    assert!(!place.home().join("spaces/ann").exists());
    assert_eq!(place.ok(&["spaces"]), "local/default  0 events\n");
}

#[test]
fn spaces_are_separate_worlds() {
    let place = Place::new();
    place.ok(&["remember", "in the default"]);
    for (space, content) in [("ann/notes", "a"), ("Ann/notes", "b"), ("ann/notes", "c")] {
        place.ok(&["remember", content, "--space", space]);
    }
    let contents = |space: &str| -> Vec<String> {
        place.lines(&["log", "--space", space]).iter().map(|e| text(e, "content").to_owned()).collect()
    };
    assert_eq!(contents("ann/notes"), ["a", "c"]);
    assert_eq!(contents("Ann/notes"), ["b"], "names that differ in case are two spaces");
    assert_eq!(contents("local/default"), ["in the default"]);
    let listed = place.lines(&["spaces"]);
    let listed: Vec<_> = listed.iter().map(|s| (text(s, "space"), s["events"].as_u64())).collect();
    assert_eq!(listed, [("Ann/notes", Some(1)), ("ann/notes", Some(2)), ("local/default", Some(1))]);
    for bad in ["ann", "../x", "a/b/c", "a/.b", ""] {
        let (what, hint) = place.run(&["log", "--space", bad]).refused(2);
        assert!(what.contains("is not a space") && hint.contains("USER/COLLECTION"), "{bad}: {what} {hint}");
    }
}

#[test]
fn config_show_says_where_each_value_came_from() {
    let place = Place::new();
    let file = place.home().join("config.toml");
    std::fs::write(&file, "author = \"ann\"\nspace = \"ann/notes\"\n").expect("the configuration can be changed");
    let from = |args: &[&str], key: &str| {
        let shown = place.json(&[&["config", "show"], args].concat());
        let settings = shown["settings"].as_array().expect("a list");
        let found = settings.iter().find(|s| s["key"] == key).unwrap_or_else(|| panic!("no {key} in {shown}"));
        (text(found, "value").to_owned(), text(found, "from").to_owned())
    };
    let in_file = file.display().to_string();
    assert_eq!(from(&[], "author"), ("ann".to_owned(), in_file.clone()));
    assert_eq!(from(&[], "space"), ("ann/notes".to_owned(), in_file));
    assert_eq!(from(&[], "times"), ("local".to_owned(), "default".to_owned()));
    assert_eq!(from(&["--space", "bob/x"], "space"), ("bob/x".to_owned(), "--space".to_owned()));
    let shown = place.json(&["config", "show"]);
    assert_eq!(text(&shown, "home_found_by"), "IDETIC_HOME");
    let plain = place.ok(&["config", "show"]);
    for line in ["home ", "space ", "author ", "times ", "color ", "open_spaces "] {
        assert!(plain.lines().any(|l| l.starts_with(line) && l.contains(" from ")), "no {line}in {plain}");
    }
    place.ok(&["remember", "x"]);
    let event = place.json(&["get", "1"]);
    assert_eq!(text(&event, "author"), "ann", "the configured author is written down");
    assert_eq!(text(&place.json(&["status"]), "space"), "ann/notes", "the configured space is used");
    place.ok(&["remember", "y", "--author", "bob"]);
    assert_eq!(text(&place.json(&["get", "2"]), "author"), "bob");
}

#[test]
fn a_configuration_that_is_wrong_is_refused_with_its_file_line_and_key() {
    let place = Place::new();
    let file = place.home().join("config.toml");
    for (config, line, named) in [
        ("author = \"ann\"\nbanana = 1\n", "line 2", "banana"),
        ("times = \"sideways\"\n", "line 1", "sideways"),
        ("author = \"ann\n", "line 1", "config.toml"),
        ("\nspace = \"../x\"\n", "space", "../x"),
        ("open_spaces = 0\n", "open_spaces", "at least 1"),
    ] {
        std::fs::write(&file, config).expect("the configuration can be changed");
        for args in [&["status"][..], &["config", "show"], &["remember", "x"]] {
            let (what, hint) = place.run(args).refused(2);
            assert!(what.contains("config.toml") && what.contains(line) && what.contains(named), "{config}: {what}");
            // What is recommended must not itself be refused for the same reason.
            assert!(!hint.contains("idetic"), "{hint}");
        }
    }
}
