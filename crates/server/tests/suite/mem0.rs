//! mem0's routes: their shapes, whose memories they show, and that what cannot be mapped is refused in mem0's words.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::stage::{Answer, Stage};

/// A client of mem0's: it shows its key as that one does.
struct Client<'a> {
    stage: &'a Stage,
    key: String,
}

impl Client<'_> {
    fn send(&self, method: &str, path: &str, body: &Value) -> Answer {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        self.stage.send(method, path, &[("Authorization", &format!("Token {}", self.key))], body.as_bytes())
    }

    fn add(&self, user: &str, text: &str, more: &Value) -> Value {
        let mut body = json!({"messages": [{"role": "user", "content": text}], "user_id": user, "infer": false});
        body.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        self.send("POST", "/v3/memories/add/", &body).ok()["results"][0].clone()
    }

    fn all(&self, filters: &Value) -> Vec<String> {
        let found = self.send("POST", "/v3/memories/", &json!({"filters": filters})).ok();
        texts(&found["results"])
    }

    fn refused(&self, method: &str, path: &str, body: &Value) -> String {
        let answer = self.send(method, path, body);
        assert!(answer.status >= 400, "{answer:?}");
        answer.json()["detail"].as_str().unwrap_or_else(|| panic!("no detail: {answer:?}")).to_owned()
    }
}

fn texts(memories: &Value) -> Vec<String> {
    let memories = memories.as_array().expect("a list");
    memories.iter().map(|memory| memory["memory"].as_str().expect("a text").to_owned()).collect()
}

fn client(stage: &Stage) -> Client<'_> {
    Client { stage, key: stage.key(&json!({"name": "app"})) }
}

#[test]
fn a_memory_is_added_found_changed_and_erased() {
    let stage = Stage::new();
    let app = client(&stage);
    let ping = app.send("GET", "/v1/ping/", &Value::Null).ok();
    assert_eq!(json!([ping["status"], ping["org_id"], ping["project_id"]]), json!(["ok", "local", "default"]));
    let added =
        app.add("ann", "Ann plays the cello", &json!({"metadata": {"vip": true}, "run_id": "r1", "app_id": "web"}));
    assert_eq!((added["event"].as_str(), added["memory"].as_str()), (Some("ADD"), Some("Ann plays the cello")));
    app.add("ann", "The rent is due on Friday", &json!({}));
    let id = added["id"].as_str().expect("an id");
    let memory = app.send("GET", &format!("/v1/memories/{id}/"), &Value::Null).ok();
    let shown = ["user_id", "run_id", "app_id", "agent_id", "metadata", "categories"].map(|name| memory[name].clone());
    assert_eq!(json!(shown), json!(["ann", "r1", "web", null, {"vip": true}, []]), "{memory}");

    let search = json!({"query": "which instrument?  cello", "filters": {"AND": [{"user_id": "ann"}, {"vip": true}]}});
    let found = app.send("POST", "/v3/memories/search/", &search).ok();
    assert_eq!(texts(&found["results"]), ["Ann plays the cello"]);
    let score = found["results"][0]["score"].as_f64().expect("a score");
    assert!(score > 0.0 && score < 1.0, "{score}");

    let path = format!("/v1/memories/{id}/");
    app.send("PUT", &path, &json!({"text": "Ann plays the viola", "metadata": {"level": 3}})).ok();
    let memory = app.send("GET", &path, &Value::Null).ok();
    assert_eq!(memory["id"], id, "the id stays");
    assert_eq!(memory["memory"], "Ann plays the viola");
    assert_eq!(memory["metadata"], json!({"vip": true, "level": 3}));
    assert_eq!(
        app.all(&json!({"user_id": "ann"})),
        ["Ann plays the viola", "The rent is due on Friday"],
        "the newest first"
    );
    let found =
        app.send("POST", "/v3/memories/search/", &json!({"query": "viola", "filters": {"user_id": "ann"}})).ok();
    assert_eq!(found["results"][0]["id"], id, "also where it is found");
    let history = app.send("GET", &format!("/v1/memories/{id}/history/"), &Value::Null).ok();
    let lines = history.as_array().expect("a list");
    let told =
        lines.iter().map(|line| json!([line["event"], line["old_memory"], line["new_memory"]])).collect::<Vec<_>>();
    assert_eq!(
        json!(told),
        json!([["ADD", null, "Ann plays the cello"], ["UPDATE", "Ann plays the cello", "Ann plays the viola"]])
    );

    app.send("DELETE", &path, &Value::Null).ok();
    assert!(app.refused("GET", &path, &Value::Null).contains("no"), "it is gone");
    assert_eq!(app.all(&json!({"user_id": "ann"})), ["The rent is due on Friday"]);
    app.send("DELETE", "/v1/memories/?user_id=ann", &Value::Null).ok();
    assert_eq!(app.all(&json!({"user_id": "ann"})), [""; 0]);
    app.send("DELETE", "/v1/memories/?user_id=ann", &Value::Null).ok();
}

