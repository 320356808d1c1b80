//! Answers as a person reads them.

mod agent;
mod agents;
mod events;
mod folder;
mod graph;
mod keys;
mod markdown;
mod notes;
mod purge;
mod quarantine;
mod recalled;
mod services;
mod status;
mod table;
mod told;

use std::io::{self, Write};

use idetic_ops::core::time::human_millis;
use idetic_ops::core::trace::is_failure;
use idetic_ops::core::words::Status as Outcome;
use idetic_ops::core::{Time, Trace};
use idetic_ops::search::stm::{StmEntry, StmHit};
use idetic_ops::{
    AgentReply, Checkup, Config, ConversationReply, DigestReply, Done, EpisodeReply, EventNumber, EventReply,
    FactReply, HomeReply, LtmEntry, MaintenanceReport, NoteReply, ProjectReply, QuestionReply, Reply, Retained, Scores,
    Settings, StatLine, Stats, TraceLine, Verdict, config,
};
use jiff::Timestamp;
use jiff::tz::TimeZone;

/// How a person is shown things.
pub struct HumanOutput {
    color: bool,
    zone: TimeZone,
    /// Whether an event is shown whole rather than as a line of a list.
    whole: bool,
    /// Whether it is a terminal, which obeys what it is sent.
    terminal: bool,
}

/// The longest text shown in a line of a list.
const LINE_CHARS: usize = 100;

/// A colour, or none.
#[derive(Clone, Copy)]
pub enum Paint {
    Dim,
    Bold,
    Red,
    Green,
    Yellow,
    Cyan,
}

/// Where something comes from that is neither a person's word nor plainly an agent's.
fn labelled(origin: &str) -> String {
    match origin {
        "user" | "agent" => String::new(),
        origin => format!(" [from {}]", plain(origin)),
    }
}

impl HumanOutput {
    /// In a terminal colours and local times, elsewhere neither.
    pub fn new(terminal: bool, no_color: bool, whole: bool, config: Option<&Config>) -> Self {
        let color = match config.map(|c| c.color) {
            Some(config::Color::Always) => true,
            Some(config::Color::Never) => false,
            Some(config::Color::Auto) | None => terminal && !no_color,
        };
        let local = terminal && config.is_none_or(|c| c.times == config::Times::Local);
        Self { color, zone: if local { TimeZone::system() } else { TimeZone::UTC }, whole, terminal }
    }

    /// Shows one answer.
    pub fn show(&self, out: &mut dyn Write, reply: &Reply) -> io::Result<()> {
        match reply {
            Reply::Event(reply) => self.event_reply(out, reply),
            Reply::Question(reply) => self.question_reply(out, reply),
            Reply::Fact(reply) => self.fact_reply(out, reply),
            Reply::Episode(reply) => self.episode_reply(out, reply),
            Reply::Conversation(reply) => self.conversation_reply(out, reply),
            Reply::Note(reply) => self.note_reply(out, reply),
            Reply::Agent(reply) => self.agent_reply(out, reply),
            Reply::Project(reply) => self.project_reply(out, reply),
            Reply::Home(reply) => self.home_reply(out, reply),
        }
    }

    fn event_reply(&self, out: &mut dyn Write, reply: &EventReply) -> io::Result<()> {
        match reply {
            EventReply::Ack(ack) => self.ack(out, ack),
            EventReply::Acks(acks) => acks.iter().try_for_each(|ack| self.ack(out, ack)),
            EventReply::Shown(line) => self.shown(out, line),
            EventReply::StartPreview(preview) => self.start_preview(out, preview),
            EventReply::Rule(line) => self.rule(out, line),
            EventReply::Event(event) if self.whole => self.event(out, event, EventNumber::Seq(event.seq())),
            EventReply::Event(event) => self.event_line(out, event, event.seq()),
            EventReply::Trace(trace) => self.trace(out, trace),
            EventReply::TraceLine(line) => self.trace_line(out, line),
            EventReply::Loop(entry) => self.loop_entry(out, entry),
            EventReply::LoopHit(hit) => self.loop_hit(out, hit),
            EventReply::Seen(seen) if self.whole => self.event(out, &seen.event, EventNumber::Pos(seen.pos)),
            EventReply::Seen(seen) => self.event_line(out, &seen.event, seen.pos),
            EventReply::Entry(entry) => self.entry(out, entry),
        }
    }

