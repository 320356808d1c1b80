//! `append -` killed with SIGKILL again and again: nothing acknowledged is lost, nothing is there in part or twice.

use std::collections::{HashMap, HashSet};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::value::RawValue;

use super::place::{Place, is_long_run, say};
use super::random::Random;
use super::stream::{Ack, Stream};

/// One write of this many bytes into a pipe is seen by its reader whole or not at all.
const ATOMIC_WRITE_BYTES: usize = 4096;
/// Fewer lines than one batch may have, so that a batch never ends inside of a burst.
const SESSION_LINES: usize = 900;
/// Kills between two new homes.
const KILLS_PER_HOME: usize = 100;

/// One line that was sent.
#[derive(Clone)]
struct Line {
    id: Option<String>,
    text: String,
}

/// One process from its start to its violent end.
struct Session {
    lines: Vec<Line>,
    /// How many lines each write carried.
    bursts: Vec<usize>,
    acks: Vec<Ack>,
    /// Whether the next one sent lines of it again, in writes of its own: which of the two appended them cannot be told.
    repeated: bool,
}

/// What the threads of a session tell each other.
#[derive(Default)]
struct Shared {
    acks: Vec<Ack>,
    over: bool,
}

#[derive(Default)]
struct Talk {
    shared: Mutex<Shared>,
    changed: Condvar,
}

impl Talk {
    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self, change: impl FnOnce(&mut Shared)) {
        change(&mut self.lock());
        self.changed.notify_all();
    }

    /// Waits for so many acknowledgements, or the end.
    fn wait_for(&self, acks: usize, at_most: Duration) {
        let waiting = |s: &mut Shared| s.acks.len() < acks && !s.over;
        drop(self.changed.wait_timeout_while(self.lock(), at_most, waiting).unwrap_or_else(PoisonError::into_inner));
    }
}

/// Sends the lines in their bursts, one after the other or waiting for each to be acknowledged.
fn feed(mut stdin: ChildStdin, session: &Session, one_by_one: bool, talk: &Talk) {
    let mut sent = 0;
    for burst in &session.bursts {
        let bytes: String = session.lines[sent..sent + burst].iter().map(|l| format!("{}\n", l.text)).collect();
        if stdin.write_all(bytes.as_bytes()).is_err() {
            return;
        }
        sent += burst;
        if one_by_one {
            talk.wait_for(sent, Duration::from_secs(60));
        }
    }
    // The input stays open until the process is killed.
    talk.wait_for(usize::MAX, Duration::from_secs(60));
}

/// Every whole line that was printed.
fn listen(stdout: ChildStdout, talk: &Talk) {
    let mut out = BufReader::new(stdout);
    let mut line = String::new();
    while out.read_line(&mut line).is_ok_and(|n| n > 0) && line.ends_with('\n') {
        let ack = Ack::read(&line);
        talk.tell(|shared| shared.acks.push(ack));
        line.clear();
    }
}

