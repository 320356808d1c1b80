//! basic-memory: its notes as notes of ours. The text stays as it is; its links name the notes they lead to by their ids.

use std::collections::{BTreeSet, HashMap};

use idetic_core::Hash;
use idetic_formats::amem::names;
use idetic_formats::amem::note::{Change, New, Note, Value, parts};
use unicode_normalization::UnicodeNormalization;

/// How much of a hash tells two paths apart.
const HASH_CHARS: usize = 8;

/// The notes of a folder, by everything that a link may call them.
#[derive(Debug, Default)]
pub struct Targets(HashMap<String, String>);

impl Targets {
    /// Adds a note, by its path below the folder and its text. Gives its id.
    pub fn add(&mut self, path: &str, text: &str) -> String {
        let stem = path.strip_suffix(".md").unwrap_or(path);
        let name = stem.rsplit('/').next().unwrap_or(stem);
        let (note, _) = Note::read(name, text);
        let permalink = text_of(&note, "permalink");
        let id = slug(permalink.as_deref().unwrap_or(stem));
        for called in [permalink, note.title, Some(name.to_owned()), Some(stem.to_owned())].into_iter().flatten() {
            self.0.entry(called.to_lowercase()).or_insert_with(|| id.clone());
        }
        id
    }

    fn id(&self, target: &str) -> String {
        let named = target.trim().trim_start_matches("memory://");
        let known = self.0.get(&named.to_lowercase()).cloned();
        // One that is not written yet will have the id that its title makes.
        known.unwrap_or_else(|| slug(named))
    }
}

/// The id that a path makes. Where letters have no place in one, a hash tells it from what is left of others.
fn slug(path: &str) -> String {
    let mut slug = names::slug(path);
    let has = |is: fn(&char) -> bool| path.nfkd().filter(|c| c.is_alphanumeric()).any(|c| is(&c));
    // Of a path without any other letter the whole id is a hash.
    if has(char::is_ascii) && has(|c| !c.is_ascii()) {
        let hash = Hash::of(path.as_bytes()).to_string();
        slug.truncate(names::NOTE_ID_MAX_BYTES - HASH_CHARS - 1);
        slug = format!("{}-{}", slug.trim_end_matches('-'), hash.get(..HASH_CHARS).unwrap_or(&hash));
    }
    slug
}

/// A note under its id, with links that lead to ids and the labels of its observations.
pub fn note(id: &str, text: &str, targets: &Targets) -> String {
    let (note, _) = Note::read(id, text);
    let mut tags: Vec<String> =
        note.tags.iter().flat_map(|tag| tag.split(',')).map(|tag| tag.trim().to_owned()).collect();
    tags.extend(note.body().lines().filter_map(observation).flat_map(labels));
    let mut seen = BTreeSet::new();
    tags.retain(|tag| !tag.is_empty() && seen.insert(tag.clone()));
    let changes = [
        Change::Set("id".to_owned(), New::Text(id.to_owned())),
        Change::Set("tags".to_owned(), New::List(tags)),
        Change::Body(linked(note.body(), targets)),
    ];
    note.edit(&changes)
}

/// What an observation says: `- [category] content #tag (context)`.
fn observation(line: &str) -> Option<&str> {
    let inner = line.trim_start().strip_prefix("- [")?;
    let (category, content) = inner.split_once(']')?;
    let is_task = matches!(category.trim(), "" | "x" | "X" | "-");
    (!is_task && !category.starts_with('[') && !content.starts_with(['(', ']'])).then_some(content)
}

fn labels(content: &str) -> impl Iterator<Item = String> {
    content.split_whitespace().filter_map(|word| word.strip_prefix('#')).filter_map(|tag| {
        let tag = tag.trim_end_matches([',', '.', ';', ')']);
        (!tag.is_empty() && !tag.starts_with('#')).then(|| tag.to_owned())
    })
}

/// A text whose links `[[Title]]` are `[[id|Title]]`. In code such brackets mean something else.
fn linked(body: &str, targets: &Targets) -> String {
    parts(body).map(|(text, is_code)| if is_code { text.to_owned() } else { with_ids(text, targets) }).collect()
}

fn with_ids(text: &str, targets: &Targets) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, opened)) = rest.split_once("[[") {
        out.push_str(before);
        out.push_str("[[");
        rest = opened;
        let Some((target, _)) = opened.split_once("]]").filter(|(target, _)| !target.contains(['\n', '['])) else {
            continue;
        };
        let (named, shown) = target.split_once('|').unwrap_or((target, target));
        let id = targets.id(named.split('#').next().unwrap_or(named));
        out.push_str(&if id == shown { id } else { format!("{id}|{shown}") });
        rest = &opened[target.len()..];
    }
    out + rest
}

fn text_of(note: &Note, key: &str) -> Option<String> {
    match note.get(key)? {
        Value::Text(text) if !text.trim().is_empty() => Some(text.clone()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HARBOUR: &str = "---\ntitle: Harbour Service\ntype: note\npermalink: services/harbour-service\ntags:\n- \
        infrastructure,harbour\nowner: ann\n---\n\n# Harbour service\n\n- [config] Port 7411 #ports (May)\n- [ ] a task #no\n\
        - depends_on [[Message Queue]]\n- see [[Runbook: Harbour|the book]] and [[Nowhere Yet]]\n";

    #[test]
    fn paths_that_differ_in_letters_of_another_script_alone_are_two_notes() {
        let ids = ["notes/港口.md", "notes/船.md", "notes/Häfen.md"].map(|path| Targets::default().add(path, "x\n"));
        assert!(ids[0].starts_with("notes-") && ids[1].starts_with("notes-") && ids[0] != ids[1], "{ids:?}");
        assert_eq!(ids[2], "notes-hafen");
    }

    #[test]
    fn links_lead_to_ids_and_labels_of_observations_are_tags() {
        let mut targets = Targets::default();
        let id = targets.add("services/Harbour Service.md", HARBOUR);
        targets.add("Message Queue.md", "---\ntitle: Message Queue\npermalink: mq\n---\nx\n");
        targets.add("books/harbour.md", "---\ntitle: 'Runbook: Harbour'\n---\nx\n");
        assert_eq!(id, "services-harbour-service");
        let text = note(&id, HARBOUR, &targets);
        let (read, problems) = Note::read(&id, &text);
        assert_eq!(problems, []);
        assert_eq!(read.links, ["mq", "books-harbour", "nowhere-yet"]);
        assert_eq!(read.tags, ["infrastructure", "harbour", "ports"]);
        assert_eq!((read.title.as_deref(), read.kind.as_deref()), (Some("Harbour Service"), Some("note")));
        assert!(text.contains("[[mq|Message Queue]]") && text.contains("[[books-harbour|the book]]"), "{text}");
        assert!(text.contains("owner: ann") && text.contains("- [config] Port 7411 #ports (May)"), "{text}");
        assert_eq!(note(&id, HARBOUR, &targets), text, "the same whenever it is read");
    }

    #[test]
    fn brackets_in_code_stay_as_they_are() {
        let mut targets = Targets::default();
        targets.add("Message Queue.md", "---\ntitle: Message Queue\npermalink: mq\n---\nx\n");
        let code = "```sh\nif [[ -n \"$X\" ]]; then\n```\nSet `[[tool.uv.index]]` in ``[[a]] ` [[b]]``";
        let text = note("x", &format!("---\ntitle: X\n---\n{code}, see [[Message Queue]]\n"), &targets);
        assert!(text.ends_with(&format!("{code}, see [[mq|Message Queue]]\n")), "{text}");
        assert_eq!(Note::read("x", &text).0.links, ["mq"]);
    }
}
