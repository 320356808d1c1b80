//! Changes one setting in the text of config.toml, and leaves everything else in it as a person wrote it.

use idetic_core::Invalid;
use toml_edit::{DocumentMut, Item, Table, value};

/// The text with another `log.url`; without one where it is empty.
pub fn with_log_url(text: &str, url: &str) -> Result<String, Invalid> {
    let mut document: DocumentMut =
        text.parse().map_err(|error| Invalid::new(format!("config.toml cannot be read: {error}")))?;
    let log = document.entry("log").or_insert_with(|| Item::Table(Table::new()));
    let log = log.as_table_like_mut().ok_or_else(|| Invalid::new("config.toml: log is not a table"))?;
    match url {
        "" => drop(log.remove("url")),
        url => match log.get_mut("url").and_then(Item::as_value_mut) {
            // What stands above it and behind it stays.
            Some(before) => {
                let around = before.decor().clone();
                *before = url.into();
                *before.decor_mut() = around;
            }
            None => drop(log.insert("url", value(url))),
        },
    }
    if log.is_empty() {
        document.remove("log");
    }
    Ok(document.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Config, TEMPLATE};

    #[test]
    fn only_the_address_changes() {
        let url = "postgres://ann@db:5432/memory";
        let url_of = |text: &str| Config::parse(text, "config.toml").expect("a configuration").log.url;
        for before in [TEMPLATE, "", "author = \"ann\" # me\n\n[log]\n# the database\nurl = \"postgres://x/y\"\n"] {
            let there = with_log_url(before, url).expect("edited");
            assert_eq!(url_of(&there), url, "{there}");
            before
                .lines()
                .filter(|line| !line.contains("url = "))
                .for_each(|line| assert!(there.contains(line), "{line}"));
            let back = with_log_url(&there, "").expect("edited");
            assert_eq!(url_of(&back), "", "{back}");
            assert_eq!(with_log_url(&back, "").as_ref(), Ok(&back));
        }
        assert!(with_log_url("[log", url).is_err());
        assert!(with_log_url("log = 3", url).is_err());
    }
}
