//! A text as it is read: escapes of JSON and of addresses undone, and markup that only sets words apart or in another type
//! taken out.

use unicode_normalization::char::canonical_combining_class;

/// Longest tag of HTML that is taken for one.
const TAG_MAX_BYTES: usize = 200;
/// Longest name between `&` and `;`.
const ENTITY_MAX_BYTES: usize = 16;
/// Tags that stand inside of a word; all others stand between two.
const INLINE: [&str; 19] = [
    "a", "abbr", "b", "bdi", "bdo", "code", "em", "font", "i", "mark", "q", "s", "small", "span", "strong", "sub",
    "sup", "u", "wbr",
];
/// What begins a line that is quoted, listed or a comment.
const LINE_MARKS: [char; 8] = ['>', '|', '#', '*', '-', '/', ';', '!'];

/// A text with its backslashes read once, as JSON and most languages do; none where it has none.
pub fn unescaped(text: &str) -> Option<String> {
    if !text.contains('\\') {
        return None;
    }
    let mut read = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        read.push_str(&rest[..at]);
        let escaped = &rest[at + 1..];
        let mut behind = escaped.chars();
        match behind.next() {
            Some(kind @ ('u' | 'x' | 'U')) => match coded(escaped) {
                Some((character, length)) => {
                    read.push(character);
                    behind = escaped[length..].chars();
                }
                None => read.push(kind),
            },
            Some('n' | 't' | 'r' | 'b' | 'f') => read.push('\n'),
            Some(other) => read.push(other),
            None => {}
        }
        rest = behind.as_str();
    }
    read.push_str(rest);
    Some(read)
}

/// The character of `uXXXX`, or of two of them, of `u{X…}`, `UXXXXXXXX` or `xXX`, and how many bytes that takes.
fn coded(text: &str) -> Option<(char, usize)> {
    let code = |digits: &str| u32::from_str_radix(digits, 16).ok();
    let one = |length: usize| {
        let character = char::from_u32(code(text.get(1..=length)?)?)?;
        Some((character, length + 1))
    };
    match text.as_bytes() {
        [b'x', ..] => return one(2),
        [b'U', ..] => return one(8),
        [_, b'{', ..] => {
            let end = text.get(..ENTITY_MAX_BYTES.min(text.len()))?.find('}')?;
            return Some((char::from_u32(code(&text[2..end])?)?, end + 1));
        }
        _ => {}
    }
    let first = code(text.get(1..5)?)?;
    if let Some(character) = char::from_u32(first) {
        return Some((character, 5));
    }
    let second = code(text.get(5..)?.strip_prefix("\\u")?.get(..4)?)?;
    let joined = 0x1_0000 + ((first.checked_sub(0xd800)? & 0x3ff) << 10) + (second.checked_sub(0xdc00)? & 0x3ff);
    char::from_u32(joined).map(|character| (character, 11))
}

/// A text without its markup: tags and entities of HTML, emphasis, links, quotes and tables of Markdown, comments. What joins
/// words (`_`, `-`, `+`) is a blank.
pub fn without_markup(text: &str) -> String {
    let mut rest = text;
    let mut read = String::with_capacity(rest.len());
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        match c {
            '\n' => {
                read.push(' ');
                rest = rest.trim_start_matches(|c: char| c.is_whitespace() || LINE_MARKS.contains(&c));
            }
            '<' => match tag(rest) {
                Some((between, length)) => {
                    read.push_str(if between { " " } else { "" });
                    rest = &rest[length..];
                }
                None => read.push(c),
            },
            '&' => match entity(rest) {
                Some((characters, length)) => {
                    read.push_str(&characters);
                    rest = &rest[length..];
                }
                None => read.push(c),
            },
            ']' => {
                // Where a link leads is not what is read.
                let target = rest.strip_prefix('(').and_then(|target| target.find([')', '\n']));
                rest = target.map_or(rest, |end| &rest[end + 2..]);
            }
            // Colours of a terminal, and what was struck out there.
            '\u{1b}' => rest = &rest[terminal_sequence(rest)..],
            '\u{8}' => drop(read.pop()),
            '*' | '`' | '~' | '[' => {}
            // Before a number it belongs to it.
            '+' if !read.ends_with(char::is_alphanumeric) => read.push(c),
            '_' | '-' | '+' | '|' | '>' | '#' => read.push(' '),
            '\u{2010}'..='\u{2015}' => read.push(' '),
            c => read.push(c),
        }
    }
    read
}

/// A text with a blank where a capital begins the next word (`AnnQuill`) or something unseen that is a space keeps words apart;
/// none where there is nothing of that kind.
pub fn separated(text: &str) -> Option<String> {
    let mut read = String::with_capacity(text.len() + 8);
    let (mut before, mut is_changed) = (' ', false);
    for c in text.chars() {
        let is_space = c == '\u{200b}';
        if is_space || before.is_lowercase() && c.is_uppercase() {
            read.push(' ');
            is_changed = true;
        }
        if !is_space {
            read.push(c);
        }
        // What stands on or below a letter does not part it from the next.
        if canonical_combining_class(c) == 0 {
            before = c;
        }
    }
    is_changed.then_some(read)
}

/// A text with its words whole where a hyphen broke them at the end of a line; none where none is.
pub fn rejoined(text: &str) -> Option<String> {
    let mut read = String::with_capacity(text.len());
    let (mut rest, mut is_changed) = (text, false);
    while let Some(at) = rest.find(['-', '\u{2010}', '\u{ad}']) {
        let hyphen = rest[at..].chars().next().map_or(1, char::len_utf8);
        let behind = rest[at + hyphen..].trim_start_matches([' ', '\t', '\r']);
        read.push_str(&rest[..at]);
        match behind.strip_prefix('\n') {
            Some(next) => {
                rest = next.trim_start_matches(|c: char| c.is_whitespace() || LINE_MARKS.contains(&c));
                is_changed = true;
            }
            None => {
                read.push_str(&rest[at..at + hyphen]);
                rest = &rest[at + hyphen..];
            }
        }
    }
    read.push_str(rest);
    is_changed.then_some(read)
}

