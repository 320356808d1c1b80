//! Replies as models write them, and random ones.

use proptest::collection::{hash_map, vec};
use proptest::prelude::*;
use serde_json::json;

use super::*;

fn act(tool: &str, arguments: Value) -> Step {
    let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
    Step::Act { tool: tool.to_owned(), arguments }
}

fn read(text: &str) -> Parsed {
    parse(text).unwrap_or_else(|trouble| panic!("{text}\n{trouble}"))
}

fn step(text: &str) -> Step {
    read(text).step
}

#[test]
fn the_form_that_is_asked_for() {
    let reply = "Thought: I need the log.\nIt is long.\nAction: search\nArgs: {\n  \"q\": \"log\",\n  \"n\": 3\n}";
    let thought = Some("I need the log.\nIt is long.".to_owned());
    assert_eq!(read(reply), Parsed { thought, step: act("search", json!({"q": "log", "n": 3})) });
    let reply = "Thought: done\nFinal Answer: It was the disk.\nAction: none";
    let parsed = read(reply);
    assert_eq!(parsed.step, Step::Final("It was the disk.\nAction: none".to_owned()));
    assert_eq!(parsed.thought.as_deref(), Some("done"));
}

#[test]
fn arguments_in_every_dress() {
    let wanted = act("search", json!({"q": "a {b} \"c\"", "ok": true, "no": null}));
    for arguments in [
        r#"{"q": "a {b} \"c\"", "ok": true, "no": null}"#,
        r#"{'q': 'a {b} "c"', 'ok': True, 'no': None,}"#,
        r#"{"q": "a {b} "c"", "ok": true, "no": null}"#,
        "```json\n{\"q\": \"a {b} \\\"c\\\"\", \"ok\": true, \"no\": null}\n```",
        "\n\n```\n{\"q\": \"a {b} \\\"c\\\"\", \"ok\": true, \"no\": null}\n```\nObservation: 1",
        "{\"q\": \"a {b} \\\"c\\\"\", // why\n \"ok\": true, # and\n \"no\": null /* or */} // that was it",
        "{\"q\": \"a {b} \\\"c\\\"\", \"ok\": true, \"no\": null",
        "{\"q\": \"a {b} \\\"c\\\"\", \"ok\": true, \"no\": null\nObservation: found",
        "{\"q\": \"a {b} \\\"c\\\"\", \"ok\": true, \"no\": null\n```",
        "{q: \"a {b} \\\"c\\\"\", ok: true, no: null} and I hope that helps }",
        r#""{\"q\": \"a {b} \\\"c\\\"\", \"ok\": true, \"no\": null}""#,
    ] {
        assert_eq!(step(&format!("Action: search\nArgs: {arguments}")), wanted, "{arguments}");
    }
}

#[test]
fn labels_and_names_in_every_dress() {
    let wanted = act("search", json!({"q": "x"}));
    for reply in [
        "**Thought:** t\n**Action:** \"search\"\n**Args:** {\"q\": \"x\"}",
        "THOUGHT: t\naction: `search`\nAction Input: {\"q\": \"x\"}",
        "Thought: t\nAction: *search*\nArguments:\n{\"q\": \"x\"}",
        "```\nThought: t\nAction: search\nArgs: {\"q\": \"x\"}\n```",
        "```text\nThought: t\nAction: search\nArgs: {\"q\": \"x\"}\n```\n",
        "t\n```\nAction: 'search'\nArgs: {\"q\": \"x\"}\n```",
        "Thought: t\nAction: search Args: {\"q\": \"x\"}",
        "Thought: t\nAction: search({\"q\": \"x\"})",
        "Thought: t\nAction:\nsearch\n{\"q\": \"x\"}",
        "Thought: t\nAction: search\n```json\n{\"q\": \"x\"}\n```",
        "Thought 1: t\nAction 1: search\nArgs: {\"q\": \"x\"}\nThought: more\nFinal Answer: invented",
        "Thought: t\r\nAction: search\r\nArgs: {\"q\": \"x\"}\r\n",
        "{\"thought\": \"t\", \"action\": \"search\", \"arguments\": {\"q\": \"x\"}}",
        "```json\n{\"thought\": \"t\", \"action\": \"search\", \"arguments\": {\"q\": \"x\"}\n```",
    ] {
        assert_eq!(read(reply), Parsed { thought: Some("t".to_owned()), step: wanted.clone() }, "{reply}");
    }
}

