//! Clauses in another order than subject, verb, value: "dark mode is what I like", "I'd rather have tea than coffee".

use super::super::Statement;
use super::super::doubt::starts;
use super::super::kind::Kind;
use super::super::patterns::Pattern;
use super::super::subject::{Class, Subject, apposition, besides, kin_noun};
use super::super::value::{fits, values};
use super::super::vocabulary::{DAYS, KIN};
use super::super::words::Words;
use super::{Read, Reader};

/// What someone can be said to do always or never, by the verb.
const HABITS: Words = Words(include_str!("../../data/clause/turned/habits.txt"));

/// Words of what happens in passing and is no habit.
const NO_HABIT: Words = Words(include_str!("../../data/clause/turned/no_habit.txt"));

/// How a preference is said as a standing wish.
const WISHES: Words = Words(include_str!("../../data/clause/turned/wishes.txt"));

/// What turns "is what" into a pattern: the verb and its attribute.
const CLEFTS: &[(&str, &str, Kind)] = &[
    ("like", "likes", Kind::Liking),
    ("love", "likes", Kind::Liking),
    ("enjoy", "likes", Kind::Liking),
    ("prefer", "prefers", Kind::Preference),
    ("hate", "dislikes", Kind::Liking),
    ("use", "uses", Kind::Tool),
];

/// What is done with things: the verb, how it is told of them, where it is done, and what the place looks like.
const DONE: &[(&str, &str, &str, Kind)] = &[
    ("keep", "kept", "in|on|under|at", Kind::Spot),
    ("store", "kept", "in|on|under|at", Kind::Spot),
    ("write", "written", "in", Kind::Proper),
    ("build", "built", "with", Kind::Proper),
    ("host", "hosted", "on|at|in", Kind::Proper),
    ("track", "tracked", "in", Kind::Proper),
    ("test", "tested", "with", Kind::Proper),
    ("manage", "managed", "in|with", Kind::Proper),
];

