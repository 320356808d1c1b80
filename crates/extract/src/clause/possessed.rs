//! Clauses about what someone has or is called: "my name is Ann", "our dog is called Rex", "Marta is our team lead".

use super::super::doubt::starts;
use super::super::kind::Kind;
use super::super::normal_attribute;
use super::super::nouns::noun_kind;
use super::super::subject::{Class, NO_NAME, Subject, is_role, owner, possessive_end, role};
use super::super::token::Token;
use super::super::value::{Value, fits, values};
use super::super::vocabulary::{KIN, KIN_ADJECTIVES, ROLES};
use super::super::words::Words;
use super::{Read, Reader};

impl Reader<'_> {
    /// "Call me Alex", "everyone calls me Alex".
    pub(super) fn called(&self, at: usize) -> Option<Read> {
        let ways = Words(
            "\
            call me|please call me|just call me|you can call me|everyone calls me|my friends call me|people call me|\
            friends call me|everybody calls me|address me as|please address me as|refer to me as|\
            please refer to me as|i am known as|i am called|pls call me|you may call me|i like to be called|\
            i prefer to be called",
        );
        let next = ways.iter().find_map(|way| starts(self.words, at, way))?;
        let (found, behind) = self.one(Kind::Name, next)?;
        let told = format!("{} goes by {}", self.speaker.told(), found.told);
        Some((vec![self.statement(self.speaker.key(), "goes_by", &found, &told, at, behind, false)], behind))
    }

    /// "Pizza is my favourite food", "Marta is our team lead".
    pub(super) fn favourite_last(&self, at: usize) -> Option<Read> {
        let is = (at + 1..(at + 5).min(self.words.len()))
            .find(|&place| self.words[place].lower == "is" || self.words[place].lower == "'s")?;
        let before = &self.words[at..is];
        let team = starts(self.words, is + 1, "the team 's");
        let mine = if team.is_some() { "our" } else { self.words.get(is + 1)?.lower.as_str() };
        if before.iter().any(|t| !t.word) {
            return None;
        }
        let (extent, end) = values(self.words, team.unwrap_or(is + 2), Kind::Plain);
        let &(start, stop) = extent.first()?;
        let noun: Vec<&str> = self.words[start..stop].iter().map(|t| t.lower.as_str()).collect();
        let joined = noun.join(" ");
        if let Some(kind) = noun_kind(&joined).filter(|_| mine == "my" && noun.len() <= 4)
            && let Some(value) = fits(kind, before, self.text, self.small)
        {
            let told = format!("{}'s {joined} is {}", self.speaker.told(), value.told);
            let attribute = if kind == Kind::Favourite { favourite(&joined) } else { normal_attribute(&joined) };
            return Some((vec![self.statement(self.speaker.key(), &attribute, &value, &told, at, end, false)], end));
        }
        let named = before.iter().all(|t| t.capital) && fits(Kind::Name, before, self.text, false).is_some();
        if named && mine == "my" && is_kin(&noun) {
            let value = fits(Kind::Name, before, self.text, false)?;
            let told = format!("{}'s {joined} is {}", self.speaker.told(), value.told);
            let attribute = normal_attribute(&joined);
            return Some((vec![self.statement(self.speaker.key(), &attribute, &value, &told, at, end, false)], end));
        }
        if named && (mine == "our" && is_role(&noun) || mine == "the" && ROLES.contains(joined.as_str())) {
            let name = self.slice(at, is);
            let mut known = role(name, &joined);
            known.span = self.words[at].span.start..self.words[end - 1].span.end;
            return Some((vec![known], end));
        }
        // "Kestrel is our billing service".
        if named && mine == "our" && noun.len() <= 4 && SYSTEMS.contains(noun[noun.len() - 1]) {
            let name = self.slice(at, is);
            let value = Value { plain: self.slice(start, stop).to_owned(), told: joined };
            let told = format!("{name} is the team's {}", value.plain);
            return Some((vec![self.statement(name.to_owned(), "is_our", &value, &told, at, stop, false)], end));
        }
        None
    }

    /// "My name is Ann", "our dog is called Rex", "Ferry's default port is 7070".
    pub(super) fn possessed(&self, at: usize) -> Option<Read> {
        let (owner, start) = self.possessor(at)?;
        let far = (start + 7).min(self.words.len());
        // "My husband's called Dmitri and he is": the second clause is another's.
        let other =
            |at: usize| self.words.get(at).is_some_and(|t| Words("i|he|she|it|they|we|my|our").contains(&t.lower));
        let ends = |at: &usize| self.words[*at].lower == "," || self.words[*at].lower == "and" && other(at + 1);
        let near = (start + 1..far).find(ends).unwrap_or(far);
        let window = start + 1..near;
        // In "my wife's name is" only the second is a verb.
        let is = window
            .clone()
            .find(|&at| matches!(self.words[at].lower.as_str(), "is" | "are") || self.falls(at))
            .or_else(|| window.clone().find(|&at| is_be(&self.words[at])))?;
        let nouns = self.words.get(start..is)?;
        let (nouns, mine) = behind_mine(nouns);
        if !(self.falls(is) || self.words.get(is).is_some_and(is_be)) || nouns.iter().any(|t| !t.word) {
            return None;
        }
        let noun: Vec<&str> = nouns
            .iter()
            .map(|t| t.lower.as_str())
            .filter(|w| !matches!(*w, "new" | "current" | "all-time" | "own"))
            .collect();
        if self.is_ownerless(at)
            && !mine
            && noun.first().is_some_and(|word| KIN.contains(word))
            && !noun.contains(&"name")
        {
            return None;
        }
        // "My wife's name is Carmen".
        let noun = match noun.as_slice() {
            [kin @ .., "'s", "name"] if is_kin(kin) => kin.to_vec(),
            [before @ .., last, "name"] if last.strip_suffix('s').is_some_and(|one| KIN.contains(one)) => {
                before.iter().copied().chain([&last[..last.len() - 1]]).collect()
            }
            all => all.to_vec(),
        };
        let joined = noun.join(" ");
        let mut next = is + 1;
        while self
            .words
            .get(next)
            .is_some_and(|t| matches!(t.lower.as_str(), "now" | "currently" | "actually" | "still" | "definitely"))
        {
            next += 1;
        }
        let called = self.words.get(next).is_some_and(|t| matches!(t.lower.as_str(), "called" | "named"));
        let kin = is_kin(&noun);
        if called && !kin {
            return None;
        }
        next += usize::from(called);
        let kind = if kin {
            Kind::Name
        } else {
            noun_kind(&joined).or_else(|| (!matches!(owner.class, Class::Me)).then_some(Kind::Setting))?
        };
        if owner.class == Class::We || kind == Kind::Setting && noun.len() > 4 {
            return None;
        }
        next += usize::from(kind == Kind::Date && self.words.get(next).is_some_and(|t| t.lower == "on"));
        next += usize::from(kind == Kind::Zone && self.words.get(next).is_some_and(|t| t.lower == "the"));
        let (mut parts, behind) = values(self.words, next, kind);
        // "My kids are Tim and Leo" names two.
        let more = self.words.get(behind).is_some_and(|t| t.lower == "and")
            && self.words.get(behind + 1).is_some_and(|t| t.capital);
        if kin && more {
            return None;
        }
        if !matches!(kind, Kind::Liking) {
            parts.truncate(1);
        }
        let attribute = if kind == Kind::Favourite { favourite(&joined) } else { normal_attribute(&joined) };
        let verb = if self.words[is].lower == "are" { "are" } else { "is" };
        let mut found = Vec::new();
        for (first, last) in parts {
            let value = fits(kind, &self.words[first..last], self.text, self.small)?;
            let singular = if attribute == "hobby" { "hobby" } else { joined.as_str() };
            let verb = if attribute == "hobby" { "is" } else { verb };
            let told = format!("{}'s {singular} {verb} {}", owner.told, value.told);
            found.push(self.statement(owner.key.clone(), &attribute, &value, &told, at, last, false));
        }
        (!found.is_empty()).then_some((found, behind))
    }

    /// "Falls" in "my birthday falls on".
    fn falls(&self, at: usize) -> bool {
        self.words[at].lower == "falls" && self.words.get(at + 1).is_some_and(|t| t.lower == "on")
    }

    /// Whether what is had is said without "my": "favourite colour is teal", "husband's name is Idris".
    fn is_ownerless(&self, at: usize) -> bool {
        let first = Words(
            "\
            favourite|favorite|fav|fave|birthday|bday|timezone|pronouns|hometown|blood|native|mother|shoe|star|\
            nationality|surname|nickname|hobbies|home|bin|all-time|dress|ring|shirt",
        );
        let word = self.words[at].lower.as_str();
        let begins = at == 0 || self.words[at - 1].lower != "'s";
        let named = self.words.get(at + 1).is_some_and(|t| t.lower == "'s")
            && self.words.get(at + 2).is_some_and(|t| t.lower == "name");
        begins && (first.contains(word) || KIN.contains(word) && named)
    }

    /// Who has what follows: "my", "our", "Ann's", "the project's".
    fn possessor(&self, at: usize) -> Option<(Subject, usize)> {
        if let Some((subject, next)) = owner(self.text, self.words, at, self.speaker) {
            let start = possessive_end(self.words, at, next)?;
            if let Some(kin) = self.kin_possessor(&subject, start) {
                return Some(kin);
            }
            let shared = subject.class == Class::We
                && self
                    .words
                    .get(start)
                    .is_some_and(|t| KIN.contains(t.lower.as_str()) || KIN_ADJECTIVES.contains(t.lower.as_str()));
            return Some((if shared { self.speaker.me() } else { subject }, start));
        }
        if self.is_ownerless(at) {
            return Some((self.speaker.me(), at));
        }
        let mark = (at + 1..(at + 5).min(self.words.len())).find(|&place| self.words[place].lower == "'s")?;
        let words = &self.words[at..mark];
        let named = words.iter().all(|t| t.capital);
        let thing = words[0].lower == "the" && words.len() > 1;
        if !(named || thing)
            || words[0].lower != "the" && NO_NAME.contains(words[0].lower.as_str())
            || words[0].lower == "let"
        {
            return None;
        }
        let raw = self.slice(at, mark);
        let key = if thing { format!("the {}", self.slice(at + 1, mark)) } else { raw.to_owned() };
        let class = if thing { Class::Thing } else { Class::Named };
        Some((Subject { class, told: key.clone(), key, plural: false, besides: None }, mark + 1))
    }

    /// "My son's" in "my son's birthday is".
    fn kin_possessor(&self, subject: &Subject, start: usize) -> Option<(Subject, usize)> {
        let mark = (start + 1..(start + 3).min(self.words.len())).find(|&place| self.words[place].lower == "'s")?;
        let noun: Vec<&str> = self.words[start..mark].iter().map(|t| t.lower.as_str()).collect();
        let names = self.words.get(mark + 1).is_none_or(|t| Words("name|called|named|a|an").contains(&t.lower))
            || subject.class != Class::Me;
        let noun = (is_kin(&noun) && !names).then(|| noun.join(" "))?;
        let (key, told) = (format!("{}'s {noun}", subject.key), format!("{}'s {noun}", subject.told));
        Some((Subject { class: Class::Me, key, told, plural: false, besides: None }, mark + 1))
    }
}

