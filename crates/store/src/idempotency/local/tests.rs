//! What becomes of named calls, over processes that come and go.

use std::sync::atomic::{AtomicU64, Ordering};

use super::*;

static OWNERS: AtomicU64 = AtomicU64::new(0);

struct Home {
    folder: tempfile::TempDir,
    erased: Arc<AtomicU64>,
}

impl Home {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a folder"), erased: Arc::default() }
    }

    fn process(&self) -> LocalCalls {
        LocalCalls::of(self.folder.path(), || format!("p{}", OWNERS.fetch_add(1, Ordering::Relaxed)))
    }

    fn erasures(&self) -> Erasures {
        let erased = Arc::clone(&self.erased);
        Arc::new(move || erased.load(Ordering::SeqCst))
    }

    fn beginning(&self, name: &str, asked: &str, now: i64) -> Beginning {
        Beginning {
            call: call(name, asked),
            now_micros: now,
            head: 7,
            is_repeatable: false,
            writes_log_only: true,
            erasures: self.erasures(),
        }
    }

    fn files(&self) -> Vec<u8> {
        let folder = self.folder.path().join(FOLDER);
        let files = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
        files.flat_map(|file| std::fs::read(file).unwrap_or_default()).collect()
    }
}

fn call(name: &str, asked: &str) -> NamedCall {
    let hash = |text: &str| std::array::from_fn(|at| text.as_bytes().get(at).copied().unwrap_or(0));
    NamedCall { space: "ann/x".to_owned(), name: hash(name), caller: hash("ann"), asked: hash(asked) }
}

#[test]
fn a_call_is_carried_out_once_and_answered_as_before_by_every_process() {
    let home = Home::new();
    let (one, other) = (home.process(), home.process());
    assert_eq!(one.begin(home.beginning("a", "this", 1)), Ok(Known::New));
    assert_eq!(other.begin(home.beginning("a", "this", 2)), Ok(Known::Begun));
    one.end(call("a", "this"), Some((200, b"{}".to_vec())), home.erasures()).expect("kept");
    drop(one);
    for process in [&other, &home.process()] {
        assert_eq!(process.begin(home.beginning("a", "this", 3)), Ok(Known::Answered(200, b"{}".to_vec())));
        assert_eq!(process.begin(home.beginning("a", "that", 3)), Ok(Known::Other));
    }
    assert_eq!(other.begin(home.beginning("a", "that", 1 + KEPT_MICROS)), Ok(Known::New), "a day later");
    other.end(call("a", "that"), None, home.erasures()).expect("it may be tried again");
    assert_eq!(other.begin(home.beginning("a", "this", 1 + KEPT_MICROS)), Ok(Known::New));
}

#[test]
fn what_a_process_that_is_gone_had_begun_is_known_at_once() {
    let home = Home::new();
    let (gone, here) = (home.process(), home.process());
    for name in ["same", "moved", "again", "outside"] {
        assert_eq!(gone.begin(home.beginning(name, "this", 1)), Ok(Known::New));
    }
    drop(gone);
    assert_eq!(here.begin(home.beginning("same", "this", 2)), Ok(Known::New), "the log says that nothing was done");
    assert_eq!(here.begin(home.beginning("same", "this", 2)), Ok(Known::Begun));
    let moved = |name: &str| Beginning { head: 8, ..home.beginning(name, "this", 2) };
    assert_eq!(here.begin(moved("moved")), Ok(Known::Lost));
    assert_eq!(here.begin(Beginning { is_repeatable: true, ..moved("again") }), Ok(Known::New));
    let outside = Beginning { writes_log_only: false, ..home.beginning("outside", "this", 2) };
    assert_eq!(here.begin(outside), Ok(Known::Lost));
}

#[test]
fn what_was_erased_is_not_answered_nor_left_on_disk() {
    const SECRET: &[u8] = b"zanzibar-canary-4711";
    let home = Home::new();
    let process = home.process();
    let says = || home.files().windows(SECRET.len()).any(|bytes| bytes == SECRET);
    for name in ["before", "during"] {
        assert_eq!(process.begin(home.beginning(name, "this", 1)), Ok(Known::New));
    }
    process.end(call("before", "this"), Some((200, SECRET.to_vec())), home.erasures()).expect("kept");
    assert!(says());
    home.erased.fetch_add(1, Ordering::SeqCst);
    assert_eq!(process.begin(home.beginning("before", "this", 2)), Ok(Known::Done), "though nobody told it");
    LocalCalls::forget(home.folder.path(), "ann/x").expect("forgotten");
    process.end(call("during", "this"), Some((200, SECRET.to_vec())), home.erasures()).expect("ended");
    assert_eq!(process.begin(home.beginning("during", "this", 2)), Ok(Known::Done));
    assert!(!says());
    let again = Beginning { is_repeatable: true, ..home.beginning("before", "this", 3) };
    assert_eq!(process.begin(again), Ok(Known::New), "what adds nothing is asked again");
}

#[test]
fn one_caller_pushes_out_its_own_answers_only() {
    let home = Home::new();
    let process = home.process();
    let of = |caller: u8, name: &str| {
        let call = NamedCall { caller: [caller; 32], ..call(name, "this") };
        (Beginning { call: call.clone(), ..home.beginning(name, "this", 1) }, call)
    };
    let (begin, other) = of(1, "other");
    assert_eq!(process.begin(begin), Ok(Known::New));
    process.end(other, Some((200, b"{}".to_vec())), home.erasures()).expect("kept");
    let long = vec![b'x'; 2 << 20];
    for n in 0..20 {
        let (begin, call) = of(2, &format!("n{n}"));
        assert_eq!(process.begin(begin), Ok(Known::New));
        process.end(call, Some((200, long.clone())), home.erasures()).expect("kept");
    }
    assert!(matches!(process.begin(of(1, "other").0), Ok(Known::Answered(..))));
    assert!(matches!(process.begin(of(2, "n19").0), Ok(Known::Answered(..))));
    assert_eq!(process.begin(of(2, "n0").0), Ok(Known::New), "the oldest is forgotten");
    let (begin, call) = of(3, "long");
    assert_eq!(process.begin(begin), Ok(Known::New));
    process.end(call, Some((200, vec![b'x'; ANSWER_MAX_BYTES + 1])), home.erasures()).expect("kept");
    assert_eq!(process.begin(of(3, "long").0), Ok(Known::Done), "too long to be kept");
}
