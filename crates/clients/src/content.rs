//! What is put into a client's files, and taken out again so that they are as they were.

use super::jsonc::{self, Json, Node};
use super::table::{Client, HookForm, Hooks, Scope, ServerForm};
use super::toml_text::Table;
use super::{Fault, block};

/// The name of our server in every configuration.
pub const SERVER: &str = "idetic";
/// How long a client waits for a hook.
const HOOK_TIMEOUT_SECONDS: u64 = 10;

/// How the program is started by a client.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Start {
    /// The full path of the program.
    pub program: String,
    /// What is added to every command: whose memory, where.
    pub flags: Vec<String>,
}

impl Start {
    /// The start that the words of a server's command are.
    fn of(words: Vec<String>) -> Self {
        let flags = if words.get(1).is_some_and(|word| word == "mcp") { words[2..].to_vec() } else { Vec::new() };
        Self { program: words.into_iter().next().unwrap_or_default(), flags }
    }

    fn mcp(&self) -> Vec<String> {
        [&["mcp".to_owned()], self.flags.as_slice()].concat()
    }

    /// The command line of a hook, for a shell.
    fn hook(&self, client: &str, event: &str) -> String {
        let words = [self.program.as_str(), "hook", client, event];
        let words = words.into_iter().chain(self.flags.iter().map(String::as_str));
        words.map(shell_word).collect::<Vec<_>>().join(" ")
    }
}

/// A file that is to have something of ours.
#[derive(Debug, Clone)]
pub struct Planned {
    /// Where it may be: the first that exists, else the first. `~` is the user's folder, else it is the project's.
    pub places: Vec<&'static str>,
    /// What is to be in it.
    pub content: Content,
}

/// What is to be in a file.
#[derive(Debug, Clone)]
pub enum Content {
    /// Parts of a JSON text.
    Json(Vec<Part>),
    /// A table of a TOML text.
    Toml(Table),
    /// A block of a Markdown text.
    Block,
}

/// One part of a JSON text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// An object under a name: ours as a whole, but what a user adds to it stays for as long as it does.
    Server {
        /// Where.
        path: Vec<&'static str>,
        /// What.
        value: Json,
    },
    /// An entry of a list, known by its command.
    Hook {
        /// Where the list is.
        path: Vec<&'static str>,
        /// What.
        value: Json,
        /// Whether the list has groups, and the entries are in the list `hooks` of a group.
        in_group: bool,
        /// The words behind the program in every command of ours there.
        mark: [&'static str; 3],
    },
    /// Something that a file must have, whoever put it there.
    Needed {
        /// Its name.
        key: &'static str,
        /// What.
        value: Json,
    },
}

/// Every file of a client that is to have something of ours.
pub fn plan(client: &Client, scope: Scope, start: &Start) -> Vec<Planned> {
    let places = match scope {
        Scope::User => client.servers.user,
        Scope::Project => client.servers.project,
    };
    let mut planned = Vec::new();
    if !places.is_empty() {
        planned.push(Planned { places: places.to_vec(), content: server(client.servers.form, start) });
    }
    if let Some(hooks) = &client.hooks {
        let place = match scope {
            Scope::User => hooks.user,
            Scope::Project => hooks.project,
        };
        let parts = hook_parts(client, hooks, start);
        match planned.iter_mut().find(|file| file.places == [place]) {
            Some(Planned { content: Content::Json(all), .. }) => all.extend(parts),
            _ => planned.push(Planned { places: vec![place], content: Content::Json(parts) }),
        }
    }
    if scope == Scope::Project {
        planned.push(Planned { places: vec![client.instructions], content: Content::Block });
    }
    planned
}

fn server(form: ServerForm, start: &Start) -> Content {
    let (command, args) = (Json::text(&start.program), Json::texts(&start.mcp()));
    let typed =
        |kind: &str| Json::object([("type", Json::text(kind)), ("command", command.clone()), ("args", args.clone())]);
    let (parent, value) = match form {
        ServerForm::McpServers => ("mcpServers", Json::object([("command", command), ("args", args)])),
        ServerForm::TypedMcpServers => ("mcpServers", typed("stdio")),
        ServerForm::TypedServers => ("servers", typed("stdio")),
        ServerForm::LocalMcp => {
            let words = [std::slice::from_ref(&start.program), &start.mcp()].concat();
            let enabled = ("enabled", Json::Raw("true".to_owned()));
            ("mcp", Json::object([("type", Json::text("local")), ("command", Json::texts(&words)), enabled]))
        }
        ServerForm::TomlTables => {
            let (command, args) = (start.program.clone(), start.mcp());
            return Content::Toml(Table { path: ["mcp_servers", SERVER], command, args });
        }
    };
    Content::Json(vec![Part::Server { path: vec![parent, SERVER], value }])
}

