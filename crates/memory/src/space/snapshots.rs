//! Snapshots of what is derived, for machines that share the log: one takes them, and another that starts with nothing uses them
//! instead of folding every event. Beside them lies how far the log had come, so that every machine notices if it was set back.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use idetic_core::views::VIEWS;
use idetic_core::{Hash, Stored, Tip, hash};
use idetic_store::{
    Contents, Error as StoreError, HeadState, LaneFile, LockFile, Manifest, Position, Snapshot, SpaceSnapshots, ranges,
};

use crate::{Error, Kind, Result, Space};

/// Raised when snapshots have another form.
const FORM: u32 = 1;
/// How many are kept of each version.
const KEEP: u32 = 2;
/// A server takes one after so many events, or after this part of all events if that is more.
const DUE_EVENTS: u64 = 20_000;
const DUE_PART: u64 = 20;
/// It tries again after so many when one failed, or when those that there were are removed.
const SOON_EVENTS: u64 = 1_000;
/// A server looks this often whether what it published is still there, where nothing was appended: every five minutes.
const LOOKS: u64 = 30;
/// After how long one that nobody listed was given up by whoever took it.
const ABANDONED_MILLIS: u64 = 24 * 60 * 60 * 1000;
/// How often the index is looked at again when it is exchanged meanwhile.
const TRIES: usize = 8;
/// Held while a snapshot is taken or used.
const LOCK: &str = "snapshot.lock";
/// Where its files lie meanwhile.
const WORK: &str = "snapshot";
const VIEWS_FILE: &str = "views.db";
const CHANGED: &str = "something was erased, hidden or imported meanwhile";

/// What a space knows of the place where snapshots are kept.
pub(crate) struct Snapshots {
    place: SpaceSnapshots,
    /// The last event that was published as the head.
    published: AtomicU64,
    /// How often a server looked whether it is to be published.
    looks: AtomicU64,
    /// The mark of the last erasure whose snapshots were removed; one that no log has before the first time.
    swept: AtomicU64,
    /// From which event on the next one is due.
    due: AtomicU64,
}

impl Snapshots {
    pub fn in_place(place: SpaceSnapshots) -> Self {
        Self {
            place,
            published: AtomicU64::new(0),
            looks: AtomicU64::new(0),
            swept: AtomicU64::new(u64::MAX),
            due: AtomicU64::new(DUE_EVENTS),
        }
    }
}

/// A snapshot that was taken.
#[derive(Debug)]
pub struct SnapshotTaken {
    /// The last event in it.
    pub seq: u64,
    /// Its hash.
    pub hash: Hash,
    /// How many bytes its files have.
    pub bytes: u64,
    /// Where it is.
    pub place: String,
}

/// A folder for the files of a snapshot, removed when it is let go.
struct Work(PathBuf);

