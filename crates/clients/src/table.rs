//! The clients: where each keeps its MCP servers and its hooks, and in which form. Only what their makers document.

/// Whose configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// The user's, for every project.
    User,
    /// That of one project, which is shared with whoever works on it.
    Project,
}

impl Scope {
    /// Both.
    pub const ALL: [Self; 2] = [Self::User, Self::Project];

    /// Its name.
    pub fn word(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
        }
    }
}

/// One coding agent.
#[derive(Debug)]
pub struct Client {
    /// What it is called on the command line.
    pub name: &'static str,
    /// What it is called by people.
    pub title: &'static str,
    /// The program that starts it.
    pub program: &'static str,
    /// What its user has to approve before all of this works, per user and in a project.
    pub approve: [Option<&'static str>; 2],
    /// Where MCP servers are named.
    pub servers: Servers,
    /// Where hooks are named, if it has some.
    pub hooks: Option<Hooks>,
    /// The file of a project that tells it what to do.
    pub instructions: &'static str,
    /// The variable that it sets in the shells it runs, if it does.
    pub shell: Option<&'static str>,
    /// Variables that move its files: what they stand for, and what takes the place of that.
    pub moved: &'static [Moved],
}

/// A variable that moves files elsewhere.
#[derive(Debug)]
pub struct Moved {
    /// The variable.
    pub variable: &'static str,
    /// How paths begin that it moves.
    pub from: &'static str,
    /// What they begin with instead, behind the value of the variable.
    pub to: &'static str,
}

/// Where MCP servers are named.
#[derive(Debug)]
pub struct Servers {
    /// The files that may hold them, per user: the first that exists, else the first.
    pub user: &'static [&'static str],
    /// The same for a project.
    pub project: &'static [&'static str],
    /// How a server is written.
    pub form: ServerForm,
}

/// How a server is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServerForm {
    /// `{"mcpServers": {NAME: {"command", "args"}}}`
    McpServers,
    /// `{"mcpServers": {NAME: {"type": "stdio", "command", "args"}}}`
    TypedMcpServers,
    /// `{"servers": {NAME: {"type": "stdio", "command", "args"}}}`
    TypedServers,
    /// `{"mcp": {NAME: {"type": "local", "command": […], "enabled": true}}}`
    LocalMcp,
    /// `[mcp_servers.NAME]` with `command` and `args`, in TOML
    TomlTables,
}

/// Where hooks are named.
#[derive(Debug)]
pub struct Hooks {
    /// The file, per user.
    pub user: &'static str,
    /// The same for a project.
    pub project: &'static str,
    /// How a hook is written.
    pub form: HookForm,
    /// The moments it is called at, by the client's own names, and what each means.
    pub events: &'static [(&'static str, Moment)],
}

/// What a hook's event means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// A session begins, or goes on after its context was cleared or compacted.
    Begins,
    /// The user asks for something.
    Asks,
    /// A tool was used.
    Uses,
    /// A tool was used and failed.
    Fails,
    /// The agent says something, and may go on.
    Says,
    /// The context is about to be compacted.
    Compacts,
    /// The agent is done with what was asked.
    Stops,
    /// The session ends.
    Ends,
}

/// How a hook is written, under `hooks` and the name of its event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookForm {
    /// `[{"hooks": [{"type": "command", "command", "timeout": seconds}]}]`
    Nested,
    /// The same with milliseconds.
    NestedMillis,
    /// `[{"command"}]`, and `"version": 1` at the top
    Versioned,
    /// `[{"command", "show_output": false}]`
    Silent,
}

