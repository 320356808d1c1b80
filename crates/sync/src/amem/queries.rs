//! The queries that specification 000 puts in a folder, as files of SQL.

/// The queries of specification 000, each under its name.
pub const BUILT_IN: [(&str, &str); 3] = [
    ("recent-failures", include_str!("queries/recent-failures.sql")),
    ("trace-lookup", include_str!("queries/trace-lookup.sql")),
    ("knowledge-search", include_str!("queries/knowledge-search.sql")),
];
