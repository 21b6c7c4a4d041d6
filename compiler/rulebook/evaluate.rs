//! What an expression or a template comes to. Total: whatever it meets, it yields a value or none.

use std::cell::RefCell;
use std::cmp::Ordering;
use std::ops::Deref;
use std::rc::Rc;

use super::builtin;
use super::expression::{Comparison, Expression, Literal};
use super::fill::constant;
use super::rules::Tables;
use crate::ir::document::{Document, Key, Kind};
use crate::ir::manifest::{NodeRef, View};
use crate::ir::plugin::Capability;
use crate::ir::snapshot::Snapshot;
use crate::ir::value::{Type, Value};

/// What an expression comes to.
#[derive(Clone, Debug)]
pub enum Val<'a> {
    /// Nothing.
    Absent,
    /// A node of a document.
    Node(NodeRef),
    /// The key of a node.
    Key(NodeRef),
    /// A value.
    Value(Held<'a>),
    /// A constant or a table of the rules.
    Constant(&'a Literal),
    /// A document in its role.
    View(&'a View),
    /// A capability.
    Capability(&'a Capability),
}

impl Val<'_> {
    /// A text of our own.
    pub fn text(text: impl Into<String>) -> Self {
        Val::own(Value::Text(text.into()))
    }

    /// A value of our own.
    pub fn own(value: Value) -> Self {
        Val::Value(Held::Shared(Rc::new(value)))
    }

    /// True or false.
    pub fn flag(flag: bool) -> Self {
        static YES: Literal = Literal::Flag(true);
        static NO: Literal = Literal::Flag(false);
        Val::Constant(if flag { &YES } else { &NO })
    }

    /// The value, or nothing.
    pub fn maybe(value: Option<Value>) -> Self {
        value.map_or(Val::Absent, Val::own)
    }
}

/// A value that something holds: a field, or a few who look at the same.
#[derive(Clone, Debug)]
pub enum Held<'a> {
    /// By whoever the scope borrows from.
    Borrowed(&'a Value),
    /// By all that look at it.
    Shared(Rc<Value>),
}

impl Deref for Held<'_> {
    type Target = Value;

    fn deref(&self) -> &Value {
        match self {
            Held::Borrowed(value) => value,
            Held::Shared(value) => value,
        }
    }
}

/// What was looked at while an expression was evaluated.
#[derive(Debug, Default)]
pub struct Notes {
    /// Nodes whose values were read.
    pub reads: Vec<NodeRef>,
    /// Nodes whose keys were read.
    pub keys: Vec<NodeRef>,
    /// Nodes that are not of the type that was asked for.
    pub ill_typed: Vec<(NodeRef, Type)>,
    /// Nodes whose meaning is plain though they are of another type: a number in a text.
    pub coerced: Vec<(NodeRef, Type)>,
    /// Neutral placeholders, each with a spelling that stood for it.
    pub spellings: Vec<(String, String)>,
}

/// How many names a scope usually has.
const NAMES: usize = 24;

/// The names and files that an expression may ask.
pub struct Scope<'a> {
    /// The names, the innermost last.
    pub names: Vec<(&'a str, Val<'a>)>,
    /// What was read to give some of the names their meaning.
    pub traces: Vec<(&'a str, Vec<NodeRef>)>,
    /// The documents that nodes belong to.
    pub documents: &'a [Document],
    /// The tables.
    pub tables: &'a Tables,
    /// The files, for the builtins that ask them.
    pub snapshot: &'a RefCell<Snapshot>,
    /// Keys of documents are matched whatever their case.
    pub any_case: bool,
    /// What was looked at.
    pub notes: RefCell<Notes>,
}

impl<'a> Scope<'a> {
    /// A scope without names.
    pub fn new(
        documents: &'a [Document],
        tables: &'a Tables,
        snapshot: &'a RefCell<Snapshot>,
    ) -> Self {
        Scope {
            names: Vec::with_capacity(NAMES),
            traces: Vec::new(),
            documents,
            tables,
            snapshot,
            any_case: false,
            notes: RefCell::default(),
        }
    }

    /// Gives a name a meaning; an older meaning is hidden.
    pub fn bind(&mut self, name: &'a str, val: Val<'a>) {
        self.names.push((name, val));
    }

    /// What a name means.
    pub fn name(&self, name: &str) -> Option<&Val<'a>> {
        self.names.iter().rev().find(|(known, _)| same(known, name)).map(|(_, val)| val)
    }

    /// Forgets what was looked at, and says what it was.
    pub fn take_notes(&self) -> Notes {
        self.notes.take()
    }

    /// The document of a node.
    pub fn document(&self, at: NodeRef) -> Option<&'a Document> {
        self.documents.get(at.document as usize)
    }

    /// What a node holds.
    pub fn kind(&self, at: NodeRef) -> &'a Kind {
        self.document(at).map_or(&Kind::Null, |document| document.kind(at.node))
    }

    /// The child of a map under a key.
    pub fn child(&self, at: NodeRef, name: &str) -> Option<NodeRef> {
        let document = self.document(at)?;
        if let Some(node) = document.get(at.node, name) {
            return Some(NodeRef { node, ..at });
        }
        if !self.any_case {
            return None;
        }
        let same = |node: &u32| matches!(document.key(*node), Key::Name(key) if key.to_lowercase() == name.to_lowercase());
        document.children(at.node).filter(same).last().map(|node| NodeRef { node, ..at })
    }

    /// The text of a key.
    pub fn key_text(&self, at: NodeRef) -> Option<&'a str> {
        match self.document(at)?.key(at.node) {
            Key::Name(name) => Some(name),
            _ => None,
        }
    }

    /// Evaluates an expression.
    pub fn eval(&self, expression: &'a Expression) -> Val<'a> {
        match expression {
            Expression::Literal(literal) => Val::Constant(literal),
            Expression::List(all) => Val::own(Value::List(
                all.iter().filter_map(|one| self.value(&self.eval(one))).collect(),
            )),
            Expression::Path(path) => self.path(path),
            // The load check has seen to it that there is such a function.
            Expression::Call(callee, args) => callee.builtin().map_or(Val::Absent, |builtin| {
                let args = args.iter().map(|arg| self.eval(arg)).collect();
                (builtin.run)(&builtin::Call { scope: self, args })
            }),
            Expression::Is(one, shape) => Val::flag(self.has_shape(&self.eval(one), shape)),
            _ => Val::flag(self.holds(expression)),
        }
    }

    /// Does the condition hold?
    pub fn holds(&self, expression: &'a Expression) -> bool {
        match expression {
            Expression::Not(one) => !self.holds(one),
            Expression::And(a, b) => self.holds(a) && self.holds(b),
            Expression::Or(a, b) => self.holds(a) || self.holds(b),
            Expression::Compare(how, a, b) => self.compare(*how, &self.eval(a), &self.eval(b)),
            Expression::In(a, b) => self.is_in(&self.eval(a), &self.eval(b)),
            other => match self.eval(other) {
                Val::Value(value) => matches!(&*value, Value::Flag(true)),
                Val::Constant(Literal::Flag(flag)) => *flag,
                Val::Node(at) => matches!(self.kind(at), Kind::Flag(true)),
                _ => false,
            },
        }
    }

    fn path(&self, path: &'a [std::sync::Arc<str>]) -> Val<'a> {
        let Some((first, rest)) = path.split_first() else { return Val::Absent };
        let mut val = if **first == *"table" && !rest.is_empty() {
            Val::Absent
        } else {
            self.name(first).cloned().unwrap_or(Val::Absent)
        };
        let mut steps = rest.iter();
        if **first == *"table"
            && let Some(name) = steps.next()
        {
            val = self.table(name).map_or(Val::Absent, Val::Constant);
        }
        if let Some((_, trace)) = self.traces.iter().rev().find(|(name, _)| *name == &**first) {
            self.notes.borrow_mut().reads.extend(trace);
        }
        for step in steps {
            val = self.step(&val, step);
        }
        match &val {
            Val::Node(at) if matches!(self.kind(*at), Kind::Null) => {
                self.notes.borrow_mut().reads.push(*at);
                return Val::Absent;
            }
            Val::Node(at) => self.notes.borrow_mut().reads.push(*at),
            Val::Key(at) => self.notes.borrow_mut().keys.push(*at),
            _ => {}
        }
        val
    }

    /// A table by its name.
    pub fn table(&self, name: &str) -> Option<&'a Literal> {
        self.tables.iter().find(|(known, _)| same(known, name)).map(|(_, table)| table)
    }

    fn step(&self, val: &Val<'a>, step: &str) -> Val<'a> {
        match val {
            Val::Node(at) => self.child(*at, step).map_or(Val::Absent, Val::Node),
            Val::View(view) => builtin::file::fact(self, view, step),
            Val::Capability(capability) => capability
                .value(step)
                .map_or(Val::Absent, |value| Val::Value(Held::Borrowed(value))),
            Val::Value(Held::Borrowed(value)) => builtin::part::of(value, step),
            Val::Value(Held::Shared(value)) => match builtin::part::of(value, step) {
                Val::Absent => Val::Absent,
                other => Val::maybe(self.value(&other)),
            },
            Val::Constant(Literal::Map(map)) => map
                .iter()
                .find(|(name, _)| **name == *step)
                .map_or(Val::Absent, |(_, literal)| Val::Constant(literal)),
            _ => Val::Absent,
        }
    }

    /// The text that something is, if it is one.
    pub fn as_text<'s>(&'s self, val: &'s Val<'a>) -> Option<&'s str> {
        match val {
            Val::Node(at) => match self.kind(*at) {
                Kind::Text(text) => Some(text),
                _ => None,
            },
            Val::Key(at) => self.key_text(*at),
            Val::Value(value) => value.as_text(),
            Val::Constant(Literal::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// The number that something is, a time span in milliseconds.
    pub fn as_number(&self, val: &Val<'a>) -> Option<i64> {
        match val {
            Val::Node(at) => match self.kind(*at) {
                Kind::Number(number) => builtin::convert::whole(number),
                _ => None,
            },
            Val::Value(value) => match **value {
                Value::Number(number) | Value::Duration(number) => Some(number),
                _ => None,
            },
            Val::Constant(Literal::Number(number)) => Some(*number),
            _ => None,
        }
    }

    /// The flag that something is.
    pub fn as_flag(&self, val: &Val<'a>) -> Option<bool> {
        match val {
            Val::Node(at) => match self.kind(*at) {
                Kind::Flag(flag) => Some(*flag),
                _ => None,
            },
            Val::Value(value) => match **value {
                Value::Flag(flag) => Some(flag),
                _ => None,
            },
            Val::Constant(Literal::Flag(flag)) => Some(*flag),
            _ => None,
        }
    }

    /// The value of something, as a field holds it.
    pub fn value(&self, val: &Val<'a>) -> Option<Value> {
        match val {
            Val::Absent | Val::View(_) | Val::Capability(_) => None,
            Val::Value(value) => Some((**value).clone()),
            Val::Key(at) => self.key_text(*at).map(|text| Value::Text(text.to_owned())),
            Val::Constant(literal) => Some(constant(literal)),
            Val::Node(at) => builtin::convert::plain(self, *at),
        }
    }

    fn compare(&self, how: Comparison, a: &Val<'a>, b: &Val<'a>) -> bool {
        let order = if let (Some(a), Some(b)) = (self.as_number(a), self.as_number(b)) {
            Some(a.cmp(&b))
        } else if let (Some(a), Some(b)) = (self.as_text(a), self.as_text(b)) {
            Some(a.cmp(b))
        } else if let (Some(a), Some(b)) = (self.as_flag(a), self.as_flag(b)) {
            Some(a.cmp(&b))
        } else {
            match (self.value(a), self.value(b)) {
                (Some(a), Some(b)) => (a == b).then_some(Ordering::Equal).or(Some(Ordering::Less)),
                _ => None,
            }
        };
        let Some(order) = order else { return false };
        match how {
            Comparison::Equal => order.is_eq(),
            Comparison::Unequal => order.is_ne(),
            Comparison::Less => order.is_lt(),
            Comparison::AtMost => order.is_le(),
            Comparison::Greater => order.is_gt(),
            Comparison::AtLeast => order.is_ge(),
        }
    }

    fn is_in(&self, a: &Val<'a>, b: &Val<'a>) -> bool {
        match b {
            Val::Constant(Literal::List(list)) => {
                list.iter().any(|one| self.compare(Comparison::Equal, a, &Val::Constant(one)))
            }
            Val::Constant(Literal::Map(map)) => {
                self.as_text(a).is_some_and(|text| map.iter().any(|(name, _)| **name == *text))
            }
            other => match self.value(other) {
                Some(Value::List(list)) => self.value(a).is_some_and(|a| list.contains(&a)),
                _ => false,
            },
        }
    }

    fn has_shape(&self, val: &Val<'a>, shape: &str) -> bool {
        let found = match val {
            Val::Absent => "absent",
            Val::Node(at) => match self.kind(*at) {
                Kind::Null => "absent",
                Kind::Flag(_) => "flag",
                Kind::Number(_) => "number",
                Kind::Text(_) => "text",
                Kind::List => "list",
                Kind::Map => "map",
            },
            Val::Key(_) => "text",
            Val::Value(value) => builtin::part::shape(value),
            Val::Constant(literal) => literal.shape(),
            Val::View(_) | Val::Capability(_) => "map",
        };
        found == shape
    }
}

/// Are two names the same? Most are not, and most of those begin differently.
pub(super) fn same(a: &str, b: &str) -> bool {
    a.len() == b.len() && a.as_bytes().first() == b.as_bytes().first() && a == b
}
