//! Webhooks: new events of the spaces that the configuration names are sent to their receivers, signed, in the order of the log,
//! again and again until they are taken. An append never waits for one.

mod delivery;
mod follow;
mod hook;
mod position;
mod secret;
mod target;

use std::sync::Arc;

use idetic_ops::Result;
use tokio::task::JoinHandle;

use crate::Service;
use crate::http::App;
use hook::Hook;

/// Whether everything that is configured makes sense, before somebody relies on it.
pub fn check(service: &Service) -> Result<()> {
    Hook::all(service).map(drop)
}

/// Follows every space of every webhook, for as long as the server runs.
pub fn start(app: &Arc<App>) -> Result<Vec<JoinHandle<()>>> {
    let mut running = Vec::new();
    for (hook, spaces) in Hook::all(&app.service)? {
        for space in spaces {
            running.push(tokio::spawn(follow::follow(Arc::clone(app), Arc::clone(&hook), space)));
        }
    }
    Ok(running)
}
