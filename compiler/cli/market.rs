//! `plugc compile MARKETPLACE`: every entry gets an answer, and a bad one spoils no other.

use rayon::prelude::*;

use super::compile::{Format, WINDOW, Work};
use super::source::{Found, open};
use super::{Unasked, example};
use crate::io::folder::Folder;
use crate::io::source::Fetch;
use crate::ir::diagnostic::{Code, Diagnostic};
use crate::ir::document::{Document, Key, Kind as NodeKind};
use crate::ir::fate::{Fate, Verdict};
use crate::ir::market::{Listing, Place};
use crate::ir::path::RelPath;
use crate::ir::plan::Plan;
use crate::ir::route::HostName;
use crate::ir::snapshot::{Kind, Snapshot};
use crate::ir::source::redacted;
use crate::market::market;
use crate::report::json::{self, Summary};
use crate::report::market::{self as told, Claims, Losses, MarketTold};
use crate::report::told::{ListingTold, Report, Told};
use crate::rulebook::Rulebook;
use crate::survey::{Wish, survey};

/// Where the folders of a marketplace are opened.
pub(super) enum Base {
    /// In a SOURCE.
    Found(Box<Found>),
    /// In the program.
    Example,
}

impl Base {
    fn snapshot(&self, folder: &RelPath) -> Snapshot {
        match self {
            Base::Found(found) => match &found.folder {
                // Threads that open a folder of their own need not wait for each other.
                Some(root) if !folder.is_root() => {
                    match Folder::open(&root.join(folder.as_str())) {
                        Ok(folder) => Snapshot::new(Box::new(folder)),
                        Err(_) => Snapshot::empty(),
                    }
                }
                _ => found.snapshot(folder),
            },
            Base::Example => example::snapshot(folder.as_str()),
        }
    }
}

/// Compiles a marketplace: what it is, its plugins in their order, and what they add up to.
pub(super) fn run(
    mut work: Work<'_>,
    path: &str,
    base: &Base,
    lister: HostName,
) -> Result<u8, Unasked> {
    let (mut told, jobs) = read(base, path, work.rulebook, &work.wish, lister)?;
    let target = work.rulebook.target(&work.wish.to).map(|target| target.title.clone());
    if work.options.format == Format::Jsonl {
        let line = json::market_line(&told, &work.wish.to.to_string(), work.wish.form);
        work.output.put(&line)?;
    }
    let (mut claims, mut losses, mut texts) = (Claims::default(), Losses::default(), Vec::new());
    let mut jobs = jobs.into_iter();
    loop {
        let window: Vec<Job> = jobs.by_ref().take(WINDOW).collect();
        if window.is_empty() || work.output.closed {
            break;
        }
        let shared = work.shared();
        let fetch = shared.options.fetch_entries;
        let asked = Asked { base, rulebook: shared.rulebook, how: shared.how, fetch };
        let one = |job| {
            let Compiled { path, plan, listing } = entry(asked, job);
            shared.told(&path, plan, |report| listing.add(report, &told))
        };
        let done: Vec<(Report, String)> = window.into_par_iter().map(one).collect();
        for (report, text) in done {
            claims.add(&report, work.rulebook);
            losses.add(&report);
            if work.options.format == Format::Text {
                work.count(&report);
                texts.push(text);
            } else {
                work.take(report, text)?;
            }
        }
    }
    told.collisions = Some(claims.collisions());
    finish(work, told, &losses, &texts, &target.unwrap_or_default())
}

fn finish(
    mut work: Work<'_>,
    told: MarketTold,
    losses: &Losses,
    texts: &[String],
    target: &str,
) -> Result<u8, Unasked> {
    let summary: Summary = work.summary;
    match work.options.format {
        Format::Text => {
            work.output.put(&told::scorecard(&told, summary, losses, target, work.style))?;
            for text in texts {
                work.output.put("\n")?;
                work.output.put(text)?;
            }
        }
        Format::Jsonl => {
            let line =
                json::summary_line(summary, &told, &work.wish.to.to_string(), work.wish.form);
            work.output.put(&line)?;
        }
        Format::Json | Format::Html => work.market = Some(told),
    }
    work.finish()
}

/// Reads a list of plugins: what there is to tell of it, and its entries.
pub(super) fn read(
    base: &Base,
    path: &str,
    rulebook: &Rulebook,
    wish: &Wish,
    lister: HostName,
) -> Result<(MarketTold, Vec<Job>), Unasked> {
    let root = base.snapshot(&RelPath::root());
    let Some(mut market) = market(root, rulebook, wish, lister) else {
        return Err(Unasked(format!("no list of plugins can be read from {path}")));
    };
    let listings = std::mem::take(&mut market.listings);
    let found = listings.into_iter().map(|listing| {
        // Links that lead out of the marketplace are not followed.
        let kind = match &listing.place {
            Place::Folder(path) => market.plan.snapshot.kind(path),
            _ => Kind::Missing,
        };
        (market.wish(&listing, wish), kind, listing)
    });
    let found: Vec<(Wish, Kind, Listing)> = found.collect();
    market.listings = found.iter().map(|(_, _, listing)| listing.clone()).collect();
    let mut told = told::market(market, rulebook, &redacted(path));
    let words = std::mem::take(&mut told.listings);
    let job = |((wish, kind, listing), (words, faults))| Job {
        wish,
        kind,
        listing,
        told: ListingWords { listing: words, faults },
    };
    Ok((told, found.into_iter().zip(words).map(job).collect()))
}

/// One entry to compile.
pub(super) struct Job {
    listing: Listing,
    wish: Wish,
    /// What its folder is, in the marketplace.
    kind: Kind,
    told: ListingWords,
}

