//! Closed lists of words that sentences are kept by: verbs of what lasts, things that a team and a household have.

use super::super::words::Words;

/// What someone does for long, in the base form.
pub const OWN_VERBS: Words = Words(include_str!("../../data/plain/words/own_verbs.txt"));

/// Of these the ones that say something without a name or a number.
pub const SURE_VERBS: Words = Words(include_str!("../../data/plain/words/sure_verbs.txt"));

/// Of these the ones that say little, unless it comes back.
pub const VAGUE: Words = Words(include_str!("../../data/plain/words/vague.txt"));

/// Of these the ones that need no object.
pub const ALONE: Words = Words(include_str!("../../data/plain/words/alone.txt"));

/// What "we are a … of four" says.
pub const GROUPS: Words = Words(include_str!("../../data/plain/words/groups.txt"));

/// What turns a verb of what lasts into something else: "run the tests", "make it", "have to", "keep on".
pub const NO_OBJECT: Words = Words(include_str!("../../data/plain/words/no_object.txt"));

/// What someone is doing for long.
pub const GOING: Words = Words(include_str!("../../data/plain/words/going.txt"));

/// What "we" do as a household, and not as a team.
pub const HOUSEHOLD: Words = Words(include_str!("../../data/plain/words/household.txt"));

/// What a family has, and no team.
pub const FAMILY: Words = Words(include_str!("../../data/plain/words/family.txt"));

/// What a team can exchange for another.
pub const OWNED: Words = Words(include_str!("../../data/plain/words/owned.txt"));

/// What people and things do for long, in the base form.
pub const THING_VERBS: Words = Words(include_str!("../../data/plain/words/thing_verbs.txt"));

/// What is done to things and lasts, or says where and when they are.
pub const PARTICIPLES: Words = Words(include_str!("../../data/plain/words/participles.txt"));

/// What may stand behind "is" besides: a place, a time, a kind, an owner.
pub const BEHIND_BE: Words = Words(include_str!("../../data/plain/words/behind_be.txt"));

/// Where one works: "this repo" is no other than the one that is talked about.
pub const WORKPLACES: Words = Words(include_str!("../../data/plain/words/workplaces.txt"));

/// Who is close at work.
pub const AT_WORK: Words = Words(include_str!("../../data/plain/words/at_work.txt"));

/// What someone runs for a living.
pub const BUSINESSES: Words = Words(include_str!("../../data/plain/words/businesses.txt"));

/// What something of one's own is for long.
pub const ADJECTIVES: Words = Words(include_str!("../../data/plain/words/adjectives.txt"));

/// What says of a sentence that it holds for a while.
pub const PASSING_SCOPE: Words =
    Words("for now|for the moment|for the time being|temporarily|at the moment|right now|this once");

/// What someone did once and is known for.
pub const LIFE: Words = Words(include_str!("../../data/plain/words/life.txt"));

/// What was done to a thing and changed it for good.
pub const CHANGES: Words = Words(include_str!("../../data/plain/words/changes.txt"));

/// What may stand before a verb and changes nothing.
pub const ADVERBS: Words = Words(include_str!("../../data/plain/words/adverbs.txt"));

/// Tools that are words, too.
pub const TOOLS_OR_WORDS: Words = Words(include_str!("../../data/plain/words/tools_or_words.txt"));

/// What a team works with and a household has.
pub const KNOWN_THINGS: Words = Words(include_str!("../../data/plain/words/known_things.txt"));

/// What points outside of the sentence, or holds only for now, or is asked for or meant for later.
pub const LOOSE: Words = Words(include_str!("../../data/plain/words/loose.txt"));
