//! What of a text its author says: sentences, without code, logs, quoted lines and blocks taken from elsewhere.

use std::ops::Range;

use super::token::keeps_stop;
use super::words::Words;

/// The longest sentence that is read: what is longer is not plainly stated.
pub const SENTENCE_MAX_BYTES: usize = 600;

/// One sentence, and the line it stands in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sentence {
    /// Bytes of the text, without the blanks around it, its last mark included.
    pub span: Range<usize>,
    /// The number of its line.
    pub line: usize,
}

/// What a line begins with when a machine wrote it, in lower case.
const MACHINE_STARTS: &[&str] = &[
    "$ ",
    "// ",
    "//",
    "# ",
    "#!",
    "/*",
    "* ",
    "-- ",
    "--- ",
    "+++ ",
    "@@",
    "traceback",
    "file \"",
    "error:",
    "error[",
    "warning:",
    "info:",
    "debug:",
    "[info",
    "[error",
    "[warn",
    "[debug",
    "select ",
    "insert into ",
    "print(",
    "let ",
    "const ",
    "var ",
    "def ",
    "fn ",
    "import ",
    "return ",
    "{",
    "}",
    "<",
    "|",
    "[memory",
    "[recalled",
    "[user",
    "[assistant",
    "[system",
    "\"",
    "“",
    "„",
    "'",
    "‘",
    ">",
    "»",
    "«",
    "&gt;",
    "&quot;",
];

/// What stands in a line of code or of a log and hardly in prose.
const MACHINE_PARTS: &[&str] =
    &["();", "=>", "->", "!=", "==", ":=", "};", "&&", "||", "</", "/>", " INFO ", " ERROR ", " WARN ", " DEBUG "];

/// The sentences that the author of a text says.
pub fn sentences(text: &str) -> Vec<Sentence> {
    let mut found = Vec::new();
    own_lines(text, &mut |number, start, line, is_own| {
        if is_own && !is_machine(line, line.trim()) {
            let (mut said, quoted) = (Vec::new(), quotations(line));
            line_sentences(text, start..start + own_length(line, &quoted), number, &mut said);
            let is_quoted = |at: usize| {
                let next = quoted.partition_point(|quoted| quoted.end <= at);
                quoted.get(next).is_some_and(|quoted| quoted.start < at)
            };
            said.retain(|sentence| !is_quoted(sentence.span.start - start));
            found.append(&mut said);
        }
    });
    found
}

/// The sentences that the author of a text says and that are short enough to be read.
pub fn own_sentences(text: &str) -> impl Iterator<Item = &str> {
    let spans = sentences(text).into_iter().map(|sentence| sentence.span);
    spans.filter(|span| span.len() <= SENTENCE_MAX_BYTES).map(|span| &text[span])
}

/// So many words between quotation marks are what somebody says; fewer may be a name.
const QUOTED_WORDS: usize = 6;

/// Whether a text carries something from elsewhere: a fenced, tagged or quoted part, or what a line introduces as such.
pub fn quotes_others(text: &str) -> bool {
    let mut quotes = false;
    own_lines(text, &mut |_, _, line, is_own| {
        let bare = line.trim();
        let begins = || bare.starts_with(['>', '»', '«', '“', '„', '"']);
        let quoted = quotations(line);
        let is_long = |quoted: &Range<usize>| words_in(&line[quoted.clone()]) >= QUOTED_WORDS;
        let tells = || quoted.iter().any(is_long) || own_length(line, &quoted) < line.len();
        quotes |= !bare.is_empty() && (!is_own || begins() || tells());
    });
    quotes
}

/// How many words a text has; where a script has no blanks, each of its letters counts.
fn words_in(text: &str) -> usize {
    let without_blanks =
        |c: &char| matches!(c, '\u{0E00}'..='\u{0EFF}' | '\u{1000}'..='\u{109F}' | '\u{3040}'..='\u{9FFF}');
    text.split_whitespace().count() + text.chars().filter(without_blanks).count()
}

