//! What an invocation is reminded of: facts, episodes, what was said before, and its conversation, looked up side by side.

use std::collections::HashSet;
use std::thread;

use idetic_ops::core::Time;
use idetic_ops::core::words::Trust;
use idetic_ops::search::Mode;
use idetic_ops::{
    ConversationMemory, Episode, EpisodeQuery, Error, Fact, FactQuery, Filters, Kind, Models, Question, RecallHit,
    RecallOptions, Result, Viewpoint,
};

use crate::template::Recalled;
use idetic_core::quoting::labelled;

/// Events looked at for what was said before, and those that are put before the model at most.
const EVENTS_LOOKED_AT: usize = 40;
const EVENTS_SHOWN: usize = 8;
/// Invocations of the conversation that are put before the model at most: the last ones.
const INVOCATIONS: usize = 50;
/// Kinds that are reminders themselves, or are looked up by another name.
const NOT_SAID: [&str; 10] = [
    "fact.stored",
    "episode.stored",
    "episode.told",
    "conversation.invocation",
    "conversation.started",
    "agent.thought",
    "tool_call",
    "tool_result",
    "error",
    "fact.ended",
];

/// What was found.
#[derive(Debug, Default)]
pub struct Reminders {
    /// Facts, the best first.
    pub facts: Vec<Fact>,
    /// Episodes, the best first.
    pub episodes: Vec<Episode>,
    /// What was said in other conversations, the best first.
    pub said: Vec<RecallHit>,
    /// The conversation so far; none where it begins.
    pub conversation: Option<ConversationMemory>,
    /// What a person should know about the search.
    pub notices: Vec<String>,
}

/// How much is looked up.
#[derive(Debug, Clone, Copy)]
pub struct RetrievalLimits {
    /// Facts.
    pub facts: usize,
    /// Episodes.
    pub episodes: usize,
}

/// Looks everything up side by side. The question is turned into a vector once.
pub fn remind(
    viewpoint: &Viewpoint,
    models: &Models,
    question: &str,
    state: &str,
    conversation: &str,
    wanted: RetrievalLimits,
    now: Time,
) -> Result<Reminders> {
    let vector = models.wanted.as_ref().and_then(|model| model.embed_query(question).ok());
    let goal = if state.is_empty() { question.to_owned() } else { format!("{question}\n{state}") };
    let goal_vector = if state.is_empty() { vector.clone() } else { None };
    let (facts, episodes, said, past) = thread::scope(|scope| {
        let facts = scope.spawn(|| {
            let mut notices = Vec::new();
            let asked = FactQuery {
                query: question.to_owned(),
                vector: vector.clone(),
                top_k: Some(wanted.facts.max(1)),
                only_good: true,
                ..FactQuery::default()
            };
            if wanted.facts == 0 {
                return Ok((Vec::new(), notices));
            }
            let found = viewpoint.retrieve_facts(models, &asked, now, &mut |text| notices.push(text.to_owned()))?;
            Ok::<_, Error>((found, notices))
        });
        let episodes = scope.spawn(|| {
            if wanted.episodes == 0 {
                return Ok(Vec::new());
            }
            let top_k = Some(wanted.episodes);
            let asked = EpisodeQuery { query: goal.clone(), vector: goal_vector, top_k, only_good: true, as_of: None };
            viewpoint.retrieve_episodes(models, &asked, now, &mut |_| {})
        });
        let said = scope.spawn(|| said_before(viewpoint, models, question, vector.clone(), conversation, now));
        let past =
            scope.spawn(|| match viewpoint.conversation(conversation, viewpoint.horizon(None)?, Some(INVOCATIONS)) {
                Err(error) if error.kind == Kind::NotFound => Ok(None),
                memory => memory.map(Some),
            });
        (joined(facts), joined(episodes), joined(said), joined(past))
    });
    let (facts, notices) = facts?;
    Ok(Reminders { facts, episodes: episodes?, said: said?, conversation: past?, notices })
}

/// A thread that ended without an answer is a mistake of ours, told as such.
fn joined<T>(thread: thread::ScopedJoinHandle<'_, Result<T>>) -> Result<T> {
    thread.join().unwrap_or_else(|_| Err(Error::unavailable("looking something up failed").hint("report this, please")))
}

