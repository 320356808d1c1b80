//! Who may append what: one table of kinds, asked at every door through which a record comes in.
//!
//! Most kinds are anybody's. Some change what others said (a note, a fact, a preference): they need a trust of their own, and
//! never less than what they change. Some say what the program itself did: nobody appends those by hand.

use crate::views::{
    CONVERSATION_ENDED, EPISODE_DELETED, EPISODE_STORED, FACT_DELETED, FACT_ENDED, FACT_STORED, KEPT_UNTIL,
    NOTE_DELETED, NOTE_OUTCOME, NOTE_WRITTEN, PURGED, QUARANTINED, RECALLED, REGRADED, RELEASED, RETIRES,
    STANDING_ENDED,
};
use crate::words::Trust;
use crate::{Invalid, Record};

/// What it takes to append events of some kinds by hand.
struct Rule {
    kinds: &'static [&'static str],
    /// The lowest trust that may append them; none where only the program does.
    least: Option<Trust>,
}

/// Kinds without a row are open to every caller that may write.
const TABLE: [Rule; 4] = [
    Rule {
        kinds: &[
            PURGED,
            QUARANTINED,
            RECALLED,
            RELEASED,
            REGRADED,
            KEPT_UNTIL,
            "admin.called",
            "amem.index_kept",
            "dream.completed",
            "extract.answered",
            "key.created",
            "key.revoked",
            "log.repaired",
            "model.used",
            "profile.imported",
        ],
        least: None,
    },
    Rule {
        kinds: &[
            "changelog.renumbered",
            "graph.adopted",
            "handoff.accepted",
            "identity.note_added",
            "md.booted",
            "profile.preferences",
            NOTE_DELETED,
            NOTE_OUTCOME,
            NOTE_WRITTEN,
            RETIRES,
        ],
        least: Some(Trust::Agent),
    },
    Rule { kinds: &[STANDING_ENDED], least: Some(Trust::User) },
    // What these say is weighed by its trust: one from outside stands beside what is there and replaces nothing.
    Rule {
        kinds: &[CONVERSATION_ENDED, EPISODE_DELETED, EPISODE_STORED, FACT_DELETED, FACT_ENDED, FACT_STORED],
        least: Some(Trust::External),
    },
];

fn rule(kind: &str) -> Option<&'static Rule> {
    TABLE.iter().find(|rule| rule.kinds.contains(&kind))
}

/// Whether only the program itself may say it.
pub fn is_reserved(kind: &str) -> bool {
    rule(kind).is_some_and(|rule| rule.least.is_none())
}

/// The kinds that nobody appends by hand, for a message.
pub fn reserved() -> String {
    let kinds = TABLE.iter().filter(|rule| rule.least.is_none()).flat_map(|rule| rule.kinds);
    kinds.copied().collect::<Vec<_>>().join(", ")
}

/// A record as it may be appended by hand, or why not.
pub fn admit(mut record: Record) -> Result<Record, Invalid> {
    record.keep_to_its_side()?;
    check(&record)?;
    Ok(record)
}

/// Refuses a record that its sender may not append by hand.
fn check(record: &Record) -> Result<(), Invalid> {
    let (kind, trust) = (record.claim.kind.as_str(), record.claim.trust());
    match rule(kind).map(|rule| rule.least) {
        Some(None) => Err(Invalid::new(format!("events of kind {kind} are written only by the program itself"))
            .hint(format!("use another kind; reserved are: {}", reserved()))),
        Some(Some(least)) if trust > least => {
            Err(Invalid::new(format!("trust '{}' may not append events of kind {kind}", trust.word()))
                .hint(format!("such events change what others said: they need at least trust '{}'", least.word())))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(kind: &str, trust: &str) -> Record {
        Record::parse(format!(r#"{{"kind":"{kind}","trust":"{trust}"}}"#).as_bytes()).expect("a record")
    }

    #[test]
    fn reserved_kinds_are_nobodys() {
        for kind in TABLE[0].kinds {
            let refused = check(&record(kind, "user")).expect_err(kind);
            assert!(refused.hint.contains("memory.purged") && is_reserved(kind));
        }
    }

    #[test]
    fn what_changes_others_memory_needs_trust() {
        for kind in TABLE[1].kinds {
            check(&record(kind, "agent")).expect("an agent may");
            check(&record(kind, "tool")).expect_err("a tool may not");
            check(&record(kind, "external")).expect_err("nor what is from outside");
        }
        check(&record(STANDING_ENDED, "user")).expect("rules are the user's");
        check(&record(STANDING_ENDED, "agent")).expect_err("and no agent ends one");
        check(&record("fact.stored", "external")).expect("it is weighed, not refused");
        check(&record("user_input", "external")).expect("open to all");
    }
}
