//! Calls of tools: which of them try the same, and which may have changed something.

/// What stands before a program and runs it.
const RUNNERS: [&[&str]; 14] = [
    &["sudo"],
    &["time"],
    &["env"],
    &["nohup"],
    &["command"],
    &["exec"],
    &["npx"],
    &["uv", "run"],
    &["poetry", "run"],
    &["pnpm", "exec"],
    &["bundle", "exec"],
    &["pipenv", "run"],
    &["yarn", "run"],
    &["xvfb-run"],
];
/// Programs beside which another one is what is tried.
const ASIDE: [&str; 22] = [
    "cd", "ls", "echo", "cat", "head", "tail", "git", "export", "mkdir", "rm", "cp", "mv", "sleep", "which", "pwd",
    "grep", "rg", "sed", "source", "set", "touch", "ulimit",
];
/// Words of a command that say what it does: the program and what it is asked for.
const HEAD: usize = 3;
/// Tools that only look, and commands that only look.
const READ_ONLY_TOOLS: [&str; 10] =
    ["read", "grep", "glob", "search", "ls", "view", "todowrite", "fetch", "list", "update_plan"];
const READ_ONLY_COMMANDS: [&str; 12] =
    ["cat", "ls", "head", "tail", "grep", "rg", "which", "pwd", "echo", "git status", "git diff", "git log"];
/// What records a change that is made already.
const RECORDING_COMMANDS: [&str; 3] = ["git add", "git commit", "git push"];

/// Whether two calls try the same: the same tool with the same, or a shell that runs the same program for the same, whatever
/// stands around it.
pub fn is_same_call(one: &str, other: &str) -> bool {
    let (Some((tool, given)), Some((other_tool, other_given))) = (one.split_once(": "), other.split_once(": ")) else {
        return one == other;
    };
    if tool == other_tool && given == other_given {
        return true;
    }
    let (tried, run) = (tried(given), tried(other_given));
    is_shell(tool) && is_shell(other_tool) && tried.iter().any(|one| run.iter().any(|other| begins(one, other)))
}

fn is_shell(tool: &str) -> bool {
    let tool = tool.to_lowercase();
    ["bash", "shell", "exec", "run", "command", "terminal"].iter().any(|word| tool.contains(word))
}

/// Whether one command is the other, or that for a part of it.
fn begins(one: &[String], other: &[String]) -> bool {
    one.iter().zip(other).all(|(one, other)| one == other)
}

/// The commands of a line that say what is tried.
fn tried(line: &str) -> Vec<Vec<String>> {
    let all: Vec<Vec<String>> =
        line.split(['&', ';', '|', '(', ')']).map(head).filter(|head| !head.is_empty()).collect();
    let telling: Vec<Vec<String>> = all.iter().filter(|head| !ASIDE.contains(&head[0].as_str())).cloned().collect();
    if telling.is_empty() { all } else { telling }
}

