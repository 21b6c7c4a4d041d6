//! A marketplace in words: what there is to tell of it, and what its plugins do to each other.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde::Serialize;

use super::json::Summary;
use super::text::{Style, clean, diagnostics};
use super::told::{ListingTold, Report, Told, tell};
use crate::ir::diagnostic::{Diagnostic, Loss};
use crate::ir::document::Document;
use crate::ir::market::{Listing, Market};
use crate::ir::origin::Origin;
use crate::rulebook::Rulebook;

/// How many of the codes that are told most are listed.
const MOST_CODES: usize = 10;

/// How many names a line lists.
const MOST_NAMES: usize = 8;

/// What is told of a marketplace.
#[derive(Debug, Serialize)]
pub struct MarketTold {
    /// What it is called.
    pub name: Option<String>,
    /// The SOURCE as it was given.
    pub path: String,
    /// Which share of its plugins is told of, as `2/3`, if not all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shard: Option<String>,
    /// What there is to tell of the list itself.
    pub diagnostics: Vec<Told>,
    /// The names that several of its plugins claim; known when all are compiled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collisions: Option<Vec<Collision>>,
    /// What is told of each entry, in their order.
    #[serde(skip)]
    pub listings: Vec<(ListingTold, Vec<Told>)>,
    /// For snippets.
    #[serde(skip)]
    pub documents: Vec<Document>,
}

/// A name that several plugins claim.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Collision {
    /// What it is: `skill`, or `plugin` for the name of a plugin.
    pub kind: String,
    /// The name, as the first of them writes it.
    pub name: String,
    /// No two of them are the same unless capitals do not count.
    pub only_by_case: bool,
    /// Who claims it.
    pub plugins: Vec<String>,
}

/// Puts a marketplace into words. What concerns one entry goes to that entry; what the target makes of each is told
/// when its plugin is known.
pub fn market(
    market: Market,
    listings: &[&Listing],
    rulebook: &Rulebook,
    path: &str,
) -> MarketTold {
    let Market { name, mut plan, .. } = market;
    let by_pointer: BTreeMap<&str, usize> =
        listings.iter().enumerate().map(|(at, one)| (&*one.origin.pointer, at)).collect();
    plan.diagnostics =
        plan.diagnostics.into_iter().flat_map(|one| apart(&one, &by_pointer)).collect();
    let report = tell(plan, rulebook, path, false);
    let mut own = Vec::new();
    let mut of_entries: Vec<(ListingTold, Vec<Told>)> =
        listings.iter().map(|one| (ListingTold::of(one), Vec::new())).collect();
    for told in report.diagnostics {
        let at = entry_of(&told.pointer, &by_pointer).filter(|_| told.count == 1);
        match at.and_then(|at| of_entries.get_mut(at)) {
            Some(_) if is_by_target(&told) => {}
            Some((_, all)) => all.push(told),
            None => own.push(told),
        }
    }
    MarketTold {
        name,
        path: path.to_owned(),
        shard: None,
        diagnostics: own,
        collisions: None,
        listings: of_entries,
        documents: report.documents,
    }
}

fn is_by_target(told: &Told) -> bool {
    told.rule.as_ref().is_some_and(|rule| rule.starts_with("to/"))
}

/// The entry that a place lies in.
fn entry_of(pointer: &str, entries: &BTreeMap<&str, usize>) -> Option<usize> {
    let mut all = std::iter::successors(Some(pointer.len()), |end| pointer.get(..*end)?.rfind('/'));
    all.find_map(|end| entries.get(pointer.get(..end)?).copied())
}

/// What was told once of several entries is told of each.
fn apart(told: &Diagnostic, entries: &BTreeMap<&str, usize>) -> Vec<Diagnostic> {
    let is_in = |origin: &Origin| entry_of(&origin.pointer, entries).is_some();
    let (of_entries, own): (Vec<Origin>, Vec<Origin>) =
        std::iter::once(told.origin.clone()).chain(told.also.clone()).partition(is_in);
    let mut own = own.into_iter();
    let of_list =
        own.next().map(|origin| Diagnostic { origin, also: own.collect(), ..told.clone() });
    let one = |origin| Diagnostic { origin, also: Vec::new(), ..told.clone() };
    of_list.into_iter().chain(of_entries.into_iter().map(one)).collect()
}

fn listed_as(report: &Report) -> Option<&str> {
    report.listing.as_ref()?.name.as_deref()
}

/// What a plugin is called where it claims a name: as it is listed, or where it lies.
pub(super) fn claimant(report: &Report) -> &str {
    listed_as(report).unwrap_or(&report.path)
}

/// The names that plugins claim, until it is known who claims them too.
#[derive(Debug, Default)]
pub struct Claims {
    /// By kind and the name in small letters: each claim as it is written, and whose it is.
    all: BTreeMap<(String, String), Vec<(String, String)>>,
}

impl Claims {
    /// Notes what a plugin claims.
    pub fn add(&mut self, report: &Report, rulebook: &Rulebook) {
        let whose = claimant(report);
        let listed = listed_as(report);
        // A host that goes by what plugins call themselves takes two of one name for the same.
        let is_other =
            |own: &&str| listed.is_none_or(|listed| listed.to_lowercase() != own.to_lowercase());
        let own = report.name.as_deref().filter(is_other);
        for name in listed.into_iter().chain(own) {
            self.claim("plugin", name, whose);
        }
        let mut seen = BTreeSet::new();
        for entry in report.entries.iter().filter(|entry| entry.fate.arrives()) {
            let collides = rulebook.schema(&entry.kind).is_some_and(|schema| schema.collides);
            if collides && seen.insert((&entry.kind, &entry.name)) {
                self.claim(&entry.kind, &entry.name, whose);
            }
        }
    }

