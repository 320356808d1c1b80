//! TODO.md between two runs: what its lines name, so that they follow when events get other numbers, and which boxes were
//! open, so that one ticked by hand becomes an event.

use std::collections::{BTreeMap, HashMap};

use idetic_core::{Hash, Record};
use idetic_formats::markdown::Todo;
use idetic_formats::markdown::changelog::{event_id, named_places};
use idetic_memory::Result;
use serde_json::json;

use super::drawn::Drawn;
use super::files::{TODO, text};
use super::history::History;
use super::state::SeenTasks;
use super::{Project, git, records};

/// Who ticks a box in an editor.
const BY_HAND: &str = "human";

impl Project {
    /// Gives the events that TODO.md names the numbers they have now.
    pub(super) fn follow_numbers(&mut self, numbers: &HashMap<Hash, u64>) -> Result<()> {
        let Some(old) = text(&self.folder, TODO)? else { return Ok(()) };
        let is_unseen = |line: &str| named_places(line).next().is_some() && !self.state.tasks.lines.contains_key(line);
        let root = self.folder.root();
        let origins = if old.lines().any(is_unseen) { git::blame(root, TODO) } else { Vec::new() };
        let mut commits: Vec<String> = origins.iter().flatten().cloned().collect();
        commits.sort_unstable();
        commits.dedup();
        let meant = History::numbers(root, &commits)?;
        let mut new = String::with_capacity(old.len());
        for (at, line) in old.split_inclusive('\n').enumerate() {
            let bare = line.trim_end_matches(['\n', '\r']);
            let known = self.state.tasks.lines.get(bare);
            let mut from = 0;
            for (place, (start, end, number)) in named_places(bare).enumerate() {
                let now = match known {
                    Some(events) => events.get(place).cloned().flatten().and_then(|event| self.number_of(&event)),
                    None => {
                        let commit = origins.get(at).and_then(Option::as_ref);
                        commit.and_then(|commit| numbers.get(meant.get(commit)?.get(&number)?).copied())
                    }
                };
                if let Some(now) = now.filter(|now| *now != number) {
                    new.push_str(&line[from..start]);
                    new.push_str(&event_id(now));
                    from = end;
                }
            }
            new.push_str(&line[from..]);
        }
        if self.folder.put(TODO, &new)? {
            self.note_file(TODO);
        }
        Ok(())
    }

    fn number_of(&self, event: &str) -> Option<u64> {
        let rows = self.rows_where(idetic_store::Filter::Is("event", event.into())).ok()?;
        rows.first().and_then(|row| u64::try_from(row.number?).ok())
    }

    /// What is to be known of TODO.md the next time.
    pub(super) fn seen_tasks(&self) -> Result<SeenTasks> {
        let text = text(&self.folder, TODO)?.unwrap_or_default();
        let mut lines = BTreeMap::new();
        for line in text.lines().filter(|line| named_places(line).next().is_some()) {
            let mut events = Vec::new();
            for (.., number) in named_places(line) {
                events.push(self.numbered(number)?.map(|known| known.event));
            }
            lines.insert(line.to_owned(), events);
        }
        let todo = Todo::read(&text);
        let open = todo.items().iter().filter(|item| !item.done && !item.is_placeholder());
        Ok(SeenTasks { lines, open: open.map(|item| item.name.clone()).collect() })
    }

    /// Says in the log which tasks were ticked by hand since the last time; says whether there was one.
    pub(super) fn take_in_ticks(&mut self, drawn: &Drawn) -> Result<bool> {
        let Some(text) = text(&self.folder, TODO)? else { return Ok(false) };
        let todo = Todo::read(&text);
        let tasks = drawn.tasks(&drawn.derived().graph);
        let is_done =
            |name: &str| tasks.iter().any(|task| task.status == "completed" && task.name.eq_ignore_ascii_case(name));
        let is_new = |name: &String| self.state.tasks.open.contains(name) && !is_done(name);
        let ticked = todo.items().iter().filter(|item| item.done && !item.is_placeholder() && is_new(&item.name));
        let mut told = Vec::new();
        for item in ticked {
            let known = tasks.iter().find(|task| task.name.eq_ignore_ascii_case(&item.name));
            let name = known.map_or(item.name.as_str(), |task| task.name.as_str());
            let id = format!("md-ticked-{}", records::short(&format!("{name} {} {}", self.head()?, item.text)));
            let said =
                json!({"task": name, "status": "completed", "source": TODO, "_order": ["task", "status", "source"]});
            let record = json!({
                "id": id, "kind": "modify", "author": BY_HAND, "scope": name, "metadata": said,
                "summary": format!("Complete the task {name}, ticked in {TODO}"),
            });
            told.push(Record::parse(record.to_string().as_bytes())?);
        }
        self.state.tasks.open.retain(|name| !todo.items().iter().any(|item| item.done && item.name == *name));
        let is_ticked = !told.is_empty();
        self.append(told)?;
        Ok(is_ticked)
    }
}
