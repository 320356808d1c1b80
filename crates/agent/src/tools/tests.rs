//! Configurations that are taken and refused, who is offered what, and what a call becomes.

use super::*;

fn one(value: Value) -> Tool {
    load([("id", &value)]).expect("it is well formed").remove(0)
}

fn refused(value: Value) -> String {
    let why = load([("id", &value)]).expect_err("it is not well formed");
    format!("{} | {}", why.message, why.hint)
}

fn arguments(value: Value) -> Map<String, Value> {
    value.as_object().expect("it is an object").clone()
}

#[test]
fn the_keys_of_a_tool_in_both_spellings() {
    let kebab = json!({"name": "ask", "description": "d", "type": "mcp-tool", "mcp-tool": "m", "group": ["a"],
        "state": "s", "applicable-states": ["t"], "arguments": [{"name": "n", "type": "number", "description": "d"}]});
    let snake = json!({"name": "ask", "description": "d", "type": "mcp-tool", "mcp_tool": "m", "group": ["a"],
        "state": "s", "available_in_states": ["t"], "arguments": [{"name": "n", "type": "number", "description": "d"}]});
    assert_eq!(one(kebab.clone()), one(snake));
    assert_eq!(one(kebab.clone()), one(Value::String(kebab.to_string())));
    let tool = one(kebab);
    assert_eq!(tool.work, Work::McpTool { mcp_tool: "m".to_owned() });
    assert_eq!(
        (tool.state.as_str(), &tool.group[..], &tool.applicable_states[..]),
        ("s", &["a".to_owned()][..], &["t".to_owned()][..])
    );
}

#[test]
fn types_have_their_own_arguments() {
    let tool = one(json!({"type": "knowledge-query", "collection": "c", "limit": "5", "arguments": []}));
    assert_eq!(tool.name, "id");
    assert_eq!(tool.work, Work::KnowledgeQuery { collection: Some("c".to_owned()), limit: Some(5) });
    assert_eq!(tool.arguments[0].name, "question");
    assert_eq!(one(json!({"type": "text-completion", "collection": null})).arguments[0].name, "question");
    let tool = one(json!({"type": "memory", "operation": "store_fact"}));
    assert_eq!(tool.arguments[0].name, "fact_content");
    assert_eq!(
        schema(&tool),
        json!({"type": "object", "required": ["fact_content"], "additionalProperties": false, "properties": {
            "fact_content": {"type": "string", "description": MEMORY_TOOLS[2].2}}})
    );
}

#[test]
fn what_is_wrong_is_said_by_name() {
    for (value, wanted) in [
        (json!({"type": "tool-service", "service": "x"}), "tool 'id': type 'tool-service' is not supported here"),
        (json!({"type": "row-embeddings-query"}), "the types are knowledge-query, text-completion, structured-query"),
        (json!({"description": "x"}), "has no type"),
        (json!({"type": "prompt"}), "has no 'template'"),
        (json!({"type": "prompt", "template": "{{q}}"}), "{{q}} is not one of its arguments"),
        (json!({"type": "prompt", "template": "x", "tepmlate": 1}), "'tepmlate' is not a key of a prompt tool"),
        (json!({"type": "prompt", "template": "x", "index-name": "i"}), "'index-name' is not a key"),
        (json!({"type": "structured-query"}), "the name of a saved query"),
        (json!({"type": "mcp-tool", "mcp-tool": "a", "mcp_tool": "b"}), "is given twice"),
        (
            json!({"type": "mcp-tool", "mcp-tool": "a", "arguments": [{"name": "x", "type": "object"}]}),
            "string and number",
        ),
        (
            json!({"type": "mcp-tool", "mcp-tool": "a", "arguments": [{"name": "x"}, {"name": "x"}]}),
            "two arguments 'x'",
        ),
        (json!({"type": "mcp-tool", "mcp-tool": "a", "group": "a"}), "group is not a list"),
        (json!({"type": "knowledge-query", "limit": 0}), "a number from 1 to 1000"),
        (json!({"type": "text-completion", "name": "a b"}), "name 'a b' cannot be used"),
        (json!({"type": "text-completion", "name": "__parse_error__"}), "is reserved by the agent"),
        (json!({"type": "memory", "operation": "forget"}), "retrieve-facts, recall-episodes"),
        (json!("nonsense"), "is not JSON"),
        (json!({"type": "http", "url": "ftp://a/b"}), "is not http or https"),
        (json!({"type": "http", "url": "https:///b"}), "names no server"),
        (json!({"type": "http", "url": "https://{{h}}/b", "arguments": [{"name": "h"}]}), "an argument would choose"),
        (json!({"type": "http", "url": "https://me:pw@h/b"}), "send a key in a header"),
        (json!({"type": "http", "url": "https://h/ b"}), "must be percent-encoded"),
        (json!({"type": "http", "url": "https://h/", "method": "TRACE"}), "method 'TRACE'"),
        (json!({"type": "http", "url": "https://h/", "headers": {"A b": "x"}}), "not the name of a header"),
        (json!({"type": "http", "url": "https://h/", "headers": {"A": {"key": "x"}}}), "\"env\": \"NAME\""),
        (
            json!({"type": "http", "url": "https://h/", "body": "{\"q\": \"{{q}}\"}", "arguments": [{"name": "q"}]}),
            "is not JSON",
        ),
    ] {
        let said = refused(value.clone());
        assert!(said.contains(wanted), "{value}\n{said}");
    }
    let value = json!({"type": "text-completion", "name": "a"});
    let why = load([("1", &value), ("2", &value)]).expect_err("the name stands twice");
    assert_eq!(why.message, "there are two tools 'a'");
}