/// Goes through the lines of a text: number, first byte, line, and whether it is its author's own.
fn own_lines<'t>(text: &'t str, see: &mut dyn FnMut(usize, usize, &'t str, bool)) {
    let (mut at, mut fenced, mut pasted) = (0, false, false);
    let is_letter = text.lines().any(|line| closes(line.trim()));
    let mut block: Option<String> = None;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let start = at;
        at += line.len();
        let bare = line.trim();
        let next = text[at..].lines().next().unwrap_or_default().trim();
        if bare.starts_with("```") || bare.starts_with("~~~") {
            fenced = !fenced;
            see(number, start, line, false);
            continue;
        }
        if let Some(name) = &block {
            if bare.contains(&format!("</{name}")) {
                block = None;
            }
            see(number, start, line, false);
            continue;
        }
        block = opened(bare);
        // A document, a letter to somebody, a mail or a message that was put in whole.
        let is_letter_or_document = bare.starts_with("# ") || is_letter && addresses(bare);
        let is_mail = is_header(bare) && is_header(next) || begins_message(bare);
        pasted |= !fenced && (is_letter_or_document || is_mail);
        see(number, start, line, !fenced && !pasted && block.is_none());
        pasted |= !fenced && introduces(bare);
    }
}

/// Whether a line addresses the reader of a letter: "Dear Ann,".
fn addresses(line: &str) -> bool {
    let line = line.to_lowercase();
    let greeted =
        GREETINGS.iter().any(|greeting| line.strip_prefix(greeting).is_some_and(|name| name.starts_with(' ')));
    greeted && line.ends_with([',', ':', '!']) && line.split_whitespace().count() <= GREETING_MAX_WORDS
}

/// Whether a line closes a letter: "Best regards,".
fn closes(line: &str) -> bool {
    let line = line.to_lowercase();
    CLOSINGS.contains(line.trim_end_matches([',', '.', '!']))
}

/// Whether a line is of the head of a mail: "From: Ann". Two of them make one.
fn is_header(line: &str) -> bool {
    let plain = line.replace('*', "");
    plain.split_once(':').is_some_and(|(label, said)| {
        said.starts_with([' ', '\t']) && MAIL_LABELS.contains(label.trim().to_lowercase().as_str())
    })
}

/// Whether a line stands above what somebody else wrote: "-----Original Message-----", "On Monday Ann <ann@x.org> wrote:",
/// "Ann Quill  10:32 AM".
fn begins_message(line: &str) -> bool {
    let said = line.to_lowercase();
    let bare = said.trim_matches(|c: char| !c.is_alphanumeric());
    let is_marked =
        FORWARDING.iter().any(|phrase| bare == phrase) || CONTINUING.iter().any(|phrase| said.starts_with(phrase));
    let is_attributed = said.ends_with(':')
        && said.contains(|c: char| c == '@' || c.is_ascii_digit())
        && WROTE.contains(bare.rsplit(' ').next().unwrap_or_default());
    is_marked || is_attributed || is_name_and_time(line)
}

/// "Ann Quill  10:32 AM", as chats have it.
fn is_name_and_time(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_time = |word: &str| {
        let parts = word.trim_matches(['[', ']', '(', ')']).split_once(':');
        parts.is_some_and(|(hour, minute)| [hour, minute].iter().all(|n| n.len() <= 2 && n.parse::<u8>().is_ok()))
    };
    match words.as_slice() {
        [names @ .., time, half] if matches!(*half, "AM" | "PM" | "am" | "pm") => is_time(time) && are_names(names),
        [names @ .., time] => time.starts_with('[') && is_time(time) && are_names(names),
        _ => false,
    }
}

fn are_names(words: &[&str]) -> bool {
    (1..=NAME_MAX_WORDS).contains(&words.len()) && words.iter().all(|word| word.starts_with(char::is_uppercase))
}

/// Most words of a name.
const NAME_MAX_WORDS: usize = 3;
/// What the lines at the head of a mail begin with, what stands above one that was passed on, how what a program says of an earlier
/// conversation begins, and how the line above an answered mail ends.
const MAIL_LABELS: Words = Words(include_str!("../data/cut/mail_labels.txt"));
const FORWARDING: Words = Words(include_str!("../data/cut/forwarding.txt"));
const CONTINUING: Words = Words(include_str!("../data/cut/continuing.txt"));
const WROTE: Words = Words("wrote|schrieb|écrit|escribió|scritto|escreveu");

