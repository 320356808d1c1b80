//! Links and inline code of a Markdown text; fenced blocks are passed over.

#[derive(Debug, PartialEq, Eq)]
pub struct Reference {
    pub line: usize,
    pub kind: Kind,
    pub target: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Link,
    Code,
}

pub fn references(text: &str) -> Vec<Reference> {
    let mut found = Vec::new();
    let mut fence: Option<&str> = None;
    for (index, line) in text.lines().enumerate() {
        match (fence, fence_of(line)) {
            (Some(open), Some(mark)) if closes(open, mark, line) => fence = None,
            (Some(_), _) => {}
            (None, Some(mark)) => fence = Some(mark),
            (None, None) => {
                let (prose, code) = split_code(line);
                let mut add = |kind, target| {
                    found.push(Reference { line: index + 1, kind, target });
                };
                code.into_iter().for_each(|target| add(Kind::Code, target));
                let links = links(&prose).into_iter().chain(definition(&prose));
                links.for_each(|target| add(Kind::Link, target));
            }
        }
    }
    found
}

/// The run of backticks or tildes that opens or closes a fenced block.
fn fence_of(line: &str) -> Option<&str> {
    // Fences may stand in a list item or a quotation.
    let line = line.trim_start_matches([' ', '\t', '>']);
    let mark = ['`', '~'].into_iter().find(|mark| line.starts_with(*mark))?;
    let rest = line.trim_start_matches(mark);
    let run = &line[..line.len() - rest.len()];
    // "```code```" on one line is inline code.
    (run.len() >= 3 && !(mark == '`' && rest.contains('`'))).then_some(run)
}

fn closes(open: &str, mark: &str, line: &str) -> bool {
    mark.starts_with(open) && line.trim_end().ends_with(mark)
}

/// The line with its inline code blanked out, and the pieces of code.
///
/// Blanked out, because a link's text may be code but code holds no links.
fn split_code(line: &str) -> (String, Vec<String>) {
    let mut prose = String::new();
    let mut code = Vec::new();
    let mut rest = line;
    while let Some(start) = rest.find('`') {
        let (before, from_tick) = rest.split_at(start);
        let body = from_tick.trim_start_matches('`');
        let ticks = &from_tick[..from_tick.len() - body.len()];
        prose.push_str(before);
        match find_run(body, ticks) {
            Some(end) => {
                code.push(body[..end].trim().to_owned());
                prose.push(' ');
                rest = &body[end + ticks.len()..];
            }
            None => {
                prose.push_str(ticks);
                rest = body;
            }
        }
    }
    prose.push_str(rest);
    (prose, code)
}

/// Where a run of exactly as many backticks starts.
fn find_run(body: &str, ticks: &str) -> Option<usize> {
    let mut from = 0;
    while let Some(offset) = body[from..].find('`') {
        let start = from + offset;
        let length = body[start..].len() - body[start..].trim_start_matches('`').len();
        if length == ticks.len() {
            return Some(start);
        }
        from = start + length;
    }
    None
}

/// Targets of `[text](target "title")`.
fn links(prose: &str) -> Vec<String> {
    let after_text = prose.split("](").skip(1);
    let targets = after_text.map(|rest| {
        let rest = rest.trim_start();
        // `(<a b.md>)` is quoting, but `(<name>.md)` is a placeholder.
        if let Some((quoted, after)) = rest.strip_prefix('<').and_then(|it| it.split_once('>'))
            && after.starts_with([')', ' '])
        {
            return quoted.to_owned();
        }
        let mut depth = 0;
        let ends = |letter: char| {
            depth += i32::from(letter == '(') - i32::from(letter == ')');
            depth < 0 || letter.is_whitespace()
        };
        rest.split(ends).next().unwrap_or_default().to_owned()
    });
    targets.filter(|target| !target.is_empty()).collect()
}

/// The target of `[label]: target`; footnotes have text there instead.
fn definition(prose: &str) -> Option<String> {
    let (label, rest) = prose.trim_start().strip_prefix('[')?.split_once("]:")?;
    if label.starts_with('^') || label.contains('[') {
        return None;
    }
    let target = rest.split_whitespace().next()?;
    Some(target.trim_matches(['<', '>']).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(Kind, String)> {
        let all = references(text).into_iter();
        all.map(|it| (it.kind, it.target)).collect()
    }

    fn link(target: &str) -> (Kind, String) {
        (Kind::Link, target.to_owned())
    }

    fn code(target: &str) -> (Kind, String) {
        (Kind::Code, target.to_owned())
    }

    #[test]
    fn all_forms_of_links_are_found() {
        assert_eq!(found("[a](b.md) ![c](d.png \"t\")"), [link("b.md"), link("d.png")]);
        assert_eq!(found("[a](<b c.md>)"), [link("b c.md")]);
        assert_eq!(found("([a](b_(c).md))"), [link("b_(c).md")]);
        assert_eq!(found("[a]: b.md"), [link("b.md")]);
        assert!(found("[^1]: see there").is_empty());
    }

    #[test]
    fn code_is_no_link_but_may_be_its_text() {
        assert_eq!(found("`[a](b)`"), [code("[a](b)")]);
        assert_eq!(found("[`a`](b)"), [code("a"), link("b")]);
        assert_eq!(found("``a`b`` c"), [code("a`b")]);
        assert_eq!(found("a ` b [c](d)"), [link("d")]);
    }

    #[test]
    fn fenced_blocks_are_passed_over() {
        let text = "```sh\n`a` [b](c)\n~~~\n``` not the end\n```\n[d](e)";
        let all = references(text);
        assert_eq!(all.len(), 1);
        assert_eq!((all[0].line, all[0].target.as_str()), (6, "e"));
        assert_eq!(found("  > ~~~\n  > [a](b)\n  > ~~~\n`c`"), [code("c")]);
        assert_eq!(found("```a```"), [code("a")]);
    }
}
