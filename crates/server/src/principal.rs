//! Who asks: a key, a token, or whoever runs the program on this machine.

use idetic_ops::core::words::{Origin, Trust};
use idetic_ops::core::{SpaceName, Time};
use idetic_ops::purge::plain;
use idetic_ops::{Grant, Key, Keys, Operation, Rights};

/// Longest name of an agent that a connection is known by.
const AGENT_NAME_MAX_CHARS: usize = 100;

/// Who asks, and what it may do.
#[derive(Debug, Clone)]
pub struct Principal {
    /// The id of the key, for logs and the audit; never the key.
    pub id: String,
    rights: Rights,
    grant: Grant,
    sees_audit: bool,
    shown: Shown,
}

/// What somebody was let in for.
#[derive(Debug, Clone, Copy)]
enum Shown {
    /// Nothing: they run the program.
    Nothing,
    /// The cookie that a link of the program became, until then. A browser sends it to every port of the machine.
    Cookie(Time),
    /// That cookie and what only the page that signed in knows, until then.
    Page(Time),
    /// A key, which may be revoked or run out.
    Key,
    /// A token that is good until then.
    Token(Time),
}

impl Principal {
    /// Whoever runs the program on this machine, held to nothing but what they chose themselves.
    pub fn local(grant: Grant) -> Self {
        Self { id: "local".to_owned(), rights: Rights::Admin, grant, sees_audit: true, shown: Shown::Nothing }
    }

    /// Whoever runs the program, in the browser that its link signed in until then. The cookie alone administers no home:
    /// whatever listens on another port of the machine may have seen it.
    pub fn signed_in(is_page: bool, until: Time) -> Self {
        let shown = if is_page { Shown::Page(until) } else { Shown::Cookie(until) };
        Self { shown, ..Self::local(Grant::default()) }
    }

    /// Who shows a key. One that cannot be understood allows nothing.
    pub fn of_key(key: &Key) -> Option<Self> {
        let grant = key.grant().ok()?;
        let sees_audit = key.rights == Rights::Admin;
        Some(Self { id: key.id.clone(), rights: key.rights, grant, sees_audit, shown: Shown::Key })
    }

    /// Who shows a token of an issuer that is trusted.
    pub fn of_token(id: String, rights: Rights, grant: Grant, until: Time) -> Self {
        Self { id, rights, grant, sees_audit: false, shown: Shown::Token(until) }
    }

    /// Whether who was let in may go on: what they showed may end while a connection is open.
    pub fn is_still_good(&self, keys: &Keys, now: Time) -> bool {
        match self.shown {
            Shown::Nothing => true,
            // Keys that cannot be read let nobody in.
            Shown::Key => keys.known().is_ok_and(|keys| keys.iter().any(|key| key.id == self.id && key.is_good(now))),
            Shown::Token(until) | Shown::Cookie(until) | Shown::Page(until) => now < until,
        }
    }

    /// The same over a connection that an agent talks through: what is written there is the agent's, whoever it names as the
    /// author and however far it says that it is to be trusted.
    /// A client that calls itself what `owner` is called is not taken for them.
    #[must_use]
    pub fn as_agent(&self, client: Option<&str>, owner: &str) -> Self {
        let mut grant = self.grant.clone();
        let name = grant.agent.as_deref().or(client).unwrap_or(&self.id);
        let name: String = name.chars().filter(|c| !c.is_control()).take(AGENT_NAME_MAX_CHARS).collect();
        grant.trust = Some(grant.trust.map_or(Trust::Agent, |trust| trust.max(Trust::Agent)));
        let origin = format!("{}:{name}", Origin::Agent.word());
        let is_owners = [owner, grant.user.as_deref().unwrap_or_default()]
            .iter()
            .any(|known| !known.is_empty() && plain(known).trim() == plain(&name).trim());
        grant.writer.author = Some(if is_owners { origin.clone() } else { name });
        grant.writer.origin = Some(origin);
        Self { grant, ..self.clone() }
    }

    /// Everything that decides what it may see and do, as a hash: two that differ in any of it share nothing.
    pub fn fingerprint(&self) -> blake3::Hash {
        let Grant { user, collection, agent, persona, trust, .. } = &self.grant;
        let (persona, trust) = (persona.map(|persona| persona.word()), trust.map(|trust| trust.word()));
        let grant = [user.as_deref(), collection.as_deref(), agent.as_deref(), persona, trust];
        let rights = format!("{:?} {}", self.rights, self.sees_audit);
        let mut hash = blake3::Hasher::new();
        for part in [Some(self.id.as_str()), Some(rights.as_str())].into_iter().chain(grant) {
            // What is not said differs from what is empty.
            let length = part.map_or(u64::MAX, |part| part.len() as u64);
            hash.update(&length.to_le_bytes()).update(part.unwrap_or_default().as_bytes());
        }
        hash.finalize()
    }

    /// What it is held to.
    pub fn grant(&self) -> &Grant {
        &self.grant
    }

    /// Whether it may administer.
    pub fn is_admin(&self) -> bool {
        self.rights == Rights::Admin
    }

    /// Whether it may use an operation: that depends on the two alone.
    pub fn may(&self, operation: &Operation) -> bool {
        let rights = self.rights >= operation.rights && self.grant.allow(operation.rights, operation.reader);
        rights && (!operation.is_for_administrators() || self.administers_home())
    }

    /// Whether it shows what administers the whole home: a key that is held to nothing, or the page that a link signed in. On
    /// a server that needs no key everybody on the machine would.
    pub fn administers_home(&self) -> bool {
        let Grant { user, collection, agent, persona, trust, .. } = &self.grant;
        let is_held = user.is_some() || collection.is_some() || agent.is_some() || persona.is_some() || trust.is_some();
        matches!(self.shown, Shown::Key | Shown::Page(_)) && self.is_admin() && !is_held
    }

    /// Whether there is a space of this name for it.
    pub fn sees(&self, space: &SpaceName) -> bool {
        self.grant.holds(space) && (self.sees_audit || !idetic_ops::is_audit(space))
    }
}
