//! `md validate`: every rule of both documents, layer by layer and across layers.

use clap::Args;
use idetic_memory::{Error, Kind, Result};
use idetic_sync::markdown::MdSeverity;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::OwnerContext;
use crate::md::In;
use crate::operation::operation;

operation! {
    name: "md validate",
    about: "Check every rule of the protocol, each file alone, against each other and against the log; nothing is written",
    example: "idetic md validate",
    rights: Read, reader: Home, interfaces: [Cli], destructive: false,
    answers: One, args: MdValidate, run: run,
}

#[derive(Debug, Default, Args, Deserialize, JsonSchema)]
#[serde(default)]
struct MdValidate {
    #[command(flatten)]
    #[serde(flatten)]
    place: In,
}

fn run(cx: &mut OwnerContext, args: MdValidate) -> Result<()> {
    let mut project = args.place.open_to_read(cx)?;
    let _alone = project.lock()?;
    project.validate()?;
    let mut report = project.into_report();
    let count = |wanted| report.troubles.iter().filter(|trouble| trouble.severity == wanted).count();
    let (errors, warnings) = (count(MdSeverity::Error), count(MdSeverity::Warning));
    report.done = match (errors, warnings) {
        (0, 0) => "everything is as it should be".to_owned(),
        (0, warnings) => format!("no rule is broken, {}", counted(warnings, "warning")),
        (errors, warnings) => format!("{}, {}", broken(errors), counted(warnings, "warning")),
    };
    cx.answer(report)?;
    match errors {
        0 => Ok(()),
        errors => Err(Error::new(Kind::CheckFailed, broken(errors))
            .hint("each is named with its fix; `idetic md repair` rebuilds what is derived from the log")),
    }
}

fn broken(errors: usize) -> String {
    if errors == 1 { "1 rule is broken".to_owned() } else { format!("{errors} rules are broken") }
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}