    fn question_reply(&self, out: &mut dyn Write, reply: &QuestionReply) -> io::Result<()> {
        match reply {
            QuestionReply::Recalled(recalled) => self.recalled(out, recalled),
            QuestionReply::Unanswered(unanswered) => {
                let qid = unanswered.qid.as_ref().map_or(String::new(), |qid| format!("{qid}: "));
                writeln!(out, "{}", self.paint(Paint::Red, &plain(&format!("{qid}{}", unanswered.error))))
            }
            QuestionReply::PackedContext(packed) => self.packed(out, packed),
            QuestionReply::Scores(scores) => self.scores(out, scores),
            QuestionReply::Rows(rows) if rows.csv => table::csv(out, rows, self.terminal),
            QuestionReply::Rows(rows) => table::table(out, rows, |title| self.paint(Paint::Bold, title)),
            QuestionReply::QueryLine(line) => {
                let parameters = line.parameters.iter().map(|p| format!(" {}", plain(p))).collect::<String>();
                let from = self.paint(Paint::Dim, &format!("({})", plain(&line.from)));
                writeln!(out, "{}{parameters}  {} {from}", self.paint(Paint::Bold, &line.name), one_line(&line.about))
            }
            QuestionReply::Graph(part) => self.graph(out, part),
            QuestionReply::GraphDrawing(drawing) => write!(out, "{}", printable(&drawing.text)),
            QuestionReply::FailureGroup(group) => self.failure_group(out, group),
            QuestionReply::Advice(advice) => self.advice(out, advice),
        }
    }

    fn fact_reply(&self, out: &mut dyn Write, reply: &FactReply) -> io::Result<()> {
        match reply {
            FactReply::Fact(fact) => self.fact(out, fact),
            FactReply::FactsFound(found) => self.facts(out, &found.facts),
            FactReply::FactStored(stored) => self.fact_stored(out, stored),
            FactReply::FactVersion(version) => self.fact_version(out, version),
            FactReply::FactsAtOdds(pair) => self.facts_at_odds(out, pair),
            FactReply::Extracted(found) => self.extracted(out, found),
        }
    }

    fn episode_reply(&self, out: &mut dyn Write, reply: &EpisodeReply) -> io::Result<()> {
        match reply {
            EpisodeReply::Episode(episode) => self.episode(out, episode),
            EpisodeReply::EpisodesFound(found) => self.episodes(out, &found.episodes),
            EpisodeReply::EpisodeStored(stored) => self.episode_stored(out, stored),
        }
    }

    fn conversation_reply(&self, out: &mut dyn Write, reply: &ConversationReply) -> io::Result<()> {
        match reply {
            ConversationReply::Conversation(shown) => self.conversation(out, &shown.conversation),
            ConversationReply::ConversationLine(line) => self.conversation_line(out, line),
            ConversationReply::ConversationChanged(changed) => self.conversation_changed(out, changed),
        }
    }

    fn note_reply(&self, out: &mut dyn Write, reply: &NoteReply) -> io::Result<()> {
        match reply {
            NoteReply::NoteSaved(saved) => self.note_saved(out, saved),
            NoteReply::NoteShown(shown) => self.note_shown(out, shown),
            NoteReply::NoteLine(line) => self.note_line(out, line),
            NoteReply::NoteVersion(version) => self.note_version(out, version),
            NoteReply::NoteRelated(near) => self.note_related(out, near),
            NoteReply::NoteFinding(finding) => self.note_finding(out, finding),
        }
    }

