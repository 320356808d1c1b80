//! `setup`: a client's files get what it needs and are as they were afterwards, to the byte.

use std::collections::BTreeMap;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::place::{Place, text};

const CLIENTS: [&str; 7] = ["claude", "codex", "cursor", "vscode", "gemini", "opencode", "windsurf"];
const SCOPES: [&str; 2] = ["user", "project"];

/// Every file and folder of a place, but the memory itself.
fn tree(place: &Place) -> BTreeMap<PathBuf, Vec<u8>> {
    fn walk(folder: &Path, found: &mut BTreeMap<PathBuf, Vec<u8>>) {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
            if path.is_dir() && !is_link {
                walk(&path, found);
                found.insert(path, Vec::new());
            } else {
                let bytes = std::fs::read(&path).unwrap_or_default();
                found.insert(path, bytes);
            }
        }
    }
    let mut found = BTreeMap::new();
    walk(&place.path(""), &mut found);
    found.retain(|path, _| !path.starts_with(place.home()));
    found
}

/// The files that a client in a scope is set up with.
fn files(client: &str, scope: &str) -> Vec<String> {
    let place = Place::bare();
    let said = place.json(&["setup", client, "--scope", scope]);
    let root = place.arg("");
    let path =
        |file: &Value| text(file, "path").strip_prefix(&root).expect("inside").trim_start_matches('/').to_owned();
    said["files"].as_array().expect("a list").iter().map(path).collect()
}

fn put(place: &Place, name: &str, bytes: &str) {
    let path = place.path(name);
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
    std::fs::write(path, bytes).expect("a file");
}

/// Something that somebody may have written by hand.
fn odd(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("toml") => {
            "# mine\r\nmodel = \"o3\"   # the good one\r\n\r\n[mcp_servers.other]\r\ncommand = 'x'\r\nargs = [\r\n  \"a\",\r\n]"
        }
        Some("md") => "# Rules\r\n\r\nBe kind.",
        _ => {
            "\u{feff}// mine\r\n{\r\n\t\"mcpServers\" : { /* none, yet */ },\r\n\t\"servers\": {\r\n\t\t\"x\": {\"command\": \"y\", },\r\n\t},\r\n\t\"mcp\":{},\"hooks\": {\"Stop\": [ {\"hooks\": []} ], \"stop\": []  }, // the end\r\n}\r\n\r\n"
        }
    }
}

#[test]
fn every_client_is_set_up_checked_and_as_it_was_again() {
    for (client, scope) in CLIENTS.into_iter().flat_map(|client| SCOPES.map(|scope| (client, scope))) {
        let place = Place::bare();
        let names = files(client, scope);
        assert!(!names.is_empty(), "{client} {scope}");
        names.iter().for_each(|name| put(&place, name, odd(name)));
        let before = tree(&place);
        let act = |more: &[&str]| place.run(&[&["setup", client, "--scope", scope], more].concat());
        act(&["--check"]).refused(1);
        act(&[]).ok();
        assert!(act(&["--check"]).ok().contains("is set up"), "{client} {scope}");
        let after = tree(&place);
        for name in &names {
            let (own, backup) = (place.path(name), place.path(&format!("{name}.idetic-backup")));
            assert_ne!(after[&own], before[&own], "{client} {scope}: {name} was left as it was");
            assert_eq!(after[&backup], before[&own], "{client} {scope}: {name} has no copy");
        }
        act(&[]).ok();
        assert_eq!(tree(&place), after, "{client} {scope}: twice is once");
        act(&["--remove"]).ok();
        assert_eq!(tree(&place), before, "{client} {scope}");
        act(&["--check"]).refused(1);
        assert!(act(&["--remove"]).ok().contains("was not set up"));
    }
}

