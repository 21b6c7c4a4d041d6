//! `plugc convert`: packages in the target's own form, in a folder that is replaced as a whole.

use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use rayon::prelude::*;

use super::deny::DenyOptions;
use super::output::Output;
use super::source::{FetchOptions, Found, open, unasked};
use super::{NO, Unasked, WayOptions, YES, rulebook};
use crate::convert::{Converter, MARK};
use crate::io::apply::{Comparison, Sink, Staging, lies_in};
use crate::io::{What, what_is};
use crate::ir::diagnostic::Severity;
use crate::ir::path::RelPath;
use crate::ir::plan::Plan;
use crate::ir::route::Form;
use crate::ir::source::redacted;
use crate::report::json::{self, Summary};
use crate::report::text::{self, clean};
use crate::report::told::{Report, Told, tell};
use crate::rulebook::Rulebook;
use crate::survey::Wish;

/// How many plugins are compiled before they are written.
const WINDOW: usize = 64;

#[derive(Args)]
pub(super) struct Options {
    /// Folders, archives, single files, repositories such as `git:github.com/owner/repo`.
    #[arg(value_name = "SOURCE", required = true)]
    sources: Vec<String>,
    /// The folder that the packages are written into, each into one of its own, with `report.json` beside them. It
    /// must be new, empty, or written by an earlier run; then all of it is replaced.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    way: WayOptions,
    #[command(flatten)]
    fetch: FetchOptions,
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
    for source in &options.sources {
        apart(source, &options.out)?;
    }
    let how = options.fetch.how();
    // All are opened before anything is written, as one that is missing means that nothing is.
    let found = options.sources.iter().map(|source| {
        let found = open(source, &rulebook, &how);
        found.map(|found| (source, found)).map_err(|fault| unasked(&fault, source, &rulebook))
    });
    let found = found.collect::<Result<Vec<_>, Unasked>>()?;
    let work = Work { options, rulebook: &rulebook, wish };
    if options.check { work.check(found) } else { work.write(found) }
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
}

/// What there is to say when all is written.
struct Done {
    text: String,
    denied: bool,
}

impl Work<'_> {
    fn write(&self, found: Vec<(&String, Found)>) -> Result<u8, Unasked> {
        let out = &self.options.out;
        let mut staging = Staging::open(out, &MARK).map_err(|barred| self.failed(&barred))?;
        let done = self.all(found, &mut staging)?;
        let end = if done.denied {
            drop(staging);
            "what was denied is there: nothing was written\n"
        } else {
            staging.finish().map_err(|error| self.failed(&error))?;
            ""
        };
        Self::answer(&format!("{}{end}", done.text), !done.denied)
    }

    fn check(&self, found: Vec<(&String, Found)>) -> Result<u8, Unasked> {
        let out = &self.options.out;
        let mut comparison = Comparison::open(out).map_err(|barred| self.failed(&barred))?;
        let mut done = self.all(found, &mut comparison)?;
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
    fn all(&self, found: Vec<(&String, Found)>, sink: &mut dyn Sink) -> Result<Done, Unasked> {
        let failed = |error: io::Error| self.failed(&error);
        let mut converter = Converter::new();
        let mut reports = Vec::new();
        let mut done = Done { text: String::new(), denied: false };
        let mut found = found.into_iter();
        loop {
            let window: Vec<_> = found.by_ref().take(WINDOW).collect();
            if window.is_empty() {
                break;
            }
            let plans: Vec<(String, Plan)> = window
                .into_par_iter()
                .map(|(source, found)| {
                    (redacted(source).into_owned(), found.plan(self.rulebook, &self.wish))
                })
                .collect();
            for (path, mut plan) in plans {
                let folder = converter.plugin(&path, &mut plan, sink).map_err(failed)?;
                let report = tell(plan, self.rulebook, &path, false);
                let report = Report { documents: Vec::new(), ..report };
                done.denied |= self.options.deny.is_denied(&report);
                done.text += &self.line(&report, folder.as_ref());
                reports.push(report);
            }
        }
        let report = json::whole(&reports, &self.wish.to, self.wish.form);
        converter.end(&report, &[], sink).map_err(failed)?;
        let mut summary = Summary::default();
        for report in &reports {
            summary.add(report);
        }
        done.text += &text::summary(summary);
        Ok(done)
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