impl Work {
    fn begin(space: &Path) -> Result<Self> {
        discard_work(space)?;
        let folder = space.join(WORK);
        std::fs::create_dir(&folder).map_err(Error::io(format_args!("cannot create {}", folder.display())))?;
        Ok(Self(folder))
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Removes what is being made of a snapshot, or was left of one.
pub(crate) fn discard_work(space: &Path) -> Result<()> {
    let folder = space.join(WORK);
    let mut tries = 0..TRIES;
    loop {
        return match std::fs::remove_dir_all(&folder) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            // Somebody makes one there.
            Err(error) if error.kind() == ErrorKind::DirectoryNotEmpty && tries.next().is_some() => continue,
            removed => removed.map_err(Error::io(format_args!("cannot remove {}", folder.display()))),
        };
    }
}

/// By which rules and in which form everything is derived: what was derived otherwise is of no use.
fn fold() -> String {
    let views: Vec<String> = VIEWS.iter().map(|view| format!("{} {}", view.name, view.version)).collect();
    let text = format!("{FORM}\n{}\n{}", views.join("\n"), Manifest::form());
    Hash::of(text.as_bytes()).to_string()[..16].to_owned()
}

/// What a name says of whoever began the snapshot: the mark of the last erasure, and when that was. `None` for what is none.
fn begun(name: &str) -> Option<(u64, u64)> {
    let parts: Vec<&str> = name.split('-').collect();
    let [seq, mark, millis, unique] = parts[..] else { return None };
    let is_ours = (seq.len(), mark.len(), unique.len()) == (20, 16, 8) && seq.parse::<u64>().is_ok();
    let (mark, millis) = (u64::from_str_radix(mark, 16).ok()?, millis.parse().ok()?);
    (is_ours && u32::from_str_radix(unique, 16).is_ok()).then_some((mark, millis))
}

fn changed() -> Error {
    Error::new(Kind::Conflict, format!("{CHANGED}: no snapshot was taken")).hint("run it again")
}

impl Space {
    fn snapshots(&self) -> Result<&Snapshots> {
        let nowhere = || {
            Error::invalid("there is no place for snapshots")
                .hint("set log.snapshots in config.toml, e.g. \"file:///srv/share/idetic-snapshots\", beside log.url")
        };
        self.snapshots.as_ref().ok_or_else(nowhere)
    }

    /// Takes a snapshot of what is derived as of the last event.
    pub fn take_snapshot(&self) -> Result<SnapshotTaken> {
        let place = &self.snapshots()?.place;
        let (tip, mark) = self.log().tip_and_mark()?;
        self.follow_erasures(mark)?;
        if tip.seq == 0 {
            return Err(Error::not_found("the space has no events").hint("there is nothing to take a snapshot of"));
        }
        let erasures = self.erasures();
        let lock = LockFile::open(&self.folder().join(LOCK))?;
        let busy = || Error::new(Kind::Conflict, "another process takes or uses a snapshot").hint("wait for it to end");
        let _alone = lock.try_hold()?.ok_or_else(busy)?;
        if !self.foreign()?.is_empty() {
            return Err(Error::new(
                Kind::Conflict,
                "imported events that nobody accepted are known to this machine only",
            )
            .hint("import the same file again with --accept if they are your own, or purge them"));
        }
        self.fresh(tip.seq, |_| Ok(()))?;
        self.seal_documents(tip.seq, &mut |_, _| {})?;
        let work = Work::begin(self.folder())?;
        let views = work.0.join(VIEWS_FILE);
        let positions = self.views().copy_to(&views)?;
        let (seq, hash) = common_end(&positions)?;
        let (lanes, files) = self.sealed_lanes()?;
        let (hidden, space) = (ranges(&*self.hidden()?), tip.space.to_string());
        let contents = Contents { space, seq, hash, hidden, lanes, bytes: Vec::new() };
        let unique: [u8; 4] = self.env().random();
        let millis = self.now().unix_millis();
        let name = format!("{seq:020}-{mark:016x}-{millis:013}-{}", hash::hex(&unique));
        let snapshot = Snapshot { name, seq, hash, fold: fold(), key: self.env().random() };
        // A share that hangs is not written to.
        place.head()?;
        let put = || -> Result<u64> {
            let bytes = write(place, &snapshot, &views, &files, contents)?;
            let is_same = self.erasures() == erasures && self.foreign()?.is_empty();
            match is_same && self.raw_log().add_snapshot(&snapshot, mark)? {
                true => Ok(bytes),
                false => Err(changed()),
            }
        };
        let bytes = put().inspect_err(|_| {
            // What is left of it nobody can read: its key is forgotten.
            let _ = place.remove(&snapshot.name);
        })?;
        self.sweep_or_record();
        Ok(SnapshotTaken { seq, hash, bytes, place: place.address().to_owned() })
    }

