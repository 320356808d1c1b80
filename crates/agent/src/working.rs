//! The working memory of one invocation: thoughts, actions and observations that never cost more than their budget.
//!
//! **Kept** are the goal, the last `keep_recent` items and every critical item. What is shown, [`WorkingMemory::render`],
//! costs at most the budget, always:
//!
//! 1. Everything stands verbatim while that fits.
//! 2. Then older items that are not kept are condensed into one part, which names the range of their numbers.
//! 3. If the kept items do not fit beside it: the condensed part shrinks to the line that names its range; kept items
//!    are shortened to a beginning and the words `[shortened: fetch REFERENCE]`, the older critical ones first, oldest
//!    first; then a goal that takes more than its share; then the recent items, oldest first; then what is left of all
//!    of these, in the same order.
//! 4. If not even these lines fit, the oldest of them are folded, with the condensed part, into one line that counts
//!    them and names the first and the last.
//!
//! So every item stands verbatim, or behind its reference, or inside a range of numbers, and [`WorkingMemory::fetch`]
//! gives the original for each. Only a budget below [`SMALLEST_BUDGET_TOKENS`] may be too small for that last line.

mod condense;
mod item;
mod layout;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use idetic_core::tokens;

use idetic_core::quoting::indented;
pub use item::{Item, ItemType, Metadata};

/// The smallest budget within which everything that is not shown is named.
pub const SMALLEST_BUDGET_TOKENS: usize = 24;

/// One part in so many of the threshold is for the condensed part.
const CONDENSED_SHARE: usize = 4;

/// How much of the prompt the working memory may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// What is shown never costs more.
    pub threshold_tokens: usize,
    /// How many of the last items are kept.
    pub keep_recent: usize,
}

impl Budget {
    /// The smaller of the configured threshold and half of the model's window, if that is known.
    pub fn new(threshold_tokens: usize, window_tokens: Option<usize>, keep_recent: usize) -> Self {
        let half = window_tokens.map_or(usize::MAX, |window| window / 2);
        Self { threshold_tokens: threshold_tokens.min(half), keep_recent }
    }

    fn condensed_tokens(self) -> usize {
        self.threshold_tokens / CONDENSED_SHARE
    }
}

/// The working memory. The goal is item 0; the items that are pushed are 1, 2, 3 and so on.
#[derive(Debug, Clone)]
pub struct WorkingMemory {
    budget: Budget,
    goal: Item,
    entries: Vec<Entry>,
    /// The first item of each event.
    by_event: HashMap<String, usize>,
    /// So many of the oldest items are condensed unless they are critical.
    condensed: usize,
}

#[derive(Debug, Clone)]
struct Entry {
    item: Item,
    /// The tokens of the content as it is shown.
    shown_tokens: usize,
}

impl WorkingMemory {
    /// A working memory that holds nothing but its goal.
    pub fn new(goal: Item, budget: Budget) -> Self {
        let mut by_event = HashMap::new();
        if let Some(id) = &goal.metadata.event_id {
            by_event.insert(id.clone(), 0);
        }
        Self { budget, goal, entries: Vec::new(), by_event, condensed: 0 }
    }

    /// Adds an item and gives its number.
    pub fn push(&mut self, item: Item) -> usize {
        let number = self.entries.len() + 1;
        if let Some(id) = &item.metadata.event_id {
            self.by_event.entry(id.clone()).or_insert(number);
        }
        let shown_tokens = tokens::estimate(&indented(&item.content));
        self.entries.push(Entry { item, shown_tokens });
        number
    }

    /// How many items were pushed.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether nothing was pushed yet.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// What the memory costs with everything that is not condensed yet shown verbatim. Above the threshold it is time
    /// to [`compress`](Self::compress).
    pub fn tokens(&self) -> usize {
        self.verbatim_tokens(self.condensed)
    }

    /// Whether it is time to compress.
    pub fn is_over(&self) -> bool {
        self.tokens() > self.budget.threshold_tokens
    }

    /// Condenses, if the memory is above its threshold, everything that is not kept. Extractive and deterministic.
    pub fn compress(&mut self) {
        if self.is_over() {
            self.condensed = self.condensable();
        }
    }

    /// What goes into the prompt: never more than the budget.
    pub fn render(&self) -> String {
        layout::render(self)
    }

    /// The original of an item by its reference: `#` and its number, or the id of its event.
    pub fn fetch(&self, reference: &str) -> Option<&Item> {
        let number = match reference.strip_prefix('#') {
            Some(digits) => digits.parse().ok()?,
            None => *self.by_event.get(reference)?,
        };
        self.item(number)
    }

    /// The items, oldest first, without the goal.
    pub fn items(&self) -> impl DoubleEndedIterator<Item = &Item> {
        self.entries.iter().map(|entry| &entry.item)
    }

    fn item(&self, number: usize) -> Option<&Item> {
        match number.checked_sub(1) {
            None => Some(&self.goal),
            Some(at) => self.entries.get(at).map(|entry| &entry.item),
        }
    }

    /// The id of the item's event if that can stand in a line and means this item alone, else its number.
    fn reference(&self, number: usize) -> String {
        let id = self.item(number).and_then(|item| item.metadata.event_id.as_deref());
        let usable = |id: &&str| item::can_be_shown(id) && self.by_event.get(*id) == Some(&number);
        id.filter(usable).map_or_else(|| format!("#{number}"), str::to_owned)
    }

    /// How many of the oldest items are not among the recent ones.
    fn condensable(&self) -> usize {
        self.entries.len().saturating_sub(self.budget.keep_recent)
    }

    fn verbatim_tokens(&self, condensed: usize) -> usize {
        layout::uncut(self, condensed).iter().map(layout::Line::tokens).sum()
    }
}
