//! What a reader may see: the segments of one or several lanes up to a seq, searched as if they were one.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::codes::Codes;
use super::names::Names;
use super::segment::{NONE, Segment};
use super::vectors::QueryVector;
use super::words::is_lone;
use idetic_core::Time;

/// What later events of a lane said about its documents, by the hashes of their ids, each with the seq of the last event
/// that said it: it is said of documents before that event, never of itself or of what takes the id afterwards.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Changes {
    /// Those that ceased to count, with how far whoever said so is trusted: what is trusted more still counts.
    pub retired: HashMap<u64, (u64, u8)>,
    /// Those that were graded anew.
    pub importances: HashMap<u64, (u64, f32)>,
}

impl Changes {
    /// Whether nothing was said.
    pub fn is_empty(&self) -> bool {
        self.retired.is_empty() && self.importances.is_empty()
    }

    /// Whether the document with this id, seq and trust ceased to count.
    pub fn is_retired(&self, id: u64, seq: u64, trust: u8) -> bool {
        self.retired.get(&id).is_some_and(|(by, said)| seq < *by && *said <= trust)
    }

    /// How much the document with this id and seq matters, if it was graded anew.
    pub fn importance(&self, id: u64, seq: u64) -> Option<f32> {
        self.importances.get(&id).filter(|(by, _)| seq < *by).map(|(_, importance)| *importance)
    }
}

/// The kind of what a person says to an assistant, and of what that answers.
const TURN: &str = "user_input";
const ANSWER: &str = "actor_output";

/// Segments as one. A document's place is its number in the order of seq.
#[derive(Debug)]
pub struct Lanes<'a> {
    parts: Vec<Prefix<'a>>,
    pub(super) codes: Vec<Block<'a>>,
    /// Block and document of each place's vectors; `NONE` where it has none.
    vectors: Vec<(u32, u32)>,
    pub(super) seqs: Vec<u64>,
    pub(super) times: Vec<i64>,
    pub(super) authors: Vec<u32>,
    pub(super) conversations: Vec<u32>,
    pub(super) kinds: Vec<u32>,
    previous: Vec<u32>,
    next: Vec<u32>,
    pub(super) lengths: Vec<u32>,
    pub(super) questions: Vec<f64>,
    pub(super) fingerprints: Vec<u64>,
    pub(super) importances: Vec<f32>,
    pub(super) trusts: Vec<u8>,
    live: Vec<bool>,
    live_count: usize,
    /// The number of the kind of an assistant's answers; `NONE` where there are none.
    answer_kind: u32,
    /// How much of a conversation of a person with an assistant this is, from 0 to 1.
    dialogue: f64,
    length_sums: (u64, u64),
    names: Names,
    author_names: Numbered<'a>,
    conversation_names: Numbered<'a>,
    kind_names: Numbered<'a>,
}

/// The visible prefix of one block of vectors.
#[derive(Debug)]
pub(super) struct Block<'a> {
    pub codes: Codes<'a>,
    /// The place of each document; `NONE` where no segment speaks of it.
    pub places: Vec<u32>,
    /// The place of the first document, where each has one passage and they stand one behind the other: then what is
    /// computed for the passages is computed for the places.
    pub run: Option<usize>,
}

/// The visible prefix of one segment.
#[derive(Debug)]
struct Prefix<'a> {
    segment: Segment<'a>,
    changes: &'a Changes,
    visible: usize,
    /// The place of each document.
    places: Vec<u32>,
}

/// Names of several segments under common numbers. No name is a name too.
#[derive(Debug, Default)]
struct Numbered<'a> {
    numbers: HashMap<Option<&'a [u8]>, u32>,
    names: Vec<Option<&'a [u8]>>,
}

impl<'a> Numbered<'a> {
    fn number(&mut self, name: Option<&'a [u8]>) -> u32 {
        *self.numbers.entry(name).or_insert_with(|| {
            self.names.push(name);
            u32::try_from(self.names.len() - 1).unwrap_or(NONE)
        })
    }

    fn find(&self, name: &str) -> Option<u32> {
        self.numbers.get(&Some(name.as_bytes())).copied()
    }
}

impl<'a> Lanes<'a> {
    /// Puts segments together, up to and with a seq. Of every document at most one segment and one block of vectors
    /// speaks.
    pub fn new(
        segments: impl IntoIterator<Item = (Segment<'a>, &'a Changes)>,
        codes: impl IntoIterator<Item = Codes<'a>>,
        horizon: u64,
    ) -> Self {
        Self::without(&BTreeSet::new(), segments, codes, horizon)
    }