#[test]
fn filters_select_as_mem0_says() {
    let stage = Stage::new();
    let app = client(&stage);
    for (text, more) in [
        ("one", json!({"agent_id": "bot", "metadata": {"n": 1}})),
        ("two", json!({"run_id": "r", "metadata": {"n": 2, "team": "red"}})),
        ("three", json!({"app_id": "web", "metadata": {"n": 3, "team": "blue"}, "timestamp": 1_700_000_000})),
    ] {
        app.add("ann", text, &more);
    }
    app.add("bob", "four", &json!({"metadata": {"n": 4}}));
    for (filter, expected) in [
        (json!({"n": {"gte": 2}}), vec!["three", "two"]),
        (json!({"agent_id": "bot"}), vec!["one"]),
        (json!({"agent_id": "*"}), vec!["one"]),
        (json!({"run_id": "r"}), vec!["two"]),
        (json!({"app_id": {"in": ["web", "tv"]}}), vec!["three"]),
        (json!({"OR": [{"n": 1}, {"team": {"ne": "blue"}}]}), vec!["two", "one"]),
        (json!({"NOT": [{"n": 1}, {"team": "red"}]}), vec!["three"]),
        (json!({"metadata": {"team": "red"}}), vec!["two"]),
        (json!({"created_at": {"lt": "2024-01-01"}}), vec!["three"]),
    ] {
        assert_eq!(app.all(&json!({"AND": [{"user_id": "ann"}, filter.clone()]})), expected, "{filter}");
    }
    let page = app.send("POST", "/v3/memories/?page=2&page_size=2", &json!({"filters": {"user_id": "ann"}})).ok();
    assert_eq!((page["count"].as_u64(), texts(&page["results"])), (Some(3), vec!["one".to_owned()]), "{page}");
    assert_eq!(page["next"], Value::Null);
    assert!(page["previous"].as_str().is_some_and(|link| link.contains("page=1")), "{page}");

    // The routes of mem0's own server, and of its first API.
    let own = app.send("GET", "/memories?user_id=ann&run_id=r", &Value::Null).ok();
    assert_eq!(texts(&own["results"]), ["two"]);
    let own = app.send("POST", "/search", &json!({"query": "three", "user_id": "ann"})).ok();
    assert_eq!(texts(&own["results"])[0], "three");
    let first = app.send("GET", "/v1/memories/?user_id=bob", &Value::Null).ok();
    assert_eq!(texts(&first), ["four"]);
}

