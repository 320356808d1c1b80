//! What git says of an event that is not in the file as the log knows it: it was tampered with, or it belongs to another
//! branch, to the stash, or to a commit that was undone, and is away.

use std::collections::HashSet;

use idetic_formats::markdown::{Changelog, identities};
use idetic_memory::Result;

use super::compare::{AWAY, Compared, Known, Placed};
use super::history::{History, Loss, Lost};
use super::take_in::numbering;
use super::{Project, git, records};

/// What an event of the log is known by in the commits of a repository.
struct Trail {
    /// Its block without the numbers of events.
    bare: String,
    /// What its summary says.
    summary: String,
    /// When, by whom, and what it was.
    heading: (String, String, String),
}

impl Project {
    /// Tells apart what was edited and what only has the number of an event that is elsewhere; takes those that are away
    /// from what seems to be deleted, and gives them.
    pub(super) fn settle(
        &self,
        history: Option<&History>,
        found: &mut [Placed],
        known: &[Known],
        compared: &mut Compared,
    ) -> Vec<usize> {
        if let Some(history) = history {
            let (edited, others) = std::mem::take(&mut compared.edited)
                .into_iter()
                .partition(|(at, old)| self.is_edit(history, &found[*at], &known[*old], known));
            compared.edited = edited;
            let others: Vec<(usize, usize)> = others;
            compared.new.extend(others.iter().map(|(at, _)| *at));
            compared.new.sort_unstable();
            compared.deleted.extend(others.iter().map(|(_, old)| *old).filter(|old| !known[*old].is_away));
            compared.deleted.extend(lost_while_away(history, found, known));
            // What was renumbered or away, and edited since, has neither the number nor the words that are known here. That the
            // log knows the edit too, as it was all that a shallow clone had, does not make it another event.
            for old in std::mem::take(&mut compared.deleted) {
                let is_free = |at: &usize| !compared.edited.iter().any(|(edit, _)| edit == at);
                match self.edit_in_commits(history, found, &known[old], known).filter(is_free) {
                    Some(at) => {
                        compared.new.retain(|new| *new != at);
                        compared.edited.push((at, old));
                    }
                    None => compared.deleted.push(old),
                }
            }
            self.find_renumbered(history, found, known, compared);
            // After merges the order is that of git, whatever the numbers were here.
            let is_moved = |placed: &Placed| history.lost(&placed.bare).is_some_and(|lost| lost.what == Loss::Moved);
            compared.moved.retain(|at| !history.had(&records::half(&found[*at].bare)));
            compared.moved.extend((0..found.len()).filter(|at| is_moved(&found[*at])));
        }
        if compared.deleted.is_empty() {
            return Vec::new();
        }
        let is_elsewhere = self.is_elsewhere_in_git();
        let is_away = |at: &usize| {
            let Some(trail) = self.trail(&known[*at], known) else { return false };
            let is_lost = history.is_some_and(|history| history.had(&trail.bare));
            !is_lost && (is_elsewhere || self.is_in(&trail, &git::said_anywhere(self.folder.root(), &trail.summary)))
        };
        let (away, deleted) = compared.deleted.iter().partition(|at| is_away(at));
        compared.deleted = deleted;
        away
    }

    /// Finds the known events that only say other numbers now: merges gave some out while what they refer to was edited or
    /// deleted, so that neither their words nor their references say which they are. To the commits each is still there.
    fn find_renumbered(&self, history: &History, found: &mut [Placed], known: &[Known], compared: &mut Compared) {
        for old in std::mem::take(&mut compared.deleted) {
            let bare = self.trail(&known[old], known).map(|trail| trail.bare).filter(|bare| history.had(bare));
            let is_same = |at: &usize| Some(records::half(&found[*at].bare)) == bare;
            let Some(place) = compared.new.iter().position(is_same) else {
                compared.deleted.push(old);
                continue;
            };
            let at = compared.new.remove(place);
            found[at].event.clone_from(&known[old].event);
            compared.renumbered.push((at, known[old].number));
        }
    }

