//! What ends something that was said before: it is done, changed, taken back, or has another number now.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::cut::{own_sentences, quotations};
use super::words::Words;

mod corrections;
mod retold;

pub use corrections::{Corrections, is_corrected, is_named_out, still_said, without_proposals};
pub use retold::{
    holds_for_hours, is_elsewhere, is_passing_remark, is_surely_elsewhere, retold, spares_for_hours, without_offers,
};

/// What says that something is done.
const DONE: [&str; 12] = [
    "done", "finished", "fixed", "set", "added", "merged", "shipped", "already", "works", "resolved", "rotated",
    "removed",
];
/// What says beside it that it is not.
const NOT: [&str; 12] =
    ["not", "never", "isn't", "aren't", "wasn't", "don't", "doesn't", "didn't", "hasn't", "haven't", "yet", "until"];
/// What names no part of a task.
const UNNAMED: [&str; 14] = [
    "first", "next", "later", "then", "before", "after", "also", "still", "please", "need", "needs", "should", "must",
    "todo",
];
/// Longest sentence that says that something is done, in words.
const DONE_MAX_WORDS: usize = 16;
/// From this share of its words on a sentence that says "done" is about a task.
const SAME_TASK: f64 = 0.6;
/// What says that something is changed, and what only finds fault with it, one phrase in a line.
const CHANGING: &str = include_str!("../data/ending/changing.txt");
const FAULTING: &str = include_str!("../data/ending/faulting.txt");
/// What takes out what the sentence before is about, one phrase in a line; what stands between that and how it is, and how many words
/// name it.
const OUT_WITH_IT: &str = include_str!("../data/ending/out_with_it.txt");
const BEING: Words = Words("is|was|are|were|feels|looks|seems");
const SUBJECT_WORDS: usize = 2;
/// How one asks, at the beginning of a sentence, and what may stand before that, one phrase in a line.
const ASKING: &str = include_str!("../data/ending/asking.txt");
const BEFORE_ASKING: Words = Words("and|but|so|ok|okay|hey|well|hm|hmm|oh|also|wait|then");
/// What takes back what was said, what was said just before, and what makes it an exception, one phrase in a line.
const WITHDRAWING: &str = include_str!("../data/ending/withdrawing.txt");
const THAT: &str = include_str!("../data/ending/that.txt");
const FOR_ONCE: &str = include_str!("../data/ending/for_once.txt");
/// What stands before something that somebody else says, that is doubted, or that is to be written.
const TELLING: Words = Words(include_str!("../data/ending/telling.txt"));
/// So many words name what is permitted again.
const NAMED_AGAIN: usize = 2;
/// What permits something, and what says that it is permitted from now on; what stands in a text that forbids it. One phrase in
/// a line.
const PERMITTING: &str = include_str!("../data/ending/permitting.txt");
const LASTING: &str = include_str!("../data/ending/lasting.txt");
const FORBIDDING: &str = include_str!("../data/ending/forbidding.txt");
/// How one begins to say that one is to ask no more, that one need not, or only if something else is so, and what may stand before
/// that; and what wants to be asked. One phrase in a line.
const STOP_ASKING: &str = include_str!("../data/ending/stop_asking.txt");
const NEED_NOT_ASK: &str = include_str!("../data/ending/need_not_ask.txt");
const ASK_ONLY_IF: &str = include_str!("../data/ending/ask_only_if.txt");
const BEFORE_STOPPING: Words = Words("and|but|so|ok|okay|please|now|then|also|well|from|on|here|always");
const ASK_FIRST: &str = include_str!("../data/ending/ask_first.txt");
/// What stands behind "stop asking" where that is about one question.
const QUESTIONS: Words = Words("which|what|whether|if|about|how|why|who|where|when");
/// What ends the words that say what is permitted, because a condition or a reason follows; what makes it something at hand; and
/// what a rule and a permission say besides what they are about. One phrase in a line.
const CONDITIONS: &str = include_str!("../data/ending/conditions.txt");
const AT_HAND: &str = include_str!("../data/ending/at_hand.txt");
const BESIDES: &str = include_str!("../data/ending/besides.txt");
/// What says that something holds for a while only, and what sets a time that is near; one phrase in a line.
const MOMENTARY: &str = include_str!("../data/ending/momentary.txt");
const SOON: &str = include_str!("../data/ending/soon.txt");
/// What tells how something stands just then, and what only asks whether something might do, one phrase in a line.
const PASSING: &str = include_str!("../data/ending/passing.txt");
const TENTATIVE: &str = include_str!("../data/ending/tentative.txt");
/// What says that something is left to do, and what says that it is done besides the past of a verb, one phrase in a line; and how
/// much of a task an answer names that reports it done.
const LEFT_OPEN: &str = include_str!("../data/ending/left_open.txt");
const REPORTING: &str = include_str!("../data/ending/reporting.txt");
const REPORTED_NAMES: usize = 3;
/// What stands before the name of things.
const BEFORE_NOUNS: Words =
    Words("has|have|had|with|without|the|a|an|its|their|your|our|all|some|more|new|of|for|no|and");
