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
    /// An item of a list, known by the command in it.
    Hook {
        /// Where the list is.
        path: Vec<&'static str>,
        /// What.
        value: Json,
        /// What every command of ours there has in it.
        mark: String,
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
                let hook = Json::object([("type", Json::text("command")), command, timeout]);
                Json::object([("hooks", Json::List(vec![hook]))])
            }
        };
        let mark = format!(" hook {} {event}", client.name);
        parts.push(Part::Hook { path: vec!["hooks", event], value, mark });
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
            Self::Block => Ok(text.contains(block::BEGIN)),
        }
    }

    /// How a client that is set up starts the program: the command and its arguments, as they stand in the text.
    pub fn started_by(&self, text: &str) -> Result<Option<Vec<String>>, Fault> {
        match self {
            Self::Toml(table) => Ok(table.read(text)?.map(|(command, args)| [vec![command], args].concat())),
            Self::Block => Ok(None),
            Self::Json(parts) => {
                let Some(root) = jsonc::parse(text)? else { return Ok(None) };
                let server = parts.iter().find(|part| matches!(part, Part::Server { .. }));
                let Some(found) = server.and_then(|part| part.found(&root)) else { return Ok(None) };
                let texts = |node: &Node| node.items().iter().filter_map(Node::text).map(str::to_owned).collect();
                let mut words: Vec<String> = match found.find(&["command"]) {
                    Some(command) => command.text().map_or_else(|| texts(command), |text| vec![text.to_owned()]),
                    None => Vec::new(),
                };
                words.extend(found.find(&["args"]).map(texts).unwrap_or_default());
                Ok(Some(words))
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
            Self::Toml(table) => table.take_out(text)?,
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
            Self::Hook { mark, .. } => at.items().iter().find(|item| is_ours(item, mark)),
            Self::Needed { .. } => None,
        }
    }

    fn as_found(&self, text: &str, root: &Node) -> Option<Self> {
        let value = self.found(root).map(|node| node.to_json(text));
        Some(match self {
            Self::Server { path, .. } => Self::Server { path: path.clone(), value: value? },
            Self::Hook { path, mark, .. } => Self::Hook { path: path.clone(), mark: mark.clone(), value: value? },
            Self::Needed { .. } => self.clone(),
        })
    }

    fn put_in(&self, text: &str) -> Result<String, Fault> {
        let Some(root) = jsonc::parse(text)? else {
            let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
            return Ok(format!("{text}{}", jsonc::whole(&wrapped(&self.path(), self.leaf()), line_end)));
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
            Self::Hook { value, mark, .. } => {
                let jsonc::Value::List(items) = &at.value else {
                    return Err(Fault::at(text, at.span.start, format!("{} should be a list", path.join("."))));
                };
                Ok(match items.iter().find(|item| is_ours(item, mark)) {
                    Some(item) if item.to_json(text) == *value => text.to_owned(),
                    Some(item) => jsonc::replace(text, &root, item, value),
                    None => jsonc::insert(text, &root, at, None, value),
                })
            }
        }
    }

    /// What stands at the end of the path where nothing is there yet.
    fn leaf(&self) -> Json {
        match self {
            Self::Hook { value, .. } => Json::List(vec![value.clone()]),
            _ => self.value().clone(),
        }
    }

    /// The text without this part; what came to be with it goes with it.
    fn take_out(&self, text: &str, original: Option<(&str, &Node)>) -> Result<String, Fault> {
        let Some(root) = jsonc::parse(text)? else { return Ok(text.to_owned()) };
        let mut path = self.path();
        let was = |path: &[&str]| original.and_then(|(text, root)| root.find(path).map(|node| node.to_json(text)));
        let mut text = match self {
            // Hooks that somebody else added since need it as well.
            Self::Needed { .. }
                if was(&path).is_some() || root.member("hooks").is_some() && was(&["hooks"]).is_none() =>
            {
                return Ok(text.to_owned());
            }
            Self::Needed { .. } => drop_member(text, &root, &path),
            Self::Server { .. } => match (root.find(&path), was(&path)) {
                (None, _) => return Ok(text.to_owned()),
                (Some(node), Some(own)) => return Ok(jsonc::replace(text, &root, node, &own)),
                (Some(_), None) => drop_member(text, &root, &path),
            },
            Self::Hook { mark, .. } => {
                let Some(list) = root.find(&path) else { return Ok(text.to_owned()) };
                let Some(index) = list.items().iter().position(|item| is_ours(item, mark)) else {
                    return Ok(text.to_owned());
                };
                jsonc::cut(text, list, index)
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

/// Whether a hook calls this program: in whatever form it is written, its command says so.
fn is_ours(item: &Node, mark: &str) -> bool {
    let calls = |node: &Node| {
        let command = node.find(&["command"]).and_then(Node::text).unwrap_or_default();
        command
            .split_once(mark)
            .is_some_and(|(program, rest)| program.contains(SERVER) && (rest.is_empty() || rest.starts_with(' ')))
    };
    calls(item) || item.find(&["hooks"]).is_some_and(|hooks| hooks.items().iter().any(calls))
}
