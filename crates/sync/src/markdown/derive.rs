//! What follows from the log: the graph, the narrative and the state of tasks, written where they are not so already.

use std::collections::HashMap;

use idetic_core::Hash;
use idetic_formats::markdown::changelog::event_id;
use idetic_formats::markdown::seal::{self, Seal};
use idetic_formats::markdown::{
    ContextFile, Entry, Freshness, Generation, GraphFile, TaskState, Todo, context_file, freshness,
};
use idetic_memory::Result;

use super::Project;
use super::adopt::Base;
use super::derived::Derived;
use super::drawn::{Drawn, made_of};
use super::files::{AGENTS, CONTEXT, GRAPH, TODO, text};
use super::story::{Story, Told};

/// How much of the protocol a project uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tier {
    /// The log alone.
    Mvp,
    /// The narrative too.
    Core,
    /// The graph and the tasks too.
    Full,
}

impl Tier {
    /// What the rules for agents say; everything where they say nothing.
    fn of(agents: &str, otherwise: Option<&str>) -> Self {
        let said = agents.lines().find_map(|line| line.trim_start_matches(['-', ' ']).strip_prefix("**Tier**:"));
        let said = said.map(|tier| tier.trim().to_ascii_lowercase());
        said.as_deref().and_then(Self::parse).or_else(|| Self::parse(otherwise?)).unwrap_or(Self::Full)
    }

    /// The tier of a word.
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Mvp, Self::Core, Self::Full].into_iter().find(|tier| tier.word() == word)
    }

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Mvp => "mvp",
            Self::Core => "core",
            Self::Full => "full",
        }
    }
}

impl Project {
    /// How much of the protocol the project uses.
    pub(super) fn tier(&self) -> Result<Tier> {
        Ok(Tier::of(&text(&self.folder, AGENTS)?.unwrap_or_default(), self.state.tier.as_deref()))
    }

    /// Writes what follows from the events.
    pub(super) fn derive(&mut self, drawn: &Drawn, story: &Story) -> Result<()> {
        self.put_all(drawn, story.told.last().map(|told| &*told.entry))?;
        drawn.keep(self.log()?.folder())
    }

    /// Writes the files.
    pub(super) fn put_all(&mut self, drawn: &Drawn, last: Option<&Entry>) -> Result<()> {
        let tier = self.tier()?;
        let derived = drawn.derived();
        self.report.horizon = derived.narrative.horizon.map(event_id);
        if tier >= Tier::Full {
            self.put_derived(GRAPH, &derived, last)?;
        }
        if tier >= Tier::Core {
            self.put_derived(CONTEXT, &derived, last)?;
        }
        if tier >= Tier::Full {
            self.put_tasks(&drawn.tasks(&derived.graph))?;
        }
        Ok(())
    }

    /// Graph and narrative after the first events of a story.
    pub fn derived(&self, story: &Story, count: usize, base: Option<&Base>) -> Result<Derived> {
        Ok(self.drawn(&story.told[..count.min(story.told.len())], base)?.derived())
    }

    /// What was kept where it was made of the first of these events, and the others told behind it.
    pub(super) fn drawn(&self, told: &[Told], base: Option<&Base>) -> Result<Drawn> {
        let kept = self.space.as_ref().and_then(|space| Drawn::load(space.folder()));
        draw(told, base, kept)
    }

    /// The same, everything told again.
    pub(super) fn drawn_anew(&self, told: &[Told], base: Option<&Base>) -> Result<Drawn> {
        draw(told, base, None)
    }

