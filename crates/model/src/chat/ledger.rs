//! What is spent on a language model, operation by operation, and a budget no call may exceed.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

use super::{Chat, ChatAnswer, ChatError, ChatRequest, Usage, wide};

/// Prices are for this many tokens, and a unit of money has this many micros.
const MILLION: u128 = 1_000_000;

/// What a million tokens cost, in millionths of a unit of money (150 000 is 0.15).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prices {
    /// Those the model reads.
    pub prompt_micros: u64,
    /// Those it writes.
    pub answer_micros: u64,
}

impl Prices {
    /// What so many tokens cost, in millionths, rounded up.
    pub fn cost_micros(&self, prompt_tokens: u64, answer_tokens: u64) -> u64 {
        narrow(self.exact(prompt_tokens, answer_tokens).div_ceil(MILLION))
    }

    /// The same in millionths of a millionth, where nothing is lost.
    fn exact(&self, prompt_tokens: u64, answer_tokens: u64) -> u128 {
        let each = [(prompt_tokens, self.prompt_micros), (answer_tokens, self.answer_micros)];
        let [prompt, answer] = each.map(|(tokens, price)| u128::from(tokens) * u128::from(price));
        prompt.saturating_add(answer)
    }
}

/// What may be spent; without a number there is no limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Budget {
    /// Tokens read and written.
    pub tokens: Option<u64>,
    /// Money, in millionths.
    pub cost_micros: Option<u64>,
}

impl Budget {
    /// What is left of it after what was spent elsewhere, earlier today for instance.
    pub fn after(self, spent: &Spent) -> Self {
        Self {
            tokens: self.tokens.map(|tokens| tokens.saturating_sub(spent.tokens())),
            cost_micros: self.cost_micros.map(|cost| cost.saturating_sub(spent.cost_micros)),
        }
    }

    /// What satisfies both budgets: that of a run and what is left of the day's.
    pub fn and(self, other: Self) -> Self {
        let least = |a: Option<u64>, b: Option<u64>| a.into_iter().chain(b).min();
        Self { tokens: least(self.tokens, other.tokens), cost_micros: least(self.cost_micros, other.cost_micros) }
    }
}

/// What a budget is counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// Tokens.
    Tokens,
    /// Money, in millionths.
    Cost,
}

impl Measure {
    /// An amount in words.
    pub(super) fn of(self, amount: u64) -> String {
        match self {
            Self::Tokens => format!("{amount} tokens"),
            Self::Cost => format!("{}.{:06}", amount / 1_000_000, amount % 1_000_000),
        }
    }
}

/// What was spent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spent {
    /// Calls that were made, good or bad; not those the budget refused.
    pub calls: u64,
    /// Those of them without an answer.
    pub failed: u64,
    /// Those of them whose tokens we estimated.
    pub estimated: u64,
    /// Tokens read by the model.
    pub prompt_tokens: u64,
    /// Tokens written by it.
    pub answer_tokens: u64,
    /// Money, in millionths, rounded up.
    pub cost_micros: u64,
}

impl Spent {
    /// Tokens read and written.
    pub fn tokens(&self) -> u64 {
        self.prompt_tokens.saturating_add(self.answer_tokens)
    }

    fn add(&mut self, usage: Option<Usage>, failed: bool, prices: Prices) {
        self.calls += 1;
        self.failed += u64::from(failed);
        let Some(usage) = usage else { return };
        self.estimated += u64::from(usage.estimated);
        // A server may say any number.
        self.prompt_tokens = self.prompt_tokens.saturating_add(usage.prompt_tokens);
        self.answer_tokens = self.answer_tokens.saturating_add(usage.answer_tokens);
        // From the sums, so that rounding up does not add up.
        self.cost_micros = prices.cost_micros(self.prompt_tokens, self.answer_tokens);
    }
}

/// Everything that was spent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// By what it was spent on.
    pub operations: BTreeMap<String, Spent>,
    /// All together.
    pub total: Spent,
}

/// Counts what one run spends, and refuses a call before it is made when the budget does not allow it.
#[derive(Debug)]
pub struct Ledger {
    prices: Prices,
    budget: Budget,
    books: Mutex<Books>,
}

#[derive(Debug, Default)]
struct Books {
    report: Report,
    /// What the calls under way may take yet.
    held: Held,
}

/// The most a call can take.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Held {
    prompt_tokens: u64,
    answer_tokens: u64,
}

impl Ledger {
    /// `budget` is what may still be spent, as whoever remembers earlier runs knows.
    pub fn new(prices: Prices, budget: Budget) -> Self {
        Self { prices, budget, books: Mutex::default() }
    }

