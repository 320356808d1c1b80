//! `mcp`: the memory over MCP on standard input and output, for the client that starts it.

use clap::{Arg, ArgMatches, Command};
use idetic_ops::core::SpaceName;
use idetic_ops::core::words::Persona;
use idetic_ops::{Error, Grant, Home, OwnerContext, Result, Writer};
use idetic_server::{Principal, Profile, over_stdio};

use crate::environment::{Environment, env, variable};
use crate::hook::project;
use crate::serve;

pub fn command() -> Command {
    Command::new("mcp")
        .about("Serve the memory over MCP on standard input and output, as coding agents start it")
        .after_help(
            "Nothing but the protocol is written to standard output. It stops at the end of its input, or on SIGTERM. \
             Over HTTP it is /mcp of `idetic serve`.\n\nExample:\n  idetic mcp --home ~/.idetic --agent claude",
        )
        .arg(
            Arg::new("agent").long("agent").value_name("AGENT").help(
                "Read and write as this agent, which sees its own memory and what is shared [default: the owner]",
            ),
        )
        .arg(
            Arg::new("persona")
                .long("persona")
                .value_name("PERSONA")
                .requires("agent")
                .help("As this side of the agent: actor or subconscious [default: actor]"),
        )
        .arg(
            Arg::new("profile")
                .long("profile")
                .value_name("PROFILE")
                .value_parser(Profile::NAMES)
                .default_value(Profile::NAMES[0])
                .help("Which tools: five for everyday use, ten (extended), every operation (full), or only search and fetch (search)"),
        )
}

/// Serves until the input ends.
pub fn run(home: Home, space: Option<SpaceName>, arguments: &ArgMatches) -> Result<()> {
    let word = |name: &str| arguments.get_one::<String>(name);
    let profile = word("profile").and_then(|name| Profile::named(name));
    let profile = profile.ok_or_else(|| Error::invalid("unknown tool profile"))?;
    let persona = word("persona").map(|persona| Persona::parse(persona)).transpose()?;
    // What an agent says in one project is not shown in another.
    let project = Environment::read().ok().map(|around| {
        let mut project = project(&around);
        // Under the name that hooks will use, whichever of them comes first.
        project.keep_name(env().random());
        project
    });
    let (source, former_source) = project.map(|project| (project.name, project.folder_name)).unzip();
    let writer = Writer { source, former_source, ..Writer::default() };
    let grant = Grant { agent: word("agent").cloned(), persona, writer, ..Grant::default() };
    let (mut reply, mut progress, mut notice) = (|_| Ok(()), |_, _| {}, |_: &str| {});
    let memory = OwnerContext::new(home, space, env(), &mut reply, &mut progress, &mut notice).shared_memory()?;
    over_stdio(serve::service(memory, None, None)?, Principal::local(grant), profile, variable("CHORA_TRACE_ID"))
}
