//! Reports for programs: one document, or one line a plugin.

use std::ops::AddAssign;

use serde::Serialize;

use super::market::{Collision, MarketTold};
use super::told::Report;
use crate::ir::fate::Verdict;
use crate::ir::route::{Form, HostName};

/// The name and number of the form that these reports have.
pub const FORMAT: &str = "plugc/report/1";

/// How many plugins there are of each verdict.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Summary {
    /// All of them.
    pub plugins: usize,
    /// Those with verdict full.
    pub full: usize,
    /// Those with verdict partial.
    pub partial: usize,
    /// Those with verdict none.
    pub none: usize,
    /// All diagnostics.
    pub diagnostics: usize,
}

impl Summary {
    /// One plugin.
    pub fn of(report: &Report) -> Self {
        let is = |verdict| usize::from(report.verdict == verdict);
        Summary {
            plugins: 1,
            full: is(Verdict::Full),
            partial: is(Verdict::Partial),
            none: is(Verdict::None),
            diagnostics: report.diagnostics.len(),
        }
    }
}

impl AddAssign for Summary {
    fn add_assign(&mut self, more: Self) {
        self.plugins += more.plugins;
        self.full += more.full;
        self.partial += more.partial;
        self.none += more.none;
        self.diagnostics += more.diagnostics;
    }
}

#[derive(Serialize)]
struct Whole<'r> {
    format: &'static str,
    target: String,
    form: &'static str,
    summary: Summary,
    #[serde(skip_serializing_if = "Option::is_none")]
    marketplace: Option<&'r MarketTold>,
    plugins: &'r [Report],
}

/// All plugins in one document.
pub fn whole(
    reports: &[Report],
    marketplace: Option<&MarketTold>,
    target: &HostName,
    form: Form,
) -> String {
    let mut summary = Summary::default();
    for report in reports {
        summary += Summary::of(report);
    }
    let whole = Whole {
        format: FORMAT,
        target: target.to_string(),
        form: form.word(),
        summary,
        marketplace,
        plugins: reports,
    };
    serde_json::to_string_pretty(&whole).unwrap_or_default() + "\n"
}

#[derive(Serialize)]
struct Line<'r, T> {
    format: &'static str,
    target: &'r str,
    form: &'static str,
    r#type: &'static str,
    #[serde(flatten)]
    inside: &'r T,
}

fn in_line<T: Serialize>(r#type: &'static str, inside: &T, target: &str, form: Form) -> String {
    let line = Line { format: FORMAT, target, form: form.word(), r#type, inside };
    serde_json::to_string(&line).unwrap_or_default() + "\n"
}

/// One plugin in one line.
pub fn line(report: &Report, target: &str, form: Form) -> String {
    in_line("plugin", report, target, form)
}

/// A marketplace in one line, before its plugins: who claims what another claims is not known yet.
pub fn market_line(market: &MarketTold, target: &str, form: Form) -> String {
    in_line("marketplace", market, target, form)
}

#[derive(Serialize)]
struct Sum<'r> {
    summary: Summary,
    #[serde(skip_serializing_if = "Option::is_none")]
    shard: Option<&'r str>,
    collisions: &'r [Collision],
}

/// What the plugins of a marketplace add up to, in one line behind them.
pub fn summary_line(summary: Summary, market: &MarketTold, target: &str, form: Form) -> String {
    let collisions = market.collisions.as_deref().unwrap_or_default();
    in_line("summary", &Sum { summary, shard: market.shard.as_deref(), collisions }, target, form)
}
