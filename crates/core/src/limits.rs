//! Every limit of an event and of a batch, named once, with its unit last; and how one that is passed is refused.

use crate::{Invalid, json};

/// Longest `content` of one event.
pub const CONTENT_MAX_BYTES: usize = 1 << 20;
/// Longest `summary` of one event.
pub const SUMMARY_MAX_BYTES: usize = 64 << 10;
/// Largest `metadata` object, as JSON text.
pub const METADATA_MAX_BYTES: usize = 64 << 10;
/// Deepest nesting inside `metadata`, the object itself counting as one.
pub const METADATA_MAX_DEPTH: usize = 32;
/// Longest text in `metadata` that a filter can compare by order or look into; one that is longer is compared whole.
pub const FILTER_TEXT_MAX_BYTES: usize = 1024;
/// Most values in the `metadata` of one event that filters know of.
pub const FILTER_VALUES_MAX: usize = 1024;
/// Most bytes of these values and their paths.
pub const FILTER_VALUES_MAX_BYTES: usize = 128 << 10;
/// Longest path to a value in `metadata` that filters know of.
pub const FILTER_PATH_MAX_BYTES: usize = 256;
/// Longest id, agent, author, source, trace, loop, conversation, scope, tag, ref or cause.
pub const NAME_MAX_BYTES: usize = 1024;
/// Longest kind.
pub const KIND_MAX_BYTES: usize = 128;
/// Most entries in each of `refs`, `tags` and `causes`.
pub const LIST_MAX_ITEMS: usize = 1024;
/// Longest record as received: a content in which every byte is escaped still fits.
pub const RECORD_MAX_BYTES: usize = 8 << 20;
/// Longest line of an export: a record of the largest size and its header.
pub const EXPORT_LINE_MAX_BYTES: usize = RECORD_MAX_BYTES + (64 << 10);
/// Largest file that is appended as one batch.
pub const BATCH_MAX_BYTES: usize = 64 << 20;
/// Most records of a stream that are committed together.
pub const STREAM_BATCH_MAX_RECORDS: usize = 1000;
/// Most bytes of a stream that are committed together, so that a stream of long records stays small in memory.
pub const STREAM_BATCH_MAX_BYTES: usize = 16 << 20;
/// Longest part of a space's name.
pub const SPACE_PART_MAX_BYTES: usize = 64;
/// Most loops that short-term memory holds.
pub const STM_WINDOW_MAX_LOOPS: usize = 10_000;
/// Most lines in the summary of a loop: its last events.
pub const STM_SUMMARY_MAX_LINES: usize = 50;
/// Longest line in the summary of a loop.
pub const STM_LINE_MAX_CHARS: usize = 1000;
/// Longest question: what it looks for costs time and memory by its length.
pub const QUERY_MAX_BYTES: usize = 64 << 10;
/// Longest line of a file of questions.
pub const QUESTION_MAX_BYTES: usize = 1 << 20;
/// Most documents one event retires.
pub const RETIRED_MAX_AT_ONCE: usize = 10_000;
/// Most names that one detail of a changelog event gives to the graph; two such lists make an edge for each pair.
pub const GRAPH_NAMES_MAX_AT_ONCE: usize = 64;
/// Longest name of a node that an event gives: what is longer is prose.
pub const GRAPH_NAME_MAX_CHARS: usize = 120;
/// Longest value of an attribute that an event gives: what is longer is prose and stays in the event.
pub const GRAPH_ATTRIBUTE_MAX_CHARS: usize = 200;
/// Most attributes that events give to one node.
pub const GRAPH_ATTRIBUTES_MAX: usize = 64;

pub(crate) fn check_size(name: &str, text: &str, limit_bytes: usize) -> Result<(), Invalid> {
    if text.len() > limit_bytes { Err(too_large(name, text.len(), limit_bytes)) } else { Ok(()) }
}

pub(crate) fn check_list(name: &str, list: &[String]) -> Result<(), Invalid> {
    if list.len() > LIST_MAX_ITEMS {
        return Err(Invalid::new(format!("{name} has {} entries", list.len()))
            .hint(format!("at most {LIST_MAX_ITEMS} entries")));
    }
    list.iter().try_for_each(|item| {
        if item.is_empty() {
            return Err(Invalid::new(format!("{name} has an empty entry")));
        }
        check_size(name, item, NAME_MAX_BYTES)
    })
}

/// Of all fields only this one can hold objects: a key that stands twice elsewhere is a field that is given twice.
pub(crate) fn check_object(name: &str, object: &str) -> Result<(), Invalid> {
    check_size(name, object, METADATA_MAX_BYTES)?;
    match json::depth(object)? {
        depth if depth > METADATA_MAX_DEPTH => Err(Invalid::new(format!("{name} is nested {depth} deep"))
            .hint(format!("at most {METADATA_MAX_DEPTH} levels; put the text of it in content"))),
        _ => Ok(()),
    }
}

pub(crate) fn too_large(name: &str, size_bytes: usize, limit_bytes: usize) -> Invalid {
    Invalid::new(format!("{name} is {size_bytes} bytes long"))
        .hint(format!("at most {limit_bytes} bytes; split it, or keep the whole elsewhere and refer to it in refs"))
}
