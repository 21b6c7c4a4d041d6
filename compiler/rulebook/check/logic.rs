//! Does one condition imply others? Decided over presence, equality, membership and shape; calls are opaque.

use std::collections::{BTreeMap, BTreeSet};

use super::super::expression::{Comparison, Expression, Literal};
use super::super::rules::Tables;
use crate::ir::route::{Form, Platform};

/// Beyond this many cases, nothing is said to be implied.
const MOST_CASES: usize = 4096;

/// What a case says of one subject.
#[derive(Clone, Debug)]
enum Fact {
    Present(bool),
    Within(BTreeSet<String>),
    Outside(BTreeSet<String>),
    Shape(String, bool),
    Holds(bool),
}

type Case = Vec<(String, Fact)>;

/// Can `condition` hold while all of `others` fail?
pub(super) fn is_possible(
    condition: Option<&Expression>,
    others: &[&Expression],
    tables: &Tables,
) -> bool {
    let mut cases: Vec<Case> = vec![Vec::new()];
    let parts =
        condition.map(|one| (one, true)).into_iter().chain(others.iter().map(|one| (*one, false)));
    for (expression, holds) in parts {
        let Some(next) = spell(expression, holds, tables).and_then(|more| both(&cases, &more))
        else {
            return true;
        };
        cases = next.into_iter().filter(is_consistent).collect();
    }
    !cases.is_empty()
}

fn both(a: &[Case], b: &[Case]) -> Option<Vec<Case>> {
    if a.len().saturating_mul(b.len()) > MOST_CASES {
        return None;
    }
    Some(
        a.iter()
            .flat_map(|one| b.iter().map(move |other| [one.as_slice(), other.as_slice()].concat()))
            .collect(),
    )
}

/// The cases in which an expression holds, or does not; none if there are too many.
fn spell(expression: &Expression, holds: bool, tables: &Tables) -> Option<Vec<Case>> {
    let fact = |subject: &Expression, fact| vec![(key(subject), fact)];
    Some(match expression {
        Expression::Literal(Literal::Flag(flag)) => {
            if *flag == holds {
                vec![Vec::new()]
            } else {
                Vec::new()
            }
        }
        Expression::Not(one) => return spell(one, !holds, tables),
        Expression::And(a, b) | Expression::Or(a, b) => {
            let (a, b) = (spell(a, holds, tables)?, spell(b, holds, tables)?);
            if matches!(expression, Expression::And(..)) == holds {
                return both(&a, &b);
            }
            [a, b].concat()
        }
        Expression::Compare(Comparison::Equal, a, b) => match constant(a, b) {
            Some((subject, literal)) => {
                vec![fact(subject, within(BTreeSet::from([literal]), holds))]
            }
            None => vec![fact(expression, Fact::Holds(holds))],
        },
        Expression::Compare(Comparison::Unequal, a, b) => match constant(a, b) {
            Some((subject, literal)) if holds => {
                vec![vec![
                    (key(subject), Fact::Present(true)),
                    (key(subject), Fact::Outside(BTreeSet::from([literal]))),
                ]]
            }
            Some((subject, literal)) => {
                vec![
                    fact(subject, Fact::Present(false)),
                    fact(subject, Fact::Within(BTreeSet::from([literal]))),
                ]
            }
            None => vec![fact(expression, Fact::Holds(holds))],
        },
        Expression::In(a, b) => match members(b, tables) {
            Some(members) => vec![fact(a, within(members, holds))],
            None => vec![fact(expression, Fact::Holds(holds))],
        },
        Expression::Is(one, shape) if **shape == *"absent" => {
            vec![fact(one, Fact::Present(!holds))]
        }
        Expression::Is(one, shape) => vec![fact(one, Fact::Shape(shape.to_string(), holds))],
        Expression::Call(name, args) => match (&**name, args.as_slice()) {
            ("present", [one]) => vec![fact(one, Fact::Present(holds))],
            ("absent", [one]) => vec![fact(one, Fact::Present(!holds))],
            _ => vec![fact(expression, within(BTreeSet::from([yes()]), holds))],
        },
        Expression::Path(_) => vec![fact(expression, within(BTreeSet::from([yes()]), holds))],
        Expression::Compare(..) | Expression::Literal(_) | Expression::List(_) => {
            vec![fact(expression, Fact::Holds(holds))]
        }
    })
}

