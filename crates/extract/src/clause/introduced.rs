//! Someone who says who they are: a name, and what stands behind it.

use super::super::Statement;
use super::super::kind::Kind;
use super::super::subject::{Class, Subject};
use super::super::words::Words;
use super::{Read, Reader};

impl Reader<'_> {
    /// "I'm Ann", at the beginning of a text.
    pub(super) fn introduced(&self, subject: &Subject, at: usize, start: usize) -> Option<Read> {
        let is = self.words.get(at).filter(|t| t.lower == "am" && subject.class == Class::Me && self.opening)?;
        let (value, next) = self.one(Kind::Name, at + 1)?;
        let capital = self.words.get(at + 1).is_some_and(|t| t.capital) && is.word;
        let adjective = ["ish", "ese", "ian", "ean", "ing", "ed"].iter().any(|end| value.plain.ends_with(end));
        if !capital
            || adjective
            || self.words.get(next).is_some_and(|t| t.word && !matches!(t.lower.as_str(), "and" | "from"))
        {
            return None;
        }
        let told = format!("{}'s name is {}", subject.told, value.told);
        let mut found = vec![self.statement(subject.key.clone(), "name", &value, &told, start, next, false)];
        let behind = self.described(subject, start, next, &mut found);
        Some((found, behind))
    }

    /// What stands behind a name between commas: ", 43, a joiner from Cork".
    fn described(&self, subject: &Subject, start: usize, mut at: usize, found: &mut Vec<Statement>) -> usize {
        let is = |place: usize, any: Words| self.words.get(place).is_some_and(|t| any.contains(&t.lower));
        let ends = |place: usize| self.words.get(place).is_none_or(|t| !t.word || Words("and|from").contains(&t.lower));
        while is(at, Words(",")) {
            let article = is(at + 1, Words("a|an"));
            let (attribute, kind, from) =
                if article { ("works_as", Kind::Job, at + 2) } else { ("age", Kind::Age, at + 1) };
            let Some((value, next)) = self.one(kind, from).filter(|(_, next)| ends(*next)) else { break };
            let word = if article { format!("{} ", self.words[at + 1].lower) } else { String::new() };
            let told = format!("{} is {word}{}", subject.told, value.told);
            found.push(self.statement(subject.key.clone(), attribute, &value, &told, start, next, false));
            at = next;
        }
        if is(at, Words("from"))
            && let Some((value, next)) = self.one(Kind::Place, at + 1)
        {
            let told = format!("{} is from {}", subject.told, value.told);
            found.push(self.statement(subject.key.clone(), "from", &value, &told, start, next, false));
            at = next;
        }
        at
    }
}
