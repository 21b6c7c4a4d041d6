//! Matchers: read in the source's dialect, asked and written in the target's.

use std::rc::Rc;

use regex::Regex;

use super::super::evaluate::Val;
use super::super::expression::Literal;
use super::super::grammar;
use super::memo::Memo;
use super::tool::tool_of;
use super::{Builtin, Call, record};
use crate::ir::value::{Dialect, Matcher, Tool, Type, Value};

pub(super) const ALL: &[Builtin] = &[
    Builtin {
        name: "matcher",
        takes: &[Type::Any, Type::Text, Type::Table],
        optional: 0,
        gives: Type::Matcher,
        files: false,
        run: matcher,
        doc: "A matcher in a dialect, `javascript`, `rust` or `re2-anchored`, over the table's tools.",
    },
    Builtin {
        name: "anchored",
        takes: &[Type::Matcher, Type::Table],
        optional: 0,
        gives: Type::Text,
        files: false,
        run: anchored,
        doc: "The matcher as an anchored pattern over the names that the table lists for each tool; nothing if it counts all.",
    },
    Builtin {
        name: "covers",
        takes: &[Type::Matcher, Type::Tool],
        optional: 0,
        gives: Type::Flag,
        files: false,
        run: covers,
        doc: "Does the matcher count that tool?",
    },
    Builtin {
        name: "never_fires",
        takes: &[Type::Matcher, Type::Table],
        optional: 0,
        gives: Type::Flag,
        files: false,
        run: never_fires,
        doc: "Can the matcher match none of the names that the table lists, nor a server's tool?",
    },
    Builtin {
        name: "dead_names",
        takes: &[Type::Matcher, Type::Table],
        optional: 0,
        gives: Type::List,
        files: false,
        run: dead_names,
        doc: "Names in the matcher that are none of the table's, as `it.name`.",
    },
    Builtin {
        name: "refused_syntax",
        takes: &[Type::Matcher],
        optional: 0,
        gives: Type::Text,
        files: false,
        run: refused_syntax,
        doc: "What in the matcher an engine without look-around and back-references refuses.",
    },
];

/// A pattern of more bytes, or one whose program needs four times as many, is not evaluated.
const LARGEST_PATTERN: usize = 1 << 16;

thread_local! {
    static PATTERNS: Memo<Result<Rc<Regex>, String>> = const { Memo::new() };
}

fn compile(pattern: &str, anchored: bool) -> Result<Rc<Regex>, String> {
    let text = if anchored { format!("^(?:{pattern})$") } else { pattern.to_owned() };
    PATTERNS.with(|known| known.ask(&text, || build(&text).map(Rc::new)))
}

fn build(pattern: &str) -> Result<Regex, String> {
    // Reading a pattern takes some hundred times its length, before its program is measured.
    if pattern.len() > LARGEST_PATTERN {
        return Err(format!("it has more than {LARGEST_PATTERN} bytes"));
    }
    let built = regex::RegexBuilder::new(pattern).size_limit(LARGEST_PATTERN * 4).build();
    built.map_err(|error| {
        error.to_string().lines().last().unwrap_or("it is no regular expression").to_owned()
    })
}

fn dialect_of(text: &str) -> Dialect {
    match text {
        "rust" => Dialect::Rust,
        "re2-anchored" => Dialect::Re2Anchored,
        _ => Dialect::Javascript,
    }
}

fn matcher<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    let dialect = dialect_of(&call.text(1).unwrap_or_default());
    let text = match call.arg(0) {
        Val::Absent => return Val::own(Value::Matcher(Matcher::All)),
        Val::Node(node) => {
            if let crate::ir::document::Kind::Text(text) = call.scope.kind(node) {
                text.trim().to_owned()
            } else {
                call.ill_typed_node(node, Type::Matcher);
                return Val::Absent;
            }
        }
        other => call.scope.say(&other).trim().to_owned(),
    };
    Val::own(Value::Matcher(read(call, &text, dialect)))
}

fn read(call: &Call<'_, '_>, text: &str, dialect: Dialect) -> Matcher {
    if text.is_empty() || text == "*" {
        return Matcher::All;
    }
    let names = grammar::matcher_names(text);
    // A host that takes every matcher for a pattern means the same by `A|B`, but knows no commas.
    if let Some(names) =
        names.filter(|_| dialect == Dialect::Javascript || !text.contains([',', ' ']))
    {
        return Matcher::Names(
            names.into_iter().map(|name| tool_of(call, 2, name, None)).collect(),
        );
    }
    let regex = compile(text, dialect == Dialect::Re2Anchored).ok();
    let mut covers: Vec<String> = Vec::new();
    for (name, neutral) in call.table(2) {
        if let Literal::Text(neutral) = neutral
            && regex.as_ref().is_some_and(|regex| regex.is_match(name))
            && !covers.iter().any(|known| **known == **neutral)
        {
            covers.push(neutral.to_string());
        }
    }
    Matcher::Pattern { pattern: text.to_owned(), dialect, covers }
}

