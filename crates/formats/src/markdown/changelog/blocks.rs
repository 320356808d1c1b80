//! Where the parts of a changelog begin and end.

use super::heading::{self, Heading, Numbered};
use super::{Changelog, Entry, Generation, Malformed, Marker, Part, Piece, fields};
use crate::markdown::Problem;
use crate::markdown::lines::{Lines, Quote, is_rule};

/// A heading and what it is to the log.
struct Mark<'a> {
    line: usize,
    level: usize,
    heading: Heading<'a>,
}

pub(super) fn read(text: &str) -> Changelog {
    let lines = Lines::of(text);
    let marks: Vec<Mark> = (0..lines.len())
        .filter_map(|line| {
            let (level, title) = lines.heading(line)?;
            Some(Mark { line, level, heading: heading::classify(level, title) })
        })
        .collect();
    let has_section = marks.iter().any(|mark| matches!(mark.heading, Heading::Events));
    let is_event = dated_events(&lines, &marks);
    let mut reader = Reader::new(&lines);
    let mut section = Where::Elsewhere;
    let mut at = 0;
    while let Some(mark) = marks.get(at) {
        let next = |ends: &dyn Fn(&Mark) -> bool| {
            marks[at + 1..].iter().position(ends).map_or(marks.len(), |behind| at + 1 + behind)
        };
        let behind = match &mark.heading {
            Heading::Event(_) | Heading::Wrong(_) if section == Where::Format && has_section => at + 1,
            Heading::Event(event) => {
                if has_section && section == Where::Elsewhere {
                    reader.problems.push(outside(&lines, mark.line, event.id));
                }
                let behind = next(&|m| m.level <= 3 || is_eventish(&m.heading));
                reader.numbered(mark.line, end_line(&lines, &marks, behind), event);
                behind
            }
            // In a section that shows the format a heading with placeholders is meant to be wrong.
            Heading::Wrong(wrong) if section == Where::Format && wrong.number.is_none() => at + 1,
            Heading::Wrong(wrong) => {
                let behind = next(&|m| m.level <= 3 || is_eventish(&m.heading));
                reader.malformed(
                    mark.line,
                    end_line(&lines, &marks, behind),
                    wrong.number,
                    &wrong.reason,
                    heading::FORMAT,
                );
                behind
            }
            Heading::Dated { when, title } => {
                section = Where::Elsewhere;
                if is_event[at] {
                    let behind = next(&|m| m.level <= 2 || is_eventish(&m.heading));
                    let end = end_line(&lines, &marks, behind);
                    match when {
                        Ok((time, only_day)) => reader.dated(mark.line, end, (*time, *only_day), title),
                        Err(when) => reader.malformed(
                            mark.line,
                            end,
                            None,
                            &format!("'{when}' is not a date"),
                            heading::DATED_FORMAT,
                        ),
                    }
                    behind
                } else {
                    at + 1
                }
            }
            Heading::Archive { first, last } => {
                section = Where::Events;
                reader.marker(mark.line, Marker { first: *first, last: *last, line: mark.line as u64 + 1 });
                at + 1
            }
            Heading::Events => {
                section = Where::Events;
                at + 1
            }
            Heading::Format => {
                section = Where::Format;
                at + 1
            }
            Heading::Other => {
                if mark.level <= 2 {
                    section = Where::Elsewhere;
                }
                at + 1
            }
        };
        at = behind;
    }
    let end_of_events = end_of_events(&lines, &marks, &reader.entries);
    reader.finish(text, end_of_events)
}

#[derive(PartialEq, Eq)]
enum Where {
    Events,
    Format,
    Elsewhere,
}

fn is_eventish(heading: &Heading) -> bool {
    matches!(heading, Heading::Event(_) | Heading::Wrong(_))
}

fn end_line(lines: &Lines, marks: &[Mark], mark: usize) -> usize {
    marks.get(mark).map_or(lines.len(), |m| m.line)
}

fn outside(lines: &Lines, line: usize, id: &str) -> Problem {
    let reason = format!("{id} is outside the section of events");
    Problem::new(
        line as u64 + 1,
        "event-outside",
        reason,
        "events belong below the heading ## Event Log",
        lines.text(line),
    )
    .harmless()
}

/// Which of the headings with a date are events: those with a type, a scope or the known parts below them. Where one is,
/// the others are meant to be; in a changelog for people none is.
fn dated_events(lines: &Lines, marks: &[Mark]) -> Vec<bool> {
    let mut is_event = vec![false; marks.len()];
    for (at, mark) in marks.iter().enumerate() {
        if !matches!(mark.heading, Heading::Dated { .. }) {
            continue;
        }
        let behind = marks[at + 1..].iter().position(|m| m.level <= 2).map_or(marks.len(), |n| at + 1 + n);
        let has_part = marks[at + 1..behind].iter().any(|m| m.level == 3 && fields::is_part(lines.text(m.line)));
        let has_field = |line| {
            lines.quote(line) == Quote::Not
                && fields::field(lines.text(line)).is_some_and(|(name, _)| {
                    let name = fields::normal_key(name);
                    name == "type" || name == "scope"
                })
        };
        is_event[at] = has_part || (mark.line + 1..end_line(lines, marks, behind)).any(has_field);
    }
    if is_event.contains(&true) {
        marks.iter().zip(&mut is_event).for_each(|(mark, is)| *is |= matches!(mark.heading, Heading::Dated { .. }));
    }
    is_event
}

