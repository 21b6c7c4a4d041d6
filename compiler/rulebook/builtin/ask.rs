//! Questions, and choices between values.

use std::rc::Rc;

use regex::Regex;

use super::super::evaluate::Val;
use super::super::expression::Literal;
use super::memo::Memo;
use super::{Builtin, Call};
use crate::ir::document::Kind;
use crate::ir::value::{Type, Value};

pub(super) const ALL: &[Builtin] = &[
    Builtin {
        name: "present",
        takes: &[Type::Any],
        optional: 0,
        gives: Type::Flag,
        files: false,
        run: present,
        doc: "Is it there, and not null?",
    },
    Builtin {
        name: "absent",
        takes: &[Type::Any],
        optional: 0,
        gives: Type::Flag,
        files: false,
        run: absent,
        doc: "Is it not there, or null?",
    },
    Builtin {
        name: "blank",
        takes: &[Type::Any],
        optional: 0,
        gives: Type::Flag,
        files: false,
        run: blank,
        doc: "Is it absent, or a text of blanks, or without elements?",
    },
    Builtin {
        name: "has",
        takes: &[Type::Any, Type::Text],
        optional: 0,
        gives: Type::Flag,
        files: false,
        run: has,
        doc: "Does a map hold the key, be its value null?",
    },
    Builtin {
        name: "known",
        takes: &[Type::Table, Type::Any],
        optional: 0,
        gives: Type::Flag,
        files: false,
        run: known,
        doc: "Is the text a key of the table?",
    },
    Builtin {
        name: "lookup",
        takes: &[Type::Table, Type::Any],
        optional: 0,
        gives: Type::Any,
        files: false,
        run: lookup,
        doc: "What the table holds under the text.",
    },
    Builtin {
        name: "reverse",
        takes: &[Type::Table, Type::Any],
        optional: 0,
        gives: Type::Text,
        files: false,
        run: reverse,
        doc: "The first key of the table that holds the text.",
    },
    Builtin {
        name: "nearest",
        takes: &[Type::Table, Type::Any],
        optional: 0,
        gives: Type::Text,
        files: false,
        run: nearest,
        doc: "The key of the table that is spelled most like the text.",
    },
    Builtin {
        name: "first",
        takes: &[Type::Any, Type::Any, Type::Any, Type::Any],
        optional: 2,
        gives: Type::Any,
        files: false,
        run: first,
        doc: "The first of its arguments that is there.",
    },
    Builtin {
        name: "choose",
        takes: &[Type::Flag, Type::Any, Type::Any],
        optional: 1,
        gives: Type::Any,
        files: false,
        run: choose,
        doc: "The second argument if the first is true, else the third.",
    },
    Builtin {
        name: "holds",
        takes: &[Type::Any, Type::Any],
        optional: 0,
        gives: Type::Flag,
        files: false,
        run: holds,
        doc: "Does the text hold the other, or the list that element?",
    },
    Builtin {
        name: "starts",
        takes: &[Type::Any, Type::Text],
        optional: 0,
        gives: Type::Flag,
        files: false,
        run: starts,
        doc: "Does the text start with the other?",
    },
    Builtin {
        name: "matches",
        takes: &[Type::Any, Type::Text],
        optional: 0,
        gives: Type::Flag,
        files: false,
        run: matches,
        doc: "Does the regular expression match somewhere in the text?",
    },
    Builtin {
        name: "whole",
        takes: &[Type::Any],
        optional: 0,
        gives: Type::Flag,
        files: false,
        run: whole,
        doc: "Is it a number written without a point or an exponent?",
    },
];

impl Call<'_, '_> {
    /// Whether something is there is asked without reading what it holds.
    fn only_looks(&self, at: usize) {
        if let Some(Val::Node(node)) = self.args.get(at) {
            let mut notes = self.scope.notes.borrow_mut();
            if let Some(last) = notes.reads.iter().rposition(|read| read == node) {
                notes.reads.remove(last);
            }
        }
    }
}