#[test]
fn links_to_other_pages_select_the_same() {
    let stage = Stage::new();
    let app = client(&stage);
    for text in ["one", "two", "three"] {
        app.add("ann+a@example.com", text, &json!({"metadata": {"team": "red & blue"}}));
        app.add("ann+a@example.com", "another team's", &json!({"metadata": {"team": "green"}}));
    }
    // Each in the way that path is asked; links to pages of a POST are followed with the same body.
    let filters = json!({"AND": [{"user_id": "ann+a@example.com"}, {"team": "red & blue"}]});
    let query = "user_id=ann%2Ba%40example.com&filters=%7B%22team%22%3A%22red%20%26%20blue%22%7D";
    for (method, path, body) in [
        ("GET", format!("/v1/memories/?page=1&{query}&page_size=2"), Value::Null),
        ("POST", "/v3/memories/?page=1&page_size=2".to_owned(), json!({"filters": filters})),
        ("POST", "/v3/memories/".to_owned(), json!({"filters": filters, "page": 1, "page_size": 2})),
    ] {
        let first = app.send(method, &path, &body).ok();
        assert_eq!((first["count"].as_u64(), texts(&first["results"])), (Some(3), vec!["three".into(), "two".into()]));
        let next = first["next"].as_str().unwrap_or_else(|| panic!("no next page: {first}"));
        let second = app.send(method, next, &body).ok();
        assert_eq!((second["count"].as_u64(), texts(&second["results"])), (Some(3), vec!["one".to_owned()]), "{next}");
        assert_eq!(second["next"], Value::Null);
        let previous = second["previous"].as_str().unwrap_or_else(|| panic!("no page before: {second}"));
        assert_eq!(app.send(method, previous, &body).ok()["results"], first["results"], "{previous}");
    }
}

#[test]
fn a_list_is_a_page_also_where_none_is_asked_for() {
    let stage = Stage::new();
    let app = client(&stage);
    let said: Vec<Value> = (1..=101).map(|n| json!({"role": "user", "content": format!("line {n}")})).collect();
    app.send("POST", "/v1/memories/", &json!({"messages": said, "user_id": "ann", "infer": false})).ok();
    let list = |more: &str| app.send("GET", &format!("/v1/memories/?user_id=ann{more}"), &Value::Null);
    let newest = texts(&list("").ok());
    assert_eq!((newest.len(), newest[0].as_str(), newest[99].as_str()), (100, "line 101", "line 2"));
    assert_eq!(texts(&list("&page=2").ok()["results"]), ["line 1"]);
    assert_eq!(texts(&list("&limit=101").ok()).len(), 101);
    assert_eq!(texts(&list("&page_size=3").ok()), ["line 101", "line 100", "line 99"]);
    assert_eq!(texts(&list("&page=34&page_size=3").ok()["results"]), ["line 2", "line 1"]);
    assert_eq!(texts(&list("&page=18446744073709551615&page_size=3").ok()["results"]), [""; 0]);
    for more in ["&limit=1001", "&page_size=1001", "&page=1&page_size=1001", "&page=0"] {
        assert_eq!(list(more).status, 400, "{more}");
    }
    let batch: Vec<Value> = (0..1001).map(|n| json!({"memory_id": format!("ann:{n}")})).collect();
    assert!(app.refused("DELETE", "/v1/batch/", &json!({"memories": batch})).contains("1 to 1000"));
}

#[test]
fn an_answer_larger_than_one_key_may_hold_is_refused() {
    let stage = Stage::new();
    let app = client(&stage);
    let long = |n: usize| json!({"kind": "memory.remembered", "content": format!("{n} {}", "x".repeat(900_000))});
    stage.operate("append", &json!({"events": (0..30).map(long).collect::<Vec<_>>()}));
    let list = |size: usize| app.send("POST", &format!("/v3/memories/?page_size={size}"), &json!({}));
    assert_eq!(list(30).status, 503, "three copies of it are more than 64 MiB");
    let page = list(5).ok();
    assert_eq!((page["count"].as_u64(), texts(&page["results"]).len()), (Some(30), 5), "it holds nothing any more");
}