/// From this share of the words of both on, without their numbers, two texts say the same.
const SAME_BUT_NUMBER: f64 = 0.7;
/// Shortest word that names what is changed.
const NAME_CHARS: usize = 4;

/// The sentences of a text, about.
pub fn parts(text: &str) -> impl Iterator<Item = &str> {
    let bare = |part: &'_ str| part.trim_end_matches(['.', '!', ';']).len();
    text.lines().flat_map(|line| pieces(line, &['.', '!', ';'])).map(move |part| &part[..bare(part)])
}

/// The clauses of a sentence, about.
pub fn clauses(sentence: &str) -> impl Iterator<Item = &str> {
    let parts = sentence.split([',', ':', '(', ')']).flat_map(|part| part.split(" - "));
    parts
        .flat_map(|part| part.split(" because "))
        .flat_map(|part| part.split(" since "))
        .flat_map(|part| part.split(" so "))
}

/// The words of a text in lower case.
pub fn plain_words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '\'' | '’')))
        .map(|word| word.replace('’', "'").trim_matches(['.', '\'']).to_lowercase())
}

/// Whether a text has a word, given in lower case.
pub fn has_word(text: &str, wanted: &str) -> bool {
    plain_words(text).any(|word| word == wanted)
}

/// The stems of the words that say something.
pub fn stems(text: &str) -> impl Iterator<Item = String> {
    idetic_search::words::tokens(text).into_iter().filter(|stem| stem.chars().count() > 2)
}

/// Whether a word names something, and is not one of those that stand in every sentence.
fn names_something(word: &str) -> bool {
    let is_cue = || CHANGING.split(['\n', ' ']).chain(FAULTING.split(['\n', ' '])).any(|cue| cue == word);
    let is_word = word.chars().count() >= NAME_CHARS && !word.contains('\'');
    is_word && !idetic_search::words::tokens(word).is_empty() && !UNNAMED.contains(&word) && !is_cue()
}

/// Whether a sentence says that something is done.
pub fn says_done(text: &str) -> bool {
    text.split_whitespace().count() <= DONE_MAX_WORDS
        && plain_words(text).any(|word| DONE.contains(&word.as_str()))
        && !plain_words(text).any(|word| NOT.contains(&word.as_str()))
}

/// Whether a sentence says that something is changed. One that asks, or only finds fault, changes nothing.
pub fn says_change(text: &str) -> bool {
    has_phrase(text, CHANGING) && !asks(text)
}

/// What a text says is changed, by its words. "Presence is awful for this. Rip it out" names presence.
pub fn changed_names(text: &str) -> HashSet<String> {
    let parts: Vec<&str> = own_sentences(text).flat_map(parts).filter(|part| !part.trim().is_empty()).collect();
    let mut names: HashSet<String> =
        parts.iter().filter(|part| says_change(part)).flat_map(|part| plain_words(part)).collect();
    let throws_out = |part: &str| {
        has_phrase(part, OUT_WITH_IT) && !asks(part) && !plain_words(part).any(|word| NOT.contains(&word.as_str()))
    };
    names.extend(parts.windows(2).filter(|pair| throws_out(pair[1])).flat_map(|pair| subject(pair[0])));
    names.retain(|name| names_something(name));
    names
}

