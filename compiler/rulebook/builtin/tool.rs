//! Lists of tools, as agents and skills write them.

use super::super::evaluate::Val;
use super::super::grammar::{self, ToolEntry};
use super::memo::Memo;
use super::{Builtin, Call, record};
use crate::ir::document::Kind;
use crate::ir::value::{Tool, Type, Value};

pub(super) const ALL: &[Builtin] = &[
    Builtin {
        name: "tools",
        takes: &[Type::Any, Type::Table],
        optional: 0,
        gives: Type::Tools,
        files: false,
        run: tools,
        doc: "A list of tools, from a text or a list, named by the table.",
    },
    Builtin {
        name: "named_tools",
        takes: &[Type::Tools, Type::Table],
        optional: 0,
        gives: Type::Texts,
        files: false,
        run: named_tools,
        doc: "The tools in the table's names, as they are spelled where it has none, each once.",
    },
    Builtin {
        name: "specifiers",
        takes: &[Type::Tools],
        optional: 0,
        gives: Type::List,
        files: false,
        run: specifiers,
        doc: "The tools that stand with a specifier in parentheses, as `it.name` and `it.specifier`.",
    },
    Builtin {
        name: "foreign_tools",
        takes: &[Type::Tools, Type::Table],
        optional: 0,
        gives: Type::List,
        files: false,
        run: foreign_tools,
        doc: "The tools that the table has no name for and that belong to no server, as `it.name`.",
    },
    Builtin {
        name: "is_unlimited",
        takes: &[Type::Tools],
        optional: 0,
        gives: Type::Flag,
        files: false,
        run: is_unlimited,
        doc: "Does the list say that every tool counts?",
    },
];

/// A tool with its neutral name by a table from the host's names.
pub(super) fn tool_of(
    call: &Call<'_, '_>,
    table: usize,
    spelled: String,
    specifier: Option<String>,
) -> Tool {
    let found = call.table(table).iter().find(|(name, _)| **name == *spelled);
    let tool = found.and_then(|(_, neutral)| match neutral {
        super::Literal::Text(text) => Some(text.to_string()),
        _ => None,
    });
    Tool { spelled, neutral: tool, specifier }
}

thread_local! {
    static LISTS: Memo<Option<Vec<ToolEntry>>> = const { Memo::new() };
}

fn tools<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    let Some(texts) = listed(call) else { return Val::Absent };
    let mut all = Vec::new();
    for text in texts {
        match LISTS.with(|known| known.ask(&text, || grammar::tool_list(&text).ok())) {
            Some(list) => all.extend(
                list.into_iter().map(|(name, specifier)| tool_of(call, 1, name, specifier)),
            ),
            None => all.push(tool_of(call, 1, text.trim().to_owned(), None)),
        }
    }
    Val::own(Value::Tools(all))
}

/// The texts that a tool list was written as; a map counts its keys that are not switched off.
fn listed(call: &Call<'_, '_>) -> Option<Vec<String>> {
    let Val::Node(node) = call.arg(0) else { return call.value(0).map(|_| call.texts(0)) };
    let switched_off = |node| match call.scope.kind(node) {
        Kind::Flag(flag) => !flag,
        Kind::Text(text) => matches!(&**text, "false" | "no" | "off"),
        _ => false,
    };
    match call.scope.kind(node) {
        Kind::List => Some(
            call.elements(node).into_iter().filter_map(|element| call.scalar(element)).collect(),
        ),
        Kind::Map => {
            let keys = call.elements(node).into_iter().filter(|element| !switched_off(*element));
            Some(
                keys.filter_map(|element| call.scope.key_text(element).map(str::to_owned))
                    .collect(),
            )
        }
        _ => call.scalar(node).map(|text| vec![text]),
    }
}

fn list(call: &Call<'_, '_>) -> Vec<Tool> {
    match call.value(0) {
        Some(Value::Tools(tools)) => tools,
        _ => Vec::new(),
    }
}

fn named_tools<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    let mut names: Vec<Value> = Vec::new();
    for tool in list(call) {
        let name = target_name(call, &tool).unwrap_or(tool.spelled);
        if !names.iter().any(|known| known.as_text() == Some(&name)) {
            names.push(Value::Text(name));
        }
    }
    Val::own(Value::List(names))
}

fn target_name(call: &Call<'_, '_>, tool: &Tool) -> Option<String> {
    let neutral = tool.neutral.as_deref()?;
    let (_, name) = call.table(1).iter().find(|(name, _)| **name == *neutral)?;
    match name {
        super::Literal::Text(text) => Some(text.to_string()),
        _ => None,
    }
}

fn specifiers<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    let with = list(call).into_iter().filter_map(|tool| {
        let specifier = tool.specifier?;
        Some(record(&[("name", &tool.spelled), ("specifier", &specifier)]))
    });
    Val::own(Value::List(with.collect()))
}

fn foreign_tools<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    let tools = list(call);
    let is_foreign = |tool: &&Tool| {
        let belongs = tool.spelled.contains("__") || tool.spelled.contains(['*', '/', '?']);
        target_name(call, tool).is_none() && !belongs
    };
    Val::own(Value::List(
        tools.iter().filter(is_foreign).map(|tool| record(&[("name", &tool.spelled)])).collect(),
    ))
}

fn is_unlimited<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    Val::flag(
        list(call)
            .iter()
            .any(|tool| tool.spelled == "*" || tool.spelled.eq_ignore_ascii_case("all")),
    )
}