#[test]
fn each_call_that_a_request_becomes_counts_as_a_request() {
    let stage = Stage::with("[server]\nrequests_per_second = 2\n", None, false);
    let app = client(&stage);
    let remembered =
        |n: usize| json!({"id": format!("m{n}"), "kind": "memory.remembered", "content": format!("line {n}")});
    stage.operate("append", &json!({"events": (0..3).map(remembered).collect::<Vec<_>>()}));
    // Six calls look the three up, and one erases them. Four may be made at once, the others one every half second.
    let batch: Vec<Value> = (0..3).map(|n| json!({"memory_id": format!("m{n}")})).collect();
    let start = Instant::now();
    app.send("DELETE", "/v1/batch/", &json!({"memories": batch})).ok();
    assert!(start.elapsed() >= Duration::from_millis(1400), "{:?}", start.elapsed());
    let left = stage.operate("log", &json!({"filter": {"kind": "memory.remembered"}}));
    assert!(left.is_empty(), "it waited and went on: {left:?}");
}

#[test]
fn what_people_say_is_read_for_facts_where_that_is_wanted() {
    let stage = Stage::new();
    let app = client(&stage);
    let said = json!([
        {"role": "system", "content": "You are a helpful assistant."},
        {"role": "user", "content": "I live in Leipzig."},
        {"role": "assistant", "content": "Noted."},
    ]);
    let added = app.send("POST", "/v3/memories/add/", &json!({"messages": said, "user_id": "ann", "run_id": "r"})).ok();
    assert_eq!(texts(&added["results"]), ["I live in Leipzig.", "Noted."]);
    let facts = stage.post_in("ann/default", "/v1/fact/list", &app.key, &json!({})).ok();
    assert!(facts.to_string().contains("Leipzig"), "{facts}");
    app.send(
        "POST",
        "/v3/memories/add/",
        &json!({"messages": "I live in Oslo.", "user_id": "bob", "run_id": "r", "infer": false}),
    )
    .ok();
    let facts = stage.post_in("bob/default", "/v1/fact/list", &app.key, &json!({})).ok();
    assert!(!facts.to_string().contains("Oslo"), "{facts}");
    let roles: Value = app.send("POST", "/v3/memories/", &json!({"filters": {"user_id": "ann"}})).ok()["results"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|memory| memory["role"].clone())
        .collect();
    assert_eq!(roles, json!(["assistant", "user"]));
}

#[test]
fn a_key_sees_its_own_user_and_its_own_agent() {
    let stage = Stage::new();
    let all = client(&stage);
    all.add("ann", "ann's", &json!({}));
    let bobs = all.add("bob", "bob's", &json!({"agent_id": "other"}));
    let ann = Client { stage: &stage, key: stage.key(&json!({"name": "ann", "user": "ann"})) };
    assert_eq!(ann.all(&json!({"user_id": "ann"})), ["ann's"]);
    assert_eq!(ann.all(&json!({"agent_id": {"ne": "x"}})), ["ann's"], "its user need not be named");
    let path = format!("/v1/memories/{}/", bobs["id"].as_str().expect("an id"));
    for (method, path, body) in [
        ("GET", path.as_str(), Value::Null),
        ("PUT", &path, json!({"text": "mine"})),
        ("DELETE", &path, Value::Null),
        ("POST", "/v3/memories/", json!({"filters": {"user_id": "bob"}})),
        ("POST", "/v3/memories/add/", json!({"messages": "x", "user_id": "bob"})),
    ] {
        let answer = ann.send(method, path, &body);
        assert_eq!(answer.status, 404, "{method} {path}: {answer:?}");
    }
    let users = ann.send("GET", "/v1/entities/", &Value::Null).ok();
    assert_eq!(users["results"][0]["name"], "ann");
    assert_eq!(users["count"], 1, "{users}");
    let bot = Client { stage: &stage, key: stage.key(&json!({"name": "bot", "user": "bob", "agent": "bot"})) };
    assert_eq!(bot.all(&json!({})), [""; 0], "another agent's memory is not there");
    bot.add("bob", "the bot's", &json!({}));
    assert_eq!(bot.all(&json!({})), ["the bot's"]);
    assert_eq!(bot.send("POST", "/v3/memories/add/", &json!({"messages": "x", "agent_id": "other"})).status, 404);
    assert_eq!(bot.send("DELETE", "/v1/memories/?user_id=bob", &Value::Null).status, 403);
    assert_eq!(all.send("GET", "/v1/entities/", &Value::Null).status, 403, "who there is is for administrators");
    let admin = Client { stage: &stage, key: stage.admin() };
    let users = admin.send("GET", "/v1/entities/", &Value::Null).ok();
    let named: Vec<String> = users["results"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| format!("{} {}", one["type"].as_str().expect("a type"), one["name"].as_str().expect("a name")))
        .collect();
    assert_eq!(named, ["agent bot", "agent other", "user ann", "user bob"]);
    admin.send("DELETE", "/v2/entities/agent/other/", &Value::Null).ok();
    assert_eq!(all.all(&json!({"user_id": "bob"})), ["the bot's"]);
}

