//! One question to several spaces of a user: each answers by itself, and what they found is merged by how well it answers.
//!
//! The score of a hit counts from the mean of its own space, so that two spaces' scores say nothing of each other. What does is
//! how much of the question's words a hit has, and how close it is in meaning: both are measured against the question alone.
//! By these the hits are merged; those of one space stay in the order in which that space ranked them.

use idetic_core::project::ProjectScope;
use idetic_core::{SpaceName, Time};
use idetic_memory::as_of::AsOf;
use idetic_memory::recall::{Question, RecallOptions};
use idetic_memory::{
    Cause, Error, Models, PackedContext, RecallHit, Recalled, RequestedReader, Result, StatedRule, Viewpoint, gathered,
    is_audit, packed,
};

use crate::Context;

/// Most spaces of one question: each is searched.
const SPACES_MAX: usize = 16;
/// Hits when nothing is said.
const HITS: usize = 10;

/// The spaces that are named, through the eyes that are. One that the caller may not see is one that is not there.
pub(super) fn viewpoints(
    cx: &Context,
    names: &[String],
    who: &RequestedReader,
    as_of: Option<&AsOf>,
) -> Result<Vec<(SpaceName, Viewpoint)>> {
    if names.len() > SPACES_MAX {
        return Err(Error::invalid(format!("{} spaces are named, more than {SPACES_MAX}", names.len())));
    }
    if matches!(as_of, Some(AsOf::Seq(_))) {
        return Err(Error::invalid("a seq is the number of an event in one space, and several are asked")
            .hint("name a time with as_of"));
    }
    let own = cx.space_name()?;
    let [user, _] = own.parts();
    let mut found: Vec<(SpaceName, Viewpoint)> = Vec::with_capacity(names.len());
    for name in names {
        let name = if name.contains('/') { name.clone() } else { format!("{user}/{name}") };
        let name = SpaceName::parse(&name)?;
        if name.parts()[0] != user {
            return Err(Error::invalid(format!("{name} is not a space of user '{user}'"))
                .hint("spaces of one user are asked together: ask the others by themselves"));
        }
        let missing = || Error::not_found(format!("there is no space {name}")).hint("leave it out, or check its name");
        if !cx.grant.holds(&name) || is_audit(&name) {
            return Err(missing());
        }
        if !found.iter().any(|(known, _)| *known == name) {
            let viewpoint = cx.viewpoint_of(&name, who);
            let viewpoint = viewpoint.map_err(|e| if e.cause == Cause::NewSpace { missing() } else { e })?;
            found.push((name, viewpoint));
        }
    }
    Ok(found)
}

/// What the spaces recall, the best first.
pub(super) fn recall(
    cx: &mut Context,
    spaces: &[(SpaceName, Viewpoint)],
    models: &Models,
    options: RecallOptions,
    question: Question,
) -> Result<Recalled> {
    let (least, question) = (options.min_score, at_one_time(spaces, question)?);
    let options = RecallOptions { min_score: None, ..options };
    let mut lists = Vec::with_capacity(spaces.len());
    for (name, viewpoint) in spaces {
        let recalled = viewpoint.recall_one(models, &options, &question, cx.notice)?;
        lists.push(named(name, recalled.hits));
    }
    let mut hits = merged(lists);
    hits.retain(|hit| least.is_none_or(|least| hit.score >= least));
    hits.truncate(question.k.or(options.k).unwrap_or(HITS));
    for (name, viewpoint) in spaces.iter().filter(|_| cx.is_agents()) {
        let name = name.to_string();
        let of_space = hits.iter().filter(|hit| hit.space.as_deref() == Some(&name)).cloned();
        let shown = Recalled { qid: None, hits: of_space.collect() };
        if !shown.hits.is_empty() {
            // What it was shown is kept, by ids alone; that it cannot be is no reason not to answer.
            let _ = viewpoint.keep_shown("recall", &shown, cx.trace_id.as_deref());
        }
    }
    Ok(Recalled { qid: question.qid, hits })
}

