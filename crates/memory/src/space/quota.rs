//! What a user's spaces hold of what they may: asked before every append where there is a limit.

mod usage;

use idetic_core::views::{
    CONVERSATION_ENDED, EPISODE_COUNT, EPISODE_DELETED, EPISODE_STORED, FACT_COUNT, FACT_DELETED, FACT_ENDED,
    FACT_STORED, FACTS, FactRow, NOTE_DELETED, Table, USAGE, used,
};
use idetic_core::{Fields, Record, event};
use idetic_search::is_upkeep;
use idetic_store::{Filter, Select};
use serde::{Deserialize, Serialize};

use crate::config::quota::Quota;
use crate::scope::lane_of;
use crate::{Cause, Error, Kind, Result, Space};
pub(crate) use usage::UserUsage;

/// How much of a limit is used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct QuotaLine {
    /// Of what.
    pub what: &'static str,
    /// How much there is.
    pub used: u64,
    /// How much there may be; none without limit.
    pub limit: Option<u64>,
}

/// What makes room, or says that something ended, is never refused.
fn makes_room(kind: &str) -> bool {
    is_upkeep(kind) || [FACT_DELETED, FACT_ENDED, EPISODE_DELETED, NOTE_DELETED, CONVERSATION_ENDED].contains(&kind)
}

/// Of each limit how much is used.
pub(crate) type Used = [u64; 5];

impl Space {
    /// What is used of each limit, as of a seq: by all spaces that share it, or by this one alone for whoever may not know
    /// of the others.
    pub fn quota_lines(&self, at: u64, of_all: bool) -> Result<Vec<QuotaLine>> {
        let own = self.used(at)?;
        let (used, quota) = match self.user_usage() {
            Some(usage) if of_all => (usage.with_others(self.name(), own)?, self.quota()),
            Some(_) => (own, Quota::default()),
            None => (own, self.quota()),
        };
        let Quota { facts, episodes, events, bytes, tokens } = quota;
        let names = ["facts", "episodes", "events", "bytes", "tokens"];
        let limits = [facts, episodes, events, bytes, tokens];
        let lines = names.into_iter().zip(used).zip(limits);
        let limit = |limit: u64| Some(limit).filter(|limit| *limit > 0);
        Ok(lines.map(|((what, used), most)| QuotaLine { what, used, limit: limit(most) }).collect())
    }

