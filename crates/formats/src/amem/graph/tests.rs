//! Small graphs by hand, large ones by the clock.

use proptest::prelude::*;

use super::*;

fn node(id: &str, links: &[&str], tags: &[&str]) -> Node {
    let own = |items: &[&str]| items.iter().map(|i| (*i).to_owned()).collect();
    Node { id: id.to_owned(), links: own(links), tags: own(tags), ..Node::default() }
}

#[test]
fn links_are_seen_from_both_ends_and_those_that_lead_nowhere_are_listed() {
    let mut b = node("b", &["a", "b"], &[]);
    b.alias = Some("know-1".to_owned());
    let graph = graph(&[node("a", &["b", "know-1", "gone"], &[]), b, node("c", &[], &[])]);
    let set = |ids: &[&str]| ids.iter().map(|i| (*i).to_owned()).collect::<BTreeSet<_>>();
    let notes = &graph.links.notes;
    assert_eq!((&notes["a"].outgoing, &notes["a"].incoming), (&set(&["b"]), &set(&["b"])));
    assert_eq!((&notes["b"].outgoing, &notes["b"].incoming), (&set(&["a"]), &set(&["a"])));
    assert_eq!(graph.dangling, [("a".to_owned(), "gone".to_owned())]);
    assert_eq!((notes["a"].strength, notes["c"].strength), (Some(35), Some(0)));
}

#[test]
fn strength_is_made_of_links_tags_traces_and_words() {
    let mut a = node("a", &["b"], &["x", "y"]);
    let mut b = node("b", &[], &["x", "y"]);
    a.traces = vec!["t".to_owned()];
    b.traces = a.traces.clone();
    (a.words, b.words) = (words("backend timeout startup"), words("startup timeout elsewhere"));
    let nodes = [a, b];
    assert_eq!(explain(&nodes, "a", "b"), Some(Tie { links: 50, tags: 15, traces: 5, words: 6 }));
    assert_eq!(graph(&nodes).links.notes["a"].strength, Some(38));
    assert_eq!(explain(&nodes, "a", "nobody"), None);
}

#[test]
fn communities_are_named_by_their_most_telling_tag() {
    let nodes = [
        node("a1", &["a2"], &["project", "backend"]),
        node("a2", &["a3"], &["project", "backend"]),
        node("a3", &["a1"], &["project", "backend"]),
        node("b1", &["b2"], &["project", "garden"]),
        node("b2", &["b1"], &["project", "garden"]),
        node("c1", &["c2"], &[]),
        node("c2", &[], &[]),
        node("lonely", &[], &[]),
    ];
    let names: Vec<(String, usize)> =
        graph(&nodes).links.clusters.into_iter().map(|c| (c.name, c.notes.len())).collect();
    assert_eq!(names, [("backend".to_owned(), 3), ("c1".to_owned(), 2), ("garden".to_owned(), 2)]);
}

#[test]
fn ten_thousand_notes_take_a_moment() {
    let nodes: Vec<Node> = (0..10_000)
        .map(|n| {
            let tags = [format!("group-{}", n / 40), format!("area-{}", n % 200), "all".to_owned()];
            let text = (0..150).map(|w| format!("word{} ", (n * 7 + w * w * 31) % 5000)).collect::<String>();
            Node {
                id: format!("n{n:05}"),
                links: vec![format!("n{:05}", n / 40 * 40)],
                tags: tags.to_vec(),
                words: words(&text),
                ..Node::default()
            }
        })
        .collect();
    let started = std::time::Instant::now();
    let graph = graph(&nodes);
    assert!(started.elapsed().as_secs() < 20, "took {:?}", started.elapsed());
    assert_eq!(graph.links.notes.len(), 10_000);
    assert!(graph.links.clusters.len() > 50);
}

proptest! {
    #[test]
    fn the_order_of_the_notes_does_not_matter(
        notes in prop::collection::vec((prop::collection::vec(0_usize..12, 0..4), prop::collection::vec(0_usize..5, 0..3)), 0..12),
        turn in 0_usize..12,
    ) {
        let nodes: Vec<Node> = notes.iter().enumerate().map(|(at, (links, tags))| {
            let links: Vec<String> = links.iter().map(|l| format!("n{l}")).collect();
            let tags: Vec<String> = tags.iter().map(|t| format!("t{t}")).collect();
            Node { id: format!("n{at}"), links, tags, ..Node::default() }
        }).collect();
        let one = graph(&nodes);
        let mut turned = nodes.clone();
        turned.rotate_left(turn.min(nodes.len()));
        prop_assert_eq!(&graph(&turned), &one);
        for (id, note) in &one.links.notes {
            prop_assert!(note.strength.is_some_and(|s| s <= 100));
            for to in &note.outgoing {
                prop_assert!(one.links.notes[to].incoming.contains(id));
            }
            for from in &note.incoming {
                prop_assert!(one.links.notes[from].outgoing.contains(id));
            }
        }
        let names: BTreeSet<&String> = one.links.clusters.iter().map(|c| &c.name).collect();
        prop_assert_eq!(names.len(), one.links.clusters.len());
        prop_assert_eq!(Links::read(&one.links.write()), (one.links.clone(), vec![]));
    }
}
