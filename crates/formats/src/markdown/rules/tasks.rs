//! The rules of TODO.md.

use super::log::Known;
use super::{Finding, Findings, Layer};
use crate::markdown::changelog::event_id;
use crate::markdown::todo::{IN_PROGRESS_MAX, Item, SectionKind, Todo};

pub(super) fn check(todo: &Todo, known: &Known) -> Vec<Finding> {
    let mut findings = Findings::new(Layer::Todo);
    let items = || todo.items().iter().filter(|item| !item.is_placeholder());
    let working: Vec<&Item> = items().filter(|item| item.place == SectionKind::InProgress && !item.done).collect();
    if let Some(item) = working.get(IN_PROGRESS_MAX) {
        let message = format!("{} tasks are in progress, at most {IN_PROGRESS_MAX} should be", working.len());
        findings.warning(item.line, "tasks-in-progress", &item.name, message, "finish one, or move one to Up Next");
    }
    for item in items() {
        let is_completed = item.place == SectionKind::Completed || item.done;
        if is_completed && item.refs.is_empty() {
            let message = format!("{} is completed and names no event", item.name);
            findings.warning(
                item.line,
                "task-without-event",
                &item.name,
                message,
                "append an event and name it: (evt-001)",
            );
        }
        if item.place == SectionKind::Completed && !item.done {
            let message = format!("{} is under Completed and is not ticked", item.name);
            findings.warning(item.line, "task-not-ticked", &item.name, message, "tick it, or move it back");
        }
        for number in item.refs.iter().filter(|number| !known.has(**number)) {
            let message = format!("{} names {}, which is not in the log", item.name, event_id(*number));
            findings.error(item.line, "task-event", &item.name, message, "name an event of the log");
        }
    }
    findings.found
}