#[test]
fn what_was_not_there_is_gone_again_with_its_folders() {
    for (client, scope) in CLIENTS.into_iter().flat_map(|client| SCOPES.map(|scope| (client, scope))) {
        let place = Place::bare();
        std::fs::create_dir(place.path("user")).expect("a folder");
        let before = tree(&place);
        place.ok(&["setup", client, "--scope", scope]);
        assert_ne!(tree(&place), before, "{client} {scope}");
        place.ok(&["setup", client, "--scope", scope, "--check"]);
        place.ok(&["setup", client, "--scope", scope, "--remove"]);
        assert_eq!(tree(&place), before, "{client} {scope}");
    }
}

#[test]
fn a_file_that_cannot_be_read_stops_it_before_anything_is_written() {
    let place = Place::bare();
    put(&place, "user/.claude.json", "{}");
    put(&place, "user/.claude/settings.json", "{\n  \"model\": \"opus\",\n  \"env\": {,}\n}\n");
    let before = tree(&place);
    let (what, hint) = place.run(&["setup", "claude"]).refused(2);
    assert!(
        what.contains("settings.json: line 3, column 11: ") && hint.contains("nothing was changed"),
        "{what} {hint}"
    );
    let (what, _) = place.run(&["setup", "claude", "--check"]).refused(1);
    assert!(what.contains(".claude.json"), "{what}");
    assert_eq!(tree(&place), before);
    std::fs::create_dir_all(place.path("user/.codex")).expect("folders");
    std::fs::write(place.path("user/.codex/config.toml"), b"a = 1\nb = \"\xff\"\n").expect("a file");
    let (what, _) = place.run(&["setup", "codex"]).refused(2);
    assert!(what.contains("line 2, column 6: this is not UTF-8"), "{what}");
    place.run(&["setup", "emacs"]).refused(2);
    place.run(&["setup", "claude", "--scope", "world"]).refused(2);
    place.run(&["setup", "claude", "--check", "--remove"]).refused(2);
}

#[test]
fn what_is_edited_meanwhile_stays() {
    let place = Place::bare();
    put(&place, "user/.cursor/mcp.json", "{\n  \"mcpServers\": {}\n}\n");
    place.ok(&["setup", "cursor"]);
    let written = std::fs::read_to_string(place.path("user/.cursor/mcp.json")).expect("there");
    put(&place, "user/.cursor/mcp.json", &written.replace("{\n  \"mcp", "{\n  // mine\n  \"a\": 1,\n  \"mcp"));
    // What was made by us and added to by somebody else is theirs now.
    put(&place, "user/.cursor/hooks.json", "{\"version\": 1, \"hooks\": {\"stop\": [{\"command\": \"say\"}]}}");
    place.ok(&["setup", "cursor"]);
    place.ok(&["setup", "cursor", "--remove"]);
    let left = |name: &str| std::fs::read_to_string(place.path(name)).expect("there");
    assert_eq!(left("user/.cursor/mcp.json"), "{\n  // mine\n  \"a\": 1,\n  \"mcpServers\": {}\n}\n");
    assert_eq!(left("user/.cursor/hooks.json"), "{\"version\": 1, \"hooks\": {\"stop\": [{\"command\": \"say\"}]}}");
}

#[test]
fn a_link_stays_a_link_and_rights_stay_as_they_are() {
    let place = Place::bare();
    put(&place, "dotfiles/claude.json", "{ }\n");
    let rights = std::fs::Permissions::from_mode(0o600);
    std::fs::set_permissions(place.path("dotfiles/claude.json"), rights).expect("set");
    std::fs::create_dir_all(place.path("user")).expect("a folder");
    symlink("../dotfiles/claude.json", place.path("user/.claude.json")).expect("a link");
    place.ok(&["setup", "claude"]);
    assert!(place.path("user/.claude.json").is_symlink());
    let target = place.path("dotfiles/claude.json");
    let metadata = std::fs::metadata(&target).expect("there");
    assert_eq!(metadata.permissions().mode() & 0o777, 0o600);
    assert!(std::fs::read_to_string(&target).expect("there").contains("\"idetic\""));
    place.ok(&["setup", "claude", "--remove"]);
    assert!(place.path("user/.claude.json").is_symlink());
    assert_eq!(std::fs::read_to_string(&target).expect("there"), "{ }\n");
}

