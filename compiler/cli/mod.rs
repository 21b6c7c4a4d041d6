//! Arguments in, library call, report out.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

mod answers;
mod compile;
mod convert;
mod deny;
mod example;
mod explain;
mod market;
mod ordered;
mod output;
mod progress;
mod rules;
mod shard;
mod source;
mod why;

use crate::ir::route::{Form, HostName, Platform};
use crate::rulebook::Rulebook;
use crate::rulebook::fault::Fault;
use crate::survey::Wish;

/// The answer is yes.
const YES: u8 = 0;
/// The answer is no: something was denied.
const NO: u8 = 1;
/// The question could not be put.
const UNASKED: u8 = 2;

/// A compiler for agent plugins: what a plugin written for one coding agent becomes on another, and what is lost.
#[derive(Parser)]
#[command(name = "plugc", version, disable_help_subcommand = true)]
struct Line {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// What the target gets from a plugin, and what is lost.
    Compile(Box<compile::Options>),
    /// Writes packages in the target's own form.
    Convert(Box<convert::Options>),
    /// The page of a diagnostic, the text of a rule, the fields of a capability kind.
    Explain(explain::Options),
    /// The rules that decided one item, and those that were passed over.
    Why(why::Options),
    /// For people who write rules.
    #[command(subcommand)]
    Rules(rules::Command),
}

/// The form of the plan.
#[derive(Clone, Copy, ValueEnum)]
enum FormWord {
    /// Rewritten in the target's own words.
    Normalised,
    /// What the target's own importer makes of the files as they are.
    AsFound,
}

/// The platform of the target.
#[derive(Clone, Copy, ValueEnum)]
enum PlatformWord {
    /// Linux, macOS and their kin.
    Posix,
    /// Windows.
    Windows,
}

/// The options that say from where to where, and in which form.
#[derive(Args)]
struct RouteOptions {
    #[command(flatten)]
    way: WayOptions,
    /// Rewritten in the target's own words, or what its importer makes of the files as they are.
    #[arg(long, value_enum, default_value = "normalised")]
    form: FormWord,
}

/// The options that say from where to where.
#[derive(Args)]
struct WayOptions {
    /// The host the plugin was written for, as HOST or HOST@VERSION; found out if not given.
    #[arg(long, value_name = "HOST")]
    from: Option<String>,
    /// The host it is compiled to, as HOST or HOST@VERSION.
    #[arg(long, value_name = "HOST", default_value = "reasonix")]
    to: String,
    /// Where the target runs.
    #[arg(long, value_enum, default_value = "posix")]
    platform: PlatformWord,
    /// Lay the rules in DIR over the built-in ones.
    #[arg(long, value_name = "DIR")]
    rules: Option<PathBuf>,
}

/// Why a question could not be put, as a line on standard error.
struct Unasked(String);

impl RouteOptions {
    fn wish(&self, rulebook: &Rulebook) -> Result<Wish, Unasked> {
        self.way.wish(
            rulebook,
            match self.form {
                FormWord::Normalised => Form::Normalised,
                FormWord::AsFound => Form::AsFound,
            },
        )
    }

    fn rules(&self) -> Option<&std::path::Path> {
        self.way.rules.as_deref()
    }
}

impl WayOptions {
    fn wish(&self, rulebook: &Rulebook, form: Form) -> Result<Wish, Unasked> {
        let to = HostName::parse(&self.to);
        let targets = rulebook.index.targets.iter().map(|(name, _)| &**name);
        known("--to", &self.to, targets)?;
        let from = self.from.as_deref();
        if let Some(from) = from {
            known("--from", from, rulebook.index.sources.iter().map(|one| &*one.host))?;
        }
        let platform = match self.platform {
            PlatformWord::Posix => Platform::Posix,
            PlatformWord::Windows => Platform::Windows,
        };
        Ok(Wish { from: from.map(HostName::parse), to, form, platform, entry: None })
    }
}

fn known<'h>(option: &str, host: &str, all: impl Iterator<Item = &'h str>) -> Result<(), Unasked> {
    let all: Vec<&str> = all.collect();
    if all.contains(&host) {
        return Ok(());
    }
    Err(Unasked(format!("{option}: no host `{host}` in the rules; there are {}", all.join(", "))))
}

/// The rulebook: the built-in one, or that with a folder of rules laid over it.
fn rulebook(rules: Option<&std::path::Path>) -> Result<Rulebook, Unasked> {
    let Some(folder) = rules else { return Ok(crate::builtin::rulebook()) };
    let (rules, faults) = load(Some(folder))?;
    if faults.is_empty() {
        return Ok(Rulebook::loaded(rules));
    }
    let shown: Vec<String> = faults.iter().map(ToString::to_string).collect();
    Err(Unasked(format!(
        "the rulebook is broken; `plugc rules check` shows where\n{}",
        shown.join("\n")
    )))
}

fn load(folder: Option<&std::path::Path>) -> Result<(crate::rulebook::Rules, Vec<Fault>), Unasked> {
    let over = folder.map(read_rules).transpose()?;
    Ok(crate::rulebook::load::load(&crate::builtin::files(), over.as_ref()))
}

/// The text of every rule file: the built-in ones, those of a folder over them.
fn rule_files(folder: Option<&std::path::Path>) -> Result<BTreeMap<String, String>, Unasked> {
    let mut files = crate::builtin::files();
    if let Some(folder) = folder {
        files.extend(read_rules(folder)?);
    }
    Ok(files)
}

/// A text that changes with the rules that lie over the built-in ones.
fn overlay(folder: Option<&std::path::Path>) -> Result<String, Unasked> {
    let files = folder.map(read_rules).transpose()?.unwrap_or_default();
    let texts: Vec<&str> = files.iter().flat_map(|(path, text)| [&**path, &**text]).collect();
    Ok(crate::io::cache::name(&texts))
}

fn read_rules(folder: &std::path::Path) -> Result<BTreeMap<String, String>, Unasked> {
    crate::io::rules::read(folder)
        .map_err(|error| Unasked(format!("--rules {}: {error}", folder.display())))
}

/// Runs the program and gives its exit status. A reader that goes away ends it quietly.
pub fn run() -> u8 {
    let line = match Line::try_parse() {
        Ok(line) => line,
        Err(error) => {
            let _ = error.print();
            return if error.use_stderr() { UNASKED } else { YES };
        }
    };
    let answer = match line.command {
        Command::Compile(options) => compile::run(&options),
        Command::Convert(options) => convert::run(&options),
        Command::Explain(options) => explain::run(&options),
        Command::Why(options) => why::run(&options),
        Command::Rules(command) => rules::run(&command),
    };
    answer.unwrap_or_else(|Unasked(message)| {
        let _ =
            writeln!(std::io::stderr().lock(), "error: {}", crate::report::text::clean(&message));
        UNASKED
    })
}