fn hook_parts(client: &Client, hooks: &Hooks, start: &Start) -> Vec<Part> {
    let mut parts = Vec::new();
    if hooks.form == HookForm::Versioned {
        parts.push(Part::Needed { key: "version", value: Json::Raw("1".to_owned()) });
    }
    let timeout = match hooks.form {
        HookForm::NestedMillis => HOOK_TIMEOUT_SECONDS * 1000,
        _ => HOOK_TIMEOUT_SECONDS,
    };
    for &(event, _) in hooks.events {
        let command = ("command", Json::text(start.hook(client.name, event)));
        let value = match hooks.form {
            HookForm::Versioned => Json::object([command]),
            HookForm::Silent => Json::object([command, ("show_output", Json::Raw("false".to_owned()))]),
            HookForm::Nested | HookForm::NestedMillis => {
                let timeout = ("timeout", Json::Raw(timeout.to_string()));
                Json::object([("type", Json::text("command")), command, timeout])
            }
        };
        let in_group = matches!(hooks.form, HookForm::Nested | HookForm::NestedMillis);
        parts.push(Part::Hook { path: vec!["hooks", event], value, in_group, mark: ["hook", client.name, event] });
    }
    parts
}

/// A word as a shell takes it for one.
fn shell_word(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@%+=,".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

impl Content {
    /// The text with what is ours; `None` stands for a file that is not there.
    pub fn put_in(&self, text: Option<&str>) -> Result<String, Fault> {
        let text = text.unwrap_or_default();
        match self {
            Self::Json(parts) => parts.iter().try_fold(text.to_owned(), |text, part| part.put_in(&text)),
            Self::Toml(table) => table.put_in(text),
            Self::Block => Ok(block::put_in(text)),
        }
    }

    /// Whether there is anything of ours in a text, current or not.
    pub fn is_in(&self, text: &str) -> Result<bool, Fault> {
        match self {
            Self::Json(parts) => {
                let root = jsonc::parse(text)?;
                Ok(root.is_some_and(|root| parts.iter().any(|part| part.found(&root).is_some())))
            }
            Self::Toml(table) => Ok(table.read(text)?.is_some()),
            Self::Block => Ok(block::find(text).is_some()),
        }
    }

    /// How a client that is set up starts the program, as it stands in the text.
    pub fn started_by(&self, text: &str) -> Result<Option<Start>, Fault> {
        match self {
            Self::Toml(table) => Ok(table.read(text)?.map(|(command, args)| Start::of([vec![command], args].concat()))),
            Self::Block => Ok(None),
            Self::Json(parts) => {
                let Some(root) = jsonc::parse(text)? else { return Ok(None) };
                Ok(parts.iter().find_map(|part| part.started_by(&root)))
            }
        }
    }

    /// Whether what is ours in a text is just what is written for this start, with nothing that somebody made of it.
    /// Nobody writes one half of it by hand like that: a server and hooks must both be there.
    pub fn is_as_written(&self, text: &str) -> Result<bool, Fault> {
        match self {
            Self::Block => self.is_in(text),
            Self::Toml(table) => Ok(table.is_as_written(text)),
            Self::Json(parts) => {
                let Some(root) = jsonc::parse(text)? else { return Ok(false) };
                let (servers, others): (Vec<&Part>, Vec<&Part>) =
                    parts.iter().partition(|part| matches!(part, Part::Server { .. }));
                let are_there =
                    |parts: &[&Part]| parts.is_empty() || parts.iter().any(|part| part.found(&root).is_some());
                let is_same = |part: &Part| part.found(&root).is_none_or(|node| node.to_json(text) == *part.value());
                Ok(are_there(&servers) && are_there(&others) && parts.iter().all(is_same))
            }
        }
    }

    /// The text without what is ours, given the one from before, if there was one; `None` where nothing is left of a
    /// file that was not there before.
    pub fn take_out(&self, text: &str, before: Option<&str>) -> Result<Option<String>, Fault> {
        if self.as_found(text)?.put_in(before)? == text {
            return Ok(before.map(str::to_owned));
        }
        let left = match self {
            Self::Json(parts) => {
                let original = before.map(jsonc::parse).transpose()?.flatten();
                let original = before.zip(original.as_ref());
                let without = |text: String, part: &Part| part.take_out(&text, original);
                parts.iter().rev().try_fold(text.to_owned(), without)?
            }
            Self::Toml(table) => table.take_out(text, before)?,
            Self::Block => block::take_out(text),
        };
        let is_empty = match self {
            Self::Json(_) => jsonc::parse(&left)?.is_none_or(|root| jsonc::is_bare(&left, &root)),
            Self::Toml(_) | Self::Block => left.trim().is_empty(),
        };
        Ok(if before.is_none() && is_empty { None } else { Some(left) })
    }

    /// The same content with the values that stand in a text: what was put in then need not be what would be now.
    fn as_found(&self, text: &str) -> Result<Self, Fault> {
        Ok(match self {
            Self::Block => Self::Block,
            Self::Toml(table) => {
                let (command, args) = table.read(text)?.unwrap_or_default();
                Self::Toml(Table { path: table.path, command, args })
            }
            Self::Json(parts) => {
                let root = jsonc::parse(text)?;
                let found = |part: &Part| part.as_found(text, root.as_ref()?);
                Self::Json(parts.iter().filter_map(found).collect())
            }
        })
    }
}

impl Part {
    fn path(&self) -> Vec<&'static str> {
        match self {
            Self::Server { path, .. } | Self::Hook { path, .. } => path.clone(),
            Self::Needed { key, .. } => vec![key],
        }
    }

    fn value(&self) -> &Json {
        match self {
            Self::Server { value, .. } | Self::Hook { value, .. } | Self::Needed { value, .. } => value,
        }
    }

    /// What of ours stands in a text, if anything does. What is needed by everybody is nobody's.
    fn found<'n>(&self, root: &'n Node) -> Option<&'n Node> {
        let at = root.find(&self.path())?;
        match self {
            Self::Server { .. } => Some(at),
            Self::Hook { in_group, mark, .. } => entries(at, *in_group, mark).first().map(Entry::node),
            Self::Needed { .. } => None,
        }
    }

    fn started_by(&self, root: &Node) -> Option<Start> {
        let found = self.found(root)?;
        let command = found.find(&["command"]);
        if let Self::Hook { mark, .. } = self {
            return called(command?.text()?, mark);
        }
        // The arguments stand behind the command or in a list of their own.
        let texts = |node: &Node| match node.text() {
            Some(text) => vec![text.to_owned()],
            None => node.items().iter().filter_map(Node::text).map(str::to_owned).collect(),
        };
        let words = [command, found.find(&["args"])].into_iter().flatten().flat_map(texts);
        Some(Start::of(words.collect()))
    }

    fn as_found(&self, text: &str, root: &Node) -> Option<Self> {
        let value = self.found(root).map(|node| node.to_json(text));
        Some(match self {
            Self::Server { path, .. } => Self::Server { path: path.clone(), value: value? },
            Self::Hook { path, in_group, mark, .. } => {
                Self::Hook { path: path.clone(), value: value?, in_group: *in_group, mark: *mark }
            }
            Self::Needed { .. } => self.clone(),
        })
    }

    fn put_in(&self, text: &str) -> Result<String, Fault> {
        let Some(root) = jsonc::parse(text)? else {
            let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
            // A comment that ends with the text would take in what is put behind it.
            let gap = if text.contains("//") && !text.ends_with('\n') { line_end } else { "" };
            return Ok(format!("{text}{gap}{}", jsonc::whole(&wrapped(&self.path(), self.leaf()), line_end)));
        };
        let path = self.path();
        let (mut at, mut depth) = (&root, 0);
        while let (Some(key), jsonc::Value::Object(_)) = (path.get(depth), &at.value) {
            let Some(member) = at.member(key) else {
                return Ok(jsonc::insert(text, &root, at, Some(key), &wrapped(&path[depth + 1..], self.leaf())));
            };
            (at, depth) = (&member.node, depth + 1);
        }
        if depth < path.len() {
            let name = depth.checked_sub(1).map_or("the whole", |above| path[above]);
            return Err(Fault::at(text, at.span.start, format!("{name} should be an object")));
        }
        match self {
            Self::Needed { .. } => Ok(text.to_owned()),
            Self::Server { value, .. } => merge(text, &path, value),
            Self::Hook { value, in_group, mark, .. } => {
                let jsonc::Value::List(_) = &at.value else {
                    return Err(Fault::at(text, at.span.start, format!("{} should be a list", path.join("."))));
                };
                let entries = entries(at, *in_group, mark);
                let Some((first, others)) = entries.split_first() else {
                    return Ok(jsonc::insert(text, &root, at, None, &self.item()));
                };
                if let Some(last) = others.last() {
                    // One is enough, and the last can go without moving the others.
                    return self.put_in(&last.cut(text, at));
                }
                let is_same = first.node().to_json(text) == *value;
                Ok(if is_same { text.to_owned() } else { jsonc::replace(text, &root, first.node(), value) })
            }
        }
    }

    /// An entry as an item of its list.
    fn item(&self) -> Json {
        match self {
            Self::Hook { value, in_group: true, .. } => Json::object([("hooks", Json::List(vec![value.clone()]))]),
            _ => self.value().clone(),
        }
    }

    /// What stands at the end of the path where nothing is there yet.
    fn leaf(&self) -> Json {
        match self {
            Self::Hook { .. } => Json::List(vec![self.item()]),
            _ => self.value().clone(),
        }
    }

    /// The text without this part; what came to be with it goes with it.
    fn take_out(&self, text: &str, original: Option<(&str, &Node)>) -> Result<String, Fault> {
        let Some(root) = jsonc::parse(text)? else { return Ok(text.to_owned()) };
        let mut path = self.path();
        let was = |path: &[&str]| original.is_some_and(|(_, root)| root.find(path).is_some());
        let own = original.and_then(|(text, root)| self.found(root).map(|node| &text[node.span.clone()]));
        let put_back = |node: &Node, own: &str| [&text[..node.span.start], own, &text[node.span.end..]].concat();
        let mut text = match self {
            // Hooks that somebody else added since need it as well.
            Self::Needed { .. } if was(&path) || root.member("hooks").is_some() && !was(&["hooks"]) => {
                return Ok(text.to_owned());
            }
            Self::Needed { .. } => drop_member(text, &root, &path),
            Self::Server { .. } => match (root.find(&path), own) {
                (None, _) => return Ok(text.to_owned()),
                (Some(node), Some(own)) => return Ok(put_back(node, own)),
                (Some(_), None) => drop_member(text, &root, &path),
            },
            Self::Hook { in_group, mark, .. } => {
                let Some(list) = root.find(&path) else { return Ok(text.to_owned()) };
                let entries = entries(list, *in_group, mark);
                match (entries.as_slice(), own) {
                    ([], _) => return Ok(text.to_owned()),
                    ([only], Some(own)) => return Ok(put_back(only.node(), own)),
                    ([only], None) => only.cut(text, list),
                    ([.., last], _) => return self.take_out(&last.cut(text, list), original),
                }
            }
        };
        if !matches!(self, Self::Hook { .. }) {
            path.pop();
        }
        while let Some(root) = jsonc::parse(&text)? {
            let Some(node) = root.find(&path).filter(|node| node.parts().is_empty()) else { break };
            let is_bare = jsonc::is_bare(&text, node);
            match original.and_then(|(text, root)| root.find(&path).map(|node| &text[node.span.clone()])) {
                Some(as_it_was) if words(as_it_was).eq(words(&text[node.span.clone()])) => {
                    text.replace_range(node.span.clone(), as_it_was);
                    break;
                }
                None if is_bare && !path.is_empty() => text = drop_member(&text, &root, &path),
                _ => break,
            }
            path.pop();
        }
        Ok(text)
    }
}

