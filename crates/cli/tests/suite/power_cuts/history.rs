//! What writers tried and were told, and whether a log can be what came of it.

use std::collections::{HashMap, HashSet};
use std::time::SystemTime;

use serde_json::Value;

/// Every id of ours begins so: a door may append events of its own besides.
pub const PREFIX: &str = "cut-";

/// One event that a writer handed in.
#[derive(Debug, Clone)]
pub struct Attempt {
    pub id: String,
    pub content: String,
    /// The head it expected.
    pub expect: Option<u64>,
    pub outcome: Outcome,
    /// When it was told.
    pub told: SystemTime,
}

/// What the writer was told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It is on disk, under this number.
    Acknowledged(u64),
    /// It was refused: it is nowhere.
    Refused,
    /// Nothing: it may be there or not.
    Unknown,
}

/// All that several writers tried, each in its order.
#[derive(Debug, Default)]
pub struct History {
    writers: Vec<Vec<Attempt>>,
}

impl History {
    pub fn of(writers: Vec<Vec<Attempt>>) -> Self {
        Self { writers }
    }

    /// Adds what the same writers tried later.
    pub fn extend(&mut self, later: Self) {
        self.writers.resize_with(self.writers.len().max(later.writers.len()), Vec::new);
        self.writers.iter_mut().zip(later.writers).for_each(|(all, more)| all.extend(more));
    }

    /// What was told once the power was gone counts for nothing: a system that is being shut down may say that a flush
    /// succeeded which it gave up, and nobody hears of it from a machine without power.
    pub fn forget_what_was_told_after(&mut self, cut: SystemTime) {
        for attempt in self.writers.iter_mut().flatten().filter(|attempt| attempt.told >= cut) {
            attempt.outcome = Outcome::Unknown;
        }
    }

    pub fn acknowledged(&self) -> usize {
        let attempts = self.writers.iter().flatten();
        attempts.filter(|attempt| matches!(attempt.outcome, Outcome::Acknowledged(_))).count()
    }

    /// Holds the events of a log, in its order, against it. What was handed in and not answered yet may be there or not.
    pub fn check(&self, unanswered: &[Attempt], events: &[Value]) -> Result<(), String> {
        let mut there: HashMap<&str, (u64, &str)> = HashMap::new();
        for (event, number) in events.iter().zip(1..) {
            let (seq, id) = (event["seq"].as_u64(), event["id"].as_str().unwrap_or_default());
            if seq != Some(number) {
                return Err(format!("event {number} has the number {seq:?}"));
            }
            if there.insert(id, (number, event["content"].as_str().unwrap_or_default())).is_some() {
                return Err(format!("{id} is there twice"));
            }
        }
        let mut sent: HashSet<&str> = unanswered.iter().map(|attempt| attempt.id.as_str()).collect();
        unanswered.iter().try_for_each(|attempt| check_one(attempt, there.get(attempt.id.as_str()).copied()))?;
        for attempts in &self.writers {
            let mut before = 0;
            for attempt in attempts {
                sent.insert(attempt.id.as_str());
                let found = there.get(attempt.id.as_str()).copied();
                check_one(attempt, found)?;
                if let Outcome::Acknowledged(seq) = attempt.outcome {
                    if seq <= before {
                        return Err(format!("{attempt:?} was acknowledged after event {before} of the same writer"));
                    }
                    before = seq;
                }
            }
        }
        match there.keys().find(|id| id.starts_with(PREFIX) && !sent.contains(*id)) {
            Some(id) => Err(format!("{id} was never handed in")),
            None => Ok(()),
        }
    }
}

fn check_one(attempt: &Attempt, found: Option<(u64, &str)>) -> Result<(), String> {
    match (attempt.outcome, found) {
        (Outcome::Acknowledged(_), None) => Err(format!("{attempt:?} is lost")),
        (Outcome::Refused, Some(_)) => Err(format!("{attempt:?} is there in spite of that")),
        (Outcome::Acknowledged(seq), Some((at, _))) if seq != at => Err(format!("{attempt:?} is event {at}")),
        (_, Some((_, said))) if said != attempt.content => Err(format!("{attempt:?} says {said:?}")),
        (_, Some((at, _))) if attempt.expect.is_some_and(|head| at != head + 1) => {
            Err(format!("{attempt:?} is event {at}, behind another head than it expected"))
        }
        _ => Ok(()),
    }
}

/// A checker that finds nothing proves nothing.
#[test]
fn the_checker_finds_every_kind_of_loss() {
    let attempt = |id: &str, expect, outcome| Attempt {
        id: format!("{PREFIX}{id}"),
        content: id.to_owned(),
        expect,
        outcome,
        told: SystemTime::UNIX_EPOCH,
    };
    let history = || {
        History::of(vec![
            vec![attempt("a", None, Outcome::Acknowledged(1)), attempt("b", None, Outcome::Acknowledged(3))],
            vec![attempt("c", Some(1), Outcome::Acknowledged(2)), attempt("d", Some(1), Outcome::Refused)],
            vec![attempt("e", None, Outcome::Unknown)],
        ])
    };
    let log = |ids: &[&str]| -> Vec<Value> {
        let event = |(id, seq): (&&str, u64)| serde_json::json!({"seq": seq, "id": format!("{PREFIX}{id}"), "content": id.trim_end_matches('!')});
        ids.iter().zip(1..).map(event).collect()
    };
    for good in [&["a", "c", "b"][..], &["a", "c", "b", "e"]] {
        assert_eq!(history().check(&[], &log(good)), Ok(()), "{good:?}");
    }
    for (bad, why) in [
        (&["a", "c"][..], "is lost"),
        (&["a", "c", "b", "b"], "twice"),
        (&["c", "a", "b"], "is event"),
        (&["a", "c", "b", "d"], "in spite of that"),
        (&["a", "c", "b", "x"], "never handed in"),
    ] {
        let said = history().check(&[], &log(bad)).expect_err("it is wrong");
        assert!(said.contains(why), "{bad:?}: {said}");
    }
    let mut other = log(&["a", "c", "b", "e"]);
    other[3]["content"] = "something else".into();
    assert!(history().check(&[], &other).is_err_and(|said| said.contains("says")));
    let turned = History::of(vec![vec![
        attempt("b", None, Outcome::Acknowledged(3)),
        attempt("a", None, Outcome::Acknowledged(1)),
    ]]);
    assert!(turned.check(&[], &log(&["a", "x", "b"])).is_err());
    let behind = History::of(vec![vec![attempt("a", Some(1), Outcome::Acknowledged(1))]]);
    assert!(behind.check(&[], &log(&["a"])).is_err_and(|said| said.contains("another head")));
}