impl Session {
    /// Runs it and kills it at some moment: after its start, or after its first acknowledgement.
    fn run(&mut self, place: &Place, random: &mut Random) {
        let mut command = place.command(&["append", "-"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child: Child = command.spawn().expect("the program starts");
        let (stdin, stdout) = (child.stdin.take().expect("piped"), child.stdout.take().expect("piped"));
        let talk = Talk::default();
        let (one_by_one, from_first_ack) = (random.one_in(2), random.one_in(2));
        let moment = random.moment(Duration::from_millis(33));
        std::thread::scope(|scope| {
            let listener = scope.spawn(|| listen(stdout, &talk));
            scope.spawn(|| feed(stdin, self, one_by_one, &talk));
            if from_first_ack {
                talk.wait_for(1, Duration::from_secs(60));
            }
            std::thread::sleep(moment);
            child.kill().expect("the process can be killed");
            child.wait().expect("it is dead");
            listener.join().expect("what it printed is read");
            talk.tell(|shared| shared.over = true);
        });
        let mut complaints = String::new();
        std::io::Read::read_to_string(&mut child.stderr.take().expect("piped"), &mut complaints).expect("UTF-8");
        assert_eq!(complaints, "", "it complained before it was killed");
        self.acks = std::mem::take(&mut talk.lock().acks);
    }
}

/// One home that is written to by processes that are all killed.
struct Campaign {
    place: Place,
    random: Random,
    /// The log as it must be: every body, in order.
    log: Vec<String>,
    known: HashMap<String, u64>,
    /// Sessions that were not compared with the log yet.
    open: Vec<Session>,
    /// Lines with an id that were sent last and not acknowledged: the next process sends them again.
    unanswered: Vec<Line>,
    next: u64,
    figures: Figures,
}

/// What a campaign counted.
#[derive(Default)]
struct Figures {
    kills: usize,
    events: usize,
    acknowledged: usize,
    /// Appended, and killed before it could be said.
    unheard: usize,
    repeated: usize,
}

impl Campaign {
    fn new(seed: u64) -> Self {
        let (place, random) = (Place::new(), Random::new(seed));
        let (log, open, unanswered) = Default::default();
        Self { place, random, log, known: HashMap::new(), open, unanswered, next: 0, figures: Figures::default() }
    }

    fn fresh_line(&mut self, with_id: bool) -> Line {
        self.next += 1;
        let id = with_id.then(|| format!("mine-{}", self.next));
        let length = if self.random.one_in(40) { self.random.below(30_000) } else { self.random.below(120) };
        let filler = "x".repeat(usize::try_from(length).expect("a small number"));
        let name = id.as_ref().map_or(String::new(), |id| format!("\"id\":\"{id}\","));
        Line { id, text: format!("{{{name}\"kind\":\"user_input\",\"content\":\"{} {filler}\"}}", self.next) }
    }

    /// The next session: first what has an id and was not acknowledged, again; then new lines.
    fn session(&mut self) -> Session {
        let mut lines = std::mem::take(&mut self.unanswered);
        self.figures.repeated += lines.len();
        if let Some(last) = self.open.last_mut() {
            last.repeated = !lines.is_empty();
        }
        let most = if self.random.one_in(10) { 800 } else { 80 };
        let (with_ids, count) = (self.random.one_in(2), 1 + self.random.below(most));
        for _ in 0..count {
            let line = self.fresh_line(with_ids);
            lines.push(line);
        }
        lines.truncate(SESSION_LINES);
        let bursts = self.bursts(&lines);
        Session { lines, bursts, acks: Vec::new(), repeated: false }
    }

    /// Cuts lines into writes that the other side sees whole.
    fn bursts(&mut self, lines: &[Line]) -> Vec<usize> {
        let longest = 1 + self.random.below(40);
        let mut bursts: Vec<usize> = Vec::new();
        let mut bytes = usize::MAX;
        for line in lines {
            let length = line.text.len() + 1;
            match bursts.last_mut() {
                Some(burst) if bytes.saturating_add(length) <= ATOMIC_WRITE_BYTES && (*burst as u64) < longest => {
                    *burst += 1;
                    bytes += length;
                }
                _ => {
                    bursts.push(1);
                    bytes = length;
                }
            }
        }
        bursts
    }

    fn kill_once(&mut self) {
        let mut session = self.session();
        session.run(&self.place, &mut self.random);
        self.figures.kills += 1;
        self.figures.acknowledged += session.acks.len();
        let unanswered = session.lines[session.acks.len()..].iter().filter(|l| l.id.is_some());
        self.unanswered.extend(unanswered.cloned());
        self.open.push(session);
        // Sometimes the next writer is the first to open what the killed one left behind, sometimes a reader.
        if self.random.one_in(2) {
            self.compare();
        }
    }

    /// Holds what was appended since the last time against what was sent and acknowledged.
    fn compare(&mut self) {
        let from = (self.log.len() + 1).to_string();
        let exported = self.place.ok(&["export", "--from", &from]);
        let mut events = exported.lines().peekable();
        for session in std::mem::take(&mut self.open) {
            let mut at = 0;
            let mut stopped = false;
            for burst in &session.bursts {
                let before = self.log.len();
                let mut missing = 0;
                for n in at..at + burst {
                    let line = &session.lines[n];
                    let seq = match line.id.as_ref().and_then(|id| self.known.get(id)) {
                        Some(seq) => Some(*seq),
                        None => self.take(line, &mut events, stopped),
                    };
                    missing += usize::from(seq.is_none());
                    stopped |= seq.is_none();
                    if let Some(ack) = session.acks.get(n) {
                        assert_eq!(Some(ack.seq), seq, "line {n} was acknowledged: {ack:?}, {}", line.text);
                        let id_is_kept = line.id.as_ref().is_none_or(|id| *id == ack.id);
                        assert!(id_is_kept, "{ack:?} {}", line.text);
                    }
                }
                let whole = missing == 0 || self.log.len() == before;
                self.figures.unheard += (self.log.len() - before).saturating_sub(session.acks.len().saturating_sub(at));
                assert!(whole || session.repeated, "a batch is there in part, at line {at}: {missing} are missing");
                at += burst;
            }
        }
        assert_eq!(events.next(), None, "there are events that nobody sent");
    }

    /// The next event of the log, if it is this line.
    fn take<'a>(
        &mut self,
        line: &Line,
        events: &mut std::iter::Peekable<impl Iterator<Item = &'a str>>,
        stopped: bool,
    ) -> Option<u64> {
        let event = Exported::read(events.peek()?);
        if event.body.get() != line.text {
            return None;
        }
        assert!(!stopped, "something before it in the same stream is missing: {}", line.text);
        events.next();
        self.log.push(line.text.clone());
        assert_eq!(event.seq, self.log.len() as u64, "1, 2, 3… without a gap");
        if let Some(id) = &line.id {
            assert_eq!(*id, event.id);
            assert_eq!(self.known.insert(id.clone(), event.seq), None, "an id is there twice");
        }
        Some(event.seq)
    }

    /// The whole log, the whole chain and the views.
    fn finish(mut self) -> Figures {
        self.compare();
        self.place.verify();
        let exported = self.place.ok(&["export"]);
        let events: Vec<Exported> = exported.lines().map(Exported::read).collect();
        assert!(events.iter().map(|e| e.body.get()).eq(self.log.iter().map(String::as_str)), "another log than before");
        assert!(events.iter().map(|e| e.seq).eq(1..=self.log.len() as u64));
        let ids: HashSet<&str> = events.iter().map(|e| e.id.as_str()).collect();
        assert_eq!(ids.len(), events.len(), "an id is there twice");
        assert_eq!(self.place.lines(&["log", "--limit", "1"])[0]["seq"], self.log.len());
        self.figures.events = self.log.len();
        self.figures
    }
}

/// The parts of an exported event that matter here.
#[derive(serde::Deserialize)]
struct Exported<'a> {
    seq: u64,
    id: String,
    #[serde(borrow)]
    body: &'a RawValue,
}