    fn agent_reply(&self, out: &mut dyn Write, reply: &AgentReply) -> io::Result<()> {
        match reply {
            AgentReply::Profile(profile) => self.profile(out, &profile.0),
            AgentReply::ProfileLine(line) => self.profile_line(out, line),
            AgentReply::SessionStarted(started) => Self::session_started(out, started),
            AgentReply::Session(session) => self.session(out, session),
            AgentReply::SessionEnded(ended) => Self::session_ended(out, ended),
            AgentReply::AgentAnswer(answered) => self.agent_answer(out, answered),
            AgentReply::AgentPart(part) => self.agent_part(out, part),
            AgentReply::Learned(learned) => self.learned(out, learned),
            AgentReply::UsageLine(line) => self.usage_line(out, line),
        }
    }

    fn project_reply(&self, out: &mut dyn Write, reply: &ProjectReply) -> io::Result<()> {
        match reply {
            ProjectReply::Folder(report) => self.folder(out, report),
            ProjectReply::Md(report) => self.md(out, report),
            ProjectReply::MdAppended(appended) => self.md_appended(out, appended),
            ProjectReply::MdBoot(boot) => self.md_boot(out, boot),
            ProjectReply::MdHandoff(handoff) => self.md_handoff(out, handoff),
            ProjectReply::MdEvent(event) => self.md_event(out, event),
            ProjectReply::MdEventLine(line) => self.md_event_line(out, line),
            ProjectReply::MdTask(task) => self.md_task(out, task),
            ProjectReply::MdText(text) => write!(out, "{}", printable(&text.text)),
        }
    }

    fn home_reply(&self, out: &mut dyn Write, reply: &HomeReply) -> io::Result<()> {
        match reply {
            HomeReply::MaintenanceReport(dreamt) => self.dreamt(out, dreamt),
            HomeReply::Stats(stats) => self.stats(out, stats),
            HomeReply::Status(status) => self.status(out, status),
            HomeReply::SpaceLine(line) => {
                let events = line.events.map_or("cannot be opened".to_owned(), |n| format!("{n} events"));
                writeln!(out, "{}  {events}", line.space)
            }
            HomeReply::Verdict(verdict) => self.verdict(out, verdict),
            HomeReply::Checkup(checkup) => self.checkup(out, checkup),
            HomeReply::Digest(digest) => Self::digest(out, digest),
            HomeReply::Settings(settings) => self.settings(out, settings),
            HomeReply::Raw(line) => writeln!(out, "{}", line.0.get()),
            HomeReply::Retained(retained) => self.retained(out, retained),
            HomeReply::Purged(purged) => self.purged(out, purged),
            HomeReply::Quarantined(told) => self.quarantined(out, told),
            HomeReply::KeyLine(line) => self.key_line(out, line),
            HomeReply::KeyMade(made) => self.key_made(out, made),
            HomeReply::Done(done) => Self::done(out, done),
            HomeReply::OperationLine(line) => {
                writeln!(out, "{:<12} {}", line.name, line.about)?;
                match &line.arguments {
                    Some(schema) => writeln!(out, "{schema:#}"),
                    None => Ok(()),
                }
            }
        }
    }