/// A text but for its white space.
fn words(text: &str) -> impl Iterator<Item = char> {
    text.chars().filter(|c| !c.is_whitespace())
}

/// Sets our keys of an object that is there, and leaves the others.
fn merge(text: &str, path: &[&str], value: &Json) -> Result<String, Fault> {
    let Json::Object(members) = value else { return Ok(text.to_owned()) };
    let mut text = text.to_owned();
    for (key, wanted) in members {
        let Some(root) = jsonc::parse(&text)? else { break };
        let Some(at) = root.find(path) else { break };
        text = match at.member(key) {
            _ if !matches!(at.value, jsonc::Value::Object(_)) => return Ok(jsonc::replace(&text, &root, at, value)),
            Some(member) if member.node.to_json(&text) == *wanted => continue,
            Some(member) => jsonc::replace(&text, &root, &member.node, wanted),
            None => jsonc::insert(&text, &root, at, Some(key), wanted),
        };
    }
    Ok(text)
}

fn drop_member(text: &str, root: &Node, path: &[&str]) -> String {
    let Some((key, above)) = path.split_last() else { return text.to_owned() };
    let Some(container) = root.find(above) else { return text.to_owned() };
    let jsonc::Value::Object(members) = &container.value else { return text.to_owned() };
    match members.iter().rposition(|member| member.key == *key) {
        Some(index) => jsonc::cut(text, container, index),
        None => text.to_owned(),
    }
}

