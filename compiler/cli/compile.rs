//! `plugc compile`: one plugin or many, in the order asked.

use std::io::IsTerminal;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::answers::Answers;
use super::deny::DenyOptions;
use super::ordered::ordered;
use super::output::Output;
use super::progress::Progress;
use super::shard::Shard;
use super::source::{FetchOptions, lines, unasked};
use super::{NO, RouteOptions, Unasked, YES, example, rulebook};
use crate::io::source::Fetch;
use crate::ir::plan::Plan;
use crate::ir::source::redacted;
use crate::report::html;
use crate::report::json::{self, Summary};
use crate::report::market::MarketTold;
use crate::report::text::{self, Style};
use crate::report::told::{Report, tell};
use crate::rulebook::Rulebook;
use crate::source::{Found, open, pinned, refused};
use crate::survey::Wish;

#[derive(Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(super) struct Options {
    /// Folders, archives, single files, repositories such as `git:github.com/owner/repo`, or `-` for one a line on
    /// standard input; the current folder if none is given.
    #[arg(value_name = "SOURCE")]
    sources: Vec<String>,
    #[command(flatten)]
    route: RouteOptions,
    #[command(flatten)]
    fetch: FetchOptions,
    /// How the report is written.
    #[arg(long, value_enum, default_value = "text")]
    pub(super) format: Format,
    /// Write the report to a file.
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    deny: DenyOptions,
    /// Say of every value what becomes of it.
    #[arg(long)]
    pub(super) account: bool,
    /// Compile a folder that is a plugin and a marketplace as the marketplace.
    #[arg(long)]
    marketplace: bool,
    /// Fetch the plugins of a marketplace that lie in other repositories and in archives on the web.
    #[arg(long = "fetch")]
    pub(super) fetch_entries: bool,
    /// Only the I-th of N equal shares, in the order of the whole.
    #[arg(long, value_name = "I/N", default_value = "1/1", hide_default_value = true)]
    pub(super) shard: Shard,
    /// Compile anew even what never changes, such as a folder at a commit, and keep no answer.
    #[arg(long)]
    no_cache: bool,
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
pub(super) enum Format {
    /// For people.
    Text,
    /// One document.
    Json,
    /// One line a plugin, as each is ready.
    Jsonl,
    /// One page to read, sort and search, that needs no network.
    Html,
}

#[derive(Clone, Copy, ValueEnum)]
enum Colour {
    Auto,
    Always,
    Never,
}

/// One thing to compile.
enum Item {
    /// By its name, whether or not something is there.
    Named(String),
    /// What is known to be there.
    Found(String, Box<Found>),
}

