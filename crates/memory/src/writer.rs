//! Who writes: decided by the door a record comes through, never by what the record says of itself.

use idetic_core::project::{FILE_OF, project_of};
use idetic_core::words::{Origin, Trust};
use idetic_core::{Fields, Record};

use crate::{Error, Result};

/// Who writes, and how far that is trusted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Writer {
    /// The most that what is written is trusted; without one it is the owner who writes.
    pub highest: Option<Trust>,
    /// Whose words they are, whoever a record names as its author.
    pub author: Option<String>,
    /// Which way they come in; what a record says itself counts where that is trusted less.
    pub origin: Option<String>,
    /// The project they come from, whatever a record says of its source.
    pub source: Option<String>,
    /// What that project was called before.
    pub former_source: Option<String>,
    /// Whether a person is at the keyboard.
    pub is_person: bool,
    /// Whether what is written stays byte for byte because a synced file holds the same.
    pub is_verbatim: bool,
}

impl Writer {
    /// What stood in a file of a folder, of a project where that is known: anybody may have put it there, unless its owner vouches
    /// for it.
    pub fn of_file(highest: Trust, project: Option<&str>) -> Self {
        let origin = match project {
            _ if highest == Trust::User => "user:file".to_owned(),
            Some(project) => format!("{FILE_OF}{project}"),
            None => Origin::File.word().to_owned(),
        };
        Self { highest: Some(highest), origin: Some(origin), ..Self::default() }
    }

    /// The same of a folder that is kept in sync.
    pub fn of_synced_file(highest: Trust, project: Option<&str>) -> Self {
        Self { is_verbatim: true, ..Self::of_file(highest, project) }
    }

    /// A record as this writer may append it.
    pub fn sign(&self, mut record: Record) -> Result<Record> {
        self.name_author(&mut record)?;
        self.name_origin(&mut record)?;
        if let Some(highest) = self.highest {
            trust_no_more(&mut record, highest)?;
        }
        record.is_verbatim = self.is_verbatim;
        Ok(record)
    }

    /// Whether something may be shown where this one works: what is no person's own word stays in its project.
    pub fn is_visible_in_project(&self, source: Option<&str>, trust: &str, origin: &str) -> bool {
        match (&self.source, project_of(source, origin)) {
            (Some(_), Some(source)) => self.is_here(source) || trust == Trust::User.word() && origin != PASTED,
            _ => true,
        }
    }

    /// Whether a project is the one this one works in.
    pub fn is_here(&self, project: &str) -> bool {
        [&self.source, &self.former_source].into_iter().flatten().any(|own| own == project)
    }

    fn name_author(&self, record: &mut Record) -> Result<()> {
        if self.author.is_none() && self.source.is_none() {
            return Ok(());
        }
        let said = Fields::read(&record.body)?;
        if let Some(author) = self.author.as_deref().filter(|author| said.author.as_deref() != Some(author)) {
            record.set("author", author)?;
        }
        let Some(source) = self.source.as_deref().filter(|source| said.source.as_deref() != Some(source)) else {
            return Ok(());
        };
        record.set("source", source)?;
        // What was named instead is a part of the project at most.
        match said.source.filter(|_| said.scope.is_none()) {
            Some(part) => Ok(record.supply("scope", &part)?),
            None => Ok(()),
        }
    }

    /// The origin is decided by the connection; what a record admits itself counts where that is trusted less.
    fn name_origin(&self, record: &mut Record) -> Result<()> {
        let highest = self.highest.unwrap_or(Trust::User);
        let ceiling = |origin: &str| Origin::of(origin).map_or(Trust::External, Origin::ceiling);
        let said = record.claim.origin.as_deref();
        let is_right = match (&self.origin, said) {
            (Some(own), Some(said)) => ceiling(said) > ceiling(own).max(highest),
            (Some(_), None) => false,
            // Nobody names a better origin than the connection is trusted.
            (None, Some(said)) => ceiling(said) >= highest,
            (None, None) => true,
        };
        if is_right {
            return Ok(());
        }
        let own = match &self.origin {
            Some(own) if ceiling(own) >= highest => own.clone(),
            Some(own) => {
                let name = own.split_once(':').map(|(_, name)| format!(":{name}"));
                format!("{}{}", highest.origin(), name.unwrap_or_default())
            }
            None => highest.origin().to_owned(),
        };
        Ok(record.set("origin", &own)?)
    }
}

