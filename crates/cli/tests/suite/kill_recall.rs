//! Whoever seals, joins, embeds or embeds anew, killed with SIGKILL again and again: recall answers as in a home where
//! nobody was killed.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use super::embeddings::{Deed, Endpoint, use_endpoint, use_model};
use super::place::{Place, copy_files, is_long_run, number, said, say};
use super::random::Random;

/// Texts that are embedded; more than one file of the index.
const TEXTS: usize = 300;
/// Events between two kills of whoever seals them: a little more than make a file.
const SEALED_AT_ONCE: usize = 260;

const QUESTIONS: &str = r#"{"qid":1,"query":"what was said about topic3?"}
{"qid":2,"query":"number17","k":5}
{"qid":3,"query":"the ship in the harbour","k":20}
{"qid":4,"query":"entry","as_of":200}
"#;

fn line(n: usize) -> String {
    const THINGS: [&str; 5] = ["a ship left", "bread was baked", "the engine failed", "rain fell", "somebody sang"];
    said(&format!("entry number{n} about topic{}: {}", n % 11, THINGS[n % THINGS.len()]))
}

fn append(place: &Place, from: usize, count: usize) {
    place.append(&(from..from + count).map(line).collect::<Vec<_>>());
}

/// The answers, byte by byte, and that nothing was said beside them.
fn answers(place: &Place) -> String {
    let answers = place.feed(&["recall", "--queries", "-", "--json"], QUESTIONS).ok();
    assert_eq!(answers.lines().count(), 4);
    answers
}

/// A home with the same log, where everything derived is made in peace.
fn twin(place: &Place) -> Place {
    let twin = Place::new();
    copy_files(&place.space(), &twin.space());
    for derived in ["vectors.db", "vectors.db-wal", "vectors.db-shm"] {
        let _ = std::fs::remove_file(twin.space().join(derived));
    }
    std::fs::copy(place.home().join("config.toml"), twin.home().join("config.toml")).expect("a configuration");
    twin
}

/// Runs the program and kills it after a while. Says whether it had ended before.
fn kill(place: &Place, args: &[&str], after: Duration) -> bool {
    let mut command = place.command(args);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    std::thread::sleep(after);
    let had_ended = child.try_wait().expect("it can be asked").is_some();
    let _ = child.kill();
    let output = child.wait_with_output().expect("it is dead");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!said.contains("error") && !said.contains("panicked"), "{args:?} complained: {said}");
    had_ended
}

/// The files of the index that nobody lists.
fn strays(space: &Path) -> Vec<String> {
    let lanes = space.join("lanes");
    let listed = std::fs::read_to_string(lanes.join("manifest.json")).unwrap_or_default();
    let names = std::fs::read_dir(lanes).into_iter().flatten().flatten();
    let names = names.map(|entry| entry.file_name().into_string().expect("plain names"));
    names
        .filter(|n| !["lock", "manifest.json", "checked.json"].contains(&n.as_str()) && !listed.contains(n.as_str()))
        .collect()
}

#[test]
fn whoever_is_killed_while_sealing_and_joining_leaves_the_same_answers() {
    let rounds = if is_long_run() { 400 } else { 40 };
    let (place, mut random) = (Place::new(), Random::new(31));
    use_model(&place, "none");
    let (mut killed, mut most_strays) = (0, 0);
    for round in 0..rounds {
        append(&place, 2 * round * SEALED_AT_ONCE, SEALED_AT_ONCE);
        for _ in 0..3 {
            killed += usize::from(!kill(&place, &["recall", "a ship"], random.moment(Duration::from_millis(66))));
        }
        most_strays = most_strays.max(strays(&place.space()).len());
        append(&place, (2 * round + 1) * SEALED_AT_ONCE, SEALED_AT_ONCE);
        assert_eq!(place.run(&["recall", "a ship"]).code, 0, "round {round}");
        assert_eq!(strays(&place.space()), [""; 0], "round {round}: the next to write removes what was left");
        if round % 10 == 9 {
            place.verify();
            assert_eq!(answers(&place), answers(&twin(&place)), "round {round}");
        }
    }
    say(&format!(
        "figure: SIGKILL while sealing and joining, {killed} times: {} events, at most {most_strays} files left behind and \
         removed by the next to write, answers equal to an undisturbed twin's",
        2 * rounds * SEALED_AT_ONCE
    ));
    assert!(killed > rounds, "most had ended before they were killed");
}

#[test]
fn whoever_is_killed_while_embedding_leaves_the_same_answers() {
    let rounds = if is_long_run() { 300 } else { 40 };
    let (place, mut random) = (Place::new(), Random::new(32));
    let endpoint = Endpoint::start(Deed::Embed);
    use_model(&place, "builtin");
    append(&place, 0, TEXTS);
    let undisturbed = twin(&place);
    undisturbed.ok(&["dream"]);
    let by_built_in = answers(&undisturbed);
    use_endpoint(&undisturbed, endpoint.url());
    undisturbed.ok(&["reembed"]);
    let by_endpoint = answers(&undisturbed);
    assert_ne!(by_built_in, by_endpoint, "the model matters");

    let mut killed = 0;
    for round in 0..rounds {
        let to_endpoint = random.one_in(3);
        if to_endpoint {
            use_endpoint(&place, endpoint.url())
        } else {
            use_model(&place, "builtin")
        }
        let deeds: [&[&str]; 4] = [&["dream"], &["reembed", "--afresh"], &["reembed"], &["recall", "a ship"]];
        for _ in 0..2 {
            let deed = deeds[usize::try_from(random.below(4)).expect("a small number")];
            killed += usize::from(!kill(&place, deed, random.moment(Duration::from_secs(2))));
        }
        let answer = place.run(&["recall", "a ship"]);
        assert!(answer.code == 0 && !answer.out.is_empty(), "{answer:?}");
        if round % 8 == 7 {
            place.verify();
            place.ok(&[if random.one_in(2) { "dream" } else { "reembed" }]);
            let coverage = &place.json(&["status"])["coverage"];
            let counts = ["embedded", "pending", "retry"].map(|key| number(&coverage[key]));
            assert_eq!(counts, [TEXTS as u64, 0, 0], "round {round}");
            assert_eq!(&answers(&place), if to_endpoint { &by_endpoint } else { &by_built_in }, "round {round}");
        }
    }
    place.verify();
    append(&place, TEXTS, SEALED_AT_ONCE);
    place.run(&["recall", "a ship"]);
    assert_eq!(strays(&place.space()), [""; 0], "the next to write removes what was left");
    say(&format!(
        "figure: SIGKILL while embedding, {killed} times: dreams, new embeddings and changes of the model over {TEXTS} \
         texts; full coverage after the next dream, answers equal to an undisturbed twin's"
    ));
    assert!(killed > rounds / 2, "most had ended before they were killed");
}
