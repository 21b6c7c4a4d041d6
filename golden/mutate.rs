//! The mutation test: take out any rule, table row or message, and some golden must notice.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use plugc::rulebook::expression::Literal;
use plugc::rulebook::rules::{Lift, Tables};
use plugc::rulebook::{Rulebook, Rules};
use rayon::prelude::*;

use crate::compile::{Case, cases, outcome};

/// One change of the rules: what it is called, a text that a case which notices it must hold, and the change.
struct Mutation {
    name: String,
    hint: String,
    change: Box<dyn Fn(&mut Rules) + Send + Sync>,
}

fn mutation(name: String, hint: &str, change: impl Fn(&mut Rules) + Send + Sync + 'static) -> Mutation {
    Mutation { name, hint: hint.to_owned(), change: Box::new(change) }
}

/// Takes out each entry of a list in the rules, in turn.
macro_rules! each_of {
    ($all:ident, $owner:expr, $list:expr, $hint:expr, |$rules:ident| $path:expr) => {
        for (at, one) in $list.iter().enumerate() {
            let hint = $hint(one);
            $all.push(mutation(format!("{} {}", $owner, hint), &hint, move |$rules: &mut Rules| {
                $path.remove(at);
            }));
        }
    };
}

fn of_lift(all: &mut Vec<Mutation>, lift: &Lift, get: impl Fn(&mut Rules) -> &mut Lift + Clone + Send + Sync + 'static) {
    let owner = lift.rule.to_string();
    let named = |id: &str| format!("{owner}#{id}");
    for (at, one) in lift.shapes.iter().enumerate() {
        let g = get.clone();
        let hint = (|_: &plugc::rulebook::rules::Shape| owner.clone())(one);
        all.push(mutation(format!("{} {owner} {hint} {}", "shape", one.id), &hint, move |rules: &mut Rules| {
            g(rules).shapes.remove(at);
        }));
    }
    for (at, one) in lift.each.iter().enumerate() {
        let g = get.clone();
        let hint = (|one: &plugc::rulebook::rules::Each| named(&one.id))(one);
        all.push(mutation(format!("{} {owner} {hint} {}", "each", one.id), &hint, move |rules: &mut Rules| {
            g(rules).each.remove(at);
        }));
    }
    for (at, one) in lift.refuse.iter().enumerate() {
        let g = get.clone();
        let hint = (|one: &plugc::rulebook::rules::Check| one.code.to_string())(one);
        all.push(mutation(format!("{} {owner} {hint} {}", "refuse", one.id), &hint, move |rules: &mut Rules| {
            g(rules).refuse.remove(at);
        }));
    }
    for (at, one) in lift.checks.iter().enumerate() {
        let g = get.clone();
        let hint = (|one: &plugc::rulebook::rules::Check| one.code.to_string())(one);
        all.push(mutation(format!("{} {owner} {hint} {}", "check", one.id), &hint, move |rules: &mut Rules| {
            g(rules).checks.remove(at);
        }));
    }
    for (at, one) in lift.unique.iter().enumerate() {
        let g = get.clone();
        let hint = (|one: &plugc::rulebook::rules::Unique| one.code.to_string())(one);
        all.push(mutation(format!("{} {owner} {hint} {}", "unique", one.id), &hint, move |rules: &mut Rules| {
            g(rules).unique.remove(at);
        }));
    }
    for (at, (name, _)) in lift.fields.iter().enumerate() {
        let g = get.clone();
        let what = format!("field {owner} {name}");
        all.push(mutation(what, &format!("\"name\": \"{name}\""), move |rules| {
            g(rules).fields.remove(at);
        }));
    }
    for (at, one) in lift.asked.iter().enumerate() {
        let g = get.clone();
        all.push(mutation(format!("asked {owner} {one:?}"), &owner, move |rules| {
            g(rules).asked.remove(at);
        }));
    }
    for (at, one) in lift.metadata.iter().enumerate() {
        let g = get.clone();
        all.push(mutation(format!("metadata {owner} {one:?}"), &owner, move |rules| {
            g(rules).metadata.remove(at);
        }));
    }
    for (at, one) in lift.inert.iter().enumerate() {
        let g = get.clone();
        all.push(mutation(format!("inert {owner} {one:?}"), &owner, move |rules| {
            g(rules).inert.remove(at);
        }));
    }
}

fn of_tables(all: &mut Vec<Mutation>, owner: &str, tables: &Tables, get: impl Fn(&mut Rules) -> &mut Tables + Clone + Send + Sync + 'static) {
    for (number, (name, table)) in tables.iter().enumerate() {
        let rows: Vec<String> = match table {
            Literal::Map(map) => map.iter().map(|(key, _)| key.to_string()).collect(),
            Literal::List(list) => list.iter().map(|one| match one {
                Literal::Text(text) => text.to_string(),
                other => format!("{other:?}"),
            }).collect(),
            _ => continue,
        };
        for (at, row) in rows.into_iter().enumerate() {
            let g = get.clone();
            all.push(mutation(format!("row {owner} {name}.{row}"), &row, move |rules| match &mut g(rules)[number].1 {
                Literal::Map(map) => drop(map.remove(at)),
                Literal::List(list) => drop(list.remove(at)),
                _ => {}
            }));
        }
    }
}

