//! `idetic` without a command: how things stand, and what to do next.

use idetic_ops::clients::Client;
use idetic_ops::core::{SpaceName, Time};
use idetic_ops::{Error, Home, HomeReply, Kind, OwnerContext, Reply, Result, Status, find};
use serde_json::json;

use crate::environment::env;
use crate::models;
use crate::output::print;

/// Clients whose earlier sessions can be imported.
const IMPORTED: [&str; 3] = ["claude", "codex", "cursor"];
/// Column in which the purpose of a command begins.
const COMMAND_WIDTH: usize = 30;

/// What is known of the installation.
struct Overview {
    home: Option<String>,
    found_by: String,
    /// Where a home would be created.
    folder: String,
    status: Option<Box<Status>>,
    clients: Vec<(&'static Client, bool)>,
}

/// Shows it.
pub fn run(home: Home, space: Option<SpaceName>, clients: Vec<(&'static Client, bool)>, json: bool) -> Result<()> {
    let folder = home.folder.display().to_string();
    let is_there = home.folder.join("config.toml").is_file() || home.folder.join("spaces").is_dir();
    let mut overview = Overview {
        home: is_there.then(|| folder.clone()),
        found_by: home.found_by.clone(),
        folder,
        status: None,
        clients,
    };
    if is_there {
        overview.status = status(home, space)?;
    }
    let text = if json { format!("{}\n", overview.answer()) } else { overview.text() };
    print(text.as_bytes())
}

/// The state of the space; none if nothing was stored in it yet.
fn status(home: Home, space: Option<SpaceName>) -> Result<Option<Box<Status>>> {
    let mut found = None;
    let mut reply = |reply| {
        if let Reply::Home(HomeReply::Status(status)) = reply {
            found = Some(status);
        }
        Ok(())
    };
    let (mut advance, mut say) = (|_, _| {}, |_: &str| {});
    let mut context = OwnerContext::new(home, space, env(), &mut reply, &mut advance, &mut say);
    context.models = &models::models;
    let operation = find("status").ok_or_else(|| Error::not_found("there is no operation 'status'"))?;
    let asked = (operation.from_json)(&mut context, "{}");
    drop(context);
    match asked {
        Err(error) if error.kind != Kind::NotFound => Err(error),
        _ => Ok(found),
    }
}

/// The day alone.
fn date(time: Time) -> String {
    time.to_string().chars().take_while(|c| *c != 'T').collect()
}

impl Overview {
    fn events(&self) -> u64 {
        self.status.as_ref().map_or(0, |status| status.events)
    }

    fn answer(&self) -> serde_json::Value {
        let client = |(client, is_set_up): &(&Client, bool)| json!({"client": client.name, "set_up": is_set_up});
        let next: Vec<String> = self.next().into_iter().map(|(command, _)| command).collect();
        json!({"version": env!("CARGO_PKG_VERSION"), "home": self.home, "events": self.events(),
            "clients": self.clients.iter().map(client).collect::<Vec<_>>(), "next": next})
    }

    fn text(&self) -> String {
        let mut text = format!("Idetic {}: perfect recall for AI agents\n\n", env!("CARGO_PKG_VERSION"));
        text += &match &self.home {
            Some(home) => format!("home     {home} (found by {})\n", self.found_by),
            None => format!("home     none yet; the first `remember` creates {}\n", self.folder),
        };
        if let Some(status) = &self.status {
            let last =
                status.last_recorded_at.map_or(String::new(), |time| format!(", the last written {}", date(time)));
            text += &format!("memory   {} events in {}{last}\n", status.events, status.space);
        }
        let client = |(client, is_set_up): &(&Client, bool)| {
            format!("{} ({})", client.title, if *is_set_up { "set up" } else { "not set up" })
        };
        let clients: Vec<String> = self.clients.iter().map(client).collect();
        text +=
            &format!("clients  {}\n", if clients.is_empty() { "none found".to_owned() } else { clients.join(", ") });
        text += "\nNext:\n";
        for (command, purpose) in self.next() {
            text += &format!("  {command:<COMMAND_WIDTH$} {purpose}\n");
        }
        text
    }

    /// What to do next: commands, and what each is for.
    fn next(&self) -> Vec<(String, String)> {
        let mut next = Vec::new();
        let mut add = |command: &str, purpose: &str| next.push((command.to_owned(), purpose.to_owned()));
        let waiting: Vec<&str> = self.clients.iter().filter(|(_, set)| !set).map(|(client, _)| client.title).collect();
        if self.clients.is_empty() {
            add("idetic setup claude", "set up a coding agent (codex, cursor, vscode, gemini, …)");
        } else if !waiting.is_empty() {
            add("idetic setup", &format!("set up {}", waiting.join(", ")));
        }
        if self.events() == 0 {
            let imported = self.clients.iter().find(|(client, _)| IMPORTED.contains(&client.name));
            if let Some((client, _)) = imported {
                let command = format!("idetic import {} --dry-run", client.name);
                add(&command, &format!("count the earlier sessions of {} to import", client.title));
            }
            add("idetic remember \"...\"", "store something");
        } else {
            add("idetic recall \"...\"", "search the memory");
            add("idetic session preview", "see what the next session will be told");
            add("idetic open", "open the web UI");
        }
        add("idetic doctor", "check the installation");
        add("idetic --help", "list all commands");
        next
    }
}
