//! Erasing what has expired: readers leave it out at once, its content goes when there is time.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use idetic_ops::core::SpaceName;
use idetic_ops::purge::PurgeJournal;
use idetic_ops::{Memory, Purged, Result, Space, erase_expired};

use super::Upkeep;
use crate::background;

/// How often the open spaces are looked at.
const POLL: Duration = Duration::from_secs(60);
/// How long a space is left alone after erasing was tried there: everything derived from its log is rebuilt.
const PAUSE: Duration = Duration::from_secs(3600);

/// What erases in a space.
type Erase<'a> = &'a dyn Fn(&Memory, &Arc<Space>) -> Result<Option<Purged>>;

/// Erases what has expired in the open spaces, for as long as the server runs.
pub async fn erase(memory: Arc<Memory>, clock: fn() -> Instant, upkeep: Arc<Upkeep>) {
    let mut tried = HashMap::new();
    loop {
        let (memory, counted, before) = (Arc::clone(&memory), Arc::clone(&upkeep), tried.clone());
        let erase = |memory: &Memory, space: &Arc<Space>| erase_expired(memory, space, &mut |_, _| {});
        let pass = move || erase_once(&memory, clock(), before, &counted, &erase);
        match background::run(background::LONG_WORK, pass).await {
            Ok(after) => tried = after,
            // Without a thread nothing was tried: the next look may have one.
            Err(fault) => {
                tracing::error!(target: "idetic::expired", "a defect stopped it: {}", background::reason(&fault));
            }
        }
        tokio::time::sleep(POLL).await;
    }
}

/// One look at every open space; gives when erasing was last tried in each.
fn erase_once(
    memory: &Memory,
    now: Instant,
    mut tried: HashMap<SpaceName, Instant>,
    upkeep: &Upkeep,
    erase: Erase,
) -> HashMap<SpaceName, Instant> {
    let mut waiting = 0;
    tried.retain(|_, at| now.duration_since(*at) < PAUSE);
    for space in memory.open_spaces() {
        let (name, mut look) = (space.name().clone(), Look::default());
        let is_left_alone = tried.contains_key(&name);
        let looked = catch_unwind(AssertUnwindSafe(|| look.at(memory, &space, is_left_alone, erase)));
        match looked {
            Ok(Ok(())) => {}
            Ok(Err(error)) if look.is_tried => {
                tracing::warn!(target: "idetic::expired", space = %name, "{}", error.message);
            }
            // What cannot be read now is tried again.
            Ok(Err(_)) => {}
            Err(_) if is_left_alone => {}
            // The other spaces have nothing to do with it.
            Err(fault) => {
                look.is_tried = true;
                let why = background::reason(&fault);
                tracing::error!(target: "idetic::expired", space = %name, "a defect stopped it: {why}");
            }
        }
        if look.is_tried {
            tried.insert(name, now);
        }
        waiting += look.waiting;
        upkeep.erased.fetch_add(look.erased, Ordering::Relaxed);
    }
    upkeep.expired.store(waiting, Ordering::Relaxed);
    tried
}

/// What one look at a space came to, as far as it got.
#[derive(Default)]
struct Look {
    waiting: u64,
    erased: u64,
    /// Whether erasing was tried, also where it failed: it may be half done, and every try derives everything again.
    is_tried: bool,
}

impl Look {
    fn at(&mut self, memory: &Memory, space: &Arc<Space>, is_left_alone: bool, erase: Erase) -> Result<()> {
        self.waiting = space.erasable(space.horizon(None)?)?.len() as u64;
        // Of what was stopped half way nothing has expired any more, and yet it is to be finished.
        if is_left_alone || self.waiting == 0 && !PurgeJournal::is_there(space) {
            return Ok(());
        }
        self.is_tried = true;
        if let Some(done) = erase(memory, space)? {
            (self.waiting, self.erased) = (0, done.count as u64);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::sync::atomic::AtomicU64;

    use idetic_ops::core::{Record, Time};
    use idetic_ops::purge::receipt;
    use idetic_ops::{Env, Error};
    use tempfile::TempDir;

    use super::*;

    /// A home with two spaces, in each of which something has expired.
    fn home() -> (TempDir, Memory) {
        let (folder, count) = (TempDir::new().expect("a folder"), AtomicU64::new(1));
        Memory::init(folder.path()).expect("a home");
        let random = move |bytes: &mut [u8]| {
            let next = count.fetch_add(1, Ordering::Relaxed).wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes();
            bytes.iter_mut().zip(next.iter().cycle()).for_each(|(byte, next)| *byte = *next);
        };
        let memory = Memory::open(folder.path(), Env::new(|| Time(1_735_732_800_000_000), random)).expect("it opens");
        for name in ["local/a", "local/b"] {
            let body = br#"{"kind":"user_input","content":"over","expires_at":"2020-01-01T00:00:00Z"}"#;
            let space = memory.space_or_new(&SpaceName::parse(name).expect("a name")).expect("a space");
            space.append(vec![Record::parse(body).expect("a record")], None).expect("appended");
        }
        (folder, memory)
    }

    #[test]
    fn a_defect_in_one_space_leaves_it_alone_for_a_while_and_the_others_go_on() {
        let ((_folder, memory), upkeep, now) = (home(), Upkeep::default(), Instant::now());
        let tries = Mutex::new(Vec::new());
        let erase = |memory: &Memory, space: &Arc<Space>| {
            tries.lock().expect("not poisoned").push(space.name().to_string());
            assert_ne!(space.name().to_string(), "local/a", "a defect");
            erase_expired(memory, space, &mut |_, _| {})
        };
        let tried = erase_once(&memory, now, HashMap::new(), &upkeep, &erase);
        assert_eq!((tried.len(), upkeep.expired()), (2, (1, 1)), "the other one's was erased");
        let tried = erase_once(&memory, now + PAUSE / 2, tried, &upkeep, &erase);
        assert_eq!(tries.lock().expect("not poisoned").len(), 2, "it is left alone");
        erase_once(&memory, now + PAUSE, tried, &upkeep, &erase);
        assert_eq!(tries.lock().expect("not poisoned").last().map(String::as_str), Some("local/a"), "and tried again");
    }

    #[test]
    fn what_was_stopped_half_way_is_gone_on_with_though_nothing_waits() {
        let ((_folder, memory), upkeep, now) = (home(), Upkeep::default(), Instant::now());
        let all = |memory: &Memory, space: &Arc<Space>| erase_expired(memory, space, &mut |_, _| {});
        erase_once(&memory, now, HashMap::new(), &upkeep, &all);
        let space = memory.space(&SpaceName::parse("local/a").expect("a name")).expect("a space");
        let stopped = receipt(memory.env(), &[1], None).expect("a receipt");
        PurgeJournal::new(&space, &[], stopped).expect("a journal").save(&space).expect("written");
        let fails = |_: &Memory, space: &Arc<Space>| Err(Error::unavailable(space.name().to_string()));
        let tried = erase_once(&memory, now, HashMap::new(), &upkeep, &fails);
        assert_eq!(tried.keys().map(ToString::to_string).collect::<Vec<_>>(), ["local/a"]);
        erase_once(&memory, now + PAUSE, tried, &upkeep, &all);
        assert!(!PurgeJournal::is_there(&space), "it is finished");
    }
}