/// A command by its first words: without variables and runners before it, without flags, files and numbers.
fn head(command: &str) -> Vec<String> {
    let mut words: Vec<&str> = command.split_whitespace().collect();
    loop {
        let is_variable = words.first().is_some_and(|word| {
            word.split_once('=').is_some_and(|(name, _)| name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'))
        });
        let runner = RUNNERS.iter().find(|runner| words.starts_with(runner)).map_or(0, |runner| runner.len());
        let before = if is_variable { 1 } else { runner };
        if before == 0 {
            break;
        }
        words.drain(..before);
        // A runner's own flags.
        while words.first().is_some_and(|word| word.starts_with('-')) {
            words.remove(0);
        }
    }
    let is_word = |word: &&&str| !word.starts_with(['-', '"', '\'', '<', '>', '$', '2']) && !is_file(word);
    let program = words.first().map(|program| program.rsplit('/').next().unwrap_or(program).to_lowercase());
    let rest = words.iter().skip(1).filter(is_word).map(|word| word.to_lowercase());
    program.into_iter().chain(rest).take(HEAD).collect()
}

fn is_file(word: &str) -> bool {
    word.contains('/') && !word.starts_with(['@', ':']) || word.bytes().any(|b| b.is_ascii_digit()) || word == "."
}

/// Whether a call may have fixed something: to read, to look for something or to commit fixes nothing.
pub fn changes_something(call: &str) -> bool {
    let (tool, given) = call.split_once(": ").unwrap_or((call, ""));
    let (tool, given) = (tool.to_lowercase(), given.to_lowercase());
    let peeks = |command: &str| {
        let command = command.trim();
        command.is_empty()
            || READ_ONLY_COMMANDS
                .iter()
                .chain(&RECORDING_COMMANDS)
                .any(|word| command == *word || command.starts_with(&format!("{word} ")))
    };
    let looks = READ_ONLY_TOOLS.iter().any(|word| tool.contains(word));
    let only_peeks = is_shell(&tool) && given.split(['&', ';', '|']).all(peeks);
    !looks && !only_peeks
}

/// What an edit put in, in one line.
pub fn inserted_text(content: &str) -> Option<String> {
    let behind = |key: &&str| {
        let (_, text) = content.split_once(*key)?;
        let replaced = ["\nold_string:", "\noldString:"].iter().filter_map(|key| text.find(key)).min();
        Some(&text[..replaced.unwrap_or(text.len())])
    };
    // A text of several lines begins in the next one.
    let named = ["new_string: ", "new_string:\n", "newString: ", "newString:\n"].iter().find_map(behind);
    let added = || {
        let lines = content.lines().filter_map(|line| line.strip_prefix('+'));
        content.contains("*** ").then(|| lines.collect::<Vec<_>>().join(" "))
    };
    let text = named.map(str::to_owned).or_else(added)?;
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    (!line.is_empty()).then_some(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_is_tried_whatever_stands_around_it() {
        for (one, other) in [
            ("Bash: npm test", "Bash: npm test"),
            (
                "Bash: uv run tramdelay ingest --day 2024-03-01",
                "Bash: ulimit -n 8192 && uv run tramdelay ingest --day 2024-03-02",
            ),
            ("Bash: cargo test", "Bash: cargo insta test --accept && cargo test"),
            ("Bash: ./gradlew :app:test", "shell: JAVA_HOME=/usr/lib/jvm/java-17 ./gradlew :app:test"),
            ("Bash: pytest tests/test_a.py -q", "Bash: pytest -q"),
            ("Edit: src/a.rs", "Edit: src/a.rs"),
        ] {
            assert!(is_same_call(one, other), "{one} {other}");
        }
        for (one, other) in [
            ("Bash: npm run build", "Bash: npm run lint"),
            ("Bash: cd /repo && npm test", "Bash: cd /repo && ls"),
            ("Bash: ./gradlew :app:installDebug", "Bash: ./gradlew :app:test"),
            ("Edit: src/a.rs", "Edit: src/b.rs"),
            ("Bash: cargo test", "Bash: git commit -m 'cargo test passes'"),
        ] {
            assert!(!is_same_call(one, other), "{one} {other}");
        }
    }

    #[test]
    fn to_look_changes_nothing() {
        assert!(changes_something("Bash: cp .env.example .env") && changes_something("Edit: a.rs"));
        assert!(!changes_something("Bash: git add -A && git commit -m fixed"));
        assert!(!changes_something("Bash: ls -la | head -3") && !changes_something("Read: a.rs"));
        assert_eq!(inserted_text("file_path: a\nold_string: x\nnew_string: y\n  z").as_deref(), Some("y z"));
        let lines = "file_path: a\nnew_string:\ny\n  z\nold_string: x";
        assert_eq!(inserted_text(lines).as_deref(), Some("y z"), "several lines, told first");
        assert_eq!(inserted_text("*** Begin Patch\n-x\n+y\n*** End Patch").as_deref(), Some("y"));
    }
}
