//! Group commit: whoever comes first commits for all who are waiting.

use std::collections::HashMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Thread};
use std::time::Duration;

/// How long the leader waits for the next of those who are known to write: whoever was just answered needs a moment to come
/// back, over a network a longer one. Once nobody came for so long, nobody is waited for.
const GATHER: Duration = Duration::from_millis(1);
/// So many are enough: while these are flushed the others come back, which would else happen while nothing is flushed.
const ENOUGH: usize = 24;

/// A queue of items that are committed together by one of the threads that brought them.
pub struct Group<T, R> {
    state: Mutex<State<T, R>>,
    arrived: Condvar,
}

struct State<T, R> {
    waiting: Vec<Waiting<T>>,
    /// None for whoever was in a group whose commit failed altogether.
    answers: HashMap<u64, Option<R>>,
    next_ticket: u64,
    leading: bool,
    /// How many there were last time: those of the last group, and those who came meanwhile.
    known: usize,
}

/// An item, and who brought it.
struct Waiting<T> {
    ticket: u64,
    thread: Thread,
    item: T,
}

impl<T, R> Default for Group<T, R> {
    fn default() -> Self {
        let (waiting, answers) = (Vec::new(), HashMap::new());
        let state = State { waiting, answers, next_ticket: 0, leading: false, known: 0 };
        Self { state: Mutex::new(state), arrived: Condvar::new() }
    }
}

impl<T, R> Group<T, R> {
    /// Hands in an item and waits for its answer. `commit` answers a whole group, in order; it runs in one thread at a
    /// time, in the thread of whoever leads.
    pub fn submit(&self, item: T, commit: impl FnOnce(Vec<T>) -> Vec<R>) -> R {
        let mut state = self.lock();
        let ticket = state.next_ticket;
        state.next_ticket += 1;
        state.waiting.push(Waiting { ticket, thread: thread::current(), item });
        // To wake somebody is a system call, also where nobody sleeps: a lone writer makes none.
        if state.leading {
            self.arrived.notify_one();
        }
        loop {
            if let Some(answer) = state.answers.remove(&ticket) {
                return answer.expect("a commit answers every item of its group");
            }
            if !state.leading {
                break;
            }
            drop(state);
            // Woken by whoever answers it, or to lead.
            thread::park();
            state = self.lock();
        }
        self.lead(state, ticket, commit)
    }

    fn lead(&self, mut state: MutexGuard<'_, State<T, R>>, own: u64, commit: impl FnOnce(Vec<T>) -> Vec<R>) -> R {
        state.leading = true;
        // A lone writer never waits: only where there were several are all but the slowest given time to come back.
        let worth_waiting_for = state.known.saturating_sub(1).min(ENOUGH);
        let mut patience = GATHER;
        while state.waiting.len() < worth_waiting_for {
            let before = state.waiting.len();
            let (back, _) = self.arrived.wait_timeout(state, patience).unwrap_or_else(PoisonError::into_inner);
            state = back;
            if state.waiting.len() == before {
                break;
            }
            // A little less each time, so that there is an end to it.
            patience = patience * 7 / 8;
        }
        let (mut members, mut items) = (Vec::new(), Vec::new());
        for Waiting { ticket, thread, item } in state.waiting.drain(..) {
            members.push((ticket, thread));
            items.push(item);
        }
        drop(state);
        let stepping_down = StepDown { group: self, members, own };
        let answers = commit(items);
        let mut own_answer = None;
        let mut state = self.lock();
        state.known = stepping_down.members.len() + state.waiting.len();
        for ((ticket, _), answer) in stepping_down.members.iter().zip(answers) {
            if *ticket == own {
                own_answer = Some(answer);
            } else {
                state.answers.insert(*ticket, Some(answer));
            }
        }
        drop(state);
        drop(stepping_down);
        own_answer.expect("a commit answers every item of its group")
    }

    fn lock(&self) -> MutexGuard<'_, State<T, R>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Gives up the lead even when a commit panics, so that the others do not wait for ever. Only those are woken who have
/// something to do: the members, and one who leads next.
struct StepDown<'a, T, R> {
    group: &'a Group<T, R>,
    members: Vec<(u64, Thread)>,
    own: u64,
}

impl<T, R> Drop for StepDown<'_, T, R> {
    fn drop(&mut self) {
        let mut state = self.group.lock();
        state.leading = false;
        if thread::panicking() {
            let left = self.members.iter().filter(|(ticket, _)| *ticket != self.own);
            state.answers.extend(left.map(|(ticket, _)| (*ticket, None)));
        }
        let next = state.waiting.first().map(|waiting| waiting.thread.clone());
        drop(state);
        let others = self.members.iter().filter(|(ticket, _)| *ticket != self.own).map(|(_, thread)| thread);
        next.iter().chain(others).for_each(Thread::unpark);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn everyone_gets_their_own_answer_and_few_commits_serve_many() {
        let group = Group::<usize, usize>::default();
        let commits = AtomicUsize::new(0);
        thread::scope(|scope| {
            for thread in 0..64 {
                let (group, commits) = (&group, &commits);
                scope.spawn(move || {
                    for round in 0..50 {
                        let item = thread * 1000 + round;
                        let answer = group.submit(item, |items| {
                            commits.fetch_add(1, Ordering::Relaxed);
                            thread::sleep(Duration::from_micros(100));
                            items.into_iter().map(|i| i * 2).collect()
                        });
                        assert_eq!(answer, item * 2);
                    }
                });
            }
        });
        let commits = commits.into_inner();
        assert!(commits <= 3200 / 10, "{commits} commits for 3200 items");
    }

    #[test]
    fn whoever_comes_back_over_a_network_shares_the_next_commit() {
        const THREADS: usize = 64;
        const ROUNDS: usize = 20;
        let (group, sizes) = (Group::<usize, usize>::default(), Mutex::new(Vec::new()));
        thread::scope(|scope| {
            for thread in 0..THREADS {
                let (group, sizes) = (&group, &sizes);
                scope.spawn(move || {
                    for _ in 0..ROUNDS {
                        // The way to the client and back.
                        thread::sleep(Duration::from_micros(300 + 10 * thread as u64));
                        group.submit(thread, |items| {
                            sizes.lock().unwrap_or_else(PoisonError::into_inner).push(items.len());
                            thread::sleep(Duration::from_micros(100));
                            items
                        });
                    }
                });
            }
        });
        let sizes = sizes.into_inner().unwrap_or_else(PoisonError::into_inner);
        assert!(sizes.len() <= 5 * ROUNDS, "{sizes:?}");
    }

    #[test]
    fn nobody_waits_for_a_commit_that_failed() {
        let group = Group::<usize, usize>::default();
        let failed = AtomicUsize::new(0);
        thread::scope(|scope| {
            for item in 0..8 {
                let (group, failed) = (&group, &failed);
                scope.spawn(move || {
                    let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                        group.submit(item, |items| {
                            thread::sleep(Duration::from_millis(20));
                            assert!(items.len() < 2, "a commit of many fails");
                            items
                        })
                    }));
                    failed.fetch_add(usize::from(done.is_err()), Ordering::Relaxed);
                });
            }
        });
        assert!(failed.into_inner() >= 2);
        assert_eq!(group.submit(9, |items| items), 9, "and it goes on");
    }
}
