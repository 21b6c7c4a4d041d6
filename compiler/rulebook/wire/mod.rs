//! What the YAML of a rule file may say, as the rules it stands for.

mod documents;

use std::sync::Arc;

pub use documents::{lists, roles};

use super::cursor::Cursor;
use super::expression::Expression;
use super::rules::{
    Check, Discard, Each, Emit, Lift, Lower, Once, Reads, Shape, StepRule, Tables, Unique,
};
use super::schema::{FieldSchema, Schema};
use super::selector::Selector;
use crate::ir::diagnostic::Code;
use crate::ir::fate::Fate;
use crate::ir::plan::How;
use crate::ir::value::Type;

fn always() -> Expression {
    Expression::Literal(super::expression::Literal::Flag(true))
}

/// A schema file.
pub fn schema(at: &Cursor<'_>, kind: &str) -> Schema {
    at.only(&["doc", "called", "counted-as", "named-by", "identity", "collides", "fields"]);
    Schema {
        kind: kind.into(),
        doc: at.need("doc"),
        called: at.maybe("called").unwrap_or_else(|| kind.to_owned()).into(),
        counted_as: at.maybe("counted-as").map(Into::into),
        named_by: at.maybe("named-by").unwrap_or_else(|| "name".to_owned()).into(),
        identity: at.flag("identity"),
        collides: at.flag("collides"),
        fields: at.map("fields").iter().map(|(name, field)| field_schema(name, field)).collect(),
    }
}

const TYPES: [Type; 16] = [
    Type::Text,
    Type::Flag,
    Type::Number,
    Type::Duration,
    Type::Path,
    Type::Command,
    Type::Matcher,
    Type::Tools,
    Type::Body,
    Type::Texts,
    Type::Map,
    Type::Json,
    Type::Event,
    Type::Tool,
    Type::Handler,
    Type::Contract,
];

fn field_schema(name: &Arc<str>, at: &Cursor<'_>) -> FieldSchema {
    at.only(&["type", "doc", "default", "optional"]);
    let word = at.need("type");
    let r#type = TYPES.into_iter().find(|known| known.word() == word).unwrap_or_else(|| {
        let words: Vec<_> = TYPES.iter().map(|known| known.word()).collect();
        at.fault_with(format!("`{word}` is no type"), format!("one of {}", words.join(", ")));
        Type::Any
    });
    let default = at.get("default").map(|cursor| cursor.literal());
    FieldSchema {
        name: name.clone(),
        r#type,
        doc: at.need("doc"),
        optional: at.flag("optional") || default.is_some(),
        default,
    }
}

/// The tables of a file: each top-level key of a table file, or the `table:` of a rule file.
pub fn tables(at: &Cursor<'_>) -> Tables {
    at.pairs().into_iter().map(|(name, cursor)| (name, cursor.literal())).collect()
}

fn id(at: &Cursor<'_>) -> Arc<str> {
    at.need("id").into()
}

/// One entry of `refuse:`, `checks:` and their kin.
fn check(at: &Cursor<'_>, owner: &str, area: &str, fate: Fate) -> Check {
    at.only(&["id", "when", "each", "at", "with", "fate", "loss", "once", "fatal", "diagnostic"]);
    let id = id(at);
    let once = match at.maybe("once").as_deref() {
        None => Once::Each,
        Some("file") => Once::File,
        Some("package") => Once::Package,
        Some(other) => {
            at.fault_with(format!("`{other}` is no scope"), "`file` or `package`");
            Once::Each
        }
    };
    Check {
        rule: format!("{owner}#{id}").into(),
        when: at.when("when").unwrap_or_else(always),
        each: at.when("each"),
        at: at.when("at"),
        with: at.expressions("with"),
        fate: at.fate("fate").unwrap_or(fate),
        loss: at.loss("loss"),
        once,
        fatal: at.flag("fatal"),
        code: at.code("diagnostic").unwrap_or_else(|| Code::new(&format!("{area}/{id}"))),
        id,
    }
}

