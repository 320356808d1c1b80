//! Ranking: what a question's words, meaning, names and dates say about every document a reader may see, as one score
//! whose parts can be shown.

mod lexical;
mod meaning;
mod parts;
mod weights;

use std::cmp::Ordering;
use std::collections::{BTreeSet, BinaryHeap, HashSet};
use std::sync::Arc;

use self::lexical::Lexical;
use self::meaning::Meaning;
pub use self::parts::Parts;
pub use self::weights::Weights;
use super::dates::Interval;
use super::intent::Intent;
use super::lanes::Lanes;
use super::names::Names;
use super::rewrite::{Rewritten, rewrite};
use super::segment::NONE;
use super::words::question_share;
use idetic_core::Time;
use idetic_core::words::Trust;

/// Share of the author's weight that the first name keeps when the names cover all authors: it is the subject.
const FIRST_NAME_SHARE: f64 = 0.5;
/// Age at which recency has halved, in microseconds (30 days).
const RECENCY_HALF_LIFE: f64 = 30.0 * 86_400e6;
/// Cost of coming from a user, an agent, a tool or from outside: what was only quoted to the agent proves less.
const TRUST_COSTS: [f64; 4] = [0.0, 0.0, 0.1, 0.3];
/// How fast the date part falls after an interval, in microseconds (7 days): people tell things after they happen.
const DATE_DECAY_AFTER: f64 = 7.0 * 86_400e6;
/// How fast it falls before an interval, in microseconds (half as long).
const DATE_DECAY_BEFORE: f64 = 3.5 * 86_400e6;
/// Share of an answer's cost that is left where an overview is asked for, to which answers belong.
const OVERVIEW_ANSWER_SHARE: f64 = 0.25;
/// Share of its answer's lead that a turn still takes over where answers are asked for.
const ASKED_FOR_ANSWERS_SHARE: f64 = 0.5;
/// Fewest tokens for which an equal text by the same author is a duplicate: short answers repeat legitimately.
const DUPLICATE_TOKENS: u32 = 4;
/// Up to so many documents all are scored; above, only candidates, because one pass over all costs more than it finds.
const WHOLE_LANE_DOCUMENTS: usize = super::nearest::BYTES_UP_TO;
/// How many candidates the words, the vectors and the dates each bring.
const CANDIDATES: usize = 1_000;

/// Which parts of the ranking a question uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// Words and meaning.
    #[default]
    Hybrid,
    /// Words only.
    Lexical,
    /// Meaning only.
    Vector,
}

/// What may be returned. Everything visible still counts for statistics, neighbours and priors.
#[derive(Debug, Clone, Default)]
pub struct Filters {
    /// Only this kind.
    pub kind: Option<String>,
    /// Only by this author.
    pub author: Option<String>,
    /// Only of this conversation.
    pub conversation: Option<String>,
    /// Only what happened then or later.
    pub since: Option<Time>,
    /// Only what happened then or earlier.
    pub until: Option<Time>,
    /// Only these events, in order of seq.
    pub only: Option<Arc<[u64]>>,
}

/// Filters with names as numbers of the lanes.
#[derive(Debug, Default)]
struct Allowed {
    kind: Option<u32>,
    author: Option<u32>,
    conversation: Option<u32>,
    since: Option<i64>,
    until: Option<i64>,
    only: Option<Arc<[u64]>>,
}

impl Allowed {
    fn of(filters: &Filters, lanes: &Lanes<'_>) -> Self {
        Self {
            kind: filters.kind.as_deref().map(|name| lanes.kind(name)),
            author: filters.author.as_deref().map(|name| lanes.author(name)),
            conversation: filters.conversation.as_deref().map(|name| lanes.conversation(name)),
            since: filters.since.map(|time| time.0),
            until: filters.until.map(|time| time.0),
            only: filters.only.clone(),
        }
    }

