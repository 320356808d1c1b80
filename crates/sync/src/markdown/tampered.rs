//! Telling what was tampered with: events that the log, or a commit of the repository, had otherwise.

use std::collections::BTreeSet;

use idetic_core::Record;
use idetic_core::words::Trust;
use idetic_formats::markdown::changelog::event_id;
use idetic_memory::{Kind, Result, Writer};

use super::Project;
use super::committed::Commits;
use super::compare::{Compared, Known, Placed};
use super::files::{LOG, Logs};
use super::history::{History, Loss, Lost};
use super::records::{bare, half, id, key, record};
use super::reply::{MdSeverity, MdTrouble};

/// An event that is told of: its name, its file and line, what was done, and what the commits know of it.
type Told<'a> = (String, (&'a str, u64), Loss, Option<&'a Lost>);

impl Project {
    /// Tells of every event that is not as it was.
    pub(super) fn tell_tampered(
        &mut self,
        logs: &Logs,
        found: &[Placed],
        known: &[Known],
        compared: &Compared,
        history: Option<&History>,
    ) {
        if history.is_some_and(|history| history.is_shallow) {
            let message = "the clone has only the last commits: what was changed before is not seen";
            let remedy = "git fetch --unshallow; in CI fetch-depth: 0";
            self.report.troubles.push(MdTrouble::of_file(MdSeverity::Warning, LOG, "history-shallow", message, remedy));
        }
        let place = |at: usize| (logs.name(found[at].file), found[at].entry.line);
        let lost =
            |what: Loss, own: &str| history?.lost.iter().find(|lost| lost.what == what && half(&lost.bare) == own);
        let of_known = |at: usize| known[at].key.as_deref().map(bare).unwrap_or_default();
        let mut all: Vec<Told> = Vec::new();
        for (at, old) in &compared.edited {
            // What was renumbered is called by its number of today.
            let name = found[*at].entry.number.map_or_else(|| known[*old].name(), event_id);
            all.push((name, place(*at), Loss::Edited, lost(Loss::Edited, of_known(*old))));
        }
        for old in &compared.deleted {
            let lost = lost(Loss::Deleted, of_known(*old));
            // What was away has no number here.
            let unnumbered = lost.filter(|_| known[*old].number.is_none());
            let name = unnumbered.map_or_else(|| known[*old].name(), |lost| lost.name.clone());
            all.push((name, (LOG, 0), Loss::Deleted, lost));
        }
        for at in &compared.moved {
            all.push((found[*at].entry.name(), place(*at), Loss::Moved, lost(Loss::Moved, &half(&found[*at].bare))));
        }
        // What the log does not know better: that of a clone without one, and what was said otherwise of other events.
        let told: BTreeSet<(usize, String)> = all
            .iter()
            .filter_map(|(.., lost)| Some((lost.as_ref()?.what as usize, half(&lost.as_ref()?.bare))))
            .collect();
        for lost in history.iter().flat_map(|history| &history.lost) {
            let is_told = told.contains(&(lost.what as usize, half(&lost.bare)));
            let stands = found.iter().position(|placed| lost.successor.unwrap_or(lost.bare) == placed.bare);
            let name = || stands.map(|at| found[at].entry.name()).filter(|name| !name.is_empty());
            let name = name().unwrap_or_else(|| lost.name.clone());
            if !is_told && !all.iter().any(|(own, _, what, _)| *own == name && *what == lost.what) {
                all.push((name, stands.map_or((LOG, 0), place), lost.what, Some(lost)));
            }
        }
        for (event, (file, line), what, lost) in all {
            let by = lost
                .and_then(|lost| lost.commit.as_deref())
                .map(|commit| format!(" in commit {}", &commit[..10.min(commit.len())]));
            let by = by.unwrap_or_default();
            let (rule, message, remedy) = match what {
                Loss::Edited => (
                    "edited",
                    format!("{event} was edited{by}: the log keeps what it said"),
                    "undo the edit, and append an event that says what is different",
                ),
                Loss::Deleted => (
                    "deleted",
                    format!("{event} was deleted{by}: the log keeps it"),
                    "put it back, e.g. with git checkout, or with `idetic md repair` at the end",
                ),
                Loss::Moved => ("reordered", format!("{event} is in another place than before{by}"), "move it back"),
            };
            self.report.troubles.push(MdTrouble {
                severity: MdSeverity::Error,
                rule: rule.to_owned(),
                file: file.to_owned(),
                line,
                message,
                event,
                remedy: remedy.to_owned(),
            });
        }
    }

    /// Takes in what commits had and the files have no longer, where the log never knew it.
    pub(super) fn take_in_lost(&mut self, history: &History) -> Result<()> {
        let lost: Vec<&Lost> =
            history.lost.iter().filter(|lost| lost.what != Loss::Moved && lost.successor != Some(lost.bare)).collect();
        if lost.is_empty() {
            return Ok(());
        }
        let known: BTreeSet<String> =
            self.known()?.into_iter().filter_map(|known| Some(bare(known.key.as_deref()?).to_owned())).collect();
        let (mut records, mut commits): (Vec<Record>, Commits) = Default::default();
        for lost in lost.iter().filter(|lost| !known.contains(&half(&lost.bare))) {
            let all = commits.events(self.folder.root(), &lost.parent)?;
            let Some(event) = all.iter().find(|event| event.identity.bare == lost.bare) else { continue };
            let own = id(&event.identity.full, 0);
            if self.log()?.is_erased(&own)? || self.log()?.by_id(&own, self.head()?).is_ok() {
                continue;
            }
            let name = |number: &u64| {
                let target = all.iter().find(|event| event.entry.number == Some(*number));
                target.map_or_else(|| event_id(*number), |event| id(&event.identity.full, 0))
            };
            let refs: Vec<String> = event.entry.refs.iter().map(name).collect();
            match record(&event.entry, &event.raw, &own, &key(&event.identity), &refs, false) {
                Ok(record) => records.push(Writer::of_synced_file(Trust::Agent, None).sign(record)?),
                Err(error) if error.kind == Kind::Invalid => {}
                Err(error) => return Err(error),
            }
        }
        self.append(records)
    }
}