/// Every client that can be set up.
pub const CLIENTS: &[Client] = &[
    Client {
        name: "claude",
        title: "Claude Code",
        program: "claude",
        approve: [None, Some("Claude Code asks about the MCP server of a project before it uses it")],
        servers: Servers { user: &["~/.claude.json"], project: &[".mcp.json"], form: ServerForm::TypedMcpServers },
        hooks: Some(Hooks {
            user: "~/.claude/settings.json",
            project: ".claude/settings.json",
            form: HookForm::Nested,
            events: &[
                ("SessionStart", Moment::Begins),
                ("UserPromptSubmit", Moment::Asks),
                ("PostToolUse", Moment::Uses),
                ("PostToolUseFailure", Moment::Fails),
                ("PreCompact", Moment::Compacts),
                ("Stop", Moment::Stops),
                ("SessionEnd", Moment::Ends),
            ],
        }),
        instructions: "CLAUDE.md",
        shell: Some("CLAUDECODE"),
        moved: &[
            Moved { variable: "CLAUDE_CONFIG_DIR", from: "~/.claude.json", to: "/.claude.json" },
            Moved { variable: "CLAUDE_CONFIG_DIR", from: "~/.claude/", to: "/" },
        ],
    },
    Client {
        name: "codex",
        title: "Codex",
        program: "codex",
        approve: [
            Some("Codex asks you to review new hooks before it runs them"),
            Some("Codex asks you to review new hooks before it runs them, and reads them in trusted projects only"),
        ],
        servers: Servers {
            user: &["~/.codex/config.toml"],
            project: &[".codex/config.toml"],
            form: ServerForm::TomlTables,
        },
        hooks: Some(Hooks {
            user: "~/.codex/hooks.json",
            project: ".codex/hooks.json",
            form: HookForm::Nested,
            events: &[
                ("SessionStart", Moment::Begins),
                ("UserPromptSubmit", Moment::Asks),
                ("PostToolUse", Moment::Uses),
                ("PreCompact", Moment::Compacts),
                ("Stop", Moment::Stops),
            ],
        }),
        instructions: "AGENTS.md",
        shell: Some("CODEX_SANDBOX"),
        moved: &[Moved { variable: "CODEX_HOME", from: "~/.codex/", to: "/" }],
    },
    Client {
        name: "cursor",
        title: "Cursor",
        program: "cursor",
        approve: [None, Some("Cursor asks about the MCP server of a project before it uses it")],
        servers: Servers {
            user: &["~/.cursor/mcp.json"],
            project: &[".cursor/mcp.json"],
            form: ServerForm::McpServers,
        },
        hooks: Some(Hooks {
            user: "~/.cursor/hooks.json",
            project: ".cursor/hooks.json",
            form: HookForm::Versioned,
            events: &[
                ("sessionStart", Moment::Begins),
                ("beforeSubmitPrompt", Moment::Asks),
                ("postToolUse", Moment::Uses),
                ("postToolUseFailure", Moment::Fails),
                ("afterAgentResponse", Moment::Says),
                ("preCompact", Moment::Compacts),
                ("stop", Moment::Stops),
                ("sessionEnd", Moment::Ends),
            ],
        }),
        instructions: "AGENTS.md",
        shell: Some("CURSOR_AGENT"),
        moved: &[],
    },
    Client {
        name: "vscode",
        title: "VS Code",
        program: "code",
        approve: [
            Some("VS Code asks whether you trust the MCP server when it first starts it"),
            Some("VS Code asks whether you trust the MCP server when it first starts it"),
        ],
        servers: Servers {
            user: &[if cfg!(target_os = "macos") {
                "~/Library/Application Support/Code/User/mcp.json"
            } else {
                "~/.config/Code/User/mcp.json"
            }],
            project: &[".vscode/mcp.json"],
            form: ServerForm::TypedServers,
        },
        hooks: None,
        instructions: "AGENTS.md",
        shell: None,
        moved: &[Moved { variable: "XDG_CONFIG_HOME", from: "~/.config/", to: "/" }],
    },
    Client {
        name: "gemini",
        title: "Gemini CLI",
        program: "gemini",
        approve: [None, Some("Gemini CLI warns about the hooks of a project before it runs them")],
        servers: Servers {
            user: &["~/.gemini/settings.json"],
            project: &[".gemini/settings.json"],
            form: ServerForm::McpServers,
        },
        hooks: Some(Hooks {
            user: "~/.gemini/settings.json",
            project: ".gemini/settings.json",
            form: HookForm::NestedMillis,
            events: &[
                ("SessionStart", Moment::Begins),
                ("BeforeAgent", Moment::Asks),
                ("AfterTool", Moment::Uses),
                ("PreCompress", Moment::Compacts),
                ("AfterAgent", Moment::Stops),
                ("SessionEnd", Moment::Ends),
            ],
        }),
        instructions: "GEMINI.md",
        shell: Some("GEMINI_CLI"),
        moved: &[],
    },
    Client {
        name: "opencode",
        title: "OpenCode",
        program: "opencode",
        approve: [None, None],
        servers: Servers {
            user: &["~/.config/opencode/opencode.json", "~/.config/opencode/opencode.jsonc"],
            project: &["opencode.json", "opencode.jsonc"],
            form: ServerForm::LocalMcp,
        },
        hooks: None,
        instructions: "AGENTS.md",
        shell: Some("OPENCODE"),
        moved: &[Moved { variable: "XDG_CONFIG_HOME", from: "~/.config/", to: "/" }],
    },
    Client {
        name: "windsurf",
        title: "Windsurf",
        program: "windsurf",
        approve: [None, None],
        // A project cannot name servers there.
        servers: Servers { user: &["~/.codeium/windsurf/mcp_config.json"], project: &[], form: ServerForm::McpServers },
        hooks: Some(Hooks {
            user: "~/.codeium/windsurf/hooks.json",
            project: ".windsurf/hooks.json",
            form: HookForm::Silent,
            events: &[
                ("pre_user_prompt", Moment::Asks),
                ("post_write_code", Moment::Uses),
                ("post_run_command", Moment::Uses),
                ("post_mcp_tool_use", Moment::Uses),
                ("post_cascade_response", Moment::Stops),
            ],
        }),
        instructions: "AGENTS.md",
        shell: None,
        moved: &[],
    },
];

impl Hooks {
    /// What an event of the client means.
    pub fn moment(&self, event: &str) -> Option<Moment> {
        self.events.iter().find(|(name, _)| *name == event).map(|(_, moment)| *moment)
    }
}

/// The client in whose shell this runs.
pub fn of_shell(variable: &dyn Fn(&str) -> Option<String>) -> Option<&'static Client> {
    let is_set = |client: &&Client| client.shell.and_then(variable).is_some_and(|value| !value.is_empty());
    CLIENTS.iter().find(is_set)
}

/// The client of a name.
pub fn find(name: &str) -> Option<&'static Client> {
    CLIENTS.iter().find(|client| client.name == name)
}
