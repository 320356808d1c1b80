//! A graph printed: always the same bytes for the same graph.

use super::read::is_key;
use super::{Attributes, Graph, KINDS, Node, RELATIONS, STATUSES};
use crate::markdown::changelog::event_id;
use crate::markdown::seal::seal;
use crate::markdown::table::{row, says_something};
use crate::markdown::write::one_line;

/// The file of generation two, with our mark behind it.
pub fn print(graph: &Graph) -> String {
    let mut out = format!(
        "# Knowledge Graph\n\n\
         <!-- LAYER 2: Materialized view. Updated only from the Event Log. Never edited directly. -->\n\n\
         ## Nodes\n\n<!-- Node Types: {} -->\n<!-- Statuses: {} -->\n\n\
         | Node | Type | Status | Created (evt) | Last Event | Attributes |\n\
         |------|------|--------|---------------|------------|------------|\n",
        KINDS.join(", "),
        STATUSES.join(", ")
    );
    for node in &graph.nodes {
        let Node { name, kind, status, .. } = node;
        let cells = [name, kind, status, &event(node.created), &event(node.last), &attributes(&node.attributes)];
        out.push_str(&row(&cells));
    }
    out.push_str(&format!(
        "\n## Edges\n\n<!-- Relations: {} -->\n\n\
         | From | To | Relation | Created (evt) | Attributes |\n|------|----|----------|---------------|------------|\n",
        RELATIONS.join(", ")
    ));
    for edge in &graph.edges {
        let cells = [&edge.from, &edge.to, &edge.relation, &event(edge.created), &attributes(&edge.attributes)];
        out.push_str(&row(&cells));
    }
    let updated = graph.updated.as_deref().map_or_else(|| "—".to_owned(), one_line);
    out.push_str(&format!(
        "\n## Meta\n\n- **Last updated**: {updated}\n- **Event horizon**: {}\n- **Nodes**: {}\n- **Edges**: {}\n",
        event(graph.horizon),
        graph.nodes.len(),
        graph.edges.len()
    ));
    seal(&out)
}

/// The headings of specification 003 for the kinds of nodes, and of ours for those it does not know.
const ENTITIES: [(&str, &str); 9] = [
    ("skill", "Skills"),
    ("pack", "Packs"),
    ("file", "Files"),
    ("component", "Components"),
    ("task", "Tasks"),
    ("dependency", "Dependencies"),
    ("decision", "Decisions"),
    ("document", "Documents"),
    ("milestone", "Milestones"),
];

/// The file of specification 003, with our mark behind it.
pub fn print_generation_one(graph: &Graph) -> String {
    let updated = graph.updated.as_deref().map_or_else(|| "—".to_owned(), one_line);
    let mut out = format!("# Knowledge Graph\n\n**Last Updated:** {updated}\n\n## Entities\n");
    for (kind, heading) in ENTITIES {
        let nodes: Vec<&Node> = graph.nodes.iter().filter(|node| node.kind == kind).collect();
        if nodes.is_empty() {
            continue;
        }
        out.push_str(&format!("\n### {heading}\n"));
        for node in nodes {
            out.push_str(&format!("- [[{}]] — {}\n", node.name, entity(graph, node).join(" — ")));
        }
    }
    out.push_str("\n## Relations\n");
    let mut relations: Vec<&str> = graph.edges.iter().map(|edge| edge.relation.as_str()).collect();
    relations.sort_unstable();
    relations.dedup();
    for relation in relations {
        out.push_str(&format!("\n### {}\n", heading(relation)));
        for edge in graph.edges.iter().filter(|edge| edge.relation == relation) {
            out.push_str(&format!("- [[{}]] → [[{}]]\n", edge.from, edge.to));
        }
    }
    seal(&out)
}

/// What stands behind the name of an entity, in the order of its kind.
fn entity(graph: &Graph, node: &Node) -> Vec<String> {
    let said = |key: &str| node.attribute(key).map(|text| one_line(&text.replace(['—', '–'], "-")));
    let name = said("name").or_else(|| said("title")).unwrap_or_else(|| node.name.clone());
    let parts = graph.edges.iter().filter(|edge| edge.relation == "part_of" && edge.to == node.name);
    match node.kind.as_str() {
        "pack" => {
            let skills: Vec<&str> = parts.map(|edge| edge.from.as_str()).collect();
            let done =
                skills.iter().filter(|name| graph.node(name).is_some_and(|node| node.status == "completed")).count();
            let share = if skills.is_empty() { 0 } else { done * 100 / skills.len() };
            vec![name, format!("{share}%"), skills.len().to_string()]
        }
        "file" => {
            let tied = graph.edges.iter().filter(|edge| edge.from == node.name || edge.to == node.name);
            let related: Vec<&str> =
                tied.map(|edge| if edge.from == node.name { edge.to.as_str() } else { edge.from.as_str() }).collect();
            let kind = node.name.rsplit_once('.').map_or("file", |(_, ending)| ending);
            vec![kind.to_owned(), if related.is_empty() { "—".to_owned() } else { related.join(", ") }]
        }
        _ => {
            let pack = graph.edges.iter().find(|edge| edge.relation == "part_of" && edge.from == node.name);
            let pack = pack.map(|edge| edge.to.clone());
            [Some(name), Some(node.status.clone()), pack].into_iter().flatten().collect()
        }
    }
}

/// `depends_on` as a heading says it.
fn heading(relation: &str) -> String {
    let words = relation.split('_').map(|word| {
        let mut letters = word.chars();
        letters.next().map_or_else(String::new, |first| first.to_uppercase().collect::<String>() + letters.as_str())
    });
    words.collect::<Vec<_>>().join(" ")
}

fn event(number: Option<u64>) -> String {
    number.map_or_else(|| "—".to_owned(), event_id)
}

/// `key: value, free text`; a comma in a value would begin another.
pub(crate) fn attributes(attributes: &Attributes) -> String {
    let part = |(key, value): &(String, String)| {
        let value = one_line(value).replace(", ", "; ");
        let key: String = key.chars().map(|c| if is_key(&c.to_string()) { c } else { '_' }).collect();
        if key.is_empty() { value } else { format!("{key}: {value}") }
    };
    let text = attributes.iter().map(part).filter(|text| !text.is_empty()).collect::<Vec<_>>().join(", ");
    // It would be read as nothing.
    if says_something(&text) { text } else { String::new() }
}
