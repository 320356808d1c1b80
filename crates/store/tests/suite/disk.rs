//! A simulated disk below SQLite that loses power, tears writes and fails on demand.

use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};
use std::fs;
use std::io::{Error, ErrorKind, Result};
use std::mem::take;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use sqlite_vfs::{DatabaseHandle, LockKind, OpenAccess, OpenOptions, Vfs, WalDisabled, register};

const SECTOR: usize = 512;
const TEMPORARY: &str = "sim-temporary";

/// What goes wrong. A fault set for operation `n` strikes the first operation numbered `n` or later to which it
/// applies, so a sweep over `n` needs no knowledge of what each operation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Power goes off during this operation; nothing works until `crash` or `kill`.
    Crash,
    /// The operation has no effect and reports an I/O error.
    Eio,
    /// A write or a file creation has no effect and finds the disk full.
    Enospc,
    /// A write stores only its first part, then finds the disk full.
    ShortWrite,
    /// A sync fails, and the data it should have saved is not written by later syncs either.
    SyncFails,
}

/// An in-memory disk, registered as a SQLite VFS called `name()`.
///
/// Paths are reduced to their last component: the disk has a single directory.
pub struct SimDisk {
    name: String,
    shared: Arc<Mutex<Disk>>,
}

impl SimDisk {
    /// An empty, unlimited disk. `seed` decides how much a short write stores.
    pub fn new(seed: u64) -> Result<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let name = format!("sim-disk-{}", NEXT.fetch_add(1, Ordering::Relaxed));
        let shared = Arc::new(Mutex::new(Disk { rng: Rng(seed), ..Disk::default() }));
        // The VFS is never unregistered; a weak reference lets the contents be freed.
        register(&name, Driver(Arc::downgrade(&shared)), false).map_err(Error::other)?;
        Ok(Self { name, shared })
    }

    /// Makes it a new, empty, unlimited disk under the same name. Long sweeps should reuse one disk so: SQLite never
    /// forgets a VFS, and walks the list of all to add one.
    pub fn format(&self, seed: u64) {
        let mut disk = self.disk();
        *disk = Disk { rng: Rng(seed), era: disk.era + 1, ..Disk::default() };
    }

    /// The VFS name to open connections with.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How many writes, truncations, syncs, creations and deletions were attempted so far.
    pub fn operations(&self) -> u64 {
        self.disk().operations
    }

    /// Successful syncs by file name.
    pub fn syncs(&self) -> BTreeMap<String, u64> {
        self.disk().syncs.clone()
    }

    /// Scripts a fault. The first operation is number 1; numbers keep counting across crashes.
    pub fn fail_at(&self, operation: u64, fault: Fault) {
        self.disk().script.push((operation, fault));
    }

    /// Forgets the faults that have not struck, and tells how many there were.
    pub fn clear_faults(&self) -> usize {
        take(&mut self.disk().script).len()
    }

    /// Limits the bytes all named files may take together; `None` lifts the limit.
    pub fn set_capacity(&self, bytes: Option<usize>) {
        self.disk().capacity = bytes;
    }

    /// Power loss and reboot: of what was not synced, `seed` decides what survives.
    pub fn crash(&self, seed: u64) {
        let mut disk = self.disk();
        disk.lose_power(&mut Rng(seed));
        disk.restart();
    }

    /// The process dies but the machine does not: all that was written can still be read, and what was not synced can
    /// still be lost in a later `crash`.
    pub fn kill(&self) {
        self.disk().restart();
    }

    /// Copies every file, as a process would read it now, into a real directory.
    pub fn export(&self, dir: &Path) -> Result<()> {
        self.disk().present().try_for_each(|(name, inode)| fs::write(dir.join(name), &lock(inode).cached))
    }

    /// Copies every file of a real directory onto the disk, synced, replacing those of the same name.
    pub fn import(&self, dir: &Path) -> Result<()> {
        for entry in fs::read_dir(dir)? {
            let entry = entry?;
            if entry.file_type()?.is_file() {
                let data = fs::read(entry.path())?;
                let inode = Inode::new(Mutex::new(File { durable: data.clone(), cached: data, ..File::default() }));
                self.disk().names.insert(entry.file_name().to_string_lossy().into_owned(), vec![Some(inode)]);
            }
        }
        Ok(())
    }

    fn disk(&self) -> MutexGuard<'_, Disk> {
        lock(&self.shared)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn io_error() -> Error {
    Error::other("simulated I/O error")
}

