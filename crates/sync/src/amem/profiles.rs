//! Profiles in the folder: written from the log; what a person changes in them is taken in; a profile of somebody else's
//! making is kept as it is and shown together with what the log knows.

use std::collections::{BTreeMap, BTreeSet};

use idetic_core::{Hash, Record, hash};
use idetic_formats::amem::profile::{Edit, Origin, Profile};
use idetic_memory::profiles::{IMPORTED, preferences_record};
use idetic_memory::{Cause, Error, Kind, Result};
use idetic_store::Conflict;
use serde::Deserialize;
use serde_json::{Value, json};

use super::Bound;
use super::listing::Found;
use super::report::{FileCount, TroubleKind};
use super::state::KnownProfile;
use super::write_out::names_in;

/// Longest profile: it becomes the text of one event.
const PROFILE_MAX_BYTES: u64 = idetic_core::limits::CONTENT_MAX_BYTES as u64;

/// Whether a text says that it is of the shape that is written here.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Marked {
    schema_version: Option<String>,
}

impl Bound {
    /// Takes in what is new in a profile's file.
    pub(super) fn take_profile(&mut self, found: &Found) -> Result<()> {
        let path = found.path.as_str();
        let known = self.state.known.profiles.get(path).cloned();
        if known.as_ref().is_some_and(|known| (known.bytes, known.changed) == (found.bytes, found.changed)) {
            return Ok(());
        }
        if !self.can_be_read(path) {
            return Ok(());
        }
        let text = match self.folder.read_text(path, PROFILE_MAX_BYTES)? {
            Ok(text) => text,
            Err(reason) => {
                self.report.trouble(TroubleKind::Unread, path, 0, reason, "");
                return Ok(());
            }
        };
        let base = known.map(|known| known.text);
        if base.as_ref() != Some(&text) {
            if !self.take_profile_text(path, &text, base.as_deref())? {
                return Ok(());
            }
            self.edited_profiles.insert(path.to_owned(), base.unwrap_or_default());
        }
        let now = KnownProfile { bytes: found.bytes, changed: found.changed, text };
        self.state.known.profiles.insert(path.to_owned(), now);
        Ok(())
    }

    /// Whether a text could be taken.
    fn take_profile_text(&mut self, path: &str, text: &str, base: Option<&str>) -> Result<bool> {
        let stem = path.rsplit('/').next().unwrap_or_default().trim_end_matches(".json");
        let (profile, origin) = match Profile::read(stem, text) {
            Ok((profile, origin, problems)) => {
                for problem in problems {
                    self.report.trouble(TroubleKind::Remark, path, problem.line, problem.reason, &problem.raw);
                }
                (profile, origin)
            }
            Err(problem) => {
                self.report.trouble(TroubleKind::Unread, path, problem.line, problem.reason, &problem.raw);
                return Ok(false);
            }
        };
        let base = base.and_then(|base| Profile::read(stem, base).ok()).map(|(base, ..)| base);
        let agent = base.as_ref().map_or(&profile.agent_name, |base| &base.agent_name);
        let is_ours = serde_json::from_str::<Marked>(text).is_ok_and(|marked| marked.schema_version.is_some());
        let ours = if is_ours { self.space.profile(agent, self.space.horizon(None)?)? } else { None };
        match ours {
            Some(current) => self.take_edit(path, text, base.as_ref(), &current, &profile),
            None => self.take_foreign(path, text, &profile, origin),
        }
    }

    /// What a person changed in a file of ours: preferences are set, everything else becomes what the file states.
    fn take_edit(
        &mut self,
        path: &str,
        text: &str,
        base: Option<&Profile>,
        current: &Profile,
        file: &Profile,
    ) -> Result<bool> {
        let in_log: BTreeMap<&String, &String> = current.preferences.iter().map(|(key, value)| (key, value)).collect();
        let mut changes = match base {
            Some(base) => base.preferences_changed(file),
            // Without knowing what stood there before, what is missing or old in it was not taken away by anybody.
            None => {
                let new = |key: &String, value: &Option<String>| value.is_some() && !in_log.contains_key(key);
                current.preferences_changed(file).into_iter().filter(|(key, value)| new(key, value)).collect()
            }
        };
        changes.retain(|key, value| match (value, in_log.get(key)) {
            (Some(new), Some(known)) => !idetic_core::json::same(new, known),
            (new, known) => new.is_some() || known.is_some(),
        });
        if let Some(edit) = edited(base, current, file) {
            // The same text may be written again after another: that is another edit.
            let moment = if base.is_some() { self.space.horizon(None)? } else { 0 };
            let stated = stated(path, text, &current.agent_name, moment, json!({"edit": edit}));
            if !self.append_profile(path, stated)? {
                return Ok(false);
            }
        }
        if changes.is_empty() {
            return Ok(true);
        }
        self.append_profile(path, preferences_record(&current.agent_name, &changes))
    }

    /// A profile that others made, taken in once for every text it has.
    fn take_foreign(&mut self, path: &str, text: &str, profile: &Profile, origin: Origin) -> Result<bool> {
        let more = json!({"migrated": origin == Origin::Migrated});
        let record = stated(path, text, &profile.agent_name, 0, more).and_then(|mut record| {
            record.set("trust", "external")?;
            Ok(record)
        });
        self.append_profile(path, record)
    }

