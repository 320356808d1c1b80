//! Closed lists of words that the patterns ask for: kin, jobs, traits, peoples, numbers, times.

use super::words::Words;

/// Relatives, other close people and pets, whose names are facts about their owner.
pub const KIN: Words = Words(include_str!("../data/vocabulary/kin.txt"));

/// What comes before such a word and belongs to it.
pub const KIN_ADJECTIVES: Words = Words(include_str!("../data/vocabulary/kin_adjectives.txt"));

/// Jobs by their last word.
pub const JOBS: Words = Words(include_str!("../data/vocabulary/jobs.txt"));

/// Adjectives that say that a job is meant as praise or blame.
pub const JUDGING: Words = Words(include_str!("../data/vocabulary/judging.txt"));

/// What a job title is before its last word.
pub const ROLES: Words = Words(include_str!("../data/vocabulary/roles.txt"));

/// Lasting traits that stand alone after "I am".
pub const TRAITS: Words = Words(include_str!("../data/vocabulary/traits.txt"));

/// Ways to eat.
pub const DIETS: Words = Words(include_str!("../data/vocabulary/diets.txt"));

/// What someone can be besides a job.
pub const SORTS: Words = Words(include_str!("../data/vocabulary/sorts.txt"));

/// Peoples.
pub const PEOPLES: Words = Words(include_str!("../data/vocabulary/peoples.txt"));

/// What someone can be said to have for long, by its last word: people, animals, conditions, belongings.
pub const HAVINGS: Words = Words(include_str!("../data/vocabulary/havings.txt"));

/// Numbers in words.
pub const NUMBERS: Words = Words(include_str!("../data/vocabulary/numbers.txt"));

/// Days, with their plurals, and months, with their short forms.
pub const DAYS: Words = Words(include_str!("../data/vocabulary/days.txt"));

/// Months, with their short forms.
pub const MONTHS: Words = Words(include_str!("../data/vocabulary/months.txt"));

/// Tools and services that one moves to as to a place.
pub const TOOLS: Words = Words(include_str!("../data/vocabulary/tools.txt"));

/// Things that are set to something, by their last word.
pub const SETTINGS: Words = Words(include_str!("../data/vocabulary/settings.txt"));

/// Words with a capital letter that are no names.
pub const NOT_NAMES: Words = Words(include_str!("../data/vocabulary/not_names.txt"));
