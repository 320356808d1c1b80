//! Prompts of every size: what is needed stands in them, what is recalled is quoted, the budget holds.

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

fn recalled(name: &str, texts: &[&str]) -> Vec<Recalled> {
    let items = texts.iter().enumerate();
    items.map(|(at, text)| Recalled { id: format!("{name}{at}"), text: (*text).to_owned() }).collect()
}

fn template(text: &str) -> Template {
    Template::read(text).expect("it is well formed")
}

#[test]
fn the_default_template_has_every_section() {
    let read = template(DEFAULT_TEMPLATE);
    let places: Vec<&str> = placeholders::names(&read.0).collect();
    assert!(PLACES.iter().all(|name| places.contains(name)), "{places:?}");
}

#[test]
fn templates_that_are_refused() {
    for (text, wanted) in [
        ("{{question}} {{working_memory}} {{histroy}}", "unknown placeholder {{histroy}}"),
        ("{{question}}", "no {{working_memory}}"),
        ("{{question}} {{question}} {{working-memory}}", "{{question}} twice"),
        ("{{question", "not closed"),
    ] {
        let why = Template::read(text).expect_err(text);
        assert!(why.message.contains(wanted), "{why}");
    }
}

#[test]
fn a_prompt_quotes_what_was_recalled_and_expands_it_no_more() {
    let facts = recalled("f", &["The disk\n[9] is ``` full {{question}}", "two"]);
    let conversation = recalled("c", &["first", "second"]);
    let sections = Sections {
        facts: &facts,
        conversation: &conversation,
        working_memory: "[0] goal: x",
        question: "Why {{facts}}?",
        ..Sections::default()
    };
    let text = "F:\n{{facts}}\nE:\n{{episodes}}\nC:\n{{conversation}}\nW:\n{{working-memory}}\nQ: {{question}}";
    let prompt = template(text).fill(&sections, Shares::default(), 1000).expect("it fits");
    assert_eq!(
        prompt.text,
        "F:\n````facts\n[1] The disk\n    [9] is ``` full {{question}}\n[2] two\n````\nE:\n(none)\nC:\n```conversation\n\
         [1] first\n[2] second\n```\nW:\n```working memory\n[0] goal: x\n```\nQ: Why {{facts}}?"
    );
    assert_eq!(prompt.facts, ["f0", "f1"]);
    assert_eq!(prompt.conversation, ["c0", "c1"]);
}

#[test]
fn the_least_important_is_left_out_first() {
    let texts: Vec<&str> = vec!["ten words of text that say very little at all"; 8];
    let (facts, episodes, conversation) = (recalled("f", &texts), recalled("e", &texts), recalled("c", &texts));
    let sections = Sections {
        facts: &facts,
        episodes: &episodes,
        conversation: &conversation,
        working_memory: "w",
        question: "q",
        ..Sections::default()
    };
    let template = template("{{facts}} {{episodes}} {{conversation}} {{working_memory}} {{question}}");
    let shares = Shares { facts: 1, conversation: 1, said: 0, episodes: 0 };
    let fill = |budget| template.fill(&sections, shares, budget).expect("it fits");
    let all = fill(10_000);
    assert_eq!((all.facts.len(), all.episodes.len(), all.conversation.len()), (8, 8, 8));
    let fewer = fill(all.tokens - 1);
    assert_eq!(fewer.episodes, ["e0", "e1", "e2", "e3", "e4", "e5", "e6"], "the lowest of the episodes goes first");
    assert_eq!((fewer.facts.len(), fewer.conversation.len()), (8, 8));
    let mut last = (8, 8, 8);
    for budget in (0..all.tokens).rev() {
        let Ok(prompt) = template.fill(&sections, shares, budget) else { break };
        assert!(prompt.tokens <= budget);
        let now = (prompt.facts.len(), prompt.episodes.len(), prompt.conversation.len());
        assert!(now.1 == 0 || (now.0, now.2) == (8, 8), "episodes go before anything else: {now:?}");
        assert!(prompt.conversation.iter().eq(all.conversation[8 - now.2..].iter()), "the oldest goes first");
        assert!(prompt.facts.iter().eq(all.facts[..now.0].iter()), "the lowest rank goes first");
        last = now;
    }
    assert_eq!(last, (0, 0, 0));
}

#[test]
fn what_does_not_fit_at_all_is_an_error_with_its_size() {
    let sections = Sections { question: "a long question", working_memory: "w", ..Sections::default() };
    let trouble = template(DEFAULT_TEMPLATE).fill(&sections, Shares::default(), 20).expect_err("it does not fit");
    assert_eq!(trouble.budget_tokens, 20);
    assert!(template(DEFAULT_TEMPLATE).fill(&sections, Shares::default(), trouble.needed_tokens).is_ok());
    assert!(template(DEFAULT_TEMPLATE).fill(&sections, Shares::default(), trouble.needed_tokens - 1).is_err());
    assert!(trouble.to_string().contains("has 20"));
}

fn texts() -> impl Strategy<Value = Vec<Recalled>> {
    let text = prop_oneof!["[a-z ]{0,60}", "[墨`\n{}a]{0,30}", "`{1,40}"];
    vec(text, 0..8).prop_map(|texts| {
        let items = texts.into_iter().enumerate();
        items.map(|(at, text)| Recalled { id: format!("{at}"), text }).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn a_prompt_is_never_over_its_budget(
        (facts, episodes, conversation) in (texts(), texts(), texts()),
        working_memory in "[a-z`\n]{0,80}",
        question in "[a-z墨{}]{1,40}",
        budget in 0..700_usize,
        (first, second, third) in (0..4_usize, 0..4_usize, 0..4_usize),
        touching in any::<bool>(),
    ) {
        let text = if touching { "{{system}}{{facts}}{{working_memory}}{{question}}{{episodes}}x{{conversation}}" } else { DEFAULT_TEMPLATE };
        let sections = Sections {
            system: "You are an agent", tools: "", facts: &facts, said: &[], episodes: &episodes, conversation: &conversation,
            working_memory: &working_memory, question: &question,
        };
        let shares = Shares { facts: first, conversation: second, said: 0, episodes: third };
        match template(text).fill(&sections, shares, budget) {
            Ok(prompt) => {
                prop_assert!(prompt.tokens <= budget, "{} of {budget}", prompt.tokens);
                prop_assert_eq!(prompt.tokens, tokens::estimate(&prompt.text));
                prop_assert!(prompt.text.contains(&question) && prompt.text.contains(&working_memory));
                for name in ["facts", "working memory"] {
                    let opening = |line: &str| line.strip_suffix(name).is_some_and(|marks| marks.starts_with("```"));
                    let wanted = usize::from(name != "facts" || !prompt.facts.is_empty());
                    prop_assert_eq!(prompt.text.lines().filter(|line| opening(line)).count(), wanted);
                }
                for (ids, items) in [(&prompt.facts, &facts), (&prompt.episodes, &episodes)] {
                    for id in ids {
                        let item = items.iter().find(|item| item.id == *id).expect("it was offered");
                        prop_assert!(prompt.text.contains(&indented(item.text.trim())));
                    }
                }
            }
            Err(trouble) => prop_assert!(trouble.needed_tokens > budget),
        }
    }
}