#[test]
fn groups_and_states_decide_what_is_offered() {
    let tool = |name: &str, rest: Value| {
        let mut value = json!({"name": name, "type": "text-completion"});
        for (key, item) in arguments(rest) {
            value[key] = item;
        }
        value
    };
    let config = [
        tool("plain", json!({})),
        tool("grouped", json!({"group": ["read", "write"]})),
        tool("nobody", json!({"group": []})),
        tool("late", json!({"applicable-states": ["done"], "state": "closed"})),
        tool("first", json!({"applicable-states": ["undefined"]})),
        tool("always", json!({"applicable-states": ["x", "*"]})),
    ];
    let tools = load(config.iter().map(|value| ("id", value))).expect("it is well formed");
    let offered = |group: &[&str], state: &str| {
        let group: Vec<String> = group.iter().map(|name| (*name).to_owned()).collect();
        available(&tools, &group, state).iter().map(|tool| tool.name.clone()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(offered(&["default"], ""), "plain first always");
    assert_eq!(offered(&["default"], "done"), "plain late always");
    assert_eq!(offered(&["write", "other"], ""), "grouped");
    assert_eq!(offered(&["*"], "else"), "plain grouped nobody always");
    assert_eq!(offered(&[], ""), "");
    assert_eq!(next_state(&tools[3], "done"), "closed");
    assert_eq!(next_state(&tools[0], "done"), "done");
}

#[test]
fn arguments_are_turned_into_their_type() {
    let tool = one(json!({"type": "mcp-tool", "mcp-tool": "m", "arguments": [{"name": "q", "description": "words"},
        {"name": "n", "type": "number", "description": "how many"}]}));
    let checked = check(&tool, arguments(json!({"q": 7, "n": " 3 ", "z": 1}))).expect("it can be turned");
    assert_eq!(checked.arguments, arguments(json!({"q": "7", "n": 3})));
    assert_eq!(checked.notes, ["id has no argument 'z'; it was ignored"]);
    let trouble = check(&tool, arguments(json!({"q": null, "n": "many"}))).expect_err("it cannot");
    assert_eq!(
        trouble.to_string(),
        "id: 'q' is missing; 'n' must be a number, but is \\\"many\\\". It takes 'q' (string): words; 'n' (number): how many"
    );
}

#[test]
fn what_is_put_into_a_template_is_not_expanded() {
    let tool = one(
        json!({"type": "prompt", "template": "Q: {{a-b}} {{c}} {d}", "arguments": [{"name": "a-b"}, {"name": "c"}]}),
    );
    let Work::Prompt(template) = &tool.work else { panic!("it is a prompt") };
    assert_eq!(template.fill(&arguments(json!({"a-b": "{{c}}", "c": "x"}))), "Q: {{c}} x {d}");
}

#[test]
fn a_call_of_an_address() {
    let tool = one(json!({"type": "http", "url": "https://h:8/find/{{q}}?n={{n}}#x",
        "headers": {"Authorization": {"env": "KEY", "prefix": "Bearer "}, "Accept": "text/plain"},
        "body": "{\"q\": {{q}}, \"n\": [{{n}}], \"fixed\": {\"a\":{\"b\":{{n}}}}}",
        "arguments": [{"name": "q"}, {"name": "n", "type": "number"}]}));
    let Work::Http(http) = &tool.work else { panic!("it is an address") };
    let given = arguments(json!({"q": "a/b?\"é{{n}}", "n": 2}));
    let request = http.request(&given, |name| (name == "KEY").then(|| "sec-ret".to_owned())).expect("the key is there");
    assert_eq!(request.method, "POST");
    assert_eq!(request.url, "https://h:8/find/a%2Fb%3F%22%C3%A9%7B%7Bn%7D%7D?n=2#x");
    let body: Value = serde_json::from_str(request.body.as_deref().expect("there is one")).expect("it is JSON");
    assert_eq!(body, json!({"q": "a/b?\"é{{n}}", "n": [2], "fixed": {"a": {"b": 2}}}));
    assert!(request.headers.contains(&("Authorization".to_owned(), "Bearer sec-ret".to_owned())));
    assert!(!format!("{request:?}").contains("sec-ret"));
    assert_eq!(http.request(&given, |_| None), Err(HttpTrouble::MissingVariable("KEY".to_owned())));
    let broken = http.request(&given, |_| Some("sec\nret".to_owned())).expect_err("it would add a header");
    assert!(!broken.to_string().contains("sec") && broken.to_string().contains("KEY"), "{broken}");
    let out = arguments(json!({"q": "..", "n": 2}));
    assert_eq!(http.request(&out, |_| Some("k".to_owned())), Err(HttpTrouble::Path));
}
