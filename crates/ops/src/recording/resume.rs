//! `resume`: the hooks of coding agents record again.

use idetic_memory::Result;
use idetic_sync::pause::Paused;

use super::{OfProject, must_be_person, names};
use crate::operation::operation;
use crate::{Done, OwnerContext};

operation! {
    name: "resume",
    about: "Let the hooks of coding agents record again, after `pause` or `ignore`",
    example: "idetic resume",
    rights: Admin, reader: Owner, interfaces: [Cli], destructive: false,
    answers: One, args: OfProject, run: run,
}

fn run(cx: &mut OwnerContext, args: OfProject) -> Result<()> {
    must_be_person(cx)?;
    let (now, names) = (cx.env.now(), names(cx, args));
    let home = cx.memory()?.home().to_owned();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let was_paused = Paused::of(&home)?.resume(&home, &names, now)?;
    let done = if was_paused { "recording again" } else { "nothing was paused here" };
    cx.answer(Done { done: done.to_owned(), events: 0, head: None })
}
