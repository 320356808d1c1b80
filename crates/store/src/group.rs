//! Group commit: whoever comes first commits for all who are waiting.

use std::collections::HashMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The longest the leader waits for those who were in the last group and have just been answered.
const GATHER: Duration = Duration::from_micros(500);

/// A queue of items that are committed together by one of the threads that brought them.
pub struct Group<T, R> {
    state: Mutex<State<T, R>>,
    answered: Condvar,
    arrived: Condvar,
}

struct State<T, R> {
    waiting: Vec<(u64, T)>,
    answers: HashMap<u64, R>,
    next_ticket: u64,
    leading: bool,
    /// Threads that sleep until they are answered.
    sleeping: usize,
    last_size: usize,
}

impl<T, R> Default for Group<T, R> {
    fn default() -> Self {
        let state = State {
            waiting: Vec::new(),
            answers: HashMap::new(),
            next_ticket: 0,
            leading: false,
            sleeping: 0,
            last_size: 0,
        };
        Self { state: Mutex::new(state), answered: Condvar::new(), arrived: Condvar::new() }
    }
}

impl<T, R> Group<T, R> {
    /// Hands in an item and waits for its answer. `commit` answers a whole group, in order; it runs in one thread at a
    /// time, in the thread of whoever leads.
    pub fn submit(&self, item: T, commit: impl FnOnce(Vec<T>) -> Vec<R>) -> R {
        let mut state = self.lock();
        let ticket = state.next_ticket;
        state.next_ticket += 1;
        state.waiting.push((ticket, item));
        // To wake somebody is a system call, also where nobody sleeps: a lone writer makes none.
        if state.leading {
            self.arrived.notify_one();
        }
        loop {
            if let Some(answer) = state.answers.remove(&ticket) {
                return answer;
            }
            if !state.leading {
                break;
            }
            state.sleeping += 1;
            state = self.answered.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.sleeping -= 1;
        }
        self.lead(state, ticket, commit)
    }

    fn lead(&self, mut state: MutexGuard<'_, State<T, R>>, own: u64, commit: impl FnOnce(Vec<T>) -> Vec<R>) -> R {
        state.leading = true;
        // A lone writer never waits: only where the last commit was shared are its sharers given time to come back.
        let worth_waiting_for = state.last_size * 3 / 4;
        let (mut state, _) = self
            .arrived
            .wait_timeout_while(state, GATHER, |s| s.waiting.len() < worth_waiting_for)
            .unwrap_or_else(PoisonError::into_inner);
        let (tickets, items): (Vec<u64>, Vec<T>) = state.waiting.drain(..).unzip();
        state.last_size = tickets.len();
        drop(state);
        let stepping_down = StepDown(self);
        let mut own_answer = None;
        let answers = commit(items);
        let mut state = self.lock();
        for (ticket, answer) in tickets.into_iter().zip(answers) {
            if ticket == own {
                own_answer = Some(answer);
            } else {
                state.answers.insert(ticket, answer);
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

/// Gives up the lead even when a commit panics, so that the others do not wait for ever.
struct StepDown<'a, T, R>(&'a Group<T, R>);

impl<T, R> Drop for StepDown<'_, T, R> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.leading = false;
        if state.sleeping > 0 {
            self.0.answered.notify_all();
        }
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
        std::thread::scope(|scope| {
            for thread in 0..64 {
                let (group, commits) = (&group, &commits);
                scope.spawn(move || {
                    for round in 0..50 {
                        let item = thread * 1000 + round;
                        let answer = group.submit(item, |items| {
                            commits.fetch_add(1, Ordering::Relaxed);
                            std::thread::sleep(Duration::from_micros(100));
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
}
