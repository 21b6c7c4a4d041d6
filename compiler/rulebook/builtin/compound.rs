//! Foreign values as lists, maps, commands, and what is carried as it is.

use super::super::evaluate::Val;
use super::convert::{flag, text, to_json};
use super::{Builtin, Call};
use crate::ir::document::Kind;
use crate::ir::manifest::NodeRef;
use crate::ir::path::RelPath;
use crate::ir::value::{Command, Type, Value};

pub(super) const ALL: &[Builtin] = &[
    Builtin {
        name: "texts",
        takes: &[Type::Any],
        optional: 0,
        gives: Type::Texts,
        files: false,
        run: texts,
        doc: "A text or a list of texts, as a list.",
    },
    Builtin {
        name: "words",
        takes: &[Type::Any],
        optional: 0,
        gives: Type::Texts,
        files: false,
        run: words,
        doc: "Words between commas or blanks, or a list of texts, as a list.",
    },
    Builtin {
        name: "map",
        takes: &[Type::Any],
        optional: 0,
        gives: Type::Map,
        files: false,
        run: map,
        doc: "Texts by name.",
    },
    Builtin {
        name: "json",
        takes: &[Type::Any],
        optional: 0,
        gives: Type::Json,
        files: false,
        run: json,
        doc: "A value as it is, whatever it is.",
    },
    Builtin {
        name: "path",
        takes: &[Type::Any],
        optional: 0,
        gives: Type::Path,
        files: false,
        run: path,
        doc: "A path below the package's root; nothing if it leaves it.",
    },
    Builtin {
        name: "command",
        takes: &[Type::Any, Type::Any, Type::Any],
        optional: 2,
        gives: Type::Command,
        files: false,
        run: command,
        doc: "A command: a program if there are arguments, be they none, else a script for the shell.",
    },
    Builtin {
        name: "legacy",
        takes: &[Type::Any],
        optional: 0,
        gives: Type::Command,
        files: false,
        run: legacy,
        doc: "A command that the host runs below the package's root.",
    },
    Builtin {
        name: "context",
        takes: &[Type::Any],
        optional: 0,
        gives: Type::Command,
        files: false,
        run: context,
        doc: "A file that is read instead of running something.",
    },
    Builtin {
        name: "exec",
        takes: &[Type::Any, Type::Any],
        optional: 1,
        gives: Type::Command,
        files: false,
        run: exec,
        doc: "A program with its arguments, be they none.",
    },
    Builtin {
        name: "empty",
        takes: &[Type::Any],
        optional: 0,
        gives: Type::Any,
        files: false,
        run: empty,
        doc: "The value if it is null or a container without elements, else nothing.",
    },
    Builtin {
        name: "opposite",
        takes: &[Type::Any],
        optional: 0,
        gives: Type::Flag,
        files: false,
        run: opposite,
        doc: "False where `flag` would be true, and the other way round.",
    },
    Builtin {
        name: "hint",
        takes: &[Type::Any],
        optional: 0,
        gives: Type::Text,
        files: false,
        run: hint,
        doc: "A text, or a list written back with brackets around each of its elements.",
    },
    Builtin {
        name: "flat",
        takes: &[Type::Any],
        optional: 0,
        gives: Type::Text,
        files: false,
        run: flat,
        doc: "A text, or the texts of a list with commas between them; nothing for a map.",
    },
];

fn list_of(texts: Vec<String>) -> Value {
    Value::List(texts.into_iter().map(Value::Text).collect())
}

impl Call<'_, '_> {
    fn each_scalar(&self, list: NodeRef) -> Vec<String> {
        let mut all = Vec::new();
        for element in self.elements(list) {
            match self.scalar(element) {
                Some(text) => all.push(text),
                None => self.ill_typed_node(element, Type::Text),
            }
        }
        all
    }
}

fn texts<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    let Val::Node(node) = call.arg(0) else { return Val::maybe(call.value(0)) };
    match call.scope.kind(node) {
        Kind::List => Val::own(list_of(call.each_scalar(node))),
        Kind::Map => call.ill_typed(0, Type::Texts),
        _ => call.scalar(node).map_or(Val::Absent, |text| Val::own(list_of(vec![text]))),
    }
}

