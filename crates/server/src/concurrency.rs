//! How many calls run at a time and how many streams are open, and how many of them may be one key's.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use idetic_ops::{Error, Operation, Result, Rights};
use tokio::sync::{oneshot, watch};
use tokio::time::timeout;

/// Reads that run at a time, for each processor: more would only wait for each other.
const READS_PER_CPU: usize = 4;
/// Writes that run at a time: they wait for the disk together.
const WRITES: usize = 256;
/// Streams that are open at a time: agents, sockets, and logs that are followed.
const STREAMS: usize = 256;
/// How long a call waits for its permit before it is told to come again.
const WAIT_MAX: Duration = Duration::from_secs(20);
/// How long after its last call a key still counts as present, so that another does not take its share between two calls.
const PRESENT_FOR: Duration = Duration::from_secs(5);
/// Operations whose work grows with what the caller wrote, not with what is stored.
const LONG_OPERATIONS: [&str; 1] = ["query"];
/// Operations in which an agent reads the memory between two questions to its model.
pub const AGENT_OPERATIONS: [&str; 1] = ["ask"];

/// How much work a call may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// What is over in a moment.
    Short,
    /// Catching up for a stream, or a query in SQL: only a part of the reads may be such work.
    Long,
}

/// Limits on what runs at the same time.
pub struct Limiter {
    reads: Arc<Pool>,
    writes: Arc<Pool>,
    streams: Arc<Pool>,
}

/// Leave for one piece of work, given back when it is dropped.
pub struct Permit {
    pool: Arc<Pool>,
    key: Arc<str>,
    work: Work,
}

/// How many of one kind may run.
struct Pool {
    limits: Limits,
    clock: fn() -> Instant,
    state: Mutex<State>,
    running: watch::Sender<usize>,
}

/// How many, in all and for one key: of everything, and of what is long.
#[derive(Clone, Copy)]
struct Limits {
    total: usize,
    total_long: usize,
    /// While no other key is there.
    alone: Share,
    /// While another key is there.
    shared: Share,
}

#[derive(Clone, Copy)]
struct Share {
    all: usize,
    long: usize,
}

#[derive(Default)]
struct State {
    running: usize,
    long: usize,
    keys: HashMap<Arc<str>, Usage>,
    waiting: VecDeque<Waiting>,
}

struct Usage {
    running: usize,
    long: usize,
    /// Of each kind of work.
    waiting: [usize; 2],
    last: Instant,
}

struct Waiting {
    key: Arc<str>,
    work: Work,
    grant: oneshot::Sender<Permit>,
}

impl Limiter {
    /// Limits for this machine.
    pub fn new(clock: fn() -> Instant) -> Self {
        let cpus = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
        let pool = |limits| Arc::new(Pool { limits, clock, state: Mutex::default(), running: watch::Sender::new(0) });
        let three_quarters = |total: usize| (total * 3 / 4).max(1);
        let reads = READS_PER_CPU * cpus;
        let even = |total: usize| {
            let share = Share { all: three_quarters(total), long: three_quarters(total) };
            Limits { total, total_long: total, alone: share, shared: share }
        };
        Self {
            reads: pool(Limits {
                total: reads,
                total_long: (reads / 2).max(1),
                alone: Share { all: three_quarters(reads), long: cpus },
                // As many as there are processors to run them, and half of those with long work: whoever else comes finds
                // one free or soon free.
                shared: Share { all: cpus, long: (cpus / 2).max(1) },
            }),
            writes: pool(even(WRITES)),
            streams: pool(even(STREAMS)),
        }
    }

    /// Waits for leave to carry out an operation for a key.
    pub async fn enter(&self, operation: &Operation, key: &str) -> Result<Permit> {
        let work = if LONG_OPERATIONS.contains(&operation.name) { Work::Long } else { Work::Short };
        let pool = if operation.rights == Rights::Read { &self.reads } else { &self.writes };
        wait(pool, key, work).await
    }

    /// Waits for leave to do a piece of a stream's or an agent's work.
    pub async fn enter_long(&self, operation: &Operation, key: &str) -> Result<Permit> {
        let reads = operation.rights == Rights::Read || AGENT_OPERATIONS.contains(&operation.name);
        wait(if reads { &self.reads } else { &self.writes }, key, Work::Long).await
    }