pub(super) fn run(options: &Options) -> Result<u8, Unasked> {
    let rulebook = rulebook(options.route.rules())?;
    let wish = options.route.wish(&rulebook)?;
    options.deny.check(&rulebook)?;
    let how = options.fetch.how();
    let overlay = super::overlay(options.route.rules())?;
    let answers = Answers::new(!options.no_cache, &wish, options.account, &overlay);
    let mut work = Work {
        options,
        rulebook: &rulebook,
        wish: &wish,
        how: &how,
        answers: &answers,
        style: style(options),
        output: Output::open(options.output.as_deref())?,
        summary: Summary::default(),
        market: None,
        kept: Vec::new(),
        parts: Vec::new(),
        denied: false,
    };
    if options.example {
        let found = Found::here(Box::new(example::files()));
        let lister = found.lister(&rulebook, true);
        let lister = lister.ok_or_else(|| Unasked("the rules know no marketplace".to_owned()))?;
        return super::market::run(work, "example", &found, lister);
    } else if options.sources.iter().any(|source| source == "-") {
        work.lines()?;
    } else {
        let here = [".".to_owned()];
        let sources = if options.sources.is_empty() { &here[..] } else { &options.sources };
        let progress = Progress::opening(sources.len());
        // All are opened before the first is told of, as one that is missing means that nothing is told.
        let found = sources.iter().map(|source| match open(source, &rulebook, work.how) {
            Ok(found) => Ok((source.clone(), found)),
            Err(fault) => Err(unasked(&fault, source, &rulebook)),
        });
        let mut found = found.collect::<Result<Vec<(String, Found)>, Unasked>>()?;
        drop(progress);
        let lists = |one: &Found| one.lister(&rulebook, options.marketplace);
        let lister = found.iter().find_map(|(_, one)| lists(one));
        if let Some(lister) = lister {
            return match (found.pop(), found.is_empty()) {
                (Some((name, one)), true) => super::market::run(work, &name, &one, lister),
                _ => Err(Unasked("a marketplace is compiled by itself".to_owned())),
            };
        }
        work.all(
            options
                .shard
                .of(found)
                .into_iter()
                .map(|(name, one)| Ok(Item::Found(name, Box::new(one)))),
        )?;
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

/// What there is to do, and what has come of it so far.
pub(super) struct Work<'o> {
    pub(super) options: &'o Options,
    pub(super) rulebook: &'o Rulebook,
    pub(super) wish: &'o Wish,
    how: &'o Fetch,
    answers: &'o Answers,
    pub(super) style: Style,
    pub(super) output: Output,
    pub(super) summary: Summary,
    /// The marketplace that was compiled, if one was.
    pub(super) market: Option<MarketTold>,
    kept: Vec<Report>,
    /// The plugins of a page.
    parts: Vec<html::Part>,
    denied: bool,
}

impl<'o> Work<'o> {
    /// Compiles what standard input names, one a line.
    fn lines(&mut self) -> Result<(), Unasked> {
        let named = lines().map(|line| line.map(Item::Named));
        let shard = self.options.shard;
        if shard.is_whole() {
            return self.all(named);
        }
        // A share of the lines is known only when all of them are.
        self.all(shard.of(named.collect()).into_iter())
    }

    /// Compiles on all cores, and tells of each in the order asked.
    fn all(
        &mut self,
        items: impl Iterator<Item = Result<Item, Unasked>> + Send,
    ) -> Result<(), Unasked> {
        let shared = self.shared();
        let progress = Progress::plugins(items.size_hint().1, self.is_apart());
        // What is not printed is let go by the thread that made it, which has it at hand.
        let one = |item: Result<Item, Unasked>| {
            let (report, text) = shared.one(item?);
            Ok(shared.done(report, text))
        };
        ordered(items, one, |done: Result<Done, Unasked>| {
            let body = self.count(done?);
            self.put(body)?;
            progress.step();
            Ok(!self.output.closed)
        })
    }

    /// Is nothing printed on a terminal before all is done?
    pub(super) fn is_apart(&self) -> bool {
        self.options.output.is_some() || matches!(self.options.format, Format::Json | Format::Html)
    }

    /// What all threads look at.
    pub(super) fn shared(&self) -> Shared<'o> {
        Shared {
            rulebook: self.rulebook,
            wish: self.wish,
            how: self.how,
            answers: self.answers,
            options: self.options,
            style: self.style,
        }
    }

    /// Counts a plugin, and says what there is to print of it.
    pub(super) fn count(&mut self, done: Done) -> Body {
        self.summary += done.summary;
        self.denied |= done.denied;
        done.body
    }

    /// Prints a plugin, or keeps it until all are there.
    pub(super) fn put(&mut self, body: Body) -> Result<(), Unasked> {
        match body {
            Body::Report(report) => self.kept.push(*report),
            Body::Part(part) => self.parts.push(part),
            Body::Text(text) => {
                if self.options.format == Format::Text && self.summary.plugins > 1 {
                    self.output.put("\n")?;
                }
                self.output.put(&text)?;
            }
        }
        Ok(())
    }

    /// Prints what is told of all plugins together.
    pub(super) fn finish(mut self) -> Result<u8, Unasked> {
        match self.options.format {
            Format::Json => {
                let text =
                    json::whole(&self.kept, self.market.as_ref(), &self.wish.to, self.wish.form);
                self.output.put(&text)?;
            }
            Format::Text => {
                let text = format!("\n{}", text::summary(self.summary));
                self.output.put(&text)?;
            }
            Format::Html => {
                let target = self.wish.to.to_string();
                let head = html::Head {
                    market: self.market.as_ref(),
                    target: &target,
                    form: self.wish.form.word(),
                    quiet: self.style.quiet,
                };
                html::page(head, &self.parts, |text| self.output.put(text))?;
            }
            Format::Jsonl => {}
        }
        self.output.flush()?;
        Ok(if self.denied { NO } else { YES })
    }
}

