//! What stands of what people told their agents: rules, decisions and what is left to do, each until it is given up.
//!
//! Prompts that hold such a thing carry a tag, so that all of them are found at once however many prompts there are; what it is
//! that stands is read from their text whenever it is asked.

use std::collections::{BTreeSet, HashMap, HashSet};

use idetic_core::project::project_of;
use idetic_core::views::{STANDING_ENDED, TAGS, TIMELINE};
use idetic_core::words::Trust;
use idetic_core::{Event, Time};
use idetic_extract::ending::{
    changed_names, clauses, ends_asking, has_other_number, has_word, is_about_task, means_the_last, needs_no_asking,
    parts, permits, says_change, says_done, says_permitted, stems, withdrawn_stems, withdraws,
};
use idetic_extract::{DirectiveKind, directives, own_sentences, replaced};
use idetic_search::{Changes, Lane, id_hash};
use idetic_store::{Filter, Select};

use crate::{Result, Viewpoint};

/// Most prompts of each tag that are read, the latest, and most bytes of them.
const PROMPTS_MAX: usize = 1000;
const BYTES_MAX: usize = 1 << 20;
/// What a person told on purpose.
const REMEMBERED: &str = "memory.remembered";
const DECISION: &str = "decision";
/// Most of each that are read.
const REMEMBERED_MAX: usize = 300;
/// From this share of its words on a sentence takes back what has them, too: two at least, or the only one where it has no other.
const SAME_SUBJECT: f64 = 0.6;
const PROMPT: &str = "user_input";

/// Something that stands, in its author's words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StandingDirective {
    /// What it is.
    pub kind: DirectiveKind,
    /// The words.
    pub text: String,
    /// The event that says it.
    pub id: String,
    /// Where in that event it stands, in bytes.
    pub at: usize,
    /// The number of the event.
    pub seq: u64,
    /// When it was said.
    pub ts: Time,
    /// Whether it surely is one of the three.
    pub is_sure: bool,
    /// The project it was said in.
    pub project: Option<String>,
}

impl StandingDirective {
    /// What it is known by among all that stands.
    pub fn key(&self) -> String {
        format!("{}@{}", self.id, self.at)
    }
}

/// The tags of a text that says that something is done, and that something is changed.
const DONE_TAG: &str = "done";
const CHANGE_TAG: &str = "change";
/// The tag of a text in which something may stand.
const PERHAPS_TAG: &str = "perhaps";

/// The tags of a text that somebody says: what kinds of things stand in it, and whether something is done or changed.
pub fn tags(text: &str) -> BTreeSet<&'static str> {
    let stands = directives(text).into_iter().map(|found| if found.is_sure { found.kind.word() } else { PERHAPS_TAG });
    let done = own_parts(text).any(says_done).then_some(DONE_TAG);
    let changed = own_parts(text).any(|part| says_change(part) || withdraws(part) || says_permitted(part))
        || own_sentences(text).any(ends_asking)
        || !changed_names(text).is_empty();
    stands.chain(done).chain(changed.then_some(CHANGE_TAG)).collect()
}

/// The parts of the sentences that the author of a text says: what was pasted ends nothing.
fn own_parts(text: &str) -> impl Iterator<Item = &str> {
    own_sentences(text).flat_map(parts)
}

/// What stands in a project, the earliest first. `is_here` tells whether a project is the one in question; what is about the
/// person stands in every one.
pub fn standing(viewpoint: &Viewpoint, is_here: &dyn Fn(&str) -> bool, horizon: u64) -> Result<Vec<StandingDirective>> {
    Ok(standing_and_ended(viewpoint, is_here, horizon)?.0)
}

