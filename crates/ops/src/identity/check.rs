//! `identity check`: is an identity file right, and if not, what is wrong with it.

use std::path::PathBuf;

use clap::Args;
use idetic_memory::identities::{agent_of, read_identity};
use idetic_memory::{Error, Result};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::operation::operation;
use crate::{Done, OwnerContext};

operation! {
    name: "identity check",
    about: "Check an identity file, or every one of the home",
    example: "idetic identity check .idetic/identities/coder.identity.json",
    rights: Read, reader: Home, interfaces: [Cli], destructive: false,
    answers: One, args: CheckIdentity, run: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CheckIdentity {
    /// The file; without one, all in the home
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
}

fn run(cx: &mut OwnerContext, args: CheckIdentity) -> Result<()> {
    let files = match args.file {
        Some(file) => vec![file],
        None => {
            let folder = cx.memory()?.home().join("identities");
            let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
            let mut files: Vec<_> = entries.map(|e| e.path()).filter(|f| agent_of(f).is_some()).collect();
            files.sort();
            files
        }
    };
    let count = files.len();
    for file in files {
        let agent = agent_of(&file).ok_or_else(|| {
            Error::invalid(format!("{} does not name an agent", file.display()))
                .hint("the file of an agent is called AGENT.identity.json")
        })?;
        read_identity(&file, agent)?;
        cx.answer(Done { done: format!("{} is valid", file.display()), events: 0, head: None })?;
    }
    if count == 0 {
        cx.answer(Done {
            done: "there are no identity files: every agent has the defaults".to_owned(),
            events: 0,
            head: None,
        })?;
    }
    Ok(())
}
