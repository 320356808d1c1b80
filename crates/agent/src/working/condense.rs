//! What stays of an item that is not kept: a few words of it, chosen without a model.

use super::{Item, ItemType, WorkingMemory};
use idetic_core::quoting::{cut, in_one_line, is_break};

/// The longest extract of one item.
const EXTRACT_MAX_TOKENS: usize = 24;

/// The lines of the condensed part for these item numbers (not critical, oldest first): the newest lines that fit in
/// their share.
pub fn lines(memory: &WorkingMemory, numbers: &[usize]) -> Vec<String> {
    let mut room = memory.budget.condensed_tokens();
    let mut newest = Vec::new();
    for number in numbers.iter().rev() {
        let Some(item) = memory.item(*number) else { continue };
        let line = format!("#{number} {}: {}", item.kind.name(), extract(item));
        let Some(left) = room.checked_sub(idetic_core::tokens::estimate(&line)) else { break };
        room = left;
        newest.push(line);
    }
    newest.reverse();
    newest
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