/// A noun without what says whose it is: "film of mine", "airport for me", "bin day here".
fn behind_mine(noun: &[Token]) -> (&[Token], bool) {
    let ends = [&["of", "mine"][..], &["for", "me"], &["here"]];
    let fits = |end: &&&[&str]| {
        noun.len() > end.len()
            && noun[noun.len() - end.len()..].iter().zip(end.iter()).all(|(word, wanted)| word.lower == *wanted)
    };
    match ends.iter().find(fits) {
        Some(end) => (&noun[..noun.len() - end.len()], true),
        None => (noun, false),
    }
}

/// What a team calls its own and gives a name to, by the last word.
const SYSTEMS: Words = Words(include_str!("../../data/clause/possessed/systems.txt"));

fn is_be(word: &Token) -> bool {
    matches!(word.lower.as_str(), "is" | "are" | "'s")
}

fn is_kin(noun: &[&str]) -> bool {
    let noun = noun.strip_suffix(&["in", "law"]).unwrap_or(noun);
    let Some((last, before)) = noun.split_last() else { return false };
    KIN.contains(last) && before.iter().all(|word| KIN_ADJECTIVES.contains(word))
}

/// "all-time favorite movie" as an attribute.
fn favourite(noun: &str) -> String {
    let from = noun.find("favo").or_else(|| noun.find("fav")).unwrap_or_default();
    normal_attribute(&noun[from..])
}
