//! What whoever asks is held to: which user, collection, agent and side of it, and how far what it writes is trusted.

use idetic_core::SpaceName;
use idetic_core::words::{Persona, Trust};

use crate::operation::Who;
use crate::{Error, Operation, Reader, Result, Rights, Writer};

/// What is asked and written stays within these; without any it is the owner who asks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Grant {
    /// The user whose spaces alone there are.
    pub user: Option<String>,
    /// The collection that alone there is.
    pub collection: Option<String>,
    /// The agent through whose eyes alone is looked.
    pub agent: Option<String>,
    /// The side of that agent; the actor where none is named.
    pub persona: Option<Persona>,
    /// The most that what is written is trusted.
    pub trust: Option<Trust>,
    /// Who writes, where the connection says.
    pub writer: Writer,
}

impl Grant {
    /// Whether there is a space of this name for whoever asks.
    pub fn holds(&self, space: &SpaceName) -> bool {
        let [user, collection] = space.parts();
        let within = |bound: &Option<String>, part: &str| bound.as_deref().is_none_or(|bound| bound == part);
        within(&self.user, user) && within(&self.collection, collection)
    }

    /// The space that is meant where none is named: the usual one, as far as the grant leave it open.
    pub fn usual(&self, usual: &SpaceName) -> Result<SpaceName> {
        let [user, collection] = usual.parts();
        let (user, collection) =
            (self.user.as_deref().unwrap_or(user), self.collection.as_deref().unwrap_or(collection));
        Ok(SpaceName::parse(&format!("{user}/{collection}"))?)
    }

    /// Whether an operation can be held to these at all.
    pub fn allow(&self, operation: &Operation) -> bool {
        let writes = operation.rights > Rights::Read;
        match operation.reader {
            Reader::View | Reader::Home => true,
            // What is trusted less than an agent changes nothing that all share.
            Reader::Owner => self.agent.is_none() && !(writes && self.trust > Some(Trust::Agent)),
        }
    }

    /// Who writes within these.
    pub fn writer(&self) -> Writer {
        Writer { highest: self.trust, ..self.writer.clone() }
    }

    /// Whose eyes these leave of those that were named. Another agent is one that does not exist.
    pub(crate) fn who(&self, named: Who) -> Result<Who> {
        let Some(own) = &self.agent else { return Ok(named) };
        let side = self.persona.unwrap_or(Persona::Actor);
        let asked = named.persona()?.unwrap_or(side);
        let missing =
            |what: String| Err(Error::not_found(what).hint("leave agent and persona out: the key has its own"));
        if let Some(agent) = named.agent.filter(|agent| agent != own) {
            return missing(format!("there is no agent '{agent}'"));
        }
        // The subconscious sees what its actor sees, not the other way round.
        if asked > side {
            return missing(format!("there is no persona '{}'", asked.word()));
        }
        Ok(Who { agent: Some(own.clone()), persona: Some(asked.word().to_owned()) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn who(agent: Option<&str>, persona: Option<&str>) -> Who {
        Who { agent: agent.map(str::to_owned), persona: persona.map(str::to_owned) }
    }

    #[test]
    fn an_agent_is_held_to_its_own_eyes() {
        let grant = Grant { agent: Some("a".to_owned()), ..Grant::default() };
        let own = grant.who(Who::default()).expect("its own");
        assert_eq!((own.agent.as_deref(), own.persona.as_deref()), (Some("a"), Some("actor")));
        grant.who(who(Some("b"), None)).expect_err("another's");
        grant.who(who(None, Some("subconscious"))).expect_err("not its side");
        let deeper = Grant { persona: Some(Persona::Subconscious), ..grant };
        assert_eq!(deeper.who(who(None, Some("actor"))).expect("its actor").persona.as_deref(), Some("actor"));
        assert_eq!(deeper.who(Who::default()).expect("itself").persona.as_deref(), Some("subconscious"));
    }

    #[test]
    fn a_space_is_within_or_not() {
        let grant = Grant { user: Some("ann".to_owned()), ..Grant::default() };
        let name = |text| SpaceName::parse(text).expect("a name");
        assert!(grant.holds(&name("ann/x")) && !grant.holds(&name("bob/x")));
        assert_eq!(grant.usual(&name("local/default")).expect("a name"), name("ann/default"));
    }
}