fn words<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    let Val::Node(node) = call.arg(0) else { return Val::maybe(call.value(0)) };
    match call.scope.kind(node) {
        Kind::List => Val::own(list_of(call.each_scalar(node))),
        Kind::Map => call.ill_typed(0, Type::Texts),
        _ => call.scalar(node).map_or(Val::Absent, |text| {
            let separators = [',', ' ', '\t', '\n'];
            Val::own(list_of(
                text.split(separators).filter(|word| !word.is_empty()).map(str::to_owned).collect(),
            ))
        }),
    }
}

fn map<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    let Val::Node(node) = call.arg(0) else { return Val::maybe(call.value(0)) };
    if !matches!(call.scope.kind(node), Kind::Map) {
        return call.ill_typed(0, Type::Map);
    }
    let mut all: Vec<(String, Value)> = Vec::new();
    for element in call.elements(node) {
        let shadowed =
            call.scope.document(element).is_some_and(|document| document.is_shadowed(element.node));
        match (call.scope.key_text(element), call.scalar(element)) {
            _ if shadowed || matches!(call.scope.kind(element), Kind::Null) => {}
            (Some(name), Some(text)) => all.push((name.to_owned(), Value::Text(text))),
            _ => call.ill_typed_node(element, Type::Text),
        }
    }
    Val::own(Value::Map(all))
}

fn json<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    match call.arg(0) {
        Val::Node(node) => Val::own(Value::Json(to_json(call.scope, node))),
        other => Val::maybe(call.scope.value(&other).map(|value| Value::Json(value.to_json()))),
    }
}

fn path<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    Val::maybe(call.scalar_at(0).and_then(|text| RelPath::parse(&text).ok()).map(Value::Path))
}

fn command<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    let Some(command) = call.scalar_at(0) else { return call.ill_typed(0, Type::Command) };
    let args = match call.arg(1) {
        Val::Node(node) if matches!(call.scope.kind(node), Kind::List) => {
            Some(call.each_scalar(node))
        }
        Val::Absent => None,
        _ => {
            call.ill_typed(1, Type::Texts);
            None
        }
    };
    Val::own(Value::Command(match args {
        Some(args) => Command::Exec { program: command, args },
        None => Command::Script {
            script: command,
            shell: call.scalar_at(2).map(|shell| shell.trim().to_lowercase()),
        },
    }))
}

fn legacy<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    Val::maybe(call.scalar_at(0).map(|script| Value::Command(Command::Legacy { script })))
}

fn context<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    Val::maybe(call.scalar_at(0).map(|file| Value::Command(Command::Context { file })))
}

fn opposite<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    if matches!(call.arg(0), Val::Absent) {
        return Val::Absent;
    }
    let given = flag(call);
    call.scope.as_flag(&given).map_or(Val::Absent, |flag| Val::flag(!flag))
}

fn hint<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    let Val::Node(node) = call.arg(0) else { return text(call) };
    if !matches!(call.scope.kind(node), Kind::List) {
        return text(call);
    }
    let all = call.each_scalar(node);
    Val::text(all.iter().map(|one| format!("[{one}]")).collect::<Vec<_>>().join(" "))
}

fn flat<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    let Val::Node(node) = call.arg(0) else { return text(call) };
    match call.scope.kind(node) {
        Kind::List => Val::text(call.each_scalar(node).join(", ")),
        Kind::Map => Val::Absent,
        _ => text(call),
    }
}

fn exec<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    let Some(program) = call.scalar_at(0) else { return call.ill_typed(0, Type::Command) };
    let args = match call.arg(1) {
        Val::Node(node) if matches!(call.scope.kind(node), Kind::List) => call.each_scalar(node),
        Val::Absent => Vec::new(),
        _ => {
            call.ill_typed(1, Type::Texts);
            Vec::new()
        }
    };
    Val::own(Value::Command(Command::Exec { program, args }))
}

/// What has something in it is not read by this, so that its parts can be unknown.
fn empty<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    let Val::Node(node) = call.arg(0) else { return Val::Absent };
    let is_empty = call.scope.document(node).is_some_and(|document| {
        document.is_leaf(node.node) && matches!(document.kind(node.node), Kind::List | Kind::Map)
    });
    if is_empty {
        return Val::Node(node);
    }
    call.scope.notes.borrow_mut().reads.retain(|read| *read != node);
    Val::Absent
}