/// The same, and the ids of the events that said what stands no more.
pub fn standing_and_ended(
    viewpoint: &Viewpoint,
    is_here: &dyn Fn(&str) -> bool,
    horizon: u64,
) -> Result<(Vec<StandingDirective>, HashSet<String>)> {
    // Only a person's own word stands: what anybody else says is data, and pushes none of it out.
    let newest = |select: Select, most: usize| {
        let own = select.filter(Filter::Is("trust", Trust::User.word().into()));
        Select { newest_first: true, limit: Some(most), ..own }
    };
    let mut seqs = BTreeSet::new();
    for tag in DirectiveKind::ALL.map(DirectiveKind::word).into_iter().chain([DONE_TAG, CHANGE_TAG, PERHAPS_TAG]) {
        let tagged = Select::from(&TIMELINE, horizon).filter(Filter::Has(&TAGS, tag.into()));
        seqs.extend(viewpoint.seqs(&newest(tagged, PROMPTS_MAX))?);
    }
    for kind in [REMEMBERED, DECISION, STANDING_ENDED] {
        let told = Select::from(&TIMELINE, horizon).filter(Filter::Is("kind", kind.into()));
        seqs.extend(viewpoint.seqs(&newest(told, REMEMBERED_MAX))?);
    }
    let seqs: Vec<u64> = seqs.into_iter().collect();
    let changes = viewpoint.changes(horizon)?;
    let mut events = viewpoint.events(&seqs)?;
    events.retain(|event| counts(event, &changes) && viewpoint.sees_event(event));
    // What was said later counts, whenever it was taken in.
    events.sort_by_key(|event| (event.ts(), event.seq()));
    let mut bytes = 0;
    let read = events.iter().rev().take_while(|event| {
        bytes += event.text().len();
        bytes <= BYTES_MAX
    });
    let read = read.count();
    let read = &events[events.len() - read..];
    let mut found = Found { before: prompts_before(viewpoint, read)?, ..Found::default() };
    read.iter().for_each(|event| found.take(event, is_here));
    Ok((found.stands, found.ended))
}

/// By the number of a prompt that takes back what was said just before: the number of the prompt before it in its conversation.
fn prompts_before(viewpoint: &Viewpoint, events: &[Event]) -> Result<HashMap<u64, u64>> {
    let mut before = HashMap::new();
    for event in events {
        let conversation = event.fields.as_ref().and_then(|fields| fields.conversation_id.as_deref());
        let Some(conversation) = conversation.filter(|_| takes_back_the_last(&event.whole_text())) else { continue };
        let prompts = Select::from(&TIMELINE, event.seq() - 1)
            .filter(Filter::Is("conversation", conversation.into()))
            .filter(Filter::Is("kind", PROMPT.into()));
        let last = viewpoint.seqs(&Select { newest_first: true, limit: Some(1), ..prompts })?;
        before.extend(last.first().map(|last| (event.seq(), *last)));
    }
    Ok(before)
}

fn takes_back_the_last(text: &str) -> bool {
    own_parts(text).any(|part| withdraws(part) && means_the_last(part))
}

/// What was found so far.
#[derive(Default)]
struct Found {
    stands: Vec<StandingDirective>,
    /// The events that said what was ended.
    ended: HashSet<String>,
    /// What was said already, in its bare words.
    said: HashSet<String>,
    /// The prompts before those that take back the last.
    before: HashMap<u64, u64>,
}

impl Found {
    /// What an event adds to what stands, and what it ends.
    fn take(&mut self, event: &Event, is_here: &dyn Fn(&str) -> bool) {
        let Some(fields) = &event.fields else { return };
        let is_here = project_of(fields.source.as_deref(), event.origin()).is_none_or(is_here);
        if event.header.kind == STANDING_ENDED {
            self.end(|earlier| fields.refs.contains(&earlier.key()));
            return;
        }
        let text = event.whole_text();
        // What was told on purpose to be a rule or a decision stands as it is; a prompt stands by the sentences that say so.
        let named = DirectiveKind::ALL.into_iter().find(|kind| {
            event.header.kind == REMEMBERED && fields.tags.iter().any(|tag| tag == kind.word())
                || event.header.kind == kind.word()
        });
        if let Some(kind) = named {
            if is_here {
                self.add(event, (kind, true), 0, text.trim());
            }
            return;
        }
        let said = directives(&text);
        if is_here {
            self.change(event, &text);
            own_parts(&text).filter(|part| withdraws(part)).for_each(|part| self.withdraw(event, part));
            let permitting: Vec<&str> = own_parts(&text).filter(|part| says_permitted(part)).collect();
            let asking: Vec<&str> = own_sentences(&text).filter(|sentence| ends_asking(sentence)).collect();
            self.end(|earlier| {
                earlier.kind != DirectiveKind::Todo
                    && earlier.seq != event.seq()
                    && (permitting.iter().any(|part| permits(part, &earlier.text))
                        || asking.iter().any(|sentence| needs_no_asking(sentence, &earlier.text)))
            });
        }
        for directive in said.into_iter().filter(|directive| is_here || directive.is_personal) {
            let (at, words) = (directive.span.start, text[directive.span].trim());
            if is_here {
                let given_up = replaced(words);
                let is_choice = directive.kind == DirectiveKind::Decision;
                self.end(|earlier| earlier.kind == directive.kind && has_other_number(&earlier.text, words));
                self.end(|earlier| {
                    // A rule is given up by a rule or a choice about the same, a choice by a choice.
                    (is_choice || earlier.kind == DirectiveKind::Decision)
                        && given_up.iter().any(|word| has_word(&earlier.text, word))
                });
            }
            self.add(event, (directive.kind, directive.is_sure), at, words);
        }
        if is_here {
            let done: Vec<&str> = own_parts(&text).filter(|part| says_done(part)).collect();
            self.end(|earlier| {
                earlier.kind == DirectiveKind::Todo
                    && earlier.seq != event.seq()
                    && done.iter().any(|part| is_about_task(part, &earlier.text))
            });
        }
    }