impl<'a> Exported<'a> {
    fn read(line: &'a str) -> Self {
        serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"))
    }
}

#[test]
fn no_acknowledged_event_is_lost_however_often_the_writer_is_killed() {
    let kills = if is_long_run() { 10_000 } else { 500 };
    let mut all = Figures::default();
    for round in 0..kills / KILLS_PER_HOME {
        let mut campaign = Campaign::new(0x1de71c + round as u64);
        for kill in 1..=KILLS_PER_HOME {
            campaign.kill_once();
            if kill.is_multiple_of(KILLS_PER_HOME / 4) {
                campaign.place.verify();
            }
        }
        let figures = campaign.finish();
        all.kills += figures.kills;
        all.events += figures.events;
        all.acknowledged += figures.acknowledged;
        all.unheard += figures.unheard;
        all.repeated += figures.repeated;
    }
    let Figures { kills, events, acknowledged, unheard, repeated } = all;
    say(&format!(
        "figure: SIGKILL, {kills} times: {events} events, {acknowledged} acknowledged, {unheard} appended and killed before \
         it was said, {repeated} lines sent again; none lost, none twice, no gap"
    ));
    assert!(acknowledged > kills, "the processes were killed before they did anything");
    assert!(unheard > 0, "no kill fell between a commit and its acknowledgement");
}

#[test]
fn a_killed_writer_harms_no_other_writer() {
    let place = Place::new();
    let survivor_is_done = Mutex::new(false);
    let survivor = || {
        let mut stream = Stream::start(&place, &[]);
        let one = |n: usize| (n, stream.one(&format!("{{\"kind\":\"user_input\",\"content\":\"survivor {n}\"}}")));
        let acks: Vec<(usize, Ack)> = (0..1500).map(one).collect();
        *survivor_is_done.lock().expect("never poisoned") = true;
        acks
    };
    let killed = |seed: u64| {
        let mut campaign = Campaign::new(seed);
        let mut acks = Vec::new();
        while !*survivor_is_done.lock().expect("never poisoned") {
            let mut session = campaign.session();
            session.run(&place, &mut campaign.random);
            acks.extend(session.acks.drain(..).zip(session.lines).map(|(ack, line)| (ack, line.text)));
        }
        acks
    };
    let (kept, given) = std::thread::scope(|scope| {
        let (survivor, killed) = (scope.spawn(survivor), scope.spawn(|| killed(99)));
        (survivor.join().expect("it is never held up"), killed.join().expect("its acknowledgements are read"))
    });
    let exported = place.ok(&["export"]);
    let events: Vec<Exported> = exported.lines().map(Exported::read).collect();
    let at = |seq: u64| &events[usize::try_from(seq).expect("a small number") - 1];
    assert!(events.iter().map(|e| e.seq).eq(1..=events.len() as u64), "1, 2, 3… without a gap");
    for (n, ack) in &kept {
        assert!(at(ack.seq).body.get().contains(&format!("survivor {n}\"")) && at(ack.seq).id == ack.id);
    }
    for (ack, line) in &given {
        assert_eq!((at(ack.seq).id.as_str(), at(ack.seq).body.get()), (ack.id.as_str(), line.as_str()));
    }
    assert!(given.len() > 100, "the others did nothing");
    place.verify();
}