/// The same for a model: rules of all of them, and the best of what they recall, packed into one budget.
pub(super) fn context(
    cx: &mut Context,
    spaces: &[(SpaceName, Viewpoint)],
    models: &Models,
    options: &RecallOptions,
    question: Question,
    budget: usize,
) -> Result<PackedContext> {
    let question = at_one_time(spaces, question)?;
    let projects = ProjectScope { own: cx.projects(), only: false };
    let (mut rules, mut lists) = (Vec::new(), Vec::new());
    for (name, viewpoint) in spaces {
        let (own, good) = gathered(viewpoint, models, options, question.clone(), &projects, cx.notice)?;
        for rule in own {
            if rules.iter().all(|known: &StatedRule| known.text != rule.text) {
                rules.push(rule);
            }
        }
        lists.push(named(name, good));
    }
    Ok(packed(rules, merged(lists), budget))
}

/// "Last week" is the same week for all of them: counted from when the last event of any was written.
fn at_one_time(spaces: &[(SpaceName, Viewpoint)], question: Question) -> Result<Question> {
    let mut last: Option<Time> = None;
    for (_, viewpoint) in spaces.iter().filter(|_| question.at.is_none()) {
        let (viewpoint, horizon) = viewpoint.as_of(question.as_of.as_ref())?;
        last = last.max(viewpoint.last_recorded(horizon)?);
    }
    Ok(Question { last, ..question })
}

fn named(space: &SpaceName, hits: Vec<RecallHit>) -> Vec<RecallHit> {
    hits.into_iter().map(|hit| RecallHit { space: Some(space.to_string()), ..hit }).collect()
}

/// Lists of hits as one. A hit is scored by its share of the question's words and the closeness of its meaning together, as
/// far as every space knows both, and never above what its space ranked before it.
fn merged(lists: Vec<Vec<RecallHit>>) -> Vec<RecallHit> {
    let by_meaning = lists.iter().flatten().all(|hit| hit.standing.1.is_some());
    let fit = |hit: &RecallHit| {
        let meaning = hit.standing.1.filter(|_| by_meaning).unwrap_or(0.0);
        hit.standing.0 + meaning.max(0.0)
    };
    let mut all = Vec::new();
    for hits in lists {
        let fits: Vec<f64> = hits.iter().map(fit).collect();
        all.extend(hits.into_iter().zip(falling(&fits)).map(|(hit, score)| RecallHit { score, ..hit }));
    }
    all.sort_by(|one, other| other.score.total_cmp(&one.score));
    all
}

/// The nearest numbers to some of which none is greater than the one before it: neighbours in the wrong order get their mean.
fn falling(numbers: &[f64]) -> Vec<f64> {
    let mut runs: Vec<(f64, usize)> = Vec::with_capacity(numbers.len());
    let mean = |(sum, count): &(f64, usize)| sum / *count as f64;
    for number in numbers {
        let mut run = (*number, 1);
        while let Some(before) = runs.pop_if(|before| mean(before) < mean(&run)) {
            run = (before.0 + run.0, before.1 + run.1);
        }
        runs.push(run);
    }
    runs.iter().flat_map(|run| std::iter::repeat_n(mean(run), run.1)).collect()
}

#[cfg(test)]
mod tests {
    use super::falling;

    #[test]
    fn what_stands_in_the_wrong_order_gets_its_mean() {
        assert_eq!(falling(&[3.0, 2.0, 1.0]), [3.0, 2.0, 1.0]);
        assert_eq!(falling(&[1.0, 3.0, 2.0]), [2.0, 2.0, 2.0]);
        assert_eq!(falling(&[4.0, 1.0, 3.0, 0.5]), [4.0, 2.0, 2.0, 0.5]);
        assert!(falling(&[]).is_empty());
    }
}
