//! An operation carried out for a tool, a resource or a prompt: away from the connection, and with a limit on its answer.

use std::sync::Arc;

use idetic_ops::{Answers, Error, EventReply, Operation, Reply, Rights};
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock, JsonObject};
use serde_json::{Value, json};

use super::asker::Caller;
use super::tools::{CallForm, OfferedTool, Profile, action};
use super::{Server, brief, research};
use crate::cursor::{Cursor, PAGE};
use crate::{OperationCall, Refusal, Service};
use crate::{background, hints};

/// Largest answer to a question: a model cannot read more, and a client may not take more.
const ANSWER_MAX_BYTES: usize = 4 << 20;
/// Bytes after which a list goes on on another page.
const PAGE_MAX_BYTES: usize = 256 << 10;

impl Server {
    /// Carries out a tool.
    pub(super) async fn call(
        &self,
        asker: &Caller,
        offer: &OfferedTool,
        mut arguments: JsonObject,
    ) -> Result<CallToolResult, ErrorData> {
        let operation = match chosen(offer, &mut arguments) {
            Ok(operation) => operation,
            Err(error) => return Ok(refused(self.profile, error.into())),
        };
        match offer.form {
            CallForm::Forget if !is_true(&arguments, "yes") && !is_true(&arguments, "resume") => {
                arguments.insert("dry_run".to_owned(), json!(true));
            }
            CallForm::Fetch => {
                let id = arguments.remove("id").unwrap_or_default();
                arguments.insert("event".to_owned(), id);
            }
            _ => {}
        }
        let is_brief = offer.form == CallForm::Recall;
        let budget = if is_brief { arguments.remove("budget") } else { None };
        if let Some(wrong) = budget.as_ref().filter(|budget| budget.as_u64().is_none_or(|tokens| tokens == 0)) {
            let error = Error::invalid(format!("budget: expected a number of tokens, got {wrong}"));
            return Ok(refused(self.profile, error.hint("give a whole number from 1 on, or leave it out").into()));
        }
        let budget = budget.and_then(|budget| usize::try_from(budget.as_u64()?).ok()).unwrap_or(brief::DEFAULT_TOKENS);
        let question = arguments.get("query").and_then(Value::as_str).unwrap_or_default().to_owned();
        let answer = match self.run(asker, operation, arguments).await? {
            Ok(answer) => answer,
            Err(refusal) => return Ok(refused(self.profile, refusal)),
        };
        let answer = match offer.form {
            CallForm::Recall => brief::brief(&answer, &question, budget),
            CallForm::Search => research::found(&answer),
            CallForm::Fetch => research::fetched(&answer),
            _ => answer,
        };
        let mut result = CallToolResult::success(vec![ContentBlock::text(answer.clone())]);
        result.structured_content = serde_json::from_str(&answer).ok();
        Ok(result)
    }

    /// Carries out an operation; its answer is a JSON object.
    pub(super) async fn run(
        &self,
        asker: &Caller,
        operation: &'static Operation,
        arguments: JsonObject,
    ) -> Result<Result<String, Refusal>, ErrorData> {
        let fault = || ErrorData::internal_error("internal server error", None);
        let permit = match self.service.limiter.enter(operation, &asker.who.id).await {
            Ok(permit) => permit,
            Err(busy) => return Ok(Err(busy.into())),
        };
        let (service, asker) = (Arc::clone(&self.service), asker.clone());
        let is_long = permit.is_long();
        let work = move || {
            let answered = collect(&service, &asker, operation, arguments);
            drop(permit);
            answered
        };
        // What a fault was about may be somebody's, so it is not told.
        match is_long {
            true => background::run(background::LONG_WORK, work).await.map_err(|_| fault()),
            false => background::block(work).await.map_err(|_| fault()),
        }
    }
}

fn is_true(arguments: &JsonObject, name: &str) -> bool {
    arguments.get(name) == Some(&Value::Bool(true))
}

