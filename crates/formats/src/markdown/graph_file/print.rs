//! A graph printed: always the same bytes for the same graph.

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
