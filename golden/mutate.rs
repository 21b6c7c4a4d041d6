//! The mutation test: take out any rule, table row or message, and some golden must notice.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use plugc::rulebook::expression::{Expression, Literal};
use plugc::rulebook::rules::{Check, Find, Lift, Place, Source, Tables, Target};
use plugc::rulebook::{Rulebook, Rules};
use rayon::prelude::*;

use crate::compile::{Case, cases, meaning};

/// One change of the rules: what it is called, a text that a case which notices it must hold, and the change.
struct Mutation {
    name: String,
    hint: String,
    change: Box<dyn Fn(&mut Rules) + Send + Sync>,
}

fn mutation(
    name: String,
    hint: &str,
    change: impl Fn(&mut Rules) + Send + Sync + 'static,
) -> Mutation {
    Mutation { name, hint: hint.to_owned(), change: Box::new(change) }
}

/// Takes out each entry of a list in the rules, in turn.
fn without<T: 'static>(
    all: &mut Vec<Mutation>,
    what: &str,
    list: &[T],
    hint: impl Fn(&T) -> String,
    get: impl Fn(&mut Rules) -> &mut Vec<T> + Clone + Send + Sync + 'static,
) {
    for (at, one) in list.iter().enumerate() {
        let (hint, get) = (hint(one), get.clone());
        all.push(mutation(format!("{what} {hint} (number {at})"), &hint, move |rules| {
            get(rules).remove(at);
        }));
    }
}

fn of_lift(
    all: &mut Vec<Mutation>,
    lift: &Lift,
    get: impl Fn(&mut Rules) -> &mut Lift + Clone + Send + Sync + 'static,
) {
    let owner = lift.rule.to_string();
    let code = |check: &Check| check.code.to_string();
    let whole = |_: &Expression| owner.clone();
    let g = get.clone();
    without(all, "shape", &lift.shapes, |_| owner.clone(), move |rules| &mut g(rules).shapes);
    let g = get.clone();
    without(
        all,
        "each",
        &lift.each,
        |one| format!("{owner}#{}", one.id),
        move |rules| &mut g(rules).each,
    );
    let g = get.clone();
    without(all, "refuse", &lift.refuse, code, move |rules| &mut g(rules).refuse);
    let g = get.clone();
    without(all, "check", &lift.checks, code, move |rules| &mut g(rules).checks);
    let g = get.clone();
    without(
        all,
        "unique",
        &lift.unique,
        |one| one.code.to_string(),
        move |rules| &mut g(rules).unique,
    );
    let g = get.clone();
    let field = |_: &(_, _)| owner.clone();
    without(all, "field", &lift.fields, field, move |rules| &mut g(rules).fields);
    let g = get.clone();
    without(all, "asked", &lift.asked, whole, move |rules| &mut g(rules).asked);
    let g = get.clone();
    without(all, "metadata", &lift.metadata, whole, move |rules| &mut g(rules).metadata);
    without(all, "inert", &lift.inert, whole, move |rules| &mut get(rules).inert);
}

fn of_tables(
    all: &mut Vec<Mutation>,
    owner: &str,
    tables: &Tables,
    get: impl Fn(&mut Rules) -> &mut Tables + Clone + Send + Sync + 'static,
) {
    for (number, (name, table)) in tables.iter().enumerate() {
        let rows: Vec<String> = match table {
            Literal::Map(map) => map.iter().map(|(key, _)| key.to_string()).collect(),
            Literal::List(list) => list
                .iter()
                .map(|one| {
                    plugc::rulebook::fill::constant(one).as_text().unwrap_or_default().to_owned()
                })
                .collect(),
            _ => continue,
        };
        for (at, row) in rows.into_iter().enumerate() {
            let get = get.clone();
            all.push(mutation(format!("row {owner} {name}.{row}"), &row, move |rules| {
                match &mut get(rules)[number].1 {
                    Literal::Map(map) => drop(map.remove(at)),
                    Literal::List(list) => drop(list.remove(at)),
                    _ => {}
                }
            }));
        }
    }
}

fn of_source(all: &mut Vec<Mutation>, number: usize, source: &Source) {
    for (at, lift) in source.lifts.iter().enumerate() {
        of_lift(all, lift, move |rules| &mut rules.sources[number].lifts[at]);
    }
    of_tables(all, &source.host, &source.tables, move |rules| &mut rules.sources[number].tables);
    without(
        all,
        &format!("discard {}", source.host),
        &source.discards,
        |one| one.check.code.to_string(),
        move |rules| &mut rules.sources[number].discards,
    );
    for (role, one) in source.documents.iter().enumerate() {
        let what = format!("find {} {}", source.host, one.name);
        without(all, &what, &one.finds, find_hint, move |rules| {
            &mut rules.sources[number].documents[role].finds
        });
    }
}