fn mutations(rules: &Rules) -> Vec<Mutation> {
    let mut all = Vec::new();
    for (number, source) in rules.sources.iter().enumerate() {
        let host = source.host.clone();
        for (at, lift) in source.lifts.iter().enumerate() {
            of_lift(&mut all, lift, move |rules| &mut rules.sources[number].lifts[at]);
        }
        of_tables(&mut all, &host, &source.tables, move |rules| &mut rules.sources[number].tables);
        for (role, one) in source.documents.iter().enumerate() {
            each_of!(all, format!("find {host} {}", one.name), one.finds, |find: &plugc::rulebook::rules::Find| find_hint(find), |rules| rules.sources[number].documents[role].finds);
        }
    }
    for (number, target) in rules.targets.iter().enumerate() {
        let host = target.host.clone();
        of_tables(&mut all, &host, &target.tables, move |rules| &mut rules.targets[number].tables);
        for (at, lower) in target.lowers.iter().enumerate() {
            each_of!(all, "check", lower.checks, |one: &plugc::rulebook::rules::Check| one.rule.to_string(), |rules| rules.targets[number].lowers[at].checks);
            each_of!(all, "emit", lower.emit, |one: &plugc::rulebook::rules::Emit| one.rule.to_string(), |rules| rules.targets[number].lowers[at].emit);
            each_of!(all, "plan", lower.plan, |one: &plugc::rulebook::rules::Unique| one.rule.to_string(), |rules| rules.targets[number].lowers[at].plan);
            each_of!(all, "lost", lower.lost, |(_, one): &(_, plugc::rulebook::rules::Check)| one.rule.to_string(), |rules| rules.targets[number].lowers[at].lost);
        }
        for (at, reads) in target.reads.iter().enumerate() {
            each_of!(all, format!("discard {host}"), reads.discards, |one: &plugc::rulebook::rules::Discard| one.check.code.to_string(), |rules| rules.targets[number].reads[at].discards);
            each_of!(all, format!("ignored {host}"), reads.ignored, |(_, one): &(_, plugc::rulebook::rules::Check)| one.code.to_string(), |rules| rules.targets[number].reads[at].ignored);
            for (role, one) in reads.documents.iter().enumerate() {
                each_of!(all, format!("reads {host} {} {}", reads.source, one.name), one.finds, |find: &plugc::rulebook::rules::Find| find_hint(find), |rules| rules.targets[number].reads[at].documents[role].finds);
            }
            for (inner, lift) in reads.lifts.iter().enumerate() {
                of_lift(&mut all, lift, move |rules| &mut rules.targets[number].reads[at].lifts[inner]);
            }
        }
    }
    all
}

fn find_hint(find: &plugc::rulebook::rules::Find) -> String {
    use plugc::rulebook::rules::Place;
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
}

fn texts(case: &Case, rulebook: &Rulebook) -> Vec<String> {
    outcome(case, rulebook).into_iter().map(|(_, text)| text).collect()
}

#[test]
fn every_rule_and_every_row_is_seen_by_some_golden() {
    let (rules, faults) = plugc::rulebook::load::load(&plugc::builtin::files(), None);
    assert!(faults.is_empty(), "{faults:?}");
    let rulebook = Rulebook::loaded(rules.clone());
    let known: Vec<Known> = cases()
        .into_iter()
        .map(|case| {
            let texts = texts(&case, &rulebook);
            let mut hay = texts.concat();
            text_below(&case.folder.join("plugin"), &mut hay);
            Known { case, texts, hay }
        })
        .collect();
    let mut unseen: Vec<String> = mutations(&rules)
        .into_par_iter()
        .filter(|mutation| {
            let mut changed = rules.clone();
            (mutation.change)(&mut changed);
            let changed = Rulebook::loaded(changed);
            let near = known.iter().filter(|one| one.hay.contains(&mutation.hint));
            !near.into_iter().any(|one| texts(&one.case, &changed) != one.texts)
        })
        .map(|mutation| mutation.name)
        .collect();
    let hay: String = known.iter().map(|one| one.hay.as_str()).collect();
    let told = |code: &str| hay.contains(&format!("{code}:")) || hay.contains(&format!("{code} ["));
    unseen.extend(rules.pages.heads.iter().filter(|(code, _)| !told(code)).map(|(code, _)| format!("page {code}")));
    unseen.sort();
    assert!(unseen.is_empty(), "no case sees\n{}\n{} in all", unseen.join("\n"), unseen.len());
}
