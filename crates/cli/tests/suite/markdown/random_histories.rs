//! Random histories of several clones with branches, merges, rebases, edits and deletions by hand, all through git: every
//! event is there once, all clones end with the same graph and context, and whatever was tampered with is named.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::panic::catch_unwind;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use serde_json::Value;

use crate::suite::markdown::{CONTEXT, GRAPH, LOG, Project, block, clock};
use crate::suite::place::{Place, is_long_run, json_lines, one, say};
use crate::suite::random::Random;

const STEPS: u64 = 14;
/// Histories at once.
const WORKERS: usize = 3;

/// The seeds of the histories; `IDETIC_HISTORY=49` is that one alone, `IDETIC_HISTORY=200..400` are others.
fn histories() -> Range<u64> {
    let Ok(asked) = std::env::var("IDETIC_HISTORY") else { return 0..if is_long_run() { 200 } else { 12 } };
    let seed = |text: &str| text.parse::<u64>().expect("IDETIC_HISTORY is SEED or SEED..SEED");
    asked.split_once("..").map_or_else(|| seed(&asked)..seed(&asked) + 1, |(start, end)| seed(start)..seed(end))
}

/// What should be there in the end.
#[derive(Default)]
struct Wanted {
    /// Every summary.
    said: BTreeSet<String>,
    /// Those that were edited, with what they say since.
    edited: BTreeMap<String, String>,
    /// Those that were deleted.
    deleted: BTreeSet<String>,
}

struct History<'p> {
    clones: Vec<Project<'p>>,
    chance: Random,
    wanted: Wanted,
    next: usize,
}