    /// What this space holds.
    pub(crate) fn used(&self, at: u64) -> Result<Used> {
        let sums = |table: &'static Table| -> Result<Vec<u64>> {
            let rows = self.select(&Select::from(table, at))?;
            let of = |at: usize| rows.iter().map(|row| row.values[at].int()).sum::<i64>();
            Ok((1..table.columns.len()).map(|at| u64::try_from(of(at)).unwrap_or(0)).collect())
        };
        let (facts, episodes, used) = (sums(&FACT_COUNT)?, sums(&EPISODE_COUNT)?, sums(&USAGE)?);
        Ok([facts[0], episodes[0], used[0], used[1], used[2]])
    }

    /// Whether the space has any limit.
    pub(crate) fn has_quota(&self) -> bool {
        !self.quota().is_off()
    }

    /// Refuses records for which there is no room, as of a seq.
    pub(crate) fn check_quota(&self, records: &[Record], at: u64) -> Result<()> {
        let added: Vec<&Record> = records.iter().filter(|record| !makes_room(&record.claim.kind)).collect();
        self.check_room(&added, at)
    }

    /// Refuses records of callers for which there is no room, whatever they call them.
    pub(crate) fn check_quota_of_callers(&self, records: &[Record]) -> Result<()> {
        if !self.has_quota() {
            return Ok(());
        }
        self.check_room(&records.iter().collect::<Vec<_>>(), self.log().tip()?.seq)
    }

    fn check_room(&self, added: &[&Record], at: u64) -> Result<()> {
        if added.is_empty() {
            return Ok(());
        }
        let (mut bytes, mut tokens, mut facts, mut episodes) = (0, 0, 0, 0);
        for record in added {
            let fields = Fields::read(&record.body)?;
            let metadata = fields.metadata.as_ref().map(|metadata| metadata.get());
            let (more_bytes, more_tokens) = used([fields.summary.as_deref(), fields.content.as_deref(), metadata]);
            bytes += more_bytes;
            tokens += more_tokens;
            let is_new = record.claim.kind == FACT_STORED && !self.knows(metadata, at)? && !self.joins(&fields, at)?;
            facts += u64::from(is_new);
            episodes += u64::from(record.claim.kind == EPISODE_STORED);
        }
        let more = [facts, episodes, added.len() as u64, bytes, tokens];
        for (line, more) in self.quota_lines(at, true)?.into_iter().zip(more) {
            let QuotaLine { what, used, limit } = line;
            if let Some(limit) = limit.filter(|limit| more > 0 && used + more > *limit) {
                let (name, [user, _]) = (self.name(), self.name().parts());
                let (whose, key) = match self.user_usage() {
                    Some(_) => (format!("the quota of user {user} is used up"), format!("[quota.users.\"{user}\"]")),
                    None => (format!("the quota of space {name} is used up"), format!("[quota.spaces.\"{name}\"]")),
                };
                let full = format!("{whose}: {used} of {limit} {what}, {more} more requested");
                let hint =
                    format!("delete or purge something, or raise its {what} in config.toml, under [quota] or {key}");
                return Err(Error { cause: Cause::OverQuota, ..Error::new(Kind::CheckFailed, full).hint(hint) });
            }
        }
        Ok(())
    }
}

impl Space {
    /// Whether a fact that says the same is there, in the same memory and still true: another source adds none. Where that
    /// is in doubt, room is asked for.
    fn joins(&self, fields: &Fields, at: u64) -> Result<bool> {
        #[derive(Default, Deserialize)]
        #[serde(default)]
        struct Said {
            gist: String,
            topic: String,
            about: String,
            attribute: String,
            value: String,
            from: Option<String>,
        }
        let metadata = fields.metadata.as_ref().map_or("{}", |metadata| metadata.get());
        let said: Said = serde_json::from_str(metadata).unwrap_or_default();
        if said.topic.is_empty() || said.from.is_some() || !self.has_quota() {
            return Ok(false);
        }
        let agrees =
            |own: &str, said: &str| own.is_empty() || said.is_empty() || own.to_lowercase() == said.to_lowercase();
        let named = Select::from(&FACTS, at).filter(Filter::Is("topic", said.topic.as_str().into()));
        let rows = self.select(&named)?;
        Ok(rows.iter().map(|row| FactRow::of(&row.values)).any(|row| {
            !row.deleted
                && row.gist == said.gist
                && row.valid_until.is_none()
                && (row.agent.as_str(), row.persona.as_str()) == lane_of(fields)
                && row.private == event::is_private(&fields.tags)
                && agrees(&row.about, &said.about)
                && agrees(&row.attribute, &said.attribute)
                && agrees(&row.value, &said.value)
        }))
    }

    /// Whether the metadata of a fact's event names a fact that is there: another wording or source adds none.
    fn knows(&self, metadata: Option<&str>, at: u64) -> Result<bool> {
        #[derive(Default, Deserialize)]
        #[serde(default)]
        struct Named {
            fact: Option<String>,
            same_as: Option<String>,
        }
        let named: Named = metadata.and_then(|metadata| serde_json::from_str(metadata).ok()).unwrap_or_default();
        for fact in named.fact.into_iter().chain(named.same_as) {
            let rows = self.select(&Select::from(&FACTS, at).filter(Filter::Is("fact", fact.as_str().into())))?;
            if rows.iter().any(|row| !FactRow::of(&row.values).deleted) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
