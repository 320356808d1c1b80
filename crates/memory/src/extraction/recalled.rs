//! What was put before an agent in a conversation, sentence by sentence: saying it there again is no new evidence.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Mutex, PoisonError};

use idetic_core::Event;
use idetic_core::views::TIMELINE;
use idetic_extract::sameness::gist;
use idetic_search::RECALLED;
use idetic_store::{Filter, Select};
use serde::Deserialize;

use crate::Result;
use crate::viewpoint::{Reach, Viewpoint};

/// Conversations of a space that are kept in mind at once, and sentences of all of them.
const CONVERSATIONS_MAX: usize = 1000;
const SENTENCES_MAX: usize = 1_000_000;

/// The conversations looked at last, the latest at the end. A turn then reads what it was reminded of, and not what all
/// turns before it were.
#[derive(Default)]
pub(crate) struct Recalled(Mutex<Vec<InMind>>);

/// What one conversation was reminded of, as one pair of eyes sees it.
struct InMind {
    reach: Reach,
    conversation: String,
    /// How often something had been erased: what was made before the last time is not used.
    erasures: u64,
    /// The seq up to which was read.
    up_to: u64,
    /// Checksums of the ids that were looked at, and of what their events say, each with the seq of the first that does.
    ids: HashSet<u64>,
    gists: HashMap<u64, u64>,
}

/// What the metadata of an event of kind `memory.recalled` says.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Shown {
    events: Vec<String>,
}

impl Viewpoint {
    /// Whether some words say what was put before the agent in the conversation of the event they stand in.
    pub(super) fn was_recalled(&self, said: &Event, words: &[&str]) -> Result<bool> {
        let conversation = said.fields.as_ref().and_then(|fields| fields.conversation_id.as_deref());
        let Some(conversation) = conversation else { return Ok(false) };
        let recalled = &self.space().recalled;
        let mut in_mind = recalled.take(self, conversation);
        in_mind.read_on(self)?;
        // What a turn said itself may be put before later ones: it was not recalled from there.
        let holds = words
            .iter()
            .any(|words| in_mind.gists.get(&checksum(&gist(words).key())).is_some_and(|first| *first < said.seq()));
        recalled.keep(in_mind);
        Ok(holds)
    }
}

impl Recalled {
    /// Takes out what is known of a conversation: nobody waits while it is read on.
    fn take(&self, viewpoint: &Viewpoint, conversation: &str) -> InMind {
        let erasures = viewpoint.space().erasures();
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|in_mind| in_mind.erasures == erasures);
        let place = all.iter().position(|known| known.conversation == conversation && known.reach == viewpoint.reach);
        place.map(|place| all.remove(place)).unwrap_or_else(|| InMind {
            reach: viewpoint.reach.clone(),
            conversation: conversation.to_owned(),
            erasures,
            up_to: 0,
            ids: HashSet::new(),
            gists: HashMap::new(),
        })
    }

    /// Forgets all of it.
    pub fn forget(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    fn keep(&self, in_mind: InMind) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Somebody may have looked at the same conversation meanwhile.
        all.retain(|known| known.conversation != in_mind.conversation || known.reach != in_mind.reach);
        all.push(in_mind);
        let mut sentences: usize = all.iter().map(|in_mind| in_mind.gists.len()).sum();
        while all.len() > CONVERSATIONS_MAX || sentences > SENTENCES_MAX && all.len() > 1 {
            sentences -= all.remove(0).gists.len();
        }
    }
}

impl InMind {
    /// Reads what came since it was last looked at.
    fn read_on(&mut self, viewpoint: &Viewpoint) -> Result<()> {
        let horizon = viewpoint.horizon(None)?;
        let select = Select::from(&TIMELINE, horizon)
            .filter(Filter::Is("kind", RECALLED.into()))
            .filter(Filter::Is("conversation", self.conversation.as_str().into()))
            .filter(Filter::BornAfter(self.up_to));
        for event in viewpoint.space().events(&viewpoint.seqs(&select)?)? {
            let metadata = event.fields.as_ref().and_then(|fields| fields.metadata.as_ref());
            let shown = metadata.and_then(|metadata| serde_json::from_str::<Shown>(metadata.get()).ok());
            for id in shown.unwrap_or_default().events {
                if self.ids.insert(checksum(&id)) {
                    let named = Select::from(&TIMELINE, horizon).filter(Filter::Is("id", id.as_str().into()));
                    viewpoint.space().events(&viewpoint.seqs(&named)?)?.iter().for_each(|source| self.learn(source));
                }
            }
        }
        self.up_to = horizon;
        Ok(())
    }

    fn learn(&mut self, source: &Event) {
        let text = source.whole_text();
        let seq = source.seq();
        let mut add = |key: String| {
            self.gists.entry(checksum(&key)).and_modify(|first| *first = seq.min(*first)).or_insert(seq);
        };
        add(gist(&text).key());
        for sentence in text.split_inclusive(['.', '!', '?', '\n']).map(gist).filter(|gist| !gist.topic().is_empty()) {
            add(sentence.key());
        }
        // What it plainly says is recalled in any wording of the rules, too.
        let author = source.fields.as_ref().and_then(|fields| fields.author.as_deref());
        for statement in idetic_extract::statements(&text, author) {
            add(gist(&statement.text).key());
        }
    }
}

fn checksum(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}