    fn append_profile(&mut self, path: &str, record: Result<Record>) -> Result<bool> {
        let head = self.space.log().tip()?.seq;
        let acks = match record.and_then(|record| self.space.append(vec![self.writer.sign(record)?], None)) {
            Ok(acks) => acks,
            // The same text was found in another place before.
            Err(Error { cause: Cause::Conflict(Conflict::IdTaken { .. }), .. }) => return Ok(true),
            Err(error) if error.kind == Kind::Invalid => {
                self.report.trouble(TroubleKind::Unread, path, 0, error.message, "");
                return Ok(false);
            }
            Err(error) => return Err(error),
        };
        let added = acks.iter().filter(|ack| ack.seq > head).count() as u64;
        self.report.events_added += added;
        self.report.files.push(FileCount { file: path.to_owned(), found: 1, added, unread: 0 });
        Ok(true)
    }

    /// Writes the profile of every agent, but never over an edit that was not taken in.
    pub(super) fn write_profiles(&mut self) -> Result<()> {
        let mut names = names_in(&self.folder.root().join("profiles"));
        for profile in self.space.profiles(self.space.horizon(None)?)? {
            let path = format!("profiles/{}.json", names.of(&profile.agent_name));
            let text = profile.write();
            if self.folder.has(&path) {
                let there = self.folder.read_text(&path, PROFILE_MAX_BYTES)?.ok();
                let known = self.state.known.profiles.get(&path).map(|known| &known.text);
                if there.as_ref() != known && there.as_ref() != Some(&text) {
                    let reason = "it was changed by hand and is left alone until `idetic amem sync` can read it";
                    self.report.trouble(TroubleKind::Remark, &path, 0, reason, "");
                    continue;
                }
            }
            self.keep_what_was_not_taken(&path, &text)?;
            let written = self.folder.put(&path, &text)?;
            self.report.files_written += u64::from(written);
            let now = KnownProfile { bytes: text.len() as u64, changed: self.folder.changed(&path)?, text };
            self.state.known.profiles.insert(path, now);
        }
        Ok(())
    }

    /// What a person wrote into a profile and the log counts otherwise is kept beside it, and told.
    fn keep_what_was_not_taken(&mut self, path: &str, text: &str) -> Result<()> {
        let Some(base) = self.edited_profiles.remove(path) else { return Ok(()) };
        let Ok(there) = self.folder.read_text(path, PROFILE_MAX_BYTES)? else { return Ok(()) };
        let (base, now) = (leaves(&base), leaves(text));
        let wrote = leaves(&there);
        let missing: Vec<&str> =
            wrote.iter().filter(|own| !base.contains(*own) && !now.contains(*own)).map(|own| own.0.as_str()).collect();
        if missing.is_empty() {
            return Ok(());
        }
        let beside = self.set_aside(path, &there)?;
        let reason = format!(
            "{} follows from the log and was written back: what was edited is kept in {beside}",
            missing.join(", ")
        );
        self.report.trouble(TroubleKind::Remark, path, 0, reason, "");
        Ok(())
    }
}

/// What a person did to a profile beside its preferences, if anything: what the log says by now is nobody's edit.
fn edited(base: Option<&Profile>, current: &Profile, file: &Profile) -> Option<Edit> {
    let says = |profile: &Profile| leaves(&Profile { preferences: Vec::new(), ..profile.clone() }.line());
    let (of_file, of_log) = (says(file), says(current));
    let of_base = base.map(says).unwrap_or_default();
    let adds = of_file.iter().any(|own| !of_base.contains(own) && !of_log.contains(own));
    let takes = of_base.iter().any(|own| !of_file.contains(own) && of_log.contains(own));
    if !adds && !takes {
        return None;
    }
    let (mut edit, since) = (Edit::between(base.unwrap_or(current), file), Edit::between(current, file));
    edit.levels.retain(|name| since.levels.contains(name));
    edit.removed.retain(|name| base.is_some() && since.removed.contains(name));
    Some(edit)
}

/// The event that holds what a file states of an agent: one for every text it has, and for every moment of an edit.
fn stated(path: &str, text: &str, agent: &str, moment: u64, more: Value) -> Result<Record> {
    let when = if moment > 0 { format!("\0{moment}") } else { String::new() };
    let sum = hash::hex(&Hash::of(format!("{agent}\0{text}{when}").as_bytes()).0[..16]);
    let mut metadata = json!({"agent": agent, "path": path});
    if let (Value::Object(all), Value::Object(more)) = (&mut metadata, more) {
        all.extend(more);
    }
    let body = json!({"id": format!("profile-{sum}"), "kind": IMPORTED, "content": text, "metadata": metadata});
    Ok(Record::parse(body.to_string().as_bytes())?)
}

/// Every value of a JSON text with the keys that lead to it; the items of a list have no order.
fn leaves(text: &str) -> BTreeSet<(String, String)> {
    fn add(to: &mut BTreeSet<(String, String)>, path: &str, value: &Value) {
        match value {
            Value::Object(all) if !all.is_empty() => {
                for (key, value) in all {
                    add(to, &if path.is_empty() { key.clone() } else { format!("{path}.{key}") }, value);
                }
            }
            Value::Array(all) if !all.is_empty() => all.iter().for_each(|value| add(to, path, value)),
            value => drop(to.insert((path.to_owned(), value.to_string()))),
        }
    }
    let mut all = BTreeSet::new();
    if let Ok(value) = serde_json::from_str(text) {
        add(&mut all, "", &value);
    }
    all
}
