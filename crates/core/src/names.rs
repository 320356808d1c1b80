//! The names of a space: `user/collection`, and the random id its chain starts from.

use std::fmt;

use crate::hash::{Hash, hex, hex_decode};
use crate::{Invalid, limits};

/// One user's collection: the unit of isolation, ordering, storage and erasure.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SpaceName {
    user: String,
    collection: String,
}

impl SpaceName {
    /// Reads `user/collection`. Both parts become folder names, so they are kept plain.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let wrong = || {
            Invalid::new(format!("'{}' is not a space", crate::invalid::excerpt(text))).hint(
                "a space is USER/COLLECTION, each 1 to 64 of A-Z a-z 0-9 . _ @ + - and not starting with a dot, e.g. local/default",
            )
        };
        let (user, collection) = text.split_once('/').ok_or_else(wrong)?;
        if [user, collection].into_iter().all(is_plain) {
            Ok(Self { user: user.to_owned(), collection: collection.to_owned() })
        } else {
            Err(wrong())
        }
    }

    /// The user and the collection.
    pub fn parts(&self) -> [&str; 2] {
        [&self.user, &self.collection]
    }

    /// The two folder names it is kept under.
    pub fn folders(&self) -> [String; 2] {
        [folder(&self.user), folder(&self.collection)]
    }

    /// The space kept under these folder names, if they are a space's.
    pub fn from_folders(user: &str, collection: &str) -> Option<Self> {
        Self::parse(&format!("{}/{}", part(user)?, part(collection)?)).ok()
    }
}

fn is_plain(part: &str) -> bool {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"._@+-".contains(&b);
    (1..=limits::SPACE_PART_MAX_BYTES).contains(&part.len()) && part.bytes().all(plain) && !part.starts_with('.')
}

/// A capital is written `^` and its small letter: on a disk that folds case, two names must never become one folder.
fn folder(part: &str) -> String {
    let mut name = String::with_capacity(part.len());
    for c in part.chars() {
        if c.is_ascii_uppercase() {
            name.push('^');
        }
        name.push(c.to_ascii_lowercase());
    }
    name
}

fn part(folder: &str) -> Option<String> {
    let mut part = String::with_capacity(folder.len());
    let mut chars = folder.chars();
    while let Some(c) = chars.next() {
        match c {
            '^' => part.push(chars.next().filter(char::is_ascii_lowercase)?.to_ascii_uppercase()),
            c if c.is_ascii_uppercase() => return None,
            c => part.push(c),
        }
    }
    Some(part)
}

impl fmt::Display for SpaceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.user, self.collection)
    }
}

/// The random id a space's chain starts from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct SpaceId(pub [u8; 16]);

impl SpaceId {
    /// What stands as `prev_hash` in event 1.
    pub fn genesis(&self) -> Hash {
        Hash::of(&self.0)
    }

    /// Reads 32 hex digits.
    pub fn parse(text: &str) -> Option<Self> {
        hex_decode::<16>(text).map(Self)
    }
}

impl fmt::Display for SpaceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

impl fmt::Debug for SpaceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_space_name_can_only_be_a_pair_of_plain_folder_names() {
        assert_eq!(SpaceName::parse("ann/notes").map(|n| n.to_string()).as_deref(), Ok("ann/notes"));
        for bad in ["", "ann", "a/b/c", "../x", "a/..", "a/.hidden", "a /b", "a/\0", "/x", "x/"] {
            assert!(SpaceName::parse(bad).is_err(), "{bad:?} was taken");
        }
    }

    #[test]
    fn names_that_differ_in_case_get_folders_that_differ_without_it() {
        let ann = SpaceName::parse("Ann/x").map(|n| n.folders());
        assert_eq!(ann, Ok(["^ann".to_owned(), "x".to_owned()]));
        assert_eq!(SpaceName::from_folders("^ann", "x").map(|n| n.to_string()).as_deref(), Some("Ann/x"));
        assert_eq!(SpaceName::from_folders("Ann", "x"), None);
    }
}
