//! Texts and lists made out of others.

use super::super::evaluate::Val;
use super::{Builtin, Call};
use crate::ir::document::{Key, Kind as NodeKind};
use crate::ir::value::{Type, Value};

pub(super) const ALL: &[Builtin] = &[
    Builtin {
        name: "trim",
        takes: &[Type::Any],
        optional: 0,
        gives: Type::Text,
        files: false,
        run: trim,
        doc: "The text without blanks around it.",
    },
    Builtin {
        name: "lower",
        takes: &[Type::Any],
        optional: 0,
        gives: Type::Text,
        files: false,
        run: lower,
        doc: "The text in lower case.",
    },
    Builtin {
        name: "replace",
        takes: &[Type::Any, Type::Text, Type::Text],
        optional: 0,
        gives: Type::Text,
        files: false,
        run: replace,
        doc: "The text with every occurrence of the second replaced by the third.",
    },
    Builtin {
        name: "join",
        takes: &[Type::Any, Type::Text],
        optional: 0,
        gives: Type::Text,
        files: false,
        run: join,
        doc: "The elements of a list with the second argument between them.",
    },
    Builtin {
        name: "concat",
        takes: &[Type::Any, Type::Any, Type::Any],
        optional: 1,
        gives: Type::Texts,
        files: false,
        run: concat,
        doc: "Lists and single texts in a row, as one list.",
    },
    Builtin {
        name: "glue",
        takes: &[Type::Any, Type::Any, Type::Any],
        optional: 1,
        gives: Type::Text,
        files: false,
        run: glue,
        doc: "Texts in a row, as one text.",
    },
    Builtin {
        name: "entries",
        takes: &[Type::Any],
        optional: 0,
        gives: Type::List,
        files: false,
        run: entries,
        doc: "The entries of a map, as a list of `name` and `value`; those that hold null come last and have no value.",
    },
    Builtin {
        name: "repeated",
        takes: &[Type::Any],
        optional: 0,
        gives: Type::List,
        files: false,
        run: repeated,
        doc: "The elements of a list that were there before, as `it.text`.",
    },
    Builtin {
        name: "elements",
        takes: &[Type::Any],
        optional: 0,
        gives: Type::List,
        files: false,
        run: elements,
        doc: "The texts of a list, each as `it.text`.",
    },
    Builtin {
        name: "count",
        takes: &[Type::Any],
        optional: 0,
        gives: Type::Number,
        files: false,
        run: count,
        doc: "How many elements a list has; nothing if it is no list.",
    },
    Builtin {
        name: "prefix",
        takes: &[Type::Any, Type::Text],
        optional: 0,
        gives: Type::Text,
        files: false,
        run: prefix,
        doc: "The folders of a path, each with the second argument behind it.",
    },
    Builtin {
        name: "yaml",
        takes: &[Type::Text, Type::Any],
        optional: 0,
        gives: Type::Text,
        files: false,
        run: yaml,
        doc: "A line of front matter; nothing if the value is absent.",
    },
];

fn text_of<'a>(call: &Call<'_, 'a>, change: impl FnOnce(String) -> String) -> Val<'a> {
    match call.scalar_at(0) {
        Some(text) => Val::text(change(text)),
        None => call.ill_typed(0, Type::Text),
    }
}

fn trim<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    text_of(call, |text| text.trim().to_owned())
}

fn lower<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    text_of(call, |text| text.to_lowercase())
}

fn replace<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    let (Some(old), Some(new)) = (call.text(1), call.text(2)) else { return Val::Absent };
    text_of(call, |text| text.replace(&old, &new))
}

fn join<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    Val::text(call.texts(0).join(&call.text(1).unwrap_or_default()))
}

fn concat<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    let all = (0..call.args.len()).flat_map(|at| call.texts(at)).map(Value::Text).collect();
    Val::own(Value::List(all))
}

fn glue<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    Val::text(call.args.iter().map(|arg| call.scope.say(arg)).collect::<String>())
}

fn entries<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    let Some(Value::Map(map)) = call.value(0) else { return Val::Absent };
    let pair = |(name, value): (String, Value)| {
        Value::Map(vec![("name".to_owned(), Value::Text(name)), ("value".to_owned(), value)])
    };
    let nulls = nulls(call).into_iter().map(|name| super::record(&[("name", &name)]));
    Val::own(Value::List(map.into_iter().map(pair).chain(nulls).collect()))
}

/// The keys of a map that hold null, which is no value.
fn nulls(call: &Call<'_, '_>) -> Vec<String> {
    let Some(Val::Node(at)) = call.args.first() else { return Vec::new() };
    let Some(document) = call.scope.document(*at) else { return Vec::new() };
    let all = document.children(at.node).filter(|&child| !document.is_shadowed(child));
    let nulls = all.filter(|&child| matches!(document.kind(child), NodeKind::Null));
    let name = |child| match document.key(child) {
        Key::Name(name) => Some(name.to_string()),
        _ => None,
    };
    nulls.filter_map(name).collect()
}

fn repeated<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    let all = call.texts(0);
    let again = all
        .iter()
        .enumerate()
        .filter(|(at, text)| all.iter().take(*at).any(|before| before == *text));
    Val::own(Value::List(again.map(|(_, text)| super::record(&[("text", text)])).collect()))
}

fn elements<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    Val::own(Value::List(
        call.texts(0).iter().map(|text| super::record(&[("text", text)])).collect(),
    ))
}

/// How many there are says nothing of what they hold, so that none of it counts as read.
fn count<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    let scope = call.scope;
    let length = match call.arg(0) {
        Val::Node(at) if matches!(scope.kind(at), NodeKind::List) => {
            scope.notes.borrow_mut().reads.retain(|read| *read != at);
            scope.document(at).map(|document| document.children(at.node).count())
        }
        _ => match call.value(0) {
            Some(Value::List(list)) => Some(list.len()),
            _ => None,
        },
    };
    Val::maybe(length.map(|length| Value::Number(i64::try_from(length).unwrap_or(i64::MAX))))
}

fn prefix<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    let separator = call.text(1).unwrap_or_default();
    text_of(call, |text| match text.rsplit_once('/') {
        Some((folders, _)) => folders.replace('/', &separator) + &separator,
        None => String::new(),
    })
}

/// Written as JSON, which is YAML too and needs no thought about quotes.
fn yaml<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    let (Some(name), Some(value)) = (call.text(0), call.value(1)) else { return Val::Absent };
    Val::text(format!("{name}: {}\n", value.to_json()))
}