    /// The same model, with everything it is asked counted under this operation.
    pub fn meter<'a>(&'a self, chat: &'a dyn Chat, operation: &'a str) -> Metered<'a> {
        Metered { ledger: self, chat, operation }
    }

    /// What was spent so far.
    pub fn report(&self) -> Report {
        self.books().report.clone()
    }

    /// What a call costs at this ledger's prices, in millionths.
    pub fn cost_micros(&self, usage: &Usage) -> u64 {
        self.prices.cost_micros(usage.prompt_tokens, usage.answer_tokens)
    }

    fn books(&self) -> MutexGuard<'_, Books> {
        // Numbers cannot be left half written.
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets aside what a call can take at most: two calls at once must not spend the same money.
    fn hold(&self, operation: &str, prompt_tokens: u64, most: u64) -> Result<Held, ChatError> {
        let mut books = self.books();
        let used = Held {
            prompt_tokens: books.report.total.prompt_tokens.saturating_add(books.held.prompt_tokens),
            answer_tokens: books.report.total.answer_tokens.saturating_add(books.held.answer_tokens),
        };
        let short = |measure, needed, left| ChatError::Budget {
            operation: operation.to_owned(),
            measure,
            needed: narrow(needed),
            left: narrow(left),
        };
        let mut answer_tokens = most;
        if let Some(tokens) = self.budget.tokens {
            let used = used.prompt_tokens.saturating_add(used.answer_tokens);
            let left = tokens.saturating_sub(used);
            let room = left.saturating_sub(prompt_tokens);
            if room == 0 {
                return Err(short(Measure::Tokens, u128::from(prompt_tokens) + 1, u128::from(left)));
            }
            answer_tokens = answer_tokens.min(room);
        }
        if let Some(cost) = self.budget.cost_micros {
            let used = self.prices.exact(used.prompt_tokens, used.answer_tokens);
            let left = (u128::from(cost) * MILLION).saturating_sub(used);
            let shortest = self.prices.exact(prompt_tokens, 1);
            if shortest > left {
                return Err(short(Measure::Cost, shortest.div_ceil(MILLION), left / MILLION));
            }
            let room = left - self.prices.exact(prompt_tokens, 0);
            if let Some(tokens) = room.checked_div(u128::from(self.prices.answer_micros)) {
                answer_tokens = answer_tokens.min(narrow(tokens));
            }
        }
        books.held.prompt_tokens = books.held.prompt_tokens.saturating_add(prompt_tokens);
        books.held.answer_tokens = books.held.answer_tokens.saturating_add(answer_tokens);
        Ok(Held { prompt_tokens, answer_tokens })
    }

    /// Puts in what the call took for what was set aside.
    fn settle(&self, operation: &str, held: Held, usage: Option<Usage>, failed: bool) {
        let mut books = self.books();
        books.held.prompt_tokens = books.held.prompt_tokens.saturating_sub(held.prompt_tokens);
        books.held.answer_tokens = books.held.answer_tokens.saturating_sub(held.answer_tokens);
        books.report.total.add(usage, failed, self.prices);
        books.report.operations.entry(operation.to_owned()).or_default().add(usage, failed, self.prices);
    }
}

/// A language model whose every call is counted.
pub struct Metered<'a> {
    ledger: &'a Ledger,
    chat: &'a dyn Chat,
    operation: &'a str,
}

impl Chat for Metered<'_> {
    fn name(&self) -> &str {
        self.chat.name()
    }

    fn window_tokens(&self) -> usize {
        self.chat.window_tokens()
    }

    fn native_tools(&self) -> bool {
        self.chat.native_tools()
    }

    fn ask(&self, request: &ChatRequest, hear: &mut dyn FnMut(&str)) -> Result<ChatAnswer, ChatError> {
        // An answer is never longer than the window.
        let most = request.max_tokens.map_or(wide(self.window_tokens()), u64::from);
        let held = self.ledger.hold(self.operation, wide(request.estimate_tokens()), most)?;
        let mut request = request.clone();
        if held.answer_tokens < most {
            request.max_tokens = Some(u32::try_from(held.answer_tokens).unwrap_or(u32::MAX));
        }
        let answer = self.chat.ask(&request, hear);
        let usage = match &answer {
            Ok(answer) => Some(answer.usage),
            // The model read and wrote, though we did not get it all.
            Err(ChatError::CutOff { text_so_far, .. }) => Some(Usage::estimate(&request, text_so_far, &[])),
            Err(ChatError::Wrong(_)) => Some(Usage::estimate(&request, "", &[])),
            Err(_) => None,
        };
        self.ledger.settle(self.operation, held, usage, answer.is_err());
        answer
    }
}

fn narrow(amount: u128) -> u64 {
    u64::try_from(amount).unwrap_or(u64::MAX)
}