    /// The same as if some documents had never been: they are in no count, no sum and no list of names.
    pub fn without(
        gone: &BTreeSet<u64>,
        segments: impl IntoIterator<Item = (Segment<'a>, &'a Changes)>,
        codes: impl IntoIterator<Item = Codes<'a>>,
        horizon: u64,
    ) -> Self {
        let mut parts = Vec::new();
        for (segment, changes) in segments {
            let visible = segment.visible_at(horizon);
            if visible > 0 {
                parts.push(Prefix { segment, changes, visible, places: vec![NONE; visible] });
            }
        }
        let mut lanes = Self::empty(parts);
        lanes.gather(gone);
        lanes.link();
        lanes.heed();
        lanes.find_vectors(codes.into_iter().collect(), horizon);
        lanes
    }

    fn empty(parts: Vec<Prefix<'a>>) -> Self {
        Self {
            parts,
            codes: Vec::new(),
            vectors: Vec::new(),
            seqs: Vec::new(),
            times: Vec::new(),
            authors: Vec::new(),
            conversations: Vec::new(),
            kinds: Vec::new(),
            previous: Vec::new(),
            next: Vec::new(),
            lengths: Vec::new(),
            questions: Vec::new(),
            fingerprints: Vec::new(),
            importances: Vec::new(),
            trusts: Vec::new(),
            live: Vec::new(),
            live_count: 0,
            answer_kind: NONE,
            dialogue: 0.0,
            length_sums: (0, 0),
            names: Names::new(),
            author_names: Numbered::default(),
            conversation_names: Numbered::default(),
            kind_names: Numbered::default(),
        }
    }

    /// Copies the columns in the order of seq, with common numbers for names.
    fn gather(&mut self, gone: &BTreeSet<u64>) {
        let mut order: Vec<(u64, u32, u32)> = Vec::new();
        for (part, own) in (0..).zip(&self.parts) {
            let seqs = (0..).zip(&own.segment.seqs[..own.visible]).filter(|(_, seq)| !gone.contains(seq));
            order.extend(seqs.map(|(document, seq)| (*seq, part, document)));
        }
        // A stable sort finds the segments as sorted runs and only merges them.
        order.sort();
        let mut numbers = Vec::with_capacity(self.parts.len());
        for part in &self.parts {
            let (segment, visible) = (part.segment, part.visible);
            let own = |names: &mut Numbered<'a>, column: &[u32], all: &mut dyn Iterator<Item = &'a [u8]>| {
                let stays = |(_, seq): &(&u32, &u64)| !gone.contains(seq);
                let used: Option<HashSet<u32>> = (!gone.is_empty()).then(|| {
                    column.iter().zip(segment.seqs).take(visible).filter(stays).map(|(own, _)| *own).collect()
                });
                let is_used = |number: &u32| used.as_ref().is_none_or(|used| used.contains(number));
                let number = |(own, name)| if is_used(&own) { names.number(Some(name)) } else { NONE };
                (0..).zip(all).map(number).collect::<Vec<u32>>()
            };
            numbers.push([
                own(&mut self.author_names, segment.authors, &mut segment.author_names.visible(visible)),
                own(
                    &mut self.conversation_names,
                    segment.conversations,
                    &mut segment.conversation_names.visible(visible),
                ),
                own(&mut self.kind_names, segment.kinds, &mut segment.kind_names.visible(visible)),
            ]);
        }
        self.make_room(order.len());
        let common = |numbers: &[u32], own: u32| numbers.get(own as usize).copied().unwrap_or(NONE);
        for (place, (seq, part, document)) in (0..).zip(order) {
            let (part, document) = (part as usize, document as usize);
            let segment = self.parts[part].segment;
            let [authors, conversations, kinds] = &numbers[part];
            self.seqs.push(seq);
            self.times.push(segment.times[document]);
            self.authors.push(match common(authors, segment.authors[document]) {
                NONE => self.author_names.number(None),
                number => number,
            });
            self.conversations.push(common(conversations, segment.conversations[document]));
            self.kinds.push(common(kinds, segment.kinds[document]));
            self.lengths.push(segment.lengths[document]);
            self.questions.push(segment.questions[document]);
            self.fingerprints.push(segment.fingerprints[document]);
            self.importances.push(segment.importances[document]);
            self.trusts.push(segment.trusts[document]);
            self.parts[part].places[document] = place;
        }
        for (number, name) in (0..).zip(&self.author_names.names) {
            self.names.add(number, &String::from_utf8_lossy(name.unwrap_or_default()));
        }
    }

