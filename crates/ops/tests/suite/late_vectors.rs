//! Vectors that come late, never, or while somebody else is at work: nothing that has its vectors is ever left out.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use idetic_ops::Models;
use idetic_ops::model::{EmbedError, Embedder, ModelId};
use serde_json::{Value, json};

use crate::hashed_words::models;
use crate::hermetic::{Hermetic, counted};

const SPACE: &str = "local/x";
/// What a model cannot read.
const PILL: &str = "pill pill pill pill";

fn first(home: &Hermetic, operation: &str, arguments: &Value) -> Value {
    let lines = home.call(SPACE, operation, &arguments.to_string()).expect("answers");
    serde_json::from_str(&lines[0]).expect("JSON")
}

/// Many events, few texts: what is embedded once serves all.
fn said(n: usize) -> String {
    json!({"kind": "user_input", "id": format!("a{n}"), "agent_id": "coder", "persona": "actor",
           "ts": format!("2025-01-01T{:02}:{:02}:00Z", n / 60 % 24, n % 60), "content": format!("the gull of harbour {}", n % 23)})
    .to_string()
}

#[test]
fn what_nobody_embeds_keeps_nobody_elses_vectors_out_of_the_files() {
    let answers: Vec<Value> = [0, 1, 40]
        .map(|hidden| {
            let home = Hermetic::with(counted(), models(true));
            let thought = |n: usize| {
                json!({"kind": "subconscious_output", "agent_id": "coder", "persona": "subconscious",
                       "ts": "2024-01-01T00:00:00Z", "content": format!("hidden thought {n}")})
                .to_string()
            };
            let mut records: Vec<String> = (0..6000).map(said).collect();
            (0..hidden).for_each(|n| records.insert(n * 7, thought(n)));
            records.chunks(1000).for_each(|batch| home.append(SPACE, batch));
            let ask = json!({"query": "which gull", "agent": "coder", "k": 20, "mode": "vector",
                             "at": "2025-02-01T00:00:00Z"});
            let [_, _, hits] = [(), (), ()].map(|()| first(&home, "recall", &ask)["hits"].clone());
            let status = first(&home, "status", &json!({})).to_string();
            assert!(status.contains(&format!("\"pending\":{hidden}")), "{hidden} hidden: {status}");
            // Once they have theirs, nothing else changes.
            home.call(SPACE, "dream", "{}").expect("dreams");
            let status = first(&home, "status", &json!({})).to_string();
            assert!(status.contains("\"pending\":0"), "{status}");
            hits
        })
        .into();
    assert!(answers[0].as_array().is_some_and(|hits| hits.len() == 20));
    assert_eq!(answers[0], answers[1], "one hidden event that waits");
    assert_eq!(answers[0], answers[2], "several of them");
}

#[test]
fn a_long_text_of_words_that_are_not_counted_waits_for_dream() {
    let home = Hermetic::with(counted(), models(true));
    let long = json!({"kind": "user_input", "content": " a".repeat(20_000)}).to_string();
    home.append(SPACE, &[long, json!({"kind": "user_input", "content": "the gull of harbour 3"}).to_string()]);
    let pending = || first(&home, "status", &json!({}))["coverage"]["pending"].clone();
    first(&home, "recall", &json!({"query": "which gull"}));
    assert_eq!(pending(), 1, "nobody who asks waits for it");
    home.call(SPACE, "dream", "{}").expect("dreams");
    assert_eq!(pending(), 0);
}

/// A model that cannot read one text, or that lets somebody else work while it thinks.
struct Busy {
    inner: Arc<dyn Embedder>,
    meanwhile: Box<dyn Fn() + Send + Sync>,
    refuses: Option<&'static str>,
    began: AtomicBool,
}

impl Embedder for Busy {
    fn id(&self) -> &ModelId {
        self.inner.id()
    }

    fn dimensions(&self) -> usize {
        self.inner.dimensions()
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        if self.refuses.is_some_and(|refused| texts.iter().any(|text| text.contains(refused))) {
            return Err(EmbedError::Wrong("refused".to_owned()));
        }
        if !self.began.swap(true, Ordering::Relaxed) {
            (self.meanwhile)();
        }
        self.inner.embed(texts)
    }
}

