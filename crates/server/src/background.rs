//! Long work on a thread of low priority: short calls do not wait for it, not even for one time slice of the scheduler.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use tokio::runtime::Handle;
use tokio::sync::oneshot;

/// How much such a thread gives way, as `nice` counts it.
const NICE: i32 = 19;

/// What a thread failed with.
pub type Fault = Box<dyn Any + Send>;

/// Carries work out on a thread of its own.
pub async fn run<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Fault> {
    let (done, result) = oneshot::channel();
    let runtime = Handle::current();
    let started = std::thread::Builder::new().name("background".to_owned()).spawn(move || {
        // Where a system does not let it, it runs like any other.
        let _ = rustix::process::setpriority_process(None, NICE);
        let _entered = runtime.enter();
        let _ = done.send(catch_unwind(AssertUnwindSafe(work)));
    });
    match started {
        Ok(_) => result.await.unwrap_or_else(|gone| Err(Box::new(gone))),
        Err(error) => Err(Box::new(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn it_gives_way_and_what_it_fails_with_is_told() {
        let priority = || rustix::process::getpriority_process(None).expect("it is told");
        let own = priority();
        assert_eq!(run(move || priority() - own).await.expect("it ends"), NICE.min(19 - own));
        assert_eq!(priority(), own, "whoever waits does not");
        assert!(run(|| panic!("a fault")).await.is_err());
    }
}
