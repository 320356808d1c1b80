//! What was known when: the same question now, and as of an earlier moment.

#![expect(clippy::print_stdout, reason = "an example prints what it does")]

use idetic::{Memory, RecallOptions, Result};

fn main() -> Result<()> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "history-memory".to_owned());
    let ann = Memory::open(folder)?.space("ann")?;

    let before = ann.remember("Deploys go out on Fridays")?;
    ann.remember("Deploys go out on Tuesdays now, never on Fridays")?;

    let question = "when do deploys go out?";
    let then = RecallOptions::default().as_of_seq(before.seq);
    println!("then: {}", first(ann.recall_with(question, &then)?));
    println!("now, newest first:");
    let mut hits = ann.recall(question)?;
    hits.sort_by_key(|hit| std::cmp::Reverse(hit.seq));
    for hit in hits {
        println!("  {} (event {}, {})", hit.text, hit.seq, hit.id);
    }
    Ok(())
}

fn first(hits: Vec<idetic::Hit>) -> String {
    hits.into_iter().next().map_or_else(|| "nothing".to_owned(), |hit| hit.event.text)
}
