//! Many spaces in one home and one process: open files and memory stay bounded; and what opening a large space costs.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use idetic_ops::core::{Record, SpaceName, Time};
use idetic_ops::model::{EmbedError, Embedder, ModelId};
use idetic_ops::{Env, Memory, Models, Question, RecallOptions};

use super::embeddings::use_model;
use super::place::{Place, is_long_run, said, say};

/// Tells this program, started once more, in which home to work: so that nothing else counts among its open files.
const HOME: &str = "IDETIC_TEST_MANY_SPACES_HOME";
/// 64 open spaces with the files their logs are written to, the databases of those in use, and what a process has anyway.
const FILES_MAX: u64 = 400;
/// What working through all spaces may need more than working through the first of them.
const GROWTH_KIB_MAX: u64 = 24 * 1024;
const WARM_UP_SPACES: usize = 150;

fn spaces() -> usize {
    if is_long_run() { 10_000 } else { 300 }
}

#[test]
fn one_process_works_through_very_many_spaces_within_bounds() {
    let place = Place::new();
    // In memory, where that can be had: how long thousands of flushes take is not the question.
    let in_memory = tempfile::tempdir_in("/dev/shm").ok();
    let home = in_memory.as_ref().map_or_else(|| place.home(), |folder| folder.path().join("home"));
    place.ok(&["init", home.to_str().expect("temporary folders have plain names")]);
    let mut again = Command::new(std::env::current_exe().expect("this program"));
    again.args(["--exact", "suite::many_spaces::work_through_many_spaces", "--nocapture"]).env(HOME, home);
    let status = again.status().expect("it starts");
    assert!(status.success(), "working through many spaces failed");
}

/// The work of the test above; without a home there is none.
#[test]
fn work_through_many_spaces() {
    let Some(home) = std::env::var_os(HOME) else { return };
    let counter = AtomicU64::new(1);
    let random = move |bytes: &mut [u8]| {
        for chunk in bytes.chunks_mut(8) {
            let number = counter.fetch_add(1, Ordering::Relaxed).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            chunk.copy_from_slice(&number.to_le_bytes()[..chunk.len()]);
        }
    };
    let env = Env::new(|| Time(1_800_000_000_000_000), random);
    let memory = Memory::open(Path::new(&home), env).expect("a home");
    let models = Models { wanted: Some(Arc::new(Lengths::new())), local: true, ..Models::default() };
    let (mut most_files, mut warm) = (0, 0);
    for round in 0..2 {
        // The second time every fifth, all of them closed meanwhile.
        for n in (0..spaces()).step_by(if round == 0 { 1 } else { 5 }) {
            work_in(&memory, &models, n, round);
            if n % 50 == 0 {
                most_files = most_files.max(std::fs::read_dir("/proc/self/fd").expect("Linux").count() as u64);
            }
            if (round, n) == (0, WARM_UP_SPACES) {
                warm = most_memory_kib();
            }
        }
    }
    assert_eq!(memory.spaces().expect("they are listed").len(), spaces() + 1, "and the one a home begins with");
    let growth = most_memory_kib() - warm;
    say(&format!(
        "figure: {} spaces in one process: at most {most_files} open files, {} MiB of memory, of which {growth} KiB came \
         after the first {WARM_UP_SPACES}",
        spaces(),
        most_memory_kib() >> 10
    ));
    assert!(most_files <= FILES_MAX, "{most_files} files are open");
    assert!(growth <= GROWTH_KIB_MAX, "memory grew by {growth} KiB");
}

/// A model that costs nothing: how long a text is.
struct Lengths(ModelId);

impl Lengths {
    fn new() -> Self {
        Self(ModelId { name: "lengths".to_owned(), revision: "1".to_owned() })
    }
}

impl Embedder for Lengths {
    fn id(&self) -> &ModelId {
        &self.0
    }

    fn dimensions(&self) -> usize {
        2
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        Ok(texts.iter().map(|text| vec![1.0, 1.0 / (1 + text.len()) as f32]).collect())
    }
}

/// Appends to a space and finds that again.
fn work_in(memory: &Memory, models: &Models, n: usize, round: usize) {
    let name = SpaceName::parse(&format!("user{n}/notes")).expect("a name");
    let space = memory.space_or_new(&name).expect("it opens");
    let records: Vec<Record> = (0..3)
        .map(|k| Record::parse(said(&format!("round{round} entry{k} of space{n}")).as_bytes()).expect("valid"))
        .collect();
    space.append(records, None).expect("it is appended");
    let question = Question { query: format!("space{n} entry1 round{round}"), ..Question::default() };
    let found =
        Arc::clone(&space).actor("somebody").recall(models, &RecallOptions::default(), question).expect("it is found");
    assert!(found.hits[0].text.starts_with(&format!("round{round} entry1")), "{:?}", found.hits[0].text);
}

/// The most memory this process ever had.
fn most_memory_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a high-water mark");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}

/// The processor time of a run of the program, with what it was asked on its input.
fn processor_time(place: &Place, args: &[&str], input: &str) -> Duration {
    let before = children_time();
    place.feed(args, input).ok();
    children_time() - before
}

/// The processor time of all children that have ended, of this thread's process.
fn children_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("Linux");
    let after_name = stat.rsplit_once(") ").expect("a name in brackets").1;
    let fields: Vec<u64> = after_name.split(' ').map(|field| field.parse().unwrap_or(0)).collect();
    // Fields 16 and 17 of proc(5), in hundredths of a second.
    Duration::from_millis((fields[13] + fields[14]) * 10)
}

#[test]
fn a_space_of_ten_thousand_events_is_opened_and_asked_quickly() {
    const EVENTS: usize = 10_000;
    const RUNS: u32 = 20;
    const QUESTIONS: u32 = 2000;
    let place = Place::new();
    use_model(&place, "none");
    let line = |n: usize| said(&format!("entry number{n} about topic{} and subject{}: it rained", n % 97, n % 31));
    place.append(&(0..EVENTS).map(line).collect::<Vec<_>>());
    place.ok(&["dream"]);
    let question = |n: u32| format!("{{\"query\":\"what about topic{} and subject{}\"}}\n", n % 97, n % 31);
    let many: String = (0..QUESTIONS).map(question).collect();
    let ask = ["recall", "--queries", "-", "--json"];
    // Other tests run beside this one, and their children count too: the least of several is nearest to the truth.
    let least = |work: &dyn Fn() -> Duration| (0..5).map(|_| work()).min().expect("five");
    let start = least(&|| (0..RUNS).map(|_| processor_time(&place, &["--version"], "")).sum::<Duration>()) / RUNS;
    let cold = least(&|| (0..RUNS).map(|n| processor_time(&place, &ask, &question(n))).sum::<Duration>()) / RUNS;
    let warm = least(&|| processor_time(&place, &ask, &many)) / QUESTIONS;
    let opened = cold.saturating_sub(start);
    say(&format!(
        "figure: a space of 10 000 events: opened and asked for the first time in {opened:.2?} of processor time, each \
         further question {warm:.2?} ({:.1} times)",
        opened.as_secs_f64() / warm.as_secs_f64().max(1e-6)
    ));
}
