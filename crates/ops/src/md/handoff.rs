//! `md handoff`: work passed to another agent.

use clap::Args;
use idetic_memory::{Error, Result};
use idetic_sync::markdown::MdHandoff;
use idetic_sync::markdown::{NewEvent, detail};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::OwnerContext;
use crate::md::{In, agent};
use crate::operation::operation;

operation! {
    name: "md handoff",
    about: "Hand work over to another agent: append the event, sync everything, then print the payload as JSON",
    example: "idetic md handoff --to tester --summary \"The login is ready\" --agent builder > handoff.json",
    rights: Admin, reader: Home, interfaces: [Cli], destructive: false,
    answers: One, args: MdHandoffArgs, run: run,
}

#[derive(Debug, Default, Args, Deserialize, JsonSchema)]
#[serde(default)]
struct MdHandoffArgs {
    /// Who continues
    #[arg(long, value_name = "AGENT", required = true)]
    to: Option<String>,
    /// Who hands over [default: the author in config.toml, else "agent"]
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
    /// What is handed over, in one line
    #[arg(long, value_name = "TEXT")]
    summary: Option<String>,
    /// The area that is affected [default: handoff]
    #[arg(long, value_name = "AREA")]
    scope: Option<String>,
    /// Why [default: task complete]
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    /// The task that is handed over; it gets the other agent as its assignee
    #[arg(long, value_name = "TASK")]
    task: Option<String>,
    /// An event that the other agent needs, e.g. evt-014; may be repeated
    #[arg(long = "artifact", value_name = "EVT")]
    artifacts: Vec<String>,
    /// What must stay true; may be repeated
    #[arg(long = "invariant", value_name = "TEXT")]
    invariants: Vec<String>,
    /// What the other agent must not touch; may be repeated
    #[arg(long = "boundary", value_name = "TEXT")]
    boundaries: Vec<String>,
    /// What limits the work; may be repeated
    #[arg(long = "constraint", value_name = "TEXT")]
    constraints: Vec<String>,
    /// Another detail, e.g. phase=test; may be repeated
    #[arg(long = "detail", value_name = "KEY=VALUE")]
    details: Vec<String>,
    /// Commit the files of the protocol, and what is staged in git [default message: the summary]
    #[arg(long, value_name = "MESSAGE", num_args = 0..=1, default_missing_value = "")]
    commit: Option<String>,
    #[command(flatten)]
    #[serde(flatten)]
    place: In,
}

fn run(cx: &mut OwnerContext, args: MdHandoffArgs) -> Result<()> {
    let from = agent(cx, args.agent.as_deref())?;
    let to = agent(cx, args.to.as_deref())?;
    if from == to {
        return Err(Error::invalid(format!("{from} cannot hand over to itself")).hint("name both: --agent and --to"));
    }
    let reason = args.reason.unwrap_or_else(|| "task complete".to_owned());
    let summary = args.summary.unwrap_or_else(|| format!("Hand over from {from} to {to}: {reason}"));
    let mut details = vec![("from_agent".to_owned(), from.clone()), ("to_agent".to_owned(), to.clone())];
    let mut put = |key: &str, values: &[String]| {
        details.extend(values.iter().map(|value| (key.to_owned(), value.clone())));
    };
    put("task", args.task.as_slice());
    put("payload_summary", std::slice::from_ref(&summary));
    put("reason", std::slice::from_ref(&reason));
    put("invariants", &args.invariants);
    put("boundaries", &args.boundaries);
    put("constraints", &args.constraints);
    put("artifacts", &args.artifacts);
    let more = args.details.iter().map(|text| detail(text));
    details.extend(more.collect::<Result<Vec<_>>>()?);
    let scope = args.scope.or(args.task).unwrap_or_else(|| "handoff".to_owned());
    let kind = "handoff".to_owned();
    let new = NewEvent { kind, scope, summary, details, refs: args.artifacts, tags: Vec::new(), agent: from };
    new.check()?;
    let mut project = args.place.open(cx)?;
    let alone = project.lock()?;
    let mut payload = project.hand_over(&cx.env, &new, &to, &reason)?;
    // A hook of ours looks at the project, and waits for nobody.
    drop(alone);
    if let Some(message) = &args.commit {
        let message = if message.is_empty() { &new.summary } else { message };
        project.commit(message)?;
        payload.files.committed = project.last_commit();
    }
    cx.answer(MdHandoff(payload))
}
