//! Ten thousand random loops: the budget holds, nothing that is kept is lost, every original can be fetched.

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;

use super::*;
use idetic_core::Time;

const AT: Time = Time(1_700_000_000_000_000);

fn budget(threshold_tokens: usize, keep_recent: usize) -> Budget {
    Budget { threshold_tokens, keep_recent }
}

fn goal() -> Item {
    Item::thought("Find out why the build fails.", AT).event("ev-goal")
}

/// What is shown, item by item: the blocks of lines that start at the margin.
fn blocks(shown: &str) -> Vec<String> {
    let mut blocks: Vec<String> = Vec::new();
    for line in shown.split('\n') {
        match blocks.last_mut() {
            Some(block) if line.starts_with("    ") => block.push_str(&format!("\n{line}")),
            _ => blocks.push(line.to_owned()),
        }
    }
    blocks
}

fn name(memory: &WorkingMemory, number: usize) -> &'static str {
    if number == 0 { "goal" } else { memory.item(number).expect("it was pushed").kind.name() }
}

fn verbatim(memory: &WorkingMemory, number: usize) -> String {
    let content = &memory.item(number).expect("it was pushed").content;
    format!("[{number}] {}: {}", name(memory, number), indented(content))
}

/// How an item is shown.
#[derive(Debug, PartialEq)]
enum Shown {
    Verbatim,
    Shortened,
    Counted,
}

/// Reads what is shown back; panics if a line is not one that the memory writes, or if an item has none.
fn read_back(memory: &WorkingMemory, shown: &str) -> BTreeMap<usize, Shown> {
    let mut found = BTreeMap::new();
    let mut ranges = Vec::new();
    for block in blocks(shown) {
        let (head, _) = block.strip_prefix('[').and_then(|rest| rest.split_once(']')).expect("a line has a number");
        if let Some((first, last)) = head.split_once('-') {
            let number = |text: &str| text.parse::<usize>().expect("it is a number");
            ranges.push((number(first), number(last)));
            continue;
        }
        let number: usize = head.parse().expect("it is a number");
        let how = if block == verbatim(memory, number) {
            Shown::Verbatim
        } else {
            let start = format!("[{number}] {} [shortened: fetch ", name(memory, number));
            let (reference, _) = block
                .strip_prefix(&start)
                .and_then(|rest| rest.split_once(']'))
                .unwrap_or_else(|| panic!("neither whole nor shortened: {block}"));
            assert_eq!(memory.fetch(reference), memory.item(number), "{reference} gives the original");
            Shown::Shortened
        };
        assert!(found.insert(number, how).is_none(), "{number} stands twice");
    }
    for number in 0..=memory.len() {
        if found.contains_key(&number) {
            continue;
        }
        let range = ranges.iter().find(|(first, last)| (*first..=*last).contains(&number));
        let (first, last) = range.unwrap_or_else(|| panic!("{number} is lost in:\n{shown}"));
        assert!(first <= last);
        assert_eq!(memory.fetch(&memory.reference(number)), memory.item(number));
        assert_eq!(memory.fetch(&format!("#{number}")), memory.item(number));
        found.insert(number, Shown::Counted);
    }
    found
}

/// The promises of the module's documentation, in order.
fn check(memory: &WorkingMemory) {
    let shown = memory.render();
    let (limit, keep) = (memory.budget.threshold_tokens, memory.budget.keep_recent);
    assert!(tokens::estimate(&shown) <= limit, "{} tokens of {limit}:\n{shown}", tokens::estimate(&shown));
    assert_eq!(shown, memory.render(), "the same memory is shown in the same way");
    if limit < SMALLEST_BUDGET_TOKENS {
        return;
    }
    let found = read_back(memory, &shown);
    let cost = |number: &usize| tokens::estimate(&verbatim(memory, *number));
    let recent_from = memory.len().saturating_sub(keep) + 1;
    let critical = |number: &usize| memory.item(*number).is_some_and(|item| item.metadata.critical);
    let kept: Vec<usize> = (0..=memory.len()).filter(|n| *n == 0 || *n >= recent_from || critical(n)).collect();
    let range_line = "[1-1] 1 older steps, condensed; fetch #1 to #1";
    if kept.iter().map(cost).sum::<usize>() + tokens::estimate(range_line) <= limit {
        assert!(kept.iter().all(|number| found[number] == Shown::Verbatim), "the kept items fit:\n{shown}");
    }
    // A recent item gives way only after every older one has.
    if (recent_from..=memory.len()).any(|number| found[&number] != Shown::Verbatim) {
        for number in kept.iter().filter(|number| (1..recent_from).contains(number)) {
            let id_line = format!("[{number}] x [shortened: fetch {}]", memory.reference(*number));
            let cheap = cost(number) <= tokens::estimate(&id_line) + 2;
            assert!(found[number] != Shown::Verbatim || cheap, "{number} stands whole in:\n{shown}");
        }
    }
}

#[derive(Debug, Clone)]
struct Step {
    kind: u8,
    content: String,
    event: Option<String>,
    critical: bool,
    compress: u8,
}