    /// Ends what a prompt says is changed: of all that stands it is the only one to name that.
    fn change(&mut self, event: &Event, text: &str) {
        let names = changed_names(text);
        let named_in = |name: &String| -> Vec<usize> {
            let stands = self.stands.iter().enumerate();
            stands.filter(|(_, standing)| has_word(&standing.text, name)).map(|(at, _)| at).collect()
        };
        let only: HashSet<usize> = names.iter().map(named_in).filter(|at| at.len() == 1).flatten().collect();
        let keys: HashSet<String> = only
            .into_iter()
            .map(|at| &self.stands[at])
            .filter(|standing| standing.kind == DirectiveKind::Decision && standing.seq != event.seq())
            .map(StandingDirective::key)
            .collect();
        self.end(|earlier| keys.contains(&earlier.key()));
    }

    /// Ends what a sentence takes back; where that is nothing, what its clauses take back: the others say why.
    fn withdraw(&mut self, event: &Event, sentence: &str) {
        let over = self.taken_back(event, sentence);
        let of_clause = |clause: &str| if withdraws(clause) { self.taken_back(event, clause) } else { Vec::new() };
        let over = if over.is_empty() { clauses(sentence).flat_map(of_clause).collect() } else { over };
        self.end(|earlier| over.contains(&earlier.key()));
    }

    /// The keys of what has most of a sentence's words, or of what the prompt before said last where it names nothing.
    fn taken_back(&self, event: &Event, sentence: &str) -> Vec<String> {
        let named = withdrawn_stems(sentence);
        let mut earlier = self.stands.iter().filter(|earlier| earlier.seq != event.seq());
        if named.is_empty() {
            if !means_the_last(sentence) {
                return Vec::new();
            }
            let before = self.before.get(&event.seq());
            let last = earlier.rfind(|earlier| before == Some(&earlier.seq));
            last.map(StandingDirective::key).into_iter().collect()
        } else {
            let common = |earlier: &&StandingDirective| {
                stems(&earlier.text).collect::<HashSet<_>>().intersection(&named).count()
            };
            let least = named.len().min(2);
            let about = |earlier: &&StandingDirective| {
                common(earlier) >= least && common(earlier) as f64 >= SAME_SUBJECT * named.len() as f64
            };
            let about: Vec<String> = earlier.filter(about).map(StandingDirective::key).collect();
            // One word alone must name one thing alone.
            if least > 1 || about.len() == 1 { about } else { Vec::new() }
        }
    }

    fn end(&mut self, is_over: impl Fn(&StandingDirective) -> bool) {
        let over = self.stands.extract_if(.., |earlier| is_over(earlier));
        self.ended.extend(over.map(|ended| ended.id));
    }

    fn add(&mut self, event: &Event, (kind, is_sure): (DirectiveKind, bool), at: usize, words: &str) {
        let bare = words.trim_end_matches(['.', '!']).to_lowercase();
        let (id, seq, ts) = (event.header.id.clone(), event.seq(), event.ts());
        let source = event.fields.as_ref().and_then(|fields| fields.source.as_deref());
        let project = project_of(source, event.origin()).map(str::to_owned);
        // Said again, it counts from then on.
        if !self.said.insert(bare.clone()) {
            self.stands.retain(|earlier| earlier.text.trim_end_matches(['.', '!']).to_lowercase() != bare);
        }
        self.stands.push(StandingDirective { kind, text: words.to_owned(), id, at, seq, ts, is_sure, project });
    }
}

/// Whether an event still counts as a document.
pub fn counts(event: &Event, changes: &HashMap<String, Changes>) -> bool {
    let lane = event.fields.as_ref().map(|fields| Lane::of(fields).name());
    let changes = lane.and_then(|lane| changes.get(&lane));
    !changes.is_some_and(|changes| changes.is_retired(id_hash(&event.header.id), event.seq(), event.trust() as u8))
}
