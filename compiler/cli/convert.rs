//! `plugc convert`: packages in the target's own form, in a folder that is replaced as a whole.

use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use serde::Serialize;

use super::deny::DenyOptions;
use super::market::{Job, ListingWords, read};
use super::ordered::ordered;
use super::output::Output;
use super::progress::Progress;
use super::source::{FetchOptions, lines, unasked};
use super::{NO, Unasked, WayOptions, YES, example, rulebook};
use crate::convert::{Converter, MARK};
use crate::entry::{Entries, Outcome};
use crate::io::apply::{Comparison, Sink, Staging, lies_in};
use crate::io::source::Fetch;
use crate::io::{What, what_is};
use crate::ir::diagnostic::Severity;
use crate::ir::fate::Verdict;
use crate::ir::path::RelPath;
use crate::ir::plan::Plan;
use crate::ir::route::Form;
use crate::ir::source::{Fault, redacted};
use crate::report::json::{self, Summary};
use crate::report::market::{Claims, MarketTold};
use crate::report::text::{self, clean};
use crate::report::told::{Report, Told, tell};
use crate::rulebook::Rulebook;
use crate::source::{Found, open, refused};
use crate::standing::Seen;
use crate::survey::Wish;

/// The list of what was written of a marketplace.
const INDEX: &str = "index.json";

#[derive(Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(super) struct Options {
    /// Folders, archives, single files, repositories such as `git:github.com/owner/repo`, or `-` for one a line on
    /// standard input.
    #[arg(value_name = "SOURCE", required_unless_present = "example")]
    sources: Vec<String>,
    /// Write the small marketplace that is built into the program.
    #[arg(long, conflicts_with = "sources")]
    example: bool,
    /// The folder that the packages are written into, each into one of its own, with `report.json` beside them. It
    /// must be new, empty, or written by an earlier run; then all of it is replaced.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    way: WayOptions,
    #[command(flatten)]
    fetch: FetchOptions,
    /// Write a folder that is a plugin and a marketplace as the marketplace.
    #[arg(long)]
    marketplace: bool,
    /// Fetch the plugins of a marketplace that lie in other repositories and in archives on the web.
    #[arg(long = "fetch")]
    fetch_entries: bool,
    /// Write nothing, and answer no if DIR is not what would be written.
    #[arg(long)]
    check: bool,
    /// If something of this is found, nothing is written.
    #[command(flatten)]
    deny: DenyOptions,
}

pub(super) fn run(options: &Options) -> Result<u8, Unasked> {
    let rulebook = rulebook(options.way.rules.as_deref())?;
    let wish = options.way.wish(&rulebook, Form::Normalised)?;
    options.deny.check(&rulebook)?;
    if !options.check && lies_in(Path::new("."), &options.out) {
        return Err(Unasked(format!(
            "--out {}: you are in it, and all of it is replaced; run from another folder",
            options.out.display()
        )));
    }
    let how = options.fetch.how();
    let work = Work { options, rulebook: &rulebook, wish, how };
    let (market, items) = work.asked()?;
    if options.check { work.check(market, items) } else { work.write(market, items) }
}

/// A package is copied with all that lies in it, so neither may lie in the other.
fn apart(source: &str, out: &Path) -> Result<(), Unasked> {
    let path = Path::new(source);
    if what_is(path) == What::Missing {
        return Ok(());
    }
    let (one, other) = match (lies_in(out, path), lies_in(path, out)) {
        (true, _) => ("--out", "SOURCE"),
        (_, true) => ("SOURCE", "--out"),
        _ => return Ok(()),
    };
    let out = out.display();
    Err(Unasked(format!(
        "--out {out}: {one} lies in {other}, `{source}`, and all of both is copied or replaced; name a folder beside it"
    )))
}

struct Work<'o> {
    options: &'o Options,
    rulebook: &'o Rulebook,
    wish: Wish,
    how: Fetch,
}

/// A SOURCE, or an entry of the marketplace that it is.
enum Item {
    Plugin(String, Box<Found>),
    /// One that a line names, and that cannot be had.
    Refused(String, Fault),
    Entry(Box<Job>, Arc<Found>),
}

/// What there is to say when all is written.
struct Done {
    text: String,
    denied: bool,
}

