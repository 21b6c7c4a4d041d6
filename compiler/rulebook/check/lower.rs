//! The expressions and templates of the rules that lower, and of what a target's importer reads.

use super::super::rules::{Lower, Reads, StepRule, Target};
use super::super::template::{Part, Template};
use super::lift::{check, discards, lets, lift, roles, unique};
use super::names::{Meaning, Scope};
use super::types::Typist;
use super::{Book, Place, carried, reach};

/// Everything of a target.
pub(super) fn target<'r>(book: &Book<'r>, target: &'r Target) {
    let identity = book.rules.index.schemas.iter().find(|schema| schema.identity);
    let scope = Scope::target(&target.tables, identity);
    let head = Place::host("to", &target.host);
    for (key, all) in [("package", &target.package), ("as-found", &target.as_found)] {
        steps(book, &scope, all, &head.at(key));
    }
    for one in &target.lowers {
        lower(book, &scope, target, one);
    }
    for one in &target.reads {
        reads(book, target, one);
    }
}

fn lower<'r>(book: &Book<'r>, scope: &Scope<'r>, target: &'r Target, lower: &'r Lower) {
    let place = Place::rule(&lower.rule);
    let Some(schema) = book.schema(&lower.kind) else { return };
    let scope = lets(
        book,
        scope.clone().with(&schema.called, Meaning::Capability(schema)),
        &lower.bind,
        &place,
    );
    for one in &lower.checks {
        check(book, &scope, one, &place.at("checks").at(&one.id));
    }
    for one in &lower.emit {
        let place = place.at("emit").at(&one.id);
        if let Some(when) = &one.when {
            Typist { book, scope: &scope, place: place.at("when"), hole: false }.flag(when);
        }
        steps(book, &scope, &one.steps, &place.at("steps"));
    }
    for (name, one) in &lower.lost {
        check(book, &scope, one, &place.at("lost").at(name));
    }
    for one in &lower.plan {
        unique(book, &scope, one, &place.at("plan").at(&one.id));
    }
    reach::lower(book, lower, &target.tables, &place);
    carried::check(book, lower, schema, &place);
}

fn reads<'r>(book: &Book<'r>, target: &Target, reads: &'r Reads) {
    let Some(source) = book.source(&reads.source) else { return };
    let place = Place::rule(&format!("to/{}/reads/{}", target.host, reads.source));
    roles(book, &Scope::search(&source.tables), &reads.documents, &place.at("documents"));
    discards(book, &source.tables, &reads.discards, &place);
    for one in &reads.lifts {
        lift(book, source, one);
    }
}

fn steps<'r>(book: &Book<'r>, scope: &Scope<'r>, rules: &'r [StepRule], place: &Place) {
    for (at, rule) in rules.iter().enumerate() {
        let place = place.at(at);
        for (verb, key, template) in parts(rule) {
            holes(book, scope, template, &place.at(verb).at(key));
        }
    }
}

/// The templates of a step, with the keys under which they are written.
pub(super) fn parts(rule: &StepRule) -> Vec<(&'static str, String, &Template)> {
    let part = |verb, key: &str, template| (verb, key.to_owned(), template);
    match rule {
        StepRule::Copy { from, to, except } => {
            let mut all = vec![part("copy", "from", from), part("copy", "to", to)];
            all.extend(except.iter().map(|one| part("copy", "except", one)));
            all
        }
        StepRule::Write { to, text } => vec![part("write", "to", to), part("write", "text", text)],
        StepRule::Link { to } => vec![part("link", "to", to)],
        StepRule::Merge { into, at, how, value } => {
            let key = if *how == crate::ir::plan::How::Set { "set" } else { "append" };
            let mut all = vec![part("merge", "into", into), part("merge", key, value)];
            all.extend(at.iter().map(|one| part("merge", "at", one)));
            all
        }
    }
}

fn holes<'r>(book: &Book<'r>, scope: &Scope<'r>, template: &'r Template, place: &Place) {
    let typist = || Typist { book, scope, place: place.clone(), hole: true };
    match template {
        Template::Literal(_) => {}
        Template::Hole(one) => drop(typist().infer(one)),
        Template::Text(parts) => {
            for part in parts {
                if let Part::Hole(one) = part {
                    typist().infer(one);
                }
            }
        }
        Template::List(list) => {
            for (at, one) in list.iter().enumerate() {
                holes(book, scope, one, &place.at(at));
            }
        }
        Template::Map(map) => {
            for (name, one) in map {
                holes(book, scope, one, &place.at(name));
            }
        }
    }
}
