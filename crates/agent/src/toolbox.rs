//! The tools of an invocation: which there are, and what happens when one is called.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

use idetic_ops::core::words::{Persona, Trust};
use idetic_ops::core::{SpaceName, Time, invalid};
use idetic_ops::model::chat::{Chat, ToolSpec};
use idetic_ops::model::{ChatMessage, ChatRequest};
use idetic_ops::{
    Config, Episode, EpisodeQuery, Error, FactDraft, FactQuery, Grant, Memory, Models, OwnerContext, Reply, Result,
    Viewpoint, find,
};
use idetic_tools::http_tool::{HttpCall, HttpHeader, HttpLimits, http_call};
use idetic_tools::mcp::{McpClient, McpIdentity, McpLimits, McpServer};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::tools::{self, MEMORY_TOOLS, Tool, Work};

/// Tokens that a tool which asks the model may be answered with.
const COMPLETION_TOKENS: u32 = 512;
/// Tokens of a context that answers a question about a collection.
const KNOWLEDGE_TOKENS: usize = 1000;

/// A server of the configuration: a command with its arguments, or an address.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Server {
    #[serde(default)]
    command: Vec<String>,
    #[serde(default)]
    folder: Option<PathBuf>,
    /// Names of variables that the command gets from our environment.
    #[serde(default)]
    env: Vec<String>,
    #[serde(default)]
    url: Option<String>,
    /// The variable that holds the key.
    #[serde(default)]
    key_env: Option<String>,
}

/// Variables that a command gets without being named: it could hardly run without them.
const DEFAULT_VARIABLES: [&str; 3] = ["PATH", "HOME", "LANG"];

/// Everything a tool needs.
pub struct Toolbox<'a> {
    pub(crate) memory: Arc<Memory>,
    pub(crate) space: SpaceName,
    pub(crate) models: Models,
    /// The agent whose memory is used; what all share without one.
    pub(crate) agent: Option<String>,
    grant: Grant,
    /// The conversation that what is stored was learned in.
    pub(crate) conversation: String,
    pub(crate) variable: &'a dyn Fn(&str) -> Option<String>,
    configured: Vec<Tool>,
    servers: BTreeMap<String, McpServer>,
    clients: RefCell<BTreeMap<String, Rc<McpClient>>>,
    /// The tools of servers, by the name the model knows them by.
    offered: BTreeMap<String, Offered>,
    /// Servers that could not be reached, and why.
    pub(crate) troubles: Vec<String>,
}

/// A tool of a server.
struct Offered {
    server: String,
    name: String,
    spec: ToolSpec,
}

/// What a tool may use of the invocation it is called in.
pub struct Hands<'a> {
    /// The model.
    pub chat: &'a dyn Chat,
    /// The events that what it stores derives from.
    pub basis: &'a [String],
    /// The original of a step of the working memory.
    pub fetch: &'a dyn Fn(&str) -> Option<String>,
}

/// What a tool answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observation {
    /// Its text.
    pub text: String,
    /// Whether it worked.
    pub worked: bool,
}

impl Observation {
    fn of(result: Result<String>) -> Self {
        match result {
            Ok(text) => Self { text, worked: true },
            Err(error) if error.hint.is_empty() => Self { text: format!("Error: {error}"), worked: false },
            Err(error) => Self { text: format!("Error: {error}. {}", error.hint), worked: false },
        }
    }
}

impl<'a> Toolbox<'a> {
    /// Reads the tools of a configuration; servers are reached when their tools are first listed.
    pub fn new(
        memory: Arc<Memory>,
        space: SpaceName,
        models: Models,
        variable: &'a dyn Fn(&str) -> Option<String>,
        agent: Option<String>,
        grant: Grant,
        with_memory: bool,
    ) -> Result<Self> {
        // What a model does with its tools is the agent's word, never the user's.
        let trust = grant.trust.map_or(Trust::Agent, |trust| trust.max(Trust::Agent));
        let grant = Grant { trust: Some(trust), ..grant };
        let config = memory.config().clone();
        let mut configured: BTreeMap<String, Value> = BTreeMap::new();
        for (id, value) in &config.tools {
            configured.insert(id.clone(), json_of(id, value)?);
        }
        if with_memory {
            for (name, ..) in MEMORY_TOOLS {
                let name = name.replace('-', "_");
                configured.entry(name.clone()).or_insert_with(|| memory_tool(&name));
            }
        }
        let mut tools = tools::load(configured.iter().map(|(id, value)| (id.as_str(), value)))?;
        // Without a memory there is nothing to look up and nothing to keep.
        tools.retain(|tool| with_memory || !matches!(tool.work, Work::Memory { .. }));
        let servers = servers(&config, variable)?;
        let (clients, offered, troubles) = Default::default();
        let conversation = String::new();
        let mut toolbox = Self {
            memory,
            space,
            models,
            agent,
            grant,
            conversation,
            variable,
            configured: tools,
            servers,
            clients,
            offered,
            troubles,
        };
        (toolbox.offered, toolbox.troubles) = toolbox.offers();
        Ok(toolbox)
    }

