//! Tools of others from outside: of real servers, of servers that misbehave, and of plain HTTP.

mod suite {
    mod python;

    mod http_tool;
    mod mcp;
}