/// Behind the last section with events in it; without events, behind the last section that is meant for them.
fn end_of_events(lines: &Lines, marks: &[Mark], entries: &[Entry]) -> Option<usize> {
    let last_event = entries.iter().rev().find(|e| e.generation == Generation::Two).map(|e| e.line as usize - 1);
    let section = marks.iter().rev().find(|mark| matches!(mark.heading, Heading::Events)).map(|mark| mark.line);
    let from = last_event.or(section)?;
    let ends = |m: &&Mark| m.line > from && m.level <= 2 && !is_eventish(&m.heading);
    Some(marks.iter().find(ends).map_or(lines.begin(lines.len()), |mark| lines.begin(mark.line)))
}

struct Reader<'l, 'a> {
    lines: &'l Lines<'a>,
    pieces: Vec<Piece>,
    entries: Vec<Entry>,
    problems: Vec<Problem>,
    /// Up to where the pieces reach.
    done: usize,
}

impl<'l, 'a> Reader<'l, 'a> {
    fn new(lines: &'l Lines<'a>) -> Self {
        let never_closed = |at: &usize| {
            Problem::new(
                *at as u64 + 1,
                "unclosed",
                "a fence or a comment is opened and never closed",
                "close it; until then it is read as text, so that the events after it are not hidden",
                lines.text(*at),
            )
            .harmless()
        };
        let problems = lines.unclosed.iter().map(never_closed).collect();
        Self { lines, pieces: Vec::new(), entries: Vec::new(), problems, done: 0 }
    }

    fn piece(&mut self, range: std::ops::Range<usize>, part: Part) {
        if self.done < range.start {
            self.pieces.push(Piece { range: self.done..range.start, part: Part::Text });
        }
        self.done = range.end;
        self.pieces.push(Piece { range, part });
    }

    fn numbered(&mut self, first: usize, limit: usize, event: &Numbered) {
        let last = last_line(self.lines, first, limit, Generation::Two);
        let mut entry = fields::blank(Generation::Two, event.time, event.only_day, first, self.lines.span(first, last));
        let line = self.lines.text(first);
        let id_at = entry.range.start + line.find(event.id).unwrap_or(0);
        entry.id_range = Some(id_at..id_at + event.id.len());
        entry.number = Some(event.number);
        entry.id = event.id.to_owned();
        entry.agent = event.agent.to_owned();
        entry.kind = event.kind.clone();
        if event.parts_too_many {
            let reason = format!("the heading of {} has more than four parts", event.id);
            self.problems
                .push(Problem::new(first as u64 + 1, "heading-parts", reason, heading::FORMAT, line).harmless());
        }
        self.entry(entry, first, last);
    }

    fn dated(&mut self, first: usize, limit: usize, when: (idetic_core::Time, bool), title: &str) {
        let last = last_line(self.lines, first, limit, Generation::One);
        let mut entry = fields::blank(Generation::One, when.0, when.1, first, self.lines.span(first, last));
        entry.summary = title.to_owned();
        self.entry(entry, first, last);
    }

    fn entry(&mut self, mut entry: Entry, first: usize, last: usize) {
        fields::read(self.lines, first + 1..last + 1, &mut entry, &mut self.problems);
        self.piece(entry.range.clone(), Part::Event(self.entries.len()));
        self.entries.push(entry);
    }

    fn malformed(&mut self, first: usize, limit: usize, number: Option<u64>, reason: &str, remedy: &str) {
        let last = last_line(self.lines, first, limit, Generation::Two);
        let line = first as u64 + 1;
        self.problems.push(Problem::new(line, "malformed-event", reason, remedy, self.lines.text(first)));
        self.piece(self.lines.span(first, last), Part::Malformed(Malformed { number, line }));
    }

    /// The heading of a batch, and the comment below that names the milestone.
    fn marker(&mut self, line: usize, marker: Marker) {
        let comments = (line + 1..self.lines.len()).take_while(|at| self.lines.quote(*at) == Quote::Comment);
        let last = comments.last().unwrap_or(line);
        self.piece(self.lines.span(line, last), Part::Marker(marker));
    }

    fn finish(mut self, text: &str, end_of_events: Option<usize>) -> Changelog {
        if self.done < text.len() {
            self.pieces.push(Piece { range: self.done..text.len(), part: Part::Text });
        }
        self.problems.sort_by_key(|problem| problem.line);
        let Self { pieces, entries, problems, .. } = self;
        Changelog { text: text.to_owned(), pieces, entries, problems, end_of_events }
    }
}

/// The last line of a block: what follows a `---` is no longer part of it unless it is a field or a part, and blank lines,
/// rules and comments at its end only separate it from the next.
fn last_line(lines: &Lines, first: usize, limit: usize, generation: Generation) -> usize {
    let mut end = limit;
    for at in first + 1..limit {
        if is_separator(lines, at) {
            let goes_on = lines.next_said(at + 1, limit).is_some_and(|next| {
                lines.quote(next) == Quote::Not
                    && (fields::field(lines.text(next)).is_some()
                        || (generation == Generation::One && lines.heading(next).is_some()))
            });
            if !goes_on {
                end = at;
                break;
            }
        }
    }
    let says = |at: &usize| !lines.is_blank(*at) && lines.quote(*at) != Quote::Comment && !is_separator(lines, *at);
    (first + 1..end).rev().find(says).unwrap_or(first)
}

/// A rule that begins its line; one that is indented may be part of a detail.
fn is_separator(lines: &Lines, at: usize) -> bool {
    lines.quote(at) == Quote::Not && !lines.text(at).starts_with(' ') && is_rule(lines.text(at))
}