    /// What the servers offer that no tool of the configuration stands for. One that cannot be reached is told of: the others,
    /// and the question, do not depend on it.
    fn offers(&self) -> (BTreeMap<String, Offered>, Vec<String>) {
        let (mut offered, mut troubles) = (BTreeMap::new(), Vec::new());
        for server in self.servers.keys() {
            let tools = self
                .client(server)
                .and_then(|client| client.tools().map_err(|error| Error::unavailable(error.to_string())));
            let tools = tools.unwrap_or_else(|error| {
                troubles.push(format!("without the tools of {server}: {error}"));
                Vec::new()
            });
            for tool in tools {
                let taken =
                    |name: &str| offered.contains_key(name) || self.configured.iter().any(|own| own.name == name);
                let name = if taken(&tool.name) { format!("{server}_{}", tool.name) } else { tool.name.clone() };
                let spec = ToolSpec { name: name.clone(), description: tool.description, parameters: tool.schema };
                offered.insert(name, Offered { server: server.clone(), name: tool.name, spec });
            }
        }
        (offered, troubles)
    }

    fn client(&self, server: &str) -> Result<Rc<McpClient>> {
        if let Some(client) = self.clients.borrow().get(server) {
            return Ok(Rc::clone(client));
        }
        let place =
            self.servers.get(server).ok_or_else(|| Error::not_found(format!("there is no server '{server}'")))?;
        let identity = McpIdentity { name: "idetic".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() };
        let client = McpClient::connect(place, McpLimits::default(), &identity)
            .map_err(|error| Error::unavailable(format!("mcp.{server}: {error}")).hint("check [mcp] in config.toml"))?;
        let client = Rc::new(client);
        self.clients.borrow_mut().insert(server.to_owned(), Rc::clone(&client));
        Ok(client)
    }

    /// The tools that are offered to a request of these groups in this state, as a model takes them.
    pub fn specs(&self, group: &[String], state: &str) -> Vec<ToolSpec> {
        let own = tools::available(&self.configured, group, state);
        let mut specs: Vec<ToolSpec> = own
            .into_iter()
            .map(|tool| ToolSpec {
                name: tool.name.clone(),
                description: tool.description.clone(),
                parameters: tools::schema(tool),
            })
            .collect();
        let in_group = group.iter().any(|group| group == "*" || group == tools::DEFAULT_GROUP);
        if in_group {
            specs.extend(self.offered.values().map(|offered| offered.spec.clone()));
        }
        specs
    }

    /// Calls a tool. Whatever goes wrong is an observation that says so; the state after it is told as well.
    pub fn call(
        &self,
        name: &str,
        arguments: Map<String, Value>,
        group: &[String],
        state: &str,
        hands: &Hands<'_>,
    ) -> (Observation, String) {
        let own = tools::available(&self.configured, group, state).into_iter().find(|tool| tool.name == name);
        let Some(tool) = own else {
            return (self.call_offered(name, arguments, group, state), state.to_owned());
        };
        let checked = match tools::check(tool, arguments) {
            Ok(checked) => checked,
            Err(trouble) => {
                return (Observation { text: format!("Error: {trouble}"), worked: false }, state.to_owned());
            }
        };
        let mut observation = Observation::of(self.work(tool, &checked.arguments, hands));
        for note in checked.notes {
            observation.text += &format!("\n({note})");
        }
        let next = if observation.worked { tools::next_state(tool, state) } else { state };
        (observation, next.to_owned())
    }

    fn call_offered(&self, name: &str, arguments: Map<String, Value>, group: &[String], state: &str) -> Observation {
        let specs = self.specs(group, state);
        let Some(offered) = self.offered.get(name).filter(|_| specs.iter().any(|spec| spec.name == name)) else {
            let names: Vec<&str> = specs.iter().map(|spec| spec.name.as_str()).collect();
            let known = if names.is_empty() { "there are no tools".to_owned() } else { names.join(", ") };
            let text = format!("Error: there is no tool '{}'. Tools: {known}.", invalid::excerpt(name));
            return Observation { text, worked: false };
        };
        let called = self.client(&offered.server).and_then(|client| {
            client.call(&offered.name, arguments).map_err(|error| Error::unavailable(error.to_string()))
        });
        match called {
            Ok(answer) => Observation { text: answer.text, worked: !answer.is_error },
            Err(error) => Observation::of(Err(error)),
        }
    }

