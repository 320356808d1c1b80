//! The row of a fact as a thing.

use super::super::schema::Value;
use super::{FACTS, Said, certainty, moment, together};
use crate::project::project_of;
use crate::words::Trust;
use crate::{Event, Fields, event};

/// Whoever speaks without a name, as a subject.
const SPEAKER: &str = "user";

/// A fact as it stands at some moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FactRow {
    /// The agent whose it is; empty where it is shared.
    pub agent: String,
    /// The side of that agent.
    pub persona: String,
    /// Its id: that of the event that first stated it.
    pub fact: String,
    /// What it says.
    pub text: String,
    /// Its subject in one spelling, however it is written.
    pub about: String,
    /// Whom or what it is about; empty where nobody said.
    pub subject: String,
    /// What of it.
    pub attribute: String,
    /// And what that is.
    pub value: String,
    /// Whether the attribute has one value at a time.
    pub single: bool,
    /// From when it is true, in microseconds: as said, else when it was learned.
    pub valid_from: i64,
    /// Until when: as said, or when another took its place.
    pub valid_until: Option<i64>,
    /// Until when as said.
    pub stated_until: Option<i64>,
    /// When it was learned.
    pub learned: i64,
    /// How certain it is, in thousandths.
    pub confidence: i64,
    /// Where it comes from: the best of its sources.
    pub trust: String,
    /// The fact whose place it took.
    pub previous: Option<String>,
    /// The fact that took its place.
    pub superseded_by: Option<String>,
    /// The conversation where it was first learned.
    pub conversation: Option<String>,
    /// How many events state it.
    pub sources: i64,
    /// Whether it was taken away.
    pub deleted: bool,
    /// What any wording of it has in common.
    pub gist: String,
    /// The same without numbers and negation.
    pub topic: String,
    /// When it is forgotten by itself.
    pub expires: Option<i64>,
    /// Whether it is marked as not for others.
    pub private: bool,
    /// The project it is about; empty where it is about a person, or nobody said.
    pub project: String,
    /// The event that last stated it or took it away.
    pub event: String,
    /// The seq of that event.
    pub seq: u64,
}

impl FactRow {
    /// A fact that an event states for the first time.
    pub(super) fn new(lane: &[Value; 2], event: &Event, fields: &Fields, said: &Said) -> Self {
        let trust = event.trust();
        let text = |value: &Option<String>| value.clone().unwrap_or_default();
        let until = said.until.as_deref().and_then(moment);
        let said_certainty = said.confidence.filter(|said| (0.0..=1.0).contains(said));
        #[expect(clippy::cast_possible_truncation, reason = "between 0 and 1000")]
        let confidence = said_certainty.map_or(certainty(trust), |said| (said * 1000.0).round() as i64);
        Self {
            agent: lane[0].text().unwrap_or_default().to_owned(),
            persona: lane[1].text().unwrap_or_default().to_owned(),
            fact: event.header.id.clone(),
            text: fields.content.clone().unwrap_or_default(),
            about: about(said),
            subject: text(&said.subject),
            attribute: text(&said.attribute),
            value: text(&said.value),
            single: said.single,
            valid_from: said.from.as_deref().and_then(moment).unwrap_or(event.ts().0),
            valid_until: until,
            stated_until: until,
            learned: event.ts().0,
            confidence,
            trust: trust.word().to_owned(),
            previous: None,
            superseded_by: None,
            conversation: fields.conversation_id.clone(),
            sources: 1,
            deleted: false,
            gist: text(&said.gist),
            topic: text(&said.topic),
            expires: expiry(fields, said),
            private: event::is_private(&fields.tags),
            project: project(event, fields, said),
            event: event.header.id.clone(),
            seq: event.seq(),
        }
    }

    /// A row of the table.
    pub fn of(values: &[Value]) -> Self {
        let cell = |name: &str| FACTS.columns.iter().position(|own| *own == name).and_then(|at| values.get(at));
        let text = |name: &str| cell(name).and_then(Value::text).map(str::to_owned);
        let number = |name: &str| match cell(name) {
            Some(Value::Int(number)) => Some(*number),
            _ => None,
        };
        let must = |name: &str| text(name).unwrap_or_default();
        Self {
            agent: must("agent"),
            persona: must("persona"),
            fact: must("fact"),
            text: must("text"),
            about: must("about"),
            subject: must("subject"),
            attribute: must("attribute"),
            value: must("value"),
            single: number("single") == Some(1),
            valid_from: number("valid_from").unwrap_or(0),
            valid_until: number("valid_until"),
            stated_until: number("stated_until"),
            learned: number("learned").unwrap_or(0),
            confidence: number("confidence").unwrap_or(0),
            trust: must("trust"),
            previous: text("previous"),
            superseded_by: text("superseded_by"),
            conversation: text("conversation"),
            sources: number("sources").unwrap_or(0),
            deleted: number("deleted") == Some(1),
            gist: must("gist"),
            topic: must("topic"),
            expires: number("expires"),
            private: number("private") == Some(1),
            project: must("project"),
            event: must("event"),
            seq: number("seq").and_then(|seq| u64::try_from(seq).ok()).unwrap_or(0),
        }
    }

    /// The row, in the order of the table.
    pub(super) fn values(&self) -> Vec<Value> {
        vec![
            self.agent.as_str().into(),
            self.persona.as_str().into(),
            self.fact.as_str().into(),
            self.text.as_str().into(),
            self.about.as_str().into(),
            self.subject.as_str().into(),
            self.attribute.as_str().into(),
            self.value.as_str().into(),
            Value::Int(self.single.into()),
            self.valid_from.into(),
            self.valid_until.into(),
            self.stated_until.into(),
            self.learned.into(),
            self.confidence.into(),
            self.trust.as_str().into(),
            self.previous.as_deref().into(),
            self.superseded_by.as_deref().into(),
            self.conversation.as_deref().into(),
            self.sources.into(),
            Value::Int(self.deleted.into()),
            self.gist.as_str().into(),
            self.topic.as_str().into(),
            self.expires.into(),
            Value::Int(self.private.into()),
            self.project.as_str().into(),
            self.event.as_str().into(),
            self.seq.into(),
        ]
    }