    fn allows(&self, lanes: &Lanes<'_>, place: usize) -> bool {
        self.kind.is_none_or(|kind| lanes.kinds[place] == kind)
            && self.author.is_none_or(|author| lanes.authors[place] == author)
            && self.conversation.is_none_or(|conversation| lanes.conversations[place] == conversation)
            && self.since.is_none_or(|since| lanes.times[place] >= since)
            && self.until.is_none_or(|until| lanes.times[place] <= until)
            && self.only.as_ref().is_none_or(|only| only.binary_search(&lanes.seqs[place]).is_ok())
    }

    fn is_everything(&self) -> bool {
        let named = [self.kind, self.author, self.conversation];
        named.iter().all(Option::is_none) && self.since.is_none() && self.until.is_none() && self.only.is_none()
    }
}

/// A question and how to answer it.
#[derive(Debug, Clone)]
pub struct Query<'a> {
    /// The question as asked.
    pub text: &'a str,
    /// When it is asked.
    pub now: Time,
    /// Which parts to use.
    pub mode: Mode,
    /// How many hits to return at most.
    pub k: usize,
    /// What may be returned.
    pub filters: Filters,
    /// What each part counts.
    pub weights: Weights,
}

/// A document that answers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// The event.
    pub seq: u64,
    /// Its place among all that is visible.
    pub place: usize,
    /// What the hits are ordered by.
    pub score: f64,
    /// What the score is made of.
    pub parts: Parts,
}

/// The text to embed for a question: without dates, and in the first person where it names participants.
pub fn vector_query_text(lanes: &Lanes<'_>, question: &str, now: Time, weights: &Weights) -> String {
    rewrite(question, names(lanes, weights), now).vector
}

/// The names that are known as authors.
fn names<'a>(lanes: &'a Lanes<'_>, weights: &Weights) -> &'a Names {
    static NOBODY: Names = Names::new();
    if weights.names { lanes.names() } else { &NOBODY }
}

/// The best documents for a question, best first. Without a query vector the vector part is 0.
pub fn rank(lanes: &Lanes<'_>, query: &Query<'_>, query_vector: Option<&[f32]>) -> Vec<Hit> {
    if lanes.live_count() == 0 || query.k == 0 {
        return Vec::new();
    }
    let rewritten = rewrite(query.text, names(lanes, &query.weights), query.now);
    let lexical = match query.mode {
        Mode::Vector => Lexical::default(),
        _ => Lexical::of(lanes, &rewritten.lexical, &query.weights),
    };
    let allowed = Allowed::of(&query.filters, lanes);
    let vector = query_vector.filter(|_| query.mode != Mode::Lexical);
    let meaning = vector.map(|vector| Meaning::of(lanes, vector, query.weights.neighbour_meaning));
    let scoring = Scoring::new(lanes, query, rewritten, lexical, meaning, allowed);
    if query.mode == Mode::Lexical && scoring.recognised_nothing() {
        return Vec::new();
    }
    scoring.hits()
}

/// Everything needed to score one document.
struct Scoring<'a> {
    lanes: &'a Lanes<'a>,
    query: &'a Query<'a>,
    rewritten: Rewritten,
    lexical: Lexical,
    meaning: Option<Meaning<'a>>,
    allowed: Allowed,
    /// The author part by number of author; empty when the question names nobody.
    author_parts: Vec<f64>,
    recency_weight: f64,
    answer_weight: f64,
    answered_weight: f64,
    crowding_weight: f64,
    conversation_weight: f64,
    date_weight: f64,
}

impl<'a> Scoring<'a> {
    fn new(
        lanes: &'a Lanes<'a>,
        query: &'a Query<'a>,
        rewritten: Rewritten,
        lexical: Lexical,
        meaning: Option<Meaning<'a>>,
        allowed: Allowed,
    ) -> Self {
        let date_weight = match (rewritten.absolute.is_empty(), rewritten.relative.is_empty()) {
            (false, _) => query.weights.date,
            (true, false) => query.weights.relative_date,
            (true, true) => 0.0,
        };
        let weights = &query.weights;
        let (answer_weight, answered_weight) = match rewritten.intent {
            Intent::Anything | Intent::Order => (weights.answer, weights.answered),
            Intent::Overview => (OVERVIEW_ANSWER_SHARE * weights.answer, weights.answered),
            Intent::Answers => (0.0, ASKED_FOR_ANSWERS_SHARE * weights.answered),
        };
        let asked = question_share(query.text);
        Self {
            recency_weight: weights.recency * (1.0 - asked + weights.recency_asked * asked),
            answer_weight,
            answered_weight,
            crowding_weight: if rewritten.intent == Intent::Order { weights.crowding } else { 0.0 },
            author_parts: author_parts(lanes, &rewritten),
            conversation_weight: if rewritten.wants_list { 0.0 } else { query.weights.conversation },
            date_weight,
            lanes,
            query,
            rewritten,
            lexical,
            meaning,
            allowed,
        }
    }

