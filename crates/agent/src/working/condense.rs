//! What stays of an item that is not kept: a few words of it, chosen without a model.

use super::{Item, ItemType, WorkingMemory};
use crate::quoting::{cut, in_one_line, indented, is_break};

/// The longest extract of one item.
const EXTRACT_MAX_TOKENS: usize = 24;

/// A model's words for the oldest items.
#[derive(Debug, Clone)]
pub struct Summary {
    /// So many of the oldest items are in it, unless they are critical.
    pub through: usize,
    /// Cut to the share of the condensed part.
    pub text: String,
}

/// The lines of the condensed part for these item numbers (not critical, oldest first): the newest lines that fit in
/// their share, after the model's summary if there is one.
pub fn lines(memory: &WorkingMemory, numbers: &[usize]) -> Vec<String> {
    let mut room = memory.budget.condensed_tokens();
    let mut lines = Vec::new();
    let mut summarised = 0;
    if let Some(summary) = &memory.summary {
        let text = indented(&summary.text);
        room = room.saturating_sub(idetic_core::tokens::estimate(&text));
        summarised = summary.through;
        lines.push(text);
    }
    let mut newest = Vec::new();
    for number in numbers.iter().rev().filter(|number| **number > summarised) {
        let Some(item) = memory.item(*number) else { continue };
        let line = format!("#{number} {}: {}", item.kind.name(), extract(item));
        let Some(left) = room.checked_sub(idetic_core::tokens::estimate(&line)) else { break };
        room = left;
        newest.push(line);
    }
    lines.extend(newest.into_iter().rev());
    lines
}

/// The first sentence of a thought, the tool of an action, the first line of an observation.
fn extract(item: &Item) -> String {
    let text = item.content.trim_start();
    let line = text.split(is_break).next().unwrap_or_default();
    let part = match item.kind {
        ItemType::Thought => sentence(line),
        ItemType::Action => line.split(|c: char| c.is_whitespace() || c == '{').next().unwrap_or_default(),
        ItemType::Observation => line,
    };
    cut(&in_one_line(part), EXTRACT_MAX_TOKENS)
}

fn sentence(line: &str) -> &str {
    let mut chars = line.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let ends = match c {
            '。' | '！' | '？' => true,
            '.' | '!' | '?' => chars.peek().is_none_or(|(_, next)| next.is_whitespace()),
            _ => false,
        };
        if ends {
            return &line[..at + c.len_utf8()];
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use idetic_core::Time;

    use super::*;

    #[test]
    fn the_gist_of_each_kind() {
        let at = Time(0);
        assert_eq!(extract(&Item::thought("Use v1.2 then. And more.\nYet more", at)), "Use v1.2 then.");
        assert_eq!(extract(&Item::thought("先看日志。然后", at)), "先看日志。");
        let arguments = serde_json::json!({"q": "x"});
        let arguments = arguments.as_object().expect("it is an object");
        assert_eq!(extract(&Item::action("search", arguments, at)), "search");
        assert_eq!(extract(&Item::observation("\n42 rows\nrow", at)), "42 rows");
    }
}
