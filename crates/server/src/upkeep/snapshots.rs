//! What machines that share the logs keep for each other: snapshots, and how far each log has come.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use idetic_ops::Memory;
use idetic_ops::core::SpaceName;

use crate::background;

/// How often the open spaces are looked at: what was appended since is not known to a machine that joins later.
const POLL: Duration = Duration::from_secs(10);

/// Keeps them for the open spaces, for as long as the server runs.
pub async fn keep_snapshots(memory: Arc<Memory>) {
    let mut said = HashMap::new();
    loop {
        tokio::time::sleep(POLL).await;
        let (memory, before) = (Arc::clone(&memory), std::mem::take(&mut said));
        match background::run(background::LONG_WORK, move || keep_once(&memory, before)).await {
            Ok(after) => said = after,
            Err(fault) => {
                tracing::error!(target: "idetic::snapshots", "a defect stopped it: {}", background::reason(&fault));
            }
        }
    }
}

/// One look at every open space. What is wrong is logged once, and again when it is something else.
fn keep_once(memory: &Memory, before: HashMap<SpaceName, String>) -> HashMap<SpaceName, String> {
    let mut said = HashMap::new();
    for space in memory.open_spaces() {
        if let Err(error) = space.keep_snapshots() {
            let name = space.name();
            if before.get(name) != Some(&error.message) {
                tracing::warn!(target: "idetic::snapshots", space = %name, "{}", error.message);
            }
            said.insert(name.clone(), error.message);
        }
    }
    said
}
