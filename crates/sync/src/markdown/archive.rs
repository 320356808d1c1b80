//! Old events moved to the archive: they keep their numbers, stay readable, and can be referred to.

use idetic_core::Record;
use idetic_formats::markdown::Entry;
use idetic_formats::markdown::archive::{add_batch, archive, is_due};
use idetic_formats::markdown::changelog::event_id;
use idetic_memory::{Env, Result};
use serde_json::json;

use super::files::{ARCHIVE, LOG, Logs, text};
use super::state::Archiving;
use super::{Project, records};

impl Project {
    /// Whether the log is long enough to be archived.
    pub fn archive_is_due(&self) -> Result<bool> {
        Ok(is_due(&Logs::read(&self.folder)?.log))
    }

    /// Moves what is old to the archive; says how many events. The lock is held.
    pub fn archive(&mut self, env: &Env, agent: &str) -> Result<u64> {
        self.sync()?;
        let logs = Logs::read(&self.folder)?;
        let (story, base) = self.look(&logs)?;
        let derived = self.derived(&story, story.told.len(), base.as_ref())?;
        let milestone = story.told.iter().rev().find(|told| told.entry.kind == "milestone" && !told.entry.is_private());
        let milestone = milestone.map_or_else(|| "none".to_owned(), |told| name_of(&told.entry));
        let now = env.now();
        let Some(moved) = archive(&logs.log, &derived.graph, &now.day(), &milestone) else { return Ok(0) };
        self.state.archiving = Some(Archiving {
            first: moved.first,
            last: moved.last,
            count: moved.count,
            milestone,
            agent: agent.to_owned(),
            ts: now.to_string(),
        });
        self.save()?;
        // The archive first: what is in both is taken out of the log by the next run.
        let old = text(&self.folder, ARCHIVE)?.unwrap_or_default();
        self.folder.put(ARCHIVE, &add_batch(&old, &moved.batch))?;
        self.note_file(ARCHIVE);
        if self.folder.replace(LOG, &moved.changelog, &|bytes| bytes == logs.log.text().as_bytes())? {
            self.note_file(LOG);
        }
        let count = moved.count as u64;
        self.sync()?;
        Ok(count)
    }

    /// Says in the log what was moved, once it is: a run that was cut short is finished so.
    pub(super) fn finish_archiving(&mut self) -> Result<()> {
        let Some(archiving) = self.state.archiving.take() else { return Ok(()) };
        let logs = Logs::read(&self.folder)?;
        let is_moved = |number: u64| {
            logs.archives.iter().any(|(_, log)| log.entries().iter().any(|entry| entry.number == Some(number)))
        };
        if is_moved(archiving.first) && is_moved(archiving.last) {
            self.mend_log()?;
            let Archiving { first, last, count, milestone, agent, ts } = &archiving;
            let span = format!("{} through {}", event_id(*first), event_id(*last));
            let record = json!({
                "id": format!("md-archived-{first}-{last}-{}", records::short(ts)), "kind": "archive", "ts": ts,
                "author": agent, "scope": "memory",
                "summary": format!("Archived {span} to {ARCHIVE}"),
                "metadata": {"events": count.to_string(), "file": ARCHIVE, "milestone": milestone},
            });
            self.append(vec![Record::parse(record.to_string().as_bytes())?])?;
        }
        self.save()
    }
}

/// What a milestone is called: its name where it has one, else what its summary says.
fn name_of(entry: &Entry) -> String {
    let named = entry.detail("name").or_else(|| entry.detail("milestone")).map(|detail| detail.value.trim().to_owned());
    named.filter(|name| !name.is_empty()).unwrap_or_else(|| entry.summary.clone())
}