/// The words that a sentence says of how that is: what stands before "is".
fn subject(sentence: &str) -> Vec<String> {
    let words: Vec<String> = plain_words(sentence).filter(|word| !word.is_empty()).collect();
    let end = words.iter().rposition(|word| BEING.contains(word)).filter(|_| !asks(sentence)).unwrap_or(0);
    words[end.saturating_sub(SUBJECT_WORDS)..end].to_vec()
}

/// Whether a sentence asks something, also where its mark is left out.
fn asks(text: &str) -> bool {
    text.trim_end().ends_with('?') || begins_to_ask(text)
}

/// Whether a sentence begins as one that asks.
fn begins_to_ask(text: &str) -> bool {
    begins_with(text, BEFORE_ASKING, ASKING.lines())
}

/// Whether a text begins with one of some phrases, behind words that may stand before it.
fn begins_with(text: &str, before: Words, mut phrases: impl Iterator<Item = &'static str>) -> bool {
    let said = said_behind(text, before);
    phrases.any(|phrase| said.starts_with(&format!("{phrase} ")))
}

/// The words of a text without those at its beginning that say nothing.
fn said_behind(text: &str, before: Words) -> String {
    let words: Vec<String> = plain_words(text).filter(|word| !word.is_empty()).collect();
    let begin = words.iter().take_while(|word| before.contains(word)).count();
    format!("{} ", words[begin..].join(" "))
}

/// Whether a sentence takes back what was said before, for good.
pub fn withdraws(text: &str) -> bool {
    // "You may push to main again" does; "you can commit again" may be about the one commit at hand.
    let again = || has_word(text, "again") && says_permitted(text) && withdrawn_stems(text).len() >= NAMED_AGAIN;
    (says_itself(text, WITHDRAWING) || again()) && !has_phrase(text, FOR_ONCE) && !text.trim_end().ends_with('?')
}

/// Whether a sentence permits something.
pub fn says_permitted(text: &str) -> bool {
    says_itself(text, PERMITTING)
}

/// Whether the author of a text says one of some phrases: it is neither denied nor quoted, and not what somebody else says or is to be
/// told.
fn says_itself(text: &str, phrases: &str) -> bool {
    let mut own = text.to_owned();
    quotations(text).into_iter().rev().for_each(|quoted| own.replace_range(quoted, " "));
    let own = joined(&own);
    let is_own = |before: &str| {
        !before.rsplit(' ').next().is_some_and(|word| NOT.contains(&word))
            && !before.split(' ').any(|word| TELLING.contains(word))
    };
    phrases.lines().any(|phrase| own.split_once(&format!(" {phrase} ")).is_some_and(|(before, _)| is_own(before)))
}

/// Whether a sentence permits from now on what an earlier text forbids, and neither more nor less: "you may commit whenever the
/// tests pass" does, after "ask before you commit".
pub fn permits(sentence: &str, earlier: &str) -> bool {
    let lasts = has_phrase(sentence, LASTING) && !has_phrase(sentence, FOR_ONCE) && !asks(sentence);
    let Some(permitted) = permitted(sentence).filter(|_| lasts) else { return false };
    let named = rule_names(&permitted);
    let forbids = |part: &str| has_phrase(part, FORBIDDING) && rule_names(part) == named;
    !named.is_empty() && parts(earlier).any(forbids)
}

