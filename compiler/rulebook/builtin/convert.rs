//! Foreign values as values of a type. What does not fit is noted at its node and gives nothing.

use super::super::evaluate::{Scope, Val};
use super::{Builtin, Call};
use crate::ir::document::{Front, Key, Kind};
use crate::ir::manifest::NodeRef;
use crate::ir::value::{Type, Value};

pub(super) const ALL: &[Builtin] = &[
    Builtin {
        name: "text",
        takes: &[Type::Any],
        optional: 0,
        gives: Type::Text,
        files: false,
        run: text,
        doc: "A text as it is written.",
    },
    Builtin {
        name: "flag",
        takes: &[Type::Any],
        optional: 0,
        gives: Type::Flag,
        files: false,
        run: flag,
        doc: "True or false; front matter may also say yes, no, on, off, 1, 0.",
    },
    Builtin {
        name: "number",
        takes: &[Type::Any],
        optional: 0,
        gives: Type::Number,
        files: false,
        run: number,
        doc: "A whole number.",
    },
    Builtin {
        name: "seconds",
        takes: &[Type::Any],
        optional: 0,
        gives: Type::Duration,
        files: false,
        run: seconds,
        doc: "A number of seconds as a time span.",
    },
    Builtin {
        name: "milliseconds",
        takes: &[Type::Any],
        optional: 0,
        gives: Type::Duration,
        files: false,
        run: milliseconds,
        doc: "A number of milliseconds as a time span.",
    },
    Builtin {
        name: "millis",
        takes: &[Type::Duration],
        optional: 0,
        gives: Type::Number,
        files: false,
        run: millis,
        doc: "A time span as a number of milliseconds.",
    },
];

/// A number in its spelling, if it is a whole one.
pub fn whole(spelling: &str) -> Option<i64> {
    spelling.parse().ok().or_else(|| {
        let float: f64 = spelling.parse().ok()?;
        (float.fract() == 0.0).then(|| clamp(float))
    })
}

/// The nearest whole number; what is too large stops at the largest.
fn clamp(float: f64) -> i64 {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a float that is too large becomes the largest number"
    )]
    let whole = float as i64;
    whole
}

/// A node as the value it plainly is.
pub fn plain(scope: &Scope<'_>, at: NodeRef) -> Option<Value> {
    let document = scope.document(at)?;
    let children = || document.children(at.node).filter(|&child| !document.is_shadowed(child));
    Some(match document.kind(at.node) {
        Kind::Null => return None,
        Kind::Flag(flag) => Value::Flag(*flag),
        Kind::Number(number) => {
            whole(number).map_or_else(|| Value::Json(to_json(scope, at)), Value::Number)
        }
        Kind::Text(text) => Value::Text(text.to_string()),
        Kind::List => Value::List(
            children().filter_map(|node| plain(scope, NodeRef { node, ..at })).collect(),
        ),
        Kind::Map => Value::Map(
            children()
                .filter_map(|node| match document.key(node) {
                    Key::Name(name) => {
                        Some((name.to_string(), plain(scope, NodeRef { node, ..at })?))
                    }
                    _ => None,
                })
                .collect(),
        ),
    })
}

pub(super) fn to_json(scope: &Scope<'_>, at: NodeRef) -> serde_json::Value {
    let Some(document) = scope.document(at) else { return serde_json::Value::Null };
    let children = || document.children(at.node).filter(|&child| !document.is_shadowed(child));
    match document.kind(at.node) {
        Kind::Null => serde_json::Value::Null,
        Kind::Flag(flag) => (*flag).into(),
        Kind::Number(number) => {
            serde_json::from_str(number).unwrap_or_else(|_| number.to_string().into())
        }
        Kind::Text(text) => text.to_string().into(),
        Kind::List => children().map(|node| to_json(scope, NodeRef { node, ..at })).collect(),
        Kind::Map => serde_json::Value::Object(
            children()
                .filter_map(|node| match document.key(node) {
                    Key::Name(name) => {
                        Some((name.to_string(), to_json(scope, NodeRef { node, ..at })))
                    }
                    _ => None,
                })
                .collect(),
        ),
    }
}