#[test]
fn what_says_that_it_replaces_another_agents_memory_does_not() {
    let stage = Stage::new();
    let app = client(&stage);
    let victim = app.add("ann", "the victim", &json!({"agent_id": "one"}))["id"].as_str().expect("an id").to_owned();
    let event = victim.split_once(':').expect("a user and an event").1;
    let forged = json!({"text": "forged", "agent": "two", "metadata": {"supersedes": event}});
    stage.post_in("ann/default", "/v1/remember", &app.key, &forged);
    let found = app.send("POST", "/v3/memories/", &json!({"filters": {"user_id": "ann"}})).ok();
    let found = found["results"].as_array().expect("a list");
    let own = found.iter().find(|memory| memory["id"] == *victim).expect("it is there");
    assert_eq!(own["memory"], "the victim");
}

#[test]
fn an_id_that_several_agents_use_is_each_ones_own() {
    let stage = Stage::new();
    let app = client(&stage);
    let call = |path: &str, body: Value| stage.post_in("ann/default", path, &app.key, &body).ok();
    for agent in ["a", "b"] {
        call("/v1/remember", json!({"agent": agent, "id": "profile", "text": format!("{agent} likes pears")}));
    }
    call(
        "/v1/append",
        json!({"events": [
            {"id": "profile", "kind": "decision", "content": "no memory"},
            {"id": "profile", "kind": "memory.remembered", "content": "hidden", "agent_id": "a", "persona": "subconscious"},
        ]}),
    );
    let of = |agent: &str| app.all(&json!({"user_id": "ann", "agent_id": agent}));
    let left = || {
        let found = call("/v1/log", json!({"filter": {"id": "profile"}}));
        let events = found["items"].as_array().expect("a list");
        events.iter().map(|event| event["content"].as_str().expect("a text").to_owned()).collect::<Vec<_>>()
    };
    call("/v1/update", json!({"agent": "a", "id": "profile", "text": "a likes plums"}));
    assert_eq!((of("a"), of("b")), (vec!["a likes plums".to_owned()], vec!["b likes pears".to_owned()]));
    let search = |agent: &str| {
        let body = json!({"query": "who likes pears and plums", "filters": {"user_id": "ann", "agent_id": agent}});
        texts(&app.send("POST", "/v3/memories/search/", &body).ok()["results"])
    };
    assert_eq!((search("a"), search("b")), (vec!["a likes plums".to_owned()], vec!["b likes pears".to_owned()]));

    app.send("DELETE", "/v1/memories/?user_id=ann&agent_id=a", &Value::Null).ok();
    assert_eq!(left(), ["b likes pears", "no memory", "hidden"], "all versions of a's are gone and nothing else is");
    assert_eq!((of("a"), of("b")), (vec![], vec!["b likes pears".to_owned()]));
    app.send("DELETE", "/v2/entities/user/ann/", &Value::Null).ok();
    assert_eq!(left(), ["no memory", "hidden"], "neither is a memory of mem0's");
}

