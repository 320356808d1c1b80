//! Who asks over a connection, and where.

use std::sync::Arc;

use crate::Principal;

/// Who asks, where, and in which workflow.
#[derive(Clone)]
pub struct Caller {
    pub who: Arc<Principal>,
    pub space: Option<String>,
    pub trace: Option<String>,
}