/// What was said in other conversations and is near enough to the question.
fn said_before(
    viewpoint: &Viewpoint,
    models: &Models,
    question: &str,
    vector: Option<Vec<f32>>,
    conversation: &str,
    now: Time,
) -> Result<Vec<RecallHit>> {
    let options = RecallOptions { k: Some(EVENTS_LOOKED_AT), filters: Filters::default(), ..RecallOptions::default() };
    let asked = Question { query: question.to_owned(), at: Some(now.to_string()), vector, ..Question::default() };
    let mut waits = false;
    let mut hits = viewpoint.recall_one(models, &options, &asked, &mut |_| waits = true)?.hits;
    if waits {
        // What has no vector yet stands behind what has: the best by words alone go first, in turn with the others.
        let by_words = RecallOptions { mode: Mode::Lexical, ..options };
        let found = viewpoint.recall_one(models, &by_words, &Question { vector: None, ..asked }, &mut |_| {})?.hits;
        hits = in_turn(found, hits);
    }
    hits.retain(|hit| {
        hit.is_good()
            && hit.conversation_id.as_deref() != Some(conversation)
            && !NOT_SAID.contains(&hit.kind.as_str())
            && !is_question(&hit.text)
    });
    hits.truncate(EVENTS_SHOWN);
    Ok(hits)
}

impl Reminders {
    /// Facts as a prompt takes them.
    pub fn facts_shown(&self) -> Vec<Recalled> {
        let shown = |fact: &Fact| {
            let disputed = if fact.conflicts.is_empty() { "" } else { " (disputed)" };
            let from = unless_users(&fact.trust, fact.origin.as_deref());
            Recalled { id: fact.id.clone(), text: format!("{}{disputed}{from}", fact.content) }
        };
        self.facts.iter().map(shown).collect()
    }

    /// What was said in other conversations as a prompt takes it, without what stands among the facts.
    pub fn said_shown(&self) -> Vec<Recalled> {
        let known: Vec<&str> = self.facts.iter().map(|fact| fact.content.as_str()).collect();
        let said = self.said.iter().filter(|hit| !known.contains(&hit.text.as_str())).map(|hit| {
            let who = hit.author.as_deref().map_or(String::new(), |author| format!("{author}: "));
            let from = unless_users(hit.trust, Some(&hit.origin));
            Recalled { id: hit.id.clone(), text: format!("{} {who}{}{from}", hit.ts.day(), hit.text) }
        });
        said.collect()
    }

    /// Episodes as a prompt takes them.
    pub fn episodes_shown(&self) -> Vec<Recalled> {
        let shown = |episode: &Episode| {
            let worked = match episode.success {
                Some(true) => " (worked)",
                Some(false) => " (failed)",
                None => "",
            };
            let mut text = format!("{}{worked}", episode.goal);
            if !episode.steps.is_empty() {
                text += &format!("; steps: {}", episode.steps.join("; "));
            }
            for (name, part) in [("outcome", &episode.outcome), ("lessons", &episode.lessons)] {
                if !part.is_empty() {
                    text += &format!("; {name}: {part}");
                }
            }
            Recalled { id: episode.id.clone(), text }
        };
        self.episodes.iter().map(shown).collect()
    }

    /// The conversation as a prompt takes it, oldest first.
    pub fn conversation_shown(&self) -> Vec<Recalled> {
        let invocations = self.conversation.iter().flat_map(|memory| &memory.invocations);
        let shown = invocations.map(|past| {
            let text = format!("Asked: {} Answered: {}", past.query, past.result);
            Recalled { id: past.event.clone(), text }
        });
        shown.collect()
    }

    /// The ids of all events behind some of what was shown: those that purging one must reach.
    pub fn events_behind(&self, shown: &[String]) -> Vec<String> {
        let facts = self.facts.iter().filter(|fact| shown.contains(&fact.id)).flat_map(|fact| fact.causes.clone());
        let episodes = self.episodes.iter().filter(|episode| shown.contains(&episode.id));
        let said = self.said.iter().filter(|hit| shown.contains(&hit.id)).map(|hit| hit.id.clone());
        facts.chain(episodes.flat_map(|episode| episode.causes.clone())).chain(said).collect()
    }
}

/// Where something comes from that is not the user's own word.
fn unless_users(trust: &str, origin: Option<&str>) -> String {
    match origin {
        Some("user") | None if trust == Trust::User.word() => String::new(),
        origin => labelled(origin.unwrap_or(trust)),
    }
}

/// Two lists in turn, each hit once.
fn in_turn(first: Vec<RecallHit>, second: Vec<RecallHit>) -> Vec<RecallHit> {
    let (mut seen, mut all) = (HashSet::new(), Vec::with_capacity(first.len() + second.len()));
    let mut lists = [first.into_iter(), second.into_iter()];
    while lists.iter().any(|list| list.len() > 0) {
        for list in &mut lists {
            all.extend(list.next().filter(|hit| seen.insert(hit.id.clone())));
        }
    }
    all
}

/// Whether a text only asks: what was asked before seldom answers, and the same question would crowd out what does.
fn is_question(text: &str) -> bool {
    text.trim_end().ends_with('?') && !text.trim_end().trim_end_matches('?').contains(['.', '!', '\n'])
}