    /// The files of the recall index, whole. Vectors of a model that could not embed some texts are left out: which those are
    /// is known to this machine only.
    fn sealed_lanes(&self) -> Result<(Manifest, Vec<LaneFile>)> {
        self.reseal_what_was_salvaged()?;
        for _ in 0..TRIES {
            let before = self.lane_files().manifest();
            let mut manifest = before.clone();
            for model in before.models() {
                if !self.vectors().failed(model)?.is_empty() {
                    manifest.forget(model);
                }
            }
            if let Some(files) = self.lane_files().whole_files(&manifest)?
                && self.lane_files().manifest() == before
            {
                return Ok((manifest, files));
            }
        }
        Err(Error::unavailable("the recall index is being written all the time").hint("run it again"))
    }

    /// Uses a snapshot where this machine has derived nothing, or less than half of what is in it. One that cannot be used is
    /// passed over, and that is recorded to be told: then the log is folded.
    pub(crate) fn start_from_snapshot(&self) -> Result<()> {
        let Some(snapshots) = &self.snapshots else { return Ok(()) };
        if !self.foreign()?.is_empty() {
            // To whoever took one they are like all others.
            return Ok(());
        }
        let position = || self.views().position().unwrap_or(0);
        let is_of_use = |seq: u64| seq / 2 > position();
        if !is_of_use(self.log().tip()?.seq.saturating_add(1)) {
            return Ok(());
        }
        let lock = LockFile::open(&self.folder().join(LOCK))?;
        // Nobody waits for a transfer that may hang.
        let Some(_alone) = lock.try_hold()? else { return Ok(()) };
        let (fold, mut of_others) = (fold(), 0);
        for snapshot in self.raw_log().snapshots()? {
            if snapshot.fold != fold {
                of_others += 1;
            } else if !is_of_use(snapshot.seq.saturating_add(1)) {
                return Ok(());
            } else {
                let Err(error) = self.use_snapshot(&snapshots.place, &snapshot) else { return Ok(()) };
                self.record_repair(format!("the snapshot {} was not used: {error}", snapshot.name));
            }
        }
        if of_others > 0 {
            self.record_repair(format!(
                "{of_others} snapshots in {} are of another version of the program and were not used",
                snapshots.place.address()
            ));
        }
        Ok(())
    }

    /// Puts what a snapshot holds in the place of what is derived here, once all of it was checked.
    fn use_snapshot(&self, place: &SpaceSnapshots, snapshot: &Snapshot) -> Result<()> {
        let erasures = self.erasures();
        let wrong = |why: &str| Error::new(Kind::CheckFailed, why.to_owned());
        let is_in_log = |seq: u64, hash: Hash| -> Result<bool> {
            Ok(self.raw_log().read(seq, 1)?.first().is_some_and(|event| event.hash == hash))
        };
        // From a share that hangs nothing is copied.
        place.head()?;
        let opened = place.open(&snapshot.name, &snapshot.key)?;
        let Contents { space, seq, hash, hidden, lanes, .. } = &opened.contents;
        let (seq, hash) = (*seq, *hash);
        if (seq, hash) != (snapshot.seq, snapshot.hash) || *space != self.raw_log().tip()?.space.to_string() {
            return Err(wrong("it is of another log"));
        }
        for (seq, hash) in lanes.ends().chain([(seq, hash)]) {
            if !is_in_log(seq, hash)? {
                return Err(wrong(&format!("the log has another event {seq}")));
            }
        }
        let hidden: BTreeSet<u64> = hidden.iter().flat_map(|(from, to)| *from..=*to).collect();
        let check_hidden = || -> Result<()> {
            let is_hidden_there = self.hidden()?.is_subset(&hidden);
            if is_hidden_there { Ok(()) } else { Err(wrong("this machine still hides more events")) }
        };
        check_hidden()?;
        let work = Work::begin(self.folder())?;
        let views = work.0.join(VIEWS_FILE);
        let names = lanes.files().map(|name| work.0.join(name));
        opened.write_files(&[views.clone()].into_iter().chain(names).collect::<Vec<_>>())?;
        let positions = self.views().positions_in(&views)?;
        if common_end(&positions)? != (seq, hash) {
            return Err(wrong("its views end at another event"));
        }
        if self.erasures() != erasures {
            return Err(wrong(CHANGED));
        }
        if !self.foreign()?.is_empty() {
            return Err(wrong("events were imported that nobody accepted"));
        }
        // Something may have been put in quarantine here meanwhile.
        check_hidden()?;
        if hidden != *self.hidden()? {
            self.hide(&hidden)?;
        }
        self.lane_files().adopt(lanes, &work.0)?;
        self.views().adopt(&views, seq)?;
        self.drop_caches();
        if self.erasures() != erasures {
            // It may hold what was erased meanwhile.
            self.discard_derived()?;
            return Err(wrong(CHANGED));
        }
        Ok(())
    }