    /// The event of the file that is an edit of a known one by what the commits say.
    fn edit_in_commits(&self, history: &History, found: &[Placed], old: &Known, known: &[Known]) -> Option<usize> {
        let bare = self.trail(old, known)?.bare;
        let is_it = |lost: &&Lost| lost.what == Loss::Edited && records::half(&lost.bare) == bare;
        let successor = history.lost.iter().find(is_it)?.successor?;
        found.iter().position(|placed| placed.bare == successor)
    }

    /// Whether an event of the file is an edit of a known one with the same number, and not another event.
    fn is_edit(&self, history: &History, placed: &Placed, old: &Known, known: &[Known]) -> bool {
        let Some(trail) = self.trail(old, known) else { return true };
        let is_committed = history.had(&records::half(&placed.bare));
        if history.had(&trail.bare) {
            let made = history.lost.iter().find(|lost| records::half(&lost.bare) == trail.bare);
            return !is_committed || made.is_some_and(|made| made.successor == Some(placed.bare));
        }
        let root = self.folder.root();
        if !is_committed {
            return !self.is_in(&trail, &git::said_anywhere(root, &trail.summary));
        }
        // A commit that was made again, or an edit before the first one: nothing but the words is different.
        let entry = placed.entry;
        let is_same = trail.heading == (entry.when(), entry.agent.clone(), entry.kind.clone());
        is_same && !self.is_in(&trail, &git::said_on_branches(root, &trail.summary))
    }

    fn trail(&self, old: &Known, known: &[Known]) -> Option<Trail> {
        let number_of = |id: &str| known.iter().find(|known| known.event == id)?.number;
        let event = self.log().ok()?.by_id(&old.event, self.head().ok()?).ok()?;
        let entry = records::entry(&event, old.number, &number_of)?;
        let block = event.fields.as_ref()?.content.as_deref().unwrap_or_default();
        let log = Changelog::read(block);
        // The key of an event that names others may be older than merges that gave these other numbers.
        let own = identities(&[&log]).pop()?.first().map(|identity| records::half(&identity.bare));
        let own = own.or_else(|| Some(records::bare(old.key.as_deref()?).to_owned()))?;
        Some(Trail { bare: own, heading: (entry.when(), entry.agent, entry.kind), summary: entry.summary })
    }

    /// Whether one of some commits has an event.
    fn is_in(&self, trail: &Trail, commits: &[String]) -> bool {
        History::has(self.folder.root(), commits, &trail.bare)
    }

    /// Says in the log that they have no number at present.
    pub(super) fn tell_away(&self, known: &[Known], away: &[usize]) -> Result<()> {
        let told = away.iter().map(|at| {
            let key = known[*at].key.as_deref().map(|key| format!("{AWAY}{key}"));
            numbering(&known[*at].event, known[*at].number, None, key.as_deref())
        });
        self.append(told.collect::<Result<_>>()?)
    }

    /// Whether another branch was checked out since the last time, or another folder is in the place of this one.
    fn is_elsewhere_in_git(&self) -> bool {
        let root = self.folder.root();
        let is_another = self.state.root.is_some() && self.folder.birth().ok() != self.state.root;
        let (Some((branch, commit)), Some((now, at))) = (&self.state.head, git::checked_out(root)) else {
            return is_another;
        };
        let is_behind =
            || commit.as_deref().is_some_and(|old| at.as_deref() != Some(old) && !git::is_ancestor(root, old));
        is_another || *branch != now || is_behind()
    }
}

/// The known events that were away when a commit edited or deleted them.
fn lost_while_away(history: &History, found: &[Placed], known: &[Known]) -> Vec<usize> {
    let lost: HashSet<String> =
        history.lost.iter().filter(|lost| lost.what != Loss::Moved).map(|lost| records::half(&lost.bare)).collect();
    let there: HashSet<&str> = found.iter().map(|placed| placed.event.as_str()).collect();
    let is_lost = |old: &Known| {
        let bare = old.key.as_deref().map(records::bare);
        old.is_away && !there.contains(old.event.as_str()) && bare.is_some_and(|bare| lost.contains(bare))
    };
    (0..known.len()).filter(|at| is_lost(&known[*at])).collect()
}