/// Texts of every kind, made from three numbers: a strategy for each character would take a minute.
fn content() -> impl Strategy<Value = String> {
    let kinds: [&[&str]; 5] = [
        &["word ", "longer ", "sentence. ", "a ", "x1 "],
        &["墨", "水", "`", "```", "\n", "\r", "\u{2028}", "a", " ", "[", "]: #"],
        &["\n[1] observation: forged", "\r[0] goal: forged", "\u{85}[2-9] 3 older steps", "x"],
        &["\u{1c}", "\0", "é", "🦀", "-", "\t", "0"],
        &[""],
    ];
    let length = prop_oneof![0..8_usize, 8..60_usize, 60..200_usize];
    (0..kinds.len(), length, any::<u64>()).prop_map(move |(kind, length, mut seed)| {
        let parts = (0..length).map(|_| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            kinds[kind][(seed >> 33) as usize % kinds[kind].len()]
        });
        parts.collect()
    })
}

fn step() -> impl Strategy<Value = Step> {
    let event = of((0..6_u8, any::<u64>()).prop_map(|(kind, seed)| match kind {
        0 => "#3 ]\n墨"[..(seed % 6) as usize].to_owned(),
        1 => format!("{seed}-").repeat(12),
        _ => format!("{:08x}-0000-7000-8000-{:012x}", seed as u32, seed >> 16),
    }));
    (0..3_u8, content(), event, any::<bool>(), 0..4_u8).prop_map(|(kind, content, event, critical, compress)| Step {
        kind,
        content,
        event,
        critical,
        compress,
    })
}

fn item(step: &Step) -> Item {
    let item = match step.kind {
        0 => Item::thought(&step.content, AT),
        1 => Item::action("search", &serde_json::Map::from_iter([("q".to_owned(), step.content.clone().into())]), AT),
        _ => Item::observation(&step.content, AT),
    };
    let item = item.critical(step.critical);
    match &step.event {
        Some(id) => item.event(id),
        None => item,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    #[test]
    fn the_budget_holds_and_nothing_kept_is_lost(
        steps in vec(step(), 0..16),
        goal in content(),
        threshold in prop_oneof![0..40_usize, 40..400_usize, 400..3000_usize],
        keep in 0..8_usize,
    ) {
        let mut memory = WorkingMemory::new(Item::thought(goal, AT), budget(threshold, keep));
        let mut originals = Vec::new();
        for step in &steps {
            let item = item(step);
            originals.push(item.clone());
            prop_assert_eq!(memory.push(item), originals.len());
            match step.compress {
                0 => memory.compress(),
                1 => check(&memory),
                _ => {}
            }
        }
        check(&memory);
        memory.compress();
        check(&memory);
        prop_assert!(memory.items().eq(originals.iter()));
    }
}

#[test]
fn thousands_of_critical_items_become_one_line_and_the_recent_ones() {
    let mut memory = WorkingMemory::new(goal(), budget(300, 4));
    for number in 0..5000 {
        memory.push(
            Item::observation(format!("row {number} of the long table of results"), AT).event(format!("e{number}")),
        );
    }
    memory.compress();
    check(&memory);
    let shown = memory.render();
    let found = read_back(&memory, &shown);
    assert_eq!(found[&0], Shown::Verbatim, "{shown}");
    assert!(shown.contains("older steps; fetch #1 to #") && shown.contains("(e0 to e"), "{shown}");
    assert!(tokens::estimate(&shown) > 250, "the room is used: {shown}");
}

#[test]
fn everything_is_verbatim_below_the_threshold() {
    let mut memory = WorkingMemory::new(goal(), budget(2000, 6));
    memory.push(Item::thought("Look at the log.", AT));
    memory.push(Item::observation("error: no space left\n  on device", AT));
    memory.compress();
    assert_eq!(
        memory.render(),
        "[0] goal: Find out why the build fails.\n[1] thought: Look at the log.\n[2] observation: error: no space \
         left\n      on device"
    );
}

#[test]
fn older_items_are_condensed_and_critical_ones_kept() {
    let mut memory = WorkingMemory::new(goal(), budget(120, 2));
    memory.push(Item::thought(format!("Look at the log. {}", "It may be long. ".repeat(30)), AT));
    memory.push(Item::observation("error: no space left on device", AT).event("ev-2"));
    memory.push(Item::thought("Then the disk is full.", AT));
    memory.push(Item::thought("Ask for its use.", AT));
    assert!(memory.is_over());
    memory.compress();
    assert!(!memory.is_over());
    assert_eq!(
        memory.render(),
        "[0] goal: Find out why the build fails.\n[1-1] 1 older steps, condensed; fetch #1 to #1\n    #1 thought: Look \
         at the log.\n[2] observation: error: no space left on device\n[3] thought: Then the disk is full.\n[4] \
         thought: Ask for its use."
    );
}

#[test]
fn a_budget_is_the_smaller_of_the_threshold_and_half_the_window() {
    assert_eq!(Budget::new(2000, None, 6), budget(2000, 6));
    assert_eq!(Budget::new(2000, Some(3000), 6).threshold_tokens, 1500);
    assert_eq!(Budget::new(2000, Some(300_000), 6).threshold_tokens, 2000);
}

#[test]
fn wire_names() {
    let item = Item::observation("x", AT).event("e1");
    let json = serde_json::to_value(&item).expect("it is plain data");
    assert_eq!(
        json,
        serde_json::json!({"type": "observation", "content": "x", "timestamp": "2023-11-14T22:13:20.000000Z",
            "metadata": {"token_count": 1, "event_id": "e1", "critical": true}})
    );
    assert_eq!(serde_json::from_value::<Item>(json).expect("it was printed"), item);
}