impl Work<'_> {
    /// What is to be written: the SOURCEs, or the entries of the one that is a marketplace.
    fn asked(&self) -> Result<(Option<MarketTold>, Vec<Item>), Unasked> {
        let options = self.options;
        if options.example {
            let found = Found::here(Box::new(example::files()));
            return self.items(vec![("example".to_owned(), found)], true);
        }
        if options.sources.iter().any(|source| source == "-") {
            return Ok((None, lines().map(|line| self.item(line?)).collect::<Result<_, _>>()?));
        }
        let progress = Progress::opening(options.sources.len());
        // All are opened before anything is written, as one that is missing means that nothing is.
        let found = options.sources.iter().map(|source| {
            apart(source, &options.out)?;
            let found = open(source, self.rulebook, &self.how);
            let found = found.map_err(|fault| unasked(&fault, source, self.rulebook))?;
            Ok((source.clone(), found))
        });
        let found = found.collect::<Result<Vec<_>, Unasked>>()?;
        drop(progress);
        self.items(found, options.marketplace)
    }

    /// What a line names; one that cannot be had gets its answer, and spoils no other.
    fn item(&self, source: String) -> Result<Item, Unasked> {
        apart(&source, &self.options.out)?;
        Ok(match open(&source, self.rulebook, &self.how) {
            Ok(found) => Item::Plugin(source, Box::new(found)),
            Err(fault) => Item::Refused(source, fault),
        })
    }

    fn write(&self, market: Option<MarketTold>, items: Vec<Item>) -> Result<u8, Unasked> {
        let out = &self.options.out;
        let mut staging = Staging::open(out, &MARK).map_err(|barred| self.failed(&barred))?;
        let done = self.all(market, items, &mut staging)?;
        let end = if done.denied {
            drop(staging);
            "what was denied is there: nothing was written\n"
        } else {
            staging.finish().map_err(|error| self.failed(&error))?;
            ""
        };
        Self::answer(&format!("{}{end}", done.text), !done.denied)
    }

    fn check(&self, market: Option<MarketTold>, items: Vec<Item>) -> Result<u8, Unasked> {
        let out = &self.options.out;
        let mut comparison = Comparison::open(out).map_err(|barred| self.failed(&barred))?;
        let mut done = self.all(market, items, &mut comparison)?;
        let differences = comparison.finish().map_err(|error| self.failed(&error))?;
        for one in &differences {
            let _ = writeln!(done.text, "{}: {}", one.how.word(), in_a_line(&one.path));
        }
        Self::answer(&done.text, !done.denied && differences.is_empty())
    }

    fn answer(text: &str, is_yes: bool) -> Result<u8, Unasked> {
        let mut output = Output::open(None)?;
        output.put(text)?;
        output.flush()?;
        Ok(if is_yes { YES } else { NO })
    }

    fn failed(&self, why: &dyn std::fmt::Display) -> Unasked {
        Unasked(format!("--out {}: {why}", self.options.out.display()))
    }

    /// Hands all packages to a sink, and the report.
    fn all(
        &self,
        mut market: Option<MarketTold>,
        items: Vec<Item>,
        sink: &mut dyn Sink,
    ) -> Result<Done, Unasked> {
        let failed = |error: io::Error| self.failed(&error);
        let mut converter = Converter::new();
        let mut reports = Vec::new();
        let mut done = Done { text: String::new(), denied: false };
        if market.is_some() {
            converter.reserve(INDEX);
        }
        let mut claims = Claims::default();
        let progress = Progress::plugins(Some(items.len()), true);
        ordered(
            items.into_iter(),
            |item| self.plan(item),
            |(path, mut plan, words)| {
                let folder = converter.plugin(&path, &mut plan, sink).map_err(failed)?;
                let mut report = tell(plan, self.rulebook, &path, false);
                if let (Some(words), Some(market)) = (words, &market) {
                    words.add(&mut report, market);
                }
                let report = Report { documents: Vec::new(), ..report };
                claims.add(&report, self.rulebook);
                done.denied |= self.options.deny.is_denied(&report);
                done.text += &self.line(&report, folder.as_ref());
                reports.push((report, folder));
                progress.step();
                Ok(true)
            },
        )?;
        if let Some(market) = &mut market {
            market.collisions = Some(claims.collisions());
        }
        let index = market.as_ref().map(|market| index(market, &reports));
        let beside: Vec<(&str, &str)> = index.iter().map(|index| (INDEX, index.as_str())).collect();
        let reports: Vec<Report> = reports.into_iter().map(|(report, _)| report).collect();
        let report = json::whole(&reports, market.as_ref(), &self.wish.to, self.wish.form);
        converter.end(&report, &beside, sink).map_err(failed)?;
        let mut summary = Summary::default();
        for report in &reports {
            summary += Summary::of(report);
        }
        done.text += &text::summary(summary);
        Ok(done)
    }

    fn items(
        &self,
        found: Vec<(String, Found)>,
        wanted: bool,
    ) -> Result<(Option<MarketTold>, Vec<Item>), Unasked> {
        let Some(lister) = found.iter().find_map(|(_, one)| one.lister(self.rulebook, wanted))
        else {
            let item = |(name, found): (String, Found)| Item::Plugin(name, Box::new(found));
            return Ok((None, found.into_iter().map(item).collect()));
        };
        let mut found = found.into_iter();
        let (Some((name, one)), None) = (found.next(), found.next()) else {
            return Err(Unasked("a marketplace is converted by itself".to_owned()));
        };
        let base = Arc::new(one);
        let (told, jobs) = read(&base, &name, self.rulebook, &self.wish, lister)?;
        let items = jobs.into_iter().map(|job| Item::Entry(Box::new(job), base.clone())).collect();
        Ok((Some(told), items))
    }

    fn plan(&self, item: Item) -> (String, Plan, Option<ListingWords>) {
        match item {
            Item::Entry(job, base) => {
                let (rulebook, how) = (self.rulebook, &self.how);
                let fetch = self.options.fetch_entries;
                let (task, mut words) = *job;
                let entries = Entries { base: &base, rulebook, how, fetch };
                let Outcome { plan, looked, commit, .. } = entries.compile(&task);
                words.note(entries, &task, looked.then(|| Seen::from(&plan)), commit);
                (task.path(), plan, Some(words))
            }
            Item::Refused(name, fault) => {
                let plan = refused(fault, self.rulebook, &self.wish);
                (redacted(&name).into_owned(), plan, None)
            }
            Item::Plugin(name, found) => {
                (redacted(&name).into_owned(), found.plan(self.rulebook, &self.wish), None)
            }
        }
    }

    /// One plugin: its verdict, and where it is, or else why it is nowhere.
    fn line(&self, report: &Report, folder: Option<&RelPath>) -> String {
        let name = report.name.as_deref().unwrap_or(&report.path);
        let (name, path) = (in_a_line(name), in_a_line(&report.path));
        let place = match folder {
            Some(folder) => self.options.out.join(folder.as_str()).display().to_string(),
            None => why(report).map(|one| one.message.clone()).unwrap_or_default(),
        };
        let joint = if folder.is_some() { " → " } else { ", not written: " };
        format!("{name} ({path}): {}{joint}{}\n", report.verdict.word(), in_a_line(&place))
    }
}