/// What a report says of an entry, beside what its plugin tells.
pub(super) struct ListingWords {
    listing: ListingTold,
    faults: Vec<Told>,
}

impl ListingWords {
    /// Puts what is wrong with the entry before what is told of the plugin.
    pub(super) fn add(self, report: &mut Report, market: &MarketTold) {
        let mut all = Vec::new();
        for mut fault in self.faults {
            if let Some((document, _)) = &mut fault.at
                && let Some(of) = market.documents.get(*document)
            {
                *document = report.documents.len();
                report.documents.push(of.part(Document::ROOT, |_| false));
            }
            all.push(fault);
        }
        all.append(&mut report.diagnostics);
        report.diagnostics = all;
        report.listing = Some(self.listing);
    }
}

/// How entries are compiled.
#[derive(Clone, Copy)]
pub(super) struct Asked<'o> {
    pub(super) base: &'o Base,
    pub(super) rulebook: &'o Rulebook,
    pub(super) how: &'o Fetch,
    /// Whether those that lie in other repositories are fetched.
    pub(super) fetch: bool,
}

/// An entry that is compiled.
pub(super) struct Compiled {
    pub(super) path: String,
    pub(super) plan: Plan,
    pub(super) listing: ListingWords,
}

/// Compiles one entry.
pub(super) fn entry(asked: Asked<'_>, job: Job) -> Compiled {
    let Job { listing: one, wish, kind, mut told } = job;
    let (path, plan) = plan(asked, &one, &wish, &kind, &mut told.listing);
    let is_read = match one.place {
        Place::Folder(_) => true,
        Place::Git { .. } => asked.fetch,
        _ => false,
    };
    // The target wants a manifest that carries something under the name of the entry.
    let fits = !plan.by_entry && plan.verdict != Verdict::None && plan.identity.name == one.name;
    told.listing.installs &= fits || !is_read;
    Compiled { path, plan: named(plan, &one), listing: told }
}

fn plan(
    asked: Asked<'_>,
    one: &Listing,
    wish: &Wish,
    kind: &Kind,
    listing: &mut ListingTold,
) -> (String, Plan) {
    let Asked { base, rulebook, how, fetch } = asked;
    // Where the files are not looked at, only the words of the entry itself are judged.
    let alone = |code: Option<Diagnostic>| {
        let mut plan = survey(Snapshot::empty(), rulebook, wish);
        if let Some(told) = code {
            plan.diagnostics.retain(|one| one.code.as_str() != "package/not-a-plugin");
            plan.diagnostics.push(told);
            plan.verdict =
                if plan.verdict == Verdict::Full { Verdict::Partial } else { plan.verdict };
        } else {
            plan.diagnostics.clear();
            plan.verdict = Verdict::None;
        }
        plan
    };
    match &one.place {
        Place::Folder(path) if *kind == Kind::Folder => {
            let mut plan = survey(base.snapshot(path), rulebook, wish);
            if plan.by_entry && plan.entries.len() <= 1 && plan.carried() == 0 {
                let told = tell(one, "marketplace/empty").with("path", path.as_str());
                plan.diagnostics.push(told);
            }
            (if path.is_root() { ".".to_owned() } else { path.to_string() }, plan)
        }
        Place::Folder(path) => {
            let told = tell(one, "marketplace/not-found").with("path", path.as_str());
            (path.to_string(), alone(Some(told)))
        }
        Place::Git { address, path, branch, commit } if fetch => {
            let at = commit.as_deref().or(branch.as_deref()).unwrap_or_default();
            let colon = if path.is_empty() { "" } else { ":" };
            let text = format!("{address}#{at}{colon}{path}");
            let text = text.trim_end_matches('#');
            let plan = match open(text, rulebook, how) {
                Ok(found) => {
                    listing.commit.clone_from(&found.commit);
                    found.plan(rulebook, wish)
                }
                Err(fault) => super::source::refused(fault, rulebook, wish),
            };
            (redacted(text).into_owned(), plan)
        }
        Place::Git { address, .. } | Place::Archive { address, .. } => {
            let address = redacted(address).into_owned();
            let told = tell(one, "marketplace/not-fetched").with("address", &*address);
            (address, alone(Some(told)))
        }
        Place::Elsewhere | Place::Nowhere => {
            (one.name.clone().unwrap_or_else(|| one.origin.to_string()), alone(None))
        }
    }
}

fn tell(one: &Listing, code: &str) -> Diagnostic {
    let document = &one.document;
    let source = document.get(Document::ROOT, "source").unwrap_or(Document::ROOT);
    Diagnostic::new(Code::new(code), document.origin(source)).fate(Fate::Unsupported)
}

/// Notes that the plugin has another name than its entry, and lets reports show the entry.
fn named(mut plan: Plan, one: &Listing) -> Plan {
    let inner = plan.identity.name.clone();
    if let (Some(name), Some(inner)) = (&one.name, inner)
        && *name != inner
        && !plan.by_entry
    {
        let document = &one.document;
        let at = document
            .children(Document::ROOT)
            .find(|child| {
                matches!(document.kind(*child), NodeKind::Text(text) if **text == **name)
                    && matches!(document.key(*child), Key::Name(key) if &**key == "name")
            })
            .unwrap_or(Document::ROOT);
        let told = Diagnostic::new(Code::new("marketplace/name-differs"), document.origin(at));
        plan.diagnostics.push(told.with("inner", inner).with("name", name).fate(Fate::Exact));
    }
    if plan.identity.name.is_none() {
        plan.identity.name.clone_from(&one.name);
    }
    if !plan.documents.iter().any(|document| document.file == one.document.file) {
        plan.documents.push(one.document.part(Document::ROOT, |_| false));
    }
    plan
}