fn present<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    call.only_looks(0);
    Val::flag(!matches!(call.arg(0), Val::Absent))
}

fn absent<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    call.only_looks(0);
    Val::flag(matches!(call.arg(0), Val::Absent))
}

fn blank<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    call.only_looks(0);
    Val::flag(match call.value(0) {
        None => true,
        Some(Value::Text(text)) => text.trim().is_empty(),
        Some(value) => value.is_empty(),
    })
}

fn has<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    call.only_looks(0);
    let Val::Node(node) = call.arg(0) else { return Val::flag(false) };
    Val::flag(call.text(1).is_some_and(|name| call.scope.child(node, &name).is_some()))
}

fn known<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    Val::flag(
        call.text(1).is_some_and(|text| call.table(0).iter().any(|(name, _)| **name == *text)),
    )
}

fn lookup<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    let Some(text) = call.text(1) else { return Val::Absent };
    call.table(0)
        .iter()
        .find(|(name, _)| **name == *text)
        .map_or(Val::Absent, |(_, one)| Val::Constant(one))
}

fn reverse<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    let Some(text) = call.text(1) else { return Val::Absent };
    let found =
        call.table(0).iter().find(|(_, one)| matches!(one, Literal::Text(one) if **one == *text));
    found.map_or(Val::Absent, |(name, _)| Val::text(&**name))
}

fn nearest<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    let Some(text) = call.text(1) else { return Val::Absent };
    let bare = |text: &str| {
        text.chars()
            .filter(|c| c.is_alphanumeric())
            .flat_map(char::to_lowercase)
            .collect::<String>()
    };
    let wanted = bare(&text);
    let best = call
        .table(0)
        .iter()
        .map(|(name, _)| (strsim::damerau_levenshtein(&bare(name), &wanted), name))
        .filter(|(distance, name)| *distance * 3 <= name.chars().count())
        .min_by_key(|(distance, _)| *distance);
    best.map_or(Val::Absent, |(_, name)| Val::text(&**name))
}

fn first<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    call.args.iter().find(|arg| !matches!(arg, Val::Absent)).cloned().unwrap_or(Val::Absent)
}

fn choose<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    if call.scope.as_flag(&call.arg(0)) == Some(true) { call.arg(1) } else { call.arg(2) }
}

fn holds<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    let (Some(all), Some(one)) = (call.value(0), call.value(1)) else { return Val::flag(false) };
    Val::flag(match (&all, &one) {
        (Value::List(list), one) => list.contains(one),
        (Value::Map(map), one) => {
            one.as_text().is_some_and(|one| map.iter().any(|(name, _)| name == one))
        }
        _ => all.as_text().zip(one.as_text()).is_some_and(|(all, one)| all.contains(one)),
    })
}

fn starts<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    Val::flag(call.text(0).zip(call.text(1)).is_some_and(|(text, start)| text.starts_with(&start)))
}

thread_local! {
    static PATTERNS: Memo<Option<Rc<Regex>>> = const { Memo::new() };
}

/// Does a pattern of the rules match? The load check has seen that it compiles.
fn matches<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    let text_of = |at: usize| call.args.get(at).and_then(|arg| call.scope.as_text(arg));
    let (Some(text), Some(pattern)) = (text_of(0), text_of(1)) else { return Val::flag(false) };
    let regex = PATTERNS.with(|known| known.ask(pattern, || Regex::new(pattern).ok().map(Rc::new)));
    Val::flag(regex.is_some_and(|regex| regex.is_match(text)))
}

fn whole<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    let Val::Node(node) = call.arg(0) else {
        return Val::flag(call.scope.as_number(&call.arg(0)).is_some());
    };
    Val::flag(
        matches!(call.scope.kind(node), Kind::Number(spelling) if spelling.parse::<i64>().is_ok()),
    )
}