    fn work(&self, tool: &Tool, arguments: &Map<String, Value>, hands: &Hands<'_>) -> Result<String> {
        let text = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        match &tool.work {
            Work::KnowledgeQuery { collection, .. } => self.knowledge(&text("question"), collection.as_deref()),
            Work::TextCompletion => complete(hands.chat, &text("question")),
            Work::Prompt(template) => complete(hands.chat, &template.fill(arguments)),
            Work::StructuredQuery { query, collection, limit } => {
                let parameters: Vec<String> =
                    arguments.iter().map(|(key, value)| format!("{key}={}", plain(value))).collect();
                let mut asked = json!({"name": query, "parameters": parameters});
                if let Some(limit) = limit {
                    asked["limit"] = (*limit).into();
                }
                self.operation("query", &asked, collection.as_deref())
            }
            Work::McpTool { mcp_tool: name } => {
                let found = self.offered.values().find(|offered| offered.name == *name);
                let offered = found.ok_or_else(|| {
                    Error::not_found(format!("no server offers a tool '{name}'")).hint("check [mcp] in config.toml")
                })?;
                let client = self.client(&offered.server)?;
                let answer =
                    client.call(name, arguments.clone()).map_err(|error| Error::unavailable(error.to_string()))?;
                if answer.is_error { Err(Error::unavailable(answer.text)) } else { Ok(answer.text) }
            }
            Work::Http(http) => {
                let request =
                    http.request(arguments, self.variable).map_err(|error| Error::invalid(error.to_string()))?;
                let secret = |value: &str| !value.is_empty();
                let headers = request.headers.into_iter();
                let headers = headers.map(|(name, value)| HttpHeader { secret: secret(&value), name, value }).collect();
                let call = HttpCall { method: request.method, url: request.url, headers, body: request.body };
                let answer =
                    http_call(&call, &HttpLimits::default()).map_err(|error| Error::unavailable(error.to_string()))?;
                if (200..300).contains(&answer.status) { Ok(answer.text) } else { Err(Error::unavailable(answer.text)) }
            }
            Work::Memory { operation } => self.memory_work(operation, arguments, hands),
        }
    }

    fn memory_work(&self, operation: &str, arguments: &Map<String, Value>, hands: &Hands<'_>) -> Result<String> {
        let text = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default();
        match operation {
            "retrieve-facts" => {
                let asked = FactQuery { query: text("query").to_owned(), only_good: true, ..FactQuery::default() };
                let found = self.viewpoint(None)?.retrieve_facts(&self.models, &asked, self.now(), &mut |_| {})?;
                let lines: Vec<String> =
                    found.iter().map(|fact| format!("- {} (fact {})", fact.content, fact.id)).collect();
                Ok(if lines.is_empty() { "(no fact answers that)".to_owned() } else { lines.join("\n") })
            }
            "recall-episodes" => {
                let asked =
                    EpisodeQuery { query: text("query").to_owned(), only_good: true, ..EpisodeQuery::default() };
                let found = self.viewpoint(None)?.retrieve_episodes(&self.models, &asked, self.now(), &mut |_| {})?;
                let line = |e: &Episode| {
                    format!("- {}: {}; outcome: {}; lessons: {}", e.goal, e.steps.join("; "), e.outcome, e.lessons)
                };
                let lines: Vec<String> = found.iter().map(line).collect();
                Ok(if lines.is_empty() { "(no episode is like that)".to_owned() } else { lines.join("\n") })
            }
            "store-fact" => {
                let draft = FactDraft {
                    text: text("fact_content").to_owned(),
                    conversation: Some(self.conversation.clone()).filter(|id| !id.is_empty()),
                    causes: hands.basis.to_vec(),
                    ..FactDraft::default()
                };
                let stored = self.viewpoint(None)?.store_fact(draft)?;
                Ok(format!("{} as fact {}", stored.done, stored.fact_id))
            }
            "recall" => self.knowledge(text("query"), None),
            "note" => {
                let (title, content) = text("text").split_once('\n').unwrap_or((text("text"), ""));
                let asked = json!({"title": title.trim(), "content": content.trim(), "tags": ["agent"]});
                self.operation("note write", &asked, None)
            }
            "fetch-step" => (hands.fetch)(text("reference")).ok_or_else(|| {
                Error::not_found("there is no such step").hint("use the reference as it stands behind 'fetch'")
            }),
            other => Err(Error::not_found(format!("there is no memory tool '{other}'"))),
        }
    }

    /// The memory as the agent sees it, in its own collection or another of the same user.
    fn viewpoint(&self, collection: Option<&str>) -> Result<Viewpoint> {
        let name = self.space_of(collection)?;
        let space = if collection.is_some() { self.memory.space(&name)? } else { self.memory.space_or_new(&name)? };
        let viewpoint = match &self.agent {
            Some(agent) => space.as_agent(agent, Persona::Actor),
            None => space.as_shared(),
        };
        Ok(viewpoint.written_by(self.grant.writer()))
    }

