//! An agent with two sides: the actor talks, the subconscious keeps notes that the actor never sees.

#![expect(clippy::print_stdout, reason = "an example prints what it does")]

use idetic::{Memory, Result};

fn main() -> Result<()> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "agent-memory".to_owned());
    let ann = Memory::open(folder)?.space("ann")?;
    let (actor, subconscious) = (ann.actor("coder"), ann.subconscious("coder"));

    actor.remember("The user asked for a faster build")?;
    subconscious.remember("The user sounds impatient: keep answers about the build short")?;

    for (name, scope) in [("actor", &actor), ("subconscious", &subconscious)] {
        println!("{name}:");
        for hit in scope.recall("what about the build?")? {
            println!("  {}", hit.text);
        }
    }
    Ok(())
}