fn busy(refuses: Option<&'static str>, meanwhile: impl Fn() + Send + Sync + 'static) -> Models {
    let inner = models(true).wanted.expect("a model");
    let model = Busy { inner, meanwhile: Box::new(meanwhile), refuses, began: AtomicBool::new(false) };
    Models { wanted: Some(Arc::new(model)), local: true, ..Models::default() }
}

#[test]
fn a_slow_success_after_anothers_failure_is_not_lost() {
    let mut home = Hermetic::new();
    let record = |n: usize| {
        let text = if n == 5 { PILL.to_owned() } else { format!("text{n} of them") };
        json!({"kind": "user_input", "id": format!("n{n}"), "content": text}).to_string()
    };
    home.append(SPACE, &(0..300).map(record).collect::<Vec<_>>());
    let others = Arc::new(AtomicUsize::new(0));
    let (folder, env, count) = (home.folder.path().to_owned(), home.env.clone(), Arc::clone(&others));
    home.models = busy(None, move || {
        // Another process dreams from beginning to end, and cannot read one of the texts.
        let other = Elsewhere { folder: folder.clone(), env: env.clone() };
        other.dream(&busy(Some(PILL), || {}));
        count.fetch_add(1, Ordering::Relaxed);
    });
    home.call(SPACE, "dream", "{}").expect("dreams");
    assert_eq!(others.load(Ordering::Relaxed), 1, "the other dream came between");
    home.models = models(true);
    let found = first(&home, "recall", &json!({"query": PILL, "mode": "vector", "k": 1}));
    assert_eq!(found["hits"][0]["id"], "n5", "{found}");
}

#[test]
fn what_was_said_last_is_embedded_before_a_backlog() {
    let home = Hermetic::with(counted(), models(true));
    let record =
        |n: usize| json!({"kind": "user_input", "id": format!("n{n}"), "content": format!("text{n}")}).to_string();
    home.append(SPACE, &(0..400).map(record).collect::<Vec<_>>());
    let found = first(&home, "recall", &json!({"query": "text399", "mode": "vector", "k": 1}));
    assert_eq!(found["hits"][0]["id"], "n399", "{found}");
    let status = first(&home, "status", &json!({})).to_string();
    assert!(!status.contains("\"pending\":0"), "the others wait: {status}");
}