/// Longest line that addresses somebody.
const GREETING_MAX_WORDS: usize = 5;
/// What a letter begins with.
const GREETINGS: Words = Words(include_str!("../data/cut/greetings.txt"));
/// What it closes with.
const CLOSINGS: Words = Words(include_str!("../data/cut/closings.txt"));

/// What a line that ends in a colon says where the rest of the text was taken from elsewhere.
const INTRODUCES: &[&str] = &[
    "here is ",
    "here's ",
    "here’s ",
    "this is what ",
    "i got this",
    "i found this",
    "got this ",
    "pasted",
    "pasting",
    "copied",
    "look at this",
    "check this",
    "the mail ",
    "the email ",
    "the page ",
    "the readme",
    "the log ",
    "the output",
    "the message ",
    "the article",
    " issue ",
    " ticket ",
    " report ",
    " mail ",
    " email ",
    " comment ",
    " comments ",
    " review ",
    " feedback ",
    " thread ",
    " post ",
    " transcript ",
    " message from ",
    " notes from ",
    " reply from ",
    " spec from ",
    "it says",
    "they wrote",
    "reads",
];

/// Whether a line introduces something from elsewhere.
fn introduces(bare: &str) -> bool {
    let Some(said) = bare.strip_suffix(':') else { return false };
    let said = format!(" {} ", said.to_lowercase());
    INTRODUCES.iter().any(|words| said.contains(words))
}

/// How much of a line is its author's: not what stands behind "the page says:". A quotation there ends with its marks.
fn own_length(line: &str, quoted: &[Range<usize>]) -> usize {
    let says = |(at, colon): &(usize, &str)| {
        // A line may be long and full of colons.
        let mut from = at.saturating_sub(BEFORE_SAYING_BYTES)..*at;
        let from = from.find(|byte| line.is_char_boundary(*byte)).unwrap_or(*at);
        let before = format!(" {}", line[from..*at].to_lowercase());
        let is_said = |said: &str| before.strip_suffix(said).is_some_and(|before| before.ends_with(' '));
        let is_mine = || [" i ", " i've ", " we ", " i'm "].iter().any(|mine| before.contains(mine));
        let is_quoted = || quoted.binary_search_by_key(&(at + colon.len()), |quoted| quoted.start).is_ok();
        SAYING.iter().any(is_said) && !is_mine() && !is_quoted()
    };
    line.match_indices(": ").find(says).map_or(line.len(), |(at, _)| at + 1)
}

/// How much of what stands before that is looked at.
const BEFORE_SAYING_BYTES: usize = 200;
/// How one begins to tell word by word what somebody else said.
const SAYING: Words = Words(include_str!("../data/cut/saying.txt"));

/// The quotations of a text, with their marks. An apostrophe is none.
pub fn quotations(text: &str) -> Vec<Range<usize>> {
    let (mut found, mut at, mut unclosed) = (Vec::new(), 0, Vec::new());
    let marks = |from: usize| text[from..].char_indices().map(move |(n, mark)| (from + n, mark));
    while let Some((start, mark)) = marks(at).find(|(n, mark)| !unclosed.contains(mark) && opens(text, *n, *mark)) {
        at = start + mark.len_utf8();
        match marks(at).find(|(n, other)| is_closed(text, mark, *n, *other)) {
            Some((end, other)) => {
                at = end + other.len_utf8();
                found.push(start..at);
            }
            // Nor is a later one closed, which is not looked for again.
            None => unclosed.push(mark),
        }
    }
    found
}

/// Whether a mark opens a quotation there.
fn opens(text: &str, at: usize, mark: char) -> bool {
    let is_first = text[..at].chars().next_back().is_none_or(|before| !before.is_alphanumeric() && before != '\'');
    let goes_on = text[at + mark.len_utf8()..].chars().next().is_some_and(|next| !next.is_whitespace());
    is_first && goes_on && matches!(mark, '"' | '“' | '„' | '«' | '»' | '\'' | '‘' | '‚')
}