fn given(call: &Call<'_, '_>) -> Matcher {
    match call.value(0) {
        Some(Value::Matcher(matcher)) => matcher,
        _ => Matcher::All,
    }
}

/// The names that the target's payload carries for a tool: the source's spelling if it is one of them, else all.
fn carried(call: &Call<'_, '_>, tool: &Tool) -> Vec<String> {
    let Some(neutral) = tool.neutral.as_deref() else { return Vec::new() };
    let Some((_, names)) = call.table(1).iter().find(|(name, _)| **name == *neutral) else {
        return Vec::new();
    };
    let names = match names {
        Literal::Text(name) => vec![name.to_string()],
        Literal::List(list) => list
            .iter()
            .filter_map(|one| match one {
                Literal::Text(name) => Some(name.to_string()),
                _ => None,
            })
            .collect(),
        _ => Vec::new(),
    };
    if names.contains(&tool.spelled) { vec![tool.spelled.clone()] } else { names }
}

/// All names that the table lists.
fn listed(call: &Call<'_, '_>) -> Vec<String> {
    let of = |literal: &Literal| match literal {
        Literal::Text(name) => vec![name.to_string()],
        Literal::List(list) => list
            .iter()
            .filter_map(|one| match one {
                Literal::Text(name) => Some(name.to_string()),
                _ => None,
            })
            .collect(),
        _ => Vec::new(),
    };
    call.table(1).iter().flat_map(|(_, names)| of(names)).collect()
}

fn anchored<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    Val::text(match given(call) {
        Matcher::All => return Val::Absent,
        Matcher::Names(tools) => {
            let mut names: Vec<String> = Vec::new();
            for tool in &tools {
                let mut carried = carried(call, tool);
                if carried.is_empty() {
                    carried.push(tool.spelled.clone());
                }
                names.extend(
                    carried
                        .into_iter()
                        .map(|name| regex::escape(&name))
                        .filter(|name| !names.contains(name))
                        .collect::<Vec<_>>(),
                );
            }
            names.join("|")
        }
        Matcher::Pattern { pattern, dialect: Dialect::Re2Anchored, .. } => pattern,
        Matcher::Pattern { pattern, .. } => format!(".*(?:{pattern}).*"),
    })
}

fn covers<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    let wanted = call.text(1).unwrap_or_default();
    Val::flag(match given(call) {
        Matcher::All => true,
        Matcher::Names(tools) => tools.iter().any(|tool| tool.neutral.as_deref() == Some(&wanted)),
        Matcher::Pattern { covers, .. } => covers.contains(&wanted),
    })
}

/// A server's tool can be called anything that begins so.
fn is_of_server(name: &str) -> bool {
    name.starts_with("mcp__")
}

fn never_fires<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    Val::flag(match given(call) {
        Matcher::All => false,
        Matcher::Names(tools) => {
            tools.iter().all(|tool| carried(call, tool).is_empty() && !is_of_server(&tool.spelled))
        }
        Matcher::Pattern { pattern, dialect, .. } => pattern_is_dead(call, &pattern, dialect),
    })
}

/// A pattern is dead when it matches no listed name and can match no server's tool, as far as a few probes tell.
fn pattern_is_dead(call: &Call<'_, '_>, pattern: &str, dialect: Dialect) -> bool {
    let Ok(regex) = compile(pattern, dialect == Dialect::Re2Anchored) else { return false };
    let words_only = pattern.chars().all(|c| c.is_ascii_alphanumeric() || "_|()^$?:".contains(c));
    words_only && !pattern.contains("mcp") && !listed(call).iter().any(|name| regex.is_match(name))
}

fn dead_names<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    let Matcher::Names(tools) = given(call) else { return Val::Absent };
    let dead =
        tools.iter().filter(|tool| carried(call, tool).is_empty() && !is_of_server(&tool.spelled));
    Val::own(Value::List(dead.map(|tool| record(&[("name", &tool.spelled)])).collect()))
}

fn refused_syntax<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    let Matcher::Pattern { pattern, .. } = given(call) else { return Val::Absent };
    compile(&pattern, false).err().map_or(Val::Absent, Val::text)
}