impl<'a> Call<'_, 'a> {
    pub(super) fn ill_typed(&self, at: usize, wanted: Type) -> Val<'a> {
        if let Val::Node(node) = self.arg(at) {
            self.ill_typed_node(node, wanted);
        }
        Val::Absent
    }

    pub(super) fn ill_typed_node(&self, node: NodeRef, wanted: Type) {
        self.scope.notes.borrow_mut().ill_typed.push((node, wanted));
    }

    fn coerced(&self, node: NodeRef, wanted: Type) {
        if !self.in_front_matter(node) {
            self.scope.notes.borrow_mut().coerced.push((node, wanted));
        }
    }

    /// In front matter every scalar is a text, so reading a number out of one is no recovery.
    pub(super) fn in_front_matter(&self, node: NodeRef) -> bool {
        self.scope.document(node).is_some_and(|document| document.front != Front::None)
    }

    /// A scalar node as a text.
    pub(super) fn scalar(&self, node: NodeRef) -> Option<String> {
        match self.scope.kind(node) {
            Kind::Text(text) => Some(text.to_string()),
            Kind::Number(number) => {
                self.coerced(node, Type::Text);
                Some(number.to_string())
            }
            Kind::Flag(flag) => {
                self.coerced(node, Type::Text);
                Some(flag.to_string())
            }
            _ => None,
        }
    }

    pub(super) fn scalar_at(&self, at: usize) -> Option<String> {
        match self.arg(at) {
            Val::Node(node) => self.scalar(node),
            other => self.scope.as_text(&other).map(str::to_owned),
        }
    }

    /// The elements of a list node.
    pub(super) fn elements(&self, node: NodeRef) -> Vec<NodeRef> {
        let Some(document) = self.scope.document(node) else { return Vec::new() };
        document.children(node.node).map(|child| NodeRef { node: child, ..node }).collect()
    }

    fn float(&self, at: usize) -> Option<f64> {
        match self.arg(at) {
            Val::Node(node) => match self.scope.kind(node) {
                Kind::Number(number) => number.parse().ok(),
                Kind::Text(text) => {
                    let number =
                        text.trim().parse::<f64>().ok().filter(|number| number.is_finite())?;
                    self.coerced(node, Type::Number);
                    Some(number)
                }
                _ => None,
            },
            #[expect(clippy::cast_precision_loss, reason = "constants of the rules are small")]
            other => self.scope.as_number(&other).map(|number| number as f64),
        }
    }
}

pub(super) fn text<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    match call.scalar_at(0) {
        Some(text) => Val::text(text),
        None => call.ill_typed(0, Type::Text),
    }
}

pub(super) fn flag<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    if let Some(flag) = call.scope.as_flag(&call.arg(0)) {
        return Val::flag(flag);
    }
    let said = call.text(0).map(|text| text.trim().to_ascii_lowercase());
    let flag = match said.as_deref() {
        Some("true" | "yes" | "on" | "1") => true,
        Some("false" | "no" | "off" | "0") => false,
        _ => return call.ill_typed(0, Type::Flag),
    };
    if let Val::Node(node) = call.arg(0) {
        call.coerced(node, Type::Flag);
    }
    Val::flag(flag)
}

fn number<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    match call.float(0).filter(|number| number.fract() == 0.0) {
        Some(number) => Val::own(Value::Number(clamp(number))),
        None => call.ill_typed(0, Type::Number),
    }
}

fn seconds<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    match call.float(0) {
        Some(number) => Val::own(Value::Duration(clamp((number * 1000.0).round()))),
        None => call.ill_typed(0, Type::Number),
    }
}

fn milliseconds<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    match call.float(0) {
        Some(number) => Val::own(Value::Duration(clamp(number.round()))),
        None => call.ill_typed(0, Type::Number),
    }
}

fn millis<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    call.scope.as_number(&call.arg(0)).map_or(Val::Absent, |number| Val::own(Value::Number(number)))
}
