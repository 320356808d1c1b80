//! The library as the program uses it: the clock of the machine, the random source of the system, the default space.

use std::path::Path;
use std::sync::Arc;

use idetic_core::{SpaceName, Time};
use idetic_ops::{Env, Memory, Space};

use crate::clocks::since_1970;

/// The space everything is measured in.
pub const SPACE: &str = "local/default";

/// A home and its space, both open.
pub type Opened = (Memory, Arc<Space>);

/// The same env as the program's.
pub fn env() -> Env {
    let now = || Time(i64::try_from(since_1970().as_micros()).unwrap_or(i64::MAX));
    Env::new(now, |bytes| getrandom::fill(bytes).expect("the system has no random numbers"))
}

/// A space in a home, both made if they are not there.
pub fn make(home: &Path) -> Result<Opened, String> {
    Memory::init(home).map_err(|e| e.to_string())?;
    let memory = Memory::open(home, env()).map_err(|e| e.to_string())?;
    let space = memory.space_or_new(&name()).map_err(|e| e.to_string())?;
    Ok((memory, space))
}

/// A space that is there.
pub fn open(home: &Path) -> Result<Opened, String> {
    let memory = Memory::open(home, env()).map_err(|e| e.to_string())?;
    let space = memory.space(&name()).map_err(|e| e.to_string())?;
    Ok((memory, space))
}

fn name() -> SpaceName {
    SpaceName::parse(SPACE).expect("the name of the default space is valid")
}