    /// Whether no word, name or date of the question means anything here.
    fn recognised_nothing(&self) -> bool {
        !self.lexical.matched() && self.rewritten.names.is_empty() && self.intervals().is_empty()
    }

    fn intervals(&self) -> &[Interval] {
        if self.rewritten.absolute.is_empty() { &self.rewritten.relative } else { &self.rewritten.absolute }
    }

    /// The hits, best first.
    fn hits(&self) -> Vec<Hit> {
        let places = self.places();
        let own: Vec<f64> = places.iter().map(|&place| self.own(place as usize).base).collect();
        let own_of = |place: usize| match u32::try_from(place).map(|place| places.binary_search(&place)) {
            Ok(Ok(at)) => own[at],
            _ => self.own(place).base,
        };
        let in_dialogue = |(&place, &own): (&u32, &f64)| {
            let (answer, answered) = self.in_dialogue(place as usize, own, own_of);
            own - self.answer_weight * answer + self.answered_weight * answered
        };
        let bases: Vec<f64> = places.iter().zip(&own).map(in_dialogue).collect();
        let mut best_of = vec![f64::NEG_INFINITY; self.lanes.conversation_count()];
        for (&place, &base) in places.iter().zip(&bases) {
            if let Some(best) = best_of.get_mut(self.lanes.conversations[place as usize] as usize) {
                *best = best.max(base);
            }
        }
        let conversation = |place: u32, base: f64| {
            let number = self.lanes.conversations[place as usize];
            if number == NONE { base } else { best_of[number as usize] }
        };
        let ranked: BinaryHeap<Ranked> = places
            .iter()
            .zip(&bases)
            .filter(|&(&place, _)| self.is_allowed(place as usize))
            .map(|(&place, &base)| Ranked {
                score: self.score(place as usize, base, conversation(place, base)),
                place,
                crowding: 0,
            })
            .collect();
        self.take(ranked, conversation)
    }

    /// Takes the best from the heap, without duplicates. What is crowded out by better hits of its conversation goes back.
    fn take(&self, mut ranked: BinaryHeap<Ranked>, conversation: impl Fn(u32, f64) -> f64) -> Vec<Hit> {
        let mut taken: HashSet<u64> = HashSet::new();
        let mut hits = Vec::new();
        let mut taken_of = vec![0_u32; if self.crowding_weight > 0.0 { self.lanes.conversation_count() } else { 0 }];
        while let Some(Ranked { score, place, crowding }) = ranked.pop().filter(|_| hits.len() < self.query.k) {
            let at = place as usize;
            let taken_there = taken_of.get_mut(self.lanes.conversations[at] as usize);
            if let Some(better) = taken_there.as_deref().copied().filter(|better| *better > crowding) {
                let score = score - self.crowding_weight * f64::from(better - crowding);
                ranked.push(Ranked { score, place, crowding: better });
                continue;
            }
            if self.query.weights.collapse
                && self.lanes.lengths[at] >= DUPLICATE_TOKENS
                && !taken.insert(self.lanes.fingerprints[at])
            {
                continue;
            }
            if let Some(taken) = taken_there {
                *taken += 1;
            }
            let parts = Parts {
                crowding: f64::from(crowding),
                crowding_weight: self.crowding_weight,
                ..self.parts(at, conversation(place, self.base(at).base))
            };
            hits.push(Hit { seq: self.lanes.seqs[at], place: at, score, parts });
        }
        hits
    }

