//! The expressions of the rules that lift, each in the scope it will run in.

use std::sync::Arc;

use super::super::expression::{Expression, Literal};
use super::super::rules::{Check, Discard, Each, Lift, Role, Source, Tables, Unique};
use super::super::schema::{FieldSchema, Schema};
use super::names::{Meaning, Scope};
use super::types::Typist;
use super::{Book, Place, list_of, nearest, reach};
use crate::ir::value::Type;

/// Everything of a source.
pub(super) fn source<'r>(book: &Book<'r>, source: &'r Source) {
    let head = Place::host("from", &source.host);
    let scope = Scope::manifest(&source.tables);
    roles(book, &Scope::search(&source.tables), &source.documents, &head.at("documents"));
    maybe(book, &scope, head.at("strict-when"), source.strict_when.as_ref());
    discards(book, &source.tables, &source.discards, &head);
    for one in &source.lifts {
        lift(book, source, one);
    }
}

/// The conditions under which documents are passed over.
pub(super) fn discards<'r>(
    book: &Book<'r>,
    tables: &'r Tables,
    discards: &'r [Discard],
    place: &Place,
) {
    for one in discards {
        let nodes = ["root", "node"]
            .iter()
            .fold(Scope::manifest(tables), |scope, name| scope.with(name, Meaning::NODE));
        let scope = nodes.with("file", Meaning::File).with_selector(&one.each);
        check(book, &scope, &one.check, &place.at("discards").at(&one.check.id));
    }
}

/// The conditions under which documents are looked for.
pub(super) fn roles<'r>(book: &Book<'r>, scope: &Scope<'r>, roles: &'r [Role], place: &Place) {
    for role in roles {
        for find in &role.finds {
            maybe(book, scope, place.at(&role.name).at(&find.id).at("when"), find.when.as_ref());
        }
    }
}

fn maybe<'r>(book: &Book<'r>, scope: &Scope<'r>, place: Place, when: Option<&'r Expression>) {
    if let Some(when) = when {
        typist(book, scope, place).flag(when);
    }
}

fn typist<'c, 'r>(book: &'c Book<'r>, scope: &'c Scope<'r>, place: Place) -> Typist<'c, 'r> {
    Typist { book, scope, place, hole: false }
}

/// One file that lifts, or one entry of a target's `reads/`.
pub(super) fn lift<'r>(book: &Book<'r>, source: &'r Source, lift: &'r Lift) {
    let place = Place::rule(&lift.rule);
    let base = Scope::document(&source.tables);
    for shape in &lift.shapes {
        maybe(book, &base, place.at("shapes").at(&shape.id).at("when"), shape.when.as_ref());
    }
    // An overlay takes a file out by a condition that never holds; then nothing else in it counts.
    let counts =
        lift.each.iter().filter(|one| one.when != Some(Expression::Literal(Literal::Flag(false))));
    let scopes = counts.map(|one| each(book, &base, one, &place.at("each").at(&one.id)));
    let Some(scope) = scopes.reduce(|all, one| all.join(&one)) else { return };
    for one in &lift.refuse {
        check(book, &scope, one, &place.at("refuse").at(&one.id));
    }
    for one in &lift.checks {
        check(book, &scope, one, &place.at("checks").at(&one.id));
    }
    for (key, all) in [("asked", &lift.asked), ("metadata", &lift.metadata), ("inert", &lift.inert)]
    {
        for (at, one) in all.iter().enumerate() {
            typist(book, &scope, place.at(key).at(at)).infer(one);
        }
    }
    if let Some(schema) = book.schema(&lift.kind) {
        fields(book, &scope, lift, schema, &place);
        let scope = Scope::new(&source.tables).with(&schema.called, Meaning::Capability(schema));
        for one in &lift.unique {
            unique(book, &scope, one, &place.at("unique").at(&one.id));
        }
    }
    reach::lift(book, lift, &source.tables, &place);
}