    /// The agent's own space, or another collection of the same user, as far as the caller may reach.
    fn space_of(&self, collection: Option<&str>) -> Result<SpaceName> {
        let [user, own] = self.space.parts();
        let name = SpaceName::parse(&format!("{user}/{}", collection.unwrap_or(own)))?;
        if self.grant.holds(&name) { Ok(name) } else { Err(Error::not_found(format!("there is no space {name}"))) }
    }

    /// What a collection says about a question, fenced as data.
    fn knowledge(&self, question: &str, collection: Option<&str>) -> Result<String> {
        let packed = self.viewpoint(collection)?.context(&self.models, question, KNOWLEDGE_TOKENS)?;
        Ok(if packed.text.is_empty() { "(nothing is near enough to that)".to_owned() } else { packed.text })
    }

    fn now(&self) -> Time {
        self.memory.env().now()
    }

    /// Runs an operation of the table as a part of this one; its answers as lines of JSON, or their text alone.
    pub(crate) fn operation(&self, name: &str, arguments: &Value, collection: Option<&str>) -> Result<String> {
        let operation = find(name).ok_or_else(|| Error::not_found(format!("there is no operation '{name}'")))?;
        let operation = Some(operation).filter(|operation| self.grant.allow(operation.rights, operation.reader));
        let operation = operation.ok_or_else(|| Error::not_found(format!("'{name}' is not allowed for the caller")))?;
        let space = self.space_of(collection)?;
        let mut lines: Vec<String> = Vec::new();
        let mut reply = |reply: Reply| {
            lines.push(serde_json::to_string(&reply).map_err(|error| Error::unavailable(error.to_string()))?);
            Ok(())
        };
        let (mut progress, mut notice) = (|_, _| {}, |_: &str| {});
        let models = |_: &Config| Ok(self.models.clone());
        {
            let mut context = OwnerContext::within(&self.memory, space, &mut reply, &mut progress, &mut notice);
            context.models = &models;
            context.grant = self.grant.clone();
            (operation.from_json)(&mut context, &arguments.to_string())?;
        }
        Ok(if lines.is_empty() { "(nothing found)".to_owned() } else { lines.join("\n") })
    }
}

fn complete(chat: &dyn Chat, question: &str) -> Result<String> {
    let request = ChatRequest {
        messages: vec![ChatMessage::User(question.to_owned())],
        max_tokens: Some(COMPLETION_TOKENS),
        ..ChatRequest::default()
    };
    let answer = chat.ask(&request, &mut |_| {}).map_err(|error| Error::unavailable(error.to_string()))?;
    Ok(answer.text)
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn json_of(id: &str, value: &toml::Value) -> Result<Value> {
    serde_json::to_value(value).map_err(|error| Error::invalid(format!("tool.{id}: {error}")))
}

/// The memory's own tools, as a configuration would name them.
fn memory_tool(name: &str) -> Value {
    let about = match name {
        "retrieve_facts" => "Retrieve additional facts from the knowledge base",
        "recall_episodes" => "Search for similar past problem-solving episodes",
        "store_fact" => "Store a fact for future reference",
        "recall" => "Recall what was said or done before",
        "note" => "Write down what was learned, one insight, under a title",
        _ => "Fetch a step of this task that was shortened or left out",
    };
    json!({"type": "memory", "operation": name.replace('_', "-"), "description": about})
}

fn servers(config: &Config, variable: &dyn Fn(&str) -> Option<String>) -> Result<BTreeMap<String, McpServer>> {
    let mut servers = BTreeMap::new();
    for (name, value) in &config.servers {
        let wrong = |why: String| {
            Error::invalid(format!("mcp.{name}: {why}")).hint("name a command = [\"…\"] or a url = \"…\"")
        };
        let server: Server =
            value.clone().try_into().map_err(|error: toml::de::Error| wrong(error.message().to_owned()))?;
        let key =
            |name: &String| variable(name).ok_or_else(|| wrong(format!("the environment variable {name} is not set")));
        let place = match (server.command.split_first(), server.url) {
            (Some((program, arguments)), None) => {
                let mut env: Vec<(String, String)> = Vec::new();
                for name in DEFAULT_VARIABLES {
                    env.extend(variable(name).map(|value| (name.to_owned(), value)));
                }
                for name in &server.env {
                    env.push((name.clone(), key(name)?));
                }
                McpServer::Command {
                    program: program.clone(),
                    arguments: arguments.to_vec(),
                    env,
                    folder: server.folder,
                }
            }
            (None, Some(url)) => McpServer::Http { url, bearer: server.key_env.as_ref().map(key).transpose()? },
            _ => return Err(wrong("it has neither a command nor a url, or both".to_owned())),
        };
        servers.insert(name.clone(), place);
    }
    Ok(servers)
}
