//! What the caller is held to: which user, collection, agent and side of it, and how far what it writes is trusted.

use idetic_core::SpaceName;
use idetic_core::words::{Persona, Trust};

use crate::scope::Scope;
use crate::{Cause, Error, Result, Writer};

/// What a key must allow; the greater includes the lesser.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rights {
    /// Seeing.
    Read,
    /// Adding.
    Write,
    /// Everything else.
    Admin,
}

/// Who may ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reader {
    /// The owner of a space: it sees the whole space.
    Owner,
    /// The owner, or one side of an agent, which sees its own.
    View,
    /// Whoever runs the program: it concerns the home, not a space.
    Home,
}

/// Whose eyes are meant.
#[derive(Debug, Clone, Default)]
pub struct RequestedReader {
    /// As this agent sees it: its own memory and what is shared.
    pub agent: Option<String>,
    /// Which side of the agent, by name; the actor where none is named.
    pub persona: Option<String>,
}

impl RequestedReader {
    /// The side of the agent that is named.
    pub fn persona(&self) -> Result<Option<Persona>> {
        Ok(self.persona.as_deref().map(Persona::parse).transpose()?)
    }

    /// What those eyes see.
    pub fn scope(&self) -> Result<Scope> {
        match (&self.agent, self.persona()?) {
            (Some(agent), persona) => Ok(Scope::View(agent.clone(), persona.unwrap_or(Persona::Actor))),
            (None, None) => Ok(Scope::Owner),
            (None, Some(_)) => Err(Error::invalid("a persona is given without an agent")
                .hint("add --agent: a persona is a side of an agent")),
        }
    }
}

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
    /// Whether there is a space of this name for the caller.
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

    /// Whether what needs these rights, and is for such a reader, can be held to these at all.
    pub fn allow(&self, rights: Rights, reader: Reader) -> bool {
        let writes = rights > Rights::Read;
        match reader {
            Reader::View | Reader::Home => true,
            // What is trusted less than an agent changes nothing that all share.
            Reader::Owner => self.agent.is_none() && !(writes && self.trust > Some(Trust::Agent)),
        }
    }

    /// An error as whoever is held to these may see it: how much there is that they may not see is not for them to know.
    pub fn redact(&self, error: Error) -> Error {
        let sees_all = self.agent.is_none() && self.persona.is_none() && self.collection.is_none();
        if sees_all || error.cause != Cause::OverQuota {
            return error;
        }
        let hint = "delete something, or ask the server's administrator for more room";
        Error::new(error.kind, "the quota is used up: there is no room for this").hint(hint)
    }

    /// Who writes within these.
    pub fn writer(&self) -> Writer {
        Writer { highest: self.trust, ..self.writer.clone() }
    }

    /// Whose eyes these leave of those that were named. Another agent is one that does not exist.
    pub fn who(&self, named: RequestedReader) -> Result<RequestedReader> {
        let Some(own) = &self.agent else {
            // Whoever is not the owner and no agent either is nobody's subconscious.
            let is_owner = self.trust.is_none_or(|trust| trust == Trust::User);
            return match named.persona()? {
                Some(Persona::Subconscious) if !is_owner => {
                    Err(Error::not_found("there is no persona 'subconscious' for this connection")
                        .hint("an agent's subconscious is reached over a connection that is held to the agent"))
                }
                _ => Ok(named),
            };
        };
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
        Ok(RequestedReader { agent: Some(own.clone()), persona: Some(asked.word().to_owned()) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn who(agent: Option<&str>, persona: Option<&str>) -> RequestedReader {
        RequestedReader { agent: agent.map(str::to_owned), persona: persona.map(str::to_owned) }
    }

    #[test]
    fn an_agent_is_held_to_its_own_eyes() {
        let grant = Grant { agent: Some("a".to_owned()), ..Grant::default() };
        let own = grant.who(RequestedReader::default()).expect("its own");
        assert_eq!((own.agent.as_deref(), own.persona.as_deref()), (Some("a"), Some("actor")));
        grant.who(who(Some("b"), None)).expect_err("another's");
        grant.who(who(None, Some("subconscious"))).expect_err("not its side");
        let deeper = Grant { persona: Some(Persona::Subconscious), ..grant };
        assert_eq!(deeper.who(who(None, Some("actor"))).expect("its actor").persona.as_deref(), Some("actor"));
        assert_eq!(deeper.who(RequestedReader::default()).expect("itself").persona.as_deref(), Some("subconscious"));
    }

    #[test]
    fn a_space_is_within_or_not() {
        let grant = Grant { user: Some("ann".to_owned()), ..Grant::default() };
        let name = |text| SpaceName::parse(text).expect("a name");
        assert!(grant.holds(&name("ann/x")) && !grant.holds(&name("bob/x")));
        assert_eq!(grant.usual(&name("local/default")).expect("a name"), name("ann/default"));
    }
}
