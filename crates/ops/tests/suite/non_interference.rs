//! Non-interference: whatever is added, changed or taken away of what an agent's actor may not see, every byte the actor
//! can obtain stays the same.
#![expect(clippy::print_stderr, reason = "a test says what it counted")]

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use idetic_ops::core::{Record, SpaceName, Time};
use idetic_ops::{Env, Memory, Models, Question, RecallOptions, Space};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::Value;

use crate::hashed_words::models;
use crate::hermetic::{Hermetic, START};
use crate::observed::{Observed, append, append_guesses, ask_library, ask_operations};
use crate::stories::{AGENT, Hidden, Lane, Saying, Story, stories};

/// From one visible event to the next.
const STEP_MICROS: i64 = 1_000_000_000;

/// Visible events after which the actor recalls something in the middle of a story.
const READ_EVERY: usize = 40;

/// A home with a clock that stands where it was set.
struct Theatre {
    home: Hermetic,
    memory: Memory,
    clock: Arc<AtomicI64>,
}

impl Theatre {
    fn new(models: Models) -> Self {
        let (clock, bytes) = (Arc::new(AtomicI64::new(START)), AtomicU64::new(1));
        let hand = Arc::clone(&clock);
        let random = move |out: &mut [u8]| {
            for chunk in out.chunks_mut(8) {
                let next = bytes.fetch_add(1, Ordering::Relaxed).wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes();
                chunk.copy_from_slice(&next[..chunk.len()]);
            }
        };
        let env = Env::new(move || Time(hand.load(Ordering::Relaxed)), random);
        let home = Hermetic::with(env, models);
        let memory = home.memory();
        Self { home, memory, clock }
    }

    fn space(&self, name: &str) -> Arc<Space> {
        self.memory.space_or_new(&SpaceName::parse(name).expect("a name")).expect("a space")
    }

    /// Plays one of the two worlds of a story and takes down what the actor sees.
    fn play(&self, story: &Story, world: usize) -> Observed {
        let name = format!("local/world{world}");
        let space = self.space(&name);
        let mut observed = Observed::default();
        let mut shared_ids: Vec<Value> = Vec::new();
        self.clock.store(START, Ordering::Relaxed);
        for at in 0..=story.visible.len() {
            for hidden in story.hidden.iter().filter(|h| h.before.index(story.visible.len() + 1) == at) {
                self.happen(&space, hidden, world);
            }
            let Some(saying) = story.visible.get(at) else { break };
            self.clock.fetch_add(STEP_MICROS, Ordering::Relaxed);
            say(&space, saying, &mut shared_ids, &mut observed);
            if at % READ_EVERY == READ_EVERY - 1 {
                // Whoever reads seals: where files begin and end depends on when, and on what others wrote.
                let question = Question { query: story.asked.query.clone(), ..Question::default() };
                let recalled = space.actor(AGENT).recall(&self.home.models, &RecallOptions::default(), question);
                observed.note(format!("recall after {at}"), recalled);
            }
        }
        let (asked, models) = (&story.asked, &self.home.models);
        if asked.operations {
            ask_operations(&self.home, &name, asked, &mut observed);
        }
        ask_library(&space, models, asked, &mut observed);
        if asked.dream {
            // A dream in which a text could not be embedded says so, and is one all the same.
            let _ = self.home.call(&name, "dream", "{}");
            append_guesses(&self.home, &name, &mut observed);
            if asked.operations {
                ask_operations(&self.home, &name, asked, &mut observed);
            }
            ask_library(&space, models, asked, &mut observed);
        }
        append(&space, asked, &mut observed);
        if asked.operations {
            ask_library(&space, models, asked, &mut observed);
        }
        observed
    }

    /// Something the actor may not see. Whether it is taken in is nobody's business here.
    fn happen(&self, space: &Arc<Space>, hidden: &Hidden, world: usize) {
        let Some(saying) = &hidden.sayings[world] else { return };
        let elsewhere = (saying.lane == Lane::Elsewhere).then(|| self.space(&format!("local/elsewhere{world}")));
        let space = elsewhere.as_ref().unwrap_or(space);
        let _ = space.append(vec![parsed(&saying.record)], None);
    }
}

fn parsed(record: &Value) -> Record {
    Record::parse(record.to_string().as_bytes()).expect("a valid record")
}

/// Something the actor sees: it says it itself, or the owner shares it.
fn say(space: &Arc<Space>, saying: &Saying, shared_ids: &mut Vec<Value>, observed: &mut Observed) {
    if saying.lane == Lane::Own {
        let acknowledged = space.actor(AGENT).append(vec![parsed(&saying.record)], saying.expect);
        return observed.note(format!("say {}", saying.record), acknowledged);
    }
    let mut record = saying.record.clone();
    // The owner sees everything, and may derive what is shared from anything. Here it derives from what is shared, so
    // that what it writes is the same in both worlds.
    if !record["causes"].is_null() {
        record["causes"] = shared_ids.last().map_or(Value::Null, |id| vec![id.clone()].into());
    }
    let shared = space.append(vec![parsed(&record)], None);
    shared_ids.extend(shared.is_ok().then(|| record["id"].clone()).filter(Value::is_string));
    observed.note("share", Ok(shared.is_ok()));
}

fn check(story: &Story) -> Result<(), TestCaseError> {
    let theatre = Theatre::new(models(story.asked.local));
    let [first, second] = [0, 1].map(|world| theatre.play(story, world));
    if let Some([(question, one), (_, two)]) = first.first_difference(&second) {
        return Err(TestCaseError::fail(format!("{question}\n  in one world: {one}\n  in the other: {two}")));
    }
    Ok(())
}

fn run(what: &str, cases: u32, stories: impl Strategy<Value = Story>) {
    let began = std::time::Instant::now();
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 2000, ..Config::default() };
    TestRunner::new(config).run(&stories, |story| check(&story)).expect("no byte depends on what is hidden");
    let seconds = began.elapsed().as_secs();
    eprintln!("figure: random histories of which no byte tells what is hidden: {cases} ({what}, {seconds} s)");
}

/// So many, or ten times as many where time is taken for it.
fn cases(usual: u32) -> u32 {
    if std::env::var_os("IDETIC_LONG").is_some() { usual * 10 } else { usual }
}

#[test]
fn nothing_an_actor_obtains_depends_on_what_it_may_not_see() {
    run("short", cases(2000), stories(1..7, 0..8));
}

#[test]
fn nor_where_the_index_is_sealed_into_files() {
    let thorough = |mut story: Story| {
        (story.asked.operations, story.asked.dream) = (true, true);
        story
    };
    run("sealed into files", cases(10), stories(120..250, 250..500).prop_map(thorough));
}
