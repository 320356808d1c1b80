//! `ignore`: the hooks of coding agents record and tell nothing in one project.

use idetic_memory::{Error, Result};
use idetic_sync::pause::Paused;

use super::{OfProject, must_be_person, names};
use crate::operation::operation;
use crate::{Done, OwnerContext};

operation! {
    name: "ignore",
    about: "Stop the hooks of coding agents in this project until `resume`; what is known stays",
    example: "idetic ignore",
    rights: Admin, reader: Owner, interfaces: [Cli], destructive: false,
    answers: One, args: OfProject, run: run,
}

fn run(cx: &mut OwnerContext, args: OfProject) -> Result<()> {
    must_be_person(cx)?;
    let (now, names) = (cx.env.now(), names(cx, args));
    if names.is_empty() {
        return Err(Error::invalid("this folder is in no repository").hint("name the project with --project"));
    }
    let home = cx.memory()?.home().to_owned();
    Paused::of(&home)?.pause(&home, Some(&names[0]), None, now)?;
    cx.answer(Done {
        done: format!("nothing is recorded in {} until `idetic resume`", names[0]),
        events: 0,
        head: None,
    })
}
