//! Whether what was told is what should be known.

use std::collections::BTreeMap;
use std::fmt;

use idetic_core::tokens;

use super::play::Heard;
use super::script::{Script, Step};

/// How many of how many.
#[derive(Debug, Clone, Copy, Default)]
pub struct Share {
    pub count: usize,
    of: usize,
}

impl Share {
    fn take(&mut self, is_one: bool) {
        self.count += usize::from(is_one);
        self.of += 1;
    }

    fn add(&mut self, other: Self) {
        self.count += other.count;
        self.of += other.of;
    }

    pub fn percent(self) -> f64 {
        100.0 * self.count as f64 / self.of.max(1) as f64
    }
}

impl fmt::Display for Share {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:.1} % ({} of {})", self.percent(), self.count, self.of)
    }
}

/// Questions about one subject.
#[derive(Debug, Clone, Copy, Default)]
pub struct Subject {
    pub start: Share,
    pub either: Share,
}

/// What was reached.
#[derive(Debug, Clone, Default)]
pub struct Figures {
    sessions: usize,
    /// Of what a session should know without asking.
    pub start: Share,
    /// Of all that is asked.
    pub either: Share,
    pub wrong: Share,
    pub warned: Share,
    pub false_warnings: Share,
    tokens: Vec<usize>,
    pub by_subject: BTreeMap<String, Subject>,
}

/// What was not as it should be.
pub struct Missed {
    pub session: String,
    pub what: String,
}

impl Figures {
    /// Judges what the sessions of a script heard.
    pub fn judge(&mut self, script: &Script, heard: &Heard) -> Vec<Missed> {
        let mut missed = Vec::new();
        for (at, session) in script.sessions.iter().enumerate() {
            self.sessions += 1;
            let start = heard.starts[at].as_str();
            if !start.is_empty() {
                self.tokens.push(tokens::estimate(start));
            }
            let mut miss = |what: String| missed.push(Missed { session: session.id.clone(), what });
            for (asked, recalled) in session.questions.iter().zip(&heard.recalled[at]) {
                let in_start = tells(start, &asked.answer);
                let in_either = tells(&format!("{start}\n{recalled}"), &asked.answer);
                let of_subject = self.by_subject.entry(asked.about.clone()).or_default();
                if asked.from == "start" {
                    self.start.take(in_start);
                    of_subject.start.take(in_start);
                }
                self.either.take(in_either);
                of_subject.either.take(in_either);
                let what = format!("[{}] {} {:?}", asked.about, asked.question, asked.answer);
                match (in_either, in_start || asked.from != "start") {
                    (false, _) => miss(format!("NOT FOUND {what}")),
                    (true, false) => miss(format!("not in the start {what}")),
                    _ => {}
                }
            }
            for phrase in &session.wrong {
                let is_told = plain(start).contains(&plain(phrase));
                self.wrong.take(is_told);
                if is_told {
                    miss(format!("WRONG {phrase:?}"));
                }
            }
            let mut told = heard.failures[at].iter();
            for step in &session.events {
                let Step::Tool(tool) = step else { continue };
                if tool.exit_code == 0 {
                    continue;
                }
                let said = told.next().map(String::as_str).unwrap_or_default();
                if tool.warn.is_empty() {
                    self.false_warnings.take(!said.is_empty());
                    if !said.is_empty() {
                        miss(format!("FALSE WARNING at {:?}: {said}", tool.command));
                    }
                } else {
                    let is_warned = tells(said, &tool.warn);
                    self.warned.take(is_warned);
                    if !is_warned {
                        miss(format!("NOT WARNED at {:?} of {:?}: {said:?}", tool.command, tool.warn));
                    }
                }
            }
        }
        missed
    }

    pub fn add(&mut self, other: Self) {
        self.sessions += other.sessions;
        self.start.add(other.start);
        self.either.add(other.either);
        self.wrong.add(other.wrong);
        self.warned.add(other.warned);
        self.false_warnings.add(other.false_warnings);
        self.tokens.extend(other.tokens);
        for (subject, asked) in other.by_subject {
            let own = self.by_subject.entry(subject).or_default();
            own.start.add(asked.start);
            own.either.add(asked.either);
        }
    }

    pub fn median_tokens(&self) -> usize {
        let mut tokens = self.tokens.clone();
        tokens.sort_unstable();
        tokens.get(tokens.len() / 2).copied().unwrap_or_default()
    }

    pub fn row(&self, name: &str) -> [String; 8] {
        let most = self.tokens.iter().max().copied().unwrap_or_default();
        [
            name.to_owned(),
            self.sessions.to_string(),
            self.start.to_string(),
            self.either.to_string(),
            format!("{} of {}", self.wrong.count, self.wrong.of),
            self.warned.to_string(),
            self.false_warnings.to_string(),
            format!("{}, {most}", self.median_tokens()),
        ]
    }
}

/// Whether a text tells all of an answer.
fn tells(text: &str, answer: &[String]) -> bool {
    let text = plain(text);
    answer.iter().all(|words| words.split('|').any(|words| text.contains(&plain(words))))
}

/// A text in lower case, with one space between its words.
fn plain(text: &str) -> String {
    let text = text.to_lowercase().replace(['’', '‘'], "'");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
