//! Whether the hooks of coding agents record: paused for a while, or ignored in one project.

pub mod ignore;
pub mod pause;
pub mod resume;

use clap::Args;
use idetic_memory::{Error, Result};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::OwnerContext;

#[derive(Debug, Default, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct OfProject {
    /// The project, by its whole name [default: the one that is worked in]
    #[arg(long, value_name = "PROJECT")]
    project: Option<String>,
}

/// The names of the project that is meant; none where no project is worked in.
fn names(cx: &OwnerContext, args: OfProject) -> Vec<String> {
    args.project.map_or_else(|| cx.projects(), |project| vec![project])
}

/// Whether it is recorded is for the person to say, and not for the agent that is recorded.
fn must_be_person(cx: &OwnerContext) -> Result<()> {
    match cx.is_agents() {
        true => Err(Error::invalid("an agent may not say whether it is recorded").hint("its user can, at a terminal")),
        false => Ok(()),
    }
}