#[test]
fn an_id_that_looks_like_a_number_is_an_id() {
    let stage = Stage::new();
    let app = client(&stage);
    let bot = Client { stage: &stage, key: stage.key(&json!({"name": "bot", "user": "ann", "agent": "bot"})) };
    app.add("ann", "the first", &json!({}));
    app.add("ann", "the second", &json!({}));
    for (client, id, others) in [(&app, "2", "1"), (&bot, "1", "2"), (&app, "#1", "1")] {
        stage.post_in("ann/default", "/v1/remember", &client.key, &json!({"id": id, "text": format!("id {id}")})).ok();
        let path = format!("/v1/memories/ann:{}/", id.replace('#', "%23"));
        assert_eq!(client.send("GET", &path, &Value::Null).ok()["memory"], format!("id {id}"));
        for text in ["changed", "changed again"] {
            client.send("PUT", &path, &json!({"text": text})).ok();
            let memory = client.send("GET", &path, &Value::Null).ok();
            assert_eq!((memory["id"].as_str(), memory["memory"].as_str()), (Some(&*format!("ann:{id}")), Some(text)));
        }
        let history = client.send("GET", &format!("{path}history/"), &Value::Null).ok();
        assert_eq!(history.as_array().map(Vec::len), Some(3), "{history}");
        app.send("DELETE", &path, &Value::Null).ok();
        assert_eq!(client.send("GET", &path, &Value::Null).status, 404);
        assert_eq!(
            app.send("GET", &format!("/v1/memories/ann:{others}/"), &Value::Null).status,
            404,
            "no id is {others}"
        );
        assert_eq!(app.send("DELETE", "/v1/memories/ann:1/", &Value::Null).status, 404, "a number is no id");
        assert_eq!(app.all(&json!({"user_id": "ann"})), ["the second", "the first"]);
    }
}

#[test]
fn an_id_of_several_memories_names_none_of_them() {
    let stage = Stage::new();
    let app = client(&stage);
    let bot = Client { stage: &stage, key: stage.key(&json!({"name": "bot", "user": "ann", "agent": "bot"})) };
    for (id, text) in [("plan", "the bot's"), ("note", "a memory")] {
        stage.post_in("ann/default", "/v1/remember", &bot.key, &json!({"id": id, "text": text})).ok();
    }
    let events = json!({"events": [
        {"id": "plan", "kind": "memory.remembered", "content": "shared"},
        {"id": "note", "kind": "decision", "content": "no memory"},
    ]});
    stage.post_in("ann/default", "/v1/append", &app.key, &events).ok();
    for (method, path, body) in [
        ("GET", "/v1/memories/ann:plan/", Value::Null),
        ("PUT", "/v1/memories/ann:plan/", json!({"text": "changed"})),
        ("DELETE", "/v1/memories/ann:plan/", Value::Null),
        ("DELETE", "/v1/batch/", json!({"memories": [{"memory_id": "ann:note"}, {"memory_id": "ann:plan"}]})),
    ] {
        assert!(app.refused(method, path, &body).contains("several agents"), "{method} {path}");
    }
    let own = bot.send("PUT", "/v1/memories/ann:plan/", &json!({"text": "the bot's new"})).ok();
    assert_eq!(own["memory"], "the bot's new", "an agent's own comes first");
    app.send("DELETE", "/v1/batch/", &json!({"memories": [{"memory_id": "ann:note"}]})).ok();
    assert_eq!(app.all(&json!({"user_id": "ann"})), ["the bot's new", "shared"]);
    let decided = stage.post_in("ann/default", "/v1/log", &app.key, &json!({"kind": "decision"})).ok();
    assert_eq!(decided["items"][0]["content"], "no memory", "it is no memory and stays");
}

#[test]
fn a_memory_is_kept_until_its_expiration_date() {
    let stage = Stage::new();
    let app = client(&stage);
    let added = app.add("ann", "The badge number is 4711", &json!({"expiration_date": "2999-12-31"}));
    let path = format!("/v1/memories/{}/", added["id"].as_str().expect("an id"));
    let admin = stage.admin();
    let log = || stage.post_in("ann/default", "/v1/log", &admin, &json!({})).ok().to_string();
    assert!(log().contains("3000-01-01T00:00:00"), "until the end of that day: {}", log());
    app.refused("PUT", &path, &json!({"expiration_date": "2001-01-01"}));
    app.send("PUT", &path, &json!({"expiration_date": null})).ok();
    assert!(log().contains("memory.kept_until"), "{}", log());
    assert_eq!(app.all(&json!({"user_id": "ann"})), ["The badge number is 4711"]);
    let shown = json!({"filters": {"user_id": "ann"}, "show_expired": true});
    assert!(app.refused("POST", "/v3/memories/", &shown).contains("show_expired"));
}

