//! `plugc why`: the rules that decided one item.

use clap::Args;

use super::output::Output;
use super::{NO, RouteOptions, Unasked, YES, rule_files, rulebook, source};
use crate::report::why::why;

#[derive(Args)]
pub(super) struct Options {
    /// The plugin.
    #[arg(value_name = "SOURCE")]
    source: String,
    /// The item: its place, as in `hooks/hooks.json#/hooks/Stop/0/hooks/0`, or its name.
    #[arg(value_name = "ITEM")]
    item: String,
    #[command(flatten)]
    route: RouteOptions,
    #[command(flatten)]
    fetch: source::FetchOptions,
}

pub(super) fn run(options: &Options) -> Result<u8, Unasked> {
    let rulebook = rulebook(options.route.rules())?;
    let wish = options.route.wish(&rulebook)?;
    let found = crate::source::open(&options.source, &rulebook, &options.fetch.how())
        .map_err(|fault| source::unasked(&fault, &options.source, &rulebook))?;
    let plan = found.plan(&rulebook, &wish);
    let files = rule_files(options.route.rules())?;
    let mut output = Output::open(None)?;
    let (found, text) = match why(&plan, &rulebook, &files, &options.item) {
        Ok(text) => (true, text),
        Err(text) => (false, text),
    };
    output.put(&text)?;
    output.flush()?;
    Ok(if found { YES } else { NO })
}
