//! The open connections: how many there may be, and which is closed when one more comes.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

/// Every open connection.
pub struct Connections {
    most: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    next: u64,
    open: BTreeMap<u64, Entry>,
}

struct Entry {
    ip: IpAddr,
    /// Whether a request on it showed a good key.
    is_known: bool,
    /// Requests that are being answered.
    busy: usize,
    close: watch::Sender<bool>,
}

/// One connection, until it is dropped.
#[derive(Clone)]
pub struct Connection(Arc<Inner>);

struct Inner {
    all: Arc<Connections>,
    number: u64,
    ip: IpAddr,
    closing: watch::Receiver<bool>,
}

/// A request of a connection while it is answered.
pub struct Busy(Connection);

impl Connections {
    /// So many at a time.
    pub fn new(most: usize) -> Self {
        Self { most, state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes one more in. Where there are too many, one is closed that asks for nothing: first of those that never showed a
    /// good key, of the address that has most of them, the oldest. None where every connection is being answered.
    pub fn open(self: &Arc<Self>, ip: IpAddr) -> Option<Connection> {
        let mut state = self.state();
        if state.open.len() >= self.most {
            state.close_one()?;
        }
        let number = state.next;
        state.next += 1;
        let (close, closing) = watch::channel(false);
        state.open.insert(number, Entry { ip, is_known: false, busy: 0, close });
        drop(state);
        Some(Connection(Arc::new(Inner { all: Arc::clone(self), number, ip, closing })))
    }

    /// Closes one that asks for nothing, e.g. for want of file handles.
    pub fn close_one(&self) {
        let _ = self.state().close_one();
    }
}

impl State {
    fn close_one(&mut self) -> Option<()> {
        let mut strangers: BTreeMap<IpAddr, usize> = BTreeMap::new();
        for entry in self.open.values().filter(|entry| !entry.is_known && entry.busy == 0) {
            *strangers.entry(entry.ip).or_default() += 1;
        }
        let crowd = strangers.into_iter().max_by_key(|(_, count)| *count).map(|(ip, _)| ip);
        let is_idle = |entry: &Entry| entry.busy == 0;
        let of_crowd = |entry: &Entry| is_idle(entry) && !entry.is_known && Some(entry.ip) == crowd;
        let found = |wanted: &dyn Fn(&Entry) -> bool| {
            self.open.iter().find(|(_, entry)| wanted(entry)).map(|(number, _)| *number)
        };
        let number = found(&of_crowd).or_else(|| found(&is_idle))?;
        // Its task ends by itself; that it is gone counts at once.
        self.open.remove(&number)?.close.send_replace(true);
        Some(())
    }
}

impl Connection {
    /// From where it comes.
    pub fn ip(&self) -> IpAddr {
        self.0.ip
    }

    /// Waits until it is to be closed.
    pub async fn closing(&self) {
        let mut closing = self.0.closing.clone();
        // Where its entry is gone it was closed.
        let _ = closing.wait_for(|close| *close).await;
    }

    /// A request on it is being answered.
    pub fn busy(&self) -> Busy {
        self.change(|entry| entry.busy += 1);
        Busy(self.clone())
    }

    /// A request on it showed a good key.
    pub fn is_known(&self) {
        self.change(|entry| entry.is_known = true);
    }

    fn change(&self, change: impl FnOnce(&mut Entry)) {
        if let Some(entry) = self.0.all.state().open.get_mut(&self.0.number) {
            change(entry);
        }
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.change(|entry| entry.busy -= 1);
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.all.state().open.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_is_silent_makes_room_and_whoever_is_answered_does_not() {
        let all = Arc::new(Connections::new(3));
        let (here, there) = (IpAddr::from([127, 0, 0, 1]), IpAddr::from([10, 0, 0, 1]));
        let is_open = |one: &Connection| !*one.0.closing.borrow();
        let keyed = all.open(here).expect("room");
        keyed.is_known();
        let (other, old) = (all.open(there).expect("room"), all.open(here).expect("room"));
        let young = all.open(here).expect("the oldest stranger goes");
        assert!(is_open(&keyed) && is_open(&young));
        assert_eq!((is_open(&other), is_open(&old)), (true, false), "of the address with most strangers");
        drop(old);
        let busy: Vec<Busy> = [&keyed, &other, &young].iter().map(|one| one.busy()).collect();
        assert!(all.open(here).is_none(), "each is being answered");
        drop(busy);
        let last = all.open(there).expect("room again");
        assert!(is_open(&keyed) && is_open(&last));
    }
}