fn unique(at: &Cursor<'_>, owner: &str, area: &str) -> Unique {
    at.only(&[
        "id",
        "by",
        "when",
        "across",
        "same",
        "conflict",
        "fatal",
        "keep",
        "fate",
        "diagnostic",
    ]);
    let id = id(at);
    let keep = at.maybe("keep");
    if let Some(word) = keep.as_deref().filter(|word| !matches!(*word, "first" | "last")) {
        at.fault_with(format!("`{word}` is none of the two that may be kept"), "`first` or `last`");
    }
    Unique {
        rule: format!("{owner}#{id}").into(),
        by: at.when("by").unwrap_or_else(always),
        when: at.when("when"),
        across: at.when("across"),
        same: at.when("same"),
        conflict: at.code("conflict"),
        fatal: at.flag("fatal"),
        last: keep.as_deref() == Some("last"),
        fate: at.fate("fate").unwrap_or(Fate::Unsupported),
        code: at.code("diagnostic").unwrap_or_else(|| Code::new(&format!("{area}/{id}"))),
        id,
    }
}

/// A lift file: `rules/from/<host>/<name>.yaml`.
pub fn lift(at: &Cursor<'_>, owner: &str) -> Lift {
    at.only(&[
        "lift",
        "documents",
        "reference",
        "checked",
        "shapes",
        "each",
        "refuse",
        "checks",
        "unique",
        "fields",
        "asked",
        "metadata",
        "inert",
        "table",
    ]);
    let kind = at.need("lift");
    let all = |key: &str| at.list(key).iter().filter_map(Cursor::expression).collect();
    Lift {
        rule: owner.into(),
        role: at.need("documents").into(),
        shapes: at.list("shapes").iter().map(shape).collect(),
        each: at.list("each").iter().map(each).collect(),
        refuse: at
            .list("refuse")
            .iter()
            .map(|one| check(one, owner, &kind, Fate::Unsupported))
            .collect(),
        checks: at.list("checks").iter().map(|one| check(one, owner, &kind, Fate::Exact)).collect(),
        unique: at.list("unique").iter().map(|one| unique(one, owner, &kind)).collect(),
        fields: at.expressions("fields"),
        asked: all("asked"),
        metadata: all("metadata"),
        inert: all("inert"),
        kind: kind.into(),
    }
}

fn shape(at: &Cursor<'_>) -> Shape {
    at.only(&["id", "at", "when", "diagnostic"]);
    Shape {
        id: id(at),
        at: at.get("at").map_or(Selector::default(), |cursor| cursor.selector()),
        when: at.when("when"),
        diagnostic: at.code("diagnostic"),
    }
}

fn each(at: &Cursor<'_>) -> Each {
    at.only(&["id", "at", "when", "let", "diagnostic"]);
    Each {
        id: id(at),
        at: at.get("at").map_or(Selector::default(), |cursor| cursor.selector()),
        when: at.when("when"),
        bind: at.expressions("let"),
        diagnostic: at.code("diagnostic"),
    }
}

