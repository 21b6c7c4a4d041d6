//! `plugc compile MARKETPLACE`: every entry gets an answer, and a bad one spoils no other.

use rayon::prelude::*;

use super::compile::{Format, Shared, WINDOW, Work};
use super::source::{Found, open};
use super::{Unasked, example};
use crate::io::folder::Folder;
use crate::ir::diagnostic::{Code, Diagnostic};
use crate::ir::document::{Document, Key, Kind as NodeKind};
use crate::ir::fate::{Fate, Verdict};
use crate::ir::market::{Listing, Market, Place};
use crate::ir::path::RelPath;
use crate::ir::plan::Plan;
use crate::ir::route::HostName;
use crate::ir::snapshot::{Kind, Snapshot};
use crate::ir::source::redacted;
use crate::market::market;
use crate::report::json::{self, Summary};
use crate::report::market::{self as told, Claims, Losses, MarketTold};
use crate::report::told::{ListingTold, Report, Told};
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
    let root = base.snapshot(&RelPath::root());
    let Some(mut market) = market(root, work.rulebook, &work.wish, lister) else {
        return Err(Unasked(format!("no list of plugins can be read from {path}")));
    };
    let jobs = jobs(&mut market, &work.wish);
    let mut told = told::market(market, work.rulebook, &redacted(path));
    let target = work.rulebook.target(&work.wish.to).map(|target| target.title.clone());
    if work.options.format == Format::Jsonl {
        let line = json::market_line(&told, &work.wish.to.to_string(), work.wish.form);
        work.output.put(&line)?;
    }
    let listings = std::mem::take(&mut told.listings);
    let (mut claims, mut losses, mut texts) = (Claims::default(), Losses::default(), Vec::new());
    let mut items = jobs.into_iter().zip(listings);
    loop {
        let window: Vec<_> = items.by_ref().take(WINDOW).collect();
        if window.is_empty() || work.output.closed {
            break;
        }
        let shared = work.shared();
        let one = |(job, listing)| entry(shared, base, &told, job, listing);
        let done: Vec<(Report, String)> = window.into_par_iter().map(one).collect();
        for (report, text) in done {
            claims.add(&report, work.rulebook);
            losses.add(&report);
            if work.options.format == Format::Text {
                work.count(&report);
                texts.push(text);
            } else {
                work.take(report, &text)?;
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
        Format::Json => work.market = Some(told),
    }
    work.finish()
}

/// One entry to compile.
struct Job {
    listing: Listing,
    wish: Wish,
    /// What its folder is, in the marketplace.
    kind: Kind,
}

/// The entries, and whether their folders are there: links that lead out of the marketplace are not followed.
fn jobs(market: &mut Market, wish: &Wish) -> Vec<Job> {
    let listings = std::mem::take(&mut market.listings);
    let jobs = listings.iter().map(|listing| {
        let kind = match &listing.place {
            Place::Folder(path) => market.plan.snapshot.kind(path),
            _ => Kind::Missing,
        };
        Job { wish: market.wish(listing, wish), kind, listing: listing.clone() }
    });
    let jobs = jobs.collect();
    market.listings = listings;
    jobs
}

fn entry(
    shared: Shared<'_>,
    base: &Base,
    market: &MarketTold,
    job: Job,
    (mut listing, faults): (ListingTold, Vec<Told>),
) -> (Report, String) {
    let Job { listing: one, wish, kind } = job;
    let (path, plan) = plan(shared, base, &one, &wish, &kind, &mut listing);
    let is_read = match one.place {
        Place::Folder(_) => true,
        Place::Git { .. } => shared.options.fetch_entries,
        _ => false,
    };
    // The target wants a manifest that carries something under the name of the entry.
    let fits = !plan.by_entry && plan.verdict != Verdict::None && plan.identity.name == one.name;
    let plan = named(plan, &one);
    shared.told(&path, plan, |report| {
        listing.installs &= fits || !is_read;
        add(report, market, faults);
        report.listing = Some(listing);
    })
}

/// Puts what is wrong with the entry before what is told of the plugin.
fn add(report: &mut Report, market: &MarketTold, faults: Vec<Told>) {
    let mut all = Vec::new();
    for mut fault in faults {
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
}

fn plan(
    shared: Shared<'_>,
    base: &Base,
    one: &Listing,
    wish: &Wish,
    kind: &Kind,
    listing: &mut ListingTold,
) -> (String, Plan) {
    let rulebook = shared.rulebook;
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
        Place::Git { address, path, branch, commit } if shared.options.fetch_entries => {
            let at = commit.as_deref().or(branch.as_deref()).unwrap_or_default();
            let colon = if path.is_empty() { "" } else { ":" };
            let text = format!("{address}#{at}{colon}{path}");
            let text = text.trim_end_matches('#');
            let plan = match open(text, rulebook, shared.how) {
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
