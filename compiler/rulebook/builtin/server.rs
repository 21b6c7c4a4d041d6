//! Servers: stable ids, and whether a command can be found.

use std::fmt::Write as _;

use super::super::evaluate::Val;
use super::name::{LONGEST, fnv, is_portable_name, slug_of};
use super::placeholder::OPEN;
use super::{Builtin, Call};
use crate::ir::value::{Type, Value};

pub(super) const ALL: &[Builtin] = &[
    Builtin {
        name: "stable_id",
        takes: &[Type::Text, Type::Any, Type::Any],
        optional: 1,
        gives: Type::Text,
        files: false,
        run: stable_id,
        doc: "The name if it is a portable one, else a slug of it with a hash of it and of the launch, `identity` and its `environment`.",
    },
    Builtin {
        name: "identity",
        takes: &[Type::Any, Type::Any, Type::Any],
        optional: 0,
        gives: Type::Json,
        files: false,
        run: identity,
        doc: "The first part of a server's identity: transport, command, arguments.",
    },
    Builtin {
        name: "surroundings",
        takes: &[Type::Any, Type::Any, Type::Any],
        optional: 0,
        gives: Type::Json,
        files: false,
        run: surroundings,
        doc: "The second part of a server's identity: environment, URL, headers.",
    },
    Builtin {
        name: "is_bare",
        takes: &[Type::Any],
        optional: 0,
        gives: Type::Flag,
        files: false,
        run: is_bare,
        doc: "Is it a command to be searched for, neither absolute nor below a folder?",
    },
];

fn is_bare<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    Val::flag(call.text(0).is_some_and(|text| {
        let text = text.trim();
        let drive = text.chars().nth(1) == Some(':');
        !text.is_empty()
            && !drive
            && !text.contains(['/', '\\'])
            && !text.starts_with([OPEN, '$', '%', '~'])
    }))
}

/// An object of the given keys, without what is absent or empty.
fn object<'a>(call: &Call<'_, 'a>, keys: &[&str]) -> Val<'a> {
    let mut map = serde_json::Map::new();
    for (at, key) in keys.iter().enumerate() {
        if let Some(value) = call.value(at).filter(|value| !value.is_empty()) {
            let value = match value {
                Value::Map(mut pairs) => {
                    pairs.sort_by(|a, b| a.0.cmp(&b.0));
                    Value::Map(pairs)
                }
                other => other,
            };
            map.insert((*key).to_owned(), value.to_json());
        }
    }
    Val::own(Value::Json(map.into()))
}

fn identity<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    object(call, &["type", "command", "args"])
}

fn surroundings<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    object(call, &["env", "url", "headers"])
}

fn stable_id<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    let Some(name) = call.text(0).map(|text| text.trim().to_owned()) else { return Val::Absent };
    if is_portable_name(&name) {
        return Val::text(name);
    }
    let mut map = serde_json::Map::new();
    for part in [call.value(1), call.value(2)] {
        if let Some(Value::Json(serde_json::Value::Object(part))) = part {
            map.extend(part);
        }
    }
    let identity = escaped(&serde_json::Value::Object(map).to_string());
    let hash = fnv(name.bytes().chain(identity.bytes()));
    let mut slug = slug_of(&name);
    if slug.is_empty() {
        "server".clone_into(&mut slug);
    }
    let suffix = format!("_{hash:08x}");
    slug.truncate(LONGEST - suffix.len());
    Val::text(slug + &suffix)
}

/// The further escapes of the hashed JSON: what HTML or JavaScript would take for its own.
fn escaped(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out
}

/// FNV-1a, 32 bits.
#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;
    use crate::ir::snapshot::Snapshot;
    use crate::rulebook::evaluate::Scope;

    fn id(name: &str, identity: &str) -> String {
        let snapshot = RefCell::new(Snapshot::new(Box::new(crate::io::memory::Memory::new())));
        let tables = Vec::new();
        let scope = Scope::new(&[], &tables, &snapshot);
        let json = Val::own(Value::Json(serde_json::from_str(identity).unwrap()));
        let call = Call { scope: &scope, args: vec![Val::text(name), json] };
        match stable_id(&call) {
            Val::Value(value) => value.as_text().unwrap().to_owned(),
            _ => String::new(),
        }
    }

    #[test]
    fn ids_are_those_that_the_worked_examples_give() {
        for (name, identity, wanted) in [
            (
                "Google Drive",
                r#"{"type":"stdio","command":"uvx","args":["drive-mcp"]}"#,
                "Google-Drive_3ca78189",
            ),
            (
                "元典法律",
                r#"{"type":"http","url":"https://open.example.cn/mcp"}"#,
                "server_1bc40e26",
            ),
            (
                "샘플 server_2",
                r#"{"type":"sse","url":"https://example.com/sse?a=1&b=<2>","headers":{"Authorization":"Bearer ${TOKEN}","X-B":"2"}}"#,
                "server_2_7197b2b7",
            ),
            ("a<b", r#"{"type":"stdio","command":"c&d"}"#, "a-b_60a298de"),
            ("", r#"{"type":"stdio","command":"c"}"#, "server_488aa780"),
            ("..hidden..", r#"{"type":"stdio","command":"c"}"#, "hidden_c759df44"),
            ("valid.name-1_x", "{}", "valid.name-1_x"),
        ] {
            assert_eq!(id(name, identity), wanted, "{name}");
        }
        let long = format!("_{}", "long name ".repeat(8));
        assert_eq!(
            id(&long, r#"{"type":"stdio","command":"c"}"#),
            "long-name-long-name-long-name-long-name-long-name-long-_57eee1f3"
        );
    }
}