/// Whether a sentence says that one need not ask any more: "stop asking, just commit". Who says "you stop asking me" complains, and
/// "stop asking which editor I use" is about one question.
pub fn ends_asking(sentence: &str) -> bool {
    let stops = |clause: &str| {
        let said = said_behind(clause, BEFORE_STOPPING);
        let behind = STOP_ASKING.lines().find_map(|phrase| said.strip_prefix(&format!("{phrase} ")));
        behind.is_some_and(|behind| {
            !behind.trim_start_matches("me ").split(' ').next().is_some_and(|word| QUESTIONS.contains(word))
        })
    };
    let needs_not = |clause: &str| begins_with(clause, BEFORE_STOPPING, NEED_NOT_ASK.lines());
    let asks_less = |clause: &str| stops(clause) || asks_only_if(clause);
    let lasts = orders(sentence).any(asks_less) || orders(sentence).any(needs_not) && has_phrase(sentence, LASTING);
    lasts && !has_phrase(sentence, FOR_ONCE) && !asks(sentence)
}

/// Whether a sentence that ends asking names all that an earlier text wants to be asked before: "stop asking, just commit" does,
/// after "ask me before every commit".
pub fn needs_no_asking(sentence: &str, earlier: &str) -> bool {
    // "Ask only if you delete" says when to ask.
    let named: HashSet<String> = orders(sentence).filter(|clause| !asks_only_if(clause)).flat_map(rule_names).collect();
    let wants = |clause: &str| {
        let wanted = rule_names(clause);
        has_phrase(clause, ASK_FIRST) && !wanted.is_empty() && wanted.is_subset(&named)
    };
    parts(earlier).flat_map(clauses).any(wants)
}

fn asks_only_if(clause: &str) -> bool {
    begins_with(clause, BEFORE_STOPPING, ASK_ONLY_IF.lines())
}

/// The clauses of a sentence, each of which may order something.
fn orders(sentence: &str) -> impl Iterator<Item = &str> {
    parts(sentence).flat_map(clauses)
}

/// What a sentence permits, without the condition behind it; nothing where it denies, or means something at hand.
fn permitted(sentence: &str) -> Option<String> {
    let said = joined(sentence);
    let behind =
        PERMITTING.lines().find_map(|phrase| said.split_once(&format!(" {phrase} ")).map(|(_, behind)| behind))?;
    let behind = format!(" {behind}");
    let end = CONDITIONS.lines().filter_map(|phrase| behind.find(&format!(" {phrase} "))).min();
    let permitted = &behind[..end.unwrap_or(behind.len())];
    let denies = plain_words(permitted).any(|word| NOT.contains(&word.as_str()) || matches!(&*word, "only" | "no"));
    (!denies && !has_phrase(permitted, AT_HAND)).then(|| permitted.to_owned())
}

/// What a rule or a permission is about: the stems of its words without those that say that it is one.
fn rule_names(text: &str) -> HashSet<String> {
    static CUES: LazyLock<HashSet<String>> = LazyLock::new(|| {
        let cues = FORBIDDING.lines().chain(LASTING.lines()).chain(BESIDES.lines()).chain(UNNAMED);
        cues.flat_map(stems).collect()
    });
    stems(text).filter(|stem| !CUES.contains(stem)).collect()
}

/// Whether a text says that it is for this once only, or for now.
pub fn is_for_once(text: &str) -> bool {
    has_phrase(text, FOR_ONCE)
}

/// Whether a text says how long it holds, and that is not long: "for now".
pub fn is_momentary(text: &str) -> bool {
    has_phrase(text, MOMENTARY)
}

/// Whether a text sets a time that is near: "tomorrow".
pub fn is_soon(text: &str) -> bool {
    has_phrase(text, SOON)
}

/// Whether an answer tells that a task is done: a sentence that says so and leaves nothing open names enough of it. Who only
/// repeats a task has not done it.
pub fn reports_done(answer: &str, task: &str) -> bool {
    let named = names(task);
    let is_past = |word: &String| word.len() > 4 && word.ends_with("ed") && !word.ends_with("eed");
    let is_done = |word: &String| is_past(word) || REPORTING.lines().any(|done| done == word);
    let is_told = |part: &str| {
        !has_phrase(part, LEFT_OPEN)
            && !part.contains('?')
            && !plain_words(part).any(|word| NOT.contains(&word.as_str()))
            && (plain_words(part).any(|word| is_done(&word) && !has_word(task, &word)) || does_all(part, task))
    };
    parts(answer).any(|part| is_told(part) && names(part).intersection(&named).count() >= REPORTED_NAMES)
}

