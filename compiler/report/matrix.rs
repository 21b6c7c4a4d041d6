//! The support table: what each target makes of each kind of capability.

use std::fmt::Write as _;

use crate::ir::fate::Fate;
use crate::ir::route::HostName;
use crate::rulebook::Rulebook;
use crate::rulebook::expression::{Expression, Literal};
use crate::rulebook::rules::{Check, Lower};

/// A table in Markdown: a row a kind, a column a target.
pub fn matrix(rulebook: &Rulebook) -> String {
    let hosts: Vec<HostName> =
        rulebook.index.targets.iter().map(|(host, _)| HostName::parse(host)).collect();
    let mut out = String::from("| what | read from |");
    for host in &hosts {
        let _ = write!(out, " {host} |");
    }
    out.push_str("\n|---|---|");
    out.push_str(&"---|".repeat(hosts.len()));
    out.push('\n');
    for schema in rulebook.index.schemas.iter().filter(|schema| !schema.identity) {
        let sources = sources(rulebook, &schema.kind);
        // What no plugin has is of marketplaces.
        if sources.is_empty() {
            continue;
        }
        let _ = write!(out, "| {} | {sources} |", schema.kind);
        for host in &hosts {
            let lower = rulebook
                .target(host)
                .and_then(|target| target.lowers.iter().find(|one| one.kind == schema.kind));
            let _ = write!(out, " {} |", lower.map_or("left out", support));
        }
        out.push('\n');
    }
    out
}

fn sources(rulebook: &Rulebook, kind: &str) -> String {
    let hosts = rulebook
        .index
        .sources
        .iter()
        .filter(|one| !one.lists)
        .map(|one| HostName::parse(&one.host));
    let reads = hosts.filter(|host| {
        rulebook
            .source(host)
            .is_some_and(|source| source.lifts.iter().any(|lift| *lift.kind == *kind))
    });
    reads.map(|host| host.to_string()).collect::<Vec<_>>().join(", ")
}

/// The best that can come of a kind, and whether parts of it may be lost.
fn support(lower: &Lower) -> &'static str {
    let is_always = |check: &Check| {
        check.when == Expression::Literal(Literal::Flag(true)) && check.each.is_none()
    };
    if lower.checks.iter().any(|check| is_always(check) && check.fate >= Fate::Unsupported) {
        return "left out";
    }
    let loses = lower
        .checks
        .iter()
        .chain(lower.lost.iter().map(|(_, check)| check))
        .any(|check| check.fate.is_loss());
    let best = lower.emit.iter().map(|emit| emit.fate).min().unwrap_or(Fate::Unsupported);
    match (best, loses) {
        (Fate::Unsupported | Fate::Refused, _) => "left out",
        (Fate::Exact, false) => "as it is",
        (Fate::Exact, true) => "as it is, losses told",
        (_, false) => "in its words",
        (_, true) => "in its words, losses told",
    }
}
