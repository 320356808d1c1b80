//! Repair: what follows from the log is rebuilt, what was deleted is put back in its place, and an event says so. What the
//! log says is never changed.

use idetic_formats::markdown::changelog::event_id;
use idetic_memory::{Env, Result};

use super::append::NewEvent;
use super::compare::{Known, placed};
use super::files::{LOG, Logs};
use super::records::{self, draft};
use super::{MdSeverity, Project};

impl Project {
    /// Repairs; says whether something was. The lock is held.
    pub fn repair(&mut self, env: &Env, agent: &str) -> Result<bool> {
        self.validate()?;
        let wrong: Vec<String> = std::mem::take(&mut self.report.troubles)
            .into_iter()
            .filter(|trouble| trouble.severity == MdSeverity::Error)
            .map(|trouble| format!("{}: {}", trouble.file, trouble.message))
            .collect();
        if wrong.is_empty() {
            self.sync()?;
            return Ok(false);
        }
        self.put_back()?;
        self.wants_all_anew = true;
        self.sync()?;
        self.wants_all_anew = false;
        if self.report.files.is_empty() {
            return Ok(false);
        }
        let repaired = self.report.files.join(", ");
        let mut details: Vec<(String, String)> =
            wrong.iter().map(|wrong| ("symptom".to_owned(), wrong.clone())).collect();
        details.push(("root_cause".to_owned(), "the files did not follow from the log".to_owned()));
        details.push(("resolution".to_owned(), format!("written anew from the log: {repaired}")));
        let event = NewEvent {
            kind: "fix".to_owned(),
            scope: "memory".to_owned(),
            summary: format!("Repair the memory files from the log: {}", count(wrong.len())),
            details,
            agent: agent.to_owned(),
            ..NewEvent::default()
        };
        self.append_event(env, &event)?;
        Ok(true)
    }

    /// Puts what was deleted from the changelog back where it stood.
    fn put_back(&mut self) -> Result<()> {
        let known = self.known()?;
        let number_of = |id: &str| known.iter().find(|known| known.event == id)?.number;
        let mut logs = Logs::read(&self.folder)?;
        for at in self.compared(&mut placed(&logs), &known).deleted {
            let Known { event, number: Some(number), .. } = &known[at] else { continue };
            let event = self.log()?.by_id(event, self.head()?)?;
            let block = records::block(&event, *number).unwrap_or_else(|| draft(&event, *number, &number_of).print());
            let (text, log) = (logs.log.text(), &logs.log);
            let behind = log.entries().iter().find(|entry| entry.number.is_some_and(|own| own > *number));
            let place = behind.map_or(text.len(), |entry| entry.range.start);
            let gap = if behind.is_none() && !text.ends_with("\n\n") { "\n" } else { "" };
            let end = if behind.is_some() { "\n\n" } else { "\n" };
            let new = format!("{}{gap}{}{end}{}", &text[..place], block.trim_end(), &text[place..]);
            if self.folder.replace(LOG, &new, &|bytes| bytes == text.as_bytes())? {
                self.note_file(LOG);
                self.tell_about(LOG, "put-back", &format!("{} was restored", event_id(*number)), "");
            }
            logs = Logs::read(&self.folder)?;
        }
        Ok(())
    }
}

fn count(wrong: usize) -> String {
    if wrong == 1 { "1 thing was wrong".to_owned() } else { format!("{wrong} things were wrong") }
}