/// Whether a sentence tells that something does all of a task: "exclude the archive" is done once something "excludes the archive".
/// An option of a command is no part of it.
fn does_all(part: &str, task: &str) -> bool {
    let said: Vec<String> = plain_words(part).collect();
    let verb = plain_words(task).find(|word| names_something(word)).map(|verb| format!("{verb}s"));
    // "It has tests" names a thing.
    let is_verb = |pair: &[String]| Some(&pair[1]) == verb.as_ref() && !BEFORE_NOUNS.contains(&pair[0]);
    let wanted = task.split_whitespace().filter(|word| !word.starts_with("--")).collect::<Vec<_>>().join(" ");
    said.windows(2).any(is_verb) && names(&wanted).is_subset(&names(part))
}

/// The clauses of a text with the marks that end them.
fn clauses_whole(text: &str) -> impl Iterator<Item = &str> {
    pieces(text, &[',', ':', '.', '!', ';', '?', '\n'])
}

/// A text cut behind some marks: a point in a name or a number ends nothing.
fn pieces<'a>(text: &'a str, marks: &[char]) -> impl Iterator<Item = &'a str> {
    let mut from = 0;
    let ends = text.char_indices().filter_map(|(at, mark)| {
        let end = at + mark.len_utf8();
        let is_end = marks.contains(&mark) && text[end..].chars().next().is_none_or(char::is_whitespace);
        is_end.then_some(end)
    });
    ends.chain([text.len()]).map(move |end| &text[std::mem::replace(&mut from, end)..end])
}

/// Pieces of a text without some of them.
fn without<'a>(pieces: impl Iterator<Item = &'a str>, is_dropped: impl Fn(&str) -> bool) -> String {
    let kept: String = pieces.filter(|piece| !is_dropped(piece)).collect();
    kept.trim().trim_end_matches([',', ':', ';']).to_owned()
}

/// What a text names, without what says that it is changed. Of its cues there is one set: many facts are compared when a session
/// starts.
fn names(text: &str) -> HashSet<String> {
    static CUES: LazyLock<HashSet<String>> =
        LazyLock::new(|| CHANGING.lines().chain(FAULTING.lines()).flat_map(stems).collect());
    stems(text).filter(|stem| stem.chars().count() >= NAME_CHARS && !CUES.contains(stem)).collect()
}

/// Whether a sentence is about what was said just before.
pub fn means_the_last(text: &str) -> bool {
    has_phrase(text, THAT)
}

/// What a sentence that takes something back names, by the stems of its words.
pub fn withdrawn_stems(text: &str) -> HashSet<String> {
    let is_cue =
        |stem: &String| WITHDRAWING.lines().chain(["rule", "again"]).any(|cue| stems(cue).any(|own| own == *stem));
    stems(text).filter(|stem| stem.len() > 3 && !is_cue(stem)).collect()
}

/// Whether a sentence speaks of a task: most of the task's words stand in it.
pub fn is_about_task(sentence: &str, task: &str) -> bool {
    let names = |word: &str| word.len() > 3 && !DONE.contains(&word) && !UNNAMED.contains(&word);
    let of_task: Vec<String> = plain_words(task).filter(|word| names(word)).collect();
    let common = of_task.iter().filter(|word| has_word(sentence, word)).count();
    !of_task.is_empty() && common as f64 >= SAME_TASK * of_task.len() as f64
}

/// Whether two texts say the same of different numbers: the later one counts.
pub fn has_other_number(earlier: &str, later: &str) -> bool {
    let split = |text: &str| -> (HashSet<String>, HashSet<String>) {
        idetic_search::words::tokens(text).into_iter().partition(|word| word.bytes().any(|b| b.is_ascii_digit()))
    };
    let ((one, own), (other, others)) = (split(earlier), split(later));
    let common = own.intersection(&others).count();
    let all = own.union(&others).count();
    !one.is_empty() && !other.is_empty() && one != other && common >= 2 && common as f64 >= SAME_BUT_NUMBER * all as f64
}

