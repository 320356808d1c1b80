//! One sentence read clause by clause: who it is about, which pattern it follows, what the value is.

mod introduced;
mod passing;
mod possessed;
mod tail;
mod turned;

use super::doubt::starts;
use super::kind::Kind;
use super::nouns::noun_kind;
use super::patterns::{Form, PATTERNS, Pattern, Who};
use super::subject::{Class, Speaker, Subject, subjects};
use super::tell::{Denial, bend, gerund, sentence, third};
use super::token::Token;
use super::value::{Value, fits, values};
use super::vocabulary::{KIN, SETTINGS};
use super::words::Words;
use super::{Statement, is_single};

/// What may stand before a clause without changing what it says.
const LEADS: Words = Words(include_str!("../data/clause/leads.txt"));

/// What may stand between a subject and its verb.
const ADVERBS: Words = Words(include_str!("../data/clause/adverbs.txt"));

/// Verbs after which an adverb of strength is irony as often as not.
const STRONG: Words = Words("just|only");

/// Attributes of which "does not" says something.
const DENIED: Words = Words(include_str!("../data/clause/denied.txt"));

/// Attributes of "we" that hold for whoever speaks.
const SHARED: Words = Words(include_str!("../data/clause/shared.txt"));

/// Reads one sentence.
#[derive(Clone, Copy)]
pub struct Reader<'a> {
    /// The text the sentence stands in.
    pub text: &'a str,
    /// Its words and marks.
    pub words: &'a [Token],
    /// Who says it.
    pub speaker: &'a Speaker<'a>,
    /// Whether it is written without capitals.
    pub small: bool,
    /// Whether its author may introduce themselves here ("I'm Ann").
    pub opening: bool,
    /// Whom or what the sentence before was about.
    pub before: Option<&'a Subject>,
}

/// Statements of a clause, and where the next begins.
type Read = (Vec<Statement>, usize);

