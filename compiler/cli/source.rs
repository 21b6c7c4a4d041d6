//! SOURCE: a folder, an archive, a single file that is offered where its host would look for it, or a repository.

use std::path::Path;
use std::time::Duration;

use clap::Args;

use super::Unasked;
use crate::io::single::Single;
use crate::io::source::{Fetch, PATIENCE, there};
use crate::io::{What, archive};
use crate::ir::diagnostic::{Code, Diagnostic};
use crate::ir::fate::{Fate, Verdict};
use crate::ir::origin::Origin;
use crate::ir::path::RelPath;
use crate::ir::plan::Plan;
use crate::ir::route::HostName;
use crate::ir::snapshot::Snapshot;
use crate::ir::source::{Fault, Source, redacted};
use crate::report::text::clean;
use crate::rulebook::Rulebook;
use crate::rulebook::{grammar, page};
use crate::survey::{Wish, nothing, survey};

/// The options that say how repositories are fetched.
#[derive(Args)]
pub(super) struct FetchOptions {
    /// Fetch nothing: use what is on disk and, pinned to a commit, what was fetched before.
    #[arg(long)]
    offline: bool,
    /// How long a repository may take to answer.
    #[arg(long, value_name = "SECONDS", default_value_t = PATIENCE.as_secs(),
          value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: u64,
}

impl FetchOptions {
    /// How sources are fetched.
    pub(super) fn how(&self) -> Fetch {
        let limit = Duration::from_secs(self.timeout);
        Fetch { offline: self.offline, limit, store: None }
    }
}

/// A SOURCE that is there.
pub(super) struct Found {
    /// Its files; nothing if no plugin can be read from it.
    snapshot: Option<Snapshot>,
    /// Whose a single file is.
    host: Option<HostName>,
    /// What there is to tell of it, beside what its plugin tells.
    told: Vec<Diagnostic>,
    /// Whether something of it could not be had.
    is_short: bool,
    /// Whether nothing of it may be used, so that there is nothing else to tell.
    is_barred: bool,
}

impl Found {
    fn files(snapshot: Option<Snapshot>, host: Option<HostName>) -> Self {
        Found { snapshot, host, told: Vec::new(), is_short: false, is_barred: false }
    }

    /// What becomes of it.
    pub(super) fn plan(self, rulebook: &Rulebook, wish: &Wish) -> Plan {
        let mut plan = match self.snapshot {
            Some(snapshot) => {
                let from = wish.from.clone().or(self.host);
                survey(snapshot, rulebook, &Wish { from, ..wish.clone() })
            }
            None => nothing(Snapshot::empty(), rulebook, wish),
        };
        if self.is_barred {
            plan.diagnostics.clear();
        }
        plan.diagnostics.extend(self.told);
        if self.is_short && plan.verdict == Verdict::Full {
            plan.verdict = Verdict::Partial;
        }
        plan
    }
}

/// The plan of a SOURCE that cannot be read: one that says why.
pub(super) fn refused(fault: Fault, rulebook: &Rulebook, wish: &Wish) -> Plan {
    let mut plan = nothing(Snapshot::empty(), rulebook, wish);
    plan.diagnostics = vec![told(fault)];
    plan
}

fn told(fault: Fault) -> Diagnostic {
    let told = Diagnostic::new(fault.code, Origin::file("")).fate(Fate::Unsupported);
    Diagnostic { words: fault.words, ..told }
}

/// Opens a SOURCE. Whatever exists on disk is meant before anything else.
pub(super) fn open(text: &str, rulebook: &Rulebook, how: &Fetch) -> Result<Found, Fault> {
    let text = if text.is_empty() { "." } else { text };
    let path = Path::new(text);
    let source = match crate::io::what_is(path) {
        What::File if !archive::is_archive(path) => return Ok(single(path, rulebook)),
        What::Other => return Ok(Found::files(None, None)),
        What::Folder | What::File => Source::Local(text.to_owned()),
        What::Missing => grammar::source::source(text).map_err(|fault| {
            let malformed = Fault::absent("source/malformed").with("source", text);
            malformed.with("detail", fault.message).at(fault.at..fault.at + 1)
        })?,
    };
    if let Source::Local(missing) = &source
        && crate::io::what_is(path) == What::Missing
    {
        let range = there(missing)..missing.chars().count();
        return Err(Fault::absent("source/not-found").with("path", text).at(range));
    }
    let opened = match crate::io::source::open(&source, how) {
        Err(fault) if fault.exists => {
            return Ok(Found {
                told: vec![told(fault)],
                is_barred: true,
                ..Found::files(None, None)
            });
        }
        opened => opened?,
    };
    let submodules = opened.submodules.iter().map(|one| {
        let origin = Origin::file(one.path.as_str());
        let told = Diagnostic::new(Code::new("source/submodule"), origin);
        told.with("path", one.path.as_str()).fate(Fate::Unsupported)
    });
    let collisions = collided(&opened.collisions);
    let told: Vec<Diagnostic> = submodules.chain(collisions).collect();
    let is_short = !told.is_empty();
    Ok(Found { told, is_short, ..Found::files(Some(Snapshot::new(opened.files)), None) })
}

/// One diagnostic for all paths of an archive that differ only in capitals.
fn collided(collisions: &[(String, String)]) -> Option<Diagnostic> {
    let ((path, other), rest) = collisions.split_first()?;
    let told = Diagnostic::new(Code::new("source/case-collision"), Origin::file(other.as_str()));
    let told = told.with("path", path).with("other", other).fate(Fate::Partial);
    let also = rest.iter().map(|(_, other)| Origin::file(other.as_str())).collect();
    Some(Diagnostic { also, ..told })
}

/// A single file is read as the host that knows its name; the one that needs no manifest is asked first.
fn single(path: &Path, rulebook: &Rulebook) -> Found {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let hosts = rulebook
        .index
        .sources
        .iter()
        .map(|(host, ..)| HostName::parse(host))
        .filter(|host| host.version.is_none());
    let mut found: Vec<(bool, HostName, RelPath)> = hosts
        .filter_map(|host| {
            let source = rulebook.source(&host)?;
            let (_, place) = source.singles.iter().find(|(known, _)| **known == *name)?;
            Some((!source.fallback, host, place.clone()))
        })
        .collect();
    found.sort();
    let Some((_, host, place)) = found.into_iter().next() else { return Found::files(None, None) };
    let single = Single::open(path, place).ok();
    Found::files(single.map(|single| Snapshot::new(Box::new(single))), Some(host))
}

/// A fault in words, with a caret below the text of the SOURCE where it points into it.
pub(super) fn unasked(fault: &Fault, text: &str, rulebook: &Rulebook) -> Unasked {
    let page = rulebook.page(&fault.code);
    let line = |text: &str| page::fill(text, &fault.words);
    let mut out =
        format!("{}: {}", fault.code, page.map(|page| line(&page.message)).unwrap_or_default());
    if let Some(range) = &fault.at {
        let blanks = " ".repeat(range.start);
        let carets = "^".repeat(range.len().max(1));
        // A line break would tear the text from its caret.
        let shown = clean(&redacted(text)).replace('\n', "\u{FFFD}");
        out = format!("{out}\n  {shown}\n  {blanks}{carets}");
    }
    if let Some(help) = page.and_then(|page| page.help.as_deref()) {
        out = format!("{out}\n  help: {}", line(help));
    }
    Unasked(out)
}
