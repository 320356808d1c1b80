//! Embeddings endpoints: good ones, and every way in which one can be bad.

use std::time::{Duration, Instant};

use idetic_model::{EmbedError, Embedder, Endpoint, EndpointSettings};

use crate::suite::server::{Deed, Server};

const KEY: &str = "sk-very-secret";

fn endpoint(server: &Server) -> EndpointSettings {
    EndpointSettings {
        base_url: server.url.clone(),
        key: KEY.to_owned(),
        model: "m".to_owned(),
        dimensions: 4,
        ask_dimensions: false,
        batch: 2,
        timeout: Duration::from_secs(5),
        retries: 2,
    }
}

fn refusal(deed: Deed) -> EmbedError {
    let server = Server::start(vec![deed]);
    let settings = EndpointSettings { retries: 0, ..endpoint(&server) };
    Endpoint::new(settings).embed(&["a", "b"]).expect_err("it is refused")
}

fn wrong(deed: Deed) -> String {
    match refusal(deed) {
        EmbedError::Wrong(why) => why,
        other => panic!("{other:?}"),
    }
}

fn answer(text: &str) -> Deed {
    Deed::Answer(200, text.to_owned())
}

#[test]
fn texts_are_asked_for_in_batches_and_come_back_in_order() {
    let server = Server::start(vec![Deed::Embed { dimensions: 4 }]);
    let settings = EndpointSettings { ask_dimensions: true, ..endpoint(&server) };
    let endpoint = Endpoint::new(settings);
    let vectors = endpoint.embed(&["a", "bbb", "", "dd", "eeeee"]).expect("it answers");
    let lengths: Vec<f32> = vectors.iter().map(|vector| (vector[0] / vector[1]).round()).collect();
    assert_eq!(lengths, [1.0, 3.0, 1.0, 2.0, 5.0]);
    for vector in &vectors {
        let length: f32 = vector.iter().map(|x| x * x).sum();
        assert!((length - 1.0).abs() < 1e-6);
    }
    let requests = server.requests();
    assert_eq!(requests.len(), 3);
    assert_eq!(requests[0].line, "POST /v1/embeddings HTTP/1.1");
    assert_eq!(requests[0].authorization.as_deref(), Some("Bearer sk-very-secret"));
    assert_eq!(
        requests[1].body,
        serde_json::json!({ "model": "m", "input": [" ", "dd"], "encoding_format": "float", "dimensions": 4 })
    );
    assert_eq!(endpoint.id().name, "m");
    assert_eq!(endpoint.dimensions(), 4);
    assert_eq!(endpoint.embed(&[]).expect("it answers"), Vec::<Vec<f32>>::new());
}

#[test]
fn what_passes_is_tried_again() {
    let busy = Deed::Answer(500, "busy".to_owned());
    let server = Server::start(vec![busy, Deed::Close, Deed::Embed { dimensions: 4 }]);
    assert_eq!(Endpoint::new(endpoint(&server)).embed(&["a"]).expect("it answers").len(), 1);
    assert_eq!(server.requests().len(), 3);
}

#[test]
fn what_stays_is_given_up() {
    let server = Server::start(vec![Deed::Answer(503, "busy".to_owned())]);
    let error = Endpoint::new(endpoint(&server)).embed(&["a"]).expect_err("it is refused");
    assert_eq!(error, EmbedError::Unavailable("status 503".to_owned()));
    assert_eq!(server.requests().len(), 3);
}

#[test]
fn a_server_that_hangs_is_left_in_time() {
    let server = Server::start(vec![Deed::Hang(Duration::from_secs(60))]);
    let settings = EndpointSettings { timeout: Duration::from_millis(300), retries: 1, ..endpoint(&server) };
    let start = Instant::now();
    let error = Endpoint::new(settings).embed(&["a"]).expect_err("it is refused");
    assert!(matches!(error, EmbedError::Unavailable(_)), "{error:?}");
    assert!(start.elapsed() < Duration::from_secs(10));
}

#[test]
fn nobody_there_is_unavailable() {
    let settings = |server: &Server| EndpointSettings {
        base_url: "http://127.0.0.1:1/v1".to_owned(),
        retries: 0,
        ..endpoint(server)
    };
    let server = Server::start(vec![Deed::Close]);
    let error = Endpoint::new(settings(&server)).embed(&["a"]).expect_err("it is refused");
    assert!(matches!(error, EmbedError::Unavailable(_)), "{error:?}");
}

#[test]
fn a_wrong_answer_is_not_asked_for_again() {
    assert!(wrong(answer("<html>garbage")).contains("not an embeddings answer"));
    assert!(wrong(answer("{}")).contains("not an embeddings answer"));
    assert!(wrong(Deed::Embed { dimensions: 5 }).contains("5 dimensions instead of 4"));
    let one = r#"{"data":[{"index":0,"embedding":[1,2,3,4]}]}"#;
    assert!(wrong(answer(one)).contains("1 vectors for 2 texts"));
    let twice = r#"{"data":[{"index":1,"embedding":[1,2,3,4]},{"index":1,"embedding":[1,2,3,4]}]}"#;
    assert!(wrong(answer(twice)).contains("twice"));
    let beyond = r#"{"data":[{"index":0,"embedding":[1,2,3,4]},{"index":7,"embedding":[1,2,3,4]}]}"#;
    assert!(wrong(answer(beyond)).contains("for no text"));
    let zero = r#"{"data":[{"embedding":[0,0,0,0]},{"embedding":[1,2,3,4]}]}"#;
    assert!(wrong(answer(zero)).contains("zero length"));
    let huge = r#"{"data":[{"embedding":[1e308,1e308,0,0]},{"embedding":[1,2,3,4]}]}"#;
    assert!(wrong(answer(huge)).contains("a value that is not a number"));
    let null = r#"{"data":[{"embedding":[null,2,0,0]},{"embedding":[1,2,3,4]}]}"#;
    assert!(wrong(answer(null)).contains("not an embeddings answer"));
    assert!(wrong(answer(&" ".repeat(10_000_000))).contains("too long"));
    let server = Server::start(vec![answer("nonsense")]);
    assert!(Endpoint::new(endpoint(&server)).embed(&["a"]).is_err());
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn the_key_is_shown_nowhere() {
    let refused = Deed::Answer(401, format!("Incorrect API key provided: {KEY}"));
    let why = wrong(refused);
    assert!(why.contains("401") && why.contains("[key]") && !why.contains(KEY), "{why}");
    let server = Server::start(vec![Deed::Close]);
    let settings = endpoint(&server);
    assert!(!format!("{settings:?} {:?}", Endpoint::new(settings.clone())).contains("secret"));
}

#[test]
fn a_redirect_is_not_followed() {
    assert!(wrong(Deed::Answer(307, String::new())).contains("307"));
}

#[test]
fn two_servers_are_two_models_though_they_call_them_the_same() {
    let id = |base_url: &str, dimensions: usize| {
        let server = Server::start(vec![]);
        let settings = EndpointSettings { base_url: base_url.to_owned(), dimensions, ..endpoint(&server) };
        Endpoint::new(settings).id().to_string()
    };
    assert_ne!(id("http://one/v1", 4), id("http://two/v1", 4));
    assert_ne!(id("http://one/v1", 4), id("http://one/v1", 8));
    assert_eq!(id("http://one/v1", 4), id("http://one/v1/", 4), "the same address");
}