impl Reader<'_> {
    /// Where the sentence begins, behind what leads it in.
    pub fn begin(&self, from: usize) -> usize {
        self.behind_leads(from)
    }

    /// The statements of the sentence from a token on, and whom or what it was about at its end.
    pub fn read(&self, from: usize) -> (Vec<Statement>, Option<Subject>) {
        let mut found = Vec::new();
        let mut at = self.behind_leads(from);
        let mut last: Option<(Subject, usize)> = None;
        // Whom "she" means: who was spoken of last.
        let mut meant: Option<(Subject, usize)> = self.before.map(|subject| (subject.clone(), at));
        let mut first = true;
        while at < self.words.len() {
            let own = first || self.is_own(at);
            let read = if own { self.clause(at, first) } else { None };
            let read = read.map(|(statements, next, subject)| (statements, next, subject, at)).or_else(|| {
                let (subject, start) = last.as_ref()?;
                let (statements, next) = self.goes_on(subject, at, *start)?;
                Some((statements, next, subject.clone(), *start))
            });
            let read = read.or_else(|| {
                let (subject, end) = meant.as_ref()?;
                let (statements, next) = self.meant(subject, *end, at)?;
                Some((statements, next, subject.clone(), at))
            });
            match read {
                Some((statements, next, subject, start)) => {
                    meant = spoken_of(&statements, &subject).map(|subject| (subject, next));
                    found.extend(statements);
                    last = Some((subject, start));
                    at = next.max(at + 1);
                }
                None => {
                    // What a colon hands over is another's text, unless it was led in.
                    let colon = self.words[at..].iter().position(|t| t.lower == ":");
                    if colon.is_some() && first {
                        return (found, None);
                    }
                }
            }
            first = false;
            at = self.next_clause(at);
        }
        let known = !found.is_empty();
        (found, meant.map(|(subject, _)| subject).filter(|_| known))
    }

    /// What is said on of the last subject: "and uses Go", ", written in Go".
    fn goes_on(&self, subject: &Subject, at: usize, start: usize) -> Option<Read> {
        match self.words[..at].last()?.lower.as_str() {
            "and" | "but" => self.predicate(subject, at, start),
            "," if Words("written|based|hosted|maintained|owned|located|led|run").contains(&self.words[at].lower) => {
                self.predicate(subject, at, at)
            }
            _ => None,
        }
    }

    /// A clause about whom "she", "he" or "it" means, if no other name stands between.
    fn meant(&self, subject: &Subject, from: usize, at: usize) -> Option<Read> {
        let thing = matches!(subject.class, Class::Thing | Class::Bare);
        let fits = match self.words[at].lower.as_str() {
            "she" | "he" => !thing,
            "it" => thing,
            _ => false,
        };
        let named = self.words.get(from..at)?.iter().any(|t| t.capital);
        let (statements, next) = (fits && !named).then(|| self.predicate(subject, at + 1, at)).flatten()?;
        // "It is 3am" is about nothing that was named.
        let empty = statements.iter().any(|statement| thing && statement.attribute == "is");
        (!empty).then_some((statements, next))
    }

    /// Whether a clause in the middle of a sentence is its author's: it begins with them, or with a thing.
    fn is_own(&self, at: usize) -> bool {
        matches!(self.words[at].lower.as_str(), "i" | "we" | "my" | "our" | "the") || self.words[at].capital
    }

    fn next_clause(&self, from: usize) -> usize {
        let marks = Words(",|;|-|–|—|and|but|so|(|:|!|.|because|although|though|while|whereas");
        let found = (from..self.words.len()).find(|&at| marks.contains(self.words[at].lower.as_str()));
        found.map_or(self.words.len(), |at| self.behind_leads(at + 1))
    }

    /// Behind greetings, names that are called, and words such as "actually".
    fn behind_leads(&self, from: usize) -> usize {
        let mut at = from;
        loop {
            let longest = LEADS.iter().filter_map(|lead| starts(self.words, at, lead)).max();
            let Some(mut next) = longest else { break };
            let greets = matches!(self.words[at].lower.as_str(), "hi" | "hey" | "hello");
            // "Hi Claude," calls someone.
            if greets
                && self.words.get(next + 1).is_some_and(|t| !t.word)
                && self.words.get(next).is_some_and(|t| t.word && t.capital)
            {
                next += 1;
            }
            while self.words.get(next).is_some_and(|t| Words(",|:|!|-|–|—|.|(").contains(&t.lower)) {
                next += 1;
            }
            at = next;
        }
        self.behind_topic(at)
    }

    /// Behind what a sentence says it is about: "at our place,", "when it comes to tea,".
    fn behind_topic(&self, at: usize) -> usize {
        let is = |place: usize, words: Words| self.words.get(place).is_some_and(|t| words.contains(&t.lower));
        let opens = is(at, Words("in|at|on|for|of")) || starts(self.words, at, "when it comes to").is_some();
        // "For unit tests we use pytest".
        if let Some(own) = (at + 2..at + 6).find(|&place| is(place, Words("we|i"))).filter(|_| is(at, Words("for"))) {
            return own;
        }
        let comma = (at + 2..at + 8).find(|&place| self.words.get(place).is_some_and(|t| !t.word));
        let Some(comma) = comma.filter(|&comma| opens && self.words[comma].lower == ",") else { return at };
        // "On Mars, the day is" says nothing of whoever speaks.
        let own = is(comma + 1, Words("i|we|my|our")) || (at..comma).any(|place| is(place, Words("my|our|this")));
        if own { comma + 1 } else { at }
    }

    fn clause(&self, at: usize, first: bool) -> Option<(Vec<Statement>, usize, Subject)> {
        let me = self.speaker.me();
        if let Some((found, next)) = self.called(at).or_else(|| self.favourite_last(at)).or_else(|| self.turned(at)) {
            let other = found.first().filter(|it| matches!(it.attribute.as_str(), "role" | "is_our"));
            let subject = other.map_or(me, |it| Subject::named(&it.subject));
            return Some((found, next, subject));
        }
        if let Some((found, next)) = self.possessed(at) {
            return Some((found, next, me));
        }
        // "Just moved to Oslo" leaves out who did.
        if Words("just|recently|finally|moved|switched|migrated").contains(&self.words[at].lower) {
            let (found, next) = self.predicate(&me, at, at)?;
            return Some((found, next, me));
        }
        if first
            && self.leaves_out(at)
            && let Some((found, next)) = self.predicate(&me, at, at)
        {
            return Some((found, next, me));
        }
        for (subject, next) in subjects(self.text, self.words, at, self.speaker, self.small) {
            if let Some((found, next)) = self.predicate(&subject, next, at) {
                return Some((found, next, subject));
            }
            // "My son Jakub goes to school" names him, whatever he does.
            let names = subject.besides.as_ref().filter(|_| {
                !self.small
                    && self
                        .words
                        .get(next)
                        .is_some_and(|t| t.word && !t.capital && !Words("'s|and|died|passed").contains(&t.lower))
            });
            if let Some(known) = names {
                let mut known = known.clone();
                known.span = self.words[at].span.start..self.words[next - 1].span.end;
                return Some((vec![known], next, subject));
            }
        }
        None
    }

    /// What is said of a subject, by the first pattern that fits.
    fn predicate(&self, subject: &Subject, at: usize, start: usize) -> Option<Read> {
        // Without capitals nearly any word could be a name: only longer phrases are believed of it.
        let unsure = self.small && subject.class == Class::Named;
        let said = |pattern: &&Pattern| {
            may_say(pattern.who, subject)
                && !(unsure && pattern.phrase.split(' ').count() < 2 + usize::from(pattern.phrase.starts_with("be ")))
        };
        // "Less like paper" is no verb: people with a name are told of in the third person.
        let said = |pattern: &&Pattern| {
            (subject.class != Class::Bare || self.is_said_of_bare(pattern, &subject.key))
                && said(pattern)
                && !(subject.class == Class::Named && subject.plural && pattern.who == Who::Person)
        };
        PATTERNS
            .iter()
            .filter(said)
            .find_map(|pattern| self.follow(pattern, subject, at, start))
            .or_else(|| self.introduced(subject, at, start))
    }

    fn follow(&self, pattern: &Pattern, subject: &Subject, at: usize, start: usize) -> Option<Read> {
        let (next, mut denial) = self.verb(pattern, subject, at, at == start)?;
        let (mut parts, mut behind) = values(self.words, next, pattern.kind);
        let over = self.words.get(behind).is_some_and(|t| t.lower == "anymore" || t.lower == "any");
        if over && denial == Denial::Plain {
            denial = Denial::Ended;
        }
        // "I don't drink coffee after noon" denies less than it seems to.
        let limited = denial == Denial::Plain
            && self
                .words
                .get(behind)
                .is_some_and(|t| t.word && !Words("and|but|so|because|since|here").contains(&t.lower));
        if limited || denial == Denial::Plain && !DENIED.contains(pattern.attribute) {
            return None;
        }
        if self.is_passing(pattern, subject, behind) {
            return None;
        }
        let perfect =
            self.words[at..next].iter().any(|t| PERFECTS.contains(t.lower.as_str())) && pattern.form == Form::Going;
        if perfect && !self.words.get(behind).is_some_and(|t| matches!(t.lower.as_str(), "for" | "since" | "all")) {
            return None;
        }
        let flipped = pattern.attribute == "likes" && denial == Denial::Plain;
        let (attribute, phrase) = if flipped {
            ("dislikes", "dislike")
        } else {
            (pattern.attribute, if pattern.told.is_empty() { pattern.phrase } else { pattern.told })
        };
        if flipped {
            denial = Denial::None;
        }
        // "We" stands for the team, or for each of its members.
        let me = self.speaker.me();
        let subject = if subject.class == Class::We && SHARED.contains(attribute) { &me } else { subject };
        let mut found = Vec::new();
        if parts.len() > 1
            && !parts
                .iter()
                .all(|&(first, last)| fits(pattern.kind, &self.words[first..last], self.text, self.small).is_some())
        {
            parts.truncate(1);
            behind = parts[0].1;
        }
        for (first, last) in parts {
            let value = fits(pattern.kind, &self.words[first..last], self.text, self.small)?;
            let value = shorten(pattern.kind, value);
            // The article that the phrase ends in is the one that was said.
            let phrase = match phrase.strip_suffix(" a") {
                Some(bare) if self.words[next - 1].lower == "an" => format!("{bare} an"),
                _ => phrase.to_owned(),
            };
            let phrase = if phrase.ends_with(" a") && !matches!(self.words[next - 1].lower.as_str(), "a" | "an") {
                phrase.trim_end_matches(" a").to_owned()
            } else {
                phrase
            };
            let fixed = pattern.form == Form::Event && pattern.told == pattern.phrase;
            let verb = if fixed { phrase } else { bend(&phrase, subject.plural, denial) };
            let told = format!("{} {verb} {}", subject.told, value.told);
            found.push(self.statement(
                subject.key.clone(),
                attribute,
                &value,
                &told,
                start,
                last,
                denial != Denial::None,
            ));
        }
        if found.is_empty() {
            return None;
        }
        let aside = self.aside(subject, attribute, start, behind);
        // What happened then is told as what is so since: when it happened is no part of that.
        let since = pattern.form == Form::Event && pattern.told != pattern.phrase
            || self.words[at..next].iter().any(|t| matches!(t.lower.as_str(), "have" | "has" | "been"));
        if let ([only], None, Denial::None, false) = (&mut found[..], &aside, denial, since)
            && let Some((rest, end)) = self.tail(behind, pattern)
        {
            only.text = sentence(&format!("{} {rest}", only.text.trim_end_matches('.')));
            only.span.end = self.words[end - 1].span.end;
            // "Tuesday at 10:30" is another time than "Tuesday at 14:00"; a server has a port in each place it runs in.
            if matches!(pattern.kind, Kind::Day | Kind::Date | Kind::Clock | Kind::ClockOrPath) {
                only.value = format!("{} {rest}", only.value);
            }
            only.single &= !(subject.class == Class::Thing && Words("in|for|on").contains(&self.words[behind].lower));
            behind = end;
        }
        if let Some(known) = &subject.besides {
            let mut known = known.clone();
            known.span = found[0].span.clone();
            found.push(known);
        }
        let behind = aside.as_ref().map_or(behind, |(_, next)| *next);
        found.extend(aside.into_iter().flat_map(|(statements, _)| statements));
        Some((found, behind))
    }

    /// Where the words of a pattern end if they begin here, said of the subject; and whether they are denied.
    fn verb(&self, pattern: &Pattern, subject: &Subject, at: usize, alone: bool) -> Option<(usize, Denial)> {
        let mut phrase = pattern.phrase.split(' ');
        let head = phrase.next()?;
        let ironic = matches!(pattern.attribute, "likes")
            && self.words.get(at).is_some_and(|t| STRONG.contains(t.lower.as_str()));
        let mut next = self.behind_adverbs(at);
        let base =
            matches!(subject.class, Class::Me | Class::We) && (alone || !self.is_told(subject, at)) || subject.plural;
        let word = |place: usize| self.words.get(place).map_or("", |t| t.lower.as_str());
        let mut denial = Denial::None;
        if ironic {
            return None;
        }
        if pattern.form == Form::Event {
            if matches!(word(next), "have" | "has" | "'s") {
                next = self.behind_adverbs(next + 1);
            }
            if word(next) != head {
                return None;
            }
            next += 1;
        } else if head == "be" {
            let been = matches!(word(next), "have" | "has") && word(next + 1) == "been" && lasts(pattern);
            // "Been vegan since 2011", "allergic to nuts" leave out the verb.
            let cut = alone && word(next) == "been" && lasts(pattern);
            let left_out = alone && LEFT_OUT.contains(pattern.phrase) && !cut;
            if !(been || cut || left_out || matches!(word(next), "am" | "is" | "are" | "'s")) {
                return None;
            }
            next += if been { 2 } else { usize::from(!left_out) };
            if word(next) == "not" {
                denial = Denial::Plain;
                next += 1;
            } else if word(next) == "no" && word(next + 1) == "longer" {
                denial = Denial::Ended;
                next += 2;
            }
            next = if pattern.phrase == "be a" { next } else { self.behind_adverbs(next) };
        } else {
            (next, denial) = self.finite(head, pattern.form, base, next)?;
        }
        for wanted in phrase {
            // "Switched from A to B".
            if wanted == "to" && word(next) == "from" && pattern.form == Form::Event {
                next = (next + 2..next + 5).find(|&place| word(place) == "to")?;
            }
            let is = word(next);
            if is == wanted || wanted == "a" && is == "an" {
                next += 1;
            } else if wanted != "a" || !matches!(pattern.kind, Kind::Job) || pattern.phrase == "be a" {
                return None;
            }
        }
        Some((next, denial))
    }

    /// Behind a verb other than "be", bent and denied in the ways of a form.
    fn finite(&self, head: &str, form: Form, base: bool, at: usize) -> Option<(usize, Denial)> {
        let word = |place: usize| self.words.get(place).map_or("", |t| t.lower.as_str());
        let bent = if base { head.to_owned() } else { third(head) };
        let (next, denial, wanted) = match (word(at), word(at + 1)) {
            (first, _) if first == bent => (at, Denial::None, bent),
            ("do" | "does", "not") => (self.behind_adverbs(at + 2), Denial::Plain, head.to_owned()),
            ("no", "longer") => (at + 2, Denial::Ended, bent),
            ("never", _) if matches!(head, "eat" | "drink") => (at + 1, Denial::Plain, bent),
            ("stopped" | "quit", _) => (at + 1, Denial::Ended, gerund(head)),
            ("have" | "has", "stopped" | "quit") => (at + 2, Denial::Ended, gerund(head)),
            ("am" | "are" | "is" | "'s", _) if form == Form::Going => {
                (self.behind_adverbs(at + 1), Denial::None, gerund(head))
            }
            ("have" | "has", done) if form == Form::Going && PERFECTS.contains(done) => {
                (at + 1, Denial::None, perfect(head))
            }
            ("have" | "has", "been") if form == Form::Going => (at + 2, Denial::None, gerund(head)),
            _ => return None,
        };
        (word(next) == wanted).then_some((next + 1, denial))
    }

    fn behind_adverbs(&self, from: usize) -> usize {
        let mut at = from;
        while at < from + 3 && self.words.get(at).is_some_and(|t| ADVERBS.contains(t.lower.as_str())) {
            at += 1;
        }
        at
    }

    /// Whether the one who speaks is named before the verb, and not "I".
    fn is_told(&self, subject: &Subject, at: usize) -> bool {
        subject.class == Class::Me
            && at > 0
            && !matches!(self.words[at - 1].lower.as_str(), "i" | "and" | "but" | ",")
            && !matches!(self.words[at].lower.as_str(), "just" | "recently" | "finally")
    }

    fn one(&self, kind: Kind, at: usize) -> Option<(Value, usize)> {
        let (parts, _) = values(self.words, at, kind);
        let &(first, last) = parts.first()?;
        Some((fits(kind, &self.words[first..last], self.text, self.small)?, last))
    }

    fn slice(&self, first: usize, behind: usize) -> &str {
        &self.text[self.words[first].span.start..self.words[behind - 1].span.end]
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one statement, which no other code puts together")]
    fn statement(
        &self,
        subject: String,
        attribute: &str,
        value: &Value,
        told: &str,
        first: usize,
        behind: usize,
        negated: bool,
    ) -> Statement {
        let span = self.words[first].span.start..self.words[behind - 1].span.end;
        Statement {
            text: sentence(told),
            span,
            subject,
            attribute: attribute.to_owned(),
            value: value.plain.clone(),
            single: is_single(attribute),
            negated,
        }
    }
}