#[test]
fn what_cannot_be_mapped_is_refused_and_nothing_is_stored() {
    let stage = Stage::new();
    let app = client(&stage);
    let said = json!({"messages": "x", "user_id": "ann"});
    for (name, value) in [
        ("expiration_date", json!("2001-01-01")),
        ("expiration_date", json!("some day")),
        ("custom_instructions", json!("only food")),
        ("enable_graph", json!(true)),
        ("immutable", json!(true)),
        ("user_id", json!("a name with blanks")),
        ("metadata", json!({"supersedes": "other"})),
        ("messages", json!([{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "http://x"}}]}])),
        ("messages", json!([{"role": "judge", "content": "x"}])),
        ("messages", json!([{"role": "system", "content": "x"}])),
        ("no_such_option", json!(1)),
    ] {
        let mut body = said.clone();
        body[name] = value;
        let detail = app.refused("POST", "/v3/memories/add/", &body);
        assert!(detail.contains(": "), "what is wrong and what to do: {detail}");
    }
    for filters in [
        json!({"user_id": {"in": ["ann", "bob"]}}),
        json!({"OR": [{"user_id": "ann"}, {"run_id": "r"}]}),
        json!({"keywords": {"contains": "x"}}),
    ] {
        assert!(app.refused("POST", "/v3/memories/", &json!({"filters": filters})).starts_with("filters."));
    }
    for (method, path) in [
        ("DELETE", "/v1/memories/"),
        ("POST", "/v1/exports/"),
        ("POST", "/v1/feedback/"),
        ("GET", "/api/v1/webhooks/projects/p/"),
    ] {
        app.refused(method, path, &json!({}));
    }
    assert_eq!(app.all(&json!({"user_id": "ann"})), [""; 0]);
    app.add("ann", "kept", &json!({"run_id": "r"}));
    for query in ["user_id=ann&run_id=", "user_id=&agent_id=a", "user_id=ann&app_id="] {
        assert_eq!(app.send("DELETE", &format!("/v1/memories/?{query}"), &Value::Null).status, 400, "{query}");
    }
    assert_eq!(app.all(&json!({"user_id": "ann"})), ["kept"]);
    let wrong = stage.send("GET", "/v1/ping/", &[("Authorization", "Token idk_0_0")], b"");
    assert_eq!(wrong.status, 401);
    assert!(wrong.json()["detail"].as_str().is_some_and(|detail| detail.contains("API key")), "{wrong:?}");
    let elsewhere = stage.send("POST", "/v1/recall", &[("Authorization", &format!("Token {}", app.key))], b"{}");
    assert_eq!(elsewhere.status, 401, "such a header is for these routes alone");
}

#[test]
fn a_batch_is_looked_at_before_any_of_it_is_done() {
    let stage = Stage::new();
    let app = client(&stage);
    let ids = ["one", "two", "three"].map(|text| app.add("ann", text, &json!({}))["id"].clone());
    let wrong = json!({"memories": [{"memory_id": ids[0], "text": "uno"}, {"memory_id": "ann:nothing", "text": "x"}]});
    app.refused("PUT", "/v1/batch/", &wrong);
    assert_eq!(app.all(&json!({"user_id": "ann"})), ["three", "two", "one"]);
    let right =
        json!({"memories": [{"memory_id": ids[0], "text": "uno"}, {"memory_id": ids[1], "metadata": {"n": 2}}]});
    app.send("PUT", "/v1/batch/", &right).ok();
    assert_eq!(app.all(&json!({"user_id": "ann"})), ["two", "uno", "three"]);
    app.refused("DELETE", "/v1/batch/", &json!({"memories": [{"memory_id": ids[2]}, {"memory_id": "ann:nothing"}]}));
    app.send("DELETE", "/v1/batch/", &json!({"memories": [{"memory_id": ids[0]}, {"memory_id": ids[2]}]})).ok();
    assert_eq!(app.all(&json!({"user_id": "ann"})), ["two"]);
}

