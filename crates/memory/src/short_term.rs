//! Short-term memory of one agent and persona: its last loops, each one entry, as of any seq.

use idetic_core::identity::StmSearch;
use idetic_core::views::{LOOPS, TIMELINE, Value};
use idetic_core::words::Persona;
use idetic_search::stm::{LoopSoFar, StmEntry};
use idetic_store::{Filter, Select};

use crate::{Result, Space};

/// Events read at a time: few, because each may be large.
const PAGE_EVENTS: usize = 32;

/// Whose short-term memory: an agent's, or what no agent owns.
#[derive(Debug, Clone, Copy)]
pub struct LoopOwner<'a> {
    /// The agent.
    pub agent: &'a str,
    /// Which side of it.
    pub persona: Option<Persona>,
}

impl<'a> LoopOwner<'a> {
    /// An agent's, as its actor unless said otherwise; without an agent, what is shared.
    pub fn new(agent: Option<&'a str>, persona: Option<Persona>) -> Self {
        let persona = agent.map(|_| persona.unwrap_or(Persona::Actor));
        Self { agent: agent.unwrap_or(""), persona }
    }

    fn persona_word(self) -> &'static str {
        self.persona.map_or("", Persona::word)
    }
}

/// A row of the table of loops.
struct LoopRow {
    loop_id: String,
    /// When it last happened; those of one moment by when they were last written.
    latest: (i64, i64),
}

impl LoopRow {
    fn of(values: &[Value]) -> Option<Self> {
        let [_agent, _persona, loop_id, _events, _first_ts, last_ts, last_seq] = values.first_chunk()?;
        let loop_id = loop_id.text().unwrap_or_default().to_owned();
        Some(Self { loop_id, latest: (last_ts.int(), last_seq.int()) })
    }
}

impl Space {
    /// The last `window` loops, the latest first. A loop that was interrupted is one too.
    pub fn loops(&self, whose: LoopOwner, window: usize, search: &StmSearch, at: u64) -> Result<Vec<StmEntry>> {
        let mine = Select::from(&LOOPS, at)
            .filter(Filter::Is("agent", whose.agent.into()))
            .filter(Filter::Is("persona", whose.persona_word().into()));
        let mut rows: Vec<LoopRow> = self.select(&mine)?.iter().filter_map(|row| LoopRow::of(&row.values)).collect();
        rows.sort_by_key(|row| std::cmp::Reverse(row.latest));
        rows.truncate(window);
        let mut entries = Vec::with_capacity(rows.len());
        for LoopRow { loop_id, .. } in rows {
            let loop_id = loop_id.as_str();
            let mut select = Select::from(&TIMELINE, at).filter(Filter::Is("loop", loop_id.into()));
            select = match whose.persona {
                Some(persona) => select
                    .filter(Filter::Is("agent", whose.agent.into()))
                    .filter(Filter::Is("persona", persona.word().into())),
                None => select.filter(Filter::IsNull("agent")),
            };
            let mut so_far = LoopSoFar::default();
            for page in self.seqs(&select)?.chunks(PAGE_EVENTS) {
                self.events(page)?.iter().for_each(|event| so_far.take(event, search));
            }
            entries.extend(so_far.entry(loop_id));
        }
        Ok(entries)
    }
}