/// Whether a mark closes what another one opened.
fn is_closed(text: &str, opened: char, at: usize, mark: char) -> bool {
    let is_last = || text[at + mark.len_utf8()..].chars().next().is_none_or(|next| !next.is_alphanumeric());
    match opened {
        '"' => mark == '"',
        '“' | '„' => matches!(mark, '”' | '“' | '"'),
        '«' => mark == '»',
        '»' => mark == '«',
        _ => matches!(mark, '\'' | '’' | '‘') && is_last(),
    }
}

/// The name of a tag that a line opens and does not close.
fn opened(bare: &str) -> Option<String> {
    let rest = bare.strip_prefix('<')?;
    let name: String = rest.chars().take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-')).collect();
    let opens = !name.is_empty() && bare.contains('>') && !bare.contains(&format!("</{name}")) && !bare.contains("/>");
    opens.then_some(name)
}

/// What may stand before a colon at the beginning of a line that is its author's own.
const OWN_LABELS: Words = Words(include_str!("../data/cut/own_labels.txt"));

/// Whether a line begins with a label: whoever is named there says the rest of it.
fn is_labelled(bare: &str) -> bool {
    let Some((label, rest)) = bare.split_once(':') else { return false };
    let named =
        label.len() <= 30 && label.split(' ').count() <= 2 && label.chars().all(|c| c.is_alphanumeric() || c == ' ');
    named && rest.starts_with(' ') && !OWN_LABELS.contains(label.to_lowercase().as_str())
}

fn is_machine(line: &str, bare: &str) -> bool {
    let head: String = bare.chars().take(24).flat_map(char::to_lowercase).collect();
    let indented = line.starts_with("    ") || line.starts_with('\t');
    let dated = bare.len() > 10 && bare.as_bytes()[..4].iter().all(u8::is_ascii_digit) && bare.as_bytes()[4] == b'-';
    let ends = bare.ends_with([';', '{', '}', '\\']);
    // "at Server.start (server.js:12)" and "commit 4f2a9c1d"; people begin sentences with these words, too.
    let frame = head.starts_with("at ") && bare.contains(['(', '/', ':']);
    let hash = head.strip_prefix("commit ").is_some_and(|rest| {
        let word = rest.split(' ').next().unwrap_or_default();
        word.len() >= 7 && word.bytes().all(|b| b.is_ascii_hexdigit())
    });
    indented
        || frame
        || hash
        || is_labelled(bare)
        || dated
        || ends
        || MACHINE_STARTS.iter().any(|start| head.starts_with(start))
        || MACHINE_PARTS.iter().any(|part| bare.contains(part))
}

fn line_sentences(text: &str, line: Range<usize>, number: usize, found: &mut Vec<Sentence>) {
    let mut start = line.start;
    let mut before: Option<(usize, char)> = None;
    for (offset, c) in text[line.clone()].char_indices() {
        let at = line.start + offset;
        let ends = c.is_whitespace()
            && before.is_some_and(|(stop, mark)| match mark {
                '!' | '?' | '…' => true,
                '.' => !keeps_stop(last_word(&text[start..stop])),
                _ => false,
            });
        if ends {
            add(text, start..at, number, found);
            start = at;
        }
        // A closing quotation mark or bracket still belongs to the sentence.
        if !(matches!(c, '"' | '”' | ')' | '\'') && before.is_some_and(|(_, mark)| matches!(mark, '.' | '!' | '?'))) {
            before = Some((at, c));
        }
    }
    add(text, start..line.end, number, found);
}

fn last_word(text: &str) -> &str {
    // A word that is looked back for is short, so that a line without blanks costs no more than once.
    let tail = text.char_indices().rev().take(12).take_while(|(_, c)| !c.is_whitespace()).last();
    tail.map_or("", |(at, _)| &text[at..])
}