#[derive(Serialize)]
struct Index<'i> {
    format: &'static str,
    name: Option<&'i str>,
    plugins: Vec<Written<'i>>,
}

#[derive(Serialize)]
struct Written<'i> {
    name: Option<&'i str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<&'i str>,
    path: &'i str,
    verdict: Verdict,
}

/// The list of the packages that were written, and where each of them is.
fn index(market: &MarketTold, reports: &[(Report, Option<RelPath>)]) -> String {
    let plugins = reports.iter().filter_map(|(report, folder)| {
        Some(Written {
            name: report.name.as_deref(),
            version: report.version.as_deref(),
            path: folder.as_ref()?.as_str(),
            verdict: report.verdict,
        })
    });
    let index =
        Index { format: "plugc/index/1", name: market.name.as_deref(), plugins: plugins.collect() };
    serde_json::to_string_pretty(&index).unwrap_or_default() + "\n"
}

/// What keeps a package from being written: what its writing ran into, or else the worst of it.
fn why(report: &Report) -> Option<&Told> {
    let told = &report.diagnostics;
    let is_own = |one: &&Told| one.code.starts_with("convert/") && one.severity == Severity::Error;
    told.iter().find(is_own).or(told.first())
}

/// Foreign text in one line of a terminal.
fn in_a_line(text: &str) -> String {
    clean(text).replace('\n', "\u{FFFD}")
}
