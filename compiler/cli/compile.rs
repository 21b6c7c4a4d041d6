//! `plugc compile`: one plugin or many, in the order asked.

use std::io::{BufRead, IsTerminal};
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use rayon::prelude::*;

use super::output::Output;
use super::source::{Source, open};
use super::{NO, RouteOptions, Unasked, YES, example, rulebook};
use crate::ir::diagnostic::{Code, Diagnostic, Loss, Severity};
use crate::ir::fate::{Fate, Verdict};
use crate::ir::origin::Origin;
use crate::ir::plan::Plan;
use crate::ir::snapshot::Snapshot;
use crate::report::json::{self, Summary};
use crate::report::text::{self, Style};
use crate::report::told::{Report, tell};
use crate::rulebook::Rulebook;
use crate::survey::{Wish, nothing, survey};

/// How many plugins are compiled before their reports are printed: enough for every core, few enough to hold.
const WINDOW: usize = 256;

#[derive(Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(super) struct Options {
    /// Folders, single files, or `-` for one a line on standard input; the current folder if none is given.
    #[arg(value_name = "SOURCE")]
    sources: Vec<String>,
    #[command(flatten)]
    route: RouteOptions,
    /// How the report is written.
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// Write the report to a file.
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Answer no for these: `warnings`, `partial`, `security` or a code. May be given several times.
    #[arg(long, value_name = "WHAT")]
    deny: Vec<String>,
    /// Say of every value what becomes of it.
    #[arg(long)]
    account: bool,
    /// Compile the small marketplace that is built into the program.
    #[arg(long, conflicts_with = "sources")]
    example: bool,
    /// Whether to print in colour.
    #[arg(long, value_enum, default_value = "auto")]
    color: Colour,
    /// Only the headers.
    #[arg(short)]
    quiet: bool,
    /// Notes too, each in full.
    #[arg(short)]
    verbose: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people.
    Text,
    /// One document.
    Json,
    /// One line a plugin, as each is ready.
    Jsonl,
}

#[derive(Clone, Copy, ValueEnum)]
enum Colour {
    Auto,
    Always,
    Never,
}

/// One thing to compile.
enum Item {
    Named(String),
    Example(&'static str),
}

pub(super) fn run(options: &Options) -> Result<u8, Unasked> {
    let rulebook = rulebook(options.route.rules.as_deref())?;
    let wish = options.route.wish(&rulebook)?;
    for deny in &options.deny {
        let is_word = ["warnings", "partial", "security"].contains(&deny.as_str());
        if !is_word && rulebook.page(&Code::new(deny)).is_none() {
            return Err(Unasked(format!(
                "--deny {deny}: neither `warnings`, `partial`, `security` nor a code"
            )));
        }
    }
    let mut work = Work {
        options,
        rulebook: &rulebook,
        wish,
        style: style(options),
        output: Output::open(options.output.as_deref())?,
        summary: Summary::default(),
        kept: Vec::new(),
        denied: false,
    };
    if options.example {
        work.all(example::NAMES.iter().map(|name| Ok(Item::Example(name))))?;
    } else if options.sources.iter().any(|source| source == "-") {
        let lines = std::io::stdin().lock().lines();
        let lines =
            lines.map(|line| line.map_err(|error| Unasked(format!("standard input: {error}"))));
        work.all(
            lines
                .filter(|line| !matches!(line, Ok(line) if line.trim().is_empty()))
                .map(|line| line.map(Item::Named)),
        )?;
    } else {
        let here = [".".to_owned()];
        let sources = if options.sources.is_empty() { &here[..] } else { &options.sources };
        for source in sources {
            if matches!(open(source, &rulebook), Source::Missing) {
                return Err(Unasked(format!("no such file or folder: {source}")));
            }
        }
        work.all(sources.iter().map(|source| Ok(Item::Named(source.clone()))))?;
    }
    work.finish()
}

fn style(options: &Options) -> Style {
    let colour = match options.color {
        Colour::Always => true,
        Colour::Never => false,
        Colour::Auto => {
            options.output.is_none() && std::io::stdout().is_terminal() && !crate::io::no_colour()
        }
    };
    Style { colour, verbose: options.verbose, quiet: options.quiet }
}

struct Work<'o> {
    options: &'o Options,
    rulebook: &'o Rulebook,
    wish: Wish,
    style: Style,
    output: Output,
    summary: Summary,
    kept: Vec<Report>,
    denied: bool,
}

