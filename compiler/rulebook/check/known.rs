//! Kinds, roles, fields and hosts that the rules name and that must be there; ids that are there twice.

use std::collections::BTreeSet;

use serde_yaml::Value;

use super::super::rules::{Lift, Lower, Reads, Role, Source, Target};
use super::{Book, Place, nearest};
use crate::ir::origin::push_step;

/// All hosts.
pub(super) fn check(book: &Book<'_>) {
    for one in &book.rules.sources {
        source(book, one);
    }
    for one in &book.rules.targets {
        target(book, one);
    }
    for (path, tree) in
        book.trees.iter().filter(|(path, _)| path.starts_with("from/") || path.starts_with("to/"))
    {
        twice(book, path, tree, "");
    }
}

fn kinds<'b>(book: &'b Book<'_>) -> impl Iterator<Item = &'b str> {
    book.rules.index.schemas.iter().map(|schema| &*schema.kind)
}

fn kind(book: &Book<'_>, kind: &str, place: &Place) {
    if book.schema(kind).is_none() {
        book.tell(place, format!("there is no kind `{kind}`"), nearest(kind, kinds(book)));
    }
}

fn host(book: &Book<'_>, name: &str, place: &Place) {
    if book.source(name).is_none() {
        let known = book.rules.sources.iter().map(|source| &*source.host);
        book.tell(place, format!("there is no source host `{name}`"), nearest(name, known));
    }
}

fn role(book: &Book<'_>, name: &str, all: &[&Role], place: &Place) {
    if !all.iter().any(|role| *role.name == *name) {
        let help = nearest(name, all.iter().map(|role| &*role.name));
        book.tell(place, format!("no document is found in the role `{name}`"), help);
    }
}

fn lift(book: &Book<'_>, lift: &Lift, roles: &[&Role]) {
    let place = Place::rule(&lift.rule);
    kind(book, &lift.kind, &place.at("lift"));
    role(book, &lift.role, roles, &place.at("documents"));
}

fn source(book: &Book<'_>, source: &Source) {
    let head = Place::host("from", &source.host);
    if source.marks.is_empty() {
        let help = "name the files that show a package to be of this host";
        book.tell(&head.at("marks"), "the host has no `marks`", Some(help.to_owned()));
    }
    let roles: Vec<&Role> = source.documents.iter().collect();
    for one in &source.discards {
        role(book, &one.role, &roles, &head.at("discards").at(&one.check.id).at("role"));
    }
    for one in &source.lifts {
        lift(book, one, &roles);
    }
    let names: Vec<&str> =
        source.lifts.iter().filter_map(|one| one.rule.rsplit('/').next()).collect();
    for (at, name) in texts(book, &head.at("lifts")) {
        if !names.contains(&name) {
            book.tell(
                &at,
                format!("there is no file `{name}.yaml` that lifts"),
                nearest(name, names.iter().copied()),
            );
        }
    }
}

fn target(book: &Book<'_>, target: &Target) {
    let head = Place::host("to", &target.host);
    if let Some(native) = &target.native {
        host(book, native, &head.at("native"));
    }
    for (at, name) in target.order.iter().enumerate() {
        host(book, name, &head.at("order").at(at));
    }
    for (at, name) in texts(book, &head.at("kinds")) {
        kind(book, name, &at);
    }
    for one in &target.lowers {
        lower(book, one);
    }
    for one in &target.reads {
        reads(book, target, one);
    }
    let base = book.rules.sources.iter().flat_map(|source| &source.lifts);
    let own = target.reads.iter().flat_map(|reads| &reads.lifts);
    let mut told = BTreeSet::new();
    for one in base.chain(own).filter(|one| book.schema(&one.kind).is_some()) {
        if !target.lowers.iter().any(|lower| lower.kind == one.kind) && told.insert(&one.kind) {
            let help = format!("write `to/{}/{}.yaml`", target.host, one.kind);
            book.tell(
                &head,
                format!("`{}` lifts a `{}`, and nothing here lowers it", one.rule, one.kind),
                Some(help),
            );
        }
    }
}

fn reads(book: &Book<'_>, target: &Target, reads: &Reads) {
    let place = Place::rule(&format!("to/{}/reads/{}", target.host, reads.source));
    host(book, &reads.source, &place);
    for (name, _) in &reads.ignored {
        kind(book, name, &place.at("ignored").at(name));
    }
    let own: Vec<&Role> = reads.documents.iter().collect();
    for one in &reads.discards {
        role(book, &one.role, &own, &place.at("discards").at(&one.check.id).at("role"));
    }
    let source = book.source(&reads.source);
    let all: Vec<&Role> =
        source.into_iter().flat_map(|source| &source.documents).chain(own).collect();
    for one in &reads.lifts {
        lift(book, one, &all);
    }
}

fn lower(book: &Book<'_>, lower: &Lower) {
    let place = Place::rule(&lower.rule);
    kind(book, &lower.kind, &place.at("lower"));
    let Some(schema) = book.schema(&lower.kind) else { return };
    let field = |name: &str, at: &Place| {
        if schema.field(name).is_none() {
            let help = nearest(name, schema.fields.iter().map(|field| &*field.name));
            book.tell(at, format!("`{}` has no field `{name}`", schema.kind), help);
        }
    };
    for (name, _) in &lower.lost {
        field(name, &place.at("lost").at(name));
    }
    for key in ["metadata", "asked"] {
        for (at, name) in texts(book, &place.at(key)) {
            field(name, &at);
        }
    }
}

/// The texts of a list in a rule file, each with its place.
pub(super) fn texts<'r>(book: &Book<'r>, place: &Place) -> Vec<(Place, &'r str)> {
    let list = place.find(book.trees).value.and_then(Value::as_sequence);
    let texts = list.into_iter().flatten().enumerate();
    texts.filter_map(|(at, one)| Some((place.at(at), one.as_str()?))).collect()
}

/// Two entries of a list must not share an id.
fn twice(book: &Book<'_>, file: &str, value: &Value, pointer: &str) {
    let below = |step: &str| {
        let mut pointer = pointer.to_owned();
        push_step(&mut pointer, step);
        pointer
    };
    match value {
        Value::Mapping(map) => {
            for (key, inner) in map {
                twice(book, file, inner, &below(key.as_str().unwrap_or_default()));
            }
        }
        Value::Sequence(list) => {
            let mut seen = BTreeSet::new();
            for (at, entry) in list.iter().enumerate() {
                if let Some(id) = entry.get("id").and_then(Value::as_str)
                    && !seen.insert(id)
                {
                    book.faults.borrow_mut().push(super::Fault {
                        file: file.to_owned(),
                        pointer: below(&at.to_string()) + "/id",
                        inside: 0,
                        message: format!("there is another `{id}` in this list"),
                        help: Some("entries are told apart by their ids".to_owned()),
                    });
                }
                twice(book, file, entry, &below(&at.to_string()));
            }
        }
        _ => {}
    }
}
