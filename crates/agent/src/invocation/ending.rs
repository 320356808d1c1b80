//! What is kept of an invocation once its answer is out: its summary, facts, an episode, and what it used.

use idetic_ops::{EpisodeDraft, Extracted, ExtractionFilter, Invocation as Summary, Kind, Result, Viewpoint};
use serde_json::json;

use super::{End, Invocation};
use crate::extraction::{self, Source};
use crate::journal::Journal;
use idetic_core::quoting::cut;

/// Tokens of the query, the summary and the result of an invocation as its conversation keeps them.
const QUERY_TOKENS: usize = 200;
const SUMMARY_TOKENS: usize = 200;
const RESULT_TOKENS: usize = 300;
/// Steps of an episode, and tokens of each.
const STEPS_MAX: usize = 20;
const STEP_TOKENS: usize = 60;
/// Tools that only look into the memory: using them makes no task of a question.
const LOOKING: [&str; 5] = ["retrieve_facts", "recall_episodes", "recall", "fetch_step", "store_fact"];

/// What was kept.
#[derive(Default)]
pub struct Kept {
    pub facts: Vec<Extracted>,
    pub episode: Option<String>,
    pub notices: Vec<String>,
}

/// A tool that was called, and whether it worked.
struct Done {
    tool: String,
    call: String,
    worked: bool,
}

impl Invocation<'_, '_> {
    /// Keeps what is worth keeping. What cannot be kept is told; the answer stands.
    pub(super) fn keep(&self, journal: &mut Journal<'_>, end: &End) -> Result<Kept> {
        let mut kept = Kept::default();
        let Some(viewpoint) = self.viewpoint.clone() else { return Ok(kept) };
        let done = done(&viewpoint, journal)?;
        let result = match end {
            End::Answer(text) => text.clone(),
            End::Failed(error) => format!("failed: {error}"),
        };
        let worked = matches!(end, End::Answer(_));
        let summary = Summary {
            query: cut(&self.asked.question, QUERY_TOKENS),
            summary: cut(&summed_up(&done), SUMMARY_TOKENS),
            result: cut(&result, RESULT_TOKENS),
            loop_id: Some(journal.loop_id.clone()),
            success: Some(worked),
            causes: journal.written.clone().into_iter().take(200).collect(),
            ..Summary::default()
        };
        viewpoint.add_invocation(&journal.conversation, &summary)?;
        if self.policy.enable_auto_fact_extraction {
            match self.extract(&viewpoint, journal, worked) {
                Ok((facts, notices)) => {
                    kept.facts = facts;
                    kept.notices.extend(notices);
                }
                // No model, or no room: the answer stands.
                Err(error) if matches!(error.kind, Kind::Unavailable | Kind::CheckFailed) => {
                    kept.notices.push(error.to_string());
                }
                Err(error) => return Err(error),
            }
        }
        let is_task = self.asked.task || done.iter().any(|done| !LOOKING.contains(&done.tool.as_str()));
        if self.policy.enable_episode_recording && is_task {
            let draft = self.episode(journal, &done, &result, worked);
            kept.episode = Some(viewpoint.store_episode(&draft)?.episode_id);
        }
        Ok(kept)
    }

    /// Facts from what was said: by rules, and by the model where it answers.
    fn extract(
        &self,
        viewpoint: &Viewpoint,
        journal: &mut Journal<'_>,
        worked: bool,
    ) -> Result<(Vec<Extracted>, Vec<String>)> {
        let mut notices = Vec::new();
        let words = ExtractionFilter {
            conversation: Some(journal.conversation.clone()),
            loop_id: Some(journal.loop_id.clone()),
        };
        let mut facts = viewpoint.extract_by_rules(&words, false)?;
        // A model that gave no answer is not waited for again.
        if !worked {
            return Ok((facts, notices));
        }
        let chat = self.ledger.meter(&*self.agent.chat, "extract");
        let sources = Source::of_loop(viewpoint, &journal.loop_id)?;
        let mut notice = |text: &str| notices.push(text.to_owned());
        match extraction::by_model(viewpoint, &chat, &sources, Some(journal), &mut notice) {
            Ok(found) => facts.extend(found),
            Err(error) => notices.push(format!("no facts were taken by the model: {error}")),
        }
        Ok((facts, notices))
    }

    fn episode(&self, journal: &Journal<'_>, done: &[Done], result: &str, worked: bool) -> EpisodeDraft {
        let steps = done.iter().map(|done| {
            let went = if done.worked { "" } else { " (failed)" };
            cut(&format!("{}{went}", done.call), STEP_TOKENS)
        });
        let failed: Vec<&str> = done.iter().filter(|done| !done.worked).map(|done| done.tool.as_str()).collect();
        let succeeded: Vec<&str> = done.iter().filter(|done| done.worked).map(|done| done.tool.as_str()).collect();
        let lessons = match (failed.is_empty(), succeeded.is_empty()) {
            (true, _) => String::new(),
            (false, true) => format!("{} did not work", failed.join(", ")),
            (false, false) => format!("{} did not work; {} did", failed.join(", "), succeeded.join(", ")),
        };
        EpisodeDraft {
            goal: cut(&self.asked.question, RESULT_TOKENS),
            steps: steps.take(STEPS_MAX).collect(),
            outcome: cut(result, RESULT_TOKENS),
            lessons,
            success: Some(worked && done.last().is_none_or(|done| done.worked)),
            conversation: Some(journal.conversation.clone()),
            loop_id: Some(journal.loop_id.clone()),
            causes: journal.written.clone().into_iter().take(200).collect(),
            given: json!({"trace_id": journal.trace}).as_object().cloned(),
            ..EpisodeDraft::default()
        }
    }
}

/// The tools that were called, from what was written down.
fn done(viewpoint: &Viewpoint, journal: &Journal<'_>) -> Result<Vec<Done>> {
    let horizon = viewpoint.horizon(None)?;
    let (mut done, mut last): (Vec<Done>, Option<String>) = (Vec::new(), None);
    for id in &journal.written {
        let event = viewpoint.get(id, horizon)?;
        let Some(fields) = event.fields else { continue };
        match event.header.kind.as_str() {
            "tool_call" => last = fields.content,
            "tool_result" => {
                let call = last.take().unwrap_or_default();
                let tool = call.split(' ').next().unwrap_or_default().to_owned();
                let worked = fields.status == Some(idetic_ops::core::words::Status::Success);
                done.push(Done { tool, call, worked });
            }
            _ => {}
        }
    }
    Ok(done)
}

/// What was done, in a line.
fn summed_up(done: &[Done]) -> String {
    match done {
        [] => "answered without a tool".to_owned(),
        done => {
            let calls = done.iter().map(|done| {
                let went = if done.worked { "" } else { " (failed)" };
                format!("{}{went}", done.call)
            });
            format!("called {}", calls.collect::<Vec<_>>().join("; then "))
        }
    }
}
