//! Following one space for one webhook: what is new is read a page at a time and delivered in order, and what is refused is tried
//! again later and later.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use idetic_ops::core::SpaceName;
use idetic_ops::core::event::is_for_files;
use idetic_ops::{Error, EventReply, Grant, Kind, Reply, Result};
use serde_json::json;
use tokio::sync::watch;

use super::delivery::{Message, deliver};
use super::hook::Hook;
use super::position::Position;
use crate::http::App;
use crate::{OperationCall, Principal, Refusal, Service, background};

/// Events of one look, and about how many bytes of them are held.
const PAGE_EVENTS: usize = 50;
const PAGE_BYTES: usize = 1 << 20;
/// How long to wait before a receiver is tried again, the first time and at most; it doubles in between.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(60 * 60);
/// How long to wait where it is not the receiver's fault: another server delivers, or the space is not there yet.
const LOOK_AGAIN: Duration = Duration::from_secs(2);
/// So many events that are none of the receiver's are passed over again after a restart rather than written down.
const UNWRITTEN_MAX_EVENTS: u64 = 1000;
/// Under what name it waits for its turn among those who read.
const READER: &str = "webhooks";

/// What to do next.
enum Next {
    /// There may be more at once.
    GoOn,
    /// Everything was delivered.
    Rest,
    /// Something is in the way.
    Wait(Duration),
    /// The receiver was given up.
    End,
}

/// Follows a space until the server stops.
pub async fn follow(app: Arc<App>, hook: Arc<Hook>, space: SpaceName) {
    let mut head = app.heads.of(&app.service.memory, &space);
    let mut stopping = app.stopping();
    let mut follower = Follower::new(app, hook, space);
    loop {
        let (next, back) = follower.step().await;
        follower = back;
        let pause = match next {
            Next::GoOn => continue,
            Next::Rest => {
                tokio::select! {
                    _ = head.changed() => continue,
                    _ = stopping.wait_for(|stop| *stop) => return,
                }
            }
            Next::Wait(pause) => pause,
            Next::End => Duration::MAX,
        };
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            () = follower.watch(&mut head) => {}
            _ = stopping.wait_for(|stop| *stop) => return,
        }
    }
}

/// One space of one webhook.
struct Follower {
    app: Arc<App>,
    hook: Arc<Hook>,
    space: SpaceName,
    file: PathBuf,
    /// Where it is, once this process delivers.
    position: Option<Position>,
    /// What of it is on disk.
    written: u64,
    /// What the metrics have of it.
    lag: i64,
}

/// What is new: some events that are the receiver's, and how far was looked.
struct Page {
    messages: Vec<Message>,
    reached: u64,
    is_last: bool,
    erasures: u64,
}

impl Follower {
    fn new(app: Arc<App>, hook: Arc<Hook>, space: SpaceName) -> Self {
        let file = hook.position_file(&space);
        Self { app, hook, space, file, position: None, written: 0, lag: 0 }
    }

    /// The same space from what is on disk, for after a panic.
    fn anew(&self) -> Self {
        let new = Self::new(Arc::clone(&self.app), Arc::clone(&self.hook), self.space.clone());
        Self { lag: self.lag, ..new }
    }

    /// Reads what is new and delivers it.
    async fn step(mut self) -> (Next, Self) {
        let Some(log) = Service::operation("log") else { return (Next::End, self) };
        let hook = Arc::clone(&self.hook);
        let Ok(_place) = hook.places.acquire().await else { return (Next::End, self) };
        let Ok(permit) = self.app.service.limiter.enter_long(log, READER).await else {
            return (Next::Wait(LOOK_AGAIN), self);
        };
        let (space, name) = (self.space.to_string(), self.hook.name.clone());
        let fallback = self.anew();
        let read = background::run(background::LONG_WORK, move || {
            let page = self.read();
            drop(permit);
            (page, self)
        });
        let (page, mut follower) = match read.await {
            Ok((Ok(Some(page)), follower)) => (page, follower),
            Ok((Ok(None), follower)) => return (Next::Wait(LOOK_AGAIN), follower),
            Ok((Err(error), follower)) => {
                tracing::warn!(target: "idetic::webhook", webhook = name, space, "{}", error.message);
                return (Next::Wait(LOOK_AGAIN), follower);
            }
            Err(fault) => return (panicked(&fault, &name, &space), fallback),
        };
        let fallback = follower.anew();
        let delivered = background::run(background::UPKEEP, move || {
            let next = follower.deliver(page);
            (next, follower)
        });
        match delivered.await {
            Ok((Ok(next), follower)) => (next, follower),
            Ok((Err(error), follower)) => {
                tracing::warn!(target: "idetic::webhook", webhook = name, space, "{}", error.message);
                (Next::Wait(LOOK_AGAIN), follower)
            }
            Err(fault) => (panicked(&fault, &name, &space), fallback),
        }
    }