fn yes() -> String {
    name(&Literal::Flag(true))
}

fn within(members: BTreeSet<String>, holds: bool) -> Fact {
    if holds { Fact::Within(members) } else { Fact::Outside(members) }
}

fn key(expression: &Expression) -> String {
    format!("{expression:?}")
}

fn name(literal: &Literal) -> String {
    format!("{literal:?}")
}

/// The subject and the constant of a comparison.
fn constant<'e>(a: &'e Expression, b: &'e Expression) -> Option<(&'e Expression, String)> {
    match (a, b) {
        (subject, Expression::Literal(literal)) | (Expression::Literal(literal), subject) => {
            Some((subject, name(literal)))
        }
        _ => None,
    }
}

fn members(list: &Expression, tables: &Tables) -> Option<BTreeSet<String>> {
    let literal = match list {
        Expression::Literal(literal) => literal,
        Expression::Path(path) => match path.as_slice() {
            [first, table] if **first == *"table" => {
                tables.iter().find(|(known, _)| known == table).map(|(_, one)| one)?
            }
            _ => return None,
        },
        _ => return None,
    };
    match literal {
        Literal::List(list) => Some(list.iter().map(name).collect()),
        Literal::Map(map) => {
            Some(map.iter().map(|(key, _)| name(&Literal::Text(key.clone()))).collect())
        }
        _ => None,
    }
}

/// Everything that a case says of one subject.
#[derive(Default)]
struct Sum {
    present: Option<bool>,
    within: Option<BTreeSet<String>>,
    outside: BTreeSet<String>,
    shape: Option<String>,
    shapes_not: BTreeSet<String>,
    holds: Option<bool>,
}

fn is_consistent(case: &Case) -> bool {
    let mut sums: BTreeMap<&str, Sum> = BTreeMap::new();
    case.iter()
        .all(|(subject, fact)| add(sums.entry(subject).or_insert_with(|| start(subject)), fact))
}

/// The form and the platform are always there, and one of a few.
fn start(subject: &str) -> Sum {
    let is = |name: &str| subject == key(&Expression::Path(vec![name.into()]));
    let words = if is("form") {
        [Form::Normalised.word(), Form::AsFound.word()]
    } else if is("platform") {
        [Platform::Posix.word(), Platform::Windows.word()]
    } else {
        return Sum::default();
    };
    let within = words.iter().map(|word| name(&Literal::Text((*word).into()))).collect();
    Sum { present: Some(true), within: Some(within), ..Sum::default() }
}

/// Adds a fact; false if it contradicts what was said before.
fn add(sum: &mut Sum, fact: &Fact) -> bool {
    let present = match fact {
        Fact::Present(present) => Some(*present),
        Fact::Within(_) | Fact::Shape(_, true) => Some(true),
        _ => None,
    };
    if let (Some(new), Some(old)) = (present, sum.present)
        && new != old
    {
        return false;
    }
    sum.present = present.or(sum.present);
    match fact {
        Fact::Present(_) => {}
        Fact::Within(members) => {
            sum.within =
                Some(sum.within.as_ref().map_or_else(|| members.clone(), |old| old & members));
        }
        Fact::Outside(members) => sum.outside.extend(members.iter().cloned()),
        Fact::Shape(shape, true) => {
            if sum.shape.as_ref().is_some_and(|old| old != shape) {
                return false;
            }
            sum.shape = Some(shape.clone());
        }
        Fact::Shape(shape, false) => {
            sum.shapes_not.insert(shape.clone());
        }
        Fact::Holds(holds) => {
            if sum.holds.is_some_and(|old| old != *holds) {
                return false;
            }
            sum.holds = Some(*holds);
        }
    }
    let is_left = sum
        .within
        .as_ref()
        .is_none_or(|within| within.iter().any(|one| !sum.outside.contains(one)));
    is_left && sum.shape.as_ref().is_none_or(|shape| !sum.shapes_not.contains(shape))
}
