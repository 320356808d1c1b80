//! Whatever happens in a project: what is derived bit by bit is what is derived from the log alone, in every clone, and no
//! rule is broken.

use serde_json::{Value, json};

use super::Project;
use crate::hermetic::Hermetic;

const HISTORIES: u64 = 2000;
/// Histories that share a home.
const A_HOME: u64 = 100;

const KINDS: [&str; 13] = [
    "decision",
    "create",
    "modify",
    "delete",
    "test",
    "fix",
    "dependency",
    "blocker",
    "milestone",
    "escalation",
    "handoff",
    "change",
    "result",
];
const NAMES: [&str; 6] = ["api", "web", "db", "auth", "login", "v1"];
const KEYS: [&str; 14] = [
    "entity",
    "task",
    "target",
    "name",
    "blocked_entity",
    "blocking_entity",
    "required_by",
    "depends_on",
    "blocks",
    "precedes",
    "status",
    "result",
    "type",
    "to_agent",
];
const STATUSES: [&str; 5] = ["active", "planned", "completed", "deprecated", "blocked"];

/// Numbers that follow from a seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.0 >> 33) % sides as u64).expect("a small number")
    }

    fn one<'t>(&mut self, of: &[&'t str]) -> &'t str {
        of[self.roll(of.len())]
    }
}

struct Happening {
    kind: &'static str,
    scope: String,
    summary: String,
    details: Vec<(String, String)>,
    reference: Option<usize>,
    private: bool,
}

fn happening(dice: &mut Dice, number: usize) -> Happening {
    let kind = dice.one(&KINDS);
    let mut details: Vec<(String, String)> = Vec::new();
    for _ in 0..dice.roll(4) {
        let key = dice.one(&KEYS);
        let value = match key {
            "status" => dice.one(&STATUSES),
            "result" => dice.one(&["pass", "fail", "skip"]),
            "type" => dice.one(&["component", "task", "document"]),
            _ => dice.one(&NAMES),
        };
        if !details.iter().any(|(own, _)| own == key) {
            details.push((key.to_owned(), value.to_owned()));
        }
    }
    let reference = (number > 1 && dice.roll(3) == 0).then(|| 1 + dice.roll(number - 1));
    let scope = format!("{}, {}", dice.one(&NAMES), dice.one(&NAMES));
    let summary =
        format!("The {} was looked at and something of kind {kind} was done, number {number}", dice.one(&NAMES));
    Happening { kind, scope, summary, details, reference, private: dice.roll(12) == 0 }
}

/// Adds an event to the end of the file, as a person would.
fn by_hand(project: &Project, number: usize, what: &Happening) {
    let mut text = project.read("CHANGELOG.md");
    let heading = text.lines().rev().find(|line| line.starts_with("### evt-"));
    let when = heading.and_then(|line| line.split(" | ").nth(1)).unwrap_or("2025-01-01 12:00").to_owned();
    let details: String = what.details.iter().map(|(key, value)| format!("- {key}: {value}\n")).collect();
    let refs = what.reference.map_or("none".to_owned(), |number| format!("evt-{number:03}"));
    let tags = if what.private { "sensitive" } else { "by-hand" };
    text.push_str(&format!(
        "\n### evt-{number:03} | {when} | hand | {}\n\n**Scope**: {}\n**Summary**: {}\n\n**Details**:\n{details}\n\
         **Refs**: {refs}\n**Tags**: {tags}\n",
        what.kind, what.scope, what.summary
    ));
    project.write("CHANGELOG.md", &text);
}

fn by_tool(project: &Project, what: &Happening) {
    let details: Vec<String> = what.details.iter().map(|(key, value)| format!("{key}={value}")).collect();
    let refs: Vec<String> = what.reference.iter().map(|number| format!("evt-{number:03}")).collect();
    let tags = if what.private { vec!["private"] } else { vec![] };
    project.ok(
        "md append",
        json!({"type": what.kind, "scope": what.scope, "summary": what.summary, "details": details, "refs": refs,
               "tags": tags, "agent": "tool"}),
    );
}

fn elsewhere(project: &Project, what: &Happening) {
    let metadata: serde_json::Map<String, Value> =
        what.details.iter().map(|(key, value)| (key.clone(), json!(value))).collect();
    project.append_elsewhere(&json!({"kind": what.kind, "scope": what.scope, "summary": what.summary,
        "author": "elsewhere", "metadata": metadata}));
    project.ok("md sync", json!({}));
}

/// A clone of the project: the log alone.
fn cloned<'h>(home: &'h Hermetic, name: &str, project: &Project) -> Project<'h> {
    let clone = Project::new(home, name);
    clone.write("CHANGELOG.md", &project.read("CHANGELOG.md"));
    clone.ok("md init", json!({}));
    clone
}

fn same(project: &Project, clone: &Project, seed: u64) {
    for file in [".memory/graph.md", ".memory/context.md"] {
        assert_eq!(project.read(file), clone.read(file), "{file} of history {seed}");
    }
}

fn live(home: &Hermetic, seed: u64) {
    let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(1));
    let project = Project::new(home, &format!("p{seed}"));
    project.ok("md init", json!({}));
    let events = 3 + dice.roll(10);
    for number in 1..=events {
        let what = happening(&mut dice, number);
        match dice.roll(4) {
            0 | 1 => by_tool(&project, &what),
            2 if !what.private => elsewhere(&project, &what),
            _ => {
                by_hand(&project, number, &what);
                if dice.roll(2) == 0 {
                    project.ok("md sync", json!({}));
                }
            }
        }
        if dice.roll(8) == 0 {
            project.ok("md sync", json!({}));
            same(&project, &cloned(home, &format!("p{seed}-{number}"), &project), seed);
        }
    }
    let boot = project.ok("md boot", json!({"agent": "tester"}));
    assert_eq!(boot[0]["horizon"], json!(format!("evt-{events:03}")), "history {seed}");
    let broken = |project: &Project| -> Vec<_> {
        project
            .findings()
            .into_iter()
            .filter(|(rule, ..)| !["summary-alone", "unplaced"].contains(&rule.as_str()))
            .collect()
    };
    assert_eq!(broken(&project), [], "history {seed}");
    let clone = cloned(home, &format!("p{seed}-c"), &project);
    same(&project, &clone, seed);
    clone.write("TODO.md", &project.read("TODO.md"));
    assert_eq!(broken(&clone), [], "the clone of history {seed}");
}

#[test]
fn what_is_derived_bit_by_bit_is_what_the_log_says_and_no_rule_is_broken() {
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get) as u64;
    std::thread::scope(|scope| {
        for thread in 0..threads {
            scope.spawn(move || {
                let mine = (0..HISTORIES).filter(|seed| (seed / A_HOME) % threads == thread);
                let mut home = Hermetic::new();
                for seed in mine {
                    if seed % A_HOME == 0 {
                        home = Hermetic::new();
                    }
                    live(&home, seed);
                }
            });
        }
    });
}
