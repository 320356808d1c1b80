//! A chat that remembers: every turn is appended, and what earlier turns say about a new one goes before the model.

#![expect(clippy::print_stdout, reason = "an example prints what it does")]

use std::io::BufRead;

use idetic::{Memory, NewEvent, Result, Space};

fn main() -> Result<()> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "chat-memory".to_owned());
    let ann = Memory::open(folder)?.space("ann")?;
    for line in std::io::stdin().lock().lines().map_while(std::result::Result::ok) {
        println!("{}", turn(&ann, &line)?);
    }
    Ok(())
}

fn turn(ann: &Space, said: &str) -> Result<String> {
    let prompt = ann.prompt(said, 500)?;
    let answer = model(&prompt.text, said);
    let said = NewEvent::new("user_input").text(said).author("ann").conversation("chat");
    let told = NewEvent::new("actor_output").text(&answer).author("assistant").conversation("chat");
    // Both or neither: no answer without its question.
    ann.append_all([said, told])?;
    Ok(answer)
}

/// Your language model goes here. This one reads out what it was reminded of.
fn model(memories: &str, said: &str) -> String {
    match memories {
        "" => format!("Noted: {said}"),
        memories => format!("I remember:\n{memories}"),
    }
}