/// Whether "have been" says that it still is so.
fn lasts(pattern: &Pattern) -> bool {
    matches!(pattern.kind, Kind::Diet | Kind::Trait)
        || matches!(pattern.phrase, "be a" | "be married to" | "be based in")
}

/// Phrases that may begin a sentence without their verb.
const LEFT_OUT: Words = Words(include_str!("../data/clause/left_out.txt"));

/// Whom the next "she", "he" or "it" means: someone who was named, or who was spoken of.
fn spoken_of(statements: &[Statement], subject: &Subject) -> Option<Subject> {
    let is_kin = |it: &&Statement| it.attribute.rsplit('_').next().is_some_and(|noun| KIN.contains(noun));
    let named = statements.iter().rfind(is_kin).map(|it| it.value.clone());
    // "My laptop is a ThinkPad": "it" is the laptop.
    let owned = statements.last().filter(|it| noun_kind(&it.attribute.replace('_', " ")) == Some(Kind::Product));
    match (named, subject.class) {
        (Some(name), Class::Me | Class::We) => Some(Subject::named(&name)),
        (None, Class::Me) => owned.map(|it| {
            let noun = it.attribute.replace('_', " ");
            let (key, told) = (format!("{}'s {noun}", subject.key), format!("{}'s {noun}", subject.told));
            Subject { class: Class::Thing, key, told, plural: false, besides: None }
        }),
        (_, Class::Kin | Class::Named | Class::Thing | Class::Bare) => {
            Some(Subject { besides: None, ..subject.clone() })
        }
        _ => None,
    }
}