#[test]
fn what_would_be_done_is_shown_and_not_done() {
    let place = Place::bare();
    put(&place, ".vscode/mcp.json", "{\n\t\"inputs\": []\n}\n");
    let before = tree(&place);
    let shown = place.ok(&["setup", "vscode", "--scope", "project", "--dry-run"]);
    assert!(shown.contains("+ \t\"servers\": {") && shown.contains("AGENTS.md (made)"), "{shown}");
    let told = place.json(&["setup", "vscode", "--scope", "project", "--dry-run"]);
    assert!(text(&told["files"][0], "diff").contains("+ \t\"servers\": {"), "{told}");
    let printed = place.ok(&["setup", "codex", "--print", "--agent", "ann"]);
    assert!(printed.contains("[mcp_servers.idetic]") && printed.contains("\"mcp\", \"--agent\", \"ann\""), "{printed}");
    assert_eq!(tree(&place), before);
}

#[test]
fn whose_memory_and_where_is_part_of_every_start() {
    let place = Place::bare();
    let before = tree(&place);
    let (what, hint) = place.run(&["setup", "gemini", "--home", "mem"]).refused(3);
    assert!(what.contains("there is no Idetic home") && hint.contains("idetic init"), "{what} {hint}");
    assert_eq!(tree(&place), before);
    place.ok(&["init", "mem"]);
    place.ok(&["setup", "gemini", "--agent", "ann b", "--space", "team/app", "--home", "mem"]);
    // Without flags those of the first time hold.
    place.ok(&["setup", "gemini"]);
    let written = std::fs::read_to_string(place.path("user/.gemini/settings.json")).expect("there");
    let written: Value = serde_json::from_str(&written).expect("JSON");
    let home = place.arg("mem");
    let args = json!(["mcp", "--agent", "ann b", "--space", "team/app", "--home", home]);
    assert_eq!(written["mcpServers"]["idetic"]["args"], args);
    assert_eq!(written["mcpServers"]["idetic"]["command"], env!("CARGO_BIN_EXE_idetic"));
    let hook = text(&written["hooks"]["SessionStart"][0]["hooks"][0], "command").to_owned();
    assert!(
        hook.ends_with(&format!("hook gemini SessionStart --agent 'ann b' --space team/app --home {home}")),
        "{hook}"
    );
    place.ok(&["setup", "gemini", "--check"]);
    place.run(&["setup", "gemini", "--check", "--agent", "bob"]).refused(1);
    let said = place.run(&["setup", "gemini", "--check", "--agent", "bob", "--json"]);
    assert!(said.out.contains("\"ok\":false"), "{said:?}");
    std::fs::remove_dir_all(place.path("mem")).expect("removed");
    let (what, _) = place.run(&["setup", "gemini", "--check"]).refused(1);
    assert!(what.contains("there is no Idetic home"), "{what}");
}

#[test]
fn what_was_made_by_hand_comes_back() {
    let place = Place::bare();
    place.ok(&["init", "mem"]);
    let args = json!(["mcp", "--home", place.arg("mem")]);
    let own = json!({"mcpServers": {"idetic": {"command": "/opt/idetic", "args": args, "env": {"A": "b"}}}});
    put(&place, "user/.claude.json", &own.to_string());
    let table = "[mcp_servers.idetic]\ncommand = \"/opt/idetic\"\nargs = [\"mcp\"]\nenabled = true\n";
    put(&place, "user/.codex/config.toml", table);
    let before = tree(&place);
    for client in ["claude", "codex"] {
        place.ok(&["setup", client]);
        place.ok(&["setup", client, "--check"]);
        assert_ne!(tree(&place), before, "{client}");
        place.ok(&["setup", client, "--remove"]);
        assert_eq!(tree(&place), before, "{client}");
    }
    // What this command wrote is no original, whatever else came into the file since.
    place.ok(&["setup", "cursor"]);
    let path = place.path("user/.cursor/mcp.json");
    let written = std::fs::read_to_string(&path).expect("there").replacen('{', "{\n  \"a\": 1,", 1);
    put(&place, "user/.cursor/mcp.json", &written);
    place.ok(&["setup", "cursor", "--agent", "ann"]);
    place.ok(&["setup", "cursor", "--remove"]);
    assert_eq!(std::fs::read_to_string(&path).expect("there"), "{\n  \"a\": 1\n}\n");
}

