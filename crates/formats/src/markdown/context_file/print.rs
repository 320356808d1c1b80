//! A context printed: the seven sections of generation two, or the five of specification 003.

use crate::markdown::changelog::event_id;
use crate::markdown::narrative::{Narrative, Task};
use crate::markdown::seal::seal;
use crate::markdown::table::row;

/// The file of generation two, with our mark behind it.
pub fn print(narrative: &Narrative) -> String {
    seal(&text(narrative))
}

impl Narrative {
    /// The same within a budget of tokens: the oldest changes go first, then dependencies, constraints, tasks, actions
    /// and at last blockers, each from its end. The sections stay, whatever the budget.
    #[must_use]
    pub fn within(&self, budget: usize, count: &dyn Fn(&str) -> usize) -> Self {
        let fits = |dropped: usize| count(&text(&self.without(dropped))) <= budget;
        let (mut low, mut high) = (0, self.droppable());
        while low < high {
            let middle = (low + high) / 2;
            if fits(middle) { high = middle } else { low = middle + 1 }
        }
        self.without(low)
    }
}

/// What the file says, without our mark.
pub(crate) fn text(narrative: &Narrative) -> String {
    let when = narrative.generated.as_deref().unwrap_or("—");
    let horizon = narrative.horizon.map_or_else(|| "—".to_owned(), event_id);
    let mut out = format!(
        "# Current Context\n\n\
         <!-- LAYER 3: Derived projection. Ephemeral. Regenerate from CHANGELOG.md + graph.md when stale. -->\n\
         <!-- Last generated: {when} | Event horizon: {horizon} -->\n\
         <!-- Staleness: compare Event horizon above with last event in CHANGELOG.md. Mismatch = regenerate. -->\n\n\
         ## Active Mission\n\n{}\n\n## Current Sprint\n\n\
         | Task | Priority | Assignee | Status | Blockers |\n|------|----------|----------|--------|----------|\n",
        narrative.mission.as_deref().unwrap_or(NONE)
    );
    if narrative.sprint.is_empty() {
        out.push_str("| — | — | — | — | — |\n");
    }
    for Task { name, priority, assignee, status, blockers } in &narrative.sprint {
        let dash = |text: &str| if text.is_empty() { "—".to_owned() } else { text.to_owned() };
        out.push_str(&row(&[name, &dash(priority), &dash(assignee), status, &dash(&blockers.join(", "))]));
    }
    for (name, lines) in [
        ("Active Constraints", &narrative.constraints),
        ("Blockers", &narrative.blockers),
        ("Recent Changes", &narrative.recent),
        ("Key Dependencies", &narrative.dependencies),
    ] {
        out.push_str(&format!("\n## {name}\n\n{}", bullets(lines)));
    }
    out.push_str(&format!("\n## Next Actions\n\n{}", numbered(&narrative.actions)));
    out
}

/// The file of specification 003. The horizon stands in it all the same: by it the file is known to be fresh.
pub fn print_generation_one(narrative: &Narrative) -> String {
    let mut out = String::from("# Current Context\n\n");
    if let Some(when) = &narrative.generated {
        out.push_str(&format!("**Last Updated:** {when}\n"));
    }
    if let Some(horizon) = narrative.horizon {
        out.push_str(&format!("**Event horizon:** {}\n", event_id(horizon)));
    }
    out.push_str(&format!(
        "\n## Session Summary\n\n{}\n\n## Recent Events\n\n{}\n## Active Entities\n\n{}\n## Blockers/Issues\n\n{}\n\
         ## Next Actions\n\n{}",
        narrative.mission.as_deref().unwrap_or(NONE),
        bullets(&narrative.recent[..narrative.recent.len().min(RECENT_MAX_EVENTS)]),
        bullets(&narrative.entities),
        bullets(&narrative.blockers),
        numbered(&narrative.actions)
    ));
    seal(&out)
}

const NONE: &str = "(none)";
/// The most events that a file of specification 003 shows, which asks for the last five to ten.
const RECENT_MAX_EVENTS: usize = 10;

fn bullets(lines: &[String]) -> String {
    if lines.is_empty() {
        return format!("- {NONE}\n");
    }
    lines.iter().map(|line| format!("- {line}\n")).collect()
}

fn numbered(lines: &[String]) -> String {
    if lines.is_empty() {
        return format!("1. {NONE}\n");
    }
    lines.iter().zip(1..).map(|(line, number)| format!("{number}. {line}\n")).collect()
}