    /// Removes the snapshots that are old, that something was erased after, or that nobody finished.
    pub fn sweep_snapshots(&self) -> Result<()> {
        let Some(snapshots) = &self.snapshots else { return Ok(()) };
        let place = &snapshots.place;
        // A share that hangs is not waited for.
        place.head()?;
        // First: what is begun later than it is looked for here has a later mark, or is listed.
        let there = place.names()?;
        let mark = self.raw_log().tip_and_mark()?.1;
        let struck = self.raw_log().prune_snapshots(&fold(), KEEP)?;
        let listed: BTreeSet<String> = self.raw_log().snapshots()?.into_iter().map(|snapshot| snapshot.name).collect();
        let since = self.now().unix_millis().saturating_sub(ABANDONED_MILLIS);
        for name in there.difference(&listed) {
            // What has another name is not ours.
            let Some((then, at)) = begun(name) else { continue };
            if then != mark || at <= since || struck.contains(name) {
                place.remove(name)?;
            }
        }
        snapshots.swept.store(mark, Ordering::Relaxed);
        Ok(())
    }

    /// The same where it may wait: nobody can read what is left, and whoever looks next removes it.
    pub fn sweep_or_record(&self) {
        if let Err(error) = self.sweep_snapshots() {
            self.record_repair(format!("old snapshots could not be removed: {error}"));
        }
    }

    /// What a server does again and again: publishes how far the log has come, removes what was erased from the place of
    /// snapshots, and takes one when it is due.
    pub fn keep_snapshots(&self) -> Result<()> {
        let Some(snapshots) = &self.snapshots else { return Ok(()) };
        let (tip, mark) = self.log().tip_and_mark()?;
        // Also now and then where it is published: somebody may have emptied the folder.
        let is_due = snapshots.looks.fetch_add(1, Ordering::Relaxed).is_multiple_of(LOOKS);
        if is_due || snapshots.published.load(Ordering::Relaxed) != tip.seq {
            self.publish_tip(&tip)?;
        }
        if snapshots.swept.load(Ordering::Relaxed) != mark {
            self.sweep_snapshots()?;
            // Those that there were are gone.
            snapshots.due.fetch_min(tip.seq + SOON_EVENTS, Ordering::Relaxed);
        }
        if tip.seq < snapshots.due.load(Ordering::Relaxed) || !self.foreign()?.is_empty() {
            return Ok(());
        }
        let fold = fold();
        let newest = self.raw_log().snapshots()?.into_iter().find(|snapshot| snapshot.fold == fold);
        let newest = newest.map_or(0, |snapshot| snapshot.seq);
        let step = DUE_EVENTS.max(tip.seq / DUE_PART);
        // A little later on one machine than on another, so that not all of them take it.
        let [chance]: [u8; 1] = self.env().random();
        let due = newest + step + step * u64::from(chance) / 1024;
        snapshots.due.store(due, Ordering::Relaxed);
        if tip.seq < due {
            return Ok(());
        }
        // All of it was copied in vain: not again at once.
        let later = |_: &Error| snapshots.due.store(tip.seq + SOON_EVENTS, Ordering::Relaxed);
        self.take_snapshot().map(drop).inspect_err(later)
    }

