//! A marketplace in words: what there is to tell of it, and what its plugins do to each other.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde::Serialize;

use super::json::Summary;
use super::text::{Style, clean, diagnostics};
use super::told::{ListingTold, ReasonTold, Report, Told, tell};
use crate::ir::diagnostic::{Loss, Severity};
use crate::ir::document::Document;
use crate::ir::market::Market;
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
    /// It is the same only if capitals do not count.
    pub only_by_case: bool,
    /// Who claims it.
    pub plugins: Vec<String>,
}

/// Puts a marketplace into words. What concerns one entry goes to that entry.
pub fn market(market: Market, rulebook: &Rulebook, path: &str) -> MarketTold {
    let Market { name, listings, plan, .. } = market;
    let report = tell(plan, rulebook, path, false);
    let mut own = Vec::new();
    let mut of_entries: Vec<(ListingTold, Vec<Told>)> = listings
        .into_iter()
        .map(|one| {
            let (origin, name, installs) = (one.origin, one.name, one.installs);
            (ListingTold { origin, name, installs, reasons: Vec::new(), commit: None }, Vec::new())
        })
        .collect();
    for told in report.diagnostics {
        let entry = of_entries.iter_mut().find(|(listing, _)| {
            told.count == 1 && crate::market::lies_in(&told.pointer, &listing.origin.pointer)
        });
        let by_target = told.rule.as_ref().is_some_and(|rule| rule.starts_with("to/"));
        match entry {
            Some((listing, _)) if by_target => listing.reasons.push(ReasonTold {
                code: told.code,
                message: told.message,
                help: told.help,
            }),
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
        if let Some(name) = listed_as(report) {
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
            let only_by_case = claims.iter().any(|(other, _)| *other != name);
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
}

impl Losses {
    /// Counts those of a plugin.
    pub fn add(&mut self, report: &Report) {
        let mut here: BTreeMap<&str, usize> = BTreeMap::new();
        for told in report.diagnostics.iter().filter(|told| told.severity != Severity::Note) {
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
        self.installed += usize::from(report.listing.as_ref().is_some_and(|one| one.installs));
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
