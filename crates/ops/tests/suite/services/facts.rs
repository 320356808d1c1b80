//! Facts: stored, joined, updated, ended, deleted, with everything they cite.

use idetic_core::SpaceName;
use idetic_ops::ExtractionFilter;
use serde_json::{Value, json};

use crate::hashed_words::models;
use crate::hermetic::{Hermetic, counted};

pub(super) fn one(home: &Hermetic, operation: &str, arguments: Value) -> Value {
    let lines = home
        .call("local/x", operation, &arguments.to_string())
        .unwrap_or_else(|e| panic!("{operation}: {e} {}", e.hint));
    serde_json::from_str(lines.first().expect("an answer")).expect("JSON")
}

pub(super) fn home() -> Hermetic {
    Hermetic::with(counted(), models(true))
}

#[test]
fn a_fact_has_the_form_of_the_specification_and_cites_its_events() {
    let home = home();
    home.append("local/x", &[json!({"kind":"user_input","id":"said-1","content":"We ship on Thursdays"}).to_string()]);
    let stored = one(
        &home,
        "fact store",
        json!({"content":"The team ships on Thursdays","source":"conv-9",
        "causes":["said-1"],"metadata":{"team":"core"},"user":"local","collection":"x"}),
    );
    assert_eq!((&stored["done"], &stored["error"]), (&json!("stored"), &Value::Null));
    let found = one(&home, "fact retrieve", json!({"query":"when does the team ship?"}));
    let fact = &found["facts"][0];
    assert_eq!(fact["id"], stored["fact_id"]);
    assert_eq!(
        (&fact["content"], &fact["source"], &fact["embedding"]),
        (&json!("The team ships on Thursdays"), &json!("conv-9"), &Value::Null)
    );
    assert_eq!(fact["metadata"], json!({"team":"core"}));
    assert_eq!(fact["causes"], json!([stored["event"], "said-1"]));
    assert_eq!(fact["trust"], "agent", "no more than its best source");
    let shown = one(&home, "fact retrieve", json!({"query":"when does the team ship?","embeddings":true}));
    assert_eq!(shown["facts"][0]["embedding"].as_array().map(Vec::len), Some(16));
}

#[test]
fn what_says_the_same_joins_and_each_source_is_kept() {
    let home = home();
    for n in 0..3 {
        home.append("local/x", &[json!({"kind":"user_input","id":format!("s{n}"),"content":"..."}).to_string()]);
    }
    let first = one(&home, "fact store", json!({"text":"Ann lives in Brno.","causes":["s0"]}));
    let second = one(&home, "fact store", json!({"text":"ann is living in brno","causes":["s1"]}));
    assert_eq!((&second["done"], &second["fact_id"]), (&json!("joined"), &first["fact_id"]));
    let other = one(&home, "fact store", json!({"text":"Ann does not live in Brno","causes":["s2"]}));
    assert_eq!(other["done"], "stored");
    let fact = one(&home, "fact get", json!({"fact":first["fact_id"]}));
    assert_eq!(fact["sources"], 2);
    assert!(fact["confidence"].as_f64() > Some(0.8), "{fact}");
    for source in ["s0", "s1"] {
        assert!(fact["causes"].as_array().is_some_and(|causes| causes.contains(&json!(source))), "{fact}");
    }
    assert_eq!(fact["conflicts"][0]["fact"], other["fact_id"], "never hidden: {fact}");
    let pairs = home.call("local/x", "fact conflicts", "{}").expect("answers");
    assert_eq!(pairs.len(), 1);
}

