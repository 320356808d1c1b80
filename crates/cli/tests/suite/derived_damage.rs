//! Single bits changed all over what is derived, at rest and under a running server: every answer is that of an untouched
//! twin, and what was repaired is said.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::mpsc;
use std::time::Duration;

use serde_json::{Value, json};

use super::embeddings::{Deed, Endpoint, use_endpoint};
use super::place::{Answer, Place, copy_files, is_long_run, said, say};
use super::random::Random;
use super::server::{Client, Server};

const PAGE_BYTES: u64 = 4096;
/// How long the server may take to look at everything once.
const PATIENCE: Duration = Duration::from_secs(60);
/// Bits that are changed in a short run, and in a long one.
const BITS: (usize, usize) = (48, 2000);

/// What is asked. `log` and `query` read the views, recall and context the index and the vectors too.
const QUESTIONS: [&[&str]; 8] = [
    &["recall", "which tyres does the automobile need", "--json"],
    &["log", "--json", "--author", "ann3", "--limit", "20"],
    &["context", "topic3 number17", "--json"],
    &["fact", "list", "--json"],
    &["note", "list", "--json"],
    &["graph", "--json"],
    &["stats", "--json"],
    &["query", "--json", "--sql", "SELECT author, count(*) AS n FROM events GROUP BY author ORDER BY author"],
];

/// A home with something in every view, an index with sealed files and vectors that are not in it yet.
struct Twin {
    place: Place,
    _endpoint: Endpoint,
    pristine: PathBuf,
    answers: Vec<String>,
}

impl Twin {
    fn new() -> Self {
        let (place, endpoint) = (Place::new(), Endpoint::start(Deed::Embed));
        use_endpoint(&place, endpoint.url());
        let line = |n: usize| {
            json!({"kind": (["user_input", "decision", "test"][n % 3]), "author": format!("ann{}", n % 9),
                "trace_id": format!("t{}", n / 20), "tags": [format!("g{}", n % 5)], "scope": format!("part{}", n % 4),
                "status": (["success", "failure"][n % 2]), "content": format!("entry number{n} about topic{}", n % 9)})
            .to_string()
        };
        place.append(&(0..400).map(line).collect::<Vec<_>>());
        place.ok(&["dream"]);
        for n in 0..12 {
            let (subject, value) = (format!("Ann{n}"), format!("Brno{n}"));
            let fact = format!("{subject} lives in {value}");
            place.ok(&["fact", "store", &fact, "--subject", &subject, "--attribute", "lives_in", "--value", &value]);
            let (title, text) = (format!("Backend timeout {n}"), format!("Give it {n} s to start"));
            assert_eq!(
                place.run(&["note", "write", &title, "--force", "--tag", "backend", "--content", &text]).code,
                0
            );
        }
        // So that most lies in the database files, and not in their write-ahead logs.
        place.ok(&["rebuild"]);
        // These are in no file of the index yet: recall reads their vectors from the database.
        place.append(&(0..8).map(|n| said(&format!("car {n} needs new tyres"))).collect::<Vec<_>>());
        place.ok(&["dream"]);
        let answers: Vec<String> = QUESTIONS.iter().map(|question| place.run(question).ok()).collect();
        for (question, answer) in QUESTIONS.iter().zip(&answers) {
            assert!(answer.len() > 20 && place.run(question).ok() == *answer, "{question:?} says little: {answer}");
        }
        let pristine = place.path("pristine");
        copy_files(&place.space(), &pristine);
        copy_files(&place.space().join("lanes"), &pristine.join("lanes"));
        Self { place, _endpoint: endpoint, pristine, answers }
    }

    /// The files of what is derived, from the folder of the space.
    fn derived(&self) -> Vec<String> {
        let names = |folder: &Path| -> Vec<String> {
            let entries = fs::read_dir(folder).expect("a folder").flatten();
            let files = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
            let mut names: Vec<String> = files.map(|e| e.file_name().into_string().expect("plain names")).collect();
            names.sort();
            names
        };
        let mut all = names(&self.pristine);
        all.retain(|name| name.starts_with("views.db") || name.starts_with("vectors.db"));
        all.extend(names(&self.pristine.join("lanes")).into_iter().map(|name| format!("lanes/{name}")));
        // SQLite makes the shared memory anew.
        all.retain(|name| !name.ends_with("-shm"));
        all.retain(|name| fs::metadata(self.pristine.join(name)).is_ok_and(|file| file.len() > 0));
        all
    }