    /// The parts of a document's score that do not look at its conversation as a whole, and their sum.
    fn base(&self, place: usize) -> Parts {
        let mut parts = self.own(place);
        (parts.answer, parts.answered) = self.in_dialogue(place, parts.base, |answer| self.own(answer).base);
        (parts.answer_weight, parts.answered_weight) = (self.answer_weight, self.answered_weight);
        parts.base += self.answered_weight * parts.answered - self.answer_weight * parts.answer;
        parts
    }

    /// How much of an answer a document is, and how far its own answer stands above it.
    fn in_dialogue(&self, place: usize, own: f64, own_of: impl Fn(usize) -> f64) -> (f64, f64) {
        if self.lanes.is_answer(place) {
            return (self.lanes.dialogue(), 0.0);
        }
        let answer = self.lanes.answer_to(place).filter(|_| self.answered_weight > 0.0);
        (0.0, answer.map_or(0.0, |answer| (own_of(answer) - own).max(0.0)))
    }

    /// The parts of a document's score that need no other document, and their sum.
    fn own(&self, place: usize) -> Parts {
        let mut parts = Parts {
            lexical: self.lexical.part(place),
            vector: self.meaning.as_ref().map_or(0.0, |meaning| meaning.part(place)),
            author: self.author_parts.get(self.lanes.authors[place] as usize).copied().unwrap_or(0.0),
            question: self.lanes.questions[place],
            recency: recency(self.query.now, self.lanes.times[place]),
            recency_weight: self.recency_weight,
            importance: self.importance(place),
            distrust: TRUST_COSTS.get(self.lanes.trusts[place] as usize).copied().unwrap_or(0.0),
            ..Parts::default()
        };
        let weights = &self.query.weights;
        parts.base = weights.words * parts.lexical + weights.meaning * parts.vector + weights.author * parts.author
            - weights.question * parts.question
            + self.recency_weight * parts.recency
            + weights.importance * parts.importance
            - weights.distrust * parts.distrust;
        parts
    }

    /// How much a document matters above or below the usual. What a tool printed or a page said does not get to say that
    /// it matters more.
    fn importance(&self, place: usize) -> f64 {
        let said = 2.0 * f64::from(self.lanes.importances[place]) - 1.0;
        let trusted = self.lanes.trusts[place] <= Trust::Agent as u8;
        if trusted { said } else { said.min(0.0) }
    }

    /// All parts of a document's score.
    fn parts(&self, place: usize, conversation: f64) -> Parts {
        Parts {
            cosine: self.meaning.as_ref().and_then(|meaning| meaning.cosine(place)),
            conversation,
            conversation_weight: self.conversation_weight,
            date: date_part(self.intervals(), self.lanes.times[place]),
            date_weight: self.date_weight,
            ..self.base(place)
        }
    }

    fn score(&self, place: usize, base: f64, conversation: f64) -> f64 {
        let date = date_part(self.intervals(), self.lanes.times[place]);
        base + self.conversation_weight * conversation + self.date_weight * date
    }

    fn is_allowed(&self, place: usize) -> bool {
        self.allowed.allows(self.lanes, place)
    }

    /// The places to score, in order: all of them, or in a large lane the candidates.
    fn places(&self) -> Vec<u32> {
        let everything =
            (0..u32::try_from(self.lanes.len()).unwrap_or(NONE)).filter(|&p| self.lanes.is_live(p as usize));
        if self.lanes.live_count() <= WHOLE_LANE_DOCUMENTS || (!self.lexical.matched() && self.meaning.is_none()) {
            return everything.collect();
        }
        let mut chosen: Vec<u32> = Vec::new();
        // Without a filter the second round would choose the same again. With one, the first round keeps the
        // conversations' best as they are, and the second makes sure that enough remain to be returned.
        let rounds: &[bool] = if self.allowed.is_everything() { &[false] } else { &[false, true] };
        for &filtered in rounds {
            let may = |place: u32| !filtered || self.is_allowed(place as usize);
            chosen.extend(best_of(self.lexical.reached().filter(|&(_, place)| may(place))));
            if let Some(meaning) = &self.meaning {
                let among = |place: usize| self.is_allowed(place);
                chosen.extend(meaning.nearest(CANDIDATES, filtered.then_some(&among)));
            }
            let dated = everything.clone().rev().filter(|&place| self.is_dated(place as usize) && may(place));
            if !self.intervals().is_empty() {
                chosen.extend(dated.take(CANDIDATES));
            }
        }
        // What was answered well may have been said in other words.
        let answered = |place: &u32| {
            let turn = self.lanes.before(*place as usize).filter(|_| self.lanes.is_answer(*place as usize))?;
            u32::try_from(turn).ok().filter(|_| self.lanes.is_live(turn))
        };
        let turns: Vec<u32> = chosen.iter().filter_map(answered).collect();
        chosen.extend(turns);
        chosen.sort_unstable();
        chosen.dedup();
        chosen
    }

