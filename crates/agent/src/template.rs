//! The prompt: a template with named sections, filled within a budget, with everything recalled quoted as data.
//!
//! The system text, the tools, the working memory and the question always go in whole. Of the room they leave, facts,
//! conversation, what was said elsewhere and episodes each have a share, filled with the best that fits: the conversation
//! from its newest end, the others by rank. What a section leaves of its share goes to the others in that order. So
//! episodes are left out first, then what was said, then the oldest of the conversation, then facts of the lowest rank.

#[cfg(test)]
mod tests;

use std::fmt;

use idetic_core::{Invalid, tokens};

use crate::placeholders::{self, Piece};
use idetic_core::quoting::{fence, indented, longest_run};

/// The template that is used unless the configuration has one; [`Template::read`] takes it.
pub const DEFAULT_TEMPLATE: &str = include_str!("prompt.txt");
/// Longest template.
pub const TEMPLATE_MAX_BYTES: usize = 256 << 10;
/// Most items of one section that are looked at.
pub const SECTION_MAX_ITEMS: usize = 1000;

/// The places a template may have.
const PLACES: [&str; 8] =
    ["system", "tools", "facts", "said", "episodes", "conversation", "working_memory", "question"];
/// The places without which a prompt makes no sense.
const NEEDED: [&str; 2] = ["working_memory", "question"];
/// The places whose text is quoted.
const FENCED: [&str; 5] = ["facts", "said", "episodes", "conversation", "working_memory"];
/// Stands for a section without items.
const NONE: &str = "(none)";

/// A template that was checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template(Vec<Piece>);

/// Something recalled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recalled {
    /// Names it.
    pub id: String,
    /// What it says.
    pub text: String,
}

/// What goes into a prompt.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sections<'a> {
    /// Who the agent is.
    pub system: &'a str,
    /// The tools it may call, one to a line.
    pub tools: &'a str,
    /// Facts, best first.
    pub facts: &'a [Recalled],
    /// What was said in other conversations, best first; a template without a place for it has it behind the facts.
    pub said: &'a [Recalled],
    /// Past episodes, best first.
    pub episodes: &'a [Recalled],
    /// Summaries of earlier invocations, oldest first.
    pub conversation: &'a [Recalled],
    /// The working memory as it is rendered.
    pub working_memory: &'a str,
    /// What is asked.
    pub question: &'a str,
}

/// How the room for what is recalled is shared, in parts of the sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shares {
    /// The part of the facts.
    pub facts: usize,
    /// The part of the conversation.
    pub conversation: usize,
    /// The part of what was said elsewhere.
    pub said: usize,
    /// The part of the episodes.
    pub episodes: usize,
}

impl Default for Shares {
    fn default() -> Self {
        Self { facts: 4, conversation: 3, said: 3, episodes: 2 }
    }
}

/// A prompt, and the ids of what went into it in the order in which it is numbered there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    /// What the model is sent.
    pub text: String,
    /// What it costs.
    pub tokens: usize,
    /// The facts that went in.
    pub facts: Vec<String>,
    /// What was said that went in.
    pub said: Vec<String>,
    /// The episodes that went in.
    pub episodes: Vec<String>,
    /// The summaries that went in.
    pub conversation: Vec<String>,
}

/// The parts that always go in do not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooLarge {
    /// What they cost.
    pub needed_tokens: usize,
    /// What they may cost.
    pub budget_tokens: usize,
}

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { needed_tokens, budget_tokens } = self;
        write!(
            f,
            "the prompt needs {needed_tokens} tokens for its template, system text, tools, working memory and question, but \
             has {budget_tokens}: shorten them, offer fewer tools, or use a model with a larger window"
        )
    }
}

impl std::error::Error for TooLarge {}

impl Template {
    /// Reads a template. A place that is not known, or stands twice, is refused by its name.
    pub fn read(text: &str) -> Result<Self, Invalid> {
        if text.len() > TEMPLATE_MAX_BYTES {
            return Err(Invalid::new(format!("the template has {} bytes", text.len()))
                .hint(format!("at most {TEMPLATE_MAX_BYTES} bytes")));
        }
        let pieces = placeholders::read(text)?;
        let mut seen: Vec<&str> = Vec::new();
        for name in placeholders::names(&pieces) {
            if !PLACES.contains(&name) {
                return Err(Invalid::new(format!("the template has an unknown placeholder {{{{{name}}}}}"))
                    .hint(format!("the placeholders are {}", PLACES.join(", "))));
            }
            if seen.contains(&name) {
                return Err(Invalid::new(format!("the template has {{{{{name}}}}} twice")).hint("keep one of them"));
            }
            seen.push(name);
        }
        if let Some(missing) = NEEDED.iter().find(|name| !seen.contains(name)) {
            return Err(Invalid::new(format!("the template has no {{{{{missing}}}}}")).hint("add it"));
        }
        Ok(Self(pieces))
    }