#[test]
fn actions_without_arguments() {
    for rest in ["", "\nArgs:", "\nArgs: {}", "\nArgs: None", "\nArgs: n/a", "\nObservation: x", "\nThought: x", "()"] {
        assert_eq!(step(&format!("Action: now{rest}")), act("now", json!({})), "{rest}");
    }
}

#[test]
fn an_observation_of_the_models_own_is_never_taken_for_one() {
    let reply = "Thought: a\nAction: search\nArgs: {\"q\": \"x\"}\nObservation: 42\nThought: b\nFinal Answer: 42";
    assert_eq!(step(reply), act("search", json!({"q": "x"})));
    assert_eq!(read(reply).thought.as_deref(), Some("a"));
    let trouble = parse("Thought: a\nObservation: 42\nFinal Answer: 42").expect_err("nothing was done");
    assert!(trouble.why.contains("observation yourself"), "{trouble}");
    let broken = "Action: search\nArgs: {\"q\": \"abc\nObservation: he said \"x\"}";
    assert!(parse(broken).is_err(), "the observation is no part of the argument");
}

#[test]
fn final_answers() {
    for (reply, answer) in [
        ("Final Answer: {\"a\": 1}", "{\"a\": 1}"),
        ("Final Answer:\n\n  two\nlines \n", "two\nlines"),
        ("**Final Answer**\n42", "42"),
        ("Final Answer: one\nFinal Answer: two", "one\nFinal Answer: two"),
        ("Final Answer: see\nObservation: it rains", "see\nObservation: it rains"),
        ("```\nFinal Answer: 42\n```", "42"),
        ("```\nFinal Answer: x\n```py\ny\n```\n```", "x\n```py\ny\n```"),
        ("```\nFinal Answer: x\n```py\ny\n```", "x\n```py\ny\n```"),
        ("```\nFinal Answer: x\n```\ny\n```", "x\n```\ny\n```"),
        ("Final Answer: x\n```py\ny\n```", "x\n```py\ny\n```"),
        ("Thought: a\nAction: None\nFinal Answer: 42", "42"),
        ("{\"thought\": \"a\", \"final-answer\": \"42\"}", "42"),
        ("{\"Final Answer\": {\"a\": [1]}}", "{\"a\":[1]}"),
        ("{\"a\": 1}\nFinal Answer: 42", "42"),
    ] {
        assert_eq!(step(reply), Step::Final(answer.to_owned()), "{reply}");
    }
}

#[test]
fn what_cannot_be_read_is_answered_with_what_to_write() {
    for (reply, why) in [
        ("", "is empty"),
        ("I do not know.", "no label"),
        ("Thought: hm", "neither an action nor"),
        ("Action:\nArgs: {}", "names no tool"),
        ("Action: None", "names no tool"),
        ("Final Answer: ", "answer is empty"),
        ("Action: s\nArgs: {\"q\": \"abc", "a string is not closed"),
        ("Action: s\nArgs: {\"q\": 1", "middle of a number"),
        ("Action: s\nArgs: {\"q\": \"a\",", "it ends where a key"),
        ("Action: s\nArgs: {\"q\": [1, 2}", "a comma or ']'"),
        ("Action: s\nArgs: {\"q\": \"say \"hello\"", "a comma or '}'"),
        ("Action: s\nArgs: [1]", "not a JSON object"),
        ("Action: s\nArgs: look for x", "not in quotes"),
    ] {
        let trouble = parse(reply).expect_err(reply);
        assert!(trouble.why.contains(why), "{reply}: {}", trouble.why);
        let observation = trouble.observation();
        assert!(observation.starts_with("Error: LLM parse error: ") && observation.contains("\nArgs: {"));
    }
    let deep = format!("Action: s\nArgs: {}", "{'a':".repeat(100_000));
    assert!(parse(&deep).expect_err("it is too deep").why.contains("nested deeper"));
    let long = "x".repeat(REPLY_MAX_BYTES + 1);
    assert!(parse(&long).expect_err("it is too long").why.contains("longer than"));
}

