//! How the clients of this machine are set up, for `setup --check` and for `doctor`.

use std::path::Path;

use idetic_ops::CheckLine;
use idetic_ops::clients::{CLIENTS, Content, Scope, Start};

use super::Setup;
use super::files::Folders;

/// Something that is not as it should be.
pub struct Problem {
    /// What was found.
    pub found: String,
    /// What to do.
    pub fix: String,
}

impl Setup {
    /// What is wrong with how a client is set up; nothing where it is set up and current.
    pub fn problems(&self) -> Vec<Problem> {
        let (name, scope) = (self.client.name, self.scope.word());
        let again = format!("`idetic setup {name} --scope {scope}`");
        let mut problems = Vec::new();
        for (file, content) in self.files() {
            let path = file.path.display();
            let mut add = |found: String, fix: String| problems.push(Problem { found, fix });
            let text = match file.read() {
                Ok(Some(text)) => text,
                Ok(None) => {
                    add(format!("there is no {path}"), format!("{again} creates it"));
                    continue;
                }
                Err(error) => {
                    add(error.message, error.hint);
                    continue;
                }
            };
            match (content.is_in(&text), content.put_in(Some(&text)), content.started_by(&text)) {
                (Err(fault), ..) | (_, Err(fault), _) => add(format!("{path}: {fault}"), "fix the file".to_owned()),
                (Ok(false), ..) => add(format!("{path} does not mention idetic"), format!("{again} adds it")),
                (_, Ok(wanted), _) if wanted == text => {}
                (.., Ok(Some(Start { program, .. }))) if !Path::new(&program).is_file() => {
                    add(format!("{path} starts '{program}', which is not there"), format!("{again} fixes it"));
                }
                (.., Ok(Some(Start { program, .. }))) if program != self.start.program => {
                    add(format!("{path} starts another program: '{program}'"), format!("{again} fixes it"));
                }
                _ => add(format!("{path} is not what this version writes"), format!("{again} fixes it")),
            }
        }
        if let Some(home) = self.missing_home() {
            let home = home.display();
            let found = format!("there is no Idetic home at {home}, which {} is set up to use", self.client.title);
            problems.push(Problem { found, fix: format!("create one with `idetic init {home}`") });
        }
        problems
    }

    /// Whether there is anything of ours in its files; the block alone may be another client's.
    pub fn is_set_up(&self) -> bool {
        self.files().into_iter().any(|(file, content)| {
            let text = file.read().ok().flatten().unwrap_or_default();
            let is_in = content.is_in(&text).unwrap_or_else(|_| text.contains("idetic"));
            is_in && !matches!(content, Content::Block)
        })
    }
}

/// One line for each client that is set up.
pub fn checks(folders: &Folders, program: &str) -> Vec<CheckLine> {
    let both = CLIENTS.iter().flat_map(|client| Scope::ALL.map(|scope| (client, scope)));
    let mut checks: Vec<CheckLine> = Vec::new();
    for (client, scope) in both.filter(|(_, scope)| *scope == Scope::Project || folders.user.is_some()) {
        let start = Start { program: program.to_owned(), flags: Vec::new() };
        let mut setup = Setup { client, scope, folders: folders.clone(), start };
        if !setup.is_set_up() {
            continue;
        }
        setup.start.flags = setup.flags_found();
        let where_to = match scope {
            Scope::User => "for every project",
            Scope::Project => "for this project",
        };
        let mut problems = setup.problems();
        let is_one_folder = folders.user.as_ref() == Some(&folders.current);
        if scope == Scope::Project
            && !is_one_folder
            && client.hooks.is_some()
            && checks.iter().any(|check| check.check == client.name)
        {
            let found = format!("{} is also set up for every project: it records everything twice", client.title);
            let fix = format!("`idetic setup {} --scope project --remove`, or `--scope user --remove`", client.name);
            problems.push(Problem { found, fix });
        }
        let found: Vec<&str> = problems.iter().map(|problem| problem.found.as_str()).collect();
        checks.push(match problems.first() {
            None => {
                let found = format!("{} is set up {where_to}", client.title);
                CheckLine { check: client.name, ok: true, found, fix: String::new() }
            }
            Some(first) => CheckLine { check: client.name, ok: false, found: found.join("; "), fix: first.fix.clone() },
        });
    }
    checks
}
