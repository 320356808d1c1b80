//! Taking in: what was added to the changelog becomes events of the log, each once; what was changed in it is told.

use std::collections::HashMap;

use idetic_core::Record;
use idetic_core::views::graph::RENUMBERED;
use idetic_core::words::Trust;
use idetic_formats::markdown::changelog::event_id;
use idetic_formats::markdown::{Changelog, identities};
use idetic_memory::{Error, Kind, Result, Writer};
use serde_json::json;

use super::Project;
use super::adopt::Base;
use super::compare::{Compared, Known, Placed, compare, placed};
use super::files::{LOG, Logs};
use super::records::{key, record};
use super::reply::{MdSeverity, MdTrouble};
use super::story::Story;

/// Events appended together.
const BATCH_EVENTS: usize = 500;

impl Project {
    /// Takes in what the files have that the log has not, and gives the story they tell.
    pub(super) fn take_in<'l>(&mut self, logs: &'l Logs) -> Result<(Story<'l>, Option<Base>)> {
        self.tell_problems(logs);
        let known = self.known()?;
        let mut found = placed(logs);
        let mut compared = compare(&mut found, &known, &self.unwritten_keys());
        let away = self.away(&known, &mut compared);
        self.tell_away(&known, &away)?;
        self.tell_tampered(logs, &found, &known, &compared);
        let base = self.base()?;
        self.keep_base(base.as_ref())?;
        self.adopt(base.as_ref(), &found)?;
        self.append_new(logs, &found, &compared.new, base.as_ref().map(Base::horizon))?;
        let numbered: Vec<Record> = compared
            .renumbered
            .iter()
            .map(|(at, from)| numbering(&found[*at].event, *from, found[*at].entry.number, Some(&found[*at].key)))
            .collect::<Result<_>>()?;
        self.report.renumbered += compared.renumbered.iter().filter(|(_, from)| from.is_some()).count() as u64;
        self.append(numbered)?;
        Ok((self.story(&found, &known, &compared)?, base))
    }

    /// What the files tell, without taking anything in.
    pub(super) fn look<'l>(&mut self, logs: &'l Logs) -> Result<(Story<'l>, Option<Base>)> {
        let known = self.known()?;
        let mut found = placed(logs);
        let mut compared = compare(&mut found, &known, &self.unwritten_keys());
        self.away(&known, &mut compared);
        self.tell_tampered(logs, &found, &known, &compared);
        let base = self.base()?;
        Ok((self.story(&found, &known, &compared)?, base))
    }

    fn tell_problems(&mut self, logs: &Logs) {
        for (at, log) in logs.all().into_iter().enumerate() {
            for problem in log.problems() {
                self.report.troubles.push(MdTrouble {
                    severity: if problem.loses { MdSeverity::Error } else { MdSeverity::Remark },
                    rule: problem.rule.to_owned(),
                    file: logs.name(at).to_owned(),
                    line: problem.line,
                    event: String::new(),
                    message: problem.reason.clone(),
                    remedy: problem.remedy.clone(),
                });
            }
        }
    }

    fn tell_tampered(&mut self, logs: &Logs, found: &[Placed], known: &[Known], compared: &Compared) {
        let place = |at: &usize| (logs.name(found[*at].file), found[*at].entry.line);
        let edited = compared.edited.iter().map(|(at, old)| (known[*old].name(), place(at), "edited"));
        let deleted = compared.deleted.iter().map(|old| (known[*old].name(), (LOG, 0), "deleted"));
        let moved = compared.moved.iter().map(|at| (found[*at].entry.name(), place(at), "reordered"));
        for (event, (file, line), rule) in edited.chain(deleted).chain(moved) {
            let (what, remedy) = match rule {
                "edited" => (
                    "was edited: the log keeps what it said",
                    "undo the edit, and append an event that says what is different",
                ),
                "deleted" => (
                    "was deleted: the log keeps it",
                    "put it back, e.g. with git checkout, or with `idetic md repair` at the end",
                ),
                _ => ("is in another place than before", "move it back"),
            };
            self.report.troubles.push(MdTrouble {
                severity: MdSeverity::Error,
                rule: rule.to_owned(),
                file: file.to_owned(),
                line,
                message: format!("{event} {what}"),
                event,
                remedy: remedy.to_owned(),
            });
        }
    }

    /// What events are known by that were being written when a run was cut short.
    fn unwritten_keys(&self) -> Vec<(String, String)> {
        let Some(appending) = &self.state.appending else { return Vec::new() };
        let log = Changelog::read(&appending.text);
        let keys = identities(&[&log]).into_iter().flatten().map(|identity| key(&identity));
        appending.events.iter().cloned().zip(keys).collect()
    }

    fn append_new(&mut self, logs: &Logs, found: &[Placed], new: &[usize], reflected: Option<u64>) -> Result<()> {
        let ids: HashMap<u64, &str> =
            found.iter().filter_map(|placed| Some((placed.entry.number?, placed.event.as_str()))).collect();
        let mut records = Vec::with_capacity(new.len());
        for placed in new.iter().map(|at| &found[*at]) {
            let entry = placed.entry;
            if self.log()?.is_erased(&placed.event)? {
                let what = format!("{} was erased from the log, and is not imported again", entry.name());
                self.refuse(logs, placed, Error::invalid(what).hint("remove it from the file"));
                continue;
            }
            let refs = entry.refs.iter().map(|n| ids.get(n).map_or_else(|| event_id(*n), |id| (*id).to_owned()));
            let refs: Vec<String> = refs.collect();
            let is_shown = reflected.is_some_and(|horizon| entry.number.is_some_and(|number| number <= horizon));
            match record(entry, placed.raw, &placed.event, &placed.key, &refs, is_shown) {
                Ok(record) => records.push(Writer::of_file(Trust::Agent, None).sign(record)?),
                Err(error) if error.kind == Kind::Invalid => self.refuse(logs, placed, error),
                Err(error) => return Err(error),
            }
        }
        self.report.taken_in += records.len() as u64;
        self.append(records)
    }

    fn refuse(&mut self, logs: &Logs, placed: &Placed, error: Error) {
        self.report.troubles.push(MdTrouble {
            severity: MdSeverity::Error,
            rule: "unreadable".to_owned(),
            file: logs.name(placed.file).to_owned(),
            line: placed.entry.line,
            event: placed.entry.name(),
            message: error.message,
            remedy: if error.hint.is_empty() { "write it as a smaller event".to_owned() } else { error.hint },
        });
    }

    pub(super) fn append(&self, records: Vec<Record>) -> Result<()> {
        let mut rest = records;
        while !rest.is_empty() {
            let behind = rest.split_off(rest.len().min(BATCH_EVENTS));
            self.log()?.append(rest, None)?;
            rest = behind;
        }
        Ok(())
    }
}

/// Says the number of an event in the file; none where it is no longer there and to be written again.
pub(super) fn numbering(event: &str, from: Option<u64>, to: Option<u64>, key: Option<&str>) -> Result<Record> {
    let said = json!({"event": event, "from": from, "to": to, "identity": key});
    Ok(Record::parse(json!({"kind": RENUMBERED, "metadata": said}).to_string().as_bytes())?)
}