    /// Leave to keep a stream open, if there is one now.
    pub fn stream(&self, key: &str) -> Option<Permit> {
        self.streams.try_take(key, Work::Short)
    }

    /// Waits until nothing runs any more.
    pub async fn idle(&self) {
        for pool in [&self.reads, &self.writes, &self.streams] {
            // The sender is here, so the channel is never closed.
            let _ = pool.running.subscribe().wait_for(|running| *running == 0).await;
        }
    }
}

async fn wait(pool: &Arc<Pool>, key: &str, work: Work) -> Result<Permit> {
    let busy = || Error::unavailable("the server is busy: too many calls are running").hint("try again in a moment");
    timeout(WAIT_MAX, pool.take(key, work)).await.ok().flatten().ok_or_else(busy)
}

impl Pool {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn try_take(self: &Arc<Self>, key: &str, work: Work) -> Option<Permit> {
        let (key, mut state) = (Arc::from(key), self.state());
        let now = (self.clock)();
        state.is_seen(&key, now);
        state.may_run(&key, work, &self.limits, now).then(|| self.begin(&mut state, &key, work))
    }

    async fn take(self: &Arc<Self>, key: &str, work: Work) -> Option<Permit> {
        let key: Arc<str> = Arc::from(key);
        let granted = {
            let (mut state, now) = (self.state(), (self.clock)());
            state.is_seen(&key, now);
            let is_next = state.keys.get(&key).is_none_or(|usage| usage.waiting[work as usize] == 0);
            if is_next && state.may_run(&key, work, &self.limits, now) {
                return Some(self.begin(&mut state, &key, work));
            }
            if let Some(usage) = state.keys.get_mut(&key) {
                usage.waiting[work as usize] += 1;
            }
            let (grant, granted) = oneshot::channel();
            state.waiting.push_back(Waiting { key, work, grant });
            granted
        };
        // Dropped before its turn, it is passed over; dropped after, the permit goes back by itself.
        granted.await.ok()
    }

    fn begin(self: &Arc<Self>, state: &mut State, key: &Arc<str>, work: Work) -> Permit {
        let is_long = usize::from(work == Work::Long);
        state.running += 1;
        state.long += is_long;
        if let Some(usage) = state.keys.get_mut(key) {
            usage.running += 1;
            usage.long += is_long;
        }
        self.running.send_replace(state.running);
        Permit { pool: Arc::clone(self), key: Arc::clone(key), work }
    }

    fn end(self: &Arc<Self>, key: &Arc<str>, work: Work) {
        let (mut state, now) = (self.state(), (self.clock)());
        let is_long = usize::from(work == Work::Long);
        state.running -= 1;
        state.long -= is_long;
        if let Some(usage) = state.keys.get_mut(key) {
            usage.running -= 1;
            usage.long -= is_long;
        }
        state.keys.retain(|_, usage| usage.is_present(now));
        let mut granted = Vec::new();
        while let Some(at) = state.next(&self.limits, now) {
            let Some(waiting) = state.waiting.remove(at) else { break };
            if let Some(usage) = state.keys.get_mut(&waiting.key) {
                usage.waiting[waiting.work as usize] -= 1;
                usage.last = now;
            }
            if !waiting.grant.is_closed() {
                granted.push((self.begin(&mut state, &waiting.key, waiting.work), waiting.grant));
            }
        }
        self.running.send_replace(state.running);
        drop(state);
        // Whoever went away meanwhile gives it back, and the next one's turn comes.
        for (permit, grant) in granted {
            let _ = grant.send(permit);
        }
    }
}

impl Usage {
    fn is_present(&self, now: Instant) -> bool {
        self.running > 0 || self.waiting != [0, 0] || now.saturating_duration_since(self.last) < PRESENT_FOR
    }
}

impl State {
    fn is_seen(&mut self, key: &Arc<str>, now: Instant) {
        let usage =
            self.keys.entry(Arc::clone(key)).or_insert(Usage { running: 0, long: 0, waiting: [0, 0], last: now });
        usage.last = now;
    }

    fn may_run(&self, key: &Arc<str>, work: Work, limits: &Limits, now: Instant) -> bool {
        let is_alone = self.keys.iter().all(|(other, usage)| other == key || !usage.is_present(now));
        let share = if is_alone { limits.alone } else { limits.shared };
        let Some(own) = self.keys.get(key) else { return false };
        let has_room = self.running < limits.total && own.running < share.all;
        has_room && (work == Work::Short || (self.long < limits.total_long && own.long < share.long))
    }

