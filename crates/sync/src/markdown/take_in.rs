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
use super::files::Logs;
use super::history::History;
use super::records::{self, key, record};
use super::reply::{MdSeverity, MdTrouble};
use super::story::Story;

/// Events appended together.
const BATCH_EVENTS: usize = 500;

impl Project {
    /// Takes in what the files have that the log has not, and gives the story they tell.
    pub(super) fn take_in<'l>(&mut self, logs: &'l Logs) -> Result<(Story<'l>, Option<Base>)> {
        self.tell_problems(logs);
        let history = self.history(logs)?;
        if let Some(history) = &history {
            self.take_in_lost(history)?;
        }
        let known = self.known()?;
        let mut found = placed(logs);
        let mut compared = self.compared(&mut found, &known);
        let away = self.settle(history.as_ref(), &mut found, &known, &mut compared);
        self.tell_away(&known, &away)?;
        self.tell_tampered(logs, &found, &known, &compared, history.as_ref());
        let base = self.base()?;
        self.keep_base(base.as_ref())?;
        self.adopt(base.as_ref(), &found)?;
        let ids = ids(&found, &known, &compared);
        self.append_new(logs, &found, &compared.new, &ids, base.as_ref().map(Base::horizon))?;
        let numbered: Vec<Record> = compared
            .renumbered
            .iter()
            .map(|(at, from)| numbering(&found[*at].event, *from, found[*at].entry.number, Some(&found[*at].key)))
            .collect::<Result<_>>()?;
        let is_another = |(at, from): &&(usize, Option<u64>)| from.is_some() && *from != found[*at].entry.number;
        self.report.renumbered += compared.renumbered.iter().filter(is_another).count() as u64;
        self.append(numbered)?;
        Ok((self.story(&found, &known, &compared, history.as_ref())?, base))
    }

    /// What the files tell, without taking anything in.
    pub(super) fn look<'l>(&mut self, logs: &'l Logs) -> Result<(Story<'l>, Option<Base>)> {
        let history = self.history(logs)?;
        let known = self.known()?;
        let mut found = placed(logs);
        let mut compared = self.compared(&mut found, &known);
        self.settle(history.as_ref(), &mut found, &known, &mut compared);
        self.tell_tampered(logs, &found, &known, &compared, history.as_ref());
        let base = self.base()?;
        Ok((self.story(&found, &known, &compared, history.as_ref())?, base))
    }

    /// What the commits had; none where there is no repository, or no changelog in it.
    fn history(&self, logs: &Logs) -> Result<Option<History>> {
        History::read(self.folder.root(), logs)
    }

    /// Holds the events of the files against those of the log.
    pub(super) fn compared(&self, found: &mut [Placed], known: &[Known]) -> Compared {
        let refs_of = |known: &Known| {
            let event = self.head().and_then(|head| self.log()?.by_id(&known.event, head));
            event.ok().and_then(|event| event.fields).map(|fields| fields.refs).unwrap_or_default()
        };
        let entry_of = |known: &Known| {
            let event = self.head().and_then(|head| self.log()?.by_id(&known.event, head)).ok()?;
            records::entry(&event, known.number, &|_| None)
        };
        compare(found, known, &self.unwritten_keys(), &refs_of, &entry_of)
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

    /// What events are known by that were being written when a run was cut short.
    fn unwritten_keys(&self) -> Vec<(String, String)> {
        let Some(appending) = &self.state.appending else { return Vec::new() };
        let log = Changelog::read(&appending.text);
        let keys = identities(&[&log]).into_iter().flatten().map(|identity| key(&identity));
        appending.events.iter().cloned().zip(keys).collect()
    }

    fn append_new(
        &mut self,
        logs: &Logs,
        found: &[Placed],
        new: &[usize],
        ids: &HashMap<u64, String>,
        reflected: Option<u64>,
    ) -> Result<()> {
        let mut records = Vec::with_capacity(new.len());
        for placed in new.iter().map(|at| &found[*at]) {
            let entry = placed.entry;
            if self.log()?.is_erased(&placed.event)? {
                let what = format!("{} was erased from the log, and is not imported again", entry.name());
                self.refuse(logs, placed, Error::invalid(what).hint("remove it from the file"));
                continue;
            }
            let refs: Vec<String> =
                entry.refs.iter().map(|n| ids.get(n).cloned().unwrap_or_else(|| event_id(*n))).collect();
            let is_shown = reflected.is_some_and(|horizon| entry.number.is_some_and(|number| number <= horizon));
            match record(entry, placed.raw, &placed.event, &placed.key, &refs, is_shown) {
                Ok(record) => records.push(Writer::of_synced_file(Trust::Agent, None).sign(record)?),
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

/// The ids of the events in the log by their numbers in the files; of those that were edited or deleted by what is known.
fn ids(found: &[Placed], known: &[Known], compared: &Compared) -> HashMap<u64, String> {
    let deleted = compared.deleted.iter().filter_map(|old| Some((known[*old].number?, known[*old].event.clone())));
    let there = found.iter().filter_map(|placed| Some((placed.entry.number?, placed.event.clone())));
    let edited = compared.edited.iter();
    let edited = edited.filter_map(|(at, old)| Some((found[*at].entry.number?, known[*old].event.clone())));
    deleted.chain(there).chain(edited).collect()
}

/// Says the number of an event in the file; none where it is no longer there and to be written again.
pub(super) fn numbering(event: &str, from: Option<u64>, to: Option<u64>, key: Option<&str>) -> Result<Record> {
    let said = json!({"event": event, "from": from, "to": to, "identity": key});
    Ok(Record::parse(json!({"kind": RENUMBERED, "metadata": said}).to_string().as_bytes())?)
}