#[test]
fn a_link_to_nothing_leads_to_nothing_again() {
    let place = Place::bare();
    std::fs::create_dir_all(place.path("user")).expect("a folder");
    std::fs::create_dir_all(place.path("dotfiles")).expect("a folder");
    symlink("../dotfiles/claude.json", place.path("user/.claude.json")).expect("a link");
    place.ok(&["setup", "claude"]);
    assert!(place.path("dotfiles/claude.json").exists());
    place.ok(&["setup", "claude", "--remove"]);
    assert!(place.path("user/.claude.json").is_symlink() && !place.path("dotfiles/claude.json").exists());
}

#[test]
fn without_a_folder_of_the_user_only_a_project_is_set_up() {
    let place = Place::bare();
    let run = |scope: &str| {
        let mut command = place.command(&["setup", "cursor", "--scope", scope]);
        command.env_remove("HOME").output().expect("the program starts")
    };
    let refused = run("user");
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("HOME"), "{refused:?}");
    assert!(tree(&place).is_empty());
    assert!(run("project").status.success());
}

#[test]
fn the_block_stays_for_as_long_as_a_client_of_the_project_reads_it() {
    let place = Place::bare();
    put(&place, "AGENTS.md", "# Agents\n");
    let before = tree(&place);
    place.ok(&["setup", "codex", "--scope", "project"]);
    place.ok(&["setup", "cursor", "--scope", "project"]);
    place.ok(&["setup", "codex", "--scope", "project", "--remove"]);
    place.ok(&["setup", "cursor", "--scope", "project", "--check"]);
    let agents = std::fs::read_to_string(place.path("AGENTS.md")).expect("there");
    assert!(agents.starts_with("# Agents\n\n<!-- idetic:begin -->\n") && agents.ends_with("<!-- idetic:end -->\n"));
    place.ok(&["setup", "cursor", "--scope", "project", "--remove"]);
    assert_eq!(tree(&place), before);
}

#[test]
fn doctor_looks_at_every_client_that_is_set_up() {
    let place = Place::new();
    let checks = |answer: &Value| -> BTreeMap<String, bool> {
        let lines = answer["checks"].as_array().expect("a list").iter();
        lines.map(|line| (text(line, "check").to_owned(), line["ok"] == true)).collect()
    };
    assert!(!checks(&place.json(&["doctor"])).contains_key("claude"));
    place.ok(&["setup", "claude", "--agent", "ann"]);
    place.ok(&["setup", "codex"]);
    let all = checks(&place.json(&["doctor"]));
    assert_eq!((all.get("claude"), all.get("codex"), all.get("cursor")), (Some(&true), Some(&true), None));
    let settings = place.path("user/.claude/settings.json");
    let written = std::fs::read_to_string(&settings).expect("there");
    for (spoilt, why) in [
        (written.replace("hook claude PreCompact", "hook claude Nothing"), "is not what this version writes"),
        (written.replace('{', "{ oh"), "line 1, column 3"),
    ] {
        std::fs::write(&settings, spoilt).expect("written");
        let said = place.run(&["doctor"]);
        assert_eq!(said.code, 1, "{said:?}");
        assert!(said.out.contains(why), "{said:?}");
    }
    std::fs::write(&settings, &written).expect("written");
    place.ok(&["setup", "claude", "--scope", "project", "--agent", "ann"]);
    let twice = place.run(&["doctor"]);
    assert!(twice.code == 1 && twice.out.contains("it records everything twice"), "{twice:?}");
    place.ok(&["setup", "claude", "--scope", "project", "--remove"]);
    place.feed(&["hook", "claude", "Stop"], "{");
    let failed = place.run(&["doctor"]);
    assert!(failed.code == 1 && failed.out.contains("hooks failed 1 times") && failed.out.contains("hooks.log"));
    std::fs::remove_file(place.home().join("hooks.log")).expect("it was there");
    let servers = place.path("user/.claude.json");
    let gone = std::fs::read_to_string(&servers).expect("there").replace(env!("CARGO_BIN_EXE_idetic"), "/gone/idetic");
    std::fs::write(&servers, gone).expect("written");
    let said = place.run(&["doctor"]);
    assert!(said.code == 1 && said.out.contains("starts '/gone/idetic', which is not there"), "{said:?}");
    place.ok(&["setup", "claude", "--agent", "ann"]);
    place.ok(&["doctor"]);
}