    /// Whose turn it is: of those that may run, the key with the least running, and of its calls the oldest.
    fn next(&self, limits: &Limits, now: Instant) -> Option<usize> {
        if self.running >= limits.total {
            return None;
        }
        let mut looked_at: HashMap<(&Arc<str>, bool), ()> = HashMap::new();
        let mut best: Option<(usize, usize)> = None;
        for (at, waiting) in self.waiting.iter().enumerate() {
            // Only the first call of a key of each kind of work can be next.
            if looked_at.insert((&waiting.key, waiting.work == Work::Long), ()).is_some() {
                continue;
            }
            let running = self.keys.get(&waiting.key).map_or(0, |usage| usage.running);
            if best.is_none_or(|(least, _)| running < least) && self.may_run(&waiting.key, waiting.work, limits, now) {
                best = Some((running, at));
            }
        }
        best.map(|(_, at)| at)
    }
}

impl Permit {
    /// Whether it is for work that may take long.
    pub fn is_long(&self) -> bool {
        self.work == Work::Long
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.pool.end(&self.key, self.work);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pool() -> Arc<Pool> {
        let limits =
            Limits { total: 8, total_long: 4, alone: Share { all: 6, long: 2 }, shared: Share { all: 2, long: 1 } };
        Arc::new(Pool { limits, clock: Instant::now, state: Mutex::default(), running: watch::Sender::new(0) })
    }

    fn count(pool: &Arc<Pool>, key: &str, work: Work) -> Vec<Permit> {
        std::iter::from_fn(|| pool.try_take(key, work)).collect()
    }

    #[test]
    fn a_key_has_less_where_another_is_there_and_long_work_less_still() {
        let pool = pool();
        assert_eq!(count(&pool, "a", Work::Short).len(), 6, "alone");
        let held = count(&pool, "b", Work::Short);
        assert_eq!(held.len(), 2, "beside another");
        drop(held);
        assert_eq!(count(&pool, "a", Work::Short).len(), 2, "the other was there a moment ago");
        assert_eq!(count(&pool, "a", Work::Long).len(), 1);
    }

    #[tokio::test]
    async fn whoever_has_least_running_is_next_and_nobody_is_forgotten() {
        let pool = pool();
        let _seen = pool.try_take("b", Work::Short);
        let mut held = count(&pool, "a", Work::Short);
        let waiting: Vec<_> = (0..20)
            .map(|_| {
                let pool = Arc::clone(&pool);
                tokio::spawn(async move { pool.take("a", Work::Short).await.map(drop) })
            })
            .collect();
        tokio::task::yield_now().await;
        assert!(pool.take("c", Work::Short).await.is_some(), "another key does not wait behind them");
        held.clear();
        for one in waiting {
            one.await.expect("it ends").expect("each has its turn");
        }
        assert_eq!(pool.state().running, 1);
    }

    #[tokio::test]
    async fn what_is_short_does_not_wait_behind_what_is_long() {
        let pool = pool();
        let _seen = pool.try_take("b", Work::Short);
        let _long = count(&pool, "a", Work::Long);
        let waiting = tokio::spawn({
            let pool = Arc::clone(&pool);
            async move { pool.take("a", Work::Long).await.map(drop) }
        });
        tokio::task::yield_now().await;
        let short = timeout(Duration::from_secs(5), pool.take("a", Work::Short)).await;
        assert!(short.is_ok_and(|permit| permit.is_some()));
        waiting.abort();
    }

    #[tokio::test]
    async fn whoever_stops_waiting_leaves_its_turn_to_the_next() {
        let pool = pool();
        let _seen = pool.try_take("b", Work::Short);
        let held = count(&pool, "a", Work::Short);
        let impatient = timeout(Duration::from_millis(10), pool.take("a", Work::Short)).await;
        assert!(impatient.is_err());
        let next = tokio::spawn({
            let pool = Arc::clone(&pool);
            async move { pool.take("a", Work::Short).await.map(drop) }
        });
        tokio::task::yield_now().await;
        drop(held);
        next.await.expect("it ends").expect("its turn");
    }
}
