//! The tests of the library, in one binary: one file for each subject.

#[path = "suite/amem.rs"]
mod amem;
#[path = "suite/as_of.rs"]
mod as_of;
#[path = "suite/causes.rs"]
mod causes;
#[path = "suite/clock.rs"]
mod clock;
#[path = "suite/dreams.rs"]
mod dreams;
#[path = "suite/expiry.rs"]
mod expiry;
#[path = "suite/filters.rs"]
mod filters;
#[path = "suite/graph.rs"]
mod graph;
#[path = "suite/hashed_words.rs"]
mod hashed_words;
#[path = "suite/hermetic.rs"]
mod hermetic;
#[path = "suite/history.rs"]
mod history;
#[path = "suite/imports.rs"]
mod imports;
#[path = "suite/late_vectors.rs"]
mod late_vectors;
#[path = "suite/markdown.rs"]
mod markdown;
#[path = "suite/non_interference.rs"]
mod non_interference;
#[path = "suite/notes.rs"]
mod notes;
#[path = "suite/observed.rs"]
mod observed;
#[path = "suite/personas.rs"]
mod personas;
#[path = "suite/profiles.rs"]
mod profiles;
#[path = "suite/purge.rs"]
mod purge;
#[path = "suite/queries.rs"]
mod queries;
#[path = "suite/retention.rs"]
mod retention;
#[path = "suite/samples.rs"]
mod samples;
#[path = "suite/services.rs"]
mod services;
#[path = "suite/sessions.rs"]
mod sessions;
#[path = "suite/several.rs"]
mod several;
#[path = "suite/short_term.rs"]
mod short_term;
#[path = "suite/spaces.rs"]
mod spaces;
#[path = "suite/stories.rs"]
mod stories;
#[path = "suite/table.rs"]
mod table;
#[path = "suite/trust.rs"]
mod trust;
#[path = "suite/versions.rs"]
mod versions;