impl<'p> History<'p> {
    fn new(place: &'p Place, seed: u64) -> Self {
        let mut chance = Random::new(seed);
        let first = Project::in_git(place, "clone-0");
        let origin = place.path("origin.git");
        let origin = origin.to_str().expect("temporary folders have plain names");
        first.git(&["clone", "--quiet", "--bare", ".", origin]);
        first.git(&["remote", "add", "origin", origin]);
        first.git(&["fetch", "--quiet", "origin"]);
        first.git(&["branch", "--quiet", "--set-upstream-to", "origin/main"]);
        let mut clones = vec![first];
        for number in 1..2 + chance.below(3) {
            let clone = Project::bare(place, &format!("clone-{number}"));
            clone.git(&["clone", "--quiet", origin, "."]);
            clone.name_committer();
            clone.ok(&["md", "init"]);
            clones.push(clone);
        }
        Self { clones, chance, wanted: Wanted::default(), next: 0 }
    }

    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.chance.below(bound as u64)).expect("a small number")
    }

    fn commit(&self, at: usize, message: &str) {
        self.clones[at].git(&["add", "--all"]);
        self.clones[at].git(&["commit", "--quiet", "--allow-empty", "--no-verify", "-m", message]);
    }

    /// A new event, by the program or by hand.
    fn append(&mut self, at: usize) {
        self.next += 1;
        let mut summary = format!("Work item {} was done by clone {at}", self.next);
        let events = self.clones[at].told();
        let refers = !events.is_empty() && self.chance.one_in(2);
        let other = if refers { events[self.below(events.len())].number } else { 0 };
        if refers && self.chance.one_in(2) {
            summary = format!("{summary} because of evt-{other:03}");
        }
        let project = &self.clones[at];
        if self.chance.one_in(3) {
            let number = events.iter().map(|event| event.number).max().unwrap_or(0) + 1;
            let refs = if refers { format!("evt-{other:03}") } else { "none".to_owned() };
            project.write_by_hand(
                &block(number, &clock(0), &summary, &refs).replace("| hand |", &format!("| hand-{at} |")),
            );
        } else {
            let (agent, entity) = (format!("agent-{at}"), format!("entity=part-{}", self.next % 5));
            let reference = format!("evt-{other:03}");
            let mut args = vec![
                "md",
                "append",
                "modify",
                "--scope",
                "app",
                "--summary",
                &summary,
                "--agent",
                &agent,
                "--detail",
                &entity,
            ];
            if refers {
                args.extend(["--ref", reference.as_str()]);
            }
            let answer = project.run(&args);
            assert!(answer.code <= 1, "{answer:?}");
        }
        self.wanted.said.insert(without_numbers(&summary));
        self.commit(at, &format!("item {}", self.next));
    }

    /// Edits or deletes an event that was there before.
    fn tamper(&mut self, at: usize) {
        let events: Vec<String> =
            self.clones[at].told().into_iter().map(|event| without_numbers(&event.summary)).collect();
        let whole: Vec<String> = events.into_iter().filter(|summary| self.wanted.said.contains(summary)).collect();
        if whole.len() < 3 {
            return;
        }
        let summary = whole[self.below(whole.len())].clone();
        let log = self.clones[at].read(LOG);
        let starts: Vec<usize> = log.match_indices("### evt-").map(|(start, _)| start).chain([log.len()]).collect();
        let Some(span) = starts.windows(2).find(|pair| without_numbers(&log[pair[0]..pair[1]]).contains(&summary))
        else {
            return;
        };
        let (before, own, behind) = (&log[..span[0]], &log[span[0]..span[1]], &log[span[1]..]);
        self.wanted.said.remove(&summary);
        let new = if self.chance.one_in(2) {
            let forged = summary.replace("was done", "was never done");
            self.wanted.edited.insert(summary, forged);
            format!("{before}{}{behind}", own.replace("was done", "was never done"))
        } else {
            self.wanted.deleted.insert(summary);
            format!("{before}{behind}")
        };
        self.clones[at].write(LOG, &new);
        self.commit(at, "tamper");
    }

    fn pull(&mut self, at: usize, rebase: bool) {
        let way = if rebase { "--rebase" } else { "--no-rebase" };
        let answer = self.clones[at].run_git(&["pull", "--quiet", way, "--no-edit"]);
        assert_eq!(answer.code, 0, "{way} in clone {at}: {answer:?}");
    }

    fn boot(&self, at: usize) {
        let answer = self.clones[at].run(&["md", "boot"]);
        assert!(answer.code <= 1, "{answer:?}");
        self.commit(at, "boot");
    }

    fn push(&mut self, at: usize) {
        if self.clones[at].run_git(&["push", "--quiet"]).code != 0 {
            self.pull(at, false);
            self.clones[at].git(&["push", "--quiet"]);
        }
    }

    /// A branch with an event, joined again.
    fn branch(&mut self, at: usize) {
        self.next += 1;
        let name = format!("branch-{}", self.next);
        self.clones[at].git(&["checkout", "--quiet", "-b", &name]);
        self.append(at);
        self.clones[at].git(&["checkout", "--quiet", "main"]);
        if self.chance.one_in(2) {
            self.append(at);
        }
        if self.chance.one_in(3) {
            self.clones[at].git(&["checkout", "--quiet", &name]);
            self.clones[at].git(&["rebase", "--quiet", "main"]);
            self.clones[at].git(&["checkout", "--quiet", "main"]);
        }
        self.clones[at].git(&["merge", "--quiet", "--no-edit", &name]);
    }

    fn step(&mut self) {
        let at = self.below(self.clones.len());
        match self.below(12) {
            0..=3 => self.append(at),
            4 | 5 => self.branch(at),
            6 => self.pull(at, false),
            7 => self.pull(at, true),
            8 => self.boot(at),
            9 | 10 => self.push(at),
            _ if self.wanted.edited.len() + self.wanted.deleted.len() < 2 => self.tamper(at),
            _ => self.boot(at),
        }
    }

    /// Everybody has everything.
    fn settle(&mut self) {
        for _ in 0..2 {
            for at in 0..self.clones.len() {
                self.pull(at, false);
                self.boot(at);
                self.push(at);
            }
        }
        for at in 0..self.clones.len() {
            self.pull(at, false);
            let answer = self.clones[at].run(&["md", "boot"]);
            assert!(answer.code <= 1, "{answer:?}");
        }
    }

    fn check(&self, seed: u64) {
        for (at, project) in self.clones.iter().enumerate() {
            let place = format!("clone {at} of history {seed}");
            let mut counts: BTreeMap<String, usize> = BTreeMap::new();
            for event in project.told() {
                *counts.entry(without_numbers(&event.summary)).or_default() += 1;
            }
            let twice: Vec<_> = counts.iter().filter(|(_, count)| **count > 1).collect();
            assert!(twice.is_empty(), "{place}: {twice:?}");
            let missing: Vec<&String> = self.wanted.said.iter().filter(|said| !counts.contains_key(*said)).collect();
            assert!(missing.is_empty(), "{place}: {missing:?}\n{}", project.read(LOG));
            let troubles = tampered(project);
            for (was, is) in &self.wanted.edited {
                let is_whole = counts.contains_key(was) && !counts.contains_key(is);
                let told = project.told();
                let number = told.iter().find(|event| without_numbers(&event.summary) == *is).map(|event| event.number);
                let is_named = number.is_some_and(|n| troubles.contains(&("edited".to_owned(), format!("evt-{n:03}"))));
                let is_gone = number.is_none() && troubles.iter().any(|(rule, _)| rule == "deleted");
                assert!(
                    is_whole || is_named || is_gone,
                    "{place}: '{is}' is {number:?}: {troubles:?}\n{}",
                    project.read(LOG)
                );
            }
            let gone = self.wanted.deleted.iter().filter(|was| !counts.contains_key(*was)).count();
            let named = troubles.iter().filter(|(rule, _)| rule == "deleted").count();
            assert!(named >= gone, "{place}: {gone} are gone: {troubles:?}");
            let is_honest = self.wanted.edited.is_empty() && self.wanted.deleted.is_empty();
            assert!(!is_honest || troubles.is_empty(), "{place}: nothing was tampered with: {troubles:?}");
            for path in [LOG, GRAPH, CONTEXT] {
                let (own, first) = (project.read(path), self.clones[0].read(path));
                assert!(own == first, "{place}: {path}\n{own}\n--- and in clone 0\n{first}");
            }
        }
    }
}