#[test]
fn what_is_erased_while_it_is_embedded_leaves_no_vector() {
    let mut home = Hermetic::new();
    let record =
        |n: usize| json!({"kind": "user_input", "id": format!("n{n}"), "content": format!("text{n}")}).to_string();
    home.append(SPACE, &(0..3).map(record).collect::<Vec<_>>());
    let (folder, env) = (home.folder.path().to_owned(), home.env.clone());
    home.models = busy(None, move || {
        let other = Elsewhere { folder: folder.clone(), env: env.clone() };
        other.run("purge", r#"{"event":"n1","yes":true}"#, &Models::default());
    });
    home.call(SPACE, "dream", "{}").expect("dreams");
    home.models = models(true);
    home.call(SPACE, "dream", "{}").expect("dreams");
    let id = home.models.wanted.as_ref().expect("a model").id().to_string();
    let memory = home.memory();
    let space = memory.space(&idetic_ops::core::SpaceName::parse(SPACE).expect("a name")).expect("a space");
    assert_eq!(space.vectors().counts().expect("counted"), [(id, 2)], "one for each text that is left");
}

/// The same home, opened by somebody else.
struct Elsewhere {
    folder: std::path::PathBuf,
    env: idetic_ops::Env,
}

impl Elsewhere {
    fn dream(&self, models: &Models) {
        self.run("dream", "{}", models);
    }

    fn run(&self, operation: &str, arguments: &str, models: &Models) {
        use idetic_ops::core::SpaceName;
        use idetic_ops::{Home, OwnerContext, find};
        let home = Home { folder: self.folder.clone(), found_by: "test".to_owned(), make_on_use: false, log_url: None };
        let (mut reply, mut progress, mut notice) = (|_| Ok(()), |_, _| {}, |_: &str| {});
        let name = SpaceName::parse(SPACE).expect("a name");
        let mut cx = OwnerContext::new(home, Some(name), self.env.clone(), &mut reply, &mut progress, &mut notice);
        let given = |_: &_| Ok(models.clone());
        cx.models = &given;
        (find(operation).expect("known").from_json)(&mut cx, arguments).expect("done");
    }
}

#[test]
fn a_question_does_not_wait_for_long_texts_and_they_wait_for_a_dream() {
    let home = Hermetic::with(counted(), models(true));
    let long = |n: usize| {
        let words: Vec<String> = (0..3000).map(|w| format!("word{w}x{n}")).collect();
        json!({"kind": "user_input", "id": format!("long{n}"), "content": words.join(" ")}).to_string()
    };
    let short = json!({"kind": "user_input", "id": "short", "content": "the ferry leaves at noon"}).to_string();
    home.append(SPACE, &[long(1), long(2), short]);
    let found = first(&home, "recall", &json!({"query": "ferry at noon", "k": 1}));
    assert_eq!(found["hits"][0]["id"], "short");
    let status = |home: &Hermetic, status: &str| home.call(SPACE, "ltm", &json!({"status": status}).to_string());
    assert_eq!(status(&home, "embedded").expect("answers").len(), 1, "what is short has its vectors already");
    assert_eq!(status(&home, "pending").expect("answers").len(), 2, "what is long waits");
    home.call(SPACE, "dream", "{}").expect("dreams");
    assert_eq!(status(&home, "pending").expect("answers").len(), 0);
}

#[test]
fn the_owners_long_term_memory_has_no_subconscious_in_it_unless_asked_for() {
    let home = Hermetic::new();
    let side = |persona: &str| {
        json!({"kind": "user_input", "id": persona, "agent_id": "coder", "persona": persona, "content": "said"})
            .to_string()
    };
    home.append(SPACE, &[side("actor"), side("subconscious")]);
    let ids = |arguments: Value| {
        let lines = home.call(SPACE, "ltm", &arguments.to_string()).expect("answers");
        lines.iter().map(|line| serde_json::from_str::<Value>(line).expect("JSON")["id"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(ids(json!({})), ["actor"]);
    assert_eq!(ids(json!({"agent": "coder", "persona": "subconscious"})), ["actor", "subconscious"]);
}

#[test]
fn a_grade_that_somebody_gave_outlives_every_dream() {
    let home = Hermetic::new();
    home.append(
        SPACE,
        &[
            json!({"kind": "user_input", "id": "given", "content": "graded by hand"}).to_string(),
            json!({"kind": "user_input", "id": "cited", "content": "graded by citations"}).to_string(),
            json!({"kind": "user_input", "refs": ["given", "cited"], "content": "cites both"}).to_string(),
            json!({"kind": "memory.regraded", "causes": ["given"], "metadata": {"grades": {"given": 1.0}}}).to_string(),
        ],
    );
    for _ in 0..2 {
        home.call(SPACE, "dream", "{}").expect("dreams");
    }
    let entries = home.call(SPACE, "ltm", "{}").expect("answers");
    let importance = |id: &str| {
        let all = entries.iter().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
        all.filter(|entry| entry["id"] == id).map(|entry| entry["importance"].clone()).next_back()
    };
    assert_eq!(importance("given"), Some(json!(1.0)), "{entries:?}");
    assert!(importance("cited").and_then(|i| i.as_f64()).is_some_and(|i| (i - 0.6).abs() < 1e-6), "{entries:?}");
}

#[test]
fn the_same_id_twice_in_one_batch_of_a_view_is_told_as_such() {
    let home = Hermetic::new();
    home.append(SPACE, &[json!({"kind": "user_input", "agent_id": "other", "content": "hidden"}).to_string()]);
    let twice = json!({"agent": "coder", "events": [
        {"kind": "user_input", "id": "d", "content": "one"}, {"kind": "user_input", "id": "d", "content": "two"}]});
    let error = home.call(SPACE, "append", &twice.to_string()).expect_err("a conflict");
    assert_eq!(error.kind, idetic_ops::Kind::Conflict, "{error}");
    assert!(error.to_string().contains("nothing was appended"), "{error}");
    let status = first(&home, "status", &json!({}));
    assert_eq!(status["events"], 1, "{status}");
}