#[test]
fn without_a_name_the_clients_on_this_machine_are_listed_and_set_up() {
    let place = Place::bare();
    let (what, hint) = place.run(&["setup"]).refused(3);
    assert!(what.contains("no coding agent was found") && hint.contains("windsurf"), "{what} {hint}");
    put(&place, "user/.claude.json", "{}");
    std::fs::create_dir_all(place.path("user/.config/Code/User")).expect("folders");
    let is_set_up = |client: &str| place.run(&["setup", client, "--check"]).code == 0;
    let said = place.ok(&["setup"]);
    for part in ["Claude Code", "VS Code", "not set up", "prompts, tool uses, answers", "no session", "setup --yes"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(!said.contains("Gemini") && !is_set_up("claude"), "{said}");
    let listed = place.json(&["setup"]);
    assert_eq!((&listed["clients"][0]["client"], &listed["clients"][0]["set_up"]), (&json!("claude"), &json!(false)));
    let said = place.ok(&["setup", "--yes"]);
    assert!(said.contains("Claude Code remembers from its next session on"), "{said}");
    assert!(is_set_up("claude") && is_set_up("vscode") && !is_set_up("gemini"));
    assert_eq!(place.json(&["setup", "--yes"])["clients"], json!([]), "nothing is left to do");
    place.run(&["setup", "--remove"]).refused(2);
}

#[test]
fn a_client_is_found_by_its_program() {
    let place = Place::bare();
    put(&place, "bin/gemini", "");
    let mut command = place.command(&["setup", "--json"]);
    let said = command.env("PATH", place.path("bin")).output().expect("the program starts");
    let said: Value = serde_json::from_slice(&said.stdout).expect("JSON");
    assert_eq!(said["clients"][0]["client"], "gemini", "{said}");
}

#[test]
fn a_client_without_hooks_is_not_said_to_be_recorded() {
    let place = Place::bare();
    for client in ["vscode", "opencode"] {
        let said = place.ok(&["setup", client]);
        assert!(said.contains("no session is recorded") && !said.contains("remembers"), "{said}");
    }
    let said = place.ok(&["setup", "windsurf"]);
    assert!(said.contains("not recorded: the start of a session"), "{said}");
    let said = place.ok(&["setup", "codex"]);
    assert!(said.contains("approve: Codex asks you to review new hooks"), "{said}");
}

#[test]
fn without_a_command_it_says_how_things_stand_and_what_to_do_next() {
    let place = Place::bare();
    let said = place.ok(&[]);
    assert!(said.contains("none yet") && said.contains("idetic setup claude"), "{said}");
    assert!(!place.home().exists(), "to look creates nothing");
    let place = Place::new();
    put(&place, "user/.claude.json", "{}");
    place.ok(&["remember", "the port is 5433"]);
    let said = place.ok(&[]);
    for part in ["1 events in local/default", "Claude Code (not set up)", "idetic setup ", "idetic recall"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let said = place.json(&[]);
    assert_eq!((&said["events"], &said["clients"][0]["set_up"]), (&json!(1), &json!(false)), "{said}");
}
