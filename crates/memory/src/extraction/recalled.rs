//! What was put before an agent in a conversation, sentence by sentence: saying it there again is no new evidence.

use std::hash::{DefaultHasher, Hash, Hasher};

use idetic_core::Event;
use idetic_core::views::{RECALLED, TIMELINE};
use idetic_extract::sameness::gist;
use idetic_store::{Filter, Select};
use serde::Deserialize;

use crate::Result;
use crate::Viewpoint;
use crate::space::recall_cache::ConversationRecall;

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
        let mut recall = recalled.take(&self.scope, conversation, self.space().erasures());
        read_on(&mut recall, self)?;
        // What a turn said itself may be put before later ones: it was not recalled from there.
        let holds = words
            .iter()
            .any(|words| recall.gists.get(&checksum(&gist(words).key())).is_some_and(|first| *first < said.seq()));
        recalled.keep(recall);
        Ok(holds)
    }
}

/// Reads what came since it was last looked at.
fn read_on(recall: &mut ConversationRecall, viewpoint: &Viewpoint) -> Result<()> {
    let horizon = viewpoint.horizon(None)?;
    let select = Select::from(&TIMELINE, horizon)
        .filter(Filter::Is("kind", RECALLED.into()))
        .filter(Filter::Is("conversation", recall.conversation.as_str().into()))
        .filter(Filter::BornAfter(recall.up_to));
    for event in viewpoint.space().events(&viewpoint.seqs(&select)?)? {
        let metadata = event.fields.as_ref().and_then(|fields| fields.metadata.as_ref());
        let shown = metadata.and_then(|metadata| serde_json::from_str::<Shown>(metadata.get()).ok());
        for id in shown.unwrap_or_default().events {
            if recall.ids.insert(checksum(&id)) {
                let named = Select::from(&TIMELINE, horizon).filter(Filter::Is("id", id.as_str().into()));
                viewpoint.space().events(&viewpoint.seqs(&named)?)?.iter().for_each(|source| learn(recall, source));
            }
        }
    }
    recall.up_to = horizon;
    Ok(())
}

fn learn(recall: &mut ConversationRecall, source: &Event) {
    let text = source.whole_text();
    let seq = source.seq();
    let mut add = |key: String| {
        recall.gists.entry(checksum(&key)).and_modify(|first| *first = seq.min(*first)).or_insert(seq);
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

fn checksum(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}