/// The operation that is meant.
fn chosen(offer: &OfferedTool, arguments: &mut JsonObject) -> Result<&'static Operation, Error> {
    let asked = arguments.remove("action").filter(|_| offer.form == CallForm::ByAction);
    let is_it = |operation: &&&'static Operation| {
        offer.form != CallForm::ByAction || asked.as_ref().is_some_and(|asked| asked == action(operation))
    };
    offer.operations.iter().find(is_it).copied().ok_or_else(|| {
        let known: Vec<&str> = offer.operations.iter().map(|operation| action(operation)).collect();
        let what =
            asked.as_ref().map_or("no action is given".to_owned(), |asked| format!("there is no action {asked}"));
        Error::invalid(what).hint(format!("action is one of: {}", known.join(", ")))
    })
}

/// A tool that could not do what it was asked to: its caller reads why, and what to do.
pub fn refused(profile: Profile, refusal: Refusal) -> CallToolResult {
    let text = match refusal {
        Refusal::Forbidden => {
            "the key does not allow this\ntry: ask the server's administrator for a key that does".to_owned()
        }
        Refusal::Failed(error) if error.hint.is_empty() => error.message,
        Refusal::Failed(error) => {
            let error = hints::retold(error, &|operation| profile.call_of(operation));
            format!("{}\ntry: {}", error.message, error.hint)
        }
    };
    CallToolResult::error(vec![ContentBlock::text(text)])
}

/// Runs an operation and writes its answers down, a page of them where they are many. Blocks.
fn collect(
    service: &Service,
    asker: &Caller,
    operation: &'static Operation,
    mut arguments: JsonObject,
) -> Result<String, Refusal> {
    let is_paged = operation.rights == Rights::Read && operation.answers == Answers::Many;
    let cursor = match arguments.remove("cursor").filter(|_| is_paged) {
        Some(text) => Cursor::read(text.as_str().unwrap_or_default(), operation)?,
        None => Cursor::first(operation),
    };
    let arguments = Value::Object(arguments).to_string();
    let asking = OperationCall {
        who: &asker.who,
        operation,
        space: asker.space.as_deref(),
        arguments: &arguments,
        trace: asker.trace.clone(),
        idempotency: None,
        streaming: false,
        turn: None,
        progress: None,
    };
    let mut taken = Taken { skip: cursor.skip, is_paged, ..Taken::default() };
    match service.call(&asking, &mut |reply| taken.take(reply), &mut |_| {}) {
        // Enough for this page: the operation was stopped, and did not fail.
        Err(_) if taken.is_full => {}
        done => done?,
    }
    if operation.rights == Rights::Read && taken.bytes > ANSWER_MAX_BYTES {
        let what = format!("the answer has {} bytes, more than {ANSWER_MAX_BYTES}", taken.bytes);
        return Err(Error::invalid(what).hint("ask for less at a time").into());
    }
    Ok(match operation.answers {
        Answers::One => taken.items.pop().unwrap_or_else(|| "{}".to_owned()),
        Answers::Many => {
            let next = Cursor { skip: cursor.skip + taken.items.len(), ..cursor };
            let next = if taken.is_full { format!(",\"next\":\"{}\"", next.text()) } else { String::new() };
            format!("{{\"items\":[{}]{next}}}", taken.items.join(","))
        }
    })
}

/// Answers as they come.
#[derive(Default)]
struct Taken {
    skip: usize,
    is_paged: bool,
    items: Vec<String>,
    bytes: usize,
    is_full: bool,
}

impl Taken {
    fn take(&mut self, reply: Reply) -> idetic_ops::Result<()> {
        // A batch is acknowledged together, and each of it is an answer.
        if let Reply::Event(EventReply::Acks(acks)) = reply {
            return acks.into_iter().try_for_each(|ack| self.take(ack.into()));
        }
        if self.skip > 0 {
            self.skip -= 1;
            return Ok(());
        }
        if self.is_paged && (self.items.len() == PAGE || self.bytes > PAGE_MAX_BYTES) {
            self.is_full = true;
            return Err(Error::unavailable("the page is full"));
        }
        let item = serde_json::to_string(&reply).map_err(|error| Error::unavailable(error.to_string()))?;
        self.bytes += item.len();
        self.items.push(item);
        Ok(())
    }
}
