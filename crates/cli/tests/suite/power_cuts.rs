//! Power failures on a real file system, under every door: what was acknowledged is there, once, in order, and nobody is
//! alarmed. Where nothing can be mounted the simulated disk of the store's tests has to do.

mod disk;
mod doors;
mod history;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use serde_json::{Value, json};

use super::place::{Place, is_long_run, say};
use super::random::Random;
use super::server::Client;
use disk::Disk;
use doors::{Door, Mcp, Running, Served, Session, Stream};
use history::{Attempt, History, Outcome, PREFIX};

const WRITERS: usize = 3;
/// Rounds between two new homes: a long log takes long to check.
const ROUNDS_PER_HOME: usize = 20;
/// Acknowledgements before something happens.
const ACKS_FIRST: usize = 6;
/// No acknowledgement takes as long.
const PATIENCE: Duration = Duration::from_secs(60);

/// One home and all that was ever done to it.
struct Life {
    place: Place,
    door: Door,
    history: History,
    /// What each writer was not answered to: it tries that again.
    pending: Vec<Option<Attempt>>,
    next: usize,
}

/// What the threads of a round share.
struct Round<'a> {
    place: &'a Place,
    door: Door,
    running: Running,
    address: Mutex<String>,
    acks: AtomicUsize,
    /// From here on whoever is asked may be gone.
    disturbed: AtomicBool,
    over: AtomicBool,
}

impl<'a> Round<'a> {
    fn is_over(&self) -> bool {
        self.over.load(Ordering::Acquire)
    }

    fn connect(&self) -> Option<Box<dyn Session + '_>> {
        match self.door {
            Door::Stream => Some(Box::new(Stream::open(self.place, &self.running))),
            Door::Mcp => Some(Box::new(Mcp::open(self.place, &self.running)?)),
            Door::Http => {
                let address = self.address.lock().unwrap_or_else(PoisonError::into_inner).clone();
                Some(Box::new(Client::connect(&address).ok()?))
            }
        }
    }

    /// Appends until it is over, and tries again what was not answered.
    fn write(&self, writer: usize, from: usize, mut pending: Option<Attempt>) -> (Vec<Attempt>, Option<Attempt>) {
        let (mut attempts, mut random) = (Vec::new(), Random::new((from + writer) as u64));
        let (mut count, mut head) = (0, 0);
        while !self.is_over() {
            let Some(mut session) = self.connect() else {
                assert!(self.disturbed.load(Ordering::Acquire), "nobody is there");
                std::thread::sleep(Duration::from_millis(2));
                continue;
            };
            while !self.is_over() {
                let mut attempt = pending.take().unwrap_or_else(|| {
                    count += 1;
                    let expect = (random.one_in(8) && self.door != Door::Mcp && head > 0).then_some(head);
                    let content = format!("event {count} {}", "x".repeat(random.below(2000) as usize));
                    let id = format!("{PREFIX}{from}-{writer}-{count}");
                    Attempt { id, content, expect, outcome: Outcome::Unknown, told: SystemTime::now() }
                });
                attempt.outcome = session.append(&attempt);
                attempt.told = SystemTime::now();
                let Outcome::Acknowledged(seq) = attempt.outcome else {
                    if attempt.outcome == Outcome::Unknown {
                        assert!(self.disturbed.load(Ordering::Acquire), "not acknowledged: {attempt:?}");
                        pending = Some(attempt);
                        break;
                    }
                    attempts.push(attempt);
                    continue;
                };
                head = seq;
                if random.one_in(10) {
                    match session.read(&attempt.id) {
                        Ok(found) => assert_eq!(found, Some(seq), "what was acknowledged is read: {attempt:?}"),
                        Err(_) => assert!(self.disturbed.load(Ordering::Acquire), "not read: {attempt:?}"),
                    }
                }
                attempts.push(attempt);
                self.acks.fetch_add(1, Ordering::AcqRel);
            }
        }
        (attempts, pending)
    }

    fn wait_for_acks(&self, more: usize) {
        let (start, from) = (Instant::now(), self.acks.load(Ordering::Acquire));
        while self.acks.load(Ordering::Acquire) < from + more {
            assert!(start.elapsed() < PATIENCE, "no acknowledgement");
            std::thread::sleep(Duration::from_micros(500));
        }
    }

    fn serve(&self) -> Option<Served<'_>> {
        if self.door != Door::Http {
            return None;
        }
        let served = Served::start(self.place, &self.running).expect("it says where it listens");
        self.address.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&served.address);
        Some(served)
    }

    /// What happens to the writers before the power fails.
    fn disturb<'r>(&'r self, random: &mut Random, served: &mut Option<Served<'r>>) {
        self.wait_for_acks(ACKS_FIRST);
        std::thread::sleep(random.moment(Duration::from_millis(30)));
        self.disturbed.store(true, Ordering::Release);
        match random.below(4) {
            // The power fails, and nothing else.
            0 => {}
            // Some are killed, and it fails at any moment after that.
            1 => {
                self.running.kill(|at| at % 2 == 0);
                *served = self.serve();
                std::thread::sleep(random.moment(Duration::from_millis(60)));
            }
            // All are killed, and it fails as soon as a retry is acknowledged.
            2 => {
                self.running.kill(|_| true);
                *served = self.serve();
                self.wait_for_acks(1);
            }
            // All are killed for good, somebody reads what they left behind, and it fails.
            _ => {
                self.over.store(true, Ordering::Release);
                self.running.kill(|_| true);
                self.place.run(&["log", "--limit", "1"]);
            }
        }
    }
}

