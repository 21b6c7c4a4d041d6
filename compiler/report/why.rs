//! Why an item fares as it does: the rules that fired, and those that were passed over.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::explain::entry;
use super::text::clean;
use crate::ir::plan::{Entry, Plan};
use crate::rulebook::Rulebook;
use crate::rulebook::rules::Lower;

/// What decided the entries that an item names, by their place or their name.
pub fn why(
    plan: &Plan,
    rulebook: &Rulebook,
    files: &BTreeMap<String, String>,
    item: &str,
) -> Result<String, String> {
    let found: Vec<&Entry> = plan
        .entries
        .iter()
        .filter(|entry| entry.origin.to_string() == item || entry.name == item)
        .collect();
    let mut out = String::new();
    for entry in &found {
        one(&mut out, plan, rulebook, files, entry);
    }
    if !found.is_empty() {
        return Ok(out);
    }
    let told: Vec<_> =
        plan.diagnostics.iter().filter(|one| one.origin.to_string() == item).collect();
    for one in &told {
        let rule = one.rule.as_deref().unwrap_or("the compiler itself");
        let _ = writeln!(out, "{}: {} ({}), told by {rule}", clean(item), one.code, one.fate);
    }
    if !told.is_empty() {
        return Ok(out);
    }
    let _ = writeln!(out, "no item `{}`; there are", clean(item));
    for entry in &plan.entries {
        let _ = writeln!(
            out,
            "  {} {} at {}",
            entry.kind,
            clean(&entry.name),
            clean(&entry.origin.to_string())
        );
    }
    Err(out)
}

fn one(
    out: &mut String,
    plan: &Plan,
    rulebook: &Rulebook,
    files: &BTreeMap<String, String>,
    entry: &Entry,
) {
    let place = clean(&entry.origin.to_string());
    let _ = writeln!(out, "{} {} at {place}: {}", entry.kind, clean(&entry.name), entry.fate);
    let Some(target) = rulebook.target(&plan.route.target) else { return };
    let _ = writeln!(out, "  read by");
    if let Some(rule) = entry.rules.first() {
        let _ = writeln!(out, "    {rule}{}", condition(files, rule));
    }
    let Some(lower) = target.lowers.iter().find(|lower| lower.kind == entry.kind) else { return };
    let _ = writeln!(out, "  fired");
    for rule in entry.rules.iter().skip(1) {
        let code = code_of(lower, rule).map(|code| format!(" tells {code}")).unwrap_or_default();
        let _ = writeln!(out, "    {rule}{code}{}", condition(files, rule));
    }
    let _ = writeln!(out, "  passed over");
    for check in lower.checks.iter().filter(|check| !entry.rules.contains(&check.rule)) {
        let _ = writeln!(
            out,
            "    {}: its condition does not hold{}",
            check.rule,
            condition(files, &check.rule)
        );
    }
    let chosen = lower.emit.iter().position(|emit| entry.rules.contains(&emit.rule));
    for (at, emit) in lower.emit.iter().enumerate().filter(|(at, _)| Some(*at) != chosen) {
        let reason = match chosen {
            Some(chosen) if at > chosen => "an earlier way was taken",
            Some(_) => "its condition does not hold",
            None => "nothing is written",
        };
        let _ = writeln!(out, "    {}: {reason}{}", emit.rule, condition(files, &emit.rule));
    }
}

fn code_of<'l>(lower: &'l Lower, rule: &str) -> Option<&'l str> {
    let checks = lower.checks.iter().chain(lower.lost.iter().map(|(_, check)| check));
    let told = checks.map(|check| (&*check.rule, check.code.as_str()));
    let unique = lower.plan.iter().map(|unique| (&*unique.rule, unique.code.as_str()));
    told.chain(unique).find(|(known, _)| *known == rule).map(|(_, code)| code)
}

/// The condition of a rule as its file writes it.
fn condition(files: &BTreeMap<String, String>, rule: &str) -> String {
    let Some((path, id)) = rule.split_once('#') else { return String::new() };
    let Some(text) = files.get(&format!("{path}.yaml")).and_then(|text| entry(text, id)) else {
        return String::new();
    };
    let Some((_, rest)) = text.split_once("when: ") else { return String::new() };
    let condition = match rest.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next().unwrap_or_default(),
        None => rest.split([',', '\n', '}']).next().unwrap_or_default(),
    };
    format!("\n        when {condition}")
}