    /// A text in a colour, where colours are wanted.
    pub fn paint(&self, paint: Paint, text: &str) -> String {
        let code = match paint {
            Paint::Bold => 1,
            Paint::Dim => 2,
            Paint::Red => 31,
            Paint::Green => 32,
            Paint::Yellow => 33,
            Paint::Cyan => 36,
        };
        if self.color { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }

    /// A moment as it is shown.
    pub fn time(&self, time: Time) -> String {
        // The last hours of the year 9999 are in no zone but UTC.
        let Ok(stamp) = Timestamp::from_microsecond(time.0) else { return time.to_string() };
        let shown = stamp.to_zoned(self.zone.clone());
        let zone = if self.zone == TimeZone::UTC { "Z" } else { "" };
        shown.strftime(&format!("%Y-%m-%d %H:%M:%S{zone}")).to_string()
    }

    fn outcome(&self, status: Option<Outcome>) -> String {
        match status {
            Some(Outcome::Success) => self.paint(Paint::Green, "✓"),
            Some(Outcome::Failure) => self.paint(Paint::Red, "✗"),
            Some(Outcome::Timeout) => self.paint(Paint::Red, "⏱"),
            Some(Outcome::Pending) => self.paint(Paint::Yellow, "⋯"),
            None => " ".to_owned(),
        }
    }

    fn trace(&self, out: &mut dyn Write, trace: &Trace) -> io::Result<()> {
        let (steps, total) = (trace.steps.len(), human_millis(trace.total_ms));
        writeln!(
            out,
            "{}  {steps} steps, {total}, from {}",
            self.paint(Paint::Bold, &plain(&trace.trace_id)),
            self.time(trace.started)
        )?;
        for step in &trace.steps {
            let event = &step.event;
            let status = event.fields.as_ref().and_then(|f| f.status);
            let since = human_millis(event.ts().millis_since(trace.started));
            let mut marks = String::new();
            if trace.first_failure == Some(event.seq()) {
                marks += &self.paint(Paint::Red, "  ← first failure");
            }
            if trace.bottleneck == Some(event.seq()) {
                marks += &self.paint(Paint::Yellow, "  ← slowest");
            }
            let kind = if is_failure(status) {
                self.paint(Paint::Red, &event.header.kind)
            } else {
                self.paint(Paint::Cyan, &event.header.kind)
            };
            writeln!(
                out,
                "  {:>8}  {} {kind}  {}{}  {}{marks}",
                format!("+{since}"),
                self.outcome(status),
                if step.measured { "" } else { "~" },
                human_millis(step.duration_ms),
                one_line(&event.told()),
            )?;
        }
        Ok(())
    }

    fn trace_line(&self, out: &mut dyn Write, line: &TraceLine) -> io::Result<()> {
        let failures = match line.failures {
            0 => String::new(),
            n => self.paint(Paint::Red, &format!("  {n} failed")),
        };
        writeln!(
            out,
            "{}  {}  {} events, {}{failures}",
            self.paint(Paint::Dim, &self.time(line.ended)),
            self.paint(Paint::Bold, &plain(&line.trace_id)),
            line.events,
            human_millis(line.total_ms)
        )
    }

    fn loop_hit(&self, out: &mut dyn Write, hit: &StmHit) -> io::Result<()> {
        let parts = format!("ratio {:.0}, recency {:.2}, boost {:.2}", hit.ratio, hit.recency, hit.boost);
        let score = self.paint(Paint::Bold, &format!("{:.3}", hit.score));
        writeln!(out, "{score} {}", self.paint(Paint::Dim, &parts))?;
        self.loop_entry(out, &hit.entry)
    }

    fn loop_entry(&self, out: &mut dyn Write, entry: &StmEntry) -> io::Result<()> {
        writeln!(
            out,
            "{}  {}  {} events, {}",
            self.paint(Paint::Dim, &self.time(entry.ended)),
            self.paint(Paint::Bold, &plain(&entry.loop_id)),
            entry.ltm.len(),
            self.paint(Paint::Cyan, &entry.kind)
        )?;
        entry.summary.lines().try_for_each(|line| writeln!(out, "    {}", one_line(line)))
    }

    fn entry(&self, out: &mut dyn Write, entry: &LtmEntry) -> io::Result<()> {
        let status = match entry.status {
            "retry" => self.paint(Paint::Red, entry.status),
            "pending" => self.paint(Paint::Yellow, entry.status),
            other => self.paint(Paint::Dim, other),
        };
        writeln!(
            out,
            "{} {} {status} {:.2} {}  {}{}",
            self.paint(Paint::Dim, &format!("{:>6}", entry.place.number())),
            self.paint(Paint::Dim, &self.time(entry.ts)),
            entry.importance,
            self.paint(Paint::Cyan, &entry.kind),
            one_line(&entry.summary),
            entry.why.as_deref().map_or(String::new(), |why| format!("  ({})", one_line(why)))
        )
    }

    fn dreamt(&self, out: &mut dyn Write, dreamt: &MaintenanceReport) -> io::Result<()> {
        let changed = dreamt.embedded + dreamt.regraded + dreamt.failed > 0;
        let c = &dreamt.consolidated;
        if changed {
            writeln!(out, "embedded {}, graded {}, failed {}", dreamt.embedded, dreamt.regraded, dreamt.failed)?;
        }
        if !c.is_nothing() {
            writeln!(
                out,
                "conversations ended {}, facts taken {}, merged {}, expired {}, pruned {}",
                c.conversations_ended, c.facts_promoted, c.facts_merged, c.expired, c.pruned
            )?;
        } else if !changed {
            writeln!(out, "everything is up to date")?;
        }
        match (&dreamt.model, &dreamt.coverage) {
            (Some(model), Some(c)) => {
                writeln!(out, "{model}: {} embedded, {} pending, {} to retry", c.embedded, c.pending, c.retry)
            }
            _ => Ok(()),
        }
    }

    fn scores(&self, out: &mut dyn Write, s: &Scores) -> io::Result<()> {
        writeln!(
            out,
            "{:<24} {:<14} {:>5}  R@5 {:>5.1}  R@10 {:>5.1}  R@20 {:>5.1}  R@50 {:>5.1}  hit@10 {:>5.1}  all@10 {:>5.1}  \
             MRR {:>5.1}  nDCG@10 {:>5.1}",
            s.set, s.category, s.questions, s.r5, s.r10, s.r20, s.r50, s.hit10, s.all10, s.mrr, s.ndcg10
        )
    }

    fn stats(&self, out: &mut dyn Write, stats: &Stats) -> io::Result<()> {
        writeln!(out, "{} events", stats.events)?;
        for (name, lines) in [
            ("kind", &stats.by_kind),
            ("status", &stats.by_status),
            ("source", &stats.by_source),
            ("agent", &stats.by_agent),
            ("day", &stats.by_day),
        ] {
            if !lines.is_empty() {
                self.stat_lines(out, name, lines)?;
            }
        }
        Ok(())
    }

    fn stat_lines(&self, out: &mut dyn Write, name: &str, lines: &[StatLine]) -> io::Result<()> {
        writeln!(out, "\n{}", self.paint(Paint::Bold, &format!("by {name}")))?;
        let width = lines.iter().map(|l| l.value.chars().count()).max().unwrap_or(0).min(60);
        for line in lines {
            let mean = line.mean_duration_ms.map_or(String::new(), |ms| format!("   mean {}", human_millis(ms)));
            writeln!(out, "  {:<width$} {:>8}{}", plain(&line.value), line.count, self.paint(Paint::Dim, &mean))?;
        }
        Ok(())
    }

    fn verdict(&self, out: &mut dyn Write, verdict: &Verdict) -> io::Result<()> {
        if verdict.ok {
            let mut erased =
                if verdict.erased > 0 { format!(", {} of them erased", verdict.erased) } else { String::new() };
            if verdict.archived > 0 {
                erased += &format!(", events 1 to {} in archives", verdict.archived);
            }
            if verdict.dropped > 0 {
                erased += &format!(" with the content of {} dropped", verdict.dropped);
            }
            let fine = self.paint(Paint::Green, "ok");
            return writeln!(out, "{fine}: {} events{erased}, head {}", verdict.events, verdict.head);
        }
        if let Some(seq) = verdict.first_bad_seq {
            writeln!(out, "{}: {seq}", self.paint(Paint::Red, "first bad seq"))?;
        }
        for problem in &verdict.problems {
            writeln!(out, "  {}", problem.message)?;
        }
        writeln!(out, "sound up to event {}, {}", verdict.events, verdict.head)
    }

    fn checkup(&self, out: &mut dyn Write, checkup: &Checkup) -> io::Result<()> {
        for check in &checkup.checks {
            let mark = if check.ok { self.paint(Paint::Green, "✓") } else { self.paint(Paint::Red, "✗") };
            writeln!(out, "{mark} {:<16} {}", check.check, check.found)?;
            if !check.fix.is_empty() {
                writeln!(out, "  fix: {}", check.fix)?;
            }
        }
        Ok(())
    }

    fn digest(out: &mut dyn Write, digest: &DigestReply) -> io::Result<()> {
        writeln!(out, "log {} {}", digest.seq, digest.head)?;
        for view in &digest.views {
            writeln!(out, "{} {} {} {}", view.view, view.version, view.rows, view.digest)?;
        }
        Ok(())
    }

    fn settings(&self, out: &mut dyn Write, settings: &Settings) -> io::Result<()> {
        writeln!(out, "{:<12} {:<20} from {}", "home", settings.home, settings.home_found_by)?;
        for setting in &settings.settings {
            let value = format!("\"{}\"", setting.value);
            writeln!(out, "{:<12} {value:<20} from {}", setting.key, self.paint(Paint::Dim, &setting.from))?;
        }
        Ok(())
    }

    fn retained(&self, out: &mut dyn Write, retained: &Retained) -> io::Result<()> {
        let (log, folder) = (&retained.log, &retained.folder);
        let would = if log.applied { "" } else { "would be " };
        match log.older_than {
            Some(cut) => writeln!(out, "{} events older than {} {would}archived", log.archived, self.time(cut))?,
            None => writeln!(out, "no age is configured: see `idetic config show`")?,
        }
        if log.dropped + log.kept > 0 {
            let kept = match log.kept {
                0 => String::new(),
                kept => format!(", {kept} with the text of a note keep it"),
            };
            writeln!(out, "the content of {} events {would}dropped for good{kept}", log.dropped)?;
        }
        let bytes: u64 = log.archives.iter().map(|archive| archive.bytes).sum();
        if let Some(last) = log.archives.last() {
            let files = log.archives.len();
            writeln!(out, "archive: events 1 to {} in {files} files, {bytes} bytes", last.last)?;
        }
        if folder.compressed + folder.archived_months + folder.archived_notes > 0 {
            writeln!(
                out,
                "A-MEM folder: {} files {would}compressed, {} months {would}archived, {} notes {would}archived",
                folder.compressed, folder.archived_months, folder.archived_notes
            )?;
        }
        if folder.dropped_archives > 0 {
            writeln!(out, "A-MEM folder: {} files of its archive {would}removed", folder.dropped_archives)?;
        }
        for stayed in &folder.stayed {
            writeln!(out, "{} stays: {}", plain(&stayed.file), stayed.reason)?;
        }
        for trouble in &folder.troubles {
            writeln!(out, "{}:{}: {}", plain(&trouble.file), trouble.line, plain(&trouble.reason))?;
        }
        let (before, after) = log.database_bytes;
        if before == after { Ok(()) } else { writeln!(out, "log.db: {before} bytes before, {after} now") }
    }

    fn done(out: &mut dyn Write, done: &Done) -> io::Result<()> {
        match done.head {
            Some(head) => writeln!(out, "{}: {} events, head {head}", done.done, done.events),
            None => writeln!(out, "{}", done.done),
        }
    }
}

/// Stored text is data: a terminal must not obey what stands in it.
pub fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// The same for a text of several lines.
pub fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\n' && c != '\t' { ' ' } else { c }).collect()
}

/// A text as one line of a list: cut where it is long.
pub fn one_line(text: &str) -> String {
    let mut line: String = plain(text).chars().take(LINE_CHARS).collect();
    if text.chars().nth(LINE_CHARS).is_some() {
        line.push('…');
    }
    line
}
