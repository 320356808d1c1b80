//! What an agent says and does, for a person.

use std::io::{self, Write};

use idetic_ops::{AgentAnswer, AgentPart, Extracted, Learned, UsageLine};

use super::{HumanOutput, Paint, one_line, plain, printable};

impl HumanOutput {
    /// Pieces of the answer come as they are; what stands behind it in a line of its own.
    pub(super) fn agent_part(&self, out: &mut dyn Write, part: &AgentPart) -> io::Result<()> {
        match part.part {
            "answer" | "prompt" => write!(out, "{}", printable(&part.text)),
            "thought" => writeln!(out, "{}", self.paint(Paint::Dim, &format!("thinks: {}", one_line(&part.text)))),
            "action" => writeln!(out, "{} {}", self.paint(Paint::Cyan, "calls:"), one_line(&part.text)),
            _ => writeln!(out, "{} {}", self.paint(Paint::Dim, "result:"), one_line(&part.text)),
        }?;
        out.flush()
    }

    pub(super) fn agent_answer(&self, out: &mut dyn Write, answered: &AgentAnswer) -> io::Result<()> {
        if let Some(answer) = &answered.answer {
            // In a terminal it was shown as it came.
            let shown = if self.terminal { String::new() } else { printable(answer) };
            writeln!(out, "{shown}")?;
        }
        for line in &answered.remembered {
            let causes = line.causes.iter().take(3).map(|cause| plain(cause)).collect::<Vec<_>>().join(", ");
            let from = self.paint(Paint::Dim, &format!("({causes})"));
            writeln!(out, "{} {}  {from}", self.paint(Paint::Yellow, line.what), one_line(&line.text))?;
        }
        for fact in &answered.facts {
            self.extracted(out, fact)?;
        }
        let episode =
            answered.episode.as_deref().map_or(String::new(), |id| format!(", kept as episode {}", plain(id)));
        let about = format!("conversation {}{episode}", plain(&answered.conversation_id));
        writeln!(out, "{}", self.paint(Paint::Dim, &about))
    }

    pub(super) fn extracted(&self, out: &mut dyn Write, found: &Extracted) -> io::Result<()> {
        let done = found.done.unwrap_or(if found.ends { "would end" } else { "would store" });
        let quote = self.paint(Paint::Dim, &format!("\"{}\" ({})", one_line(&found.quote), plain(&found.event)));
        writeln!(out, "{} {}  {quote}", self.paint(Paint::Green, done), one_line(&found.content))
    }

    pub(super) fn learned(&self, out: &mut dyn Write, learned: &Learned) -> io::Result<()> {
        let how = if learned.event.is_some() { "now follows" } else { "already follows" };
        writeln!(out, "{} {how}: {}", self.paint(Paint::Bold, &plain(&learned.agent)), one_line(&learned.note))
    }

    pub(super) fn usage_line(&self, out: &mut dyn Write, line: &UsageLine) -> io::Result<()> {
        let failed = if line.failed > 0 { format!(", {} failed", line.failed) } else { String::new() };
        writeln!(
            out,
            "{}  {}  {} calls{failed}, {} tokens read, {} written, cost {:.4}",
            self.paint(Paint::Bold, &plain(&line.model)),
            plain(&line.operation),
            line.calls,
            line.prompt_tokens,
            line.answer_tokens,
            line.cost,
        )
    }
}
