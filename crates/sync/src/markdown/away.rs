//! Events that the log has and the file has not because of what git did: they belong to another branch, to the stash, or to
//! a commit that was undone. They are away, and not deleted.

use idetic_memory::Result;

use super::compare::{AWAY, Compared, Known};
use super::take_in::numbering;
use super::{Project, git, records};

impl Project {
    /// Takes those that are away from what seems to be deleted.
    pub(super) fn away(&self, known: &[Known], compared: &mut Compared) -> Vec<usize> {
        if compared.deleted.is_empty() {
            return Vec::new();
        }
        let (root, is_elsewhere) = (self.folder.root(), self.is_elsewhere_in_git());
        let number_of = |id: &str| known.iter().find(|known| known.event == id)?.number;
        let is_away = |at: &usize| {
            let head = self.head().ok()?;
            let event = self.log().ok()?.by_id(&known[*at].event, head).ok()?;
            let summary = records::entry(&event, known[*at].number, &number_of)?.summary;
            let is_somewhere = is_elsewhere || git::said_anywhere(root, &summary);
            Some(is_somewhere && !git::once_said(root, &summary))
        };
        let (away, deleted) = compared.deleted.iter().partition(|at| is_away(at) == Some(true));
        compared.deleted = deleted;
        away
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