impl Work<'_> {
    /// Compiles in windows: all cores work, and the order and the memory stay what they are.
    fn all(&mut self, items: impl Iterator<Item = Result<Item, Unasked>>) -> Result<(), Unasked> {
        let mut items = items.peekable();
        while items.peek().is_some() && !self.output.closed {
            let window = items.by_ref().take(WINDOW).collect::<Result<Vec<Item>, Unasked>>()?;
            let done: Vec<(Report, String)> = if window.len() == 1 {
                window.iter().map(|item| self.one(item)).collect()
            } else {
                let shared: &Self = self;
                let (rulebook, wish, options, style) =
                    (shared.rulebook, &shared.wish, shared.options, shared.style);
                window.par_iter().map(|item| one(item, rulebook, wish, options, style)).collect()
            };
            for (report, text) in done {
                self.take(report, &text)?;
            }
        }
        Ok(())
    }

    fn one(&self, item: &Item) -> (Report, String) {
        one(item, self.rulebook, &self.wish, self.options, self.style)
    }

    fn take(&mut self, report: Report, text: &str) -> Result<(), Unasked> {
        self.summary.add(&report);
        self.denied |= self.options.deny.iter().any(|deny| is_denied(&report, deny));
        if self.options.format == Format::Json {
            self.kept.push(report);
            return Ok(());
        }
        if self.options.format == Format::Text && self.summary.plugins > 1 {
            self.output.put("\n")?;
        }
        self.output.put(text)
    }

    fn finish(mut self) -> Result<u8, Unasked> {
        match self.options.format {
            Format::Json => {
                let text = json::whole(&self.kept, &self.wish.to, self.wish.form);
                self.output.put(&text)?;
            }
            Format::Text => {
                let text = format!("\n{}", text::summary(self.summary));
                self.output.put(&text)?;
            }
            Format::Jsonl => {}
        }
        self.output.flush()?;
        Ok(if self.denied { NO } else { YES })
    }
}

/// One item, compiled and printed.
fn one(
    item: &Item,
    rulebook: &Rulebook,
    wish: &Wish,
    options: &Options,
    style: Style,
) -> (Report, String) {
    let (name, plan) = match item {
        Item::Named(name) => (name.as_str(), plan(name, rulebook, wish)),
        Item::Example(name) => (*name, survey(example::snapshot(name), rulebook, wish)),
    };
    let report = tell(plan, rulebook, name, options.account);
    let text = match options.format {
        Format::Text => text::plugin(&report, style),
        Format::Jsonl => json::line(&report, &wish.to.to_string(), wish.form),
        Format::Json => String::new(),
    };
    // The texts of the documents are not needed once their snippets are printed.
    let report = Report { documents: Vec::new(), ..report };
    (report, text)
}

/// The plan of a SOURCE; one that is not there, or is no plugin, gets one that says so.
pub(super) fn plan(name: &str, rulebook: &Rulebook, wish: &Wish) -> Plan {
    match open(name, rulebook) {
        Source::Files(snapshot, None) => survey(snapshot, rulebook, wish),
        Source::Files(snapshot, Some(host)) => {
            let from = wish.from.clone().or(Some(host));
            survey(snapshot, rulebook, &Wish { from, ..wish.clone() })
        }
        Source::Missing => {
            let mut plan = nothing(Snapshot::empty(), rulebook, wish);
            let told =
                Diagnostic::new(Code::new("source/not-found"), Origin::file("")).with("path", name);
            plan.diagnostics = vec![told.fate(Fate::Unsupported)];
            plan
        }
        Source::Other => nothing(Snapshot::empty(), rulebook, wish),
    }
}

fn is_denied(report: &Report, deny: &str) -> bool {
    let told = &report.diagnostics;
    match deny {
        "warnings" => told.iter().any(|one| one.severity != Severity::Note),
        "partial" => report.verdict != Verdict::Full,
        "security" => told.iter().any(|one| one.loss == Some(Loss::Security)),
        code => told.iter().any(|one| one.code == code),
    }
}