fn add(text: &str, range: Range<usize>, line: usize, found: &mut Vec<Sentence>) {
    let piece = &text[range.clone()];
    let start = range.start + (piece.len() - piece.trim_start().len());
    let end = range.start + piece.trim_end().len();
    if start < end {
        found.push(Sentence { span: start..end, line });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_of_marks_or_lines_takes_no_longer_than_its_length() {
        for piece in [" «a", " “a", " 'a", " \"a", " so: a", " \"Do it. No.\"", "Do it. \"No.\"\n"] {
            let text = piece.repeat(200_000);
            quotes_others(&text);
            assert!(sentences(&text).len() <= text.len(), "{piece}");
        }
    }

    #[test]
    fn a_mail_a_message_and_a_quotation_are_not_their_pasters_word() {
        let said = |text: &str| own_sentences(text).map(str::to_owned).collect::<Vec<_>>();
        for pasted in [
            "From: Bob <bob@x.org>\nSubject: hi\n\nAlways do it. Never ask.",
            "**From:** Bob\n**To:** me\n\nAlways do it. Never ask.",
            "Von: Bob\nGesendet: Montag\nBetreff: Regeln\n\nAlways do it. Never ask.",
            "---------- Forwarded message ---------\nAlways do it. Never ask.",
            "-----Original Message-----\nAlways do it. Never ask.",
            "On Mon, Nov 3, 2026 at 10:00 Bob <bob@x.org> wrote:\nAlways do it. Never ask.",
            "Bob Miller  10:32 AM\nAlways do it. Never ask.",
            "[Pasted text #1]\nAlways do it. Never ask.",
            "This session is being continued from a previous conversation. Summary:\nAlways do it. Never ask.",
            "&gt; Always do it. Never ask.",
        ] {
            assert_eq!(said(&format!("Sum it up.\n\n{pasted}")), ["Sum it up."], "{pasted}");
        }
        for (text, own) in [
            ("The page says \"Do it. Never ask.\" Fix it.", vec!["The page says \"Do it.", "Fix it."]),
            ("The page says “Do it. Never ask.” Fix it.", vec!["The page says “Do it.", "Fix it."]),
            ("the boss wrote: \"Do it. Never ask.\" Fix it.", vec!["the boss wrote: \"Do it.", "Fix it."]),
            ("the site says 'Do it. Never ask.'", vec!["the site says 'Do it."]),
            ("The README says: Do it. Never ask.", vec!["The README says:"]),
            ("Bob wrote me: Do it. Never ask.", vec!["Bob wrote me:"]),
            ("As I said: do it. Never ask.", vec!["As I said: do it.", "Never ask."]),
            ("Don't do it. The users' wish. Never ask.", vec!["Don't do it.", "The users' wish.", "Never ask."]),
            ("From: Berlin. Never ask.", vec![]),
            ("Deploy at 10:32 AM\nNever ask.", vec!["Deploy at 10:32 AM", "Never ask."]),
            ("Two rules:\nNever ask.", vec!["Two rules:", "Never ask."]),
        ] {
            assert_eq!(said(text), own, "{text}");
        }
    }

    #[test]
    fn a_letter_or_a_document_that_was_put_in_is_not_its_authors_word() {
        let own = |text: &str| -> Vec<String> {
            let mut lines = Vec::new();
            own_lines(text, &mut |_, _, line, is_own| lines.extend(is_own.then(|| line.trim().to_owned())));
            lines.retain(|line| !line.is_empty());
            lines
        };
        assert_eq!(own("Dear Ann,\n\nI live in Rome.\n\nBest,\nMallory"), Vec::<String>::new());
        assert_eq!(own("answer this\nHi Ann!\nI live in Rome.\nKind regards\nMallory"), ["answer this"]);
        assert_eq!(own("fix this README\n# Title\nI live in Rome."), ["fix this README"]);
        assert_eq!(own("Hi Claude,\nI live in Rome."), ["Hi Claude,", "I live in Rome."], "nobody signed it");
        assert_eq!(own("Best of all:\nI live in Rome."), ["Best of all:", "I live in Rome."]);
        assert!(quotes_others("Dear Ann,\n\nI live in Rome.\n\nBest,\nMallory"));
        assert!(
            quotes_others("The page says \"always use tabs. Never run the tests.\"")
                && quotes_others("Bob wrote me: use tabs")
        );
        assert!(quotes_others("The page says “振込先は先月から変わりました。” Is that so?"));
        assert!(!quotes_others("use \"flask run\" instead, don't ask: it's the users' wish"));
        let pasted = "What is this? Look at it.\n```\nno longer needed\n```\n> Drop the rule.\nBob: it is done.\n";
        assert_eq!(own_sentences(pasted).collect::<Vec<_>>(), ["What is this?", "Look at it."]);
    }
}
