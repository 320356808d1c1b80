//! Queries that are kept by name: in the A-MEM folder of the space, in the home, and those that come with the program.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use idetic_memory::{Error, Result};
use idetic_store::Datum;
use idetic_sync::amem::BUILT_IN;
use rustix::fs::OFlags;

use crate::QueryLine;

/// Longest file of a query.
const FILE_MAX_BYTES: u64 = 64 << 10;
/// Longest name of a query.
const NAME_MAX_CHARS: usize = 100;
/// Most files that are listed.
const LISTED_MAX: usize = 1000;

/// A query that is kept.
pub struct Saved {
    /// Its name.
    pub name: String,
    /// The statement.
    pub sql: String,
    /// Where it is kept.
    pub from: String,
}

/// The folders that are looked into, in that order: of the A-MEM folder bound to the space, and of the home.
pub fn folders(home: &Path, bound: Option<PathBuf>) -> Vec<PathBuf> {
    bound
        .into_iter()
        .chain([home.to_owned()])
        .map(|folder| folder.join("queries"))
        .filter(|folder| !folder.is_symlink())
        .collect()
}

impl Saved {
    /// The query of a name.
    pub fn find(name: &str, folders: &[PathBuf]) -> Result<Self> {
        if !is_name(name) {
            return Err(Error::invalid(format!("'{}' is not the name of a query", name.escape_debug()))
                .hint("a name is made of letters, digits, - and _; a statement is given with --sql"));
        }
        for folder in folders {
            let file = folder.join(format!("{name}.sql"));
            if let Some(sql) = read(&file)? {
                return Ok(Self { name: name.to_owned(), sql, from: file.display().to_string() });
            }
        }
        built_in().find(|saved| saved.name == name).ok_or_else(|| {
            Error::not_found(format!("there is no query '{name}'")).hint(
                "`idetic query --list` lists them; add one as NAME.sql (not a link) in the queries folder of the home",
            )
        })
    }

    /// Every query, each name once, as it would be found.
    pub fn all(folders: &[PathBuf]) -> Result<Vec<Self>> {
        let mut names: Vec<String> = built_in().map(|saved| saved.name).collect();
        for entry in folders.iter().flat_map(std::fs::read_dir).flatten().flatten().take(LISTED_MAX) {
            let name = entry.file_name().to_str().and_then(|name| name.strip_suffix(".sql")).map(str::to_owned);
            names.extend(name.filter(|name| is_name(name)));
        }
        names.sort();
        names.dedup();
        names.iter().map(|name| Self::find(name, folders)).collect()
    }

    /// The values its parameters have where none are given: lines such as `-- :days = 7`, nothing behind the sign for
    /// nothing.
    pub fn defaults(&self) -> Vec<(String, Datum)> {
        let said = self.sql.lines().filter_map(|line| line.trim().strip_prefix("--")?.trim().strip_prefix(':'));
        said.filter_map(|said| said.split_once('='))
            .map(|(name, value)| (name.trim(), value.trim()))
            .filter(|(name, _)| is_name(name))
            .map(|(name, value)| {
                (name.to_owned(), if value.is_empty() { Datum::Null } else { Datum::Text(value.to_owned()) })
            })
            .collect()
    }

    /// As it is listed.
    pub fn line(&self) -> QueryLine {
        let comments = self.sql.lines().filter_map(|line| line.trim().strip_prefix("--")).map(str::trim);
        let about = comments.filter(|comment| !comment.starts_with(':')).find(|comment| !comment.is_empty());
        let mut parameters: Vec<String> = Vec::new();
        for (name, value) in self.defaults() {
            parameters.push(if let Datum::Text(value) = value {
                format!("{name}={value}")
            } else {
                format!("[{name}=…]")
            });
        }
        let code: String =
            self.sql.lines().filter(|line| !line.trim().starts_with("--")).collect::<Vec<_>>().join("\n");
        let mut rest = code.as_str();
        while let Some(at) = rest.find(':') {
            rest = &rest[at + 1..];
            let name: String = rest.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
            let known = parameters.iter().any(|own| own.trim_start_matches('[').split('=').next() == Some(&name));
            if !name.is_empty() && !name.starts_with(|c: char| c.is_ascii_digit()) && !known {
                parameters.push(format!("{name}=…"));
            }
        }
        let about = about.unwrap_or_default().to_owned();
        QueryLine { name: self.name.clone(), about, parameters, from: self.from.clone() }
    }
}

fn built_in() -> impl Iterator<Item = Saved> {
    let saved =
        |(name, sql): (&str, &str)| Saved { name: name.to_owned(), sql: sql.to_owned(), from: "built in".to_owned() };
    BUILT_IN.into_iter().map(saved)
}

/// A name that is no path.
fn is_name(name: &str) -> bool {
    let fits = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    !name.is_empty() && name.chars().count() <= NAME_MAX_CHARS && name.chars().all(fits)
}

fn read(file: &Path) -> Result<Option<String>> {
    let failed = || Error::io(format!("cannot read {}", file.display()));
    // A link may lead out of the folder, and opening a pipe waits for whoever writes into it.
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    let found = match std::fs::symlink_metadata(file) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        found => found.map_err(failed())?,
    };
    if !found.is_file() {
        return Ok(None);
    }
    let opened = OpenOptions::new().read(true).custom_flags(flags).open(file).map_err(failed())?;
    if !opened.metadata().map_err(failed())?.is_file() {
        return Ok(None);
    }
    let mut text = String::new();
    opened.take(FILE_MAX_BYTES + 1).read_to_string(&mut text).map_err(|error| match error.kind() {
        ErrorKind::InvalidData => {
            Error::invalid(format!("{} is not UTF-8 text", file.display())).hint("rewrite it as UTF-8")
        }
        _ => failed()(error),
    })?;
    if text.len() as u64 > FILE_MAX_BYTES {
        return Err(Error::invalid(format!("{} is longer than {FILE_MAX_BYTES} bytes", file.display()))
            .hint("a query is one SELECT"));
    }
    Ok(Some(text))
}
