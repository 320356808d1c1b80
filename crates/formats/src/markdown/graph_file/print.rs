//! A graph printed: always the same bytes for the same graph.

use std::collections::BTreeSet;

use super::read::is_key;
use super::{Attributes, Graph, KINDS, Node, RELATIONS, STATUSES};
use crate::markdown::changelog::event_id;
use crate::markdown::seal::seal;
use crate::markdown::table::row;
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

/// The file of specification 003: skills, packs and files, then every relation under its heading. Nodes of other types
/// come under headings of their own.
pub fn print_generation_one(graph: &Graph) -> String {
    let mut out = String::from("# Knowledge Graph\n\n");
    if let Some(updated) = &graph.updated {
        out.push_str(&format!("**Last Updated:** {}\n", one_line(updated)));
    }
    if let Some(horizon) = graph.horizon {
        out.push_str(&format!("**Event horizon:** {}\n", event_id(horizon)));
    }
    if graph.updated.is_some() || graph.horizon.is_some() {
        out.push('\n');
    }
    out.push_str("## Entities\n");
    let first = ["skill", "pack", "file"];
    let others: BTreeSet<&str> = graph.nodes.iter().map(|n| n.kind.as_str()).collect();
    let others = others.into_iter().filter(|kind| !first.contains(kind));
    for kind in first.into_iter().chain(others) {
        out.push_str(&format!("\n### {}s\n", title(kind)));
        graph.nodes.iter().filter(|node| node.kind == kind).for_each(|node| out.push_str(&entity(node)));
    }
    out.push_str("\n## Relations\n");
    let first = ["depends_on", "part_of", "references"];
    let others: BTreeSet<&str> = graph.edges.iter().map(|e| e.relation.as_str()).collect();
    let others = others.into_iter().filter(|relation| !first.contains(relation));
    for relation in first.into_iter().chain(others) {
        out.push_str(&format!("\n### {}\n", title(relation)));
        for edge in graph.edges.iter().filter(|edge| edge.relation == relation) {
            let note = attributes(&edge.attributes);
            let note = if note.is_empty() { note } else { format!(" ({note})") };
            out.push_str(&format!("- [[{}]] → [[{}]]{note}\n", bracketless(&edge.from), bracketless(&edge.to)));
        }
    }
    seal(&out)
}

fn entity(node: &Node) -> String {
    let or_dash = |text: Option<&str>| text.map_or_else(|| "—".to_owned(), |text| one_line(&text.replace('—', "-")));
    let status = Some(node.status.as_str()).filter(|status| !status.is_empty());
    let attribute = |key| or_dash(node.attribute(key));
    let parts = match node.kind.as_str() {
        "pack" => {
            let completion = node.attribute("completion").or(status);
            [attribute("name"), or_dash(completion), attribute("skills")].join(" — ")
        }
        "file" => [attribute("type"), attribute("related")].join(" — "),
        _ => [attribute("name"), or_dash(status), attribute("pack")].join(" — "),
    };
    format!("- [[{}]] — {parts}\n", bracketless(&node.name))
}

fn bracketless(name: &str) -> String {
    one_line(&name.replace(['[', ']'], ""))
}

/// `Depends On` from `depends_on`.
fn title(slug: &str) -> String {
    let word = |word: &str| {
        let mut chars = word.chars();
        chars.next().map(|first| first.to_uppercase().chain(chars).collect::<String>()).unwrap_or_default()
    };
    slug.split('_').map(word).collect::<Vec<_>>().join(" ")
}

fn event(number: Option<u64>) -> String {
    number.map_or_else(|| "—".to_owned(), event_id)
}

/// `key: value, free text`; a comma in a value would begin another.
pub(crate) fn attributes(attributes: &Attributes) -> String {
    let part = |(key, value): &(String, String)| {
        let value = one_line(&value.replace(", ", "; "));
        let key: String = key.chars().map(|c| if is_key(&c.to_string()) { c } else { '_' }).collect();
        if key.is_empty() { value } else { format!("{key}: {value}") }
    };
    attributes.iter().map(part).filter(|text| !text.is_empty()).collect::<Vec<_>>().join(", ")
}
