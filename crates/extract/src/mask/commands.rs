//! Passwords that commands are given: `mysql -p…`, `curl -u user:…`, `echo … | sudo -S`, and lines of `.pgpass` and `.netrc`.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

use crate::words::Words;

use super::range;
use super::shapes::is_placeholder;

/// A command, its option, and where the secret stands: `joined` to the option, the `next` word, behind the `colon`, `percent`
/// or `comma` of the next word, or the `last` word of the command.
const OPTIONS: Words = Words(include_str!("../../data/private/command_options.tsv"));
/// What reads a password that is piped to it, and files that hold one.
const READS: [&str; 8] = [
    "sudo -S",
    "--password-stdin",
    "chpasswd",
    "vault_pass",
    "passwd --stdin",
    "cryptsetup",
    "--pass-stdin",
    ".pgpass",
];
/// Words of a command that are looked at.
const WORDS_MAX: usize = 200;
/// Shortest password a command is given.
const LEAST_BYTES: usize = 4;

/// Options and where the secret stands, by the command.
static BY_COMMAND: LazyLock<HashMap<&str, Vec<(&str, &str)>>> = LazyLock::new(|| {
    let mut options: HashMap<&str, Vec<(&str, &str)>> = HashMap::new();
    for row in OPTIONS.iter() {
        if let [command, option, place] = row.split('\t').collect::<Vec<_>>()[..] {
            options.entry(command).or_default().push((option, place));
        }
    }
    options
});

/// What a line holds that is looked at.
pub fn cues() -> impl Iterator<Item = &'static str> {
    OPTIONS.iter().filter_map(|row| row.split('\t').next()).chain(READS)
}

pub fn find(text: &str, line: &str, found: &mut Vec<Range<usize>>) {
    piped(text, line, found);
    fields(text, line, found);
    let command = |word: &str| BY_COMMAND.get(word.rsplit('/').next().unwrap_or(word));
    if !line.split_whitespace().any(|word| command(word).is_some()) {
        return;
    }
    let words = words(line);
    for (at, word) in words.iter().enumerate() {
        let Some(options) = command(word) else { continue };
        let ends = |word: &&&str| matches!(**word, "|" | "&&" | ";" | "||");
        let rest: Vec<&str> = words[at + 1..].iter().take(WORDS_MAX).take_while(|word| !ends(word)).copied().collect();
        for (option, place) in options {
            given(text, &rest, option, place, found);
        }
    }
}

/// The words of a command line; what stands in quotes is one.
fn words(line: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let (mut start, mut quote) = (None, None);
    for (at, c) in line.char_indices().chain([(line.len(), ' ')]) {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if matches!(c, '"' | '\'') => {
                quote = Some(c);
                start = start.or(Some(at));
            }
            None if c.is_whitespace() => words.extend(start.take().map(|from: usize| &line[from..at])),
            None => start = start.or(Some(at)),
        }
    }
    // A quote that is never closed is an apostrophe.
    if quote.is_some() { line.split_whitespace().collect() } else { words }
}

fn bare(word: &str) -> &str {
    word.trim_matches(['"', '\'', '`', ',', ')'])
}

fn given(text: &str, words: &[&str], option: &str, place: &str, found: &mut Vec<Range<usize>>) {
    let mut mask = |secret: &str| {
        if secret.len() >= LEAST_BYTES && !is_placeholder(secret) && !secret.starts_with(['-', '/']) {
            found.push(range(text, secret));
        }
    };
    if place == "last" {
        // `htpasswd -b file user password`, `cargo login token`
        let is_meant = words.len() >= 3 || words.first().is_some_and(|word| *word == option);
        if let Some(last) = words
            .last()
            .map(|word| bare(word))
            .filter(|last| is_meant && last.chars().any(|c| c.is_ascii_digit() || "!@#$%".contains(c)))
        {
            mask(last);
        }
        return;
    }
    for (at, word) in words.iter().enumerate() {
        if place == "joined" {
            if let Some(value) = word.strip_prefix(option) {
                mask(bare(value));
            }
        } else if *word == option || word.strip_prefix(option).is_some_and(|rest| rest.starts_with('=')) {
            let next = word.split_once('=').map(|(_, value)| value).or(words.get(at + 1).copied());
            let Some(value) = next.map(bare) else { continue };
            match place {
                // `curl -u token:`
                "colon" => value.split_once(':').map(|(name, value)| mask(if value.is_empty() { name } else { value })),
                "percent" => value.split_once('%').map(|(_, value)| mask(value)),
                "comma" => value.split_once(',').map(|(_, value)| mask(value)),
                _ => {
                    mask(value);
                    None
                }
            };
        }
    }
}

/// `echo 'password' | sudo -S …`, `echo 'password' > .vault_pass`.
fn piped(text: &str, line: &str, found: &mut Vec<Range<usize>>) {
    let reads = |behind: &str| READS.iter().any(|reads| behind.contains(reads));
    let Some((before, _)) = line.split_once(['|', '>']).filter(|(_, behind)| reads(behind)) else { return };
    let words = words(before);
    let spoken =
        words.iter().rposition(|word| matches!(*word, "echo" | "printf" | "-n" | "-e" | "\"%s\"" | "'%s'" | "%s"));
    if let Some(at) = spoken {
        for word in &words[at + 1..] {
            let value = bare(word);
            // `user:password` for chpasswd
            let value = value.split_once(':').map_or(value, |(_, value)| value);
            if value.len() >= LEAST_BYTES && !is_placeholder(value) {
                found.push(range(text, value));
            }
        }
    }
}

/// `host:port:database:user:password`.
fn fields(text: &str, line: &str, found: &mut Vec<Range<usize>>) {
    for word in line.split_whitespace().filter(|word| word.bytes().filter(|b| *b == b':').count() == 4).map(bare) {
        let fields: Vec<&str> = word.split(':').collect();
        if let [host, port, _, _, password] = fields[..]
            && (port == "*" || !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit()) && port.len() >= 4)
            && !host.is_empty()
            && password.len() >= LEAST_BYTES
            && !is_placeholder(password)
            && password.chars().any(char::is_alphabetic)
        {
            found.push(range(text, password));
        }
    }
}
