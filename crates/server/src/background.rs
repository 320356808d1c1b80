//! Work on threads of its own: long work at a low priority, so that short calls do not wait for it even for one time slice of the
//! scheduler. No thread keeps on its stack what it worked with.

use std::any::Any;
use std::hint::black_box;
use std::panic::{AssertUnwindSafe, catch_unwind};

use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio::task::JoinError;

/// How much a thread of long work gives way, as `nice` counts it.
pub const LONG_WORK: i32 = 19;
/// How much one gives way whose work must go on beside others'.
pub const UPKEEP: i32 = 10;

/// How much of a stack is overwritten behind the work: more than it reaches down with texts in hand.
const STACK_BYTES: usize = 128 * 1024;

/// What a thread failed with.
pub type Fault = Box<dyn Any + Send>;

/// Why it failed, as far as it said.
pub fn reason(fault: &Fault) -> &str {
    let said = fault.downcast_ref::<String>().map(String::as_str).or_else(|| fault.downcast_ref::<&str>().copied());
    said.unwrap_or("no reason given")
}

/// Carries short work out on one of a pool of threads.
pub async fn block<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Fault> {
    tokio::task::spawn_blocking(move || and_clear_stack(work)).await.map_err(JoinError::into_panic)
}

/// Carries work out on a thread of its own.
pub async fn run<T: Send + 'static>(nice: i32, work: impl FnOnce() -> T + Send + 'static) -> Result<T, Fault> {
    let (done, result) = oneshot::channel();
    let runtime = Handle::current();
    let started = std::thread::Builder::new().name("background".to_owned()).spawn(move || {
        // Where a system does not let it, it runs like any other.
        let _ = rustix::process::setpriority_process(None, nice);
        let _entered = runtime.enter();
        let _ = done.send(catch_unwind(AssertUnwindSafe(|| and_clear_stack(work))));
    });
    match started {
        Ok(_) => result.await.unwrap_or_else(|gone| Err(Box::new(gone))),
        Err(error) => Err(Box::new(error)),
    }
}

/// Carries work out, then overwrites the stack below: the allocator sees to the heap only, and the stack of a thread that has ended
/// is kept for the next one. What was purged would be found there.
fn and_clear_stack<T>(work: impl FnOnce() -> T) -> T {
    let result = below(work);
    below(|| {
        black_box(&mut [0_u8; STACK_BYTES]);
    });
    result
}

/// A frame of its own below that of whoever calls, so that both calls use the same part of the stack.
#[inline(never)]
fn below<T>(work: impl FnOnce() -> T) -> T {
    work()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn it_gives_way_and_what_it_fails_with_is_told() {
        let priority = || rustix::process::getpriority_process(None).expect("it is told");
        let own = priority();
        assert_eq!(run(LONG_WORK, move || priority() - own).await.expect("it ends"), LONG_WORK.min(19 - own));
        assert_eq!(priority(), own, "whoever waits does not");
        assert!(run(LONG_WORK, || panic!("a fault")).await.is_err());
    }
}