impl Life {
    fn begin(disk: &Disk, door: Door) -> Self {
        let place = Place::on(&disk.path());
        Self { place, door, history: History::default(), pending: vec![None; WRITERS], next: 0 }
    }

    fn round(&mut self, disk: &Disk, random: &mut Random) {
        let round = Round {
            place: &self.place,
            door: self.door,
            running: Running::default(),
            address: Mutex::default(),
            acks: AtomicUsize::new(0),
            disturbed: AtomicBool::new(false),
            over: AtomicBool::new(false),
        };
        let mut served = round.serve();
        let (pending, from) = (std::mem::take(&mut self.pending), self.next);
        self.next += 1;
        let (cut, ended): (_, Vec<_>) = std::thread::scope(|scope| {
            let round = &round;
            let writers: Vec<_> = pending
                .into_iter()
                .enumerate()
                .map(|(writer, pending)| scope.spawn(move || round.write(writer, from, pending)))
                .collect();
            // Whatever fails here, the writers come to their end.
            let disturbed =
                std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| round.disturb(random, &mut served)));
            let cut = disk.cut_power();
            round.over.store(true, Ordering::Release);
            round.running.kill(|_| true);
            let ended = writers.into_iter().map(|writer| writer.join().expect("a writer")).collect();
            disturbed.expect("the round");
            (cut, ended)
        });
        drop(served);
        disk.restart();
        let (attempts, pending): (Vec<_>, Vec<_>) = ended.into_iter().unzip();
        self.pending = pending;
        let mut history = History::of(attempts);
        history.forget_what_was_told_after(cut);
        self.history.extend(history);
        self.check();
    }

    /// The log is what the writers were told, and nobody finds anything wrong with it.
    fn check(&mut self) {
        let answer = self.place.run(&["verify"]);
        assert!(answer.code == 0 && !answer.err.contains("head"), "{answer:?}");
        let doctor = self.place.run(&["--json", "doctor"]);
        assert_eq!(doctor.code, 0, "{doctor:?}");
        let told = |event: &Value| json!({"seq": event["seq"], "id": event["id"], "content": event["body"]["content"]});
        let events: Vec<Value> = self.place.lines(&["export"]).iter().map(told).collect();
        let unanswered: Vec<Attempt> = self.pending.iter().flatten().cloned().collect();
        let checked = self.history.check(&unanswered, &events);
        checked.unwrap_or_else(|wrong| panic!("{:?}, round {}: {wrong}", self.door, self.next));
    }
}

/// Rounds under one door; how many events were acknowledged.
fn campaign(door: Door, rounds: usize) {
    let disk = match Disk::new() {
        Ok(disk) => disk,
        Err(why) => {
            return say(&format!("skipped: power cuts on a real file system ({why}); simulated ones are tested"));
        }
    };
    let (start, mut acknowledged) = (Instant::now(), 0);
    let mut random = Random::new(rounds as u64);
    let mut left = rounds;
    while left > 0 {
        let mut life = Life::begin(&disk, door);
        for _ in 0..left.min(ROUNDS_PER_HOME) {
            life.round(&disk, &mut random);
            left -= 1;
        }
        acknowledged += life.history.acknowledged();
    }
    let took = start.elapsed().as_secs_f64();
    say(&format!(
        "figure: power cuts on ext4, {door:?}: {rounds} rounds, {WRITERS} writers, {acknowledged} events acknowledged, \
         none lost, no alarm, {took:.0} s"
    ));
}

#[test]
fn what_streams_acknowledged_outlives_power_cuts() {
    campaign(Door::Stream, if is_long_run() { 500 } else { 6 });
}

#[test]
fn what_the_server_acknowledged_outlives_power_cuts() {
    campaign(Door::Http, if is_long_run() { 500 } else { 6 });
}

#[test]
fn what_mcp_acknowledged_outlives_power_cuts() {
    campaign(Door::Mcp, if is_long_run() { 500 } else { 6 });
}
