//! Events for a person, whole or on one line.

use std::io::{self, Write};

use idetic_ops::EventNumber;
use idetic_ops::core::Event;

use super::{HumanOutput, Paint, labelled, one_line, plain, printable};

impl HumanOutput {
    pub(super) fn event(&self, out: &mut dyn Write, event: &Event, place: EventNumber) -> io::Result<()> {
        let mut pair = |name: &str, value: &str| {
            if value.is_empty() {
                Ok(())
            } else {
                writeln!(out, "{} {}", self.paint(Paint::Dim, &format!("{name:<13}")), plain(value))
            }
        };
        let header = &event.header;
        let owner = matches!(place, EventNumber::Seq(_));
        pair(if owner { "seq" } else { "pos" }, &place.number().to_string())?;
        pair("id", &header.id)?;
        pair("happened", &self.time(event.ts()))?;
        if owner {
            pair("recorded", &self.time(header.recorded_at))?;
        }
        pair("kind", &header.kind)?;
        let Some(fields) = &event.fields else { return pair("erased", "its text was erased") };
        pair("status", fields.status.map_or("", |s| s.word()))?;
        pair("visibility", event.visibility().word())?;
        pair("trust", event.trust().word())?;
        pair("origin", event.origin())?;
        pair("persona", fields.persona.map_or("", |p| p.word()))?;
        for (name, value) in [
            ("agent", &fields.agent_id),
            ("author", &fields.author),
            ("source", &fields.source),
            ("trace", &fields.trace_id),
            ("loop", &fields.loop_id),
            ("conversation", &fields.conversation_id),
            ("scope", &fields.scope),
            ("summary", &fields.summary),
        ] {
            pair(name, value.as_deref().unwrap_or_default())?;
        }
        pair("tags", &fields.tags.join(", "))?;
        pair("refs", &fields.refs.join(", "))?;
        pair("causes", &fields.causes.join(", "))?;
        pair("metadata", fields.metadata.as_ref().map_or("", |m| m.get()))?;
        if owner {
            pair("hash", &event.hash.to_string())?;
            pair("prev_hash", &header.prev_hash.to_string())?;
        }
        match &fields.content {
            Some(content) => writeln!(out, "\n{}", printable(content)),
            None => Ok(()),
        }
    }

    pub(super) fn event_line(&self, out: &mut dyn Write, event: &Event, number: u64) -> io::Result<()> {
        let fields = event.fields.as_ref();
        let who = fields.and_then(|f| f.author.as_deref().or(f.agent_id.as_deref())).unwrap_or("");
        write!(
            out,
            "{} {} {} {}",
            self.paint(Paint::Dim, &format!("{number:>6}")),
            self.paint(Paint::Dim, &self.time(event.ts())),
            self.outcome(fields.and_then(|f| f.status)),
            self.paint(Paint::Cyan, &event.header.kind),
        )?;
        if !who.is_empty() {
            write!(out, " {}", self.paint(Paint::Bold, &plain(who)))?;
        }
        if fields.is_some() {
            write!(out, "{}", labelled(event.origin()))?;
        }
        match fields {
            None => write!(out, " {}", self.paint(Paint::Dim, "(erased)"))?,
            Some(_) if !event.text().is_empty() => write!(out, "  {}", one_line(event.text()))?,
            Some(fields) => {
                if let Some(metadata) = &fields.metadata {
                    write!(out, "  {}", self.paint(Paint::Dim, &one_line(metadata.get())))?;
                }
            }
        }
        for tag in fields.map(|f| f.tags.as_slice()).unwrap_or_default() {
            write!(out, " {}", self.paint(Paint::Yellow, &format!("#{}", plain(tag))))?;
        }
        writeln!(out)
    }
}