/// A value under names, the last innermost.
fn wrapped(path: &[&str], value: Json) -> Json {
    path.iter().rev().fold(value, |value, key| Json::object([(key, value)]))
}

/// An entry of ours in a list of hooks.
enum Entry<'n> {
    /// An item of the list.
    Item(usize, &'n Node),
    /// One of a group, which is an item of the list: the number of the group, the group, the number in it.
    Grouped(usize, &'n Node, usize),
}

impl<'n> Entry<'n> {
    fn node(&self) -> &'n Node {
        match self {
            Self::Item(_, node) => node,
            Self::Grouped(_, group, index) => &grouped(group)[*index],
        }
    }

    /// The text without it; its group goes along if nothing else is in it.
    fn cut(&self, text: &str, list: &Node) -> String {
        match self {
            Self::Item(index, _) => jsonc::cut(text, list, *index),
            Self::Grouped(number, group, index) => match group.member("hooks") {
                Some(hooks) if grouped(group).len() > 1 || group.parts().len() > 1 => {
                    jsonc::cut(text, &hooks.node, *index)
                }
                _ => jsonc::cut(text, list, *number),
            },
        }
    }
}

fn grouped(group: &Node) -> &[Node] {
    group.member("hooks").map(|hooks| hooks.node.items()).unwrap_or_default()
}

