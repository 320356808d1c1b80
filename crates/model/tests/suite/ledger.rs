//! What is spent is counted, and a budget is never exceeded.

use std::sync::{Arc, Mutex};

use idetic_model::chat::{Budget, Ledger, Measure, Prices, Scripted, Spent, Step, Usage};
use idetic_model::{Chat, ChatAnswer, ChatError, ChatMessage, ChatRequest};
use proptest::prelude::*;

/// 0.15 and 0.60 for a million tokens.
const PRICES: Prices = Prices { prompt_micros: 150_000, answer_micros: 600_000 };

fn request(text: &str) -> ChatRequest {
    ChatRequest { messages: vec![ChatMessage::User(text.to_owned())], ..ChatRequest::default() }
}

fn ask(ledger: &Ledger, chat: &dyn Chat, operation: &str, text: &str) -> Result<ChatAnswer, ChatError> {
    ledger.meter(chat, operation).ask(&request(text), &mut |_| {})
}

fn tokens(tokens: u64) -> Budget {
    Budget { tokens: Some(tokens), cost_micros: None }
}

fn cost(cost_micros: u64) -> Budget {
    Budget { tokens: None, cost_micros: Some(cost_micros) }
}

#[test]
fn each_operation_has_its_account() {
    let chat =
        Scripted::new([Step::say("one"), Step::say("two three"), Step::Fail(ChatError::Unavailable("busy".into()))]);
    let ledger = Ledger::new(PRICES, Budget::default());
    let first = ask(&ledger, &chat, "extract", "a").expect("it answers").usage;
    let second = ask(&ledger, &chat, "plan", "b").expect("it answers").usage;
    ask(&ledger, &chat, "plan", "c").expect_err("it is busy");
    let report = ledger.report();
    let spent = |usage: Usage, calls, failed| Spent {
        calls,
        failed,
        estimated: 1,
        prompt_tokens: usage.prompt_tokens,
        answer_tokens: usage.answer_tokens,
        cost_micros: ledger.cost_micros(&usage),
    };
    assert_eq!(report.operations["extract"], spent(first, 1, 0));
    assert_eq!(report.operations["plan"], spent(second, 2, 1));
    assert_eq!(report.total.tokens(), report.operations.values().map(Spent::tokens).sum::<u64>());
    assert_eq!((report.total.calls, report.total.failed), (3, 1));
    let json = serde_json::to_string(&report).expect("it can be kept");
    assert_eq!(serde_json::from_str::<idetic_model::chat::Report>(&json).expect("and read"), report);
}

#[test]
fn money_is_counted_without_loss() {
    assert_eq!(PRICES.cost_micros(1_000_000, 1_000_000), 750_000);
    assert_eq!(PRICES.cost_micros(1, 0), 1, "rounded up");
    assert_eq!(PRICES.cost_micros(u64::MAX, 0), 2_767_011_611_056_432_743);
    let dear = Prices { prompt_micros: u64::MAX, answer_micros: u64::MAX };
    assert_eq!(dear.cost_micros(u64::MAX, u64::MAX), u64::MAX, "and without a panic");
}

#[test]
fn nothing_is_asked_without_a_budget_for_it() {
    let chat = Scripted::with(|_| Step::say("word"));
    let needed = request("hello").estimate_tokens() as u64 + 1;
    let ledger = Ledger::new(PRICES, tokens(needed - 1));
    let refusal = ask(&ledger, &chat, "plan", "hello").expect_err("the prompt alone uses it up");
    let left = needed - 1;
    assert_eq!(refusal, ChatError::Budget { operation: "plan".to_owned(), measure: Measure::Tokens, needed, left });
    assert_eq!((chat.requests().len(), ledger.report().total), (0, Spent::default()));
    ask(&Ledger::new(PRICES, tokens(needed)), &chat, "plan", "hello").expect("one token is enough to ask");
    assert_eq!(chat.requests()[0].max_tokens, Some(1));
    // Six tokens of 0.15 micros and one of 0.6.
    let ledger = Ledger::new(PRICES, cost(1));
    let refusal = ask(&ledger, &chat, "plan", "hello").expect_err("too dear");
    assert!(matches!(refusal, ChatError::Budget { measure: Measure::Cost, needed: 2, left: 1, .. }), "{refusal:?}");
    ask(&Ledger::new(PRICES, cost(3)), &chat, "plan", "hello").expect("cheap enough");
    assert_eq!(chat.requests()[1].max_tokens, Some(3));
    ask(&Ledger::new(Prices::default(), cost(0)), &chat, "plan", "hello").expect("what costs nothing is free");
    assert_eq!(chat.requests()[2].max_tokens, None);
}