    /// What is new, if this process is to deliver it. Blocks.
    fn read(&mut self) -> Result<Option<Page>> {
        if !self.hook.is_ours()? {
            return Ok(None);
        }
        let memory = &self.app.service.memory;
        let erasures = memory.erasures(&self.space);
        let tip = match memory.peek(&self.space).and_then(|space| Ok(space.log().tip()?.seq)) {
            Err(error) if error.kind == Kind::NotFound => None,
            tip => Some(tip?),
        };
        if self.position.is_none() {
            self.position = Some(self.begin(tip.unwrap_or(0))?);
        }
        let (Some(tip), Some(position)) = (tip, &mut self.position) else { return Ok(None) };
        // A log that was replaced with a backup goes on from there. What is on disk has to say so too: a server that starts
        // after the log has grown again would take that for where it was.
        if position.after > tip {
            position.after = tip;
            position.write(&self.file)?;
            self.written = tip;
        }
        let after = position.after;
        self.show_lag(tip);
        let page = self.page(after, tip, erasures)?;
        Ok(Some(page))
    }

    /// Where it left off, or, the first time, where the log ends now.
    fn begin(&mut self, tip: u64) -> Result<Position> {
        let mut position = match Position::read(&self.file)? {
            Some(position) => position,
            None => {
                let new = Position { after: tip, ..Position::default() };
                new.write(&self.file)?;
                new
            }
        };
        self.written = position.after;
        position.revive();
        Ok(position)
    }

    /// The next events, as the owner sees them.
    fn page(&self, after: u64, tip: u64, erasures: u64) -> Result<Page> {
        let mut page = Page { messages: Vec::new(), reached: after, is_last: true, erasures };
        if after == tip {
            return Ok(page);
        }
        let Some(operation) = Service::operation("log") else { return Ok(page) };
        let arguments = json!({"filter": self.hook.filter, "after": after, "limit": PAGE_EVENTS}).to_string();
        let (who, space) = (Principal::local(Grant::default()), self.space.to_string());
        let asking = OperationCall {
            who: &who,
            operation,
            space: Some(&space),
            arguments: &arguments,
            trace: None,
            idempotency: None,
            streaming: false,
            turn: None,
            progress: None,
        };
        let (mut events, mut bytes, mut is_full) = (0, 0, false);
        let run = self.app.service.call(
            &asking,
            &mut |reply| {
                let Reply::Event(EventReply::Event(event)) = &reply else { return Ok(()) };
                if bytes > PAGE_BYTES {
                    is_full = true;
                    return Err(Error::unavailable("the page is full"));
                }
                (events, page.reached) = (events + 1, event.header.seq);
                // What was erased has nothing to say, and what files do not show is not sent either.
                if is_for_files(event) {
                    let text = serde_json::to_string(&reply).map_err(|error| Error::unavailable(error.to_string()))?;
                    let (hash, recorded) = (event.hash.to_string(), event.header.recorded_at.to_string());
                    let message = Message::new(&self.space, event.header.seq, &hash, &recorded, &text);
                    bytes += message.body.len();
                    page.messages.push(message);
                }
                Ok(())
            },
            &mut |_| {},
        );
        match run {
            // Enough for this look: the operation was stopped, and did not fail.
            Err(_) if is_full => {}
            Err(Refusal::Failed(error)) => return Err(error),
            Err(Refusal::Forbidden) => return Err(Error::unavailable("the log cannot be read")),
            Ok(()) => {}
        }
        page.is_last = !is_full && events < PAGE_EVENTS;
        if page.is_last {
            page.reached = page.reached.max(tip);
        }
        Ok(page)
    }

