//! What was used of a language model: an event for each invocation, and sums of them.

use std::collections::BTreeMap;

use idetic_ops::core::time::DAY_MICROS;
use idetic_ops::core::{Event, Time};
use idetic_ops::model::chat::{Report, Spent};
use idetic_ops::{Result, Viewpoint};
use serde::Deserialize;
use serde_json::json;

use crate::journal::Journal;

/// The kind of an event that says what was used.
pub const USED: &str = "model.used";

/// What the metadata of such an event says.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Said {
    model: String,
    operations: BTreeMap<String, Spent>,
}

impl Said {
    fn of(event: &Event) -> Self {
        let metadata = event.fields.as_ref().and_then(|fields| fields.metadata.as_ref());
        metadata.and_then(|metadata| serde_json::from_str(metadata.get()).ok()).unwrap_or_default()
    }
}

/// Writes down what an invocation used, if it used anything.
pub(crate) fn record(journal: &mut Journal<'_>, report: &Report, model: &str) -> Result<()> {
    if report.total.calls > 0 {
        let about = json!({"model": model, "operations": report.operations});
        journal.write(USED, None, None, about, &[], None)?;
    }
    Ok(())
}

/// What was used since a moment, by model and operation.
pub fn spent_since(viewpoint: &Viewpoint, since: Time) -> Result<BTreeMap<(String, String), Spent>> {
    let mut sums: BTreeMap<(String, String), Spent> = BTreeMap::new();
    for event in viewpoint.events_of_kind(USED, since)? {
        let said = Said::of(&event);
        for (operation, spent) in said.operations {
            add(sums.entry((said.model.clone(), operation)).or_default(), &spent);
        }
    }
    Ok(sums)
}

/// What was used on the day of a moment (UTC).
pub(crate) fn spent_today(viewpoint: &Viewpoint, now: Time) -> Result<Spent> {
    let mut total = Spent::default();
    for spent in spent_since(viewpoint, Time(now.0 - now.0.rem_euclid(DAY_MICROS)))?.values() {
        add(&mut total, spent);
    }
    Ok(total)
}

fn add(sum: &mut Spent, more: &Spent) {
    sum.calls += more.calls;
    sum.failed += more.failed;
    sum.estimated += more.estimated;
    sum.prompt_tokens += more.prompt_tokens;
    sum.answer_tokens += more.answer_tokens;
    sum.cost_micros += more.cost_micros;
}