impl Reader<'_> {
    /// A clause in another order.
    pub(super) fn turned(&self, at: usize) -> Option<Read> {
        self.here(at)
            .or_else(|| self.wished(at))
            .or_else(|| self.cleft(at))
            .or_else(|| self.kept(at))
            .or_else(|| self.habit(at))
    }

    /// Whether a sentence that begins here leaves out "I": "love rye bread", "allergic to nuts", "got two cats".
    pub(super) fn leaves_out(&self, at: usize) -> bool {
        let verb = Words(
            "\
            love|hate|prefer|adore|dislike|loathe|detest|got|been|can|live|allergic|severely|deathly|based|\
            originally|fluent|married|grew|vegan|vegetarian|work",
        );
        let no_object = Words("speech|letter|letters|story|stories|song|songs|crime|mail|on|in|with|through|together");
        let word = |place: usize| self.words.get(place).map_or("", |t| t.lower.as_str());
        let lives = word(at) == "live" && word(at + 1) == "in";
        verb.contains(word(at)) && (lives || !no_object.contains(word(at + 1)))
    }

    /// "Vegan here", "lactose intolerant here".
    fn here(&self, at: usize) -> Option<Read> {
        let end = (at + 1..at + 4).find(|&place| self.words.get(place).is_some_and(|t| t.lower == "here"))?;
        let said = &self.words[at..end];
        if self.words.get(end + 1).is_some_and(|t| t.word && t.lower != "btw") {
            return None;
        }
        let kinds = [(Kind::Diet, "diet"), (Kind::Trait, "trait")];
        let (value, attribute) =
            kinds.iter().find_map(|(kind, name)| Some((fits(*kind, said, self.text, self.small)?, *name)))?;
        let told = format!("{} is {}", self.speaker.told(), value.told);
        Some((vec![self.statement(self.speaker.key(), attribute, &value, &told, at, end, false)], end))
    }

    /// "I'd rather have bullet points than prose", "always give me metric units".
    fn wished(&self, at: usize) -> Option<Read> {
        let next = WISHES.iter().filter_map(|way| starts(self.words, at, way)).max()?;
        let (value, behind) = self.one(Kind::Preference, next)?;
        // "I'd rather have died" and "always give me a call" wish for something else.
        if value.plain.ends_with("ed") || value.plain != value.told {
            return None;
        }
        let told = format!("{} prefers {}", self.speaker.told(), value.told);
        Some((vec![self.statement(self.speaker.key(), "prefers", &value, &told, at, behind, false)], behind))
    }

    /// "Dark mode is what I like".
    fn cleft(&self, at: usize) -> Option<Read> {
        let is = (at + 1..at + 6).find(|&place| self.words.get(place).is_some_and(|t| t.lower == "is"))?;
        starts(self.words, is + 1, "what i").or_else(|| starts(self.words, is + 1, "what we"))?;
        let verb = self.words.get(is + 3)?.lower.as_str();
        let (_, attribute, kind) = CLEFTS.iter().find(|(known, _, _)| *known == verb)?;
        let value = fits(*kind, &self.words[at..is], self.text, self.small)?;
        let told = format!("{} {verb}s {}", self.speaker.told(), value.told);
        Some((vec![self.statement(self.speaker.key(), attribute, &value, &told, at, is + 4, false)], is + 4))
    }

    /// "We keep the decorations in the loft", "we write our backend in Go": said of the thing.
    fn kept(&self, at: usize) -> Option<Read> {
        let word = |place: usize| self.words.get(place).map_or("", |t| t.lower.as_str());
        let (_, done, places, kind) = DONE.iter().find(|(verb, ..)| *verb == word(at + 1))?;
        let noun = at + 3;
        let place = (noun + 1..noun + 6).find(|&place| Words(places).contains(word(place)))?;
        let what = self.words.get(noun..place).filter(|_| matches!(word(at), "i" | "we"))?;
        if what.iter().any(|t| !t.word || matches!(t.lower.as_str(), "and" | "of" | "to" | "that")) {
            return None;
        }
        let (key, begins) = match word(at + 2) {
            "my" => (format!("{}'s", self.speaker.key()), format!("{}'s", self.speaker.told())),
            "the" | "our" => ("the".to_owned(), "The".to_owned()),
            _ => return None,
        };
        let (value, behind) = self.one(*kind, place + 1)?;
        let raw = self.slice(noun, place);
        let many = raw.ends_with('s') && !raw.ends_with("ss");
        let attribute = format!("{done}_{}", word(place));
        let is = if many { "are" } else { "is" };
        let told = format!("{begins} {raw} {is} {done} {} {}", word(place), value.told);
        Some((vec![self.statement(format!("{key} {raw}"), &attribute, &value, &told, at, behind, false)], behind))
    }

    /// "I never fly", "I always take the window seat"; told as "Ann's habit is to never fly".
    fn habit(&self, at: usize) -> Option<Read> {
        let word = |place: usize| self.words.get(place).map_or("", |t| t.lower.as_str());
        let told = [format!("{} 's habit is to", self.speaker.told().to_lowercase()), "my habit is to".to_owned()];
        let behind = told.iter().find_map(|way| starts(self.words, at, way));
        let place = behind.or_else(|| (word(at) == "i").then_some(at + 1))?;
        let often = word(place);
        let verb = place + 1;
        let known = HABITS.contains(word(verb)) || HABITS.contains(&format!("{} {}", word(verb), word(verb + 1)));
        if !matches!(often, "always" | "never") || !known {
            return None;
        }
        let stops = Words(",|;|.|!|because|so|but|and|since|when|if|(|-|–|—|:|which|i|we|even|as");
        let end = (verb..self.words.len()).find(|&next| stops.contains(word(next))).unwrap_or(self.words.len());
        let said = &self.words[verb..end];
        let vague = |word: &str| {
            NO_HABIT.contains(word) || Words("this|that|it|you|your|them|me|him|her|there|here").contains(word)
        };
        // "Horror films I never watch" has said before what is not watched.
        let alone = Words("fly|drive|smoke|drink|cook|gamble|walk|cycle|bike|swim|run|tip|travel|drive|diet|snack");
        let cut = said.len() == 1 && !alone.contains(word(verb));
        if cut || said.len() > 8 || said.iter().any(|t| !t.word || vague(&t.lower)) {
            return None;
        }
        let value = fits(Kind::Habit, said, self.text, self.small)?;
        let told = format!("{}'s habit is to {often} {}", self.speaker.told(), value.told);
        Some((vec![self.statement(self.speaker.key(), often, &value, &told, at, end, false)], end))
    }

    /// What is said of the same subject behind a value: "at Norsk Hydro as an engineer", "two cats, Miso and Ponzu".
    pub(super) fn aside(&self, subject: &Subject, attribute: &str, start: usize, at: usize) -> Option<Read> {
        let word = |place: usize| self.words.get(place).map_or("", |t| t.lower.as_str());
        let working =
            Words("works_at|works_as|works_in|teaches|responsible_for|leads|manages|maintains|role|work_schedule");
        let (attribute, phrase, kind, from) = match (word(at), word(at + 1)) {
            ("as", "a" | "an") if matches!(attribute, "works_at" | "work_schedule") => {
                ("works_as", "works as", Kind::Job, at + 1)
            }
            ("at", _) if attribute == "studies" => ("studies_at", "studies at", Kind::Org, at + 1),
            ("at", _) if working.contains(attribute) && attribute != "works_at" => {
                ("works_at", "works at", Kind::Org, at + 1)
            }
            ("at", _) if attribute == "studied" => ("studied_at", "studied at", Kind::Org, at + 1),
            ("based", "in") => ("lives_in", "is based in", Kind::Place, at + 2),
            ("in", _) if attribute == "works_as" && self.words.get(at + 1).is_some_and(|t| t.capital) => {
                ("works_in", "works in", Kind::Field, at + 1)
            }
            ("," | ":", _) if attribute == "has" => return self.names_behind(subject, at),
            _ => return None,
        };
        let learns = attribute == "works_at" && self.words[start..at].iter().any(|t| t.lower.ends_with("student"));
        let (attribute, phrase) = if learns { ("studies_at", "studies at") } else { (attribute, phrase) };
        if matches!(subject.class, Class::Thing | Class::Bare | Class::We) || subject.plural {
            return None;
        }
        let (value, behind) = self.one(kind, from)?;
        let told = format!("{} {phrase} {}", subject.told, value.told);
        Some((vec![self.statement(subject.key.clone(), attribute, &value, &told, start, behind, false)], behind))
    }

    /// The names behind what someone has: ", Miso and Ponzu".
    fn names_behind(&self, subject: &Subject, comma: usize) -> Option<Read> {
        let (parts, behind) = values(self.words, comma + 1, Kind::Names);
        let noun = self.words.get(comma - 1)?.lower.as_str();
        let one = [noun, noun.strip_suffix('s').unwrap_or(noun), if noun == "children" { "child" } else { noun }];
        let noun = one.into_iter().rfind(|one| KIN.contains(one) && !one.ends_with('s'))?;
        let ends = self.words.get(behind).is_none_or(|t| !t.word);
        if !ends || parts.is_empty() || subject.class != Class::Me || self.small {
            return None;
        }
        let mut found = Vec::new();
        for (first, last) in parts {
            let name = fits(Kind::Name, &self.words[first..last], self.text, false)?;
            let mut known = besides(&subject.key, noun, &name.plain);
            known.span = self.words[first].span.start..self.words[last - 1].span.end;
            found.push(known);
        }
        Some((found, behind))
    }

    /// Relatives that are named anywhere in a sentence: "I live with my partner Rua".
    pub fn kin_in_passing(&self, from: usize) -> Vec<Statement> {
        let mut found = Vec::new();
        for at in from..self.words.len() {
            if !matches!(self.words[at].lower.as_str(), "my" | "our") || self.small {
                continue;
            }
            let kind = usize::from(self.words.get(at + 1).is_some_and(|t| t.capital));
            let Some((noun, last)) = kin_noun(self.words, at + 1 + kind) else { continue };
            if let Some((name, behind)) = apposition(self.text, self.words, last + 1).filter(|_| !noun.ends_with('s')) {
                let mut known = besides(&self.speaker.key(), &noun, &name);
                known.span = self.words[at].span.start..self.words[behind - 1].span.start;
                found.push(known);
                continue;
            }
            let end = (last + 1..last + 3)
                .take_while(|&place| self.words.get(place).is_some_and(|t| t.capital && t.word))
                .last();
            let Some(end) = end.filter(|_| !noun.ends_with('s') || noun == "boss") else { continue };
            if let Some(name) = fits(Kind::Name, &self.words[last + 1..=end], self.text, false) {
                let mut known = besides(&self.speaker.key(), &noun, &name.plain);
                known.span = self.words[at].span.start..self.words[end].span.end;
                found.push(known);
            }
        }
        found
    }

    /// Whether a thing without an article can be said to be so: times, numbers and names, and no "lunch is at noon".
    pub(super) fn is_said_of_bare(&self, pattern: &Pattern, key: &str) -> bool {
        let sure = matches!(
            pattern.kind,
            Kind::Clock
                | Kind::Port
                | Kind::Date
                | Kind::Day
                | Kind::Measure
                | Kind::Counted
                | Kind::Versioned
                | Kind::Name
                | Kind::Spot
                | Kind::Setting
                | Kind::ClockOrPath
        );
        let comes_back = Words(
            "\
            standup|stand-up|retro|retrospective|planning|sync|review|reviews|grooming|refinement|demo|all-hands|class|\
            practice|training|rehearsal|choir|therapy|hours|rent|payday|day|standups|syncs|retros|deploys|releases|\
            backups|builds|deployments|demos|scrum|daily|checkin|check-in|service|mass|club",
        );
        let again = || {
            let lower = key.to_lowercase();
            let head =
                lower.split(" for ").next().and_then(|head| head.rsplit(' ').next()).unwrap_or_default().to_owned();
            comes_back.contains(head.as_str())
                || self.words.iter().any(|t| {
                    matches!(t.lower.as_str(), "every" | "daily" | "weekly" | "weekdays")
                        || t.lower.ends_with("days") && DAYS.contains(t.lower.as_str())
                })
        };
        let timed = matches!(pattern.phrase, "be at" | "be on" | "be every" | "start at" | "start on" | "end at");
        let set = pattern.kind == Kind::Setting || pattern.attribute == "is" || pattern.attribute == "has";
        sure && (!timed || again()) && (!set || is_bare_setting(key))
    }
}

/// Whether a thing without an article is one that is set to something: "log retention on Beacon".
fn is_bare_setting(key: &str) -> bool {
    let head = [" on ", " for ", " of ", " in "].iter().fold(key, |head, cut| head.split(cut).next().unwrap_or(head));
    super::is_setting_name(head)
}