fn of_target(all: &mut Vec<Mutation>, number: usize, target: &Target) {
    let rule = |check: &Check| check.rule.to_string();
    of_tables(all, &target.host, &target.tables, move |rules| &mut rules.targets[number].tables);
    for (at, lower) in target.lowers.iter().enumerate() {
        without(all, "check", &lower.checks, rule, move |rules| {
            &mut rules.targets[number].lowers[at].checks
        });
        without(
            all,
            "emit",
            &lower.emit,
            |one| one.rule.to_string(),
            move |rules| &mut rules.targets[number].lowers[at].emit,
        );
        without(
            all,
            "plan",
            &lower.plan,
            |one| one.rule.to_string(),
            move |rules| &mut rules.targets[number].lowers[at].plan,
        );
        without(
            all,
            "lost",
            &lower.lost,
            |(_, one)| rule(one),
            move |rules| &mut rules.targets[number].lowers[at].lost,
        );
    }
    for (at, reads) in target.reads.iter().enumerate() {
        let what = format!("{} {}", target.host, reads.source);
        let code = |check: &Check| check.code.to_string();
        without(
            all,
            &format!("discard {what}"),
            &reads.discards,
            |one| code(&one.check),
            move |rules| &mut rules.targets[number].reads[at].discards,
        );
        without(
            all,
            &format!("ignored {what}"),
            &reads.ignored,
            |(_, one)| code(one),
            move |rules| &mut rules.targets[number].reads[at].ignored,
        );
        for (role, one) in reads.documents.iter().enumerate() {
            let what = format!("reads {what} {}", one.name);
            without(all, &what, &one.finds, find_hint, move |rules| {
                &mut rules.targets[number].reads[at].documents[role].finds
            });
        }
        for (inner, lift) in reads.lifts.iter().enumerate() {
            of_lift(all, lift, move |rules| &mut rules.targets[number].reads[at].lifts[inner]);
        }
    }
}

fn mutations(rules: &Rules) -> Vec<Mutation> {
    let mut all = Vec::new();
    // What a version's overlay does not say is the rule of what it lies over.
    let is_base = |host: &str| !host.contains('@');
    for (number, source) in rules.sources.iter().enumerate().filter(|(_, one)| is_base(&one.host)) {
        of_source(&mut all, number, source);
    }
    for (number, target) in rules.targets.iter().enumerate().filter(|(_, one)| is_base(&one.host)) {
        of_target(&mut all, number, target);
    }
    all
}

fn find_hint(find: &Find) -> String {
    match &find.place {
        Place::At(path) | Place::Below(path) => path.to_string(),
        Place::Field(keys) => keys.last().unwrap().to_string(),
    }
}

fn text_below(folder: &Path, all: &mut String) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let _ = writeln!(all, "{}", entry.path().display());
        if entry.path().is_dir() {
            text_below(&entry.path(), all);
        } else if let Ok(bytes) = fs::read(entry.path()) {
            all.push_str(&String::from_utf8_lossy(&bytes));
        }
    }
}

struct Known {
    case: Case,
    texts: Vec<String>,
    hay: String,
    lower: String,
}

/// Does a case mean something else now? Its parts are looked at one by one, the cheapest first.
fn differs(known: &Known, rulebook: &Rulebook) -> bool {
    let mut now = meaning(&known.case, rulebook);
    known.texts.iter().any(|before| now.next().as_ref() != Some(before))
}

#[test]
fn every_rule_and_every_row_is_seen_by_some_golden() {
    let (rules, faults) = plugc::rulebook::load::load(&plugc::builtin::files(), None);
    assert!(faults.is_empty(), "{faults:?}");
    let rulebook = Rulebook::loaded(rules.clone());
    let mut known: Vec<Known> = cases()
        .into_iter()
        .map(|case| {
            let texts: Vec<String> = meaning(&case, &rulebook).collect();
            let mut hay = texts.concat();
            text_below(&case.folder, &mut hay);
            Known { case, texts, lower: hay.to_lowercase(), hay }
        })
        .collect();
    // A small case is quick to ask.
    known.sort_by_key(|one| one.texts.iter().map(String::len).sum::<usize>());
    let mut unseen: Vec<String> = mutations(&rules)
        .into_par_iter()
        .filter(|mutation| {
            let mut changed = rules.clone();
            (mutation.change)(&mut changed);
            let changed = Rulebook::loaded(changed);
            let hint = mutation.hint.to_lowercase();
            let (near, far): (Vec<&Known>, Vec<&Known>) =
                known.iter().partition(|one| one.lower.contains(&hint));
            let notices = |one: &&Known| differs(one, &changed);
            // Where its text is seen nowhere, a row may decide all the same.
            let others = if near.is_empty() { far } else { Vec::new() };
            !near.iter().chain(&others).any(notices)
        })
        .map(|mutation| mutation.name)
        .collect();
    let mut hay: String = known.iter().map(|one| one.hay.as_str()).collect();
    // What only a hostile snapshot shows is told there.
    hay.push_str(&include_str!("hostile.rs").replace("\")", ":"));
    // What only a source that is fetched or unpacked shows, or only its writing, is told there.
    for tests in [
        include_str!("batch.rs"),
        include_str!("convert.rs"),
        include_str!("fetch/archive.rs"),
        include_str!("fetch/mod.rs"),
        include_str!("fetch/hostile.rs"),
        include_str!("../compiler/io/archive/tests.rs"),
    ] {
        hay.push_str(&tests.replace('"', ":"));
    }
    let told = |code: &str| hay.contains(&format!("{code}:")) || hay.contains(&format!("{code} ["));
    unseen.extend(
        rules
            .pages
            .heads
            .iter()
            .filter(|(code, _)| !told(code))
            .map(|(code, _)| format!("page {code}")),
    );
    unseen.sort();
    assert!(unseen.is_empty(), "no case sees\n{}\n{} in all", unseen.join("\n"), unseen.len());
}