#[test]
fn what_is_erased_is_selected_by_what_it_says_now() {
    let stage = Stage::new();
    let app = client(&stage);
    let moved = app.add("ann", "moved", &json!({"app_id": "web", "metadata": {"team": "red"}}));
    app.add("ann", "stays red", &json!({"app_id": "web", "metadata": {"team": "red"}}));
    let path = format!("/v1/memories/{}/", moved["id"].as_str().expect("an id"));
    app.send("PUT", &path, &json!({"metadata": {"team": "blue", "app_id": "tv"}})).ok();
    let red = json!({"filters": {"user_id": "ann", "team": "red"}});
    app.send("DELETE", "/v1/memories/", &red).ok();
    assert_eq!(app.all(&json!({"user_id": "ann"})), ["moved"]);
    let admin = Client { stage: &stage, key: stage.admin() };
    admin.send("DELETE", "/v2/entities/app/web/", &Value::Null).ok();
    assert_eq!(app.all(&json!({"user_id": "ann"})), ["moved"]);
    admin.send("DELETE", "/v2/entities/app/tv/", &Value::Null).ok();
    assert_eq!(app.all(&json!({"user_id": "ann"})), [""; 0]);
    assert_eq!(app.send("GET", &path, &Value::Null).status, 404, "all its versions are gone");
}

#[test]
fn what_a_list_does_not_show_is_not_there_by_its_id_either() {
    let stage = Stage::new();
    let app = client(&stage);
    let events = json!({"events": [
        {"id": "decided", "kind": "decision", "content": "no memory"},
        {"id": "hidden", "kind": "memory.remembered", "content": "hidden", "agent_id": "bot", "persona": "subconscious"},
    ]});
    stage.post_in("ann/default", "/v1/append", &app.key, &events).ok();
    for id in ["ann:decided", "ann:hidden"] {
        let path = format!("/v1/memories/{id}/");
        for (method, path, body) in [
            ("GET", path.clone(), Value::Null),
            ("GET", format!("{path}history/"), Value::Null),
            ("PUT", path.clone(), json!({"text": "changed"})),
            ("DELETE", path.clone(), Value::Null),
            ("DELETE", "/v1/batch/".to_owned(), json!({"memories": [{"memory_id": id}]})),
        ] {
            let answer = app.send(method, &path, &body);
            assert_eq!(answer.status, 404, "{method} {path}: {answer:?}");
        }
    }
    let key = format!("Token {}", app.key);
    let headers = [("Authorization", key.as_str()), ("Idetic-Space", "bob/default")];
    assert_eq!(stage.send("GET", "/v1/memories/?user_id=ann", &headers, b"").status, 400);
    assert_eq!(app.send("GET", "/v1/memories/?user_id=ann&user_id=bob", &Value::Null).status, 400);
}

#[test]
fn adding_under_the_same_name_adds_once() {
    let stage = Stage::new();
    let app = client(&stage);
    let key = format!("Token {}", app.key);
    let headers = [("Authorization", key.as_str()), ("Idempotency-Key", "k1")];
    let body = json!({"messages": "once", "user_id": "ann", "infer": false}).to_string();
    let first = stage.send("POST", "/v3/memories/add/", &headers, body.as_bytes()).ok();
    assert_eq!(stage.send("POST", "/v3/memories/add/", &headers, body.as_bytes()).ok(), first);
    let other = body.replace("once", "twice");
    assert_eq!(stage.send("POST", "/v3/memories/add/", &headers, other.as_bytes()).status, 409);
    assert_eq!(app.all(&json!({"user_id": "ann"})), ["once"]);
    assert_eq!(stage.send("DELETE", "/v1/memories/?user_id=ann", &headers, b"").status, 400);
}
