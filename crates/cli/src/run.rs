//! One run of the program: from the parsed command line to the operation and back.

use std::io::{IsTerminal, stdin, stdout};
use std::process::ExitCode;

use clap::ArgMatches;
use clap_complete::Shell;
use idetic_agent::ops;
use idetic_ops::core::SpaceName;
use idetic_ops::core::words::Trust;
use idetic_ops::project::Project;
use idetic_ops::{Error, Interface, OwnerContext, Result, Rights};

use crate::environment::{Environment, env, overwrite_freed_memory, variable};
use crate::output::{Output, Progress, notice, print};
use crate::setup::Folders;
use crate::{child, command, home, hook, mcp, models, open, overview, serve, setup};

/// Runs what was asked for. The exit code is that of success, or of a command that was run.
pub fn run(matches: &ArgMatches) -> Result<ExitCode> {
    let Some((name, arguments)) = matches.subcommand() else {
        return overview_of(matches).map(|()| ExitCode::SUCCESS);
    };
    if name == "completions" {
        return completions(arguments).map(|()| ExitCode::SUCCESS);
    }
    if name == "man" {
        return man(arguments).map(|()| ExitCode::SUCCESS);
    }
    if name == "hook" {
        return Ok(hook::run(matches, arguments));
    }
    if ["serve", "open", "mcp"].contains(&name) {
        // They stay up, and what is purged meanwhile is not to linger in their memory.
        overwrite_freed_memory();
    }
    let json = matches.get_flag("json");
    let flag = matches.get_one("home");
    let space = matches.get_one::<String>("space").map(|s| SpaceName::parse(s)).transpose()?;
    let around = Environment::read()?;
    let program = own_path();
    let folders = Folders { user: around.user_folder.clone(), current: around.current_folder.clone() };
    if name == "setup" {
        return setup::run(matches, arguments, folders, program);
    }
    let home = match name {
        "init" => home::to_make(flag, &around),
        "md" => home::of_project(flag, &around, arguments),
        _ => home::find(flag, &around),
    };
    let home_folder = home.folder.clone();
    let client_checks = || {
        let mut checks = setup::checks(&folders, &program);
        checks.extend(hook::check(&home_folder));
        checks
    };
    if name == "mcp" {
        // Standard output is the protocol's: nothing else may hold it.
        return mcp::run(home, space, arguments).map(|()| ExitCode::SUCCESS);
    }
    let into_files = name == "export" && arguments.subcommand_name() == Some("markdown");
    let writes_data = matches!(name, "append" | "export") && !into_files;
    let mut output = Output::new(json, name, writes_data, &home);
    let mut progress = Progress::default();
    let mut reply = |reply| output.write(reply);
    let mut advance = |done, of| progress.advance(done, of);
    let mut say = |text: &str| notice(text, json);
    let mut context = OwnerContext::new(home, space, env(), &mut reply, &mut advance, &mut say);
    context.models = &models::models;
    context.chat = &models::chat;
    context.variable = &variable;
    context.table = &|| ops::all().collect();
    context.scratch.clone_from(&around.scratch_folder);
    let project_of = |folder: &std::path::Path| hook::project_of(folder, &around);
    context.project_of = &project_of;
    context.input = Some(Box::new(stdin()));
    context.for_person = !json && stdout().is_terminal();
    context.can_ask = context.for_person && stdin().is_terminal();
    context.program.clone_from(&program);
    context.client_checks = &client_checks;
    context.project = Some(hook::project(&around)).filter(Project::has_repository);
    // What an agent runs in its shell is the agent's word, whoever's computer it is.
    match idetic_ops::clients::table::of_shell(&variable) {
        Some(client) => {
            context.grant.trust = Some(Trust::Agent);
            context.grant.writer.origin = Some(format!("agent:{}", client.name));
        }
        None => context.grant.writer.is_person = true,
    }
    context.trace_id = variable("CHORA_TRACE_ID");
    match name {
        "run" => return Ok(child::run(&mut context, arguments)),
        "serve" => return serve::run(&mut context, arguments, json).map(|()| ExitCode::SUCCESS),
        "open" => return open::run(&mut context, arguments, json).map(|()| ExitCode::SUCCESS),
        _ => {}
    }
    let done = dispatch(&mut context, name, arguments);
    context.tell_repairs();
    drop(context);
    progress.finish();
    let is_list = matches!(arguments.subcommand_name(), Some("list" | "conflicts"));
    output.finish(done, is_list).map(|()| ExitCode::SUCCESS)
}

/// The program, as clients start it.
fn own_path() -> String {
    std::env::current_exe().map_or_else(|_| "idetic".to_owned(), |own| own.display().to_string())
}

fn overview_of(matches: &ArgMatches) -> Result<()> {
    let around = Environment::read()?;
    let space = matches.get_one::<String>("space").map(|s| SpaceName::parse(s)).transpose()?;
    let folders = Folders { user: around.user_folder.clone(), current: around.current_folder.clone() };
    let clients = setup::found(&folders, &own_path());
    overview::run(home::find(matches.get_one("home"), &around), space, clients, matches.get_flag("json"))
}

fn dispatch(context: &mut OwnerContext, name: &str, arguments: &ArgMatches) -> Result<()> {
    if name == "call" {
        let wanted = arguments.get_one::<String>("name").map_or("", String::as_str);
        let operation = ops::find(wanted).filter(|o| o.interfaces.contains(&Interface::Json)).ok_or_else(|| {
            Error::not_found(format!("there is no operation '{wanted}' that takes JSON"))
                .hint("`idetic ops` lists them")
        })?;
        let given = arguments.get_one::<String>("arguments").map_or("{}", String::as_str);
        return (operation.from_json)(context, given);
    }
    let (name, arguments) = match arguments.subcommand() {
        Some((inner, arguments)) => (format!("{name} {inner}"), arguments),
        None => (name.to_owned(), arguments),
    };
    let operation = ops::find(&name).ok_or_else(|| Error::not_found(format!("there is no operation '{name}'")))?;
    (operation.from_command)(context, arguments)?;
    if operation.rights == Rights::Write {
        idetic_ops::follow_folder(context);
    }
    Ok(())
}

fn man(arguments: &ArgMatches) -> Result<()> {
    let mut page = command::build();
    page.build();
    for name in arguments.get_many::<String>("command").into_iter().flatten() {
        let inner = page.find_subcommand(name).cloned();
        page = inner.ok_or_else(|| {
            Error::not_found(format!("there is no command '{name}'")).hint("`idetic --help` lists them")
        })?;
    }
    let mut text = Vec::new();
    clap_mangen::Man::new(page).render(&mut text).map_err(Error::io("cannot write the page"))?;
    print(&text)
}

fn completions(arguments: &ArgMatches) -> Result<()> {
    if let Some(shell) = arguments.get_one::<Shell>("shell") {
        let mut script = Vec::new();
        clap_complete::generate(*shell, &mut command::build(), "idetic", &mut script);
        print(&script)?;
    }
    Ok(())
}
