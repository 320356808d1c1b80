//! What the working memory shows: which items stand whole, which are shortened, which are only counted.

use idetic_core::tokens;

use super::{WorkingMemory, condense};
use idetic_core::quoting::{INDENT, cut, indented, within};

/// What a shortened item keeps while there is room for it.
const EXCERPT_TOKENS: usize = 48;
/// The goal is shortened to one part in so many of the budget before recent items are.
const GOAL_SHARE: usize = 4;

/// One line of what is shown, with its continuation lines. Lines are joined by line breaks, which cost nothing and end
/// a word, so that the cost of the whole is the sum.
pub struct Line {
    text: String,
    tokens: usize,
    what: What,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    Goal,
    /// Items that are not kept, so many.
    Condensed {
        first: usize,
        last: usize,
        count: usize,
    },
    /// One item, by its number.
    Item(usize),
}

impl Line {
    fn new(text: String, what: What) -> Self {
        let tokens = tokens::estimate(&text);
        Self { text, tokens, what }
    }

    /// What the line costs.
    pub fn tokens(&self) -> usize {
        self.tokens
    }
}

/// The lines with so many of the oldest items condensed and everything else verbatim.
pub fn uncut(memory: &WorkingMemory, condensed: usize) -> Vec<Line> {
    let is_condensed =
        |number: usize| number <= condensed && memory.item(number).is_some_and(|item| !item.metadata.critical);
    let mut lines = vec![whole(memory, 0)];
    let numbers: Vec<usize> = (1..=memory.len()).filter(|number| is_condensed(*number)).collect();
    if let (Some(first), Some(last)) = (numbers.first(), numbers.last()) {
        let what = What::Condensed { first: *first, last: *last, count: numbers.len() };
        let mut text = range_line(what);
        for line in condense::lines(memory, &numbers) {
            text.push_str(&format!("\n{INDENT}{line}"));
        }
        lines.push(Line::new(text, what));
    }
    lines.extend((1..=memory.len()).filter(|number| !is_condensed(*number)).map(|number| whole(memory, number)));
    lines
}

/// What goes into the prompt.
pub fn render(memory: &WorkingMemory) -> String {
    let budget = memory.budget.threshold_tokens;
    let mut lines = uncut(memory, memory.condensed);
    if total(&lines) > budget {
        lines = uncut(memory, memory.condensable());
    }
    shorten(memory, &mut lines, budget);
    if total(&lines) > budget {
        lines = fold(lines, memory, budget);
    }
    let shown: Vec<String> = lines.into_iter().map(|line| line.text).collect();
    shown.join("\n")
}

fn total(lines: &[Line]) -> usize {
    lines.iter().map(Line::tokens).sum()
}

fn label(memory: &WorkingMemory, number: usize) -> String {
    match memory.item(number) {
        Some(item) if number > 0 => format!("[{number}] {}", item.kind.name()),
        _ => "[0] goal".to_owned(),
    }
}

fn what(number: usize) -> What {
    if number == 0 { What::Goal } else { What::Item(number) }
}

fn whole(memory: &WorkingMemory, number: usize) -> Line {
    let label = label(memory, number);
    let content = memory.item(number).map_or(String::new(), |item| indented(&item.content));
    let counted = number.checked_sub(1).and_then(|at| memory.entries.get(at)).map(|entry| entry.shown_tokens);
    let content_tokens = counted.unwrap_or_else(|| tokens::estimate(&content));
    let start = format!("{label}: ");
    Line { tokens: tokens::estimate(&start) + content_tokens, text: start + &content, what: what(number) }
}

/// The item in at most so many tokens: its line with its reference, and as much of its beginning as fits.
fn short(memory: &WorkingMemory, number: usize, limit_tokens: usize) -> Line {
    let mut text = format!("{} [shortened: fetch {}]", label(memory, number), memory.reference(number));
    let content = memory.item(number).map_or(String::new(), |item| indented(item.content.trim_start()));
    // The colon and the mark of the cut cost a token each.
    let room = limit_tokens.saturating_sub(tokens::estimate(&text) + 2);
    let beginning = within(&content, room).trim_end();
    if !beginning.is_empty() {
        text.push_str(&format!(": {beginning}…"));
    }
    Line::new(text, what(number))
}

