//! Placeholders: the names that a host fills in, such as the plugin's root, in neutral spelling and back.
//!
//! Inside a value a placeholder is written `⟨plugin-root⟩`, so that no host's spelling passes through the middle.

use super::super::evaluate::{Scope, Val};
use super::super::expression::Literal;
use super::{Builtin, Call, record};
use crate::ir::value::{Command, Type, Value};

pub(super) const ALL: &[Builtin] = &[
    Builtin {
        name: "neutral",
        takes: &[Type::Any, Type::Table],
        optional: 0,
        gives: Type::Any,
        files: false,
        run: neutral,
        doc: "A value with the table's spellings of placeholders replaced by their neutral names.",
    },
    Builtin {
        name: "spelled",
        takes: &[Type::Any, Type::Table],
        optional: 0,
        gives: Type::Any,
        files: false,
        run: spelled,
        doc: "A value with neutral placeholders in the table's spelling.",
    },
    Builtin {
        name: "placeholders",
        takes: &[Type::Any],
        optional: 0,
        gives: Type::List,
        files: false,
        run: placeholders,
        doc: "The neutral placeholders in a value, each once, as `it.name`; how its author wrote it as `it.text`.",
    },
    Builtin {
        name: "as_written",
        takes: &[Type::Any],
        optional: 0,
        gives: Type::Text,
        files: false,
        run: as_written,
        doc: "A text with its placeholders as their author wrote them; nothing if one was written in two ways.",
    },
    Builtin {
        name: "variables",
        takes: &[Type::Any],
        optional: 0,
        gives: Type::List,
        files: false,
        run: variables,
        doc: "The environment variables that a value refers to as `${NAME}`, with or without a default, as `it.name`, `it.default` and `it.text`.",
    },
    Builtin {
        name: "undefaulted",
        takes: &[Type::Any],
        optional: 0,
        gives: Type::Any,
        files: false,
        run: undefaulted,
        doc: "A value with each `${NAME:-default}` replaced by its default.",
    },
];

impl<'a> Scope<'a> {
    /// Notes how something that is neutral now was written.
    pub(super) fn note_spelling(&self, name: &str, spelling: &str) {
        let notes = &mut self.notes.borrow_mut().spellings;
        if !notes.iter().any(|(known, one)| known == name && one == spelling) {
            notes.push((name.to_owned(), spelling.to_owned()));
        }
    }

    /// How the author of the capability in view wrote what is neutral now.
    pub(super) fn spellings(&self, name: &str) -> impl Iterator<Item = &'a str> {
        let capability = self.names.iter().rev().find_map(|(_, val)| match val {
            Val::Capability(capability) => Some(*capability),
            _ => None,
        });
        let all = capability.map(|one| one.spellings.as_slice()).unwrap_or_default();
        all.iter().filter(move |(known, _)| known == name).map(|(_, spelling)| spelling.as_str())
    }
}

/// What opens a neutral placeholder.
pub(super) const OPEN: char = '⟨';
/// What closes it.
pub(super) const CLOSE: char = '⟩';

/// A value with every text in it changed.
pub(super) fn each_text(value: Value, change: &dyn Fn(String) -> String) -> Value {
    let list = |list: Vec<Value>| list.into_iter().map(|one| each_text(one, change)).collect();
    match value {
        Value::Text(text) => Value::Text(change(text)),
        Value::List(all) => Value::List(list(all)),
        Value::Map(map) => {
            Value::Map(map.into_iter().map(|(name, one)| (name, each_text(one, change))).collect())
        }
        Value::Command(Command::Exec { program, args }) => Value::Command(Command::Exec {
            program: change(program),
            args: args.into_iter().map(change).collect(),
        }),
        Value::Command(Command::Script { script, shell }) => {
            Value::Command(Command::Script { script: change(script), shell })
        }
        Value::Command(Command::Legacy { script }) => {
            Value::Command(Command::Legacy { script: change(script) })
        }
        Value::Command(Command::Context { file }) => {
            Value::Command(Command::Context { file: change(file) })
        }
        other => other,
    }
}

/// The texts in a value.
pub(super) fn texts_in(value: &Value, all: &mut Vec<String>) {
    match value {
        Value::Text(text) => all.push(text.clone()),
        Value::List(list) => list.iter().for_each(|one| texts_in(one, all)),
        Value::Map(map) => map.iter().for_each(|(_, one)| texts_in(one, all)),
        Value::Command(Command::Exec { program, args }) => {
            all.push(program.clone());
            all.extend(args.iter().cloned());
        }
        Value::Command(
            Command::Script { script: text, .. }
            | Command::Legacy { script: text }
            | Command::Context { file: text },
        ) => {
            all.push(text.clone());
        }
        _ => {}
    }
}

