//! Tasks that move, and everything else that does not.

use proptest::prelude::*;

use super::*;

const FILE: &str = "# TODO\n\n> Notes.\n\n## In Progress\n\n- [ ] **Memory system** — Setup in progress (evt-001)\n  - a step\n- [ ] Write docs — soon\n\n## Up Next\n\n- [ ] (add next tasks)\n\n## Completed\n\n- [x] **Old** — done 2026-02-26 (evt-001)\n\n## Backlog\n\n- [ ] **Some day**\n";

fn state(name: &str, status: &str) -> TaskState {
    TaskState {
        name: name.to_owned(),
        status: status.to_owned(),
        text: "text".to_owned(),
        event: Some(9),
        day: Some("2026-03-01".to_owned()),
    }
}

#[test]
fn items_are_read_with_their_sections() {
    let todo = Todo::read(FILE);
    let seen: Vec<(SectionKind, bool, &str, u64)> =
        todo.items().iter().map(|i| (i.place, i.done, i.name.as_str(), i.line)).collect();
    assert_eq!(
        seen,
        [
            (SectionKind::InProgress, false, "Memory system", 7),
            (SectionKind::InProgress, false, "Write docs", 9),
            (SectionKind::UpNext, false, "(add next tasks)", 13),
            (SectionKind::Completed, true, "Old", 17),
            (SectionKind::Backlog, false, "Some day", 21)
        ]
    );
    assert_eq!((todo.items()[3].day.as_deref(), todo.items()[3].refs.as_slice()), (Some("2026-02-26"), &[1][..]));
    assert!(todo.items()[2].is_placeholder());
}

#[test]
fn a_completed_task_moves_with_its_lines() {
    let out = Todo::read(FILE).update(&[state("memory-system", "completed"), state("some day", "planned")]);
    let wanted = FILE
        .replace("- [ ] **Memory system** — Setup in progress (evt-001)\n  - a step\n", "")
        .replace("(evt-001)\n\n## Backlog", "(evt-001)\n- [x] **Memory system** — Setup in progress 2026-03-01 (evt-001, evt-009)\n  - a step\n\n## Backlog");
    assert_eq!(out, wanted);
}

#[test]
fn new_tasks_and_missing_sections_are_added() {
    let out = Todo::read("# TODO\r\n\r\n## Active\r\n\r\n## Done").update(&[
        state("a", "active"),
        state("b", "completed"),
        state("c", "planned"),
        state("d", "deprecated"),
    ]);
    assert_eq!(
        out,
        "# TODO\r\n\r\n## Active\r\n\r\n- [ ] **a** — text (evt-009)\r\n\r\n## Done\r\n\r\n- [x] **b** — text 2026-03-01 (evt-009)\r\n\r\n## Up Next\r\n\r\n- [ ] **c** — text (evt-009)\r\n"
    );
    let again = Todo::read(&out);
    assert_eq!(again.update(&[state("a", "active"), state("b", "completed"), state("c", "planned")]), out);
}

#[test]
fn nothing_to_do_changes_nothing() {
    assert_eq!(
        Todo::read(FILE).update(&[
            state("Old", "completed"),
            state("Write docs", "active"),
            state("Old", "deprecated")
        ]),
        FILE
    );
}

fn any_line() -> impl Strategy<Value = &'static str> {
    proptest::sample::select(vec![
        "## In Progress",
        "## Done",
        "## Blocked",
        "- [ ] **a** — x (evt-001)",
        "- [x] b",
        "  more",
        "",
        "text",
        "- [ ] c",
        "- [~] d",
        "```",
        "- plain",
        "## Other",
        "- [ ] (add)",
    ])
}

proptest! {
    #[test]
    fn other_lines_stay_and_doing_it_twice_is_doing_it_once(
        lines in proptest::collection::vec(any_line(), 0..20),
        states in proptest::collection::vec(("[abcdz]", "(active|blocked|planned|completed|deprecated)"), 0..5),
        end in prop_oneof![Just("\n"), Just("")],
    ) {
        let text = lines.join("\n") + end;
        let mut names = std::collections::HashSet::new();
        let states: Vec<TaskState> =
            states.iter().filter(|(n, _)| names.insert(n.clone())).map(|(n, s)| state(n, s)).collect();
        let todo = Todo::read(&text);
        prop_assert_eq!(todo.update(&[]), text.as_str());
        let out = todo.update(&states);
        let others = |text: &str| {
            let mut lines: Vec<String> = text.lines().filter(|l| !l.trim().is_empty() && !l.starts_with("- [") && !l.starts_with("##")).map(str::to_owned).collect();
            lines.sort();
            lines
        };
        prop_assert_eq!(others(&out), others(&text), "{}", out);
        if !text.contains("```") {
            prop_assert_eq!(Todo::read(&out).update(&states), out.as_str());
        }
    }
}
