//! A fact on its way into the log: what is said of it, filled in by rules where nobody said, and the event that carries it.

use idetic_core::views::FACT_STORED;
use idetic_core::{Record, Time, limits};
use idetic_extract::Statement;
use idetic_extract::sameness::gist;
use serde_json::{Map, Value, json};

use crate::{Error, Result};

/// Longest text of a fact: what is longer is a document.
const FACT_MAX_BYTES: usize = 4096;

/// A fact that is to be stored.
#[derive(Debug, Clone, Default)]
pub struct FactDraft {
    /// What it says.
    pub text: String,
    /// Whom or what it is about.
    pub subject: Option<String>,
    /// What of it.
    pub attribute: Option<String>,
    /// And what that is.
    pub value: Option<String>,
    /// Whether the attribute can have many values at a time; rules decide where nobody says.
    pub many: Option<bool>,
    /// From when it is true.
    pub from: Option<Time>,
    /// Until when.
    pub until: Option<Time>,
    /// When it is forgotten by itself.
    pub expires: Option<Time>,
    /// When it was said, if not now.
    pub ts: Option<Time>,
    /// The conversation where it was learned.
    pub conversation: Option<String>,
    /// The loop in which it was learned.
    pub loop_id: Option<String>,
    /// How certain it is, from 0 to 1.
    pub confidence: Option<f64>,
    /// Who said it.
    pub author: Option<String>,
    /// Where it was said: the source of the event it comes from.
    pub source: Option<String>,
    /// Where it comes from.
    pub trust: Option<String>,
    /// Labels.
    pub tags: Vec<String>,
    /// The events it was derived from.
    pub causes: Vec<String>,
    /// The words of its source that say so.
    pub quote: Option<String>,
    /// The extraction that found it.
    pub extraction: Option<String>,
    /// Anything else that is to be kept beside it.
    pub given: Option<Map<String, Value>>,
    /// The fact that gets this wording, where it is not a new one.
    pub fact: Option<String>,
    /// The events whose texts this takes the place of.
    pub supersedes: Vec<String>,
}

impl FactDraft {
    /// Whether it says something that can be stored.
    pub fn check(&self) -> Result<()> {
        if self.text.trim().is_empty() {
            return Err(Error::invalid("the fact is empty").hint("say what is true, in one sentence"));
        }
        if self.text.len() > FACT_MAX_BYTES {
            return Err(Error::invalid(format!("the fact is {} bytes long", self.text.len()))
                .hint(format!("at most {FACT_MAX_BYTES} bytes: one fact each; a long text is for `idetic remember`")));
        }
        for (name, part) in [("subject", &self.subject), ("attribute", &self.attribute), ("value", &self.value)] {
            let Some(part) = part else { continue };
            if part.trim().is_empty() || part.len() > limits::NAME_MAX_BYTES {
                return Err(Error::invalid(format!("{name} is empty or longer than {} bytes", limits::NAME_MAX_BYTES))
                    .hint(format!("leave {name} out, or name it in a few words")));
            }
        }
        if let (Some(from), Some(until)) = (self.from, self.until)
            && until <= from
        {
            return Err(Error::invalid(format!("it would end ({until}) before it begins ({from})"))
                .hint("name a later --until, or an earlier --at"));
        }
        match self.confidence {
            Some(said) if !(0.0..=1.0).contains(&said) => {
                Err(Error::invalid(format!("confidence {said} is not between 0 and 1")).hint("0.8, for instance"))
            }
            _ => Ok(()),
        }
    }

    /// Fills in what nobody said: a sentence that plainly states one thing says it itself.
    pub fn fill_in(&mut self) {
        if self.subject.is_some() || self.attribute.is_some() || self.value.is_some() {
            return;
        }
        if let [Statement { subject, attribute, value, single, negated: false, .. }] =
            &idetic_extract::statements(&self.text, None)[..]
            && !attribute.is_empty()
        {
            self.subject = Some(subject.clone());
            self.attribute = Some(attribute.clone());
            self.value = Some(value.clone());
            self.many = self.many.or(Some(!single));
        }
    }

    /// Whether another value takes the place of this one.
    fn is_single(&self) -> bool {
        let named = self.attribute.as_deref().map(idetic_extract::normal_attribute);
        named.is_some_and(|attribute| !self.many.unwrap_or(!idetic_extract::is_single(&attribute)))
    }

    /// The record that carries it, for whoever appends many at once.
    pub fn to_record(mut self) -> Result<Record> {
        self.check()?;
        self.fill_in();
        self.record(None)
    }

    /// The event that carries it.
    pub(crate) fn record(&self, same_as: Option<&str>) -> Result<Record> {
        // Its words in another form would not be known for a secret.
        let gist = gist(&idetic_extract::without_secrets(&self.text));
        let mut about = Map::new();
        let mut put = |key: &str, value: Option<String>| {
            if let Some(value) = value {
                about.insert(key.to_owned(), value.into());
            }
        };
        put("fact", self.fact.clone());
        put("same_as", same_as.map(str::to_owned));
        put("about", self.subject.as_deref().map(idetic_extract::normal_subject));
        put("subject", self.subject.as_deref().map(subject));
        put("attribute", self.attribute.as_deref().map(idetic_extract::normal_attribute));
        put("value", self.value.as_deref().map(|value| value.trim().to_owned()));
        put("from", self.from.map(|time| time.to_string()));
        put("until", self.until.map(|time| time.to_string()));
        put("gist", Some(gist.key()));
        put("topic", Some(gist.topic()));
        put("quote", self.quote.clone());
        put("extraction", self.extraction.clone());
        if self.attribute.is_some() {
            about.insert("single".to_owned(), self.is_single().into());
        }
        if let Some(said) = self.confidence {
            about.insert("confidence".to_owned(), json!(said));
        }
        if let Some(given) = self.given.clone().filter(|given| !given.is_empty()) {
            about.insert("given".to_owned(), given.into());
        }
        if !self.supersedes.is_empty() {
            about.insert("supersedes".to_owned(), self.supersedes.clone().into());
        }
        let mut body = json!({"kind": FACT_STORED, "content": self.text.trim(), "metadata": about});
        if let Some(body) = body.as_object_mut() {
            let texts = [
                ("ts", self.ts.map(|time| time.to_string())),
                ("expires_at", self.expires.map(|time| time.to_string())),
                ("conversation_id", self.conversation.clone()),
                ("loop_id", self.loop_id.clone()),
                ("author", self.author.clone()),
                ("source", self.source.clone()),
                ("trust", self.trust.clone()),
            ];
            body.extend(texts.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?.into()))));
            let lists = [("tags", &self.tags), ("causes", &self.causes)];
            body.extend(
                lists
                    .into_iter()
                    .filter(|(_, list)| !list.is_empty())
                    .map(|(key, list)| (key.to_owned(), list.clone().into())),
            );
        }
        Ok(Record::parse(body.to_string().as_bytes())?)
    }
}

/// A subject as it is written; whoever speaks for themselves is the user.
fn subject(written: &str) -> String {
    let normal = idetic_extract::normal_subject(written);
    if normal == "user" { normal } else { written.trim().to_owned() }
}