/// The origin of what a person only passed on.
pub const PASTED: &str = "user:pasted";

/// Whether an origin is a file.
pub fn is_of_file(origin: &str) -> bool {
    origin == Origin::File.word() || origin.starts_with(FILE_OF) || origin == "user:file"
}

/// A record is trusted no more than its writer. What it is trusted is written down, so that it is nobody's to raise.
fn trust_no_more(record: &mut Record, highest: Trust) -> Result<()> {
    match record.claim.trust {
        Some(claimed) if claimed < highest => {
            Err(Error::invalid(format!("trust '{}' is higher than this connection allows", claimed.word()))
                .hint(format!("at most '{}': leave trust out", highest.word())))
        }
        Some(_) => Ok(()),
        None => {
            let trust = record.claim.trust();
            // Where it came from holds it down already.
            if record.claim.origin.is_some() && trust >= highest {
                return Ok(());
            }
            record.trust_given = true;
            Ok(record.supply("trust", trust.max(highest).word())?)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agent() -> Writer {
        let (author, origin) = (Some("coder".to_owned()), Some("agent:coder".to_owned()));
        Writer { highest: Some(Trust::Agent), author, origin, source: Some("~/shop".to_owned()), ..Writer::default() }
    }

    fn signed(writer: &Writer, body: &str) -> Result<Fields> {
        let record = writer.sign(Record::parse(body.as_bytes())?)?;
        Ok(Fields::read(&record.body)?)
    }

    #[test]
    fn an_agent_speaks_for_nobody_else() {
        let said = signed(&agent(), r#"{"kind":"user_input","author":"ann","content":"x"}"#).expect("signs");
        assert_eq!((said.author.as_deref(), said.origin.as_deref()), (Some("coder"), Some("agent:coder")));
        assert_eq!(Trust::of_event(said.trust, said.origin.as_deref(), &said.kind), Trust::Agent);
        assert_eq!(said.source.as_deref(), Some("~/shop"));
        signed(&agent(), r#"{"kind":"user_input","trust":"user"}"#).expect_err("more than it may give");
    }

    #[test]
    fn what_admits_to_come_from_further_away_is_believed() {
        let said = signed(&agent(), r#"{"kind":"test","origin":"web:example.org"}"#).expect("signs");
        assert_eq!(said.origin.as_deref(), Some("web:example.org"));
        assert_eq!(Trust::of_event(said.trust, said.origin.as_deref(), &said.kind), Trust::External);
        let said = signed(&agent(), r#"{"kind":"test","origin":"user"}"#).expect("signs");
        assert_eq!(said.origin.as_deref(), Some("agent:coder"));
    }

    #[test]
    fn nobody_names_a_better_origin_than_the_connection_is_trusted() {
        for (highest, said, origin) in [
            (Trust::External, "user", "outside"),
            (Trust::External, "user:local", "outside"),
            (Trust::External, "agent:claude", "outside"),
            (Trust::External, "web:example.org", "web:example.org"),
            (Trust::Tool, "user", "tool"),
            (Trust::Tool, "tool:grep", "tool:grep"),
            (Trust::Agent, "user", "agent"),
            (Trust::Agent, "agent:claude", "agent:claude"),
        ] {
            let key = Writer { highest: Some(highest), ..Writer::default() };
            let body = format!(r#"{{"kind":"test","origin":"{said}"}}"#);
            let signed = signed(&key, &body).expect("signs");
            assert_eq!(signed.origin.as_deref(), Some(origin), "{highest:?} {said}");
        }
        let outside = Writer { highest: Some(Trust::External), ..agent() };
        let said = signed(&outside, r#"{"kind":"test"}"#).expect("signs");
        assert_eq!(said.origin.as_deref(), Some("outside:coder"));
    }

    #[test]
    fn the_owner_changes_nothing_by_signing() {
        let body = r#"{"kind":"user_input", "author":"ann"}"#;
        let record = Writer::default().sign(Record::parse(body.as_bytes()).expect("a record")).expect("signs");
        assert_eq!(record.body, body);
    }
}