/// How long a sequence that steers a terminal is behind its escape character.
fn terminal_sequence(text: &str) -> usize {
    match text.as_bytes().first() {
        Some(b'[') => text.bytes().skip(1).position(|byte| (0x40..=0x7e).contains(&byte)).map_or(1, |end| end + 2),
        _ => 0,
    }
}

/// A text with its entities read once; none where it has none.
pub fn entities_read(text: &str) -> Option<String> {
    let mut read = String::with_capacity(text.len());
    let (mut rest, mut is_read) = (text, false);
    while let Some(at) = rest.find('&') {
        read.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        match entity(rest) {
            Some((characters, length)) => {
                read.push_str(&characters);
                rest = &rest[length..];
                is_read = true;
            }
            None => read.push('&'),
        }
    }
    read.push_str(rest);
    is_read.then_some(read)
}

/// Whether a tag stands between words, and how long it is behind its `<`.
fn tag(text: &str) -> Option<(bool, usize)> {
    let end = text.bytes().take(TAG_MAX_BYTES).position(|byte| byte == b'>' || byte == b'<')?;
    let inside = text.get(..end).filter(|_| text.as_bytes()[end] == b'>')?;
    let name = inside.trim_start_matches('/');
    let name = &name[..name.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(name.len())];
    let is_comment = inside.starts_with("!--");
    if name.is_empty() && !is_comment {
        return None;
    }
    let is_inline = is_comment || INLINE.iter().any(|own| own.eq_ignore_ascii_case(name));
    Some((!is_inline, end + 1))
}

/// What an entity stands for, and how long it is behind its `&`.
fn entity(text: &str) -> Option<(String, usize)> {
    let end = text.bytes().take(ENTITY_MAX_BYTES).position(|byte| byte == b';')?;
    let name = text.get(..end)?;
    let character = match name.strip_prefix('#') {
        Some(number) => {
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code)?.to_string()
        }
        None => named(name)?,
    };
    Some((character, end + 1))
}

/// The letters of Greek by their entities; capitals are the same words.
const GREEK: [(&str, &str); 25] = [
    ("alpha", "α"),
    ("beta", "β"),
    ("gamma", "γ"),
    ("delta", "δ"),
    ("epsilon", "ε"),
    ("zeta", "ζ"),
    ("eta", "η"),
    ("theta", "θ"),
    ("iota", "ι"),
    ("kappa", "κ"),
    ("lambda", "λ"),
    ("mu", "μ"),
    ("nu", "ν"),
    ("xi", "ξ"),
    ("omicron", "ο"),
    ("pi", "π"),
    ("rho", "ρ"),
    ("sigma", "σ"),
    ("sigmaf", "ς"),
    ("tau", "τ"),
    ("upsilon", "υ"),
    ("phi", "φ"),
    ("chi", "χ"),
    ("psi", "ψ"),
    ("omega", "ω"),
];

/// The entities of letters that European names are written with, and of what stands between words.
fn named(name: &str) -> Option<String> {
    let known = match name {
        "nbsp" | "ensp" | "emsp" | "thinsp" => " ",
        "shy" | "zwj" | "zwnj" | "ZeroWidthSpace" | "NoBreak" | "lrm" | "rlm" => "",
        "ndash" | "mdash" | "hyphen" | "dash" | "minus" => "-",
        "amp" => "&",
        "apos" | "rsquo" | "lsquo" => "'",
        "quot" => "\"",
        "lt" => "<",
        "gt" => ">",
        "szlig" => "ß",
        "AElig" | "aelig" => "æ",
        "OElig" | "oelig" => "œ",
        "Oslash" | "oslash" => "ø",
        "ETH" | "eth" => "ð",
        "THORN" | "thorn" => "þ",
        "Lstrok" | "lstrok" => "ł",
        "inodot" | "imath" => "ı",
        _ => "?",
    };
    if known != "?" {
        return Some(known.to_owned());
    }
    let small = name.to_ascii_lowercase();
    if let Some((_, letter)) = GREEK.iter().find(|(own, _)| *own == small) {
        return Some((*letter).to_owned());
    }
    let letter = name.chars().next().filter(char::is_ascii_alphabetic)?;
    let mark = match &name[1..] {
        "grave" => '\u{300}',
        "acute" => '\u{301}',
        "circ" => '\u{302}',
        "tilde" => '\u{303}',
        "breve" => '\u{306}',
        "dot" => '\u{307}',
        "uml" => '\u{308}',
        "ring" => '\u{30a}',
        "caron" => '\u{30c}',
        "cedil" => '\u{327}',
        "ogon" => '\u{328}',
        _ => return None,
    };
    Some(format!("{letter}{mark}"))
}

/// A text with `%C3%AB` read; none where there is nothing of that kind.
pub fn percent_decoded(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let coded = |at: usize| {
        let digits = text.get(at + 1..at + 3).filter(|_| bytes[at] == b'%')?;
        u8::from_str_radix(digits, 16).ok().filter(|_| !digits.starts_with('+'))
    };
    if !bytes.contains(&b'%') || !(0..bytes.len()).any(|at| coded(at).is_some()) {
        return None;
    }
    let (mut read, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while at < bytes.len() {
        let byte = coded(at);
        read.push(byte.unwrap_or(bytes[at]));
        at += if byte.is_some() { 3 } else { 1 };
    }
    Some(String::from_utf8_lossy(&read).into_owned())
}