/// Splitmix64: small, seedable and good enough to toss coins.
#[derive(Default)]
struct Rng(u64);

impl Rng {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % limit.max(1) as u64) as usize
    }
}

enum Change {
    Write(usize, Vec<u8>),
    Truncate(usize),
}

impl Change {
    /// Applies the change without the sectors that `lost` picks; a truncation cannot be torn.
    fn apply(&self, image: &mut Vec<u8>, mut lost: impl FnMut() -> bool) {
        let (mut at, mut data) = match self {
            Self::Write(at, data) => (*at, &data[..]),
            Self::Truncate(len) => return image.truncate(*len),
        };
        while !data.is_empty() {
            let (sector, rest) = data.split_at(data.len().min(SECTOR - at % SECTOR));
            let end = at + sector.len();
            if !lost() {
                image.resize(image.len().max(end), 0);
                image[at..end].copy_from_slice(sector);
            }
            (at, data) = (end, rest);
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// Waits for a sync.
    Dirty,
    /// A sync failed on it: readable, but no later sync will write it.
    Forsaken,
    /// Synced, but ordered after a forsaken change and so not yet part of the durable image.
    Synced,
}

#[derive(Default)]
struct File {
    durable: Vec<u8>,
    /// What processes read: the durable image with all changes applied.
    cached: Vec<u8>,
    changes: VecDeque<(Change, Fate)>,
    /// One lock holder at a time is enough: without shared memory, WAL works only exclusively.
    locked: bool,
}

type Inode = Arc<Mutex<File>>;

impl File {
    fn change(&mut self, change: Change) {
        change.apply(&mut self.cached, || false);
        self.changes.push_back((change, Fate::Dirty));
    }

    /// Decides over all changes that wait for a sync.
    fn settle(&mut self, decision: Fate) {
        for (_, fate) in self.changes.iter_mut().filter(|(_, fate)| *fate == Fate::Dirty) {
            *fate = decision;
        }
        while let Some((change, Fate::Synced)) = self.changes.front() {
            change.apply(&mut self.durable, || false);
            self.changes.pop_front();
        }
    }

    fn lose_power(&mut self, rng: &mut Rng) {
        // The odds differ per crash so that losing all and keeping all are both common.
        let odds = rng.below(5);
        for (change, fate) in take(&mut self.changes) {
            let whole = fate == Fate::Synced || odds == 4;
            if whole || rng.below(4) < odds {
                let torn = !whole && rng.below(3) == 0;
                change.apply(&mut self.durable, || torn && rng.below(2) == 0);
            }
        }
        self.cached.clone_from(&self.durable);
    }
}

#[derive(Default)]
struct Disk {
    /// The files each name stood for, oldest first: the first is durable, the last is current, and a crash falls back
    /// to any of them.
    names: BTreeMap<String, Vec<Option<Inode>>>,
    syncs: BTreeMap<String, u64>,
    script: Vec<(u64, Fault)>,
    operations: u64,
    capacity: Option<usize>,
    /// Power went off by script.
    off: bool,
    /// Handles opened in an earlier era are dead.
    era: u64,
    rng: Rng,
}

impl Disk {
    fn present(&self) -> impl Iterator<Item = (&String, &Inode)> {
        self.names.iter().filter_map(|(name, states)| Some((name, states.last()?.as_ref()?)))
    }

    fn find(&self, name: &str) -> Option<&Inode> {
        self.names.get(name)?.last()?.as_ref()
    }

    fn check_power(&self) -> Result<()> {
        if self.off { Err(io_error()) } else { Ok(()) }
    }

    /// Counts an operation and returns the fault that strikes it: a general one, or one of its `special` ones. Power
    /// goes off here, so that the caller only has to record what the operation would have done.
    fn begin(&mut self, special: &[Fault]) -> Option<Fault> {
        self.operations += 1;
        let now = self.operations;
        let strikes = |fault| matches!(fault, Fault::Crash | Fault::Eio) || special.contains(&fault);
        let index = self.script.iter().position(|(at, fault)| *at <= now && strikes(*fault));
        let fault = index.map(|index| self.script.remove(index).1);
        self.off = fault == Some(Fault::Crash);
        fault
    }

    /// How many bytes of a write fit; only growing a file takes space.
    fn room(&self, inode: &Inode, at: usize, len: usize) -> usize {
        let Some(capacity) = self.capacity else { return len };
        let used = self.present().map(|(_, inode)| lock(inode).cached.len()).sum();
        let end = lock(inode).cached.len() + capacity.saturating_sub(used);
        end.saturating_sub(at).min(len)
    }

    fn write(&mut self, inode: &Inode, at: usize, data: &[u8]) -> Result<()> {
        let fault = self.begin(&[Fault::Enospc, Fault::ShortWrite]);
        let stored = match fault {
            Some(Fault::Eio | Fault::Enospc) => 0,
            Some(Fault::ShortWrite) => self.rng.below(data.len()),
            _ => self.room(inode, at, data.len()),
        };
        lock(inode).change(Change::Write(at, data[..stored].to_vec()));
        match fault {
            Some(Fault::Eio | Fault::Crash) => Err(io_error()),
            // The VFS crate turns this kind into `SQLITE_FULL`.
            _ if stored < data.len() => Err(Error::new(ErrorKind::WriteZero, "simulated full disk")),
            _ => Ok(()),
        }
    }

    fn truncate(&mut self, inode: &Inode, len: usize) -> Result<()> {
        // SQLite only shrinks by truncating; growing is a size hint passed on by the VFS crate.
        if len >= lock(inode).cached.len() {
            return Ok(());
        }
        let fault = self.begin(&[]);
        if fault != Some(Fault::Eio) {
            lock(inode).change(Change::Truncate(len));
        }
        fault.map_or(Ok(()), |_| Err(io_error()))
    }

    fn sync(&mut self, inode: &Inode, name: &str) -> Result<()> {
        let fault = self.begin(&[Fault::SyncFails]);
        if fault == Some(Fault::SyncFails) {
            lock(inode).settle(Fate::Forsaken);
        }
        if fault.is_some() {
            return Err(io_error());
        }
        lock(inode).settle(Fate::Synced);
        // As in SQLite's own VFS, the first sync of a new file syncs its directory too.
        if self.names.get(name).is_some_and(|states| states.len() > 1) {
            self.names.values_mut().for_each(|states| *states = states.split_off(states.len() - 1));
        }
        *self.syncs.entry(name.to_owned()).or_default() += 1;
        Ok(())
    }

    fn create(&mut self, name: &str) -> Result<Inode> {
        if !matches!(self.begin(&[Fault::Enospc]), None | Some(Fault::Crash)) {
            return Err(io_error());
        }
        let inode = Inode::default();
        // Temporary files get no name, as if unlinked while open.
        if name != TEMPORARY {
            self.names.entry(name.to_owned()).or_insert_with(|| vec![None]).push(Some(inode.clone()));
        }
        self.check_power().map(|()| inode)
    }

    fn delete(&mut self, name: &str) -> Result<()> {
        let fault = self.begin(&[]);
        let states = self.names.get_mut(name).filter(|states| matches!(states.last(), Some(Some(_))));
        if fault != Some(Fault::Eio) {
            states.ok_or_else(io_error)?.push(None);
        }
        fault.map_or(Ok(()), |_| Err(io_error()))
    }

    fn lose_power(&mut self, rng: &mut Rng) {
        for states in self.names.values_mut() {
            let survivor = states.swap_remove(rng.below(states.len()));
            survivor.iter().for_each(|inode| lock(inode).lose_power(rng));
            *states = vec![survivor];
        }
    }

    fn restart(&mut self) {
        self.era += 1;
        self.off = false;
        self.present().for_each(|(_, inode)| lock(inode).locked = false);
    }
}

#[derive(Clone)]
struct Driver(Weak<Mutex<Disk>>);

impl Driver {
    fn with<T>(&self, act: impl FnOnce(&mut Disk) -> Result<T>) -> Result<T> {
        let shared = self.0.upgrade().ok_or_else(io_error)?;
        let mut disk = lock(&shared);
        disk.check_power()?;
        act(&mut disk)
    }
}

impl Vfs for Driver {
    type Handle = Handle;

    fn open(&self, name: &str, options: OpenOptions) -> Result<Handle> {
        self.with(|disk| {
            let inode = match (disk.find(name), options.access) {
                (Some(_), OpenAccess::CreateNew) => return Err(io_error()),
                (Some(inode), _) => inode.clone(),
                (None, OpenAccess::Create | OpenAccess::CreateNew) => disk.create(name)?,
                (None, _) => return Err(ErrorKind::NotFound.into()),
            };
            Ok(Handle { driver: self.clone(), name: name.to_owned(), inode, era: disk.era, locking: false })
        })
    }

    fn delete(&self, name: &str) -> Result<()> {
        if name == TEMPORARY {
            return Ok(());
        }
        // Of the codes the VFS crate has for a failed deletion, only the one for this kind is an I/O error.
        self.with(|disk| disk.delete(name)).map_err(|error| Error::new(ErrorKind::NotFound, error))
    }

    fn exists(&self, name: &str) -> Result<bool> {
        self.with(|disk| Ok(disk.find(name).is_some()))
    }

    fn temporary_name(&self) -> String {
        TEMPORARY.to_owned()
    }

    fn random(&self, buffer: &mut [i8]) {
        // SQLite seeds its generator from the default VFS and never asks this one.
        buffer.fill(0);
    }

    fn sleep(&self, duration: Duration) -> Duration {
        std::thread::sleep(duration);
        duration
    }

    fn full_pathname<'a>(&self, path: &'a str) -> Result<Cow<'a, str>> {
        Ok(path.rsplit('/').next().unwrap_or(path).into())
    }
}

