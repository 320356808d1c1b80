//! `status`: how a space stands.

use clap::Args;
use idetic_memory::{Grant, Result, Writer};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::operation::operation;
use crate::{FileLine, OwnerContext, Status, ViewLine};

operation! {
    name: "status",
    about: "Show the state of the space: events, head, views, quota, files",
    example: "idetic status",
    rights: Read, reader: Owner, interfaces: [Cli, Json], destructive: false,
    answers: One, args: ShowStatus, run: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ShowStatus {}

fn run(cx: &mut OwnerContext, _: ShowStatus) -> Result<()> {
    let space = cx.space()?;
    space.horizon(None)?;
    let tip = space.log().tip()?;
    let views = space.fresh(0, idetic_store::Views::positions)?;
    let mut files = Vec::new();
    let folder = space.folder();
    for (folder, prefix) in
        [(folder.to_owned(), ""), (folder.join("lanes"), "lanes/"), (folder.join("archive"), "archive/")]
    {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let Ok(data) = entry.metadata().map(|m| (m.is_file(), m.len())) else { continue };
            if let (true, bytes) = data {
                files.push(FileLine { name: format!("{prefix}{}", entry.file_name().to_string_lossy()), bytes });
            }
        }
    }
    files.sort_by(|a, b| a.name.cmp(&b.name));
    let model = cx.models_if_any().wanted.map(|model| model.id().to_string());
    let coverage = model.as_deref().map(|model| space.coverage(model, tip.seq)).transpose()?;
    // Whoever is held to one collection does not hear of the others.
    let quota = space.quota_lines(tip.seq, cx.grant.collection.is_none())?;
    let is_on = cx.config()?.check_memory_is_on(space.name()).is_ok();
    let is_owner = Grant { writer: Writer::default(), ..cx.grant.clone() } == Grant::default();
    cx.answer(Status {
        home: is_owner.then(|| cx.home().folder.display().to_string()),
        home_found_by: is_owner.then(|| cx.home().found_by.clone()),
        space: space.name().to_string(),
        space_id: tip.space.to_string(),
        events: tip.seq,
        head: tip.hash,
        last_recorded_at: (tip.seq > 0).then_some(tip.recorded_at),
        clock_ahead_ms: tip.ahead_of(space.now()).map(|micros| micros / 1000),
        views: views
            .into_iter()
            .map(|p| ViewLine { view: p.view.to_owned(), seq: p.seq, behind: tip.seq.saturating_sub(p.seq) })
            .collect(),
        model,
        coverage,
        quota,
        memory: if is_on { "on" } else { "off" },
        files,
    })
}