/// A plugin that is compiled: how it counts, and what there is to print.
pub(super) struct Done {
    summary: Summary,
    denied: bool,
    body: Body,
}

/// What there is to print of a plugin.
pub(super) enum Body {
    /// As it stands.
    Text(String),
    /// Together with all others, as a document.
    Report(Box<Report>),
    /// Together with all others, as a page.
    Part(html::Part),
}

/// What all threads look at.
#[derive(Clone, Copy)]
pub(super) struct Shared<'o> {
    pub(super) rulebook: &'o Rulebook,
    pub(super) wish: &'o Wish,
    pub(super) how: &'o Fetch,
    pub(super) answers: &'o Answers,
    pub(super) options: &'o Options,
    style: Style,
}

impl Shared<'_> {
    /// One item, compiled and printed.
    fn one(self, item: Item) -> (Report, String) {
        let report = match item {
            Item::Named(name) => self.named(&name),
            Item::Found(name, found) => self.found(&redacted(&name), &found),
        };
        self.printed(report)
    }

    fn named(self, name: &str) -> Report {
        let path = redacted(name);
        let known = pinned(name).and_then(|content| self.answers.ask(&content, None, &path));
        if let Some(report) = known {
            return report;
        }
        match open(name, self.rulebook, self.how) {
            Ok(found) => self.found(&path, &found),
            Err(fault) => self.told(&path, refused(fault, self.rulebook, self.wish)),
        }
    }

    fn found(self, path: &str, found: &Found) -> Report {
        let content = found.content();
        let known = content.and_then(|content| self.answers.ask(content, None, path));
        if let Some(report) = known {
            return report;
        }
        let report = self.told(path, found.plan(self.rulebook, self.wish));
        if let Some(content) = content.filter(|_| found.is_whole()) {
            self.answers.keep(content, None, &report);
        }
        report
    }

    /// A plan in words.
    pub(super) fn told(self, path: &str, plan: Plan) -> Report {
        tell(plan, self.rulebook, path, self.options.account)
    }

    /// What is left to do for a plugin when it is compiled.
    pub(super) fn done(self, report: Report, text: String) -> Done {
        let summary = Summary::of(&report);
        let denied = self.options.deny.is_denied(&report);
        let body = match self.options.format {
            Format::Json => Body::Report(Box::new(report)),
            Format::Html => Body::Part(html::Part { row: html::Row::of(&report), section: text }),
            Format::Text | Format::Jsonl => Body::Text(text),
        };
        Done { summary, denied, body }
    }

    /// A report and its text.
    pub(super) fn printed(self, report: Report) -> (Report, String) {
        let Shared { wish, options, .. } = self;
        let text = match options.format {
            Format::Text => text::plugin(&report, self.style),
            Format::Jsonl => json::line(&report, &wish.to.to_string(), wish.form),
            Format::Html => html::section(&report, self.style.quiet),
            Format::Json => String::new(),
        };
        // The texts of the documents are not needed once their snippets are printed.
        let report = Report { documents: Vec::new(), ..report };
        (report, text)
    }
}