    fn make_room(&mut self, places: usize) {
        self.seqs.reserve(places);
        self.times.reserve(places);
        self.authors.reserve(places);
        self.conversations.reserve(places);
        self.kinds.reserve(places);
        self.lengths.reserve(places);
        self.questions.reserve(places);
        self.fingerprints.reserve(places);
        self.importances.reserve(places);
        self.trusts.reserve(places);
    }

    /// Finds the place before and after each place in its conversation.
    fn link(&mut self) {
        let mut last = vec![NONE; self.conversation_names.names.len()];
        self.previous = vec![NONE; self.seqs.len()];
        self.next = self.previous.clone();
        for (place, &conversation) in (0..).zip(&self.conversations) {
            let Some(last) = last.get_mut(conversation as usize) else { continue };
            let before = std::mem::replace(last, place);
            self.previous[place as usize] = before;
            if let Some(next) = self.next.get_mut(before as usize) {
                *next = place;
            }
        }
    }

    /// Takes in what later events said.
    fn heed(&mut self) {
        self.live = vec![true; self.seqs.len()];
        for part in self.parts.iter().filter(|part| !part.changes.is_empty()) {
            for ((id, seq), place) in part.segment.ids.iter().zip(part.segment.seqs).zip(&part.places) {
                let place = *place as usize;
                if place >= self.live.len() {
                    continue;
                }
                if part.changes.is_retired(*id, *seq, self.trusts[place]) {
                    self.live[place] = false;
                }
                if let Some(importance) = part.changes.importance(*id, *seq) {
                    self.importances[place] = importance;
                }
            }
        }
        let sums = self.parts.iter().map(|part| part.segment.length_sums(part.visible));
        self.length_sums = sums.fold((0, 0), |all, own| (all.0 + own.0, all.1 + own.1));
        for part in &self.parts {
            let gone = part.places.iter().zip(part.segment.lengths).filter(|(place, _)| **place == NONE);
            gone.for_each(|(_, length)| self.length_sums = less(self.length_sums, *length));
        }
        for (length, _) in self.lengths.iter().zip(&self.live).filter(|(_, live)| !**live) {
            self.length_sums = less(self.length_sums, *length);
        }
        self.live_count = self.live.iter().filter(|live| **live).count();
        self.answer_kind = self.kind(ANSWER);
        self.dialogue = self.dialogue_share();
    }

    /// Twice the person's share of the turns, 1 at most: an agent that is spoken to once and then works by itself has no
    /// dialogue, whatever it says.
    fn dialogue_share(&self) -> f64 {
        let turn_kind = self.kind(TURN);
        let live = || (0..self.len()).filter(|place| self.live[*place]);
        let turns = live().filter(|place| self.kinds[*place] == turn_kind).count() as f64;
        let answers = live().filter(|place| self.is_answer(*place)).count() as f64;
        if answers == 0.0 { 0.0 } else { (2.0 * turns / (turns + answers)).min(1.0) }
    }

    fn find_vectors(&mut self, codes: Vec<Codes<'a>>, horizon: u64) {
        self.vectors = vec![(NONE, NONE); self.seqs.len()];
        for (block, codes) in (0..).zip(codes) {
            // Both are in order of seq: what follows one found is looked for from there on.
            let mut from = 0;
            let mut places = Vec::new();
            for (document, seq) in (0..).zip(codes.seqs).take_while(|(_, seq)| **seq <= horizon) {
                if self.seqs.get(from) != Some(seq) {
                    from += self.seqs[from..].partition_point(|own| own < seq);
                }
                let found = self.seqs.get(from) == Some(seq);
                places.push(if found { u32::try_from(from).unwrap_or(NONE) } else { NONE });
                if found {
                    self.vectors[from] = (block, document);
                    from += 1;
                }
            }
            let first = places.first().copied().unwrap_or(NONE);
            let one_each = codes.passages_of(places.len()) == places.len();
            let in_a_row = one_each && first != NONE && (first..).zip(&places).all(|(place, own)| place == *own);
            self.codes.push(Block { codes, places, run: in_a_row.then_some(first as usize) });
        }
    }

    /// How many places there are, those that ceased to count among them.
    pub fn len(&self) -> usize {
        self.seqs.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.seqs.is_empty()
    }

    /// How many documents count.
    pub fn live_count(&self) -> usize {
        self.live_count
    }

    /// Whether the document at a place counts.
    pub fn is_live(&self, place: usize) -> bool {
        self.live[place]
    }

    /// How many documents that count have vectors.
    pub fn with_vectors(&self) -> usize {
        self.vectors.iter().zip(&self.live).filter(|((block, _), live)| *block != NONE && **live).count()
    }

