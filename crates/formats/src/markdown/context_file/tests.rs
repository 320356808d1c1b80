//! Whose a context is, in every spelling of its horizon.

use super::*;
use crate::markdown::narrative::Narrative;
use crate::markdown::{Changelog, graph_file};

fn last(text: &str) -> Option<Entry> {
    Changelog::read(text).last().cloned()
}

#[test]
fn every_spelling_of_the_horizon_is_read() {
    for line in [
        "<!-- Last generated: 2026-02-28 | Event horizon: evt-014 -->",
        "**Event horizon**: evt-014",
        "**Event horizon:** evt-014",
        "*Event horizon: evt-014 | Generated: 2026-02-28*",
        "- **Event horizon**: evt-014 ← update",
    ] {
        let file = ContextFile::read(&format!("# Current Context\n\n{line}\n"));
        assert_eq!((file.horizon, file.horizon_line, file.generation), (Some(14), 3, Some(Generation::Two)), "{line}");
        if line.contains("enerated") {
            assert_eq!(file.generated.as_deref(), Some("2026-02-28"), "{line}");
        }
    }
    let quoted = "# Notes\n\n```\n**Event horizon**: evt-014\n```\n";
    assert_eq!(ContextFile::read(quoted).generation, None);
}

#[test]
fn what_somebody_else_wrote_is_not_claimed() {
    for foreign in [
        "",
        "## Active Work\n\nx\n\n## Recent Changes\n\ny\n",
        "# Current Context\n\nhello\n",
        "# Project\n\n## Blockers\n## Next Actions\n## Recent Changes\n",
    ] {
        assert_eq!(ContextFile::read(foreign).generation, None, "{foreign}");
    }
    let event = last("### evt-003 | 2026-02-26 | a | fix\n");
    assert_eq!(freshness(Some("## Active Work\n"), None, event.as_ref()), Freshness::Foreign);
    assert_eq!(freshness(Some(" \n"), None, event.as_ref()), Freshness::Missing);
    assert_eq!(freshness(None, None, None), Freshness::Missing);
}

#[test]
fn freshness_goes_by_the_horizon_of_both_files() {
    let event = last("### evt-003 | 2026-02-26 | a | fix\n");
    let context = print(&Narrative { horizon: Some(3), ..Narrative::default() });
    let graph = |horizon| graph_file::print(&crate::markdown::Graph { horizon, ..crate::markdown::Graph::default() });
    assert_eq!(freshness(Some(&context), None, event.as_ref()), Freshness::Fresh);
    assert_eq!(freshness(Some(&context), Some(&graph(Some(3))), event.as_ref()), Freshness::Fresh);
    let stale = Freshness::Stale { context: Some(3), graph: Some(Some(2)), last: Some(3) };
    assert_eq!(freshness(Some(&context), Some(&graph(Some(2))), event.as_ref()), stale);
    let empty = print(&Narrative::default());
    assert_eq!(freshness(Some(&empty), Some(&graph(None)), None), Freshness::Fresh);
    assert!(matches!(freshness(Some(&empty), None, event.as_ref()), Freshness::Stale { .. }));
}

#[test]
fn generation_one_goes_by_the_time() {
    let event = last("## 2026-02-23 02:00 — T\n\n**Type:** change\n");
    let at = |when: &str| {
        format!(
            "# Current Context\n\n**Last Updated:** {when}\n\n## Session Summary\n\n## Blockers\n\n## Next Actions\n"
        )
    };
    assert_eq!(freshness(Some(&at("2026-02-23 02:15")), None, event.as_ref()), Freshness::Fresh);
    assert!(matches!(freshness(Some(&at("2026-02-22")), None, event.as_ref()), Freshness::Stale { .. }));
}

#[test]
fn both_layouts_are_printed_and_read_back() {
    let narrative = Narrative {
        generated: Some("2026-02-28".to_owned()),
        horizon: Some(14),
        mission: Some("Ship it — evt-013".to_owned()),
        recent: vec!["2026-02-28 — Done — evt-014".to_owned()],
        ..Narrative::default()
    };
    let two = ContextFile::read(&print(&narrative));
    assert_eq!((two.generation, two.horizon), (Some(Generation::Two), Some(14)));
    assert_eq!(two.sections.iter().map(|s| s.name.as_str()).collect::<Vec<_>>(), SECTIONS);
    assert_eq!(two.section("Recent Changes").map(|s| s.lines[0].1.as_str()), Some("- 2026-02-28 — Done — evt-014"));
    let one = ContextFile::read(&print_generation_one(&narrative));
    assert_eq!((one.generation, one.horizon), (Some(Generation::One), Some(14)));
    assert_eq!(one.sections.iter().map(|s| s.name.as_str()).collect::<Vec<_>>(), SECTIONS_ONE);
    assert!(one.section("Blockers").is_some());
}

#[test]
fn the_first_layout_has_the_last_ten_events_and_the_second_all_that_are_recent() {
    let recent: Vec<String> = (1..=25).rev().map(|day| format!("2026-02-{day:02} — Done on {day}")).collect();
    let shown = |count: usize, one: bool| {
        let narrative = Narrative { recent: recent[recent.len() - count..].to_vec(), ..Narrative::default() };
        let text = if one { print_generation_one(&narrative) } else { print(&narrative) };
        let section = if one { "Recent Events" } else { "Recent Changes" };
        let file = ContextFile::read(&text);
        let found = file.sections.iter().find(|own| own.name == section).expect("the section");
        found.lines.iter().map(|(_, line)| line.trim_start_matches("- ").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(shown(25, true), recent[..10], "the newest ones, newest first");
    assert_eq!(shown(25, false), recent);
    assert_eq!(shown(7, true), recent[18..], "all of fewer");
    assert_eq!(shown(0, true), ["(none)"]);
}
