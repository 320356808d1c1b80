//! File names: trace ids made into safe ones and back, ids of notes checked, slugs made from titles.

use std::collections::{BTreeMap, BTreeSet};

use idetic_core::{Hash, Invalid, hash, invalid};
use unicode_normalization::UnicodeNormalization;

/// Longest file name without its ending: with `.jsonl.gz` and a temporary mark it still fits every file system.
pub const STEM_MAX_BYTES: usize = 180;
/// Longest id of a note that we make.
pub const NOTE_ID_MAX_BYTES: usize = 120;
/// How much of a name that is too long is still shown.
const SHOWN_MAX_BYTES: usize = 120;

/// Names that some systems keep for devices, with any ending.
const RESERVED: [&str; 4] = ["con", "prn", "aux", "nul"];

/// The file name, without its ending, for the events of a trace, and for an agent: letters, digits, `-`, `_` and inner dots
/// stay, every other byte is `%` and two hex digits. What is too long ends in `~~` and a hash.
pub fn plain_name(id: &str) -> String {
    name(id, false)
}

/// The same where two ids never share one, even where case does not count: when there are capitals, `~` and a hex mask of
/// them is added.
pub fn file_name(id: &str) -> String {
    name(id, true)
}

/// The name for an id whose plain name another has, but for the case of letters.
fn escaped_name(id: &str) -> String {
    let name = file_name(id);
    if name == plain_name(id) && !name.contains('~') { format!("{name}~0") } else { name }
}

/// The file names of a folder without their endings: a new id gets one that no other has, even where case does not count.
#[derive(Debug, Clone, Default)]
pub struct Names(BTreeMap<String, BTreeSet<String>>);

impl Names {
    /// Adds a name that is there.
    pub fn add(&mut self, stem: &str) {
        self.0.entry(stem.to_ascii_lowercase()).or_default().insert(stem.to_owned());
    }

    /// The name for an id: the one it has, or its plain one, or one that tells it from another's.
    pub fn of(&mut self, id: &str) -> String {
        let (plain, escaped) = (plain_name(id), escaped_name(id));
        let has = |stem: &str| self.0.get(&stem.to_ascii_lowercase());
        let is_there = |stem: &str| has(stem).is_some_and(|stems| stems.contains(stem));
        let is_free = has(&plain).is_none();
        let name = if is_there(&plain) || (is_free && !is_there(&escaped)) { plain } else { escaped };
        self.add(&name);
        name
    }
}

fn name(id: &str, with_mask: bool) -> String {
    if id.is_empty() {
        return "~".to_owned();
    }
    let reserved = is_reserved(id);
    let mut name = String::with_capacity(id.len() + 8);
    let mut capitals = Vec::new();
    let mut shown = 0;
    for (at, c) in id.char_indices() {
        let inner_dot = c == '.' && at > 0 && at + 1 < id.len();
        let stays = c.is_ascii_alphanumeric() || c == '-' || c == '_' || inner_dot;
        if stays && !(at == 0 && reserved) {
            name.push(c);
            capitals.extend(c.is_ascii_alphabetic().then(|| c.is_ascii_uppercase()));
        } else {
            for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                name.push('%');
                name.push_str(&hash::hex(&[byte]));
            }
        }
        if name.len() <= SHOWN_MAX_BYTES {
            shown = name.len();
        }
    }
    if with_mask && capitals.contains(&true) {
        name.push('~');
        name.push_str(&mask(&capitals));
    }
    if name.len() > STEM_MAX_BYTES {
        name.truncate(shown);
        name.push_str("~~");
        name.push_str(&hash::hex(&Hash::of(id.as_bytes()).0[..16]));
    }
    name
}

/// The trace a file name stands for. A name that we did not make stands for itself; `None` for one that ends in a hash:
/// the events in the file say whose they are.
pub fn trace_id(stem: &str) -> Option<String> {
    if let Some((_, sum)) = stem.split_once("~~")
        && hash::hex_decode::<16>(sum).is_some()
    {
        return None;
    }
    let id = decode(stem).filter(|id| {
        // A disk may lose the case of letters; the mask still knows it.
        let is_masked = |name: &str| stem.contains('~') && name.eq_ignore_ascii_case(stem);
        plain_name(id) == stem || is_masked(&file_name(id)) || is_masked(&escaped_name(id))
    });
    Some(id.unwrap_or_else(|| stem.to_owned()))
}