/// The entries of a list that call this program.
fn entries<'n>(list: &'n Node, in_group: bool, mark: &[&str; 3]) -> Vec<Entry<'n>> {
    let is_ours =
        |node: &Node| node.find(&["command"]).and_then(Node::text).is_some_and(|line| called(line, mark).is_some());
    let mut found = Vec::new();
    for (number, item) in list.items().iter().enumerate() {
        if in_group {
            let ours = grouped(item).iter().enumerate().filter(|(_, entry)| is_ours(entry));
            found.extend(ours.map(|(index, _)| Entry::Grouped(number, item, index)));
        } else if is_ours(item) {
            found.push(Entry::Item(number, item));
        }
    }
    found
}

/// How a command line starts the program, if it does that and nothing else: one word, the mark, and flags.
fn called(line: &str, mark: &[&str; 3]) -> Option<Start> {
    match shell_words(line)?.as_slice() {
        [program, hook, client, event, flags @ ..] if [hook, client, event] == *mark => {
            Some(Start { program: program.clone(), flags: flags.to_vec() })
        }
        _ => None,
    }
}

/// The words of a command line; nothing where it is more than one plain command.
fn shell_words(line: &str) -> Option<Vec<String>> {
    let mut words: Vec<String> = Vec::new();
    let (mut is_open, mut quote) = (false, None);
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        let is_quoted = quote.is_some();
        if quote == Some(c) {
            quote = None;
            continue;
        }
        if !is_quoted && c == ' ' {
            is_open = false;
            continue;
        }
        if !is_quoted && "&|;<>()`\n".contains(c) {
            return None;
        }
        if !is_open {
            words.push(String::new());
            is_open = true;
        }
        let c = match c {
            '\'' | '"' if !is_quoted => {
                quote = Some(c);
                continue;
            }
            '\\' if quote != Some('\'') => chars.next()?,
            c => c,
        };
        words.last_mut()?.push(c);
    }
    quote.is_none().then_some(words)
}