    /// The last visible document, and when it happened.
    pub fn last(&self) -> Option<(u64, Time)> {
        Some((*self.seqs.last()?, Time(*self.times.last()?)))
    }

    /// How much of a conversation of a person with an assistant this is, from 0 to 1.
    pub(super) fn dialogue(&self) -> f64 {
        self.dialogue
    }

    /// Whether a place is an assistant's answer: what it says where nothing was said before is a report of its own.
    pub(super) fn is_answer(&self, place: usize) -> bool {
        self.answer_kind != NONE && self.kinds[place] == self.answer_kind && self.previous[place] != NONE
    }

    /// The place of the answer that follows a turn.
    pub(super) fn answer_to(&self, place: usize) -> Option<usize> {
        let next = self.after(place).filter(|next| self.is_answer(*next) && self.is_live(*next))?;
        (!self.is_answer(place)).then_some(next)
    }

    /// The words of the visible authors' names.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// How many visible authors there are; no author counts as one.
    pub(super) fn author_count(&self) -> usize {
        self.author_names.names.len()
    }

    /// How many visible conversations there are.
    pub(super) fn conversation_count(&self) -> usize {
        self.conversation_names.names.len()
    }

    /// The numbers of an author, a conversation and a kind; what nobody bears has none.
    pub(super) fn author(&self, name: &str) -> u32 {
        self.author_names.find(name).unwrap_or(NONE)
    }

    pub(super) fn conversation(&self, name: &str) -> u32 {
        self.conversation_names.find(name).unwrap_or(NONE - 1)
    }

    /// Whether the document at a place is of a kind.
    pub fn is_of_kind(&self, place: usize, kind: &str) -> bool {
        self.kinds.get(place).is_some_and(|number| *number != NONE && *number == self.kind(kind))
    }

    pub(super) fn kind(&self, name: &str) -> u32 {
        self.kind_names.find(name).unwrap_or(NONE)
    }

    /// The sum of the lengths of what counts, and of their squares.
    pub(super) fn length_sums(&self) -> (u64, u64) {
        self.length_sums
    }

    /// The places that count where a token occurs, with how often.
    pub(super) fn postings(&self, token: &str) -> Vec<(u32, u32)> {
        let mut found = Vec::new();
        for part in &self.parts {
            if is_lone(token) {
                let all = part.segment.postings_of_beginning(token, part.visible).into_iter();
                self.add_live(all.map(|(document, count)| (part.places[document as usize], count)), &mut found);
                continue;
            }
            let (documents, counts) = part.segment.postings(token, part.visible);
            let at = documents.iter().map(|document| part.places[*document as usize]);
            self.add_live(at.zip(counts.iter().copied()), &mut found);
        }
        found
    }

    fn add_live(&self, all: impl Iterator<Item = (u32, u32)>, found: &mut Vec<(u32, u32)>) {
        if self.live_count == self.len() {
            found.extend(all.filter(|(place, _)| *place != NONE));
        } else {
            found.extend(all.filter(|(place, _)| self.live.get(*place as usize) == Some(&true)));
        }
    }

    /// The place before in the same conversation.
    pub(super) fn before(&self, place: usize) -> Option<usize> {
        Some(self.previous[place]).filter(|before| *before != NONE).map(|before| before as usize)
    }

    /// The place after in the same conversation.
    pub(super) fn after(&self, place: usize) -> Option<usize> {
        Some(self.next[place]).filter(|after| *after != NONE).map(|after| after as usize)
    }

    /// How many numbers the vectors have; none where there are no vectors.
    pub(super) fn dimensions(&self) -> Option<usize> {
        self.codes.first().map(|block| block.codes.dimensions)
    }

    /// The cosine of a document's best passage with a query vector, if the document has vectors of that size.
    pub(super) fn cosine(&self, place: usize, query: &[f32]) -> Option<f32> {
        let (block, document) = self.vectors[place];
        let codes = &self.codes.get(block as usize).filter(|block| block.codes.dimensions == query.len())?.codes;
        codes.passages(document as usize).map(|passage| codes.vectors.cosine(query, passage)).reduce(f32::max)
    }

    /// The same by their bytes.
    pub(super) fn approximate_cosine(&self, place: usize, question: &QueryVector<'_>) -> Option<f32> {
        let (block, document) = self.vectors[place];
        let codes = &self.codes.get(block as usize)?.codes;
        codes.vectors.greatest_approximate_cosine(question, codes.passages(document as usize))
    }
}

/// A sum of lengths and one of their squares, without one of them.
fn less(sums: (u64, u64), length: u32) -> (u64, u64) {
    (sums.0 - u64::from(length), sums.1 - u64::from(length).pow(2))
}