/// What `md validate` says was edited, deleted or reordered.
fn tampered(project: &Project) -> BTreeSet<(String, String)> {
    let answer = project.run(&["md", "validate", "--json"]);
    let report: Value = one(json_lines(&answer.out));
    let text = |trouble: &Value, key: &str| trouble[key].as_str().unwrap_or_default().to_owned();
    let troubles = report["troubles"].as_array().cloned().unwrap_or_default();
    let told = troubles.iter().map(|trouble| (text(trouble, "rule"), text(trouble, "event")));
    told.filter(|(rule, _)| ["edited", "deleted", "reordered"].contains(&rule.as_str())).collect()
}

/// A text in which no event has a number: merges give out others.
fn without_numbers(text: &str) -> String {
    let mut parts = text.split("evt-");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push_str("evt-N");
        out.push_str(part.trim_start_matches(|c: char| c.is_ascii_digit()));
    }
    out
}

/// How many events there were, and how many of them were tampered with.
fn live(seed: u64) -> (usize, usize) {
    let place = Place::bare();
    let mut history = History::new(&place, seed);
    for _ in 0..STEPS {
        history.step();
    }
    history.settle();
    history.check(seed);
    let Wanted { said, edited, deleted } = &history.wanted;
    let tampered = edited.len() + deleted.len();
    (said.len() + tampered, tampered)
}

#[test]
fn random_histories_of_several_clones_end_the_same_everywhere() {
    let start = Instant::now();
    let seeds = histories();
    let next = AtomicU64::new(seeds.start);
    let failed = Mutex::new(BTreeSet::new());
    let worker = || {
        let mut counts = (0, 0);
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= seeds.end {
                return counts;
            }
            match catch_unwind(|| live(seed)) {
                Ok((events, tampered)) => counts = (counts.0 + events, counts.1 + tampered),
                Err(_) => _ = failed.lock().expect("nobody panics with it").insert(seed),
            }
        }
    };
    let counts: Vec<(usize, usize)> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..WORKERS).map(|_| scope.spawn(worker)).collect();
        threads.into_iter().map(|thread| thread.join().expect("a failed history is caught")).collect()
    });
    let failed = failed.into_inner().expect("nobody panics with it");
    assert!(failed.is_empty(), "these histories did not end as they should: {failed:?}");
    let (events, tampered) = counts.iter().fold((0, 0), |all, own| (all.0 + own.0, all.1 + own.1));
    let took = start.elapsed();
    say(&format!(
        "figure: {} random histories, {events} events, {tampered} tampered with: {took:.0?}",
        seeds.end - seeds.start
    ));
}