    /// Publishes how far the log has come, after a look at what is published: that may tell of a loss, and is only written over
    /// where the log has come further.
    pub fn publish_tip(&self, tip: &Tip) -> Result<()> {
        let Some(snapshots) = self.snapshots.as_ref().filter(|_| tip.seq > 0) else { return Ok(()) };
        let known = snapshots.place.head()?;
        self.raw_log().learn_head(known)?;
        if matches!(known, HeadState::At { seq, .. } if seq >= tip.seq) {
            snapshots.published.store(tip.seq, Ordering::Relaxed);
            return Ok(());
        }
        self.publish_head(tip)?;
        let is_tip = |event: &Stored| event.hash == tip.hash;
        if !self.raw_log().read(tip.seq, 1).is_ok_and(|events| events.first().is_some_and(is_tip)) {
            // Writing may take long: the log was replaced on purpose meanwhile, or that cannot be told now. It is published
            // again with the next look.
            self.forget_published_head()?;
        }
        Ok(())
    }

    /// Says where snapshots are kept how far the log has come, whatever is said there.
    pub fn publish_head(&self, tip: &Tip) -> Result<()> {
        if let Some(snapshots) = &self.snapshots {
            snapshots.place.put_head(tip)?;
            snapshots.published.store(tip.seq, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Forgets it, before the log is changed on purpose: that is no loss. Answers what it was.
    pub fn forget_published_head(&self) -> Result<HeadState> {
        let Some(snapshots) = &self.snapshots else { return Ok(HeadState::Missing) };
        let known = snapshots.place.head()?;
        snapshots.published.store(0, Ordering::Relaxed);
        snapshots.place.remove_head()?;
        Ok(known)
    }

    /// Publishes again what was forgotten for a change that failed, which may tell of a loss, unless somebody published meanwhile.
    pub fn publish_again(&self, known: HeadState) -> Result<()> {
        let Some(snapshots) = &self.snapshots else { return Ok(()) };
        if let HeadState::At { space, seq, hash } = known
            && snapshots.place.head()? == HeadState::Missing
        {
            snapshots.place.put_head(&Tip { seq, hash, ..Tip::empty(space) })?;
        }
        Ok(())
    }

    /// Compares the log with what other machines published, which is asked for now unless it was before: one that was set back
    /// is refused from then on, here as well. An error where that cannot be noted: nobody would look again.
    pub(crate) fn check_published_head(&self, known: Option<idetic_store::Result<HeadState>>) -> Result<()> {
        let Some(snapshots) = &self.snapshots else { return Ok(()) };
        // One that is further than the log may have been read before the log was replaced on purpose.
        let is_ahead = |known: &HeadState| match known {
            HeadState::At { seq, .. } => self.raw_log().tip().is_ok_and(|tip| tip.seq < *seq),
            _ => false,
        };
        let known = known.filter(|known| !known.as_ref().is_ok_and(is_ahead));
        match known.unwrap_or_else(|| snapshots.place.head()).map(|known| self.raw_log().learn_head(known)) {
            // Whoever reads or appends is told.
            Ok(Ok(()) | Err(StoreError::Shortened { .. } | StoreError::Replaced { .. })) => Ok(()),
            Ok(Err(error @ (StoreError::Unavailable(_) | StoreError::Database(_)))) => Err(error.into()),
            Ok(Err(error)) | Err(error) => {
                self.record_repair(format!("whether the log was set back was not checked: {error}"));
                Ok(())
            }
        }
    }

    /// How many snapshots can be used, the last event in the newest, and where they are; `None` without a place.
    pub fn snapshots_listed(&self) -> Option<Result<(usize, u64, String)>> {
        let place = &self.snapshots.as_ref()?.place;
        let look = || {
            place.head()?;
            let (fold, listed) = (fold(), self.raw_log().snapshots()?);
            let usable: Vec<u64> = listed.iter().filter(|one| one.fold == fold).map(|one| one.seq).collect();
            Ok((usable.len(), usable.first().copied().unwrap_or(0), place.address().to_owned()))
        };
        Some(look())
    }
}

/// The event that all views have come to.
fn common_end(positions: &[Position]) -> Result<(u64, Hash)> {
    let mut ends = positions.iter().map(|position| (position.seq, position.hash));
    let end = ends.next().filter(|end| ends.all(|other| other == *end));
    end.ok_or_else(|| Error::unavailable("the views are being rebuilt").hint("run it again"))
}

/// Writes the files of a snapshot; gives how many bytes they have.
fn write(
    place: &SpaceSnapshots,
    snapshot: &Snapshot,
    views: &Path,
    files: &[LaneFile],
    contents: Contents,
) -> Result<u64> {
    let mut sealer = place.seal(&snapshot.name, &snapshot.key);
    let mut opened = File::open(views).map_err(Error::io(format_args!("cannot read {}", views.display())))?;
    sealer.add(&mut opened)?;
    for file in files {
        sealer.add(&mut file.bytes())?;
    }
    Ok(sealer.finish(contents)?)
}

#[cfg(test)]
mod tests {
    use idetic_core::{Record, SpaceName, Time};
    use idetic_store::{Env, LogSettings, Logs};

    use super::*;

    #[test]
    fn what_is_published_is_not_set_back_and_not_left_where_the_log_lacks_it() {
        let (folder, shared) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
        let snapshots = format!("file://{}", shared.path().display());
        let settings = LogSettings { url: "postgres://ann@127.0.0.1:1/memory".to_owned(), snapshots };
        let logs = Logs::at(&settings).expect("good settings");
        let (name, env) = (SpaceName::parse("ann/notes").expect("a name"), Env::new(|| Time(0), |bytes| bytes.fill(7)));
        let log = Logs::default().create(&name, folder.path(), env.clone()).expect("a log");
        let space = Space::with(&logs, &name, folder.path(), log, env);
        let record = Record::parse(br#"{"kind":"change","content":"one"}"#).expect("a record");
        space.append(vec![record], None).expect("appended");
        let place = &space.snapshots().expect("a place").place;
        let tip = space.log().tip().expect("a tip");
        let ahead = Tip { seq: 2, ..tip };
        let state = |tip: &Tip| -> idetic_store::Result<HeadState> {
            Ok(HeadState::At { space: tip.space, seq: tip.seq, hash: tip.hash })
        };
        space.publish_tip(&tip).expect("published");
        assert_eq!(place.head(), state(&tip));
        // Another machine published more meanwhile.
        place.put_head(&ahead).expect("published");
        space.publish_tip(&tip).expect("nothing to publish");
        assert_eq!(place.head(), state(&ahead));
        // The log was replaced between the look at its end and the end of writing: also where its own head tells of a loss.
        std::fs::copy(shared.path().join("ann/notes/head"), shared.path().join("kept")).expect("copied");
        for is_known_here in [false, true] {
            if is_known_here {
                std::fs::copy(shared.path().join("kept"), folder.path().join("head")).expect("copied");
            }
            place.remove_head().expect("removed");
            assert_eq!(space.raw_log().read(2, 1).is_err(), is_known_here);
            space.publish_tip(&ahead).expect("taken back");
            assert_eq!(place.head(), Ok(HeadState::Missing));
        }
    }

    #[test]
    fn a_name_says_since_which_erasure_and_since_when() {
        assert_eq!(
            begun("00000000000000000007-00000000000000ff-1735732800000-0a0b0c0d"),
            Some((255, 1_735_732_800_000))
        );
        for other in [
            "",
            "head",
            "1-2",
            "holiday-1-2-photos",
            "00000000000000000007-000000000000000x-1735732800000-0a0b0c0d",
            "00000000000000000007-00000000000000ff-1735732800000",
            "00000000000000000007-00000000000000ff-1735732800000-0a0b0c0d-more",
        ] {
            assert_eq!(begun(other), None, "{other}");
        }
    }
}
