//! Tools of others, for a program that waits for answers: MCP servers and plain HTTP.

pub mod http_tool;
pub mod mcp;
