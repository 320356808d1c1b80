//! Until when a memory is kept, as somebody says after it was written; and the past as a reader sees it.

use idetic_core::as_of::AsOf;
use idetic_core::views::KEPT_UNTIL;
use idetic_core::{Event, Record, Time, policy};
use serde_json::{Map, Value, json};

use crate::purge::{PurgeCandidate, Selection, choose};
use crate::scope::lane_of;
use crate::viewpoint::Viewpoint;
use crate::{Error, EventNumber, Result};

impl Viewpoint {
    /// The same eyes on the space as it was when the past is asked for, and the seq up to which is read.
    pub fn as_of(&self, as_of: Option<&AsOf>) -> Result<(Self, u64)> {
        let horizon = self.horizon(as_of)?;
        Ok((self.on(self.shared_space().stopped_at(as_of, horizon)), horizon))
    }

    /// Says until when a memory is kept from now on, with all its versions and what was made of it; none takes an end away
    /// that was set. Its content goes when its time has come only where whoever says so may forget it.
    fn keep_until(
        &self,
        wanted: &Selection,
        (agent, persona): (&str, &str),
        until: Option<Time>,
        may_forget: bool,
    ) -> Result<()> {
        let (space, head) = (self.space(), self.horizon(None)?);
        let is_own = |chosen: &PurgeCandidate| {
            chosen.agent.as_deref().unwrap_or_default() == agent
                && chosen.persona.map_or("", |side| side.word()) == persona
        };
        let chosen = choose(space, wanted, &mut |_, _| {})?;
        let mut before = Vec::new();
        for chosen in chosen.into_iter().filter(is_own) {
            before.push((space.expiry_of(chosen.seq, head)?, chosen.why.starts_with("derived"), chosen.id));
        }
        let own: Vec<Option<Time>> = before.iter().filter(|(_, derived, _)| !derived).map(|(time, ..)| *time).collect();
        // What was made of it keeps an end of its own that comes first.
        let changes = |(time, derived, _): &(Option<Time>, bool, String)| {
            !derived || own.contains(time) || until.is_some_and(|until| time.is_none_or(|time| time > until))
        };
        let said = until.map_or(Value::Null, |until| until.to_string().into());
        let expires: Map<String, Value> =
            before.into_iter().filter(changes).map(|(_, _, id)| (id, said.clone())).collect();
        if expires.is_empty() {
            return Err(Error::not_found("there is nothing to keep"));
        }
        let mut metadata = json!({"expires": expires});
        if may_forget {
            metadata["erases"] = true.into();
        }
        let record = Record::parse(json!({"kind": KEPT_UNTIL, "metadata": metadata}).to_string().as_bytes())?;
        self.append(vec![self.for_lane(record, agent, persona)?], None).map(drop)
    }

    /// Keeps an event, and what it is a version of or says, until a moment.
    pub(crate) fn keep_event_until(
        &self,
        event: Event,
        until: Option<Time>,
        may_forget: bool,
        horizon: u64,
    ) -> Result<(EventNumber, String)> {
        let Some(fields) = &event.fields else {
            return Err(Error::not_found(format!("the content of '{}' was erased", event.header.id)));
        };
        let (lane, kind) = (lane_of(fields), event.header.kind.as_str());
        self.check_own("the memory", lane.0, lane.1)?;
        // A quarantine that ends by itself would be released by whoever may write, and a receipt would be forgotten.
        if policy::is_reserved(kind) {
            return Err(Error::invalid(format!("events of kind {kind} have no end: the program itself wrote it"))
                .hint("name the memory that it is about"));
        }
        let said = |key: &str| event.metadata()[key].as_str().map(str::to_owned);
        let mut wanted =
            Selection { event: Some(event.header.id.clone()), with_versions: true, ..Selection::default() };
        match kind.split('.').next() {
            Some("fact") => wanted.fact = said("fact").or_else(|| Some(event.header.id.clone())),
            Some("note") => wanted.note = said("note"),
            _ => {}
        }
        self.keep_until(&wanted, lane, until, may_forget)?;
        let place = self.places(&[event.seq()], horizon)?.pop();
        place.map(|place| (place, event.header.id)).ok_or_else(|| Error::unavailable("the event has no number"))
    }
}