/// The steps of an emit entry or of a package.
pub fn steps(at: &[Cursor<'_>]) -> Vec<StepRule> {
    at.iter().filter_map(step).collect()
}

fn step(at: &Cursor<'_>) -> Option<StepRule> {
    at.only(&["copy", "write", "merge", "link"]);
    let pairs = at.pairs();
    let [(word, body)] = pairs.as_slice() else {
        at.fault("a step is one of `copy`, `write`, `merge`, `link`");
        return None;
    };
    let part = |key: &str| {
        if let Some(cursor) = body.get(key) {
            cursor.template()
        } else {
            body.fault(format!("`{key}` is missing"));
            super::template::Template::Literal(super::expression::Literal::Text("".into()))
        }
    };
    Some(match &**word {
        "copy" => {
            body.only(&["from", "to", "except"]);
            let except = body.get("except").map(|cursor| cursor.template());
            StepRule::Copy { from: part("from"), to: part("to"), except }
        }
        "write" => {
            body.only(&["to", "text"]);
            StepRule::Write { to: part("to"), text: part("text") }
        }
        "link" => {
            body.only(&["to"]);
            StepRule::Link { to: part("to") }
        }
        _ => {
            body.only(&["into", "at", "set", "append"]);
            let (how, key) =
                if body.get("set").is_some() { (How::Set, "set") } else { (How::Append, "append") };
            let keys = body.list("at").iter().map(Cursor::template).collect();
            StepRule::Merge { into: part("into"), at: keys, how, value: part(key) }
        }
    })
}

/// A lowering file: `rules/to/<host>/<kind>.yaml`.
pub fn lower(at: &Cursor<'_>, owner: &str) -> Lower {
    at.only(&[
        "lower",
        "reference",
        "checked",
        "let",
        "checks",
        "emit",
        "lost",
        "metadata",
        "asked",
        "plan",
        "table",
    ]);
    let kind = at.need("lower");
    Lower {
        rule: owner.into(),
        bind: at.expressions("let"),
        checks: at.list("checks").iter().map(|one| check(one, owner, &kind, Fate::Exact)).collect(),
        emit: at.list("emit").iter().map(|one| emit(one, owner)).collect(),
        lost: at
            .map("lost")
            .iter()
            .map(|(name, cursor)| (name.clone(), lost(cursor, owner, &kind, name)))
            .collect(),
        metadata: at.texts("metadata"),
        plan: at.list("plan").iter().map(|one| unique(one, owner, &kind)).collect(),
        kind: kind.into(),
    }
}

/// A lost field is a check that speaks when the field is there: either a code, or a map like a check's.
fn lost(at: &Cursor<'_>, owner: &str, kind: &str, field: &str) -> Check {
    let plain = at.pairs().is_empty();
    let told = |key: &str| if plain { None } else { at.maybe(key) };
    if !plain {
        at.only(&["diagnostic", "fate", "loss", "once", "when"]);
    }
    let code = if plain { at.text() } else { told("diagnostic") };
    Check {
        id: format!("{field}-lost").into(),
        rule: format!("{owner}#{field}-lost").into(),
        when: if plain { always() } else { at.when("when").unwrap_or_else(always) },
        each: None,
        at: None,
        with: Vec::new(),
        fate: if plain { Fate::Partial } else { at.fate("fate").unwrap_or(Fate::Partial) },
        loss: if plain { None } else { at.loss("loss") },
        once: match told("once").as_deref() {
            Some("package") => Once::Package,
            Some(_) => Once::File,
            None => Once::Each,
        },
        fatal: false,
        code: Code::new(&code.unwrap_or_else(|| format!("{kind}/{field}-lost"))),
    }
}

fn emit(at: &Cursor<'_>, owner: &str) -> Emit {
    at.only(&["id", "when", "fate", "steps"]);
    let id = id(at);
    Emit {
        rule: format!("{owner}#{id}").into(),
        when: at.when("when"),
        fate: at.fate("fate").unwrap_or(Fate::Exact),
        steps: steps(&at.list("steps")),
        carries: Vec::new(),
        id,
    }
}

/// A reads file: `rules/to/<target>/reads/<source>.yaml`.
pub fn reads(at: &Cursor<'_>, owner: &str, source: &str) -> Reads {
    at.only(&["reference", "checked", "documents", "discards", "ignored", "lift"]);
    let ignored = |(role, cursor): (Arc<str>, Cursor<'_>)| {
        let code = Code::new(&cursor.text().unwrap_or_default());
        let mut one = blank_check(owner, &role);
        one.code = code;
        (role, one)
    };
    Reads {
        source: source.into(),
        documents: roles(at),
        discards: discards(at, owner),
        ignored: at.map("ignored").into_iter().map(ignored).collect(),
        lifts: at
            .map("lift")
            .into_iter()
            .map(|(name, cursor)| lift(&cursor, &format!("{owner}/{name}")))
            .collect(),
    }
}

fn blank_check(owner: &str, id: &str) -> Check {
    Check {
        id: id.into(),
        when: always(),
        each: None,
        at: None,
        with: Vec::new(),
        fate: Fate::Unsupported,
        loss: None,
        once: Once::File,
        fatal: false,
        code: Code::new(""),
        rule: format!("{owner}#{id}").into(),
    }
}

/// The documents that are passed over: `discards:`.
pub fn discards(at: &Cursor<'_>, owner: &str) -> Vec<Discard> {
    at.list("discards").iter().map(|one| discard(one, owner)).collect()
}

fn discard(at: &Cursor<'_>, owner: &str) -> Discard {
    at.only(&["id", "role", "each", "when", "at", "fatal", "diagnostic", "with"]);
    let role = at.need("role");
    let id = id(at);
    let mut one = blank_check(owner, &id);
    one.when = at.when("when").unwrap_or_else(always);
    one.at = at.when("at");
    one.with = at.expressions("with");
    one.fatal = at.flag("fatal");
    one.code = at.code("diagnostic").unwrap_or_else(|| Code::new(&format!("{role}/{id}")));
    Discard {
        role: role.into(),
        each: at.get("each").map_or(Selector::default(), |cursor| cursor.selector()),
        check: one,
    }
}