    /// Fills the template in at most so many tokens.
    pub fn fill(&self, sections: &Sections<'_>, shares: Shares, budget_tokens: usize) -> Result<Prompt, TooLarge> {
        let working_memory = quoted("working memory", sections.working_memory);
        let needed_tokens = self.needed(sections, &working_memory);
        let mut room = budget_tokens.checked_sub(needed_tokens).ok_or(TooLarge { needed_tokens, budget_tokens })?;
        let has = |name: &str| placeholders::names(&self.0).any(|place| place == name);
        let offered = |name: &str, items: &[Recalled]| -> Vec<Recalled> {
            if has(name) { items.iter().take(SECTION_MAX_ITEMS).cloned().collect() } else { Vec::new() }
        };
        let said_elsewhere = if has("said") { &[] } else { sections.said };
        let known: Vec<Recalled> = sections.facts.iter().chain(said_elsewhere).cloned().collect();
        let newest_first: Vec<Recalled> = sections.conversation.iter().rev().cloned().collect();
        let mut facts = Section::new("facts", offered("facts", &known));
        let mut said = Section::new("said", offered("said", sections.said));
        let mut conversation = Section::new("conversation", offered("conversation", &newest_first));
        let mut episodes = Section::new("episodes", offered("episodes", sections.episodes));
        let sum = (shares.facts + shares.conversation + shares.said + shares.episodes).max(1);
        let whole = room;
        for (section, share) in [
            (&mut facts, shares.facts),
            (&mut conversation, shares.conversation),
            (&mut said, shares.said),
            (&mut episodes, shares.episodes),
        ] {
            room -= section.take(room.min(whole.saturating_mul(share) / sum));
        }
        for section in [&mut facts, &mut conversation, &mut said, &mut episodes] {
            room -= section.take(room);
        }
        conversation.items.reverse();
        conversation.taken.reverse();
        let text = self.joined(|name| match name {
            "system" => sections.system.to_owned(),
            "tools" => or_none(sections.tools.to_owned()),
            "facts" => facts.text(),
            "said" => said.text(),
            "conversation" => conversation.text(),
            "episodes" => episodes.text(),
            "working_memory" => working_memory.clone(),
            _ => sections.question.to_owned(),
        });
        let tokens = tokens::estimate(&text);
        Ok(Prompt {
            text,
            tokens,
            facts: facts.ids(),
            said: said.ids(),
            episodes: episodes.ids(),
            conversation: conversation.ids(),
        })
    }

    /// The whole text. A fence stands at the start of a line of its own, however the template is written; the line
    /// breaks for that cost nothing.
    fn joined(&self, value: impl Fn(&str) -> String) -> String {
        let mut text = String::new();
        let mut after_fence = false;
        for piece in &self.0 {
            let part = match piece {
                Piece::Text(text) => text.clone(),
                Piece::Place(name) => value(name),
            };
            let is_fenced = matches!(piece, Piece::Place(name) if FENCED.contains(&name.as_str()));
            let breaks = (is_fenced && !text.is_empty()) || after_fence;
            if breaks && !text.ends_with('\n') && !part.starts_with('\n') {
                text.push('\n');
            }
            text.push_str(&part);
            after_fence = is_fenced;
        }
        text
    }

    /// What the parts that always go in cost, and the words for the sections that may stay empty. Words that meet where
    /// two parts touch cost no more than they do apart, so a sum is never too small.
    fn needed(&self, sections: &Sections<'_>, working_memory: &str) -> usize {
        let cost = |piece: &Piece| match piece {
            Piece::Text(text) => tokens::estimate(text),
            Piece::Place(name) => match name.as_str() {
                "system" => tokens::estimate(sections.system),
                "tools" => tokens::estimate(sections.tools).max(tokens::estimate(NONE)),
                "working_memory" => tokens::estimate(working_memory),
                "question" => tokens::estimate(sections.question),
                _ => tokens::estimate(NONE),
            },
        };
        self.0.iter().map(cost).sum()
    }
}

fn or_none(text: String) -> String {
    if text.is_empty() { NONE.to_owned() } else { text }
}

/// A text between fences that nothing in it can end.
fn quoted(name: &str, text: &str) -> String {
    let fence = fence(longest_run(text));
    format!("{fence}{name}\n{text}\n{fence}")
}

/// A section of recalled items, the most important first until it is shown.
struct Section {
    name: &'static str,
    items: Vec<Recalled>,
    taken: Vec<bool>,
    /// What the section costs as it is.
    tokens: usize,
    lines_tokens: usize,
    longest_run: usize,
}

impl Section {
    fn new(name: &'static str, items: Vec<Recalled>) -> Self {
        let taken = vec![false; items.len()];
        Self { name, items, taken, tokens: tokens::estimate(NONE), lines_tokens: 0, longest_run: 0 }
    }

    /// Takes, in order, every item that fits in what may be added, and tells what was added.
    fn take(&mut self, room: usize) -> usize {
        let before = self.tokens;
        for (item, taken) in self.items.iter().zip(&mut self.taken).filter(|(_, taken)| !**taken) {
            let line = line(1, &item.text);
            let lines_tokens = self.lines_tokens + tokens::estimate(&line);
            let longest = self.longest_run.max(longest_run(&line));
            let tokens = lines_tokens + 2 * tokens::estimate(&fence(longest)) + tokens::estimate(self.name);
            if tokens.saturating_sub(before) > room {
                continue;
            }
            *taken = true;
            // A section of a short text may cost no more than the word for an empty one.
            self.tokens = tokens.max(before);
            self.lines_tokens = lines_tokens;
            self.longest_run = longest;
        }
        self.tokens - before
    }

    fn chosen(&self) -> impl Iterator<Item = &Recalled> {
        self.items.iter().zip(&self.taken).filter(|(_, taken)| **taken).map(|(item, _)| item)
    }

    fn ids(&self) -> Vec<String> {
        self.chosen().map(|item| item.id.clone()).collect()
    }

    fn text(&self) -> String {
        let lines: Vec<String> = self.chosen().enumerate().map(|(at, item)| line(at + 1, &item.text)).collect();
        if lines.is_empty() { NONE.to_owned() } else { quoted(self.name, &lines.join("\n")) }
    }
}

/// The number costs the same for as many items as there may be.
fn line(number: usize, text: &str) -> String {
    format!("[{number}] {}", indented(text.trim()))
}
