//! `plugc explain`: a page, a rule, a kind.

use std::path::PathBuf;

use clap::Args;

use super::output::Output;
use super::{NO, Unasked, YES, rule_files, rulebook};
use crate::report::explain::explain;

#[derive(Args)]
pub(super) struct Options {
    /// A diagnostic's code, a rule's name, or a kind of capability.
    #[arg(value_name = "CODE|RULE|KIND")]
    what: String,
    /// Lay the rules in DIR over the built-in ones.
    #[arg(long, value_name = "DIR")]
    rules: Option<PathBuf>,
}

pub(super) fn run(options: &Options) -> Result<u8, Unasked> {
    let rulebook = rulebook(options.rules.as_deref())?;
    let files = rule_files(options.rules.as_deref())?;
    let mut output = Output::open(None)?;
    let (found, text) = match explain(&rulebook, &files, &options.what) {
        Ok(text) => (true, text),
        Err(text) => (false, text),
    };
    output.put(&text)?;
    output.flush()?;
    Ok(if found { YES } else { NO })
}
