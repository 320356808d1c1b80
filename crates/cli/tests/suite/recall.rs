//! `recall` and `context`: what is found, in which form, and what is refused.

use serde_json::{Value, json};

use super::place::{Place, json_lines, number, text};

/// A small conversation, a note that replaced another, and what an agent keeps to itself.
fn talked() -> Place {
    let place = Place::new();
    let turn = |id: &str, day: u32, author: &str, content: &str| {
        json!({"id": id, "ts": format!("2024-03-{day:02}T10:00:00Z"), "kind": "user_input", "author": author,
               "conversation_id": format!("c{}", day / 10), "content": content, "metadata": {"ref": id}})
        .to_string()
    };
    place.append(&[
        turn("t1", 2, "Nora Berg", "I repaired the green bicycle and rode it to the harbour."),
        turn("t2", 2, "Pavel", "Which bicycle?"),
        turn("t3", 3, "Pavel", "My kayak is still in the garage, the paddle broke."),
        turn("t4", 21, "Nora Berg", "We are moving to Brno in the summer."),
        json!({"id": "n1", "kind": "note.written", "content": "The deploy password rotates monthly"}).to_string(),
        json!({"id": "n2", "kind": "note.written", "content": "The deploy password rotates weekly",
               "metadata": {"supersedes": ["n1"]}})
        .to_string(),
        json!({"id": "s1", "kind": "subconscious_output", "agent_id": "a", "persona": "subconscious",
               "content": "The kayak owner seems careless"})
        .to_string(),
        json!({"id": "a1", "kind": "actor_output", "agent_id": "a", "content": "Ordered a kayak paddle", "causes": ["t3"]})
            .to_string(),
    ]);
    place
}

fn ids(recalled: &Value) -> Vec<&str> {
    recalled["hits"].as_array().map_or(Vec::new(), |hits| hits.iter().map(|hit| text(hit, "id")).collect())
}

#[test]
fn a_hit_says_what_when_who_and_which_events_it_comes_from() {
    let place = talked();
    let recalled = place.json(&["recall", "who ordered a paddle for the kayak?", "-k", "3"]);
    let hits = recalled["hits"].as_array().expect("a list");
    assert_eq!(hits.len(), 3);
    let hit = &hits[0];
    let expected = json!({"seq": 8, "id": "a1", "score": hit["score"], "text": "Ordered a kayak paddle", "ts": hit["ts"],
        "kind": "actor_output", "author": null, "trust": "agent", "origin": "agent", "conversation_id": null, "metadata": null, "causes": ["a1", "t3"]});
    assert_eq!(*hit, expected);
    assert!(hits.windows(2).all(|pair| pair[0]["score"].as_f64() >= pair[1]["score"].as_f64()), "the best first");
    let turn = hits.iter().find(|hit| hit["id"] == "t3").expect("the turn is found");
    assert_eq!(
        (&turn["author"], &turn["conversation_id"], &turn["metadata"]["ref"]),
        (&json!("Pavel"), &json!("c0"), &json!("t3"))
    );
}

#[test]
fn the_parts_of_a_score_add_up_to_it() {
    let place = talked();
    for mode in ["hybrid", "lexical", "vector"] {
        let recalled = place.json(&["recall", "What did Nora repair in March?", "--explain", "--mode", mode]);
        for hit in recalled["hits"].as_array().expect("a list") {
            let parts: f64 = hit["parts"].as_object().expect("parts").values().filter_map(Value::as_f64).sum();
            assert!((parts - hit["score"].as_f64().expect("a score")).abs() < 1e-9, "{hit}");
        }
        assert_eq!(ids(&recalled)[0], "t1", "{mode}");
    }
}

#[test]
fn many_questions_are_answered_line_by_line_each_as_of_its_own_moment() {
    let place = talked();
    let questions = [
        json!({"qid": "q1", "query": "kayak paddle", "k": 2}),
        json!({"qid": 7, "query": "kayak paddle", "as_of": 2}),
        json!({"qid": {"a": 1}, "query": "what happened yesterday?", "at": "2024-03-03T12:00:00Z", "as_of": 4, "k": 1}),
    ];
    let lines: String = questions.iter().map(|q| format!("{q}\n")).collect();
    let answers = json_lines(&place.feed(&["--json", "recall", "--queries", "-", "--mode", "lexical"], &lines).ok());
    assert_eq!(answers.iter().map(|a| a["qid"].clone()).collect::<Vec<_>>(), [json!("q1"), json!(7), json!({"a": 1})]);
    assert_eq!(ids(&answers[0]).len(), 2);
    assert!(ids(&answers[1]).iter().all(|id| ["t1", "t2"].contains(id)), "only what was known then");
    let file = place.write("queries.jsonl", &lines);
    let again = json_lines(&place.ok(&["--json", "recall", "--queries", &file, "--mode", "lexical"]));
    assert_eq!(again, answers);
}

