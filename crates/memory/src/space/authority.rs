//! What a record changes of others' memory, and whether it is trusted enough for that.

use idetic_core::Fields;
use idetic_core::Record;
use idetic_core::invalid::excerpt;
use idetic_core::views::{
    EPISODE_DELETED, EPISODE_STORED, EPISODES, FACT_DELETED, FACT_ENDED, FACT_STORED, FACTS, FactRow, KEPT_UNTIL,
    NOTE_DELETED, NOTE_WRITTEN, RETIRES, TIMELINE, Value as Cell,
};
use idetic_core::words::Trust;
use idetic_store::{Filter, Select};
use serde::Deserialize;
use serde_json::Value;

use crate::scope::lane_of;
use crate::{Error, Result, Space};

/// Kinds that change something by naming it.
const CHANGING: [&str; 9] = [
    KEPT_UNTIL,
    FACT_STORED,
    FACT_ENDED,
    FACT_DELETED,
    NOTE_WRITTEN,
    NOTE_DELETED,
    EPISODE_STORED,
    EPISODE_DELETED,
    RETIRES,
];

/// What the metadata of such a record names, each read by itself: another's form of one hides nothing of the others.
#[derive(Default)]
struct Named {
    facts: Vec<String>,
    note: Option<String>,
    episode: Option<String>,
    supersedes: Vec<String>,
    kept: Vec<String>,
}

impl Named {
    fn of(metadata: &str) -> Self {
        let said: Value = serde_json::from_str(metadata).unwrap_or_default();
        let text = |name: &str| said[name].as_str().map(str::to_owned);
        let ids: Option<Ids> = serde_json::from_value(said["supersedes"].clone()).ok();
        Self {
            facts: text("fact").into_iter().collect(),
            note: text("note"),
            episode: text("episode"),
            supersedes: ids.map(Ids::list).unwrap_or_default(),
            kept: said["expires"].as_object().map(|ids| ids.keys().cloned().collect()).unwrap_or_default(),
        }
    }
}

/// One id or several.
#[derive(Deserialize)]
#[serde(untagged)]
enum Ids {
    One(String),
    Many(Vec<String>),
}

impl Ids {
    fn list(self) -> Vec<String> {
        match self {
            Self::One(id) => vec![id],
            Self::Many(ids) => ids,
        }
    }
}

impl Space {
    /// Refuses a record that would change what is trusted more than it is. An owner who says nothing of trust changes what
    /// is the owner's: the record then says what it is trusted, as far as `lowest`, that of its causes, allows.
    pub(crate) fn check_authority(&self, record: &mut Record, lowest: Option<Trust>) -> Result<()> {
        let kind = record.claim.kind.as_str();
        if !CHANGING.contains(&kind) && !record.body.contains("\"supersedes\"") {
            return Ok(());
        }
        // Views are folded without a clock: what has expired still stands in them, and a change of less trust would be lost.
        let Some((what, needed)) = self.with_expired().changed_by(record)? else { return Ok(()) };
        let trust = record.claim.trust();
        if trust.may_change(needed) {
            return Ok(());
        }
        let may_rise = record.claim.trust.is_none()
            && record.claim.origin.is_none()
            && Trust::ceiling(kind).may_change(needed)
            && lowest.is_none_or(|lowest| lowest.may_change(needed));
        if may_rise {
            return Ok(record.supply("trust", needed.word())?);
        }
        Err(Error::invalid(format!("{what} has trust '{}': trust '{}' may not change it", needed.word(), trust.word()))
            .hint("a change needs at least the same trust; add an entry of your own instead, and both are shown"))
    }

    /// The ids of the events whose place a record says it takes.
    pub(crate) fn superseded_by(record: &Record) -> Result<Vec<String>> {
        if !record.body.contains("\"supersedes\"") {
            return Ok(Vec::new());
        }
        let metadata = Fields::read(&record.body)?.metadata;
        Ok(metadata.map(|metadata| Named::of(metadata.get()).supersedes).unwrap_or_default())
    }

    /// What a record changes, and the highest trust among that.
    fn changed_by(&self, record: &Record) -> Result<Option<(String, Trust)>> {
        let fields = Fields::read(&record.body)?;
        let metadata = fields.metadata.as_ref().map_or("{}", |metadata| metadata.get());
        let named = Named::of(metadata);
        let at = self.horizon(None)?;
        let mut changed: Vec<(String, Trust)> = Vec::new();
        let kind = record.claim.kind.as_str();
        let own_id = record.claim.id.clone().into_iter();
        for id in named
            .facts
            .into_iter()
            .chain(own_id.clone())
            .filter(|_| [FACT_STORED, FACT_ENDED, FACT_DELETED].contains(&kind))
        {
            changed
                .extend(self.trust_of_fact(&id, &fields, at)?.map(|trust| (format!("fact {}", excerpt(&id)), trust)));
        }
        let is_shared = fields.agent_id.is_none();
        if let Some(id) = named.note.filter(|_| [NOTE_WRITTEN, NOTE_DELETED].contains(&kind) && is_shared) {
            let trust = self.note(&id, at)?.and_then(|row| Trust::parse(&row.trust).ok());
            changed.extend(trust.map(|trust| (format!("note '{}'", excerpt(&id)), trust)));
        }
        let stored = own_id.filter(|_| kind == EPISODE_STORED);
        for id in named.episode.filter(|_| kind == EPISODE_DELETED).into_iter().chain(stored) {
            changed.extend(self.trust_of_episode(&id, at)?.map(|trust| (format!("episode {}", excerpt(&id)), trust)));
        }
        let retired = if kind == RETIRES { fields.refs.clone() } else { Vec::new() };
        let kept = if kind == KEPT_UNTIL { named.kept } else { Vec::new() };
        for id in named.supersedes.into_iter().chain(retired).chain(kept) {
            let known = Select::from(&TIMELINE, at).filter(Filter::Is("id", id.as_str().into()));
            for event in self.events(&self.seqs(&known)?)? {
                if event.fields.as_ref().is_some_and(|own| lane_of(own) == lane_of(&fields)) {
                    changed.push((format!("event {}", excerpt(&id)), event.trust()));
                }
            }
        }
        Ok(changed.into_iter().min_by_key(|(_, trust)| *trust))
    }

    fn trust_of_fact(&self, id: &str, fields: &Fields, at: u64) -> Result<Option<Trust>> {
        let rows = self.select(&Select::from(&FACTS, at).filter(Filter::Is("fact", id.into())))?;
        let rows = rows.iter().map(|row| FactRow::of(&row.values));
        let own = |row: &FactRow| lane_of(fields) == (row.agent.as_str(), row.persona.as_str());
        Ok(rows.into_iter().filter(own).map(|row| row.trust()).min())
    }

    fn trust_of_episode(&self, id: &str, at: u64) -> Result<Option<Trust>> {
        let rows = self.select(&Select::from(&EPISODES, at).filter(Filter::Is("episode", id.into())))?;
        let trust = EPISODES.columns.iter().position(|column| *column == "trust");
        let said = |values: &[Cell]| Trust::parse(trust.and_then(|at| values.get(at))?.text()?).ok();
        Ok(rows.iter().filter_map(|row| said(&row.values)).min())
    }
}
