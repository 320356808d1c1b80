//! Which new event stands in the place of one that is gone: the one with its number; without numbers the one with its
//! heading, its title, its minute, or its day and a neighbour. Each stands for one alone.

use std::collections::{HashMap, HashSet};

use idetic_core::Hash;

use super::versions::{Event, Version};

/// What two events may have in common, what says most first.
#[derive(Clone, Copy)]
enum Likeness {
    NumberOrHeading,
    Title,
    Minute,
    DayAndNeighbour,
}

/// The events before and behind each.
type Neighbours = HashMap<Hash, [Option<Hash>; 2]>;

/// The new event for each that is gone, where there is one.
pub fn successors(parent: &Version, child: &Version, gone: &[&Event], new: &[&Event]) -> HashMap<Hash, Hash> {
    let (mut found, mut taken): (HashMap<Hash, Hash>, HashSet<Hash>) = (HashMap::new(), HashSet::new());
    if gone.is_empty() || new.is_empty() {
        return found;
    }
    let (before, after) = (neighbours(parent), neighbours(child));
    for likeness in [Likeness::NumberOrHeading, Likeness::Title, Likeness::Minute, Likeness::DayAndNeighbour] {
        for old in gone {
            let is_it = |event: &&&Event| match likeness {
                Likeness::NumberOrHeading => event.has_number_or_heading_of(old),
                Likeness::Title => event.has_title_of(old),
                Likeness::Minute => event.has_minute_of(old),
                Likeness::DayAndNeighbour => {
                    event.has_day_of(old) && share_one(before.get(&old.bare), after.get(&event.bare))
                }
            };
            if found.contains_key(&old.bare) {
                continue;
            }
            if let Some(event) = new.iter().filter(|event| !taken.contains(&event.bare)).find(is_it) {
                found.insert(old.bare, event.bare);
                taken.insert(event.bare);
            }
        }
    }
    found
}

/// Whether the same event, or the end of the list, stands before both or behind both.
fn share_one(one: Option<&[Option<Hash>; 2]>, other: Option<&[Option<Hash>; 2]>) -> bool {
    one.zip(other).is_some_and(|(one, other)| one[0] == other[0] || one[1] == other[1])
}

fn neighbours(version: &Version) -> Neighbours {
    let list: Vec<Hash> = version.events().map(|event| event.bare).collect();
    let at = |place: Option<usize>| place.and_then(|place| list.get(place)).copied();
    list.iter().enumerate().map(|(place, own)| (*own, [at(place.checked_sub(1)), at(Some(place + 1))])).collect()
}