#[test]
fn a_question_that_is_wrong_is_answered_as_such_and_the_others_as_ever() {
    let place = talked();
    let lines = [
        r#"{"qid":1}"#,
        r#"{"qid":2,"query":"kayak paddle"}"#,
        r#"{"qid":3,"query":"kayak","as_of":99}"#,
        "",
        r#"{"qid":4,"query":"kayak","at":"soon"}"#,
        r#"{"qid":5,"query":"kayak","as_of":"soon"}"#,
        r#"{"qid":6,"query":" "}"#,
        "no json",
        r#"{"qid":7,"query":"kayak paddle"}"#,
    ];
    let answer = place.feed(&["--json", "recall", "--queries", "-", "--mode", "lexical"], lines.join("\n"));
    assert_eq!(answer.code, 1, "{answer:?}");
    assert!(answer.err.contains("6 of 8 questions"), "{answer:?}");
    let answers = json_lines(&answer.out);
    let qids: Vec<&Value> = answers.iter().map(|answer| &answer["qid"]).collect();
    assert_eq!(qids, [&json!(1), &json!(2), &json!(3), &json!(4), &json!(5), &json!(6), &Value::Null, &json!(7)]);
    for (answer, line) in answers.iter().zip([1, 0, 3, 5, 6, 7, 8, 0]) {
        match line {
            0 => assert_eq!(ids(answer)[..2], ["a1", "t3"], "{answer}"),
            line => {
                let error = &answer["error"];
                assert_eq!(error["kind"], "invalid", "{answer}");
                assert!(text(error, "message").starts_with(&format!("line {line}: ")), "{answer}");
            }
        }
    }
}

#[test]
fn a_retirement_is_of_earlier_documents_and_read_apart_from_foreign_metadata() {
    let place = Place::new();
    place.append(&[
        json!({"kind": "memory.retired", "refs": ["later"]}).to_string(),
        json!({"id": "later", "kind": "note.written", "content": "the lamp is red"}).to_string(),
        json!({"id": "selfy", "kind": "note.written", "content": "the lamp is green", "metadata": {"supersedes": "selfy"}})
            .to_string(),
        json!({"id": "o1", "kind": "note.written", "content": "the lamp is blue"}).to_string(),
        json!({"id": "o2", "kind": "note.written", "content": "the lamp is white",
               "metadata": {"supersedes": "o1", "grades": {"math": "A"}}})
        .to_string(),
        json!({"kind": "memory.retired", "refs": ["later"]}).to_string(),
    ]);
    let found = |as_of: &str| {
        let recalled = place.json(&["recall", "lamp", "--mode", "lexical", "--as-of", as_of]);
        let mut ids: Vec<String> = ids(&recalled).into_iter().map(str::to_owned).collect();
        ids.sort();
        ids
    };
    assert_eq!(found("2"), ["later"], "not before it exists");
    assert_eq!(found("4"), ["later", "o1", "selfy"], "not by itself");
    assert_eq!(found("5"), ["later", "o2", "selfy"], "whatever else the metadata says");
    assert_eq!(found("6"), ["o2", "selfy"], "but afterwards, though it was said before too");
}

#[test]
fn a_budget_too_small_is_no_abstention() {
    let place = talked();
    let asked = "what happened to the kayak paddle?";
    let packed = place.json(&["context", asked, "--budget", "30"]);
    assert_eq!((&packed["abstained"], &packed["text"]), (&json!(false), &json!("")));
    let least = number(&packed["least_budget"]);
    assert!(number(&packed["omitted"]) > 0 && least > 30, "{packed}");
    let enough = place.json(&["context", asked, "--budget", &least.to_string()]);
    assert!(enough["text"] != "" && number(&enough["tokens"]) <= least, "{enough}");
    assert!(place.ok(&["context", asked, "--budget", "30"]).contains("too small"));
}

