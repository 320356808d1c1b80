//! Events written as specification 003 wants them: a dated heading, a type, a scope, and the parts What, Why, Impact and
//! Next Steps.

use super::{Draft, list_or, print_detail};
use crate::markdown::changelog::{Changelog, Detail, minute};
use crate::markdown::lines::{bullet, newline};

/// The parts, each with the keys of the details that are written there.
const PARTS: [(&str, &[&str]); 4] = [
    ("What", &["what", "description"]),
    ("Why", &["why", "rationale", "reason"]),
    ("Impact", &["impact"]),
    ("Next Steps", &["next_steps", "next_step", "next"]),
];

impl Draft {
    /// The block of generation one, with `\n` at the end of every line.
    pub fn print_first_layout(&self) -> String {
        let safe = self.safe();
        let title = if safe.summary.is_empty() { "Untitled" } else { safe.summary.as_str() };
        let mut out = format!("## {} — {title}\n\n**Type:** {}\n", minute(safe.time), safe.kind);
        out.push_str(&format!("**Scope:** {}\n**Agent:** {}\n", list_or(&safe.scope, "project"), safe.agent));
        if !safe.tags.is_empty() {
            out.push_str(&format!("**Tags:** {}\n", safe.tags.join(", ")));
        }
        let is_part = |detail: &&Detail| PARTS.iter().any(|(_, keys)| keys.contains(&detail.name().as_str()));
        let (parts, others): (Vec<&Detail>, Vec<&Detail>) = safe.details.iter().partition(is_part);
        if !others.is_empty() {
            out.push_str("\n**Details:**\n");
            others.iter().for_each(|detail| print_detail(&mut out, detail));
        }
        for (name, keys) in PARTS {
            let said: Vec<&&Detail> = parts.iter().filter(|detail| keys.contains(&detail.name().as_str())).collect();
            let text: String = said.iter().map(|detail| part(detail)).collect();
            match text.is_empty() {
                false => out.push_str(&format!("\n### {name}\n{text}")),
                true if name == "What" => out.push_str(&format!("\n### What\n{title}\n")),
                true => {}
            }
        }
        out
    }
}

/// What a part says: the value, or a list.
fn part(detail: &Detail) -> String {
    let text = |line: &str| {
        let is_odd = line.starts_with(['#', '`', '~', '<']) || line.starts_with("---");
        if is_odd { format!("\\{line}\n") } else { format!("{line}\n") }
    };
    let value: String = detail.value.lines().map(text).collect();
    let items = detail.items.iter().map(|item| {
        let line = item.lines().collect::<Vec<_>>().join(" ");
        format!("- {}\n", bullet(&line).map_or(line.as_str(), |(_, text)| text))
    });
    value + &items.collect::<String>()
}

/// The file with events of generation one where it has them: on top where the newest stands first, else at the end.
pub(super) fn insert(log: &Changelog, drafts: &[Draft]) -> String {
    let text = log.text();
    let newline = newline(text);
    let blocks: Vec<String> =
        drafts.iter().map(|draft| draft.print_first_layout().trim_end().replace('\n', newline)).collect();
    let rule = format!("{newline}{newline}---{newline}{newline}");
    let (Some(first), Some(last)) = (log.entries().first(), log.entries().last()) else { return text.to_owned() };
    if log.is_newest_first() {
        let new: String = blocks.iter().rev().map(|block| format!("{block}{rule}")).collect();
        return format!("{}{new}{}", &text[..first.range.start], &text[first.range.start..]);
    }
    let new: String = blocks.iter().map(|block| format!("{rule}{block}")).collect();
    let behind = &text[last.range.end..];
    let end = if behind.is_empty() { newline } else { "" };
    format!("{}{new}{end}{behind}", &text[..last.range.end])
}
