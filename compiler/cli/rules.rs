//! `plugc rules`: for people who write them.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::output::Output;
use super::{NO, Unasked, YES, load, rule_files, rulebook};
use crate::report;

#[derive(Subcommand)]
pub(super) enum Command {
    /// Every mistake in the rules, at its place.
    Check(Options),
    /// Every rule, and the code it tells.
    List(Options),
    /// What each target makes of each kind of capability.
    Matrix(Options),
}

#[derive(Args)]
pub(super) struct Options {
    /// Lay the rules in DIR over the built-in ones.
    #[arg(long, value_name = "DIR")]
    rules: Option<PathBuf>,
}

pub(super) fn run(command: &Command) -> Result<u8, Unasked> {
    let mut output = Output::open(None)?;
    let answer = match command {
        Command::Check(options) => {
            let (_, faults) = load(options.rules.as_deref())?;
            let files = rule_files(options.rules.as_deref())?;
            output.put(&report::rules::faults(&files, faults.clone()))?;
            if faults.is_empty() { YES } else { NO }
        }
        Command::List(options) => {
            let rulebook = rulebook(options.rules.as_deref())?;
            output.put(&report::rules::list(&rulebook))?;
            YES
        }
        Command::Matrix(options) => {
            let rulebook = rulebook(options.rules.as_deref())?;
            output.put(&report::matrix::matrix(&rulebook))?;
            YES
        }
    };
    output.flush()?;
    Ok(answer)
}
