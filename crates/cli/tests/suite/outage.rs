//! An embeddings endpoint that is away, slow or wrong: nothing is lost, nothing waits for it, and all is made up for.

use std::time::{Duration, Instant};

use serde_json::Value;

use super::embeddings::{Deed, Endpoint, SAME_MEANING, nowhere, use_endpoint, use_model};
use super::place::{Answer, Place, json_lines, number, said, say, text};
use super::stream::Stream;

const UNAVAILABLE: i32 = 5;
const APPENDS: usize = 300;

/// So many texts, each with words of its own; the first says `car`.
fn texts(count: usize) -> Vec<String> {
    let mut lines = vec![said(&format!("the {} needs new tyres", SAME_MEANING.1))];
    lines.extend((1..count).map(|n| said(&format!("entry number{n} about topic{}", n % 7))));
    lines
}

/// Embedded, pending, retry.
fn coverage(place: &Place) -> (u64, u64, u64) {
    let coverage = &place.json(&["status"])["coverage"];
    (number(&coverage["embedded"]), number(&coverage["pending"]), number(&coverage["retry"]))
}

fn listed(place: &Place, status: &str) -> Vec<Value> {
    place.lines(&["ltm", "--limit", "0", "--status", status])
}

/// The texts of the hits, and what was said beside them.
fn recall(place: &Place, question: &str) -> (Vec<String>, String) {
    let answer = place.run(&["recall", question, "--json", "-k", "3"]);
    assert_eq!(answer.code, 0, "{answer:?}");
    let hits = json_lines(&answer.out).remove(0)["hits"].as_array().expect("hits").clone();
    (hits.iter().map(|hit| text(hit, "text").to_owned()).collect(), answer.err)
}

/// A dream that finds no model: what it could not do is told, and stays to be done.
fn dream_in_vain(place: &Place, documents: u64, why: &str) {
    let answer: Answer = place.run(&["dream"]);
    let (what, hint) = answer.refused(UNAVAILABLE);
    assert!(what.contains("could be embedded") && what.contains(why), "{what}");
    assert!(hint.contains("`idetic dream` again"), "{hint}");
    let (embedded, pending, retry) = coverage(place);
    assert_eq!((embedded, pending + retry), (0, documents), "nothing is lost and nothing is made up");
    assert!(retry > 0, "what was tried is marked");
    assert_eq!((listed(place, "pending").len() as u64, listed(place, "retry").len() as u64), (pending, retry));
    let tried = &listed(place, "retry")[0];
    assert!(text(tried, "why").contains(why), "each says what went wrong: {tried}");
}

/// The endpoint works: one dream makes up for everything.
fn made_up_for(place: &Place, documents: u64) {
    place.ok(&["dream"]);
    assert_eq!(coverage(place), (documents, 0, 0));
    let (hits, beside) = recall(place, SAME_MEANING.0);
    assert!(hits[0].contains(SAME_MEANING.1), "found by meaning, no word is the same: {hits:?}");
    assert_eq!(beside, "");
    place.verify();
}

#[test]
fn whatever_the_endpoint_does_words_find_everything_and_one_dream_makes_up_for_it() {
    const NO_NUMBERS: &str = r#"{"data":[{"index":0,"embedding":[NaN,NaN]}]}"#;
    let deeds = [
        (None, "Connection refused"),
        (Some(Deed::Hang), "timeout"),
        (Some(Deed::Say(500, "down")), "status 500"),
        (Some(Deed::Say(200, "<html>garbage")), "not an embeddings answer"),
        (Some(Deed::Say(200, NO_NUMBERS)), "not an embeddings answer"),
        (Some(Deed::Say(401, "no key")), "status 401"),
        (Some(Deed::WrongDimensions), "511 dimensions instead of 512"),
        (Some(Deed::TooFew), "vectors for"),
    ];
    std::thread::scope(|scope| {
        for (deed, why) in deeds {
            scope.spawn(move || {
                let place = Place::new();
                let endpoint = Endpoint::start(deed.clone().unwrap_or(Deed::Embed));
                use_endpoint(&place, &deed.map_or_else(nowhere, |_| endpoint.url().to_owned()));
                place.append(&texts(300));
                assert_eq!(coverage(&place), (0, 300, 0));
                for _ in 0..2 {
                    let (hits, beside) = recall(&place, "number17");
                    assert!(hits[0].contains("number17 "), "{hits:?}");
                    assert!(beside.contains("300 of 300 documents are found by words only"), "{beside}");
                    dream_in_vain(&place, 300, why);
                }
                use_endpoint(&place, endpoint.url());
                endpoint.now(Deed::Embed);
                made_up_for(&place, 300);
                // A question is answered as well when the endpoint goes away after everything was embedded.
                endpoint.now(Deed::Say(503, "busy"));
                let (hits, beside) = recall(&place, "number17");
                assert!(hits[0].contains("number17 "), "{hits:?}");
                assert!(beside.contains("status 503") && beside.contains("searched by words only"), "{beside}");
            });
        }
    });
}