    /// Sends a page, event by event. Blocks.
    fn deliver(&mut self, page: Page) -> Result<Next> {
        let (app, hook) = (Arc::clone(&self.app), Arc::clone(&self.hook));
        let Some(position) = &mut self.position else { return Ok(Next::GoOn) };
        let memory = &app.service.memory;
        for message in page.messages {
            // What was erased meanwhile may be among them: they are read again.
            if memory.erasures(&self.space) != page.erasures {
                return Ok(Next::GoOn);
            }
            let now = memory.env().now();
            // Those before it took as long as the receiver let them: its time may have come since it was read.
            let space = memory.space(&self.space)?;
            if space.expiry_of(message.seq, space.horizon(None)?)?.is_some_and(|end| end <= now) {
                continue;
            }
            match deliver(&hook, &message, now) {
                Ok(()) => {
                    app.metrics.count_delivery(&hook.name, "delivered");
                    position.reached(message.seq);
                    position.write(&self.file)?;
                    self.written = position.after;
                }
                Err(refused) => {
                    app.metrics.count_delivery(&hook.name, "failed");
                    position.refused(refused.why, now, hook.give_up, refused.is_final);
                    position.write(&self.file)?;
                    let (space, error) = (self.space.to_string(), position.error.as_deref().unwrap_or_default());
                    tracing::warn!(target: "idetic::webhook", webhook = hook.name, space, seq = message.seq, dead = position.is_dead, "{error}");
                    if position.is_dead {
                        app.metrics.note_dead_webhook(&hook.name);
                        return Ok(Next::End);
                    }
                    return Ok(Next::Wait(pause(position.attempts, memory.env().random::<1>()[0])));
                }
            }
        }
        position.after = position.after.max(page.reached);
        if position.after.saturating_sub(self.written) >= UNWRITTEN_MAX_EVENTS {
            position.write(&self.file)?;
            self.written = position.after;
        }
        let after = position.after;
        self.show_lag(after);
        Ok(if page.is_last { Next::Rest } else { Next::GoOn })
    }

    /// Keeps the metrics right while nothing is delivered.
    async fn watch(&mut self, head: &mut watch::Receiver<u64>) {
        while head.changed().await.is_ok() {
            let tip = *head.borrow_and_update();
            self.show_lag(tip);
        }
    }

    fn show_lag(&mut self, tip: u64) {
        let after = self.position.as_ref().map_or(tip, |position| position.after);
        let lag = i64::try_from(tip.saturating_sub(after)).unwrap_or(i64::MAX);
        self.app.metrics.move_webhook_lag(&self.hook.name, lag - std::mem::replace(&mut self.lag, lag));
    }
}

/// It is tried again from what is on disk.
fn panicked(fault: &background::Fault, webhook: &str, space: &str) -> Next {
    tracing::error!(target: "idetic::webhook", webhook, space, "a defect stopped it: {}", background::reason(fault));
    Next::Wait(LOOK_AGAIN)
}

/// How long to wait after so many attempts, a different time for each that waits.
fn pause(attempts: u32, chance: u8) -> Duration {
    let whole = FIRST_PAUSE.saturating_mul(1 << attempts.saturating_sub(1).min(16)).min(LONGEST_PAUSE);
    whole.mul_f64(0.5 + f64::from(chance) / 512.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_to_an_hour_and_are_never_the_same() {
        let range = |attempts| (pause(attempts, 0), pause(attempts, 255));
        assert_eq!(range(1).0, Duration::from_millis(500));
        assert!(range(1).1 < Duration::from_secs(1) && range(1).1 > Duration::from_millis(990));
        assert_eq!(range(5).0, Duration::from_secs(8));
        assert_eq!(range(u32::MAX).0, Duration::from_secs(1800));
        assert!(range(u32::MAX).1 < LONGEST_PAUSE);
    }
}