struct Handle {
    driver: Driver,
    name: String,
    inode: Inode,
    era: u64,
    locking: bool,
}

impl Handle {
    /// Acts on the disk, unless it was restarted since this handle was opened.
    fn with<T>(&self, act: impl FnOnce(&mut Disk) -> Result<T>) -> Result<T> {
        self.driver.with(|disk| if disk.era == self.era { act(disk) } else { Err(io_error()) })
    }

    fn file(&self) -> Result<MutexGuard<'_, File>> {
        self.with(|_| Ok(lock(&self.inode)))
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        // Fails only where there is no lock left to release.
        let _ = self.lock(LockKind::None);
    }
}

impl DatabaseHandle for Handle {
    type WalIndex = WalDisabled;

    fn size(&self) -> Result<u64> {
        Ok(self.file()?.cached.len() as u64)
    }

    fn read_exact_at(&mut self, buffer: &mut [u8], offset: u64) -> Result<()> {
        let file = self.file()?;
        let rest = file.cached.get(offset as usize..).unwrap_or_default();
        let len = rest.len().min(buffer.len());
        buffer[..len].copy_from_slice(&rest[..len]);
        buffer[len..].fill(0);
        if len < buffer.len() { Err(ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
    }

    fn write_all_at(&mut self, data: &[u8], offset: u64) -> Result<()> {
        self.with(|disk| disk.write(&self.inode, offset as usize, data))
    }

    fn sync(&mut self, _data_only: bool) -> Result<()> {
        self.with(|disk| disk.sync(&self.inode, &self.name))
    }

    fn set_len(&mut self, size: u64) -> Result<()> {
        self.with(|disk| disk.truncate(&self.inode, size as usize))
    }

    fn lock(&mut self, wanted: LockKind) -> Result<bool> {
        let mut file = self.file()?;
        let granted = self.locking || !file.locked;
        if granted {
            file.locked = wanted != LockKind::None;
            drop(file);
            self.locking = wanted != LockKind::None;
        }
        Ok(granted || wanted == LockKind::None)
    }

    fn reserved(&mut self) -> Result<bool> {
        Ok(self.file()?.locked && !self.locking)
    }

    fn current_lock(&self) -> Result<LockKind> {
        Err(ErrorKind::Unsupported.into())
    }

    fn wal_index(&self, _readonly: bool) -> Result<WalDisabled> {
        Ok(WalDisabled)
    }
}