fn neutral<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    let Some(value) = call.value(0) else { return Val::Absent };
    let table = call.table(1);
    Val::own(each_text(value, &|mut text| {
        if !text.contains(['$', '%', '{']) {
            return text;
        }
        for (spelling, name) in table {
            if let Literal::Text(name) = name
                && text.contains(&**spelling)
            {
                call.scope.note_spelling(name, spelling);
                text = text.replace(&**spelling, &format!("{OPEN}{name}{CLOSE}"));
            }
        }
        text
    }))
}

fn spelled<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    let Some(value) = call.value(0) else { return Val::Absent };
    let table = call.table(1);
    Val::own(each_text(value, &|text| {
        spell(&text, |name| {
            table.iter().find(|(known, _)| **known == *name).and_then(
                |(_, spelling)| match spelling {
                    Literal::Text(spelling) => Some(spelling.to_string()),
                    _ => None,
                },
            )
        })
    }))
}

/// A text with its placeholders spelled; one without a spelling is written as a variable of that name.
pub(super) fn spell(text: &str, spelling: impl Fn(&str) -> Option<String>) -> String {
    if !text.contains(OPEN) {
        return text.to_owned();
    }
    let (mut out, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once(OPEN) {
        out.push_str(before);
        if let Some((name, behind)) = after.split_once(CLOSE) {
            let fallback = || format!("${{{}}}", name.to_uppercase().replace('-', "_"));
            out.push_str(&spelling(name).unwrap_or_else(fallback));
            rest = behind;
        } else {
            out.push(OPEN);
            rest = after;
        }
    }
    out.push_str(rest);
    out
}

fn placeholders<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    let mut texts = Vec::new();
    if let Some(value) = call.value(0) {
        texts_in(&value, &mut texts);
    }
    let mut names: Vec<String> = Vec::new();
    for text in &texts {
        for piece in text.split(OPEN).skip(1) {
            if let Some((name, _)) = piece.split_once(CLOSE)
                && !names.iter().any(|known| known == name)
            {
                names.push(name.to_owned());
            }
        }
    }
    let one = |name: &String| {
        let text = call.scope.spellings(name).next().unwrap_or(name);
        record(&[("name", name), ("text", text)])
    };
    Val::own(Value::List(names.iter().map(one).collect()))
}

/// A text as its author wrote it, as far as that is known.
pub(super) fn at_home(call: &Call<'_, '_>, text: &str) -> String {
    spell(text, |name| {
        let first = call.scope.spellings(name).next().map(str::to_owned);
        Some(first.unwrap_or_else(|| format!("{OPEN}{name}{CLOSE}")))
    })
}

fn as_written<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    let Some(text) = call.text(0) else { return Val::Absent };
    let names = text.split(OPEN).skip(1).filter_map(|piece| piece.split_once(CLOSE));
    if names.into_iter().any(|(name, _)| call.scope.spellings(name).nth(1).is_some()) {
        return Val::Absent;
    }
    Val::text(at_home(call, &text))
}

/// A `${NAME}` or `${NAME:-default}` in a text.
struct Variable<'t> {
    name: &'t str,
    default: Option<&'t str>,
    whole: &'t str,
}

fn each_variable<'t>(text: &'t str, found: &mut dyn FnMut(Variable<'t>)) {
    let mut rest = text;
    while let Some((_, after)) = rest.split_once("${") {
        let Some((inside, behind)) = after.split_once('}') else { return };
        let (name, default) = match inside.split_once(":-") {
            Some((name, default)) => (name, Some(default)),
            None => (inside, None),
        };
        let is_name = !name.is_empty()
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.');
        if is_name {
            let start = text.len() - after.len() - 2;
            let whole = text.get(start..text.len() - behind.len()).unwrap_or(inside);
            found(Variable { name, default, whole });
        }
        rest = behind;
    }
}

fn variables<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    let mut texts = Vec::new();
    if let Some(value) = call.value(0) {
        texts_in(&value, &mut texts);
    }
    let mut all = Vec::new();
    for text in &texts {
        each_variable(text, &mut |variable| {
            let mut pairs = vec![("name", variable.name), ("text", variable.whole)];
            pairs.extend(variable.default.map(|default| ("default", default)));
            let one = record(&pairs);
            if !all.contains(&one) {
                all.push(one);
            }
        });
    }
    Val::own(Value::List(all))
}

fn undefaulted<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    let Some(value) = call.value(0) else { return Val::Absent };
    Val::own(each_text(value, &|text| {
        let mut out = text.clone();
        each_variable(&text, &mut |variable| {
            if let Some(default) = variable.default {
                out = out.replace(variable.whole, default);
            }
        });
        out
    }))
}
