//! Entries that can never be reached, and entries that overlap.

use super::super::expression::Expression;
use super::super::rules::{Check, Each, Lift, Lower, Tables};
use super::super::selector::{Selector, Step};
use super::logic::is_possible;
use super::{Book, Place};

/// A file that lifts.
pub(super) fn lift(book: &Book<'_>, lift: &Lift, tables: &Tables, place: &Place) {
    refuse(book, &lift.refuse, tables, &place.at("refuse"));
    shapes(book, &lift.each, tables, &place.at("each"));
    overlap(book, &lift.checks, tables, &place.at("checks"));
}

/// A file that lowers: the first entry that matches writes, so the last has no condition.
pub(super) fn lower(book: &Book<'_>, lower: &Lower, tables: &Tables, place: &Place) {
    let place_of = |id: &str| place.at("emit").at(id);
    let mut earlier: Vec<&Expression> = Vec::new();
    let mut default: Option<&str> = None;
    for one in &lower.emit {
        match default {
            Some(id) => {
                let help = format!(
                    "`{id}` has no condition, so nothing behind it is looked at; put it last"
                );
                book.tell(
                    &place_of(&one.id),
                    format!("`{}` can never be reached", one.id),
                    Some(help),
                );
            }
            None if !is_possible(one.when.as_ref(), &earlier, tables) => {
                unreachable(book, &place_of(&one.id), &one.id);
            }
            None => {}
        }
        match &one.when {
            Some(when) => earlier.push(when),
            None => default = default.or(Some(&one.id)),
        }
    }
    if default.is_none() {
        let help = "give the last entry no `when`";
        book.tell(&place.at("emit"), "the list has no default", Some(help.to_owned()));
    }
    overlap(book, &lower.checks, tables, &place.at("checks"));
}

fn unreachable(book: &Book<'_>, place: &Place, id: &str) {
    let help = "earlier entries take everything that it would; move it up, or delete it";
    book.tell(place, format!("`{id}` can never be reached"), Some(help.to_owned()));
}

fn refuse(book: &Book<'_>, all: &[Check], tables: &Tables, place: &Place) {
    let mut earlier: Vec<&Expression> = Vec::new();
    for one in all {
        if !is_possible(Some(&one.when), &earlier, tables) {
            unreachable(book, &place.at(&one.id), &one.id);
        }
        // A list without elements refuses nothing, whatever the condition.
        if one.each.is_none() {
            earlier.push(&one.when);
        }
    }
}

/// Of two shapes that lead to one node, the first takes it.
fn shapes(book: &Book<'_>, all: &[Each], tables: &Tables, place: &Place) {
    for (at, later) in all.iter().enumerate() {
        let before = all.iter().take(at).filter(|earlier| covers(&earlier.at, &later.at));
        for earlier in before {
            let renamed = earlier.when.as_ref().map(|when| rename(when, &earlier.at, &later.at));
            let is_taken = renamed
                .as_ref()
                .is_none_or(|when| !is_possible(later.when.as_ref(), &[when], tables));
            if is_taken {
                let help = "tell them apart by `when`, or delete one";
                let message = format!(
                    "`{}` overlaps `{}`: every node it leads to is taken there",
                    later.id, earlier.id
                );
                book.tell(&place.at(&later.id), message, Some(help.to_owned()));
                break;
            }
        }
    }
}

/// Does a selector lead to every node that another leads to?
fn covers(general: &Selector, special: &Selector) -> bool {
    general.0.len() == special.0.len()
        && general.0.iter().zip(&special.0).all(|pair| match pair {
            (Step::Key(a), Step::Key(b)) => a == b,
            (Step::Each(_), Step::Each(_) | Step::Key(_))
            | (Step::Element(_), Step::Element(_)) => true,
            _ => false,
        })
}

/// A condition in the names of another selector.
fn rename(when: &Expression, from: &Selector, to: &Selector) -> Expression {
    let pairs: Vec<_> = from
        .0
        .iter()
        .zip(&to.0)
        .filter_map(|pair| match pair {
            (Step::Each(a), Step::Each(b)) | (Step::Element(a), Step::Element(b)) => Some((a, b)),
            _ => None,
        })
        .collect();
    let go = |one: &Expression| Box::new(rename(one, from, to));
    let all = |list: &[Expression]| list.iter().map(|one| rename(one, from, to)).collect();
    match when {
        Expression::Literal(_) => when.clone(),
        Expression::Path(path) => {
            let mut path = path.clone();
            if let Some(first) = path.first_mut()
                && let Some((_, name)) = pairs.iter().find(|(name, _)| *name == first)
            {
                *first = (*name).clone();
            }
            Expression::Path(path)
        }
        Expression::List(list) => Expression::List(all(list)),
        Expression::Call(name, args) => Expression::Call(name.clone(), all(args)),
        Expression::Not(one) => Expression::Not(go(one)),
        Expression::Is(one, shape) => Expression::Is(go(one), shape.clone()),
        Expression::And(a, b) => Expression::And(go(a), go(b)),
        Expression::Or(a, b) => Expression::Or(go(a), go(b)),
        Expression::Compare(how, a, b) => Expression::Compare(*how, go(a), go(b)),
        Expression::In(a, b) => Expression::In(go(a), go(b)),
    }
}

/// Two checks that say the same of one field.
fn overlap(book: &Book<'_>, all: &[Check], tables: &Tables, place: &Place) {
    for (at, later) in all.iter().enumerate() {
        let same = |earlier: &&Check| {
            earlier.code == later.code
                && earlier.at == later.at
                && earlier.each == later.each
                && (!is_possible(Some(&later.when), &[&earlier.when], tables)
                    || !is_possible(Some(&earlier.when), &[&later.when], tables))
        };
        if let Some(earlier) = all.iter().take(at).find(same) {
            let message = format!(
                "`{}` overlaps `{}`: both raise `{}` at one place",
                later.id, earlier.id, later.code
            );
            let help = "join their conditions with `or`, or tell them apart";
            book.tell(&place.at(&later.id), message, Some(help.to_owned()));
        }
    }
}
