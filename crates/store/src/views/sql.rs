//! The SQL of a table, made from its definition. Only names from our own definitions ever stand in it.

use idetic_core::views::{Shape, Table};

/// The statements that create a table and its indexes.
pub fn create(table: &Table) -> Vec<String> {
    let Table { name, columns, .. } = table;
    let list = quoted(columns).join(", ");
    let mut statements = match table.shape {
        Shape::Event => vec![format!("CREATE TABLE \"{name}\" (born INTEGER PRIMARY KEY, died INTEGER, {list})")],
        Shape::Set => {
            vec![format!(
                "CREATE TABLE \"{name}\" ({list}, born INTEGER, died INTEGER, PRIMARY KEY ({list}, born)) WITHOUT ROWID"
            )]
        }
        Shape::Entity { key } => {
            let key = quoted(&columns[..key]).join(", ");
            vec![
                format!("CREATE TABLE \"{name}\" (born INTEGER NOT NULL, died INTEGER, {list})"),
                format!("CREATE UNIQUE INDEX \"{name} live\" ON \"{name}\" ({key}) WHERE died IS NULL"),
                format!("CREATE INDEX \"{name} past\" ON \"{name}\" ({key}, born)"),
            ]
        }
        Shape::Tally { key } => {
            let key = quoted(&columns[..key]).join(", ");
            vec![format!("CREATE TABLE \"{name}\" ({list}, PRIMARY KEY ({key})) WITHOUT ROWID")]
        }
    };
    for index in table.indexes {
        let given = quoted(index);
        // Most events leave most fields out: what is not there is not indexed.
        statements.push(format!(
            "CREATE INDEX \"{name} by {}\" ON \"{name}\" ({}) WHERE {} IS NOT NULL",
            index.join(" "),
            given.join(", "),
            given[0]
        ));
    }
    statements
}

/// Adds a row that stays; `born` is the last parameter.
pub fn insert(table: &Table) -> String {
    insert_columns(table, &["born"])
}

/// Adds a row that may have been replaced already; `born` and `died` are the last parameters.
pub fn insert_with_end(table: &Table) -> String {
    insert_columns(table, &["born", "died"])
}

fn insert_columns(table: &Table, more: &[&str]) -> String {
    let columns: Vec<String> = quoted(table.columns).into_iter().chain(more.iter().map(|&n| n.to_owned())).collect();
    let marks: Vec<String> = (1..=columns.len()).map(|n| format!("?{n}")).collect();
    format!("INSERT INTO \"{}\" ({}) VALUES ({})", table.name, columns.join(", "), marks.join(", "))
}

/// Ends the life of the row with a key; the seq is the last parameter.
pub fn retire(table: &Table, key: usize) -> String {
    format!("UPDATE \"{}\" SET died = ?{} WHERE {} AND died IS NULL", table.name, key + 1, matches(table, key))
}

/// The row with a key as it stands.
pub fn live(table: &Table, key: usize) -> String {
    let columns = quoted(table.columns).join(", ");
    format!("SELECT {columns} FROM \"{}\" WHERE {} AND died IS NULL", table.name, matches(table, key))
}

/// Adds to the sums under a key.
pub fn add(table: &Table, key: usize) -> String {
    let marks: Vec<String> = (1..=table.columns.len()).map(|n| format!("?{n}")).collect();
    let sums: Vec<String> = quoted(&table.columns[key..]).iter().map(|c| format!("{c} = {c} + excluded.{c}")).collect();
    format!(
        "INSERT INTO \"{}\" VALUES ({}) ON CONFLICT DO UPDATE SET {}",
        table.name,
        marks.join(", "),
        sums.join(", ")
    )
}

/// Every row in one order; of sums those over all blocks.
pub fn all(table: &Table) -> String {
    let order = match table.shape {
        Shape::Tally { key } => return sums(table, key),
        Shape::Entity { key } => quoted(&table.columns[..key]).join(", ") + ", born",
        Shape::Set => format!("{}, born", quoted(table.columns).join(", ")),
        Shape::Event => "born".to_owned(),
    };
    format!("SELECT {}, born, died FROM \"{}\" ORDER BY {order}", quoted(table.columns).join(", "), table.name)
}

fn sums(table: &Table, key: usize) -> String {
    let is_place = |column: &str| table.places.iter().any(|(name, _)| *name == column);
    let key_columns: Vec<&str> = table.columns[..key].iter().copied().filter(|column| !is_place(column)).collect();
    let key_columns = quoted(&key_columns).join(", ");
    let sums: Vec<String> = quoted(&table.columns[key..]).iter().map(|column| format!("sum({column})")).collect();
    let (sums, name) = (sums.join(", "), table.name);
    format!("SELECT {key_columns}, {sums} FROM \"{name}\" GROUP BY {key_columns} ORDER BY {key_columns}")
}

/// A name of ours, quoted.
pub fn quote(name: &str) -> String {
    format!("\"{name}\"")
}

fn quoted(names: &[&str]) -> Vec<String> {
    names.iter().map(|n| quote(n)).collect()
}

fn matches(table: &Table, key: usize) -> String {
    let terms: Vec<String> =
        quoted(&table.columns[..key]).iter().enumerate().map(|(n, c)| format!("{c} = ?{}", n + 1)).collect();
    terms.join(" AND ")
}