fn joined(text: &str) -> String {
    format!(" {} ", plain_words(text).collect::<Vec<_>>().join(" "))
}

fn has_phrase(text: &str, phrases: &str) -> bool {
    let text = joined(text);
    phrases.lines().any(|phrase| text.contains(&format!(" {phrase} ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_permitted_for_good_ends_what_forbade_it_and_nothing_else() {
        let rule = "Always check with me before you deploy";
        for sentence in ["You may deploy whenever the smoke test passes", "you can deploy yourself from now on"] {
            assert!(permits(sentence, rule), "{sentence}");
        }
        for sentence in [
            "You may deploy this time",
            "may I deploy whenever I want?",
            "you can tag whenever it is green",
            "You may deploy when the smoke test passes",
            "you can not deploy without asking me",
            "you can deploy it without asking",
            "you can deploy only if I say so from now on",
        ] {
            assert!(!permits(sentence, rule), "{sentence}");
        }
        assert!(!permits("You may deploy whenever it is green", "never deploy the billing worker with the gateway"));
        assert!(!permits("You may deploy whenever the smoke test passes", "never deploy before the smoke test passes"));
    }

    #[test]
    fn who_need_not_ask_any_more_is_asked_for_nothing() {
        let ends = |sentence: &str, rule: &str| ends_asking(sentence) && needs_no_asking(sentence, rule);
        let rule = "ask me before every commit, i read the diff first";
        for sentence in [
            "and stop asking, just commit when tests are green",
            "you commit; ask only if unsure",
            "Please stop asking me before every commit",
            "you can stop asking before you commit",
        ] {
            assert!(ends(sentence, rule), "{sentence}");
        }
        assert!(ends("and stop asking, just commit", "ask me before every commit btw, i read the diff first"));
        for sentence in [
            "You sometimes stop asking me before you commit, that is bad",
            "I did not say stop asking before you commit",
            "I never told you to stop asking before commits!",
            "it happens again: you stop asking me before every commit",
            "Only ask before a commit",
            "Ask only before commits",
            "only ask when you commit",
            "Stop asking which editor I use for commit messages",
            "Don't stop asking me before you commit",
        ] {
            assert!(!ends(sentence, rule), "{sentence}");
        }
        for sentence in
            ["commit this time without asking", "stop asking, deploy", "commit it", "no need to ask, commit"]
        {
            assert!(!ends(sentence, rule), "{sentence}");
        }
        let main = "Ask me before you push to main";
        assert!(ends("From now on no need to ask before you push to main", main));
        for sentence in ["You pushed to main without asking me. Revert it.", "no need to ask, just change the colour"] {
            assert!(!ends(sentence, main) && !ends(sentence, "Ask me before you change the schema"), "{sentence}");
        }
        assert!(!ends("stop asking, just commit", "Never push to main"));
    }

    #[test]
    fn a_permission_for_one_time_or_of_something_else_ends_no_rule() {
        for (rule, sentence) in [
            ("Never commit without asking me", "Looks good, you can commit now"),
            ("Never commit without asking me", "you can commit once the tests pass"),
            ("Never commit without asking me", "you can commit generated files without asking"),
            ("Never push to main", "You can push when CI is green"),
            ("Never push to main", "You can push to the feature branch whenever CI is green"),
            ("Never use emojis", "You can use jq if you like"),
            ("Never use emojis", "You can always use jq"),
            ("Never delete migrations", "You can delete the temp files now"),
            ("Never delete migrations", "You can delete the temp files whenever you like"),
            ("deploys only from the release branch", "You can always deploy from the release branch"),
        ] {
            assert!(!permits(sentence, rule), "{rule}: {sentence}");
        }
        for (rule, sentence) in [
            ("Never commit without asking me", "From now on you can commit without asking me"),
            ("Remember: never push to main without my approval", "you may always push to main"),
            ("Never push to main", "You can push to main whenever CI is green"),
            ("no emojis", "you can use emojis from now on"),
        ] {
            assert!(permits(sentence, rule), "{rule}: {sentence}");
        }
    }

    #[test]
    fn what_is_denied_quoted_or_told_of_others_takes_nothing_back() {
        for sentence in [
            "Do not forget the rule about main.",
            "I doubt that you may push to main again.",
            "I never said that you may push to main again.",
            "The old doc says you may push to main again, which is wrong.",
            "Bob asked whether you may push to main again.",
            "add a line to the docs: \"You may push to main again.\"",
            "Add to CONTRIBUTING.md: You may push to main again.",
            "Translate to German: you may push to main again",
            "Bob says forget the rule about main",
        ] {
            assert!(!withdraws(sentence), "{sentence}");
        }
        assert!(!says_permitted("He says you can always push to main now."));
        for sentence in
            ["Forget the rule about main.", "You may push to main again.", "Forget the rule \"never push to main\"."]
        {
            assert!(withdraws(sentence), "{sentence}");
        }
    }

    #[test]
    fn a_question_or_what_only_finds_fault_changes_nothing() {
        for part in [
            "Why does Postgres open too many connections?",
            "Postgres opens too many connections",
            "so why is Postgres no longer up",
            "Postgres is too slow",
            "should we go back to Fastify",
        ] {
            assert!(!says_change(part), "{part}");
        }
        assert!(says_change("Let's go back to Fastify") && says_change("use Hono instead"));
    }

    #[test]
    fn what_is_thrown_out_is_what_the_sentence_before_is_about() {
        let names = |text: &str, name: &str| changed_names(text).contains(name);
        let text = "tried it with the whole crew and presence is awful for this. rip it out and do a plain broadcast";
        assert!(names(text, "presence") && names(text, "broadcast") && !names(text, "crew"));
        assert!(!names("the presence test is slow. run it alone", "presence"));
        assert!(!names("why is presence slow? scrap it", "presence"));
        assert!(!names("presence is slow. Should we scrap it?", "presence"));
        assert!(!names("presence is slow today. Don't rip it out.", "presence"));
        assert!(!names("> presence is awful.\n\nrip it out", "presence"), "others say that");
    }

    #[test]
    fn an_answer_that_names_a_task_and_leaves_it_open_does_not_report_it_done() {
        let task = "the importer has to skip blank rows of the ledger";
        assert!(reports_done("The importer skips blank rows now, 14 tests pass.", task));
        assert!(!reports_done("Noted: the importer has to skip blank rows.", task));
        assert!(!reports_done("The importer reads the ledger.", task));
        let task = "rotate the staging credentials on Friday";
        for answer in [
            "Got it, I'll rotate the staging credentials on Friday.",
            "Got it, I’ll rotate the staging credentials on Friday.",
            "Added to TODO.md: rotate the staging credentials on Friday",
            "Saved a reminder to rotate the staging credentials.",
            "You asked me to remember that the staging credentials get rotated.",
            "The staging credentials have to be rotated on Friday.",
            "Rotate the staging credentials on Friday.",
            "Have the staging credentials been rotated?",
            "The page of the staging config is finished. Its credentials come on Friday.",
        ] {
            assert!(!reports_done(answer, task), "{answer}");
        }
        let task = "exclude archive/old from --delete in deploy.sh";
        assert!(reports_done("deploy.sh excludes archive/old from the mirror. Try it first.", task));
        assert!(!reports_done("deploy.sh has archive/old in its --delete.", task));
        for (task, answer) in [
            ("Round invoice totals to cents", "The export rounds invoice totals to euros. I put it aside."),
            ("Delete expired sessions nightly", "The job deletes expired sessions only on restart."),
            ("Test the checkout flow on staging", "The checkout flow has tests on staging data."),
        ] {
            assert!(!reports_done(answer, task), "{answer}");
        }
        let task = "rotate the staging credentials on Friday";
        for answer in ["Rotated the staging credentials.", "The staging credentials are rotated, all 14 tests pass."] {
            assert!(reports_done(answer, task), "{answer}");
        }
    }
}