    fn claim(&mut self, kind: &str, name: &str, whose: &str) {
        let key = (kind.to_owned(), name.to_lowercase());
        self.all.entry(key).or_default().push((name.to_owned(), whose.to_owned()));
    }

    /// The names that more than one claims.
    pub fn collisions(self) -> Vec<Collision> {
        let of = |((kind, _), claims): ((String, String), Vec<(String, String)>)| {
            let (name, _) = claims.first().filter(|_| claims.len() > 1)?.clone();
            let spellings: BTreeSet<&String> = claims.iter().map(|(name, _)| name).collect();
            let only_by_case = spellings.len() == claims.len();
            let plugins = claims.into_iter().map(|(_, whose)| whose).collect();
            Some(Collision { kind, name, only_by_case, plugins })
        };
        self.all.into_iter().filter_map(of).collect()
    }
}

/// What the plugins of a marketplace lose, counted.
#[derive(Debug, Default)]
pub struct Losses {
    /// By code: how often, and in how many plugins.
    codes: BTreeMap<String, (usize, usize)>,
    /// The plugins that lose security.
    insecure: Vec<String>,
    installed: usize,
    /// The plugins for which the target installs no other of the list either, unless it is named.
    blocking: Vec<String>,
}

impl Losses {
    /// Counts those of a plugin.
    pub fn add(&mut self, report: &Report) {
        let mut here: BTreeMap<&str, usize> = BTreeMap::new();
        for told in report.diagnostics.iter().filter(|told| told.lost().is_some()) {
            *here.entry(&told.code).or_default() += told.count;
        }
        for (code, count) in here {
            let (all, plugins) = self.codes.entry(code.to_owned()).or_default();
            *all += count;
            *plugins += 1;
        }
        if report.diagnostics.iter().any(|told| told.loss == Some(Loss::Security)) {
            self.insecure.push(report.name.clone().unwrap_or_else(|| report.path.clone()));
        }
        let Some(listing) = &report.listing else { return };
        self.installed += usize::from(listing.installs);
        if listing.reasons.iter().any(|reason| reason.blocks) {
            self.blocking.push(claimant(report).to_owned());
        }
    }
}

/// The scorecard: how the plugins fare, what is lost most, who loses security, and which names are claimed twice.
pub fn scorecard(
    market: &MarketTold,
    summary: Summary,
    losses: &Losses,
    target: &str,
    style: Style,
) -> String {
    let name = clean(market.name.as_deref().unwrap_or("a marketplace without a name"));
    let share =
        market.shard.as_deref().map(|shard| format!("of share {shard}, ")).unwrap_or_default();
    let mut out = format!(
        "{name} ({}): {share}{} plugins: {} full, {} partial, {} none\n",
        clean(&market.path),
        summary.plugins,
        summary.full,
        summary.partial,
        summary.none
    );
    let _ = writeln!(
        out,
        "  {target} installs {} of them from the marketplace as it stands",
        losses.installed
    );
    let is_refused = |told: &Told| is_by_target(told) && told.loss.is_some();
    let blocking = names(losses.blocking.iter().map(String::as_str));
    if losses.installed > 0 && !blocking.is_empty() {
        let _ = writeln!(out, "  each by its name: all at once it refuses, because of {blocking}");
    } else if losses.installed > 0 && market.diagnostics.iter().any(is_refused) {
        out.push_str("  each by its name: all at once it refuses\n");
    }
    if !losses.insecure.is_empty() {
        let _ = writeln!(
            out,
            "  {} lose security: {}",
            losses.insecure.len(),
            names(losses.insecure.iter().map(String::as_str))
        );
    }
    let mut codes: Vec<(&String, &(usize, usize))> = losses.codes.iter().collect();
    codes.sort_by(|(a, (x, _)), (b, (y, _))| y.cmp(x).then(a.cmp(b)));
    if !codes.is_empty() && !style.quiet {
        out.push_str("  lost most:\n");
        for (code, (count, plugins)) in codes.iter().take(MOST_CODES) {
            let _ = writeln!(out, "  {count:>6}  {code} (in {plugins})");
        }
    }
    for one in market.collisions.iter().flatten() {
        let how = if one.only_by_case { ", but for capitals" } else { "" };
        let whose = names(one.plugins.iter().map(String::as_str));
        let _ = writeln!(
            out,
            "  claimed {} times{how}: {} `{}` by {whose}",
            one.plugins.len(),
            one.kind,
            clean(&one.name)
        );
    }
    out + &diagnostics(&market.diagnostics, &market.documents, style)
}

fn names<'n>(all: impl Iterator<Item = &'n str>) -> String {
    let mut all: Vec<String> = all.map(clean).collect();
    let more = all.len().saturating_sub(MOST_NAMES);
    all.truncate(MOST_NAMES);
    if more > 0 {
        all.push(format!("{more} more"));
    }
    all.join(", ")
}
