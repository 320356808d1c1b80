//! Forgetting for good: the text is gone from every file, and the log still proves that nothing else was changed.

#![expect(clippy::print_stdout, reason = "an example prints what it does")]

use idetic::{Memory, Result};

fn main() -> Result<()> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "private-memory".to_owned());
    let ann = Memory::open(folder)?.space("ann")?;

    ann.remember("The build needs Node 20")?;
    ann.remember("Frau Großmann lives at Lindenstraße 5")?;

    let forgotten = ann.forget_matching("GROSSMANN")?;
    println!("forgotten: {} event", forgotten.events);
    println!(
        "found now: {}",
        ann.recall("where does Frau Großmann live?")?.iter().filter(|h| h.text.contains("Linden")).count()
    );
    println!("checked: {} events", ann.verify()?);
    Ok(())
}