    /// Asks again where the model had no time to answer, which is another fault than those looked for here.
    fn ask(&self, question: &[&str]) -> Answer {
        let had_time = |answer: &Answer| !answer.err.contains("the embedding model is not available");
        let mut answers = (0..20).map(|_| self.place.run(question));
        answers.find(had_time).expect("the model answers at some time")
    }

    /// Puts everything derived back as it was.
    fn restore(&self) {
        let space = self.place.space();
        for folder in [space.clone(), space.join("lanes")] {
            for entry in fs::read_dir(&folder).expect("a folder").flatten() {
                let name = entry.file_name().into_string().expect("plain names");
                let is_derived = folder != space || name.starts_with("views.") || name.starts_with("vectors.");
                if is_derived && entry.file_type().is_ok_and(|kind| kind.is_file()) && !name.ends_with("lock") {
                    fs::remove_file(entry.path()).expect("it can be removed");
                }
            }
        }
        for name in self.derived() {
            fs::copy(self.pristine.join(&name), space.join(&name)).expect("copied");
        }
    }
}

/// Changes one bit of a file where it lies.
fn flip(file: &Path, bit: u64) {
    let mut file = OpenOptions::new().read(true).write(true).open(file).expect("the file is there");
    let mut byte = [0];
    file.seek(SeekFrom::Start(bit / 8)).expect("a place in it");
    file.read_exact(&mut byte).expect("a byte");
    file.seek(SeekFrom::Start(bit / 8)).expect("a place in it");
    file.write_all(&[byte[0] ^ (1 << (bit % 8))]).expect("written");
}

/// Every page of the databases once, then bits anywhere: half of them in the databases, half in the files of the index.
fn bits(twin: &Twin, count: usize, random: &mut Random) -> Vec<(String, u64)> {
    let length = |name: &str| fs::metadata(twin.pristine.join(name)).expect("a file").len();
    // Whoever loses the end of this one loses vectors, says which texts are found by words only, and embeds them anew.
    let names: Vec<String> = twin.derived().into_iter().filter(|name| name != "vectors.db-wal").collect();
    let mut bits = Vec::new();
    for name in ["views.db", "vectors.db"] {
        let pages = length(name) / PAGE_BYTES;
        assert!(pages > 20, "{name} has {pages} pages");
        // In a short run some of them.
        let step = if is_long_run() { 1 } else { (pages / 12).max(1) };
        let pages = (0..pages).step_by(usize::try_from(step).expect("few"));
        bits.extend(pages.map(|page| (name.to_owned(), page * PAGE_BYTES * 8 + random.below(PAGE_BYTES * 8))));
    }
    for n in 0..count {
        let name = match n % 4 {
            0 => "views.db".to_owned(),
            1 => "vectors.db".to_owned(),
            _ => names[usize::try_from(random.below(names.len() as u64)).expect("few")].clone(),
        };
        let bit = random.below(length(&name) * 8);
        bits.push((name, bit));
    }
    bits
}

#[test]
fn a_changed_bit_at_rest_changes_no_answer() {
    let twin = Twin::new();
    let mut random = Random::new(7);
    let count = if is_long_run() { BITS.1 } else { BITS.0 };
    let mut told: BTreeMap<String, [usize; 2]> = BTreeMap::new();
    for (n, (name, bit)) in bits(&twin, count, &mut random).into_iter().enumerate() {
        twin.restore();
        flip(&twin.place.space().join(&name), bit);
        let mut named = false;
        // The first to come is another one each time; recall, which reads all of it, comes after.
        for at in [n % QUESTIONS.len(), 0] {
            let answer = twin.ask(QUESTIONS[at]);
            let right = (answer.code, answer.out.as_str()) == (0, twin.answers[at].as_str());
            assert!(right, "bit {bit} of {name}, {:?}: {answer:?}\nshould be {}", QUESTIONS[at], twin.answers[at]);
            named |= answer.err.contains("damaged");
        }
        let kind =
            name.split(|c: char| c == '-' && !name.contains("-sums") || c == '.' && name.contains("lanes")).next();
        told.entry(kind.unwrap_or(&name).to_owned()).or_default()[usize::from(named)] += 1;
    }
    for (file, [silent, named]) in &told {
        say(&format!("{file}: {silent} right in silence, {named} right and the repair named, 0 wrong"));
    }
    let (silent, named) = told.values().fold((0, 0), |all, [silent, named]| (all.0 + silent, all.1 + named));
    assert!(named > 10 * silent, "most damage is told, and no answer is wrong: {told:?}");
}