#[test]
fn an_answer_is_capped_by_what_is_left_and_never_lengthened() {
    let chat = Scripted::with(|_| Step::say("word"));
    let prompt = request("hello").estimate_tokens() as u64;
    let ledger = Ledger::new(PRICES, tokens(prompt + 100));
    let short = ChatRequest { max_tokens: Some(7), ..request("hello") };
    ledger.meter(&chat, "plan").ask(&short, &mut |_| {}).expect("it answers");
    ask(&ledger, &chat, "plan", "").expect("it answers");
    let seen: Vec<_> = chat.requests().iter().map(|request| request.max_tokens).collect();
    let left = prompt + 100 - prompt - 1 - request("").estimate_tokens() as u64;
    assert_eq!(seen, [Some(7), u32::try_from(left).ok()]);
}

#[test]
fn a_cut_off_answer_was_paid_for() {
    let chat = Scripted::new([Step::CutOff("a few words more".to_owned(), 5), Step::Garbage("<html>".to_owned())]);
    let ledger = Ledger::new(PRICES, Budget::default());
    ask(&ledger, &chat, "plan", "hello").expect_err("it is cut off");
    let spent = ledger.report().total;
    assert_eq!((spent.calls, spent.failed, spent.estimated), (1, 1, 1));
    assert!(spent.prompt_tokens > 0 && spent.answer_tokens > 0);
    let garbage = ask(&ledger, &chat, "plan", "hello").expect_err("it is garbage");
    assert!(matches!(garbage, ChatError::Wrong(_)), "{garbage:?}");
    assert_eq!(ledger.report().total.prompt_tokens, 2 * spent.prompt_tokens);
}

#[test]
fn budgets_are_joined() {
    let day = Budget { tokens: Some(1_000), cost_micros: Some(50) };
    let spent = Spent { prompt_tokens: 300, answer_tokens: 100, cost_micros: 60, ..Spent::default() };
    assert_eq!(day.after(&spent), Budget { tokens: Some(600), cost_micros: Some(0) });
    assert_eq!(day.after(&spent).and(tokens(200)), Budget { tokens: Some(200), cost_micros: Some(0) });
    assert_eq!(Budget::default().and(Budget::default()).after(&spent), Budget::default());
}

/// A call inside a call: the inner one finds only what the outer one has not set aside.
#[test]
fn two_calls_at_once_do_not_spend_the_same_budget() {
    let prompt = request("hello").estimate_tokens() as u64;
    let ledger = Arc::new(Ledger::new(PRICES, tokens(3 * prompt)));
    let within = Arc::new(Mutex::new(None));
    let (inner, result) = (Arc::clone(&ledger), Arc::clone(&within));
    let chat = Scripted::with(move |_| {
        let other = Scripted::new([Step::say("word")]);
        *result.lock().expect("one thread") = Some(ask(&inner, &other, "other", "hello"));
        Step::say("word")
    });
    ask(&ledger, &chat, "plan", "hello").expect("it answers");
    let refusal = within.lock().expect("one thread").take().expect("it was asked");
    assert!(matches!(refusal, Err(ChatError::Budget { left: 0, .. })), "{refusal:?}");
    let again = Scripted::new([Step::say("word")]);
    ask(&ledger, &again, "plan", "hello").expect("what was set aside and not used is there again");
}

proptest! {
    /// A model that obeys its limit never makes a run exceed its budget.
    #[test]
    fn a_budget_is_never_exceeded(
        most in 0_u64..300,
        money in 0_u64..100,
        texts in prop::collection::vec("[a-z ]{0,40}", 1..20),
    ) {
        let chat = Obedient;
        let ledger = Ledger::new(PRICES, Budget { tokens: Some(most), cost_micros: Some(money) });
        for text in &texts {
            let _ = ask(&ledger, &chat, "plan", text);
        }
        let spent = ledger.report().total;
        prop_assert!(spent.tokens() <= most && spent.cost_micros <= money, "{spent:?}");
    }
}

/// Says as much as it may.
struct Obedient;

impl Chat for Obedient {
    fn name(&self) -> &str {
        "obedient"
    }

    fn window_tokens(&self) -> usize {
        1_000
    }

    fn native_tools(&self) -> bool {
        false
    }

    fn ask(&self, request: &ChatRequest, _: &mut dyn FnMut(&str)) -> Result<ChatAnswer, ChatError> {
        let chat = Scripted::new([Step::say("")]);
        let answer = chat.ask(request, &mut |_| {})?;
        let answer_tokens = request.max_tokens.map_or(1_000, u64::from);
        Ok(ChatAnswer { usage: Usage { answer_tokens, ..answer.usage }, ..answer })
    }
}
