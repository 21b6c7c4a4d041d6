//! Reports for people who write rules: mistakes at their places, and what there is.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::locate::{Span, places};
use super::text::clean;
use crate::ir::diagnostic::Code;
use crate::ir::route::HostName;
use crate::rulebook::Rulebook;
use crate::rulebook::fault::Fault;
use crate::rulebook::page;
use crate::rulebook::rules::{Check, Unique};

/// Every mistake as a compiler shows it: what, where, the line with a caret, what to do.
pub fn faults(files: &BTreeMap<String, String>, mut faults: Vec<Fault>) -> String {
    faults.sort();
    faults.dedup();
    if faults.is_empty() {
        return "the rules hold\n".to_owned();
    }
    let mut out = String::new();
    for fault in &faults {
        one(&mut out, files, fault);
    }
    let _ = writeln!(out, "{} mistakes in the rules", faults.len());
    out
}

fn one(out: &mut String, files: &BTreeMap<String, String>, fault: &Fault) {
    let _ = writeln!(out, "error: {}", clean(&fault.message));
    let text = files.get(&fault.file).map_or("", String::as_str);
    let span = place(text, fault);
    let _ = writeln!(out, "  --> rules/{}:{}:{}", clean(&fault.file), span.line, span.column);
    if let Some(line) = text.lines().nth(span.line - 1) {
        let width = span.line.to_string().len();
        let shown: String = line.chars().take(200).collect();
        let _ = writeln!(out, "{:width$} |\n{} | {}", "", span.line, clean(&shown));
        let _ = writeln!(out, "{:width$} | {:>column$}", "", "^", column = span.column);
    }
    if let Some(help) = &fault.help {
        let _ = writeln!(out, "  help: {}", clean(help));
    }
    out.push('\n');
}

/// The place of a fault in its file; of a page, in its front matter.
fn place(text: &str, fault: &Fault) -> Span {
    let (offset, yaml) = match page::split(text) {
        Some((head, _)) if fault.file.starts_with("diagnostics/") => (4, head),
        _ => (0, text),
    };
    places::one(text, yaml, offset, &fault.pointer, fault.inside)
}

/// Every rule with the code it tells, by file.
pub fn list(rulebook: &Rulebook) -> String {
    let mut out = String::new();
    let hosts: Vec<HostName> =
        rulebook.index.sources.iter().map(|one| HostName::parse(&one.host)).collect();
    for source in hosts.iter().filter_map(|host| rulebook.source(host)) {
        checks(&mut out, source.discards.iter().map(|discard| &discard.check));
        for lift in &source.lifts {
            let _ = writeln!(out, "{} reads {}", lift.rule, lift.kind);
            for each in &lift.each {
                let _ = writeln!(out, "{}#{}", lift.rule, each.id);
            }
            checks(&mut out, lift.refuse.iter().chain(&lift.checks));
            uniques(&mut out, &lift.unique);
        }
    }
    let hosts: Vec<HostName> =
        rulebook.index.targets.iter().map(|(host, _)| HostName::parse(host)).collect();
    for target in hosts.iter().filter_map(|host| rulebook.target(host)) {
        for lower in &target.lowers {
            let _ = writeln!(out, "{} writes {}", lower.rule, lower.kind);
            checks(&mut out, lower.checks.iter().chain(lower.lost.iter().map(|(_, check)| check)));
            uniques(&mut out, &lower.plan);
            for emit in &lower.emit {
                let _ = writeln!(out, "{} {}", emit.rule, emit.fate);
            }
        }
        for reads in &target.reads {
            checks(&mut out, reads.discards.iter().map(|discard| &discard.check));
            checks(&mut out, reads.ignored.iter().map(|(_, check)| check));
        }
    }
    out
}

/// The code that a rule tells.
pub fn told_by(rulebook: &Rulebook, rule: &str) -> Option<Code> {
    let list = list(rulebook);
    let mut codes = list.lines().filter_map(|line| {
        let mut words = line.split(' ');
        (words.next() == Some(rule)).then(|| words.nth(1)).flatten().map(Code::new)
    });
    codes.next()
}

fn told(out: &mut String, rule: &str, code: &Code, fate: crate::ir::fate::Fate) {
    let _ = writeln!(out, "{rule} {fate} {code}");
}

fn checks<'c>(out: &mut String, all: impl Iterator<Item = &'c Check>) {
    for check in all {
        told(out, &check.rule, &check.code, check.fate);
    }
}

fn uniques(out: &mut String, all: &[Unique]) {
    for unique in all {
        told(out, &unique.rule, &unique.code, unique.fate);
    }
}