#[test]
fn a_text_that_is_always_refused_keeps_no_other_from_being_embedded() {
    for (status, first) in [(400, true), (500, false)] {
        let place = Place::new();
        let endpoint = Endpoint::start(Deed::Refuse("poison", status));
        use_endpoint(&place, endpoint.url());
        let mut lines = texts(600);
        let poisoned: Vec<String> = (0..40).map(|n| said(&format!("poison number {n}"))).collect();
        let at = if first { 0 } else { 100 };
        lines.splice(at..at, poisoned);
        place.append(&lines);
        for _ in 0..2 {
            // Twice: what failed before is tried again and still harms nobody.
            let answer = place.run(&["dream"]);
            assert_eq!(answer.code, 0, "the model works: {answer:?}");
            assert_eq!(coverage(&place), (600, 0, 40));
            assert_eq!(listed(&place, "retry").len(), 40);
            assert!(listed(&place, "retry").iter().all(|entry| text(entry, "summary").contains("poison")));
            let (hits, _) = recall(&place, SAME_MEANING.0);
            assert!(hits[0].contains(SAME_MEANING.1), "{hits:?}");
        }
        let sealed = place.json(&["status"])["files"].to_string();
        assert!(sealed.contains("lanes/vectors-"), "the others are sealed around them: {sealed}");
        place.append(&texts(20)[1..]);
        place.ok(&["dream"]);
        assert_eq!(coverage(&place), (619, 0, 40));
        endpoint.now(Deed::Embed);
        made_up_for(&place, 659);
        let (hits, _) = recall(&place, "poison");
        assert!(hits.iter().all(|hit| hit.contains("poison")), "sealed too late and found all the same: {hits:?}");
    }
}

#[test]
fn the_old_vectors_serve_until_the_new_model_has_caught_up_also_in_a_small_space() {
    let place = Place::new();
    use_model(&place, "builtin");
    place.append(&[said("the car needs new tyres"), said("bread is baked at dawn"), said("the sea was calm")]);
    place.ok(&["dream"]);
    let before = recall(&place, "automobile");
    assert_eq!(before.1, "");
    let endpoint = Endpoint::start(Deed::Hang);
    use_endpoint(&place, endpoint.url());
    assert_eq!(recall(&place, "automobile"), before, "nothing is asked of an endpoint that made no vectors");
    place.run(&["reembed"]).refused(UNAVAILABLE);
    assert_eq!(recall(&place, "automobile"), before);
    endpoint.now(Deed::Embed);
    place.ok(&["reembed"]);
    assert_eq!(coverage(&place), (3, 0, 0));
    assert_eq!(recall(&place, "automobile").1, "");
}

/// How long single appends take, one after the other in one process and each in a process of its own.
fn append_time(place: &Place) -> Duration {
    let begin = Instant::now();
    let mut stream = Stream::start(place, &[]);
    texts(APPENDS).iter().for_each(|line| drop(stream.one(line)));
    assert_eq!(stream.close().1.code, 0);
    for n in 0..10 {
        place.ok(&["remember", &format!("note {n}")]);
    }
    begin.elapsed()
}

#[test]
fn appends_do_not_wait_for_an_endpoint_that_hangs() {
    let endpoint = Endpoint::start(Deed::Hang);
    let (with, without) = (Place::new(), Place::new());
    use_endpoint(&with, endpoint.url());
    use_model(&without, "none");
    // In turns, and the best of each: other tests run beside this one.
    let times: Vec<(Duration, Duration)> = (0..4).map(|_| (append_time(&with), append_time(&without))).collect();
    let hanging = times.iter().map(|time| time.0).min().expect("four");
    let none = times.iter().map(|time| time.1).min().expect("four");
    let ratio = hanging.as_secs_f64() / none.as_secs_f64();
    say(&format!(
        "figure: appends while the embeddings endpoint hangs: {hanging:.2?} for {} appends against {none:.2?} without a \
         model, ratio {ratio:.2}",
        APPENDS + 10
    ));
    // One wait of a second would make it far more.
    assert!(ratio < 4.0, "appends wait for the endpoint: {ratio:.2}");
}