fn decode(stem: &str) -> Option<String> {
    let (text, mask) = stem.split_once('~').unwrap_or((stem, ""));
    let is_masked = stem.contains('~');
    let mut capitals = mask.chars().map(|c| c.to_digit(16)).collect::<Option<Vec<u32>>>()?.into_iter();
    let mut nibble = 0;
    let mut left = 0;
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        match byte {
            b'%' => {
                let pair = [rest.next()?, rest.next()?];
                bytes.push(hash::hex_decode::<1>(std::str::from_utf8(&pair).ok()?)?[0]);
            }
            b if b.is_ascii_alphabetic() && is_masked => {
                if left == 0 {
                    nibble = capitals.next().unwrap_or(0);
                    left = 4;
                }
                left -= 1;
                let is_capital = nibble >> left & 1 == 1;
                bytes.push(if is_capital { b.to_ascii_uppercase() } else { b.to_ascii_lowercase() });
            }
            b => bytes.push(b),
        }
    }
    String::from_utf8(bytes).ok()
}

/// One hex digit for four letters, the first letter the highest bit; zeros at the end are left out.
fn mask(capitals: &[bool]) -> String {
    let digit = |four: &[bool]| {
        let bits = (0..4).fold(0, |bits, at| bits << 1 | u32::from(four.get(at) == Some(&true)));
        char::from_digit(bits, 16).unwrap_or('0')
    };
    let digits: String = capitals.chunks(4).map(digit).collect();
    digits.trim_end_matches('0').to_owned()
}

fn is_reserved(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().trim_end().to_ascii_lowercase();
    let numbered = ["com", "lpt"]
        .iter()
        .any(|port| stem.strip_prefix(port).is_some_and(|n| n.len() == 1 && n.bytes().all(|b| b.is_ascii_digit())));
    numbered || RESERVED.contains(&stem.as_str())
}

/// Checks the id of a note that is to be made: small letters, digits and single hyphens.
pub fn check_note_id(id: &str) -> Result<(), Invalid> {
    let part = |p: &str| !p.is_empty() && p.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    let wrong = |why: &str| {
        let proposal = slug(id);
        let hint = format!("an id is lower-case letters, digits and single hyphens, as in {proposal}");
        Err(Invalid::new(format!("note id '{}' {why}", invalid::excerpt(id))).hint(hint))
    };
    match () {
        () if id.is_empty() => wrong("is empty"),
        () if id.len() > NOTE_ID_MAX_BYTES => wrong(&format!("is longer than {NOTE_ID_MAX_BYTES} bytes")),
        () if !id.split('-').all(part) => wrong("is not a slug"),
        () if is_reserved(id) => wrong("is a name that some systems reserve for devices"),
        () => Ok(()),
    }
}

/// Checks the id of a note that exists: any one file name that stays in its folder on every system.
pub fn check_existing_id(id: &str) -> Result<(), Invalid> {
    let wrong = |why: &str| {
        Err(Invalid::new(format!("note id '{}' {why}", invalid::excerpt(id)))
            .hint("rename the file; its name without .md is the id of the note"))
    };
    match () {
        () if id.is_empty() => wrong("is empty"),
        () if id.contains(['/', '\\', ':']) => wrong("is a path"),
        () if id.starts_with('.') => wrong("begins with a dot"),
        () if id.chars().any(char::is_control) => wrong("has control characters"),
        () if id.ends_with(['.', ' ']) || id.starts_with(' ') => {
            wrong("begins or ends with a space or ends with a dot")
        }
        () if id.len() > STEM_MAX_BYTES => wrong(&format!("is longer than {STEM_MAX_BYTES} bytes")),
        () if is_reserved(id) => wrong("is a name that some systems reserve for devices"),
        () => Ok(()),
    }
}

/// What two ids have in common when one system or another takes them for the same file.
pub fn folded(id: &str) -> String {
    id.nfc().flat_map(char::to_lowercase).nfc().collect()
}

