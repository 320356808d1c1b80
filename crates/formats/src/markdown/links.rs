//! The links in the text of an event, `[[name]]`, and how the words between them say they hang together.

use super::changelog::Entry;

/// What the words between two links mean.
const WORDS: [(&str, &str); 6] = [
    ("depends on", "depends_on"),
    ("part of", "part_of"),
    ("references", "references"),
    ("documents", "documents"),
    ("implements", "implements"),
    ("blocks", "blocks"),
];

/// Two links with what stands between them: from, relation, to.
pub type Tie = (String, String, String);

impl Entry {
    /// Everything it links to, each once, and how it hangs together where it says so.
    pub fn links(&self) -> (Vec<String>, Vec<Tie>) {
        let sections = self.sections.iter().map(|section| section.text.as_str());
        let details = self.details.iter().flat_map(|detail| std::iter::once(&detail.value).chain(&detail.items));
        let texts = std::iter::once(self.summary.as_str()).chain(details.map(String::as_str)).chain(sections);
        let (mut names, mut ties): (Vec<String>, Vec<Tie>) = (Vec::new(), Vec::new());
        for line in texts.flat_map(str::lines) {
            ties_of(line, &mut names, &mut ties);
        }
        (names, ties)
    }
}

fn ties_of(line: &str, names: &mut Vec<String>, ties: &mut Vec<Tie>) {
    // Whoever stands before the relation, and the relation: several targets may follow.
    let mut open: Option<(String, &str)> = None;
    let mut before: Option<String> = None;
    let mut rest = line;
    while let Some((between, inside)) = rest.split_once("[[") {
        let Some((name, behind)) = inside.split_once("]]") else { return };
        rest = behind;
        let name = name.split('|').next().unwrap_or(name).trim().trim_matches(['`', '*']).to_owned();
        if name.is_empty() {
            continue;
        }
        let said = between.to_lowercase();
        let is_arrow = matches!(between.trim(), "→" | "->");
        let relation = WORDS.iter().find(|(words, _)| said.contains(words)).map(|(_, relation)| *relation);
        match (relation.or(is_arrow.then_some("references")), before.take()) {
            (Some(relation), Some(from)) => open = Some((from, relation)),
            _ if between.trim() == "," => {}
            _ => open = None,
        }
        if let Some((from, relation)) = &open {
            ties.push((from.clone(), (*relation).to_owned(), name.clone()));
        }
        if !names.contains(&name) {
            names.push(name.clone());
        }
        before = Some(name);
    }
}

#[cfg(test)]
mod tests {
    use crate::markdown::Changelog;

    #[test]
    fn links_and_the_words_between_them_are_found() {
        let log = Changelog::read(
            "## 2026-02-23 02:00 — Add [[skill-a]]\n\n**Type:** change\n**Scope:** skill\n\n### What\n\
             [[skill-a]] → depends on → [[skill-b]], [[skill-c]]\n\nIt is part of the whole: [[skill-a]] is part of [[pack-1]].\n\
             Also [[docs/x.md]] and nothing [[\n",
        );
        let (names, ties) = log.entries()[0].links();
        assert_eq!(names, ["skill-a", "skill-b", "skill-c", "pack-1", "docs/x.md"]);
        let said: Vec<String> = ties.iter().map(|(from, relation, to)| format!("{from} {relation} {to}")).collect();
        assert_eq!(said, ["skill-a depends_on skill-b", "skill-a depends_on skill-c", "skill-a part_of pack-1"]);
    }
}