    /// Whether a document lies in an interval the question names.
    fn is_dated(&self, place: usize) -> bool {
        let time = Time(self.lanes.times[place]);
        self.intervals().iter().any(|interval| interval.start <= time && time < interval.end)
    }
}

/// A document in the heap: the higher score first, then the newer.
struct Ranked {
    score: f64,
    place: u32,
    /// How many better hits of its conversation the score counts.
    crowding: u32,
}

impl Ord for Ranked {
    fn cmp(&self, other: &Self) -> Ordering {
        self.score.total_cmp(&other.score).then(self.place.cmp(&other.place))
    }
}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Ranked {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Ranked {}

/// The places of the best candidates, in no particular order.
fn best_of(scored: impl Iterator<Item = (f64, u32)>) -> Vec<u32> {
    let mut best: Vec<Ranked> = Vec::with_capacity(2 * CANDIDATES);
    // The worst of the best once there are enough of them: most of what follows is below and need not be kept.
    let mut threshold = Ranked { score: f64::NEG_INFINITY, place: 0, crowding: 0 };
    for (score, place) in scored {
        let ranked = Ranked { score, place, crowding: 0 };
        if ranked.score < threshold.score || ranked < threshold {
            continue;
        }
        best.push(ranked);
        if best.len() == 2 * CANDIDATES {
            keep_best(&mut best);
            threshold = best.iter().min().map_or(threshold, |worst| Ranked { ..*worst });
        }
    }
    keep_best(&mut best);
    best.into_iter().map(|ranked| ranked.place).collect()
}

/// Drops all but the best candidates.
fn keep_best(all: &mut Vec<Ranked>) {
    if all.len() > CANDIDATES {
        all.select_nth_unstable_by(CANDIDATES, |a, b| b.cmp(a));
        all.truncate(CANDIDATES);
    }
}

/// The author part by number of author: 1 for those named, less when everyone is.
fn author_parts(lanes: &Lanes<'_>, rewritten: &Rewritten) -> Vec<f64> {
    let Some(first) = rewritten.names.first() else { return Vec::new() };
    let bearers = |name: &String| lanes.names().bearers(name);
    let mut named: BTreeSet<u32> = rewritten.names.iter().flat_map(bearers).collect();
    let mut part = 1.0;
    if named.len() == lanes.author_count() {
        named = bearers(first).collect();
        part = if named.len() < lanes.author_count() { FIRST_NAME_SHARE } else { 0.0 };
    }
    let mut parts = vec![0.0; lanes.author_count()];
    for author in named {
        parts[author as usize] = part;
    }
    parts
}

/// 1 now or later, half of it after the half-life.
fn recency(now: Time, time: i64) -> f64 {
    (-(now.0.saturating_sub(time).max(0) as f64) / RECENCY_HALF_LIFE).exp2()
}

/// 1 in an interval, falling with the distance from the nearest.
fn date_part(intervals: &[Interval], time: i64) -> f64 {
    let near = |interval: &Interval| {
        let late = time.saturating_sub(interval.end.0).max(0) as f64;
        let early = interval.start.0.saturating_sub(time).max(0) as f64;
        (-late / DATE_DECAY_AFTER - early / DATE_DECAY_BEFORE).exp()
    };
    intervals.iter().map(near).fold(0.0, f64::max)
}
