//! Required fields that a lift may leave absent: then `<kind>/<field>-missing` is raised.

use super::super::expression::Expression;
use super::super::rules::Lift;
use super::uses::Use;
use super::{Book, Place};

/// Functions that give something whenever their first argument is there and well-typed.
const FAITHFUL: [&str; 12] = [
    "text",
    "trim",
    "lower",
    "replace",
    "slug",
    "prefix",
    "join",
    "neutral",
    "spelled",
    "arguments",
    "path",
    "json",
];

/// The codes that lifts may raise for required fields.
pub(super) fn uses(book: &Book<'_>) -> Vec<Use> {
    let own = book.rules.sources.iter().flat_map(|source| &source.lifts);
    let read = book
        .rules
        .targets
        .iter()
        .flat_map(|target| target.reads.iter().flat_map(|reads| &reads.lifts));
    let mut uses = Vec::new();
    for lift in own.chain(read) {
        let Some(schema) = book.schema(&lift.kind) else { continue };
        let refused = refused(lift);
        for field in schema.fields.iter().filter(|field| !field.optional) {
            let expression =
                lift.fields.iter().find(|(name, _)| *name == field.name).map(|(_, one)| one);
            if expression.is_some_and(|one| !is_certain(one, lift, &refused)) {
                uses.push(Use {
                    code: format!("{}/{}-missing", lift.kind, field.name),
                    words: vec!["target".to_owned(), "source".to_owned()],
                    is_loss: true,
                    place: Place::rule(&lift.rule).at("fields").at(&field.name),
                });
            }
        }
    }
    uses
}

/// Is it the code of a field that some host may have to give?
pub(super) fn may_be(book: &Book<'_>, code: &str) -> bool {
    let Some((kind, field)) = code.strip_suffix("-missing").and_then(|code| code.split_once('/'))
    else {
        return false;
    };
    book.schema(kind).and_then(|schema| schema.field(field)).is_some_and(|field| !field.optional)
}

/// What is surely there, else the node is refused or not taken: values, and calls that ask a table for a text.
fn refused(lift: &Lift) -> Vec<&Expression> {
    let mut all = Vec::new();
    for check in lift.refuse.iter().filter(|check| check.each.is_none()) {
        collect(&check.when, &mut all);
    }
    let taken: Vec<Vec<&Expression>> =
        lift.each.iter().map(|each| granted(each.when.as_ref())).collect();
    if let Some((first, others)) = taken.split_first() {
        all.extend(first.iter().filter(|one| others.iter().all(|other| other.contains(one))));
    }
    all
}

/// What is there where a condition holds.
fn granted(when: Option<&Expression>) -> Vec<&Expression> {
    match when {
        Some(Expression::And(a, b)) => [granted(Some(a)), granted(Some(b))].concat(),
        Some(one @ Expression::Call(name, _)) if **name == *"known" => vec![one],
        Some(Expression::Call(name, args)) if **name == *"present" => {
            args.first().into_iter().collect()
        }
        Some(Expression::Not(one)) => match &**one {
            Expression::Call(name, args) if matches!(&**name, "absent" | "blank") => {
                args.first().into_iter().collect()
            }
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

fn collect<'e>(when: &'e Expression, all: &mut Vec<&'e Expression>) {
    match when {
        Expression::Or(a, b) => {
            collect(a, all);
            collect(b, all);
        }
        Expression::Call(name, args) if matches!(&**name, "absent" | "blank") => {
            all.extend(args.first());
        }
        Expression::Not(one) => match &**one {
            Expression::Call(name, args) if **name == *"present" => all.extend(args.first()),
            Expression::Call(name, _) if **name == *"known" => all.push(one),
            Expression::Is(one, _) => all.push(one),
            _ => {}
        },
        _ => {}
    }
}

/// Is there always something?
fn is_certain(one: &Expression, lift: &Lift, refused: &[&Expression]) -> bool {
    let again = |one: &Expression| is_certain(one, lift, refused);
    let is_asked = |known: &&Expression| match known {
        Expression::Call(name, args) => **name == *"known" && args.get(1) == Some(one),
        _ => false,
    };
    if refused.contains(&one) || refused.iter().any(is_asked) {
        return true;
    }
    match one {
        Expression::Path(path) => match path.as_slice() {
            [first, ..] if **first == *"file" => true,
            [name] => is_bound(name, lift, refused),
            _ => false,
        },
        Expression::Call(name, args) => match (&**name, args.as_slice()) {
            ("present" | "absent" | "blank" | "known" | "holds" | "starts" | "matches" | "is_file" | "is_folder" | "glue", _) => true,
            ("first", args) => args.iter().any(again),
            ("choose", [_, a, b]) => again(a) && again(b),
            ("lookup", [table, key]) => refused.iter().any(|one| {
                matches!(one, Expression::Call(name, args) if **name == *"known" && args.as_slice() == [table.clone(), key.clone()])
            }),
            ("exec" | "context" | "command" | "legacy", [first, ..]) => again(first),
            (name, [first, ..]) if FAITHFUL.contains(&name) => again(first),
            _ => false,
        },
        _ => true,
    }
}

/// A name is certain if every shape binds it to something certain: a key, an element, or a sure `let`.
fn is_bound(name: &str, lift: &Lift, refused: &[&Expression]) -> bool {
    use super::super::selector::Step;
    lift.each.iter().all(|each| match each.bind.iter().find(|(known, _)| **known == *name) {
        // A `let` that names another is not followed.
        Some((_, Expression::Path(path))) if path.len() == 1 => false,
        Some((_, one)) => is_certain(one, &Lift { each: Vec::new(), ..lift.clone() }, refused),
        None => each.at.0.iter().any(
            |step| matches!(step, Step::Each(known) | Step::Element(known) if **known == *name),
        ),
    })
}
