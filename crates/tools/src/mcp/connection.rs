//! A conversation with a server: the greeting, the list of tools, the calls.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, ClientCapabilities, ClientConfig, Implementation, PaginatedRequestParams, ProtocolVersion,
};
use rmcp::service::{
    ClientCacheConfig, ClientInitializeError, ClientLifecycleMode, ClientServiceExt, RoleClient, RunningService,
};
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransport;
use rmcp::{Peer, ServiceError};
use serde_json::{Map, Value};

use super::answer::McpAnswer;
use super::error::{McpError, McpErrorKind};
use super::line::Line;
use super::server::{McpIdentity, McpLimits, McpServer};
use super::watched::Watched;
use super::{McpTool, child, http};

/// Pages of a list of tools: one that never ends is an error.
const PAGES_MAX: usize = 100;
/// How long a server may take for its part of a farewell.
const FAREWELL_WAIT: Duration = Duration::from_secs(3);

type Service = RunningService<RoleClient, ClientConfig>;

/// An agreed conversation.
pub struct Connection {
    line: Line,
    service: Service,
}

/// Why a greeting failed.
enum Cold {
    /// The server answered, and said no.
    Refused(McpError),
    Failed(McpError),
}

/// Why there is no list of tools.
enum NoTools {
    Service(ServiceError),
    TooMany,
}

impl Connection {
    /// Begins as servers have always been greeted. One that refuses that may know the newer way only, so it is tried
    /// next; the other way round, old servers have been seen to end when they hear what they do not know.
    pub async fn open(server: &McpServer, limits: McpLimits, identity: &McpIdentity) -> Result<Self, McpError> {
        let refusal = match Self::greet(server, limits, identity, ClientLifecycleMode::Initialize).await {
            Ok(connection) => return Ok(connection),
            Err(Cold::Failed(error)) => return Err(error),
            Err(Cold::Refused(error)) => error,
        };
        let newer = ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] };
        Self::greet(server, limits, identity, newer).await.map_err(|_| refusal)
    }

    async fn greet(
        server: &McpServer,
        limits: McpLimits,
        identity: &McpIdentity,
        way: ClientLifecycleMode,
    ) -> Result<Self, Cold> {
        let mut line = Line::new(server, limits);
        let who = Implementation::new(&identity.name, &identity.version);
        let config =
            ClientConfig::new(ClientCapabilities::default(), who).with_protocol_version(ProtocolVersion::V_2025_11_25);
        let outcome = match server {
            McpServer::Command { program, arguments, env, folder } => {
                let started = child::start(program, arguments, env, folder.as_deref());
                let (child, output, input) = started.map_err(|error| {
                    let message =
                        format!("cannot be started: {error}; check the program, its folder and the PATH given");
                    Cold::Failed(McpError::new(McpErrorKind::NotConnected, message))
                })?;
                line.child = Some(child);
                let most = limits.answer_bytes;
                let output = Watched::new(output, Arc::clone(&line.board), Arc::clone(&line.noise), most);
                let transport = AsyncRwTransport::new_client(output, input).with_max_line_length(most);
                line.wait(limits.connect, config.serve_with_lifecycle(transport, way)).await
            }
            McpServer::Http { url, bearer } => {
                let client = http::HttpClient::new(server, limits, Arc::clone(&line.board)).map_err(Cold::Failed)?;
                let settings = http::settings(url, bearer.as_deref());
                let transport = StreamableHttpClientTransport::with_client(client, settings);
                line.wait(limits.connect, config.serve_with_lifecycle(transport, way)).await
            }
        };
        let (refused, error) = match outcome {
            Ok(Ok(service)) => {
                // A list kept would be shown even when the server is gone.
                service.set_response_cache_config(ClientCacheConfig::disabled()).await;
                return Ok(Self { line, service });
            }
            Ok(Err(error)) => {
                let refused = matches!(error, ClientInitializeError::JsonRpcError(_));
                (refused, line.not_agreed(error).await)
            }
            Err(why) => (false, line.interrupted(why).await),
        };
        if let Some(child) = line.child {
            child.end().await;
        }
        let error = McpError { kind: McpErrorKind::NotConnected, ..error };
        Err(if refused { Cold::Refused(error) } else { Cold::Failed(error) })
    }

    pub async fn tools(&mut self) -> Result<Vec<McpTool>, McpError> {
        self.line.board.turn();
        let limits = self.line.limits;
        match self.line.wait(limits.call, list(self.service.peer(), limits.tools)).await {
            Ok(Ok(tools)) => Ok(tools),
            Ok(Err(NoTools::Service(error))) => Err(self.line.failed(error).await),
            Ok(Err(NoTools::TooMany)) => {
                let message = format!("it offers more than {} tools, or a list without end", limits.tools);
                Err(McpError::new(McpErrorKind::TooMuch, message))
            }
            Err(why) => Err(self.line.interrupted(why).await),
        }
    }

    pub async fn call(&mut self, name: String, arguments: Map<String, Value>) -> Result<McpAnswer, McpError> {
        self.line.board.turn();
        let limit = self.line.limits.call;
        let call = self.service.call_tool(CallToolRequestParams::new(name).with_arguments(arguments));
        match self.line.wait(limit, call).await {
            Ok(Ok(result)) => Ok(result.into()),
            Ok(Err(error)) => Err(self.line.failed(error).await),
            Err(why) => Err(self.line.interrupted(why).await),
        }
    }

    /// Waits for the end of a child that runs; for ever if there is none.
    pub async fn ended(&mut self) {
        match &mut self.line.child {
            Some(child) if child.status().is_none() => child.ended().await,
            _ => std::future::pending().await,
        }
    }

    /// Says farewell, closes the server's input and sees to it that it ends.
    pub async fn close(mut self) {
        let _ = self.service.close_with_timeout(FAREWELL_WAIT).await;
        if let Some(child) = self.line.child {
            child.end().await;
        }
    }
}

/// All pages of a list of tools.
async fn list(peer: &Peer<RoleClient>, most: usize) -> Result<Vec<McpTool>, NoTools> {
    let mut tools = Vec::new();
    let mut cursor = None;
    for _ in 0..PAGES_MAX {
        let params = PaginatedRequestParams::default().with_cursor(cursor);
        let page = peer.list_tools(Some(params)).await.map_err(NoTools::Service)?;
        tools.extend(page.tools.into_iter().map(|tool| McpTool {
            name: tool.name.into_owned(),
            description: tool.description.unwrap_or_default().into_owned(),
            schema: Value::Object(Arc::unwrap_or_clone(tool.input_schema)),
        }));
        if tools.len() > most {
            return Err(NoTools::TooMany);
        }
        cursor = page.next_cursor;
        if cursor.is_none() {
            return Ok(tools);
        }
    }
    Err(NoTools::TooMany)
}