#[test]
fn a_fact_is_updated_ended_deleted_and_its_history_tells() {
    let home = home();
    let stored = one(
        &home,
        "fact store",
        json!({"text":"The port is 8443","subject":"server","attribute":"port","value":"8443","at":"2024-06-01"}),
    );
    let id = &stored["fact_id"];
    one(&home, "fact update", json!({"fact":id,"text":"The port is 9443","value":"9443"}));
    let found = one(&home, "fact retrieve", json!({"query":"which port?"}));
    assert_eq!((found["facts"].as_array().map(Vec::len), &found["facts"][0]["value"]), (Some(1), &json!("9443")));
    one(&home, "fact update", json!({"fact":id,"until":"2025-01-01T00:00:00Z"}));
    assert_eq!(one(&home, "fact retrieve", json!({"query":"which port?"}))["facts"], json!([]));
    let gone = one(&home, "fact delete", json!({"fact":id,"reason":"moved"}));
    assert_eq!(gone["done"], "deleted");
    let history = home.call("local/x", "fact history", &json!({"fact":id}).to_string()).expect("answers");
    let done: Vec<Value> =
        history.iter().map(|line| serde_json::from_str::<Value>(line).expect("JSON")["done"].clone()).collect();
    assert_eq!(done, ["stored", "updated", "ended", "deleted"]);
    assert!(history[2].contains(r#""valid_until":"2025-01-01"#), "{}", history[2]);
    assert!(history[3].contains(r#""reason":"moved""#), "{}", history[3]);
    let refused = home.call("local/x", "fact get", &json!({"fact":id}).to_string()).expect_err("deleted");
    assert!(refused.message.contains("deleted"), "{refused}");
    // Nothing of it is recalled either.
    let recalled = one(&home, "recall", json!({"query":"port 8443 9443"}));
    assert_eq!(recalled["hits"], json!([]), "{recalled}");
    // Whoever ends a fact without a word of when ended it then.
    let other = one(&home, "fact store", json!({"text":"The bell rings at noon","at":"2024-01-01"}));
    home.append("local/x", &[json!({"kind":"fact.ended","metadata":{"fact":other["fact_id"]}}).to_string()]);
    let ended = home.call("local/x", "fact history", &json!({"fact":other["fact_id"]}).to_string()).expect("answers");
    assert!(ended[1].contains(r#""done":"ended""#) && !ended[1].contains(r#""valid_until":null"#), "{}", ended[1]);
}

#[test]
fn many_values_stand_beside_each_other_and_the_opposite_is_a_possible_contradiction() {
    let home = home();
    for (attribute, value) in [("likes", "tea"), ("likes", "coffee"), ("dislikes", "tea")] {
        one(
            &home,
            "fact store",
            json!({"text":format!("Ann {attribute} {value}"),"subject":"Ann","attribute":attribute,"value":value}),
        );
    }
    let listed = home.call("local/x", "fact list", r#"{"subject":"ann"}"#).expect("answers");
    assert_eq!(listed.len(), 3);
    let pairs = home.call("local/x", "fact conflicts", "{}").expect("answers");
    assert_eq!(pairs.len(), 1, "{pairs:?}");
    assert!(pairs[0].contains("opposite"));
}

#[test]
fn facts_are_edges_of_the_graph() {
    let home = home();
    one(&home, "fact store", json!({"text":"Ann works at Acme","subject":"Ann","attribute":"works_at","value":"Acme"}));
    let graph = one(&home, "graph", json!({"node":"Ann"}));
    assert_eq!(graph["edges"][0]["to"], "Acme", "{graph}");
    assert_eq!(graph["edges"][0]["relation"], "states");
    // What ended, and what is not yet so, is no edge; as of then it is.
    let past = json!({"text":"Ann lived in Graz","subject":"Ann","attribute":"lived_in","value":"Graz","until":"2020-01-01","at":"2010-01-01"});
    let coming =
        json!({"text":"Ann moves to Linz","subject":"Ann","attribute":"moves_to","value":"Linz","at":"2999-01-01"});
    for fact in [past, coming] {
        one(&home, "fact store", fact);
    }
    assert_eq!(one(&home, "graph", json!({"node":"Ann"}))["edges"].as_array().map(Vec::len), Some(1));
    let acme = one(&home, "fact list", json!({"attribute":"works_at"}));
    one(&home, "fact update", json!({"fact":acme["id"],"value":"Initech"}));
    let graph = one(&home, "graph", json!({"node":"Ann"}));
    assert_eq!(graph["edges"][0]["to"], "Initech", "{graph}");
    assert_eq!(one(&home, "graph", json!({"node":"Ann","as_of":"1"}))["edges"][0]["to"], "Acme");
}

#[test]
fn a_part_that_changes_changes_the_words_and_an_end_can_be_taken_back() {
    let home = home();
    let port =
        json!({"text":"The port is 8443.","subject":"server","attribute":"port","value":"8443","at":"2024-06-01"});
    let id = one(&home, "fact store", port)["fact_id"].clone();
    one(&home, "fact update", json!({"fact":id,"value":"9443"}));
    assert_eq!(one(&home, "fact get", json!({"fact":id}))["content"], "The port is 9443.");
    one(&home, "fact update", json!({"fact":id,"attribute":"admin_port"}));
    assert_eq!(one(&home, "fact get", json!({"fact":id}))["content"], "The admin port is 9443.");
    one(&home, "fact update", json!({"fact":id,"subject":"proxy"}));
    assert_eq!(one(&home, "fact get", json!({"fact":id}))["content"], "proxy admin port 9443");
    one(&home, "fact update", json!({"fact":id,"subject":"server"}));
    for (until, holds) in [("2025-01-01", 0), ("2999-01-01", 1), ("2024-12-01", 0), ("never", 1)] {
        let done = one(&home, "fact update", json!({"fact":id,"until":until}));
        assert_eq!(done["done"], if until == "never" { "reopened" } else { "ended" });
        assert_eq!(home.call("local/x", "fact list", "{}").expect("answers").len(), holds, "until {until}");
    }
    home.call("local/x", "fact update", &json!({"fact":id,"until":"never"}).to_string()).expect_err("it has no end");
    home.call("local/x", "fact update", &json!({"fact":id,"at":"2030-01-01","until":"2029-01-01"}).to_string())
        .expect_err("it would end before it begins");
    // What another value took the place of ends there, whatever is said of its own end.
    let next = json!({"text":"The admin port is 7000","subject":"server","attribute":"admin_port","value":"7000","at":"2025-06-01"});
    one(&home, "fact store", next);
    let never = json!({"fact":id,"until":"never"}).to_string();
    let refused = home.call("local/x", "fact update", &never).expect_err("another took its place");
    assert!(refused.message.contains("took its place"), "{refused}");
    one(&home, "fact update", json!({"fact":id,"until":"2026-01-01"}));
    let old = one(&home, "fact get", json!({"fact":id}));
    assert!(old["valid_until"].as_str().is_some_and(|until| until.starts_with("2025-06-01")), "{old}");
}

#[test]
fn what_was_over_when_it_was_told_was_true_before() {
    let home = home();
    one(&home, "fact store", json!({"text":"Cyd lives in Rome","until":"2020-01-01"}));
    one(&home, "fact store", json!({"text":"Cyd lives in Bonn","at":"2020-01-01"}));
    let at = |at: &str| home.call("local/x", "fact list", &json!({"at":at}).to_string()).expect("answers").join("");
    assert!(at("2019-01-01").contains("Rome") && !at("2019-01-01").contains("Bonn"));
    assert!(at("2024-01-01").contains("Bonn") && !at("2024-01-01").contains("Rome"));
}

#[test]
fn what_was_said_to_an_agent_stays_with_it_whoever_takes_facts_from_it() {
    let home = home();
    one(&home, "conversation add", json!({"query":"I live in Kiel.","id":"c1","agent":"coder"}));
    one(&home, "fact store", json!({"text":"The user lives in Kiel."}));
    one(&home, "conversation add", json!({"query":"I no longer live in Kiel.","id":"c2","agent":"coder"}));
    for conversation in ["c1", "c2"] {
        home.call("local/x", "conversation end", &json!({"conversation":conversation}).to_string()).expect("ends");
    }
    let listed = |agent: &str| {
        home.call("local/x", "fact list", &json!({"agent":agent,"all":true}).to_string()).expect("answers")
    };
    assert_eq!(listed("other").len(), 1, "what is shared: {:?}", listed("other"));
    assert!(!listed("other")[0].contains("\"valid_until\":\""), "and that did not end: {:?}", listed("other"));
    assert_eq!(listed("coder").len(), 2, "{:?}", listed("coder"));
    home.call("local/x", "conversation show", r#"{"conversation":"c1","agent":"other"}"#).expect_err("not theirs");
}

#[test]
fn what_a_number_tells_apart_is_no_contradiction() {
    let home = home();
    for (server, system) in [("Server 1", "Debian"), ("Server 2", "Debian")] {
        let text = format!("{server} runs {system}");
        one(&home, "fact store", json!({"text":text,"subject":server,"attribute":"system","value":system}));
    }
    assert_eq!(home.call("local/x", "fact conflicts", "{}").expect("answers"), Vec::<String>::new());
    for state in ["enabled", "disabled"] {
        one(&home, "fact store", json!({"text":format!("Dark mode is {state} by default")}));
    }
    assert_eq!(home.call("local/x", "fact conflicts", "{}").expect("answers").len(), 1, "opposites are listed");
}

#[test]
fn a_query_embedding_is_of_the_model_in_use_or_refused() {
    let home = home();
    one(&home, "fact store", json!({"text":"The build needs Node 20"}));
    let vector = vec![0.25; 16];
    let short = json!({"embedding":[0.1, 0.2]});
    let refused = home.call("local/x", "fact retrieve", &short.to_string()).expect_err("too short");
    assert!(refused.message.contains("must have 16 numbers"), "{refused}");
    assert_eq!(one(&home, "fact retrieve", json!({"embedding":vector}))["facts"].as_array().map(Vec::len), Some(1));
    let empty = json!({"query":"Node","embedding":[]});
    assert_eq!(one(&home, "fact retrieve", empty)["facts"].as_array().map(Vec::len), Some(1));
    let other = json!({"embedding":vector,"embedding_model":"other"});
    assert!(
        home.call("local/x", "fact retrieve", &other.to_string()).expect_err("another").message.contains("is in use")
    );
    let right = json!({"embedding":vector,"embedding_model":"hashed-words"});
    assert_eq!(one(&home, "fact retrieve", right)["facts"].as_array().map(Vec::len), Some(1));
}

#[test]
fn what_expires_is_gone_by_itself_and_a_dream_says_so_in_the_log() {
    let home = home();
    one(&home, "fact store", json!({"text":"The guest wifi is called Otter","ttl_days":1}));
    one(&home, "episode store", json!({"goal":"Fix the wifi","ttl_days":1,"status":"success"}));
    assert_eq!(one(&home, "fact retrieve", json!({"query":"wifi"}))["facts"].as_array().map(Vec::len), Some(1));
    for _ in 0..90_000 {
        home.env.now();
    }
    assert_eq!(one(&home, "fact retrieve", json!({"query":"wifi"}))["facts"], json!([]));
    assert_eq!(one(&home, "episode retrieve", json!({"query":"wifi"}))["episodes"], json!([]));
    let dreamt = one(&home, "dream", json!({}));
    assert_eq!(dreamt["consolidated"]["expired"], 2, "{dreamt}");
    assert_eq!(one(&home, "dream", json!({}))["consolidated"]["expired"], 0);
}

#[test]
fn what_is_not_ones_own_is_not_changed_and_what_is_opposite_is_not_joined() {
    let home = home();
    let shared = one(&home, "fact store", json!({"text":"The server is up"}));
    for (operation, arguments) in [
        ("fact delete", json!({"fact": shared["fact_id"], "agent": "coder"})),
        ("fact update", json!({"fact": shared["fact_id"], "agent": "coder", "text": "The server is down"})),
    ] {
        let refused = home.call("local/x", operation, &arguments.to_string()).expect_err("not its own");
        assert!(refused.message.contains("does not belong to agent coder"), "{refused}");
    }
    for other in ["The server is down", "The server was up", "My server is up"] {
        assert_eq!(one(&home, "fact store", json!({"text": other}))["done"], "stored", "{other}");
    }
    assert_eq!(one(&home, "fact store", json!({"text": "the server is still up!"}))["done"], "joined");
    let status = one(
        &home,
        "conversation add",
        json!({"conversation_id": "c1", "user": "local", "collection": "x",
        "invocation_summary": {"query": "q", "summary": "s", "result": "r"}}),
    );
    assert_eq!(status["success"], true);
}

#[test]
fn a_correction_outlives_the_next_extraction() {
    let home = home();
    home.append(
        "local/x",
        &[json!({"kind":"user_input","id":"m1","content":"I live in Graz.","conversation_id":"c1"}).to_string()],
    );
    // What the rules take they take once, whatever became of it since.
    let ended = one(&home, "conversation add", json!({"query":"hello","conversation_id":"c1"}));
    assert_eq!(ended["success"], true);
    let promoted = home.call("local/x", "conversation end", r#"{"conversation":"c1"}"#).expect("answers");
    let fact: Value = serde_json::from_str(promoted.last().expect("a fact")).expect("JSON");
    assert_eq!((&fact["value"], &fact["done"]), (&json!("Graz"), &json!("stored")), "{promoted:?}");
    one(&home, "fact update", json!({"fact": fact["fact_id"], "text": "The user lives in Linz", "value": "Linz"}));
    one(&home, "conversation add", json!({"query":"hello again","conversation_id":"c1"}));
    home.call("local/x", "conversation end", r#"{"conversation":"c1"}"#).expect("answers");
    let found = one(&home, "fact retrieve", json!({"query":"where does the user live?"}));
    assert_eq!(
        (found["facts"].as_array().map(Vec::len), &found["facts"][0]["value"]),
        (Some(1), &json!("Linz")),
        "{found}"
    );
    assert_eq!(found["facts"][0]["trust"], "user");
}

#[test]
fn a_dream_merges_facts_that_came_to_say_the_same() {
    let home = home();
    let first = one(
        &home,
        "fact store",
        json!({"text":"Ann works at Acme","subject":"Ann","attribute":"works_at","value":"Acme","many":true}),
    );
    let second = one(
        &home,
        "fact store",
        json!({"text":"Acme is where Ann earns her money","subject":"Acme","attribute":"pays","value":"Ann","many":true}),
    );
    assert_ne!(first["fact_id"], second["fact_id"]);
    one(
        &home,
        "fact update",
        json!({"fact": second["fact_id"], "subject":"Ann", "attribute":"works_at", "value":"Acme"}),
    );
    assert_eq!(one(&home, "dream", json!({}))["consolidated"]["facts_merged"], 1);
    let kept = one(&home, "fact get", json!({"fact": first["fact_id"]}));
    assert!(kept["sources"].as_i64() >= Some(2), "{kept}");
    assert_eq!((&kept["subject"], &kept["value"]), (&json!("Ann"), &json!("Acme")), "parts are kept");
    assert_eq!(home.call("local/x", "fact list", r#"{"all":true}"#).expect("answers").len(), 1);
    assert_eq!(one(&home, "dream", json!({}))["consolidated"]["facts_merged"], 0);
    let plain = one(&home, "fact store", json!({"text":"Gelato makes Tomasz glad"}));
    let known = json!({"text":"Tomasz eats gelato last","subject":"Tomasz","attribute":"dessert","value":"gelato"});
    let known = one(&home, "fact store", known);
    one(&home, "fact update", json!({"fact":known["fact_id"],"text":"Gelato makes Tomasz glad"}));
    assert_eq!(one(&home, "dream", json!({}))["consolidated"]["facts_merged"], 1);
    let merged = one(&home, "fact get", json!({"fact":plain["fact_id"]}));
    assert_eq!((&merged["subject"], &merged["value"]), (&json!("Tomasz"), &json!("gelato")), "{merged}");
    one(&home, "purge", json!({"matching":"gelato", "yes": true}));
    // Without the one it was merged into, the other is as it was.
    one(&home, "purge", json!({"fact": first["fact_id"], "yes": true}));
    let left = home.call("local/x", "fact list", "{}").expect("answers");
    assert!(left.len() == 1 && left[0].contains(second["fact_id"].as_str().expect("an id")), "{left:?}");
}

#[test]
fn what_was_recalled_is_no_evidence_until_it_is_erased() {
    let home = home();
    let said = |conversation: &str, content: &str| {
        json!({"kind":"user_input","conversation_id":conversation,"content":content}).to_string()
    };
    let reminded = |conversation: &str, id: &str| {
        json!({"kind":"memory.recalled","conversation_id":conversation,"metadata":{"events":[id]}}).to_string()
    };
    home.append(
        "local/x",
        &["Brno", "Graz"].map(|town| {
            json!({"id":town,"kind":"user_input","conversation_id":"past","content":format!("I live in {town}."),
                   "author":"Ann"})
            .to_string()
        }),
    );
    let memory = home.memory();
    let space = memory.space(&SpaceName::parse("local/x").expect("a name")).expect("a space");
    let found = |conversation: &str| {
        let words = ExtractionFilter { conversation: Some(conversation.to_owned()), loop_id: None };
        let found = space.as_owner().extract_by_rules(&words, true).expect("looks");
        found.into_iter().map(|fact| fact.value).collect::<Vec<_>>()
    };
    // More conversations than are kept in mind, and each is looked at again after it was reminded of something more.
    for n in 0..40 {
        home.append("local/x", &[reminded(&format!("c{n}"), "Brno"), said(&format!("c{n}"), "Ann lives in Brno.")]);
        assert_eq!(found(&format!("c{n}")), Vec::<String>::new(), "conversation {n}");
    }
    for n in [0, 39, 0] {
        home.append("local/x", &[said(&format!("c{n}"), "Ann lives in Graz.")]);
        assert!(found(&format!("c{n}")).contains(&"Graz".to_owned()), "nobody had said so in conversation {n}");
    }
    home.append("local/x", &[reminded("c39", "Graz")]);
    assert_eq!(found("c39"), Vec::<String>::new());
    assert!(found("c0").contains(&"Graz".to_owned()), "conversations are told apart");
    // What a turn said first was not recalled there, even if it is put before later turns.
    home.append(
        "local/x",
        &[json!({"id":"own","kind":"user_input","conversation_id":"c50","content":"I live in Linz."}).to_string()],
    );
    home.append("local/x", &[reminded("c50", "own"), said("c50", "You know that I live in Linz.")]);
    assert_eq!(found("c50"), ["Linz"], "the first turn alone says so");
    // Another process erases what was recalled: this one forgets that it was.
    one(&home, "purge", json!({"event":"Brno","yes":true}));
    assert_eq!(found("c39"), ["Brno"]);
}

#[test]
fn one_sentence_states_several_things_and_what_is_not_so_is_a_fact() {
    let home = home();
    let say = |id: &str, content: &str| {
        let event = json!({"id":id,"kind":"user_input","conversation_id":"c","content":content});
        home.append("local/x", &[event.to_string()]);
    };
    let end = || {
        one(&home, "conversation add", json!({"query":"hello","conversation_id":"c"}));
        let lines = home.call("local/x", "conversation end", r#"{"conversation":"c"}"#).expect("answers");
        lines.len() - 1
    };
    let listed = || {
        let lines = home.call("local/x", "fact list", "{}").expect("answers");
        let text =
            |line: &String| serde_json::from_str::<Value>(line).expect("JSON")["content"].as_str().map(str::to_owned);
        let mut texts: Vec<String> = lines.iter().filter_map(text).collect();
        texts.sort();
        texts
    };
    say("m1", "My wife Ana lives in Lima. I don't drink coffee. I drink tea.");
    assert_eq!(end(), 4);
    let all = [
        "The user does not drink coffee.",
        "The user drinks tea.",
        "The user's wife Ana lives in Lima.",
        "The user's wife is Ana.",
    ];
    assert_eq!(listed(), all);
    assert_eq!(end(), 0, "what was taken is not taken again");
    // What was so and is denied has ended, and that it is not so is known.
    say("m2", "I don't drink tea.");
    assert_eq!(end(), 2);
    assert_eq!(listed(), [all[0], "The user does not drink tea.", all[2], all[3]]);
    assert_eq!(end(), 0);
}

#[test]
fn what_is_over_or_not_yet_so_is_in_no_context() {
    let home = home();
    one(&home, "fact store", json!({"text":"Ann lives in Oslo","at":"2020-01-01"}));
    one(&home, "fact store", json!({"text":"Ann lives in Lima","at":"2099-01-01"}));
    one(&home, "fact store", json!({"text":"Bob lives in Graz","at":"2020-01-01","until":"2021-01-01"}));
    let context = |query: &str, at: Option<&str>| {
        let mut asked = json!({"query":query});
        if let Some(at) = at {
            asked["at"] = at.into();
        }
        one(&home, "context", asked)["text"].as_str().unwrap_or_default().to_owned()
    };
    let now = context("where does Ann live?", None);
    assert!(now.contains("Oslo") && !now.contains("Lima"), "{now}");
    assert!(!context("where does Bob live?", None).contains("Graz"));
    let recalled = one(&home, "recall", json!({"query":"where does Ann live?"}));
    assert!(recalled["hits"][0]["text"].as_str().is_some_and(|text| text.contains("Oslo")), "{recalled}");
    // What is told of long ago, and told last, does not set the clock back.
    let past = json!({"kind":"user_input","ts":"2001-01-01T00:00:00Z","content":"Where did Ann live as a child?"});
    home.append("local/x", &[past.to_string()]);
    let hits = one(&home, "recall", json!({"query":"Ann lives in Oslo","k":1}));
    assert!(hits["hits"][0]["text"].as_str().is_some_and(|text| text.contains("Oslo")), "{hits}");
    assert!(context("where does Ann live?", None).contains("Oslo"));
}

#[test]
fn words_are_one_source_however_many_take_facts_from_them_at_once() {
    let home = home();
    for n in 0..20 {
        let said = json!({"kind":"user_input","conversation_id":"c","content":format!("My dog number {n} is Rex{n}. I live in Town{n}.")});
        home.append("local/x", &[said.to_string()]);
    }
    let memory = home.memory();
    let space = memory.space(&SpaceName::parse("local/x").expect("a name")).expect("a space");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let words = ExtractionFilter { conversation: Some("c".to_owned()), loop_id: None };
                space.as_owner().extract_by_rules(&words, false).expect("takes");
            });
        }
    });
    let lines = home.call("local/x", "fact list", r#"{"all":true}"#).expect("answers");
    assert!(lines.len() >= 20, "{lines:?}");
    for line in lines {
        let fact: Value = serde_json::from_str(&line).expect("JSON");
        assert_eq!(fact["sources"], 1, "{fact}");
    }
}

#[test]
fn a_short_answer_and_a_correction_say_what_was_asked_and_meant() {
    let home = home();
    let said = |id: &str, kind: &str, author: &str, content: &str| {
        json!({"id": id, "kind": kind, "author": author, "conversation_id": "c1", "content": content}).to_string()
    };
    home.append(
        "local/x",
        &[
            said("a1", "actor_output", "assistant", "Where do you live?"),
            said("a2", "user_input", "Ann", "Leipzig."),
            said("a3", "user_input", "Ann", "My dentist appointment is on Thursday."),
            said("a4", "user_input", "Ann", "Sorry, I meant Friday."),
            // A tool asks nobody anything.
            json!({"id": "a5", "kind": "tool_result", "trust": "tool", "conversation_id": "c1",
                   "content": "Where do you work?"})
            .to_string(),
            said("a6", "user_input", "Ann", "Acme."),
        ],
    );
    let memory = home.memory();
    let space = memory.space(&SpaceName::parse("local/x").expect("a name")).expect("a space");
    let words = ExtractionFilter { conversation: Some("c1".to_owned()), loop_id: None };
    let found = space.as_owner().extract_by_rules(&words, true).expect("looks");
    let told: Vec<(&str, &str)> = found.iter().map(|fact| (fact.event.as_str(), fact.content.as_str())).collect();
    assert!(told.iter().any(|(event, text)| *event == "a2" && text.contains("lives in Leipzig")), "{told:?}");
    assert!(told.iter().any(|(event, text)| *event == "a4" && text.contains("Friday")), "{told:?}");
    assert!(told.iter().all(|(event, _)| *event != "a6"), "{told:?}");
}