#[test]
fn pieces_come_as_soon_as_they_are_certain() {
    let mut reader = Reader::default();
    let text = |pieces: Vec<Piece>| pieces.into_iter().map(|piece| piece.text).collect::<String>();
    assert_eq!(text(reader.feed("**Tho")), "");
    assert_eq!(text(reader.feed("ught:** I th")), "I th");
    assert_eq!(text(reader.feed("ink\nAct")), "ink");
    assert_eq!(text(reader.feed("ually")), "\nActually");
    assert_eq!(text(reader.feed(" so\n\nFinal Ans")), " so");
    let pieces = reader.feed("wer: 4");
    assert_eq!(pieces, [Piece { part: Part::Answer, text: "4".to_owned() }]);
    assert_eq!(text(reader.feed("2 \n")), "2");
    let (pieces, parsed) = reader.finish();
    assert!(pieces.is_empty());
    assert_eq!(parsed.expect("it is well formed").step, Step::Final("42".to_owned()));
}

/// A reply of the things that matter to the reader, in any order.
fn reply() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        Just("Thought:"),
        Just("Action:"),
        Just("Args:"),
        Just("Observation:"),
        Just("Final Answer:"),
        Just("```"),
        Just("```json"),
        Just("\n"),
        Just("\n"),
        Just("\n"),
        Just("{"),
        Just("}"),
        Just("\""),
        Just("'"),
        Just(","),
        Just(":"),
        Just("**"),
        Just("search"),
        Just("None"),
        Just(" "),
        Just("\\"),
        Just("\\u12"),
        Just("墨"),
        Just("[1"),
        Just("{\"thought\": \"t\", \"action\": \"a\"}"),
        Just("{\"q\": 1}"),
        Just("\r\n"),
        Just("#"),
        Just("/*"),
    ];
    let parts = vec(part, 0..24).prop_map(|parts| parts.concat());
    prop_oneof![4 => parts, 1 => ".{0,60}"]
}

fn by_pieces(text: &str, cuts: &[usize]) -> (String, String, Result<Parsed, ParseTrouble>) {
    let mut reader = Reader::default();
    let mut pieces = Vec::new();
    let mut chunk = String::new();
    for (at, c) in text.chars().enumerate() {
        chunk.push(c);
        if cuts.contains(&(at % 16)) {
            pieces.extend(reader.feed(&std::mem::take(&mut chunk)));
        }
    }
    pieces.extend(reader.feed(&chunk));
    let (last, result) = reader.finish();
    pieces.extend(last);
    let of = |part| pieces.iter().filter(|piece| piece.part == part).map(|piece| piece.text.as_str()).collect();
    (of(Part::Thought), of(Part::Answer), result)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn however_it_is_cut_a_reply_says_the_same(text in reply(), cuts in vec(0..16_usize, 0..16)) {
        let whole = parse(&text);
        let (thought, answer, result) = by_pieces(&text, &cuts);
        prop_assert_eq!(&result, &whole);
        let (wanted, step) = match whole {
            Ok(parsed) => (parsed.thought, Some(parsed.step)),
            Err(trouble) => (trouble.thought, None),
        };
        prop_assert_eq!(thought, wanted.unwrap_or_default());
        match step {
            Some(Step::Final(text)) => prop_assert_eq!(answer, text),
            _ => prop_assert_eq!(answer, ""),
        }
    }

    #[test]
    fn a_printed_step_is_read_back(
        tool in "[a-z][a-z0-9_-]{0,20}x",
        strings in hash_map(".{0,12}", ".{0,40}|[\n\"'{}:,`\\\\]{0,12}|\nObservation: x\n", 0..5),
        number in any::<i64>(),
        answer in ".{1,60}|[\n`a:{}]{1,30}",
        thought in "[a-z]{1,9}( [a-z.]{1,9}){0,5}",
    ) {
        let mut arguments: Map<String, Value> = strings.into_iter().map(|(key, text)| (key, text.into())).collect();
        arguments.insert("n".to_owned(), json!([number, {"deep": null}]));
        let parsed = Parsed { thought: Some(thought.clone()), step: Step::Act { tool, arguments } };
        prop_assert_eq!(parse(&print(&parsed)), Ok(parsed));
        let answer = answer.trim().to_owned();
        if !answer.is_empty() {
            let parsed = Parsed { thought: Some(thought), step: Step::Final(answer) };
            prop_assert_eq!(parse(&print(&parsed)), Ok(parsed));
        }
    }
}