/// Verbs whose perfect, with "for" or "since", says what still holds.
const PERFECTS: Words = Words("lived|worked|used|studied");

fn perfect(verb: &str) -> String {
    match verb {
        "study" => "studied".to_owned(),
        _ if verb.ends_with('e') => format!("{verb}d"),
        _ => format!("{verb}ed"),
    }
}

/// Whether a thing is one that a small word can name: "the linter is ruff".
fn is_setting_name(key: &str) -> bool {
    let last = key.rsplit(' ').next().unwrap_or_default().to_lowercase();
    SETTINGS.contains(last.as_str())
}

/// What belongs to the telling of a value and not to it: "34 years old" is 34.
fn shorten(kind: Kind, value: Value) -> Value {
    let cut = |text: &str, ends: &[&str]| {
        ends.iter().fold(text.to_owned(), |text, end| text.trim_end_matches(end).to_owned())
    };
    let plain = match kind {
        Kind::Age => cut(&value.plain, &[" years old", " year old", " years of age", " years", " yo", " y/o", "yo"]),
        Kind::Liking => cut(&value.plain, &[" a lot", " lots", " a ton"]),
        Kind::Tall => cut(&value.plain, &[" tall"]),
        Kind::Zone => cut(&value.plain, &[" time zone", " timezone", " time"]),
        _ => value.plain,
    };
    Value { plain, ..value }
}

fn may_say(who: Who, subject: &Subject) -> bool {
    match subject.class {
        Class::Me | Class::We | Class::Kin => !matches!(who, Who::Thing | Who::The),
        Class::Named => !matches!(who, Who::Own | Who::The),
        Class::Bare => matches!(who, Who::Thing | Who::The | Who::Any),
        Class::Thing => matches!(who, Who::Thing | Who::The | Who::Any) || subject.key.ends_with("team"),
    }
}