    /// How far it is trusted.
    pub fn trust(&self) -> Trust {
        Trust::parse(&self.trust).unwrap_or(Trust::External)
    }

    /// Whether it can be superseded: a subject and an attribute that has one value at a time.
    pub fn has_slot(&self) -> bool {
        self.single && !self.subject.is_empty() && !self.attribute.is_empty()
    }

    /// Whether it is true at a moment: not deleted, and within its time.
    pub fn holds_at(&self, moment: i64) -> bool {
        !self.deleted && self.valid_from <= moment && self.valid_until.is_none_or(|until| moment < until)
    }

    /// Whether another statement can be about the same thing: what both say of their parts is the same.
    pub(super) fn agrees(&self, other: &Self) -> bool {
        let same =
            |one: &str, other: &str| one.is_empty() || other.is_empty() || one.to_lowercase() == other.to_lowercase();
        same(&self.about, &other.about)
            && same(&self.attribute, &other.attribute)
            && same(&self.value, &other.value)
            && self.private == other.private
            && self.project == other.project
    }

    /// Another source of the same: more certain, trusted as the best of them.
    pub(super) fn join(&mut self, other: &Self, said: &Said) {
        self.sources += 1;
        let (own, others) = (self.trust(), other.trust());
        // What it means and when it ends is for those to say who are trusted as much; nor do others say how sure they are.
        let may = others.may_change(own);
        let confidence = if may { other.confidence } else { other.confidence.min(certainty(others)) };
        self.confidence = together(self.confidence, confidence);
        if others < own {
            // It is told in the words of whoever is trusted most, and holds when they say.
            self.trust.clone_from(&other.trust);
            self.text.clone_from(&other.text);
            self.valid_from = self.valid_from.min(other.valid_from);
            (self.valid_until, self.stated_until) = (other.stated_until, other.stated_until);
        }
        // What one statement leaves open another may say.
        for (own, others) in [
            (&mut self.about, &other.about),
            (&mut self.subject, &other.subject),
            (&mut self.attribute, &other.attribute),
            (&mut self.value, &other.value),
        ] {
            if may && own.is_empty() {
                own.clone_from(others);
            }
        }
        self.single |= may && other.single && !self.attribute.is_empty();
        if said.until.is_some() && may {
            self.stated_until = other.stated_until;
            self.valid_until = match (self.valid_until, other.stated_until) {
                (Some(known), Some(stated)) => Some(known.min(stated)),
                (known, stated) => known.or(stated),
            };
        }
        self.expires = match (self.expires, other.expires) {
            (own, _) if !may => own,
            (Some(one), Some(other)) => Some(one.max(other)),
            _ => None,
        };
        self.touched(&other.event, other.seq);
    }

    /// A new wording: what is not said stays as it was.
    pub(super) fn reword(&mut self, event: &Event, fields: &Fields, said: &Said) {
        if let Some(text) = &fields.content {
            self.text.clone_from(text);
        }
        for (own, new) in [
            (&mut self.subject, &said.subject),
            (&mut self.attribute, &said.attribute),
            (&mut self.value, &said.value),
            (&mut self.gist, &said.gist),
            (&mut self.topic, &said.topic),
        ] {
            if let Some(new) = new {
                own.clone_from(new);
            }
        }
        if said.subject.is_some() {
            self.about = about(said);
        }
        if said.attribute.is_some() {
            self.single = said.single;
        }
        self.valid_from = said.from.as_deref().and_then(moment).unwrap_or(self.valid_from);
        self.stated_until = said.until.as_deref().and_then(moment).or(self.stated_until);
        self.valid_until = self.stated_until;
        self.expires = expiry(fields, said).or(self.expires);
        // Without words of its own it is told by the event before, and gone when that is.
        if fields.content.is_some() {
            self.touch(event);
        }
    }

    /// Notes which event it is told by.
    pub(super) fn touch(&mut self, event: &Event) {
        self.touched(&event.header.id, event.seq());
    }

    fn touched(&mut self, event: &str, seq: u64) {
        event.clone_into(&mut self.event);
        self.seq = seq;
    }
}

fn about(said: &Said) -> String {
    said.about.clone().or_else(|| said.subject.as_deref().map(str::to_lowercase)).unwrap_or_default()
}

/// The project that a fact is about. What somebody says of themselves is so wherever they work.
fn project(event: &Event, fields: &Fields, said: &Said) -> String {
    let about = about(said);
    let is_author = fields.author.as_deref().is_some_and(|author| author.to_lowercase() == about);
    let words = said.quote.as_deref().unwrap_or_default().to_lowercase();
    let mut words = words.split(|c: char| !c.is_alphanumeric());
    let is_personal = about == SPEAKER || is_author || words.any(|word| ["i", "my", "me", "mine"].contains(&word));
    let project = project_of(fields.source.as_deref(), event.origin()).filter(|_| !is_personal);
    project.unwrap_or_default().to_owned()
}

/// When it is forgotten by itself: in the field for it, or in the metadata as it was said before there was one.
fn expiry(fields: &Fields, said: &Said) -> Option<i64> {
    fields.expires_at.map(|time| time.0).or_else(|| said.expires.as_deref().and_then(moment))
}
