//! How what a file states of an agent goes together with what was stated before and what was counted since.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{Capability, Profile, Skill};

/// What a person did to a profile that was written here, as far as the text itself does not show it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Edit {
    /// The capabilities whose level was set.
    pub levels: BTreeSet<String>,
    /// The keys and the capabilities that were taken out.
    pub removed: BTreeSet<String>,
}

impl Edit {
    /// What was done to a profile that said `before`.
    pub fn between(before: &Profile, after: &Profile) -> Self {
        let level = |profile: &Profile, name: &str| {
            profile.capabilities.iter().find(|(own, _)| own == name).and_then(|(_, own)| own.skill_level)
        };
        let is_set = |name: &str, own: &Capability| own.skill_level.is_some() && own.skill_level != level(before, name);
        let levels = after.capabilities.iter().filter(|(name, own)| is_set(name, own));
        let names = |profile: &Profile| -> BTreeSet<String> {
            let capabilities = profile.capabilities.iter().map(|(name, _)| name);
            capabilities.chain(profile.extra.iter().map(|(key, _)| key)).cloned().collect()
        };
        Self {
            levels: levels.map(|(name, _)| name.clone()).collect(),
            removed: names(before).difference(&names(after)).cloned().collect(),
        }
    }
}

impl Profile {
    /// A profile that a person edited, where another was stated before: what was not touched stays as it was stated.
    #[must_use]
    pub fn stated_after(mut self, before: &Self, edit: &Edit) -> Self {
        self.session_count = self.session_count.max(before.session_count);
        for (said, stated) in
            [(&mut self.agent_version, &before.agent_version), (&mut self.last_active, &before.last_active)]
        {
            if said.is_empty() {
                said.clone_from(stated);
            }
        }
        for (name, capability) in &mut self.capabilities {
            let stated = before.capabilities.iter().find(|(own, _)| own == name).map(|(_, own)| own);
            if !edit.levels.contains(name) {
                capability.skill_level = stated.and_then(|own| own.skill_level);
            }
            // A number that is none, or is less than was stated before, takes nothing away.
            let counts = stated.map(|own| (own.successful_operations, own.failed_operations)).unwrap_or_default();
            capability.successful_operations = capability.successful_operations.max(counts.0);
            capability.failed_operations = capability.failed_operations.max(counts.1);
        }
        let stays = |name: &String| !edit.removed.contains(name);
        let has = |all: &[(String, Capability)], name: &String| all.iter().any(|(own, _)| own == name);
        let more = before.capabilities.iter().filter(|(name, _)| stays(name) && !has(&self.capabilities, name));
        let more: Vec<_> = more.cloned().collect();
        self.capabilities.extend(more);
        for (key, value) in before.extra.iter().filter(|(key, _)| stays(key)) {
            if !self.extra.iter().any(|(own, _)| own == key) {
                self.extra.push((key.clone(), value.clone()));
            }
        }
        self
    }
}

impl Capability {
    /// Adds the successes and failures that were counted since this was stated: `then` had been counted by that moment. A
    /// level that was stated holds until the counts reach a higher one than they gave then.
    pub fn count(&mut self, then: (u64, u64), now: Option<(u64, u64)>) {
        let stated = self.successful_operations;
        if let Some(now) = now {
            self.successful_operations = Some(since(stated.unwrap_or(0), then.0, now.0));
            self.failed_operations = Some(since(self.failed_operations.unwrap_or(0), then.1, now.1));
        }
        let Some(successes) = self.successful_operations else { return };
        let counted = Skill::of(successes);
        self.skill_level = match self.skill_level {
            Some(level) if counted <= Skill::of(stated.unwrap_or(0)) => Some(level),
            level => level.max(Some(counted)),
        };
    }
}

/// A count that a file stated when the log had counted `then`, and what was counted since. What both knew counts once.
pub fn since(stated: u64, then: u64, now: u64) -> u64 {
    stated.max(then).saturating_add(now.saturating_sub(then))
}

/// Adds what is not there yet.
pub fn add_new(list: &mut Vec<String>, more: Vec<String>) {
    for item in more {
        if !list.contains(&item) {
            list.push(item);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stated_level_holds_until_the_counts_reach_a_higher_one() {
        let level = |stated: Option<Skill>, had: Option<u64>, now: (u64, u64)| {
            let mut capability = Capability { skill_level: stated, successful_operations: had, ..Default::default() };
            capability.count((0, 0), Some(now));
            capability.skill_level.map(Skill::word)
        };
        assert_eq!(
            level(Some(Skill::Expert), None, (0, 1)),
            Some("expert"),
            "one failure makes no novice of an expert"
        );
        assert_eq!(level(Some(Skill::Advanced), Some(128), (0, 1)), Some("advanced"));
        assert_eq!(level(Some(Skill::Novice), None, (11, 0)), Some("intermediate"));
        assert_eq!(level(Some(Skill::Expert), None, (11, 0)), Some("expert"));
        assert_eq!(level(None, Some(5), (60, 0)), Some("advanced"));
    }

    #[test]
    fn what_an_edit_leaves_alone_stays_as_it_was_stated() {
        let read = |text: &str| Profile::read("a", text).expect("reads").0;
        let before = read(r#"{"capabilities":{"x":{"skill_level":"expert"},"gone":{}},"team":"red","old":1}"#);
        let shown = read(
            r#"{"capabilities":{"x":{"skill_level":"expert"},"y":{"skill_level":"novice"},"gone":{}},"team":"red","old":1}"#,
        );
        let after =
            read(r#"{"capabilities":{"x":{"skill_level":"expert"},"y":{"skill_level":"novice"}},"team":"blue"}"#);
        let edit = Edit::between(&shown, &after);
        let wanted = Edit { levels: BTreeSet::new(), removed: ["gone", "old"].map(str::to_owned).into() };
        assert_eq!(edit, wanted);
        let now = after.stated_after(&before, &edit);
        let levels: Vec<_> = now.capabilities.iter().map(|(name, own)| (name.as_str(), own.skill_level)).collect();
        assert_eq!(levels, [("x", Some(Skill::Expert)), ("y", None)], "the level of y was only shown, never stated");
        assert_eq!(now.extra, [("team".to_owned(), "\"blue\"".to_owned())]);
    }
}
