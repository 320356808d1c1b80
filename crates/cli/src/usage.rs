//! A command line that cannot be understood, said as every other error is: one line what, one line what to do.

use clap::error::ErrorKind;
use idetic_ops::Error;

/// Whether it is the help or the version, asked for or shown because nothing was asked for.
pub fn is_help(error: &clap::Error) -> bool {
    !error.use_stderr() || error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
}

/// What was wrong, and the tip or the usage that goes with it.
pub fn explain(error: &clap::Error) -> Error {
    let rendered = error.render().to_string();
    let paragraphs: Vec<String> =
        rendered.split("\n\n").map(|p| p.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    let begins = |with: &str| paragraphs.iter().find_map(|p| p.strip_prefix(with)).map(str::trim);
    let what = begins("error:").unwrap_or("the command line cannot be understood");
    let tip = begins("tip:").or_else(|| begins("Usage:"));
    let tip = tip.map_or(String::new(), |tip| format!("{tip}; "));
    Error::invalid(what).hint(format!("{tip}--help shows more"))
}