/// Shortens line after line until everything fits, the least important first, none more than it must be.
fn shorten(memory: &WorkingMemory, lines: &mut [Line], budget: usize) {
    let mut excess = total(lines).saturating_sub(budget);
    let recent = memory.condensable();
    let is_older = |what: What| matches!(what, What::Item(number) if number <= recent);
    let is_recent = |what: What| matches!(what, What::Item(number) if number > recent);
    if excess > 0
        && let Some(line) = lines.iter_mut().find(|line| matches!(line.what, What::Condensed { .. }))
    {
        let before = line.tokens;
        *line = Line::new(range_line(line.what), line.what);
        excess = excess.saturating_sub(before - line.tokens);
    }
    let mut pass = |which: &dyn Fn(What) -> bool, least: usize| {
        for line in lines.iter_mut().filter(|line| which(line.what)) {
            let number = match line.what {
                What::Goal => 0,
                What::Item(number) => number,
                What::Condensed { .. } => continue,
            };
            if excess == 0 {
                return;
            }
            // A short text is cheaper than the words that it was shortened.
            let shorter = short(memory, number, line.tokens.saturating_sub(excess).max(least));
            if shorter.tokens < line.tokens {
                excess = excess.saturating_sub(line.tokens - shorter.tokens);
                *line = shorter;
            }
        }
    };
    let is_goal = |what: What| what == What::Goal;
    pass(&is_older, EXCERPT_TOKENS);
    pass(&is_older, 0);
    pass(&is_goal, (budget / GOAL_SHARE).max(EXCERPT_TOKENS));
    pass(&is_recent, EXCERPT_TOKENS);
    pass(&is_recent, 0);
    pass(&is_goal, 0);
}

/// The oldest lines become one that counts them.
fn fold(lines: Vec<Line>, memory: &WorkingMemory, budget: usize) -> Vec<Line> {
    let mut left = total(&lines);
    let mut lines: std::collections::VecDeque<Line> = lines.into();
    let goal = lines.pop_front();
    let mut folded: Option<(usize, usize, usize)> = None;
    let mut line = Line::new(String::new(), What::Goal);
    while left + line.tokens > budget {
        // The goal goes last: it says what the rest is for.
        let Some(oldest) = lines.pop_front() else { break };
        left -= oldest.tokens;
        let (first, last, count) = match oldest.what {
            What::Goal => (0, 0, 1),
            What::Item(number) => (number, number, 1),
            What::Condensed { first, last, count } => (first, last, count),
        };
        let (from, to, so_far) = folded.unwrap_or((first, last, 0));
        let range = (from.min(first), to.max(last), so_far + count);
        folded = Some(range);
        line = fold_line(memory, range, budget.saturating_sub(left));
    }
    let goal = goal.filter(|_| left + line.tokens <= budget);
    if goal.is_none() {
        let (_, last, count) = folded.unwrap_or((0, 0, 0));
        line = fold_line(memory, (0, last, count + 1), budget);
        line.text = cut(&line.text, budget);
    }
    goal.into_iter().chain([line]).chain(lines).collect()
}

fn range_line(what: What) -> String {
    let What::Condensed { first, last, count } = what else { return String::new() };
    format!("[{first}-{last}] {count} older steps, condensed; fetch #{first} to #{last}")
}

/// Names the first and the last by their references if there is room, and by their numbers in any case.
fn fold_line(memory: &WorkingMemory, (first, last, count): (usize, usize, usize), room: usize) -> Line {
    let start = format!("[{first}-{last}] {count} older steps; fetch #{first} to #{last}");
    let ends = format!("{start} ({} to {})", memory.reference(first), memory.reference(last));
    let long = Line::new(ends, What::Goal);
    if long.tokens <= room { long } else { Line::new(start, What::Goal) }
}