#[test]
fn what_is_superseded_is_recalled_only_as_of_a_time_before() {
    let place = talked();
    let now = place.json(&["recall", "deploy password rotates", "--mode", "lexical"]);
    assert!(ids(&now).contains(&"n2") && !ids(&now).contains(&"n1"), "{now}");
    let then = place.json(&["recall", "deploy password rotates", "--mode", "lexical", "--as-of", "5"]);
    assert_eq!(ids(&then)[0], "n1");
}

#[test]
fn filters_decide_what_is_returned_before_it_is_cut_off() {
    let place = talked();
    let found = |more: &[&str]| {
        let recalled = place.json(&[&["recall", "kayak bicycle Brno", "-k", "1"], more].concat());
        ids(&recalled).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(found(&["--author", "Pavel", "--conversation", "c0"]).len(), 1);
    assert_eq!(found(&["--since", "2024-03-20T00:00:00Z", "--until", "2024-03-31T00:00:00Z"]), ["t4"]);
    assert_eq!(found(&["--kind", "note.written"]), ["n2"]);
    assert_eq!(found(&["--author", "nobody"]), [""; 0]);
    assert_eq!(found(&["--min-score", "1000"]), [""; 0]);
}

#[test]
fn upkeep_is_recalled_only_by_its_kind() {
    let place = talked();
    let dreamt = place.json(&["dream"]);
    assert_eq!((number(&dreamt["coverage"]["pending"]), number(&dreamt["coverage"]["retry"])), (0, 0));
    let recorded = place.json(&[
        "recall",
        "embedded documents graded",
        "--agent",
        "idetic",
        "--persona",
        "subconscious",
        "--kind",
        "dream.completed",
    ]);
    let everything =
        place.json(&["recall", "embedded documents graded", "--agent", "idetic", "--persona", "subconscious"]);
    let dreams = |recalled: &Value| {
        recalled["hits"].as_array().map_or(0, |h| h.iter().filter(|h| h["kind"] == "dream.completed").count())
    };
    assert_eq!((dreams(&recorded), dreams(&everything)), (usize::from(!dreamt["recorded"].is_null()), 0));
    assert_eq!(place.json(&["dream"])["recorded"], Value::Null, "a dream that changes nothing is not recorded");
}

#[test]
fn a_persona_is_a_reader_with_its_own_numbers() {
    let place = talked();
    let actor = place.json(&["recall", "kayak careless", "--agent", "a", "--persona", "actor"]);
    assert!(!ids(&actor).contains(&"s1") && ids(&actor).contains(&"a1"), "{actor}");
    let own = actor["hits"].as_array().expect("hits").iter().find(|hit| hit["id"] == "a1").expect("its own");
    assert_eq!((number(&own["pos"]), own.get("seq")), (7, None), "six shared events before it");
    let other_side = place.json(&["recall", "kayak careless", "--agent", "a", "--persona", "subconscious"]);
    assert_eq!(ids(&other_side)[0], "s1");
    assert!(!ids(&place.json(&["recall", "kayak careless"])).contains(&"s1"), "the owner must ask for it by name");
    let seen = place.json(&["get", "a1", "--agent", "a", "--persona", "actor"]);
    assert_eq!((number(&seen["pos"]), seen.get("seq"), seen.get("hash")), (7, None, None));
    let hidden = place.run(&["get", "s1", "--agent", "a", "--persona", "actor"]).refused(3);
    let missing = place.run(&["get", "zz", "--agent", "a", "--persona", "actor"]).refused(3);
    assert_eq!((hidden.0.replace("s1", "zz"), hidden.1), missing, "what is hidden answers as what is missing");
    assert!(place.run(&["recall", "x", "--persona", "actor"]).refused(2).0.contains("without an agent"));
}

#[test]
fn context_fits_its_budget_quotes_and_abstains() {
    let place = talked();
    let packed = place.json(&["context", "what happened to the kayak paddle?", "--budget", "120"]);
    assert!(number(&packed["tokens"]) <= 120 && packed["abstained"] == false, "{packed}");
    let cited = packed["sources"].as_array().expect("sources");
    let body = packed["text"].as_str().expect("a text");
    assert!(!cited.is_empty() && cited.iter().all(|s| body.contains(text(s, "id"))), "each piece is cited: {body}");
    assert_eq!(body.matches("```").count(), 2, "fenced");
    let none = place.json(&["context", "zxqv blorf wumpus"]);
    assert_eq!((&none["abstained"], &none["text"], &none["sources"]), (&json!(true), &json!(""), &json!([])));
    assert!(place.run(&["context", "x", "--budget", "0"]).refused(2).0.contains("budget"));
}

#[test]
fn context_states_the_users_rules_whatever_is_asked() {
    let place = talked();
    let asked = "what happened to the kayak paddle?";
    let before = place.json(&["context", asked]);
    assert_eq!(before.get("rules"), None, "no rule stands yet");
    place.ok(&["remember", "Always use type hints in Python code", "--tag", "rule"]);
    place.ok(&["remember", "Never deploy on a Friday", "--tag", "rule"]);
    let login = place.json(&["context", "show me how to implement a login"]);
    assert!(text(&login, "text").starts_with("The user's standing rules, in their own words:\n- "), "{login}");
    assert!(text(&login, "text").contains("- Always use type hints in Python code ("), "{login}");
    assert_eq!(login["rules"].as_array().map(Vec::len), Some(2), "{login}");
    let packed = place.json(&["context", asked]);
    let body = text(&packed, "text");
    let (rules, data) = body.split_once("Recalled from memory").expect("both parts");
    assert!(rules.contains("Never deploy on a Friday") && data.contains("```memory\n[1] "), "{body}");
    let ids = |packed: &Value| -> Vec<String> {
        packed["sources"].as_array().expect("sources").iter().map(|source| text(source, "id").to_owned()).collect()
    };
    assert_eq!(ids(&packed), ids(&before), "the answer stays");
    assert!(number(&packed["tokens"]) <= number(&packed["budget"]), "{packed}");
    // The most applicable one, where they do not all fit.
    let small = place.json(&["context", "may I deploy on a Friday?", "--budget", "280"]);
    assert!(text(&small["rules"][0], "text").contains("Friday"), "{small}");
    assert_eq!(small["rules"].as_array().map(Vec::len), Some(1), "{small}");
    assert!(number(&small["tokens"]) <= 280 && text(&small, "text").contains("did not fit"), "{small}");
    // As of before they were given, none stands.
    assert_eq!(place.json(&["context", asked, "--as-of", "3"]).get("rules"), None);
}

#[test]
fn what_makes_no_sense_is_refused_by_name() {
    let place = talked();
    for (args, said) in [
        (&["recall", " "][..], "empty"),
        (&["context", ""], "empty"),
        (&["recall", "x", "--min-score", "NaN"], "NaN"),
        (&["recall", "x", "--mode", "psychic"], "psychic"),
        (&["recall", "x", "--as-of", "99"], "future"),
        (&["recall", "x", "--agent", "a", "--as-of", "99"], "future"),
        (&["recall", "x", "--kind", "thought"], "thought"),
        (&["recall", "x", "--since", "soon"], "soon"),
        (&["ltm", "--status", "happy"], "happy"),
    ] {
        let answer = place.run(args);
        assert!(answer.refused(2).0.contains(said), "{args:?}: {answer:?}");
    }
    let answer = place.run(&["recall", "x", "--space", "local/none", "--json"]);
    assert_eq!((answer.code, answer.out.trim()), (0, r#"{"hits":[]}"#), "a space that is new holds nothing");
    assert!(answer.err.contains("no space local/none"), "{answer:?}");
}

#[test]
fn deleted_index_files_come_back_and_answer_the_same() {
    let place = Place::new();
    let lines: Vec<String> = (0..700)
        .map(|n| {
            json!({"id": format!("e{n}"), "kind": "user_input", "ts": "2024-01-01T00:00:00Z",
                        "content": format!("item {n} is {} and {}", n % 7, n % 13)})
            .to_string()
        })
        .collect();
    place.append(&lines);
    let ask = || place.ok(&["--json", "recall", "item 5 and 9", "--mode", "lexical", "-k", "30"]);
    let before = ask();
    assert!(place.space().join("lanes/manifest.json").exists(), "many events are sealed by whoever reads");
    std::fs::remove_dir_all(place.space().join("lanes")).expect("it is there");
    assert_eq!(ask(), before);
    place.ok(&["rebuild"]);
    assert_eq!(ask(), before);
}