/// An id for a title: its letters without their marks, small, other runs a hyphen. A title without any Latin letter or
/// digit gets a hash, so that there is always an id.
pub fn slug(title: &str) -> String {
    let mut slug = String::new();
    for c in title.nfkd().filter(|c| !('\u{300}'..='\u{36f}').contains(c)) {
        match c.to_ascii_lowercase() {
            c @ ('a'..='z' | '0'..='9') => slug.push(c),
            '\'' | '’' => {}
            _ if slug.is_empty() || slug.ends_with('-') => {}
            _ => slug.push('-'),
        }
    }
    slug.truncate(NOTE_ID_MAX_BYTES - 5);
    let slug = slug.trim_end_matches('-');
    match slug {
        "" => format!("note-{}", hash::hex(&Hash::of(title.as_bytes()).0[..4])),
        slug if is_reserved(slug) => format!("note-{slug}"),
        slug => slug.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn trace_ids_become_file_names_that_people_recognise() {
        for (id, name) in [
            ("abc123", "abc123"),
            ("trace-2025-11-04-option-a", "trace-2025-11-04-option-a"),
            ("COORD-2025-011", "COORD-2025-011~f8"),
            ("coord-2025-011", "coord-2025-011"),
            ("../../etc/passwd", "%2e.%2f..%2fetc%2fpasswd"),
            ("..", "%2e%2e"),
            ("", "~"),
            ("a b\0é", "a%20b%00%c3%a9"),
            ("nul", "%6eul"),
            ("CON.x", "%43ON.x~c"),
            ("~f8", "%7ef8"),
            ("v1.", "v1%2e"),
        ] {
            assert_eq!(file_name(id), name);
            assert_eq!(trace_id(name).as_deref(), Some(id));
        }
        let long = "x".repeat(500);
        assert!(file_name(&long).len() <= STEM_MAX_BYTES);
        assert_eq!(trace_id(&file_name(&long)), None);
        assert_ne!(file_name(&long), file_name(&"x".repeat(501)));
    }

    #[test]
    fn a_name_is_kept_unless_another_differs_in_case_alone() {
        let mut names = Names::default();
        names.add("COORD-2025-011~f8");
        for (id, name) in [
            ("DISCO-V5", "DISCO-V5"),
            ("DISCO-V5", "DISCO-V5"),
            ("disco-v5", "disco-v5~0"),
            ("Disco-v5", "Disco-v5~8"),
            ("COORD-2025-011", "COORD-2025-011~f8"),
            ("A b", "A%20b"),
        ] {
            assert_eq!(names.of(id), name);
            assert_eq!(trace_id(name).as_deref(), Some(id), "{name}");
        }
    }

    #[test]
    fn names_that_others_made_stand_for_themselves() {
        for name in ["COORD-2025-011", "a%zzb", "a~b", "50%", "x~~y", "ünï", "con"] {
            assert_eq!(trace_id(name).as_deref(), Some(name));
        }
        assert_eq!(trace_id("coord-2025-011~f8").as_deref(), Some("COORD-2025-011"), "a disk may lose the case");
    }

    #[test]
    fn ids_of_new_notes_are_slugs() {
        for good in ["a", "backend-timeout-fix", "2025-11-20-x"] {
            assert_eq!(check_note_id(good), Ok(()));
        }
        let long = "a".repeat(121);
        for bad in ["", "A", "a--b", "-a", "a-", "a_b", "a b", "..", "/etc/x", "a/b", "a\0", "é", "con", "lpt1", &long]
        {
            let refused = check_note_id(bad).expect_err(bad);
            assert!(refused.hint.contains("hyphens"), "{bad}");
        }
    }

    #[test]
    fn ids_of_existing_notes_stay_in_their_folder() {
        for good in ["a", "Über uns", "know_1", "2025.11", "日本語"] {
            assert_eq!(check_existing_id(good), Ok(()), "{good}");
        }
        let long = "a".repeat(181);
        for bad in [
            "", ".", "..", "../x", "/x", "a\\b", "c:x", ".git", "a\0b", "a\nb", "a.", "a ", " a", "NUL", "nul.x", &long,
        ] {
            assert!(check_existing_id(bad).is_err(), "{bad:?} was taken");
        }
        assert_eq!(folded("Ünï"), folded("u\u{308}nï"));
    }

    #[test]
    fn titles_become_slugs() {
        for (title, wanted) in [
            ("Backend Timeout Fix", "backend-timeout-fix"),
            ("SAP-010 + SAP-015: A-MEM / Beads", "sap-010-sap-015-a-mem-beads"),
            ("Don't panic!", "dont-panic"),
            ("Über Größe", "uber-gro-e"),
            ("ﬁle", "file"),
            ("NUL", "note-nul"),
        ] {
            assert_eq!(slug(title), wanted);
        }
        assert!(slug("日本").starts_with("note-") && slug("日本") != slug("本日"));
    }

    proptest! {
        #[test]
        fn any_trace_id_comes_back_from_its_file_name(id in "\\PC{0,40}|[.%~/\\\\A-Za-z0-9\0]{0,12}") {
            let name = file_name(&id);
            prop_assert!(!name.is_empty() && name.len() <= STEM_MAX_BYTES && check_existing_id(&name).is_ok(), "{}", name);
            if let Some(back) = trace_id(&name) {
                prop_assert_eq!(&back, &id);
                prop_assert_eq!(trace_id(&name.to_ascii_lowercase()), Some(id));
            }
        }

        #[test]
        fn two_trace_ids_never_share_a_file(a in "[aAbB.%~f8-]{0,4}", b in "[aAbB.%~f8-]{0,4}") {
            prop_assert_eq!(a == b, file_name(&a).eq_ignore_ascii_case(&file_name(&b)));
        }

        #[test]
        fn any_title_gives_a_valid_id(title in "\\PC{0,200}") {
            prop_assert_eq!(check_note_id(&slug(&title)), Ok(()));
        }
    }
}