    /// Puts a derived file in its place. One of another convention is left alone, as is one that somebody else made and
    /// that is up to date; one that somebody edited is kept beside.
    fn put_derived(&mut self, path: &str, derived: &Derived, last: Option<&Entry>) -> Result<()> {
        let old = text(&self.folder, path)?.filter(|old| !old.trim().is_empty());
        let new = self.as_written(path, derived, old.as_deref());
        if let Some(old) = old.filter(|old| *old != new) {
            match (seal::check(&old), generation(path, &old)) {
                (Seal::Ours, _) => {}
                (_, None) if !self.wants_all_anew => {
                    self.tell_about(path, "foreign", "it is a file of another kind, and left as it is", "move it");
                    if self.state.files.is_empty() && !self.state.foreign.iter().any(|own| own == path) {
                        self.state.foreign.push(path.to_owned());
                    }
                    return Ok(());
                }
                (_, None) => {
                    self.keep_beside(path, &old)?;
                }
                (Seal::Foreign, Some(_)) if !self.wants_all_anew && is_up_to_date(path, &old, last) => return Ok(()),
                (Seal::Foreign, _) => self.keep_adopted(path, &old)?,
                (Seal::Edited, _) => {
                    let beside = self.keep_beside(path, &old)?;
                    let told = format!("it was edited by hand: the edit is in {beside}, and the file was regenerated");
                    self.tell_about(path, "derived", &told, "append an event that says it instead");
                }
            }
        }
        if self.folder.put(path, &new)? {
            self.note_file(path);
        }
        Ok(())
    }

    /// A derived file as it will be written; a narrative in the layout it has, else in that of generation two.
    pub(super) fn as_written(&self, path: &str, derived: &Derived, old: Option<&str>) -> String {
        let is_one = || old.is_some_and(|old| ContextFile::read(old).generation == Some(Generation::One));
        match path {
            GRAPH => derived.graph_text(),
            _ if is_one() => context_file::print_generation_one(&derived.narrative),
            _ => derived.context_text(),
        }
    }

    pub(super) fn keep_beside(&self, path: &str, old: &str) -> Result<String> {
        let sum = Hash::of(old.as_bytes()).to_string();
        let beside = format!("{path}.before-{}", &sum[..8]);
        self.folder.put(&beside, old)?;
        Ok(beside)
    }

    /// Brings TODO.md, where there is one, up to what is known of tasks.
    fn put_tasks(&mut self, tasks: &[TaskState]) -> Result<()> {
        let Some(old) = text(&self.folder, TODO)? else { return Ok(()) };
        let new = Todo::read(&old).update(tasks);
        if self.folder.put(TODO, &new)? {
            self.note_file(TODO);
        }
        Ok(())
    }
}

/// Tells events, behind those that were kept where these are the first of them.
fn draw(told: &[Told], base: Option<&Base>, kept: Option<Drawn>) -> Result<Drawn> {
    let kept = kept.filter(|kept| kept.events <= told.len() && kept.of == made_of(&told[..kept.events], base));
    // Of old events only those are kept that a narrative asks for when time goes on.
    let goes_on = |from: usize| told[from..].windows(2).all(|pair| pair[0].entry.time <= pair[1].entry.time);
    let kept = kept.filter(|kept| goes_on(kept.events.saturating_sub(1)));
    let ids: HashMap<u64, &str> = told.iter().filter_map(|told| Some((told.number?, told.id.as_str()))).collect();
    let id_of = |number: u64| ids.get(&number).map_or_else(|| event_id(number), |id| (*id).to_owned());
    let mut drawn = match kept {
        Some(kept) => kept,
        None => Drawn::begin(base, &id_of)?,
    };
    for told in &told[drawn.events..] {
        drawn.tell(told, &id_of)?;
    }
    Ok(drawn)
}

fn generation(path: &str, text: &str) -> Option<Generation> {
    if path == GRAPH { GraphFile::read(text).generation } else { ContextFile::read(text).generation }
}

/// Whether a file that somebody else made knows the last event.
fn is_up_to_date(path: &str, text: &str, last: Option<&Entry>) -> bool {
    if path == CONTEXT {
        return freshness(Some(text), None, last) == Freshness::Fresh;
    }
    let file = GraphFile::read(text);
    let Some(last) = last else { return false };
    if last.number.is_some() {
        return file.graph.horizon == last.number;
    }
    // Generation one has no numbers: the days are compared.
    file.graph.updated.is_some_and(|updated| updated.get(..10) >= Some(last.time.day().as_str()))
}
