//! Tools of MCP servers.

mod odd;
mod real;

use std::time::Duration;

use idetic_tools::mcp::{McpAnswer, McpClient, McpError, McpIdentity, McpLimits, McpServer};
use serde_json::{Map, Value};

/// Patient enough for a busy machine: only servers that never answer are waited for in vain.
const LIMITS: McpLimits =
    McpLimits { connect: Duration::from_secs(120), call: Duration::from_secs(120), answer_bytes: 1 << 20, tools: 20 };

fn command(program: &str, arguments: &[&str]) -> McpServer {
    let path = std::env::var("PATH").expect("tests run with a PATH");
    McpServer::Command {
        program: program.to_owned(),
        arguments: arguments.iter().map(ToString::to_string).collect(),
        env: vec![("PATH".to_owned(), path)],
        folder: None,
    }
}

fn connect(server: &McpServer, limits: McpLimits) -> Result<McpClient, McpError> {
    McpClient::connect(server, limits, &McpIdentity::default())
}

fn call(client: &McpClient, name: &str, arguments: Value) -> Result<McpAnswer, McpError> {
    let arguments: Map<String, Value> = serde_json::from_value(arguments).expect("arguments are an object");
    client.call(name, arguments)
}