/// The names that hold behind an `each` entry.
fn each<'r>(book: &Book<'r>, base: &Scope<'r>, each: &'r Each, place: &Place) -> Scope<'r> {
    let scope = base.clone().with_selector(&each.at).with("node", Meaning::NODE);
    maybe(book, &scope, place.at("when"), each.when.as_ref());
    lets(book, scope, &each.bind, place)
}

/// Each `let` may use those above it.
pub(super) fn lets<'r>(
    book: &Book<'r>,
    scope: Scope<'r>,
    bind: &'r [(Arc<str>, Expression)],
    place: &Place,
) -> Scope<'r> {
    bind.iter().fold(scope, |scope, (name, one)| {
        let meaning = typist(book, &scope, place.at("let").at(name)).infer(one);
        scope.with(name, meaning)
    })
}

/// One entry of `refuse:`, `checks:` or `discards:`.
pub(super) fn check<'r>(book: &Book<'r>, scope: &Scope<'r>, check: &'r Check, place: &Place) {
    let mut scope = scope.clone();
    if let Some(each) = &check.each {
        typist(book, &scope, place.at("each")).want(each, Type::List, "what `each` looks over");
        scope = scope.with("it", Meaning::NODE);
    }
    typist(book, &scope, place.at("when")).flag(&check.when);
    if let Some(at) = &check.at {
        typist(book, &scope, place.at("at")).infer(at);
    }
    for (name, with) in &check.with {
        typist(book, &scope, place.at("with").at(name)).infer(with);
    }
}

/// One entry of `unique:` or `plan:`.
pub(super) fn unique<'r>(book: &Book<'r>, scope: &Scope<'r>, unique: &'r Unique, place: &Place) {
    typist(book, scope, place.at("by")).infer(&unique.by);
    maybe(book, scope, place.at("when"), unique.when.as_ref());
    for (key, one) in [("across", &unique.across), ("same", &unique.same)] {
        if let Some(one) = one {
            typist(book, scope, place.at(key)).infer(one);
        }
    }
}

fn fields<'r>(
    book: &Book<'r>,
    scope: &Scope<'r>,
    lift: &'r Lift,
    schema: &'r Schema,
    place: &Place,
) {
    let place = place.at("fields");
    for (name, one) in &lift.fields {
        let typist = typist(book, scope, place.at(name));
        if let Some(field) = schema.field(name) {
            field_fits(&typist, field, one);
            continue;
        }
        typist.infer(one);
        let help = nearest(name, schema.fields.iter().map(|field| &*field.name));
        book.tell(&place.at(name), format!("`{}` has no field `{name}`", schema.kind), help);
    }
    for field in schema.fields.iter().filter(|field| !field.optional) {
        if !lift.fields.iter().any(|(name, _)| *name == field.name) {
            let help = format!("say what it is, or give `schema/{}.yaml` a default", schema.kind);
            book.tell(
                &place,
                format!("nothing gives the required field `{}`", field.name),
                Some(help),
            );
        }
    }
}

fn field_fits<'r>(typist: &Typist<'_, 'r>, field: &FieldSchema, one: &'r Expression) {
    let role = format!("the field `{}`", field.name);
    if list_of(field.r#type).is_none() {
        typist.want(one, field.r#type, &role);
        return;
    }
    let subject = Meaning::Value(field.r#type);
    match one {
        Expression::Call(name, args) if **name == *"first" => {
            for arg in args {
                field_fits(typist, field, arg);
            }
        }
        Expression::Call(name, args) if **name == *"choose" => {
            args.first().into_iter().for_each(|when| typist.flag(when));
            args.iter().skip(1).for_each(|arg| field_fits(typist, field, arg));
        }
        Expression::Literal(literal @ Literal::Text(_)) => typist.one_of(&subject, literal),
        Expression::Call(name, args) if **name == *"lookup" => {
            typist.infer(one);
            if let Some(Expression::Path(path)) = args.first()
                && let [_, table] = path.as_slice()
                && let Some((_, Literal::Map(rows))) =
                    typist.scope.tables.iter().find(|(known, _)| known == table)
            {
                for (_, row) in rows {
                    typist.one_of(&subject, row);
                }
            }
        }
        _ => {
            typist.want(one, field.r#type, &role);
        }
    }
}