#[test]
fn a_changed_bit_under_a_running_server_changes_no_answer() {
    let twin = Twin::new();
    let server = Server::open(&twin.place);
    let mut client = server.client();
    let questions: [(&str, Value); 4] = [
        ("/v1/recall", json!({"query": "which tyres does the automobile need"})),
        ("/v1/stats", json!({})),
        ("/v1/note/list", json!({})),
        ("/v1/query", json!({"sql": "SELECT author, count(*) AS n FROM events GROUP BY author ORDER BY author"})),
    ];
    let mut ask = |(path, body): &(&str, Value)| {
        let (status, answer) = client.try_post(path, "", &body.to_string()).expect("it answers");
        assert_eq!(status, 200, "{path}: {answer}");
        answer
    };
    let answers: Vec<String> = questions.iter().map(&mut ask).collect();
    let mut random = Random::new(8);
    for n in 0..if is_long_run() { 200 } else { 30 } {
        // What is there now: what was repaired or made anew may have another name.
        let space = twin.place.space();
        let lanes = fs::read_dir(space.join("lanes")).expect("an index").flatten().map(|entry| entry.path());
        let mut files: Vec<PathBuf> = lanes.filter(|file| file.extension().is_some_and(|e| e == "lanes")).collect();
        files.extend(["views.db", "vectors.db"].map(|name| space.join(name)));
        let file = &files[n % files.len()];
        let bytes = fs::metadata(file).expect("a file").len();
        flip(file, random.below(bytes * 8));
        for at in [n % questions.len(), 0, 1] {
            assert_eq!(ask(&questions[at]), answers[at], "{file:?}, {}", questions[at].0);
        }
    }
}

/// Nobody asks: the server reads everything again by itself, and says what it found in its log.
#[test]
fn damage_that_nobody_reads_is_found_by_the_server_and_logged() {
    let twin = Twin::new();
    let mut command = twin.place.command(&["serve", "--listen", "127.0.0.1:0", "--open", "--log", "text"]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut server = command.spawn().expect("the program starts");
    let mut line = String::new();
    BufReader::new(server.stdout.take().expect("piped")).read_line(&mut line).expect("it says where it listens");
    let mut client = Client::connect(line.trim().trim_start_matches("http://")).expect("it listens");
    client.try_post("/v1/stats", "", "{}").expect("it answers");
    flip(&twin.place.space().join("views.db"), 7 * PAGE_BYTES * 8 + 99);
    flip(&twin.place.space().join("vectors.db"), 9 * PAGE_BYTES * 8 + 99);
    let (found, wait) = mpsc::channel();
    let log = BufReader::new(server.stderr.take().expect("piped"));
    std::thread::spawn(move || {
        let lines = log.lines().map_while(Result::ok);
        lines.filter(|line| line.contains("damaged")).try_for_each(|line| found.send(line))
    });
    let mut said: Vec<String> = (0..2).map_while(|_| wait.recv_timeout(PATIENCE).ok()).collect();
    let _ = server.kill();
    let _ = server.wait();
    said.sort();
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(said.iter().any(|line| line.contains("views.db: page 8 does not match its checksum")), "{said:?}");
    assert!(
        said.iter().any(|line| line.contains("vectors.db: page 10") && line.contains("nothing is lost")),
        "{said:?}"
    );
}

#[test]
fn verify_names_the_row_that_differs_and_a_rebuild_heals() {
    let place = Place::new();
    let line = |n: usize| json!({"kind": "test", "author": format!("zebra{n:03}"), "content": "x"}).to_string();
    place.append(&(0..300).map(line).collect::<Vec<_>>());
    assert_eq!(place.run(&["rebuild"]).code, 0, "it says what it repairs");
    place.verify();
    let file = place.space().join("views.db");
    let mut bytes = fs::read(&file).expect("the views are there");
    // In the table, and in whatever index has it as well.
    let places: Vec<usize> = (0..bytes.len() - 8).filter(|at| bytes[*at..].starts_with(b"zebra041")).collect();
    assert!(!places.is_empty());
    places.into_iter().for_each(|at| bytes[at] = b'Z');
    fs::write(&file, bytes).expect("written");
    let answer = place.run(&["verify"]);
    let (what, hint) = answer.refused(1);
    assert!(what.contains("the log is sound, the views are not") && hint.contains("idetic rebuild"), "{what} / {hint}");
    let verdict = place.run(&["verify", "--json"]);
    assert!(
        verdict.out.contains("the view timeline differs from the log: table timeline, row event 42"),
        "{verdict:?}"
    );
    let (_, _) = place.run(&["doctor"]).refused(1);
    assert_eq!(place.run(&["rebuild"]).code, 0, "it says what it repairs");
    place.verify();
}
